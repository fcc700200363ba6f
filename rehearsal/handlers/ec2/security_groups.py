"""Security groups and their rules, within the group's template or on their own."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_unless_gone
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_id

_DIRECTIONS = {"SecurityGroupIngress": "Ingress", "SecurityGroupEgress": "Egress"}
#: What a rule names its other side by, one of these. Of a rule on its own each is told; see ``_check_sides``.
_SIDES = {
    "Ingress": ("CidrIp", "CidrIpv6", "SourcePrefixListId", "SourceSecurityGroupId"),
    "Egress": ("CidrIp", "CidrIpv6", "DestinationPrefixListId", "DestinationSecurityGroupId"),
}
_DEFAULT_EGRESS = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}
_PEERS = {
    "CidrIp": ("IpRanges", "CidrIp"),
    "CidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
    "SourcePrefixListId": ("PrefixListIds", "PrefixListId"),
    "DestinationPrefixListId": ("PrefixListIds", "PrefixListId"),
    "SourceSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    "DestinationSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
}


class SecurityGroup(ApiHandler):
    """A security group with the rules that its own template lists."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the rules to their own calls."""
        return split(super().creation(scope, resource), *_DIRECTIONS)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the group; rules for outgoing traffic replace the one that EC2 gives every group.

        Source: CloudFormation user guide, AWS::EC2::SecurityGroup, ``SecurityGroupEgress``.
        """
        super().create(scope, resource)
        resource.attributes["Id"] = resource.attributes["GroupId"] = resource.physical_id
        resource.attributes |= split(resource.properties, "VpcId")[0]
        self.apply(scope, resource, split(resource.properties, *_DIRECTIONS)[0], made=True)

    def apply(self, scope: Scope, resource: Resource, changed: Properties, *, made: bool = False) -> None:
        """Authorizes the rules that are new and revokes those that are gone."""
        rules, rest = split(changed, *_DIRECTIONS)
        client = scope.client("ec2")
        for name, value in rules.items():
            implied = [_DEFAULT_EGRESS] if name == "SecurityGroupEgress" else []
            old = implied if made else resource.properties.get(name) or implied
            new = value or implied
            for rule in new:
                _check_sides(rule, _DIRECTIONS[name])
            stand, wanted = [_permission(rule) for rule in old], [_permission(rule) for rule in new]
            gone = [rule for rule in stand if rule not in wanted]
            if made:  # the implied rule goes first: one of the template's may differ by its description alone
                _change(client, resource, f"RevokeSecurityGroup{_DIRECTIONS[name]}", gone)
            _change(
                client,
                resource,
                f"AuthorizeSecurityGroup{_DIRECTIONS[name]}",
                [rule for rule in wanted if rule not in stand],
            )
            if not made:
                resource.took({name: [*old, *(rule for rule in new if rule not in old)]}, name)
                _change(client, resource, f"RevokeSecurityGroup{_DIRECTIONS[name]}", gone)
            resource.took(changed, name)
        super().apply(scope, resource, rest)


class SecurityGroupRule:
    """A rule that stands in the template on its own.

    Attributes:
        direction: ``Ingress`` or ``Egress``.
    """

    def __init__(self, direction: str) -> None:
        self.direction = direction

    def create(self, scope: Scope, resource: Resource) -> None:
        """Authorizes the rule; its id is what EC2 answers."""
        group_id = resource.properties.get("GroupId")
        if group_id is None:
            raise ResourceError("ValidationError", "A security group rule needs property GroupId")
        permission = _permission(split(resource.properties, "GroupId")[1])
        given = [name for name in _SIDES[self.direction] if resource.properties.get(name)]
        if len(given) != 1:
            *others, last = _SIDES[self.direction]
            message = f"Exactly one of {', '.join(others)} and {last} must be specified and not empty"
            raise ResourceError("InvalidRequest", message)
        parameters = {"GroupId": group_id, "IpPermissions": [permission]}
        answer = call(scope.client("ec2"), f"AuthorizeSecurityGroup{self.direction}", parameters)
        resource.physical_id = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        resource.attributes["Id"] = resource.physical_id

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes the description, the one property that is not create-only."""
        description = {
            "SecurityGroupRuleId": resource.physical_id,
            "Description": properties.get("Description", ""),
        }
        parameters = {"GroupId": properties["GroupId"], "SecurityGroupRuleDescriptions": [description]}
        call(scope.client("ec2"), f"UpdateSecurityGroupRuleDescriptions{self.direction}", parameters)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Revokes the rule."""
        if resource.physical_id is not None:
            parameters = {"GroupId": resource.properties["GroupId"], "SecurityGroupRuleIds": [resource.physical_id]}
            call_unless_gone(scope.client("ec2"), f"RevokeSecurityGroup{self.direction}", parameters)


def _change(client: Any, resource: Resource, operation: str, permissions: list[dict[str, Any]]) -> None:
    if permissions:
        call(client, operation, {"GroupId": resource.physical_id, "IpPermissions": permissions})


def _check_sides(rule: Properties, direction: str) -> None:
    """Refuses a rule in a group's template that names two other sides; one without any lets nobody through.

    Source: badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-sg-source-exclusive, ``meta.yaml``, deploys of 2026-09-03,
    which quote the words about a range and a group, about outgoing rules, and about rules on their own; those of other
    pairs of incoming rules are made alike.
    """
    given = [name for name in _SIDES[direction] if rule.get(name)]
    if given == ["CidrIp", "SourceSecurityGroupId"]:
        raise ResourceError("InvalidRequest", "Both CidrIp and SourceSecurityGroup cannot be specified")
    if len(given) > 1:
        *others, last = _SIDES[direction]
        message = f"Only one of {', '.join(others)} or {last} can be specified"
        raise ResourceError("InvalidRequest", message)


def _permission(rule: Properties) -> dict[str, Any]:
    """Gives EC2's form of a rule.

    Raises:
        ResourceError: The rule has a property that EC2's form has no place for.
    """
    permission: dict[str, Any] = {"IpProtocol": str(rule["IpProtocol"])}
    for name, value in rule.items():
        if name in ("FromPort", "ToPort"):
            permission[name] = int(value)
        elif name in _PEERS:
            ranges, member = _PEERS[name]
            described = {"Description": rule["Description"]} if "Description" in rule else {}
            permission[ranges] = [{member: value, **described}]
        elif name == "SourceSecurityGroupOwnerId":
            continue
        elif name not in ("IpProtocol", "Description"):
            raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property {name}")
    if "SourceSecurityGroupOwnerId" in rule:
        permission["UserIdGroupPairs"][0]["UserId"] = str(rule["SourceSecurityGroupOwnerId"])
    return permission


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::SecurityGroup": SecurityGroup(
        service="ec2",
        create_operation="CreateSecurityGroup",
        reference="GroupId",
        identity={"GroupId": "{Ref}"},
        delete_operation="DeleteSecurityGroup",
        name=NameRule("GroupName", 255),
        renamed={"GroupDescription": "Description"},
        tag_type="security-group",
        retag=retag_by_id,
    ),
    "AWS::EC2::SecurityGroupIngress": SecurityGroupRule("Ingress"),
    "AWS::EC2::SecurityGroupEgress": SecurityGroupRule("Egress"),
}
