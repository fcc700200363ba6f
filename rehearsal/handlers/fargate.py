"""Fargate profiles of clusters."""

from rehearsal.handlers.api import ApiHandler
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn


class FargateProfile(ApiHandler):
    """A Fargate profile, of which tags alone can change; ``Ref`` is ``cluster/profile``.

    Source: CloudFormation user guide, AWS::EKS::FargateProfile.
    """

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives labels as EKS wants them, a map, where templates have a list."""
        properties = super().creation(scope, resource)
        selectors = [
            {**selector, "Labels": {label["Key"]: label["Value"] for label in selector["Labels"]}}
            if "Labels" in selector
            else selector
            for selector in properties["Selectors"]
        ]
        return {**properties, "Selectors": selectors}


HANDLERS: dict[str, Handler] = {
    "AWS::EKS::FargateProfile": FargateProfile(
        service="eks",
        create_operation="CreateFargateProfile",
        reference="{ClusterName}/{FargateProfileName}",
        identity={"clusterName": "{ClusterName}", "fargateProfileName": "{FargateProfileName}"},
        delete_operation="DeleteFargateProfile",
        name=NameRule("FargateProfileName", 100),
        retag=retag_by_arn("{Arn}"),
        attributes={
            "Arn": "fargateProfile.fargateProfileArn",
            "FargateProfileName": "fargateProfile.fargateProfileName",
        },
    ),
}
