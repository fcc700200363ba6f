"""What EC2 refuses of routes and of what a route table is for, and how many of some things it makes."""

from typing import Any

from tests.rehearsal.refusals.bases import internet, network
from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource
from tests.rehearsal.refusals.rows.network import endpoint, gateway_endpoint, route

_PREFLIGHT = "badmintoncryer/cdk-preflight, rules/ec2"
_EXACTLY = "The request must contain exactly one of gatewayId, localGatewayId, carrierGatewayId, natGatewayId"
_OTHER_VPC = {
    "OtherVpc": resource("AWS::EC2::VPC", CidrBlock="10.9.0.0/16"),
    "OtherTable": resource("AWS::EC2::RouteTable", VpcId=ref("OtherVpc")),
    "OtherGroup": resource("AWS::EC2::SecurityGroup", GroupDescription="elsewhere", VpcId=ref("OtherVpc")),
    "OtherSubnet": resource(
        "AWS::EC2::Subnet", VpcId=ref("OtherVpc"), CidrBlock="10.9.0.0/20", AvailabilityZone="us-east-2b"
    ),
}


def row(name: str, words: str, code: str, source: str, uncounted: str = "", **mistake: Any) -> Row:
    """Gives a row of a route to an internet gateway."""
    good = route(internet())
    return Row(
        name=f"route-{name}",
        good=good,
        bad=changed(good, "Route", **mistake),
        refused="Route",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
    )


def association() -> Resources:
    """A subnet with a route table of its own, and another VPC beside it."""
    made = {"SubnetId": ref("SubnetA"), "RouteTableId": ref("Table")}
    return {
        **network(),
        **_OTHER_VPC,
        "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc")),
        "Association": resource("AWS::EC2::SubnetRouteTableAssociation", **made),
    }


def elsewhere(name: str, base: Resources, words: str, **mistake: Any) -> Row:
    """Gives a row of an endpoint that names something of another VPC."""
    good = {**base, **_OTHER_VPC}
    return Row(
        name=f"endpoint-with-{name}-of-another-vpc",
        good=good,
        bad=changed(good, "Endpoint", **mistake),
        refused="Endpoint",
        code="InvalidParameter",
        words=words,
        source="AWS PrivateLink guide, VPC endpoints; code and words are unconfirmed",
    )


def some(kind: str, count: int, **properties: Any) -> Resources:
    """Gives as many resources of a type, one after the other."""
    made = {f"One{number}": resource(kind, **properties) for number in range(1, count + 1)}
    for number in range(2, count + 1):
        made[f"One{number}"]["DependsOn"] = f"One{number - 1}"
    return made


def nat_gateways(count: int) -> Resources:
    """As many private NAT gateways in a zone."""
    made = some("AWS::EC2::NatGateway", count, SubnetId=ref("SubnetA"), ConnectivityType="private")
    return {**network(), **made}


def quota(name: str, good: Resources, bad: Resources, refused: str, code: str, words: str, source: str) -> Row:
    """Gives a row of one more than an account may have."""
    return Row(name=name, good=good, bad=bad, refused=refused, code=code, words=words, source=source)


_QUOTAS = "VPC user guide, Amazon VPC quotas; EC2 API reference, error codes"

ROWS = (
    row("to-nothing", _EXACTLY, "MissingParameter", f"{_PREFLIGHT}, pf-ec2-route-target-exactly-one", GatewayId=None),
    row(
        "to-two-targets",
        _EXACTLY,
        "InvalidParameterCombination",
        f"{_PREFLIGHT}, pf-ec2-route-target-exactly-one; the code is openstack/ec2-api's",
        NatGatewayId="nat-0123456789abcdef0",
    ),
    row(
        "to-a-nat-gateway-that-is-not-there",
        "The natGateway ID 'nat-0123456789abcdef0' does not exist",
        "InvalidNatGatewayID.NotFound",
        "EC2 API reference, error codes, InvalidNatGatewayID.NotFound",
        GatewayId=None,
        NatGatewayId="nat-0123456789abcdef0",
    ),
    row(
        "to-no-range",
        "Value (10.9.0.0) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block.",
        "InvalidParameterValue",
        "EC2 API reference, CreateRoute, DestinationCidrBlock; the words are those of CreateVpc",
        DestinationCidrBlock="10.9.0.0",
    ),
    Row(
        name="route-table-for-a-subnet-of-another-vpc",
        good=association(),
        bad=changed(association(), "Association", RouteTableId=ref("OtherTable")),
        refused="Association",
        code="InvalidParameterValue",
        words="belong to different networks",
        source="smoketurner/serverless-vpc-plugin issue 147 (of a gateway)",
    ),
    elsewhere("a-group", endpoint(), "security group sg-", SecurityGroupIds=[ref("OtherGroup")]),
    elsewhere("a-subnet", endpoint(), "subnet subnet-", SubnetIds=[ref("OtherSubnet")]),
    elsewhere("a-route-table", gateway_endpoint(), "route table rtb-", RouteTableIds=[ref("OtherTable")]),
    Row(
        name="subnet-in-a-zone-of-another-region",
        good=network(),
        bad=changed(network(), "SubnetB", AvailabilityZone="us-west-2a"),
        refused="SubnetB",
        code="InvalidParameterValue",
        words="Value (us-west-2a) for parameter availabilityZone is invalid.",
        source="EC2 API reference, CreateSubnet, AvailabilityZone",
    ),
    quota(
        "six-internet-gateways",
        some("AWS::EC2::InternetGateway", 5),
        some("AWS::EC2::InternetGateway", 6),
        "One6",
        "InternetGatewayLimitExceeded",
        "The maximum number of internet gateways has been reached.",
        f"{_QUOTAS}; the words are unconfirmed",
    ),
    quota(
        "six-nat-gateways-in-a-zone",
        nat_gateways(5),
        nat_gateways(6),
        "One6",
        "NatGatewayLimitExceeded",
        "would exceed the limit of 5 NAT gateways",
        f"eksctl-io/eksctl issue 560; {_QUOTAS}; the words are unconfirmed",
    ),
)
