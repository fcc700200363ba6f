"""What EC2 refuses of a network: ranges, gateways, addresses, endpoints, security groups."""

from typing import Any

from tests.rehearsal.refusals.bases import internet, network
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, ref, resource

_PREFLIGHT = "badmintoncryer/cdk-preflight, rules/ec2"
_SERVICES = (
    "autoscaling",
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "fsx",
    "logs",
    "monitoring",
    "sts",
)


def nat(base: Resources, **properties: Any) -> Resources:
    """A NAT gateway with an address of its own, which waits for the internet gateway's attachment if there is one."""
    made = {"SubnetId": ref("SubnetA"), "AllocationId": att("Address", "AllocationId"), **properties}
    gateway = resource("AWS::EC2::NatGateway", **made)
    waits = {"DependsOn": "Attachment"} if "Attachment" in base else {}
    return {**base, "Address": resource("AWS::EC2::EIP", Domain="vpc"), "Nat": {**gateway, **waits}}


def route(base: Resources, **properties: Any) -> Resources:
    """A route table with a default route to the internet gateway, which waits for its attachment if there is one."""
    made = {"RouteTableId": ref("Table"), "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": ref("Gateway")}
    default = resource("AWS::EC2::Route", **{**made, **properties})
    waits = {"DependsOn": "Attachment"} if "Attachment" in base else {}
    return {**base, "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc")), "Route": {**default, **waits}}


def endpoint(**properties: Any) -> Resources:
    """An interface endpoint of STS with private DNS in both zones."""
    made = {
        "VpcId": ref("Vpc"),
        "ServiceName": "com.amazonaws.us-east-2.sts",
        "VpcEndpointType": "Interface",
        "SubnetIds": [ref("SubnetA"), ref("SubnetB")],
        "SecurityGroupIds": [ref("Group")],
        "PrivateDnsEnabled": True,
        **properties,
    }
    return {**network(), "Endpoint": resource("AWS::EC2::VPCEndpoint", **made)}


def gateway_endpoint() -> Resources:
    """A gateway endpoint of S3."""
    made = {
        "VpcId": ref("Vpc"),
        "ServiceName": "com.amazonaws.us-east-2.s3",
        "VpcEndpointType": "Gateway",
        "RouteTableIds": [ref("Table")],
    }
    return {
        **network(),
        "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc")),
        "Endpoint": resource("AWS::EC2::VPCEndpoint", **made),
    }


def group(**properties: Any) -> Resources:
    """A second security group."""
    made = {"GroupDescription": "of nodes", "VpcId": ref("Vpc"), **properties}
    return {**network(), "Second": resource("AWS::EC2::SecurityGroup", **made)}


def rule(**properties: Any) -> dict[str, Any]:
    """A rule that lets HTTPS in."""
    return {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/16", **properties}


def small(prefix: int) -> Resources:
    """A third subnet of some size."""
    made = {"VpcId": ref("Vpc"), "CidrBlock": f"10.0.32.0/{prefix}", "AvailabilityZone": "us-east-2c"}
    return {**network(), "Small": resource("AWS::EC2::Subnet", **made)}


def addresses(count: int) -> Resources:
    """Addresses that nothing uses."""
    return {f"Address{number}": resource("AWS::EC2::EIP", Domain="vpc") for number in range(1, count + 1)}


def crowded(count: int) -> Resources:
    """As many interface endpoints in a subnet of eleven addresses, one after the other."""
    made: dict[str, Any] = dict(small(28))
    for number, service in enumerate(_SERVICES[:count], 1):
        one = resource(
            "AWS::EC2::VPCEndpoint",
            VpcId=ref("Vpc"),
            ServiceName=f"com.amazonaws.us-east-2.{service}",
            VpcEndpointType="Interface",
            SubnetIds=[ref("Small")],
        )
        waits = {"DependsOn": f"Endpoint{number - 1}"} if number > 1 else {}
        made[f"Endpoint{number}"] = {**one, **waits}
    return made


def flow_log(**properties: Any) -> Resources:
    """A flow log of the VPC into a bucket."""
    made = {
        "ResourceId": ref("Vpc"),
        "ResourceType": "VPC",
        "TrafficType": "ALL",
        "LogDestinationType": "s3",
        "LogDestination": att("Bucket", "Arn"),
        **properties,
    }
    return {**network(), "Bucket": resource("AWS::S3::Bucket"), "Log": resource("AWS::EC2::FlowLog", **made)}


ROWS = (
    Row(
        name="nat-gateway-without-internet-gateway",
        good=nat(internet()),
        bad=nat(network()),
        refused="Nat",
        code="Gateway.NotAttached",
        words="has no Internet gateway attached",
        source="EC2 API reference, NatGateway, FailureMessage",
    ),
    Row(
        name="nat-gateway-without-address",
        good=nat(internet()),
        bad=changed(nat(internet()), "Nat", AllocationId=None),
        refused="Nat",
        code="MissingParameter",
        words="The request must include the AllocationId parameter.",
        source=f"{_PREFLIGHT}, pf-ec2-natgw-allocation; EC2 API reference, error codes, MissingParameter",
    ),
    Row(
        name="nat-gateway-with-another's-address",
        good=nat(internet()),
        bad={
            **nat(internet()),
            "Nat2": {
                **resource(
                    "AWS::EC2::NatGateway", SubnetId=ref("SubnetB"), AllocationId=att("Address", "AllocationId")
                ),
                "DependsOn": "Nat",
            },
        },
        refused="Nat2",
        code="Resource.AlreadyAssociated",
        words="is already associated",
        source="EC2 API reference, NatGateway, FailureMessage",
        uncounted="moto refuses it too, in other words",
    ),
    Row(
        name="route-to-a-gateway-that-is-not-attached",
        good=route(internet()),
        bad=route({**network(), "Gateway": resource("AWS::EC2::InternetGateway")}),
        refused="Route",
        code="InvalidParameterValue",
        words="belong to different networks",
        source="smoketurner/serverless-vpc-plugin issue 147",
    ),
    Row(
        name="six-addresses",
        good=addresses(5),
        bad=addresses(6),
        refused="Address6",
        code="AddressLimitExceeded",
        words="The maximum number of addresses has been reached.",
        source="EC2 API reference, error codes, AddressLimitExceeded; Service Quotas, L-0263D0A3",
    ),
    Row(
        name="subnet-of-eight-addresses",
        good=small(28),
        bad=small(29),
        refused="Small",
        code="InvalidSubnet.Range",
        words="The CIDR '10.0.32.0/29' is invalid.",
        source=f"{_PREFLIGHT}, pf-ec2-subnet-cidr-size; pulumi/pulumi-awsx issue 111",
    ),
    Row(
        name="vpc-in-the-loopback-range",
        good={"Vpc": resource("AWS::EC2::VPC", CidrBlock="10.94.0.0/16")},
        bad={"Vpc": resource("AWS::EC2::VPC", CidrBlock="127.0.0.0/16")},
        refused="Vpc",
        code="InvalidVpc.Range",
        words="The CIDR '127.0.0.0/16' is invalid.",
        source=f"{_PREFLIGHT}, pf-ec2-vpc-cidr-reserved-range; grycap/im issue 1011",
    ),
    Row(
        name="endpoint-of-a-service-that-is-not-there",
        good=endpoint(),
        bad=endpoint(ServiceName="com.amazonaws.us-east-2.nosuch"),
        refused="Endpoint",
        code="InvalidServiceName",
        words="The Vpc Endpoint Service 'com.amazonaws.us-east-2.nosuch' does not exist",
        source=f"{_PREFLIGHT}, pf-ec2-vpce-service-region; EC2 API reference, error codes, InvalidServiceName",
    ),
    Row(
        name="endpoint-of-another-region",
        good=endpoint(),
        bad=endpoint(ServiceName="com.amazonaws.us-east-1.sts"),
        refused="Endpoint",
        code="InvalidServiceName",
        words="The Vpc Endpoint Service 'com.amazonaws.us-east-1.sts' does not exist",
        source=f"{_PREFLIGHT}, pf-ec2-vpce-service-region; EC2 API reference, error codes, InvalidServiceName",
    ),
    Row(
        name="endpoint-with-two-subnets-in-a-zone",
        good=endpoint(),
        bad=changed(endpoint(), "SubnetB", AvailabilityZone="us-east-2a"),
        refused="Endpoint",
        code="DuplicateSubnetsInSameZone",
        words="Found another VPC endpoint subnet in the availability zone of subnet-",
        source=f"{_PREFLIGHT}, pf-ec2-vpce-subnet-az-unique",
    ),
    Row(
        name="endpoint-with-private-dns-without-dns-names",
        good=endpoint(),
        bad=changed(endpoint(), "Vpc", EnableDnsHostnames=False),
        refused="Endpoint",
        code="InvalidParameter",
        words="Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true",
        source="AWS PrivateLink guide, private DNS; GuardDuty user guide, runtime monitoring, which quotes EC2; "
        "hashicorp/terraform-provider-aws issue 17535 (the code beside another refusal of private DNS)",
    ),
    Row(
        name="endpoint-twice-with-private-dns",
        good=endpoint(),
        bad={**endpoint(), "Endpoint2": {**endpoint()["Endpoint"], "DependsOn": "Endpoint"}},
        refused="Endpoint2",
        code="InvalidParameter",
        words="there is already a conflicting DNS domain for sts.us-east-2.amazonaws.com",
        source="hashicorp/terraform-provider-aws issue 17535; aws-cloudformation/cfn-lint pull request 4492",
    ),
    Row(
        name="endpoint-of-s3-with-private-dns-alone",
        good={
            **gateway_endpoint(),
            "Interface": {
                **endpoint(ServiceName="com.amazonaws.us-east-2.s3")["Endpoint"],
                "DependsOn": "Endpoint",
            },
        },
        bad={**network(), "Interface": endpoint(ServiceName="com.amazonaws.us-east-2.s3")["Endpoint"]},
        refused="Interface",
        code="InvalidParameter",
        words="must have a Gateway endpoint for the service.",
        source="terraform-aws-modules/terraform-aws-vpc issue 982",
    ),
    Row(
        name="gateway-endpoint-twice-in-a-route-table",
        good=gateway_endpoint(),
        bad={**gateway_endpoint(), "Endpoint2": {**gateway_endpoint()["Endpoint"], "DependsOn": "Endpoint"}},
        refused="Endpoint2",
        code="RouteAlreadyExists",
        words="already has a route with destination-prefix-list-id",
        source="eksctl-io/eksctl issues 2473 and 4377",
    ),
    Row(
        name="gateway-endpoint-of-a-service-without-one",
        good=gateway_endpoint(),
        bad=changed(gateway_endpoint(), "Endpoint", ServiceName="com.amazonaws.us-east-2.ec2"),
        refused="Endpoint",
        code="InvalidParameter",
        words="Endpoint type (Gateway) does not match available service types ([Interface]).",
        source=f"{_PREFLIGHT}, pf-ec2-vpce-gateway-service",
    ),
    Row(
        name="endpoint-in-a-full-subnet",
        good=crowded(11),
        bad=crowded(12),
        refused="Endpoint12",
        code="InsufficientFreeAddressesInSubnet",
        words="insufficient free addresses",
        source="EC2 API reference, error codes, InsufficientFreeAddressesInSubnet; VPC user guide, subnet sizes",
    ),
    Row(
        name="security-group-named-as-an-id",
        good=group(GroupName="nodes"),
        bad=group(GroupName="sg-nodes"),
        refused="Second",
        code="InvalidParameterValue",
        words="Group names may not be in the format sg-*.",
        source=f"{_PREFLIGHT}, pf-ec2-sg-group-name; EC2 API reference, error codes, InvalidParameterValue",
    ),
    Row(
        name="rule-of-a-port-that-is-none",
        good=group(SecurityGroupIngress=[rule()]),
        bad=group(SecurityGroupIngress=[rule(FromPort=65_536, ToPort=65_536)]),
        refused="Second",
        code="InvalidParameterValue",
        words="TCP/UDP (from) port (65536) out of range",
        source=f"{_PREFLIGHT}, pf-ec2-sg-port-range; EC2 API reference, error codes, InvalidParameterValue",
    ),
    Row(
        name="rule-described-in-other-letters",
        good=group(SecurityGroupIngress=[rule(Description="from within")]),
        bad=group(SecurityGroupIngress=[rule(Description="von überall")]),
        refused="Second",
        code="InvalidParameterValue",
        words="Invalid rule description.",
        source=f"{_PREFLIGHT}, pf-ec2-sg-rule-description",
    ),
    Row(
        name="partitions-of-a-cluster-placement-group",
        good={"Placement": resource("AWS::EC2::PlacementGroup", Strategy="partition", PartitionCount=2)},
        bad={"Placement": resource("AWS::EC2::PlacementGroup", Strategy="cluster", PartitionCount=2)},
        refused="Placement",
        code="InvalidParameterCombination",
        words="partition-count is only available with the 'partition' strategy.",
        source=f"{_PREFLIGHT}, pf-ec2-placement-group-partition-count; the code is unconfirmed",
        uncounted="moto has no placement groups",
    ),
    Row(
        name="flow-log-of-five-minutes",
        good=flow_log(MaxAggregationInterval=600),
        bad=flow_log(MaxAggregationInterval=300),
        refused="Log",
        code="InvalidParameter",
        words="Invalid Flow Log Max Aggregation Interval",
        source=f"{_PREFLIGHT}, pf-ec2-flow-log-aggregation-interval",
        uncounted="moto refuses it too",
    ),
)
