"""CloudWatch log groups."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_RETENTION = "RetentionInDays"


class LogGroup(ApiHandler):
    """A log group; retention and, after it is made, the key are set by calls of their own."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the retention to its own call."""
        return split(super().creation(scope, resource), _RETENTION)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the group, reads its ARN and sets its retention."""
        super().create(scope, resource)
        self.apply(scope, resource, split(resource.properties, _RETENTION)[0])

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the ARN, which ends in ``:*`` as CloudFormation gives it."""
        name = resource.physical_id
        groups = scope.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        resource.attributes["Arn"] = next(group["arn"] for group in groups if group["logGroupName"] == name)

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets or takes away retention and key, and passes on the rest."""
        client, group = scope.client("logs"), {"logGroupName": resource.physical_id}
        own, rest = split(changed, _RETENTION, "KmsKeyId")
        if _RETENTION in own:
            if own[_RETENTION] is None:
                call(client, "DeleteRetentionPolicy", group)
            else:
                call_fitted(client, "PutRetentionPolicy", {**group, _RETENTION: own[_RETENTION]})
            resource.took(changed, _RETENTION)
        if "KmsKeyId" in own:
            if own["KmsKeyId"] is None:
                call(client, "DisassociateKmsKey", group)
            else:
                call(client, "AssociateKmsKey", {**group, "kmsKeyId": own["KmsKeyId"]})
            resource.took(changed, "KmsKeyId")
        super().apply(scope, resource, rest)


HANDLERS: dict[str, Handler] = {
    "AWS::Logs::LogGroup": LogGroup(
        service="logs",
        create_operation="CreateLogGroup",
        reference="{LogGroupName}",
        identity={"logGroupName": "{Ref}"},
        delete_operation="DeleteLogGroup",
        name=NameRule("LogGroupName", 512),
        retag=retag_by_arn("{Arn}"),
    ),
}
