"""Launch templates and placement groups."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_id

_TAGS = "TagSpecifications"
_CONTENT = ("LaunchTemplateData", "VersionDescription")


class LaunchTemplate(ApiHandler):
    """A launch template; a change of its data makes a new version and leaves the default version as it is.

    Source: CloudFormation user guide, AWS::EC2::LaunchTemplate, return values.
    """

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads both version numbers, which CloudFormation gives as text."""
        answer = scope.client("ec2").describe_launch_templates(LaunchTemplateIds=[resource.physical_id])
        (template,) = answer["LaunchTemplates"]
        resource.attributes |= {
            "LaunchTemplateId": template["LaunchTemplateId"],
            "LatestVersionNumber": str(template["LatestVersionNumber"]),
            "DefaultVersionNumber": str(template["DefaultVersionNumber"]),
        }

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Makes a new version when the data differ."""
        content, rest = split(changed, *_CONTENT)
        if content:
            version = {**split(resource.properties, *_CONTENT)[0], **content, "LaunchTemplateId": resource.physical_id}
            given = {name: value for name, value in version.items() if value is not None}
            call_fitted(scope.client("ec2"), "CreateLaunchTemplateVersion", given)
            resource.took(changed, *content)
        tags, rest = split(rest, _TAGS)
        if tags:
            old, new = _own_tags(resource.properties.get(_TAGS)), _own_tags(tags[_TAGS])
            retag_by_id(scope.client("ec2"), resource, new, sorted(set(old) - set(new)))
            resource.took(changed, _TAGS)
        super().apply(scope, resource, rest)


def _own_tags(specifications: list[Properties] | None) -> dict[str, str]:
    """Gives the tags of the launch template itself."""
    own = [one for one in specifications or [] if one["ResourceType"] == "launch-template"]
    return {tag["Key"]: tag["Value"] for specification in own for tag in specification["Tags"]}


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::LaunchTemplate": LaunchTemplate(
        service="ec2",
        create_operation="CreateLaunchTemplate",
        reference="LaunchTemplate.LaunchTemplateId",
        identity={"LaunchTemplateId": "{Ref}"},
        delete_operation="DeleteLaunchTemplate",
        name=NameRule("LaunchTemplateName", 128),
    ),
    "AWS::EC2::PlacementGroup": ApiHandler(
        service="ec2",
        create_operation="CreatePlacementGroup",
        reference="PlacementGroup.GroupName",
        identity={"GroupName": "{Ref}"},
        delete_operation="DeletePlacementGroup",
        name=NameRule("GroupName", 255),
        tag_type="placement-group",
        attributes={"GroupName": "PlacementGroup.GroupName", "GroupId": "PlacementGroup.GroupId"},
    ),
}
