"""What the CDK's own providers of custom resources do, for those that plain applications of the CDK have."""

from typing import Any

from rehearsal.handlers.base import Scope
from rehearsal.handlers.calls import call, call_unless_gone
from rehearsal.handlers.stand_ins import Event, Response, StandIns


def restrict_default_group(event: Event, scope: Scope) -> Response:
    """Takes the rules of a VPC's default security group away, and gives them back when the resource goes.

    Source: aws-cdk-lib, custom-resource-handlers, aws-ec2/restrict-default-security-group-handler: rules that are gone
    already are no error. That its entry point answers the logical id, where the handler names none, is unconfirmed.
    """
    client, wanted = scope.client("ec2"), event["ResourceProperties"]
    old = (event.get("OldResourceProperties") or wanted)["DefaultSecurityGroupId"]
    new, account = wanted["DefaultSecurityGroupId"], wanted["Account"]
    if event["RequestType"] == "Delete" or (event["RequestType"] == "Update" and old != new):
        call(client, "AuthorizeSecurityGroupIngress", _from_itself(old, account))
        call(client, "AuthorizeSecurityGroupEgress", _to_everywhere(old))
    if event["RequestType"] == "Create" or (event["RequestType"] == "Update" and old != new):
        call_unless_gone(client, "RevokeSecurityGroupEgress", _to_everywhere(new))
        call_unless_gone(client, "RevokeSecurityGroupIngress", _from_itself(new, account))
    return {"PhysicalResourceId": event.get("PhysicalResourceId", event["LogicalResourceId"])}


def _from_itself(group_id: str, account: str) -> dict[str, Any]:
    pairs = [{"GroupId": group_id, "UserId": account}]
    return {"GroupId": group_id, "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": pairs}]}


def _to_everywhere(group_id: str) -> dict[str, Any]:
    ranges = [{"CidrIp": "0.0.0.0/0"}]
    return {"GroupId": group_id, "IpPermissions": [{"IpProtocol": "-1", "IpRanges": ranges}]}


PROVIDERS: StandIns = {"Custom::VpcRestrictDefaultSG": restrict_default_group}
