"""The network: who has which way out, and what is written down of it."""

import pytest

MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"
PRIVATE = {"nat_gateways": 0, "image_mirror": MIRROR}
ENDPOINTS = (
    "ec2",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "logs",
    "monitoring",
    "ssm",
    "ssmmessages",
    "sts",
)
THREE_ZONES = ("use2-az3", "use2-az1", "use2-az2")
EXISTING = {
    "vpc_id": "vpc-0123456789abcdef0",
    "cidr": "10.9.0.0/16",
    "subnets": tuple(
        {
            "subnet_id": f"subnet-{number:017x}",
            "route_table_id": f"rtb-{number // 2:017x}",
            "availability_zone_id": zone_id,
            "cidr": cidr,
            "public": False,
        }
        for number, (zone_id, cidr) in enumerate(
            (("use2-az3", "10.9.16.0/20"), ("use2-az3", "10.9.0.0/23"), ("use2-az1", "10.9.2.0/23"))
        )
    ),
}
#: What stands in a network of our own and in no one else's.
OWN_NETWORK = {
    f"AWS::EC2::{kind}"
    for kind in (
        "VPC",
        "Subnet",
        "InternetGateway",
        "VPCGatewayAttachment",
        "NatGateway",
        "EIP",
        "RouteTable",
        "Route",
        "SubnetRouteTableAssociation",
        "FlowLog",
    )
}


@pytest.fixture
def networks(every, plans):
    """Each environment's plan with the template of its network."""
    return [(plan, every[f"{plan.name}-network"]) for plan in plans.values()]


@pytest.fixture
def own_networks(networks):
    """Those of them that are no existing VPC's."""
    return [(plan, template) for plan, template in networks if plan.network.existing_vpc is None]


def others(stacks):
    """Returns the templates beside the network's."""
    return {name: template for name, template in stacks.items() if not name.endswith("-network")}


def routes(template):
    """Returns the default route of each subnet that has one by the subnet's logical id."""
    by_table = {
        route["RouteTableId"]["Ref"]: route
        for route in template.properties("AWS::EC2::Route")
        if route["DestinationCidrBlock"] == "0.0.0.0/0"
    }
    associations = template.properties("AWS::EC2::SubnetRouteTableAssociation")
    pairs = ((each["SubnetId"]["Ref"], by_table.get(each["RouteTableId"]["Ref"])) for each in associations)
    return {subnet: route for subnet, route in pairs if route}


def by_zone(template, kind, prefix):
    """Returns the logical ids of resources of a type by the zone that ends their names."""
    made = ((name, each["Properties"]["Tags"][0]["Value"]) for name, each in template.of(kind).items())
    return {tag.removeprefix(prefix): name for name, tag in made if tag.startswith(prefix)}


class TestRoutes:
    @pytest.mark.parametrize("nat_gateways", [0, 1, 2, 3])
    def test_lead_through_gateways(self, variant, nat_gateways):
        """Public subnets lead to the internet; a zone uses its own NAT gateway, or the first one's, or none."""
        network = PRIVATE | {"nat_gateways": nat_gateways}
        stacks = variant("llama3-8b-trn1", network=network, availability_zone_ids=THREE_ZONES)
        template = stacks["llama3-8b-network"]
        exported, ways = template.exports(), routes(template)
        gateways = by_zone(template, "AWS::EC2::NatGateway", "llama3-8b-")
        public = by_zone(template, "AWS::EC2::Subnet", "llama3-8b-public-")

        assert list(gateways) == list(THREE_ZONES[:nat_gateways])
        assert list(public) == list(THREE_ZONES if nat_gateways else ())
        assert all("GatewayId" in ways[subnet] for subnet in public.values())
        for zone in THREE_ZONES:
            for role in ("nodes", "system"):
                way = ways.get(exported[f"llama3-8b-network:Subnet-{role}-{zone}"]["Ref"])
                expected = gateways.get(zone, gateways.get(THREE_ZONES[0]))
                assert (way and way["NatGatewayId"]["Ref"]) == expected

    def test_nothing_leads_out_of_a_private_network(self, every):
        """Without NAT gateways there is neither a gateway nor a public subnet nor a route of ours, only tables."""
        template = every["private-network"]

        for kind in ("InternetGateway", "VPCGatewayAttachment", "NatGateway", "EIP", "Route"):
            assert not template.of(f"AWS::EC2::{kind}")
        assert len(template.of("AWS::EC2::Subnet")) == 4
        assert len(template.of("AWS::EC2::RouteTable")) == 2

    def test_switching_nat_gateways_replaces_nothing(self, variant):
        """What stands without NAT gateways stands with them too, the same but for S3's further route table."""
        network = PRIVATE | {"interface_endpoints": ENDPOINTS}
        private, open_ = (variant("llama3-8b-trn1", network=network | {"nat_gateways": count}) for count in (0, 1))
        before, after = private["llama3-8b-network"]["Resources"], open_["llama3-8b-network"]["Resources"]

        assert private["llama3-8b-network"].exports() == open_["llama3-8b-network"].exports()
        assert others(private) == others(open_)
        assert set(before) < set(after)
        assert {made["Type"] for name, made in before.items() if after[name] != made} == {"AWS::EC2::VPCEndpoint"}

    def test_s3_is_reached_from_every_table(self, own_networks):
        """Checkpoints never go through a NAT gateway: every route table has S3's own way."""
        for _, template in own_networks:
            (gateway,) = (e for e in template.properties("AWS::EC2::VPCEndpoint") if e["VpcEndpointType"] == "Gateway")
            tables = {table["Ref"] for table in gateway["RouteTableIds"]}
            assert tables == set(template.of("AWS::EC2::RouteTable"))


class TestEndpoints:
    def test_are_reached_by_their_ordinary_names(self, networks):
        """Each endpoint takes its service's name in the VPC and stands in every zone's system subnet."""
        for plan, template in networks:
            made = [e for e in template.properties("AWS::EC2::VPCEndpoint") if e["VpcEndpointType"] == "Interface"]
            names = {
                endpoint["ServiceName"]["Fn::Sub"].removeprefix("com.amazonaws.${AWS::Region}.") for endpoint in made
            }
            assert names == {endpoint.service for endpoint in plan.network.interface_endpoints}
            for endpoint in made:
                assert endpoint["PrivateDnsEnabled"] is True
                assert len(endpoint["SubnetIds"]) == sum(subnet.role == "system" for subnet in plan.network.subnets)


class TestFlowLog:
    def test_names_its_log_group(self, own_networks):
        """The flow log names its log group: the ARN that a group gives ends in ``:*``, which can't be delivered to."""
        for _, template in own_networks:
            log = template.one("AWS::EC2::FlowLog")
            assert log["LogGroupName"]["Ref"] in template.of("AWS::Logs::LogGroup")
            assert "LogDestination" not in log

    def test_can_be_left_out(self, variant):
        """Without flow logs neither log group nor role is left."""
        template = variant("llama3-8b-trn1", network={"flow_logs": False})["llama3-8b-network"]

        for kind in ("AWS::EC2::FlowLog", "AWS::Logs::LogGroup", "AWS::IAM::Role"):
            assert not template.of(kind)


class TestExistingVpc:
    @pytest.fixture
    def stacks(self, variant):
        """The published cluster in a VPC that stands."""
        return variant("llama3-8b-trn1", network={"existing_vpc": EXISTING})

    def test_other_stacks_do_not_change(self, stacks, templates):
        """Storage, cluster and nodes are byte for byte those of a new VPC."""
        assert others(stacks) == others(templates["llama3-8b-trn1"])

    def test_makes_groups_and_endpoints_alone(self, every, stacks):
        """Nothing of a network is made in one that stands."""
        for template in (every["existing-network"], stacks["llama3-8b-network"]):
            types = {made["Type"] for made in template["Resources"].values()}
            assert not types & OWN_NETWORK
            assert types == {
                "AWS::EC2::SecurityGroup",
                "AWS::EC2::SecurityGroupIngress",
                "AWS::EC2::SecurityGroupEgress",
                "AWS::EC2::VPCEndpoint",
            }

    def test_exports_the_given_ids(self, stacks, templates):
        """CDK-02: The exports are those of a new VPC, and their values the ids of the file."""
        exported = stacks["llama3-8b-network"].exports()
        subnets = {name.partition(":Subnet-")[2]: value for name, value in exported.items() if ":Subnet-" in name}

        assert set(exported) == set(templates["llama3-8b-trn1"]["llama3-8b-network"].exports())
        assert subnets == {
            "nodes-use2-az3": f"subnet-{0:017x}",
            "system-use2-az3": f"subnet-{1:017x}",
            "nodes-use2-az1": f"subnet-{2:017x}",
            "system-use2-az1": f"subnet-{2:017x}",
        }

    def test_everything_is_in_the_given_vpc(self, stacks):
        """Groups and endpoints name the VPC by its id, endpoints a subnet of each zone, S3's each route table once."""
        template = stacks["llama3-8b-network"]

        for kind in ("AWS::EC2::SecurityGroup", "AWS::EC2::VPCEndpoint"):
            assert {made["VpcId"] for made in template.properties(kind)} == {EXISTING["vpc_id"]}
        for endpoint in template.properties("AWS::EC2::VPCEndpoint"):
            if endpoint["VpcEndpointType"] == "Gateway":
                assert endpoint["RouteTableIds"] == [f"rtb-{0:017x}", f"rtb-{1:017x}"]
            else:
                assert endpoint["SubnetIds"] == [f"subnet-{1:017x}", f"subnet-{2:017x}"]

    def test_s3_endpoint_may_be_there_already(self, variant):
        """A second way to S3 in a route table is refused, so it can be left out."""
        existing = {**EXISTING, "s3_gateway_endpoint": False}
        network = {"existing_vpc": existing, "interface_endpoints": ()}
        template = variant("llama3-8b-trn1", network=network)["llama3-8b-network"]

        assert not template.of("AWS::EC2::VPCEndpoint")
