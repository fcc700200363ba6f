"""What EC2 and CloudFormation refuse of security groups' rules."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource
from tests.rehearsal.refusals.rows.network import group, rule

_PREFLIGHT = "badmintoncryer/cdk-preflight, rules/ec2"
_SIDES = f"{_PREFLIGHT}, pf-ec2-sg-source-exclusive"
_INVALID, _REQUEST = "InvalidParameterValue", "InvalidRequest"
_OTHER_VPC = {
    "OtherVpc": resource("AWS::EC2::VPC", CidrBlock="10.9.0.0/16"),
    "OtherGroup": resource("AWS::EC2::SecurityGroup", GroupDescription="elsewhere", VpcId=ref("OtherVpc")),
}


def within(name: str, words: str, source: str, *, code: str = _INVALID, uncounted: str = "", **mistake: Any) -> Row:
    """Gives a row of a rule in its group's template."""
    changed_rule = {key: part for key, part in rule(**mistake).items() if part is not None}
    return Row(
        name=f"rule-{name}",
        good=group(SecurityGroupIngress=[rule()]),
        bad=group(SecurityGroupIngress=[changed_rule]),
        refused="Second",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
    )


def alone(kind: str = "Ingress", **properties: Any) -> Resources:
    """A rule that stands in the template on its own, beside another VPC with a group."""
    made = {"GroupId": ref("Second"), **rule(), **properties}
    return {**group(), **_OTHER_VPC, "Rule": resource(f"AWS::EC2::SecurityGroup{kind}", **made)}


def lone(
    name: str, good: Resources, words: str, source: str, *, code: str = _REQUEST, uncounted: str = "", **mistake: Any
) -> Row:
    """Gives a row of a rule on its own."""
    return Row(
        name=f"rule-alone-{name}",
        good=good,
        bad=changed(good, "Rule", **mistake),
        refused="Rule",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
    )


_BY_HANDLER = "the handler itself refuses it, as CloudFormation's does"
_FROM_GROUP = {"CidrIp": None, "SourceSecurityGroupId": ref("Second")}

ROWS = (
    within(
        "of-no-protocol",
        "Invalid value 'tpc' for IP protocol. Unknown protocol.",
        "hashicorp/terraform-provider-aws issue 1793",
        IpProtocol="tpc",
    ),
    within(
        "without-ports",
        "Must specify both from and to ports with TCP/UDP.",
        "EC2 API reference, IpPermission; users quote the words",
        uncounted="moto fails",
        FromPort=None,
        ToPort=None,
    ),
    within(
        "of-a-type-of-icmp-that-is-none",
        "ICMP type (256) out of range",
        f"{_PREFLIGHT}, pf-ec2-sg-icmp-type-code",
        IpProtocol="icmp",
        FromPort=256,
        ToPort=0,
    ),
    within(
        "of-a-range-that-is-none",
        "CIDR block 10.0.0.0/33 is malformed",
        f"{_PREFLIGHT}, pf-ec2-sg-cidr-valid",
        uncounted="moto refuses it too, in other words",
        CidrIp="10.0.0.0/33",
    ),
    within(
        "of-a-range-and-a-group",
        "Both CidrIp and SourceSecurityGroup cannot be specified",
        _SIDES,
        code=_REQUEST,
        uncounted=_BY_HANDLER,
        SourceSecurityGroupId=ref("Group"),
    ),
    lone(
        "of-a-range-and-a-group",
        alone(),
        "Exactly one of CidrIp, CidrIpv6, SourcePrefixListId and SourceSecurityGroupId must be specified",
        f"{_SIDES}, which leaves the names out",
        uncounted=_BY_HANDLER,
        SourceSecurityGroupId=ref("Group"),
    ),
    lone(
        "of-nobody",
        alone(),
        "must be specified and not empty",
        _SIDES,
        uncounted=_BY_HANDLER,
        CidrIp=None,
    ),
    lone(
        "to-a-range-and-a-group",
        alone("Egress"),
        "Exactly one of CidrIp, CidrIpv6, DestinationPrefixListId and DestinationSecurityGroupId must be specified",
        f"{_SIDES}, which leaves the names out",
        uncounted=_BY_HANDLER,
        DestinationSecurityGroupId=ref("Group"),
    ),
    lone(
        "of-a-group-of-another-vpc",
        alone(**_FROM_GROUP),
        "You have specified two resources that belong to different networks.",
        "ansible/ansible issue 45782",
        code="InvalidGroup.NotFound",
        SourceSecurityGroupId=ref("OtherGroup"),
    ),
    Row(
        name="security-group-named-in-other-letters",
        good=group(GroupName="nodes"),
        bad=group(GroupName="nöd"),
        refused="Second",
        code=_INVALID,
        words="Character sets beyond ASCII are not supported.",
        source="EC2 API reference, CreateSecurityGroup, GroupName; users quote the words, of a description",
    ),
)
