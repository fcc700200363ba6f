"""The network: who has which way out, and what is written down of it."""

import pytest


@pytest.fixture
def networks(every, plans):
    """Each environment's plan with the template of its network."""
    return [(plan, every[f"{plan.name}-network"]) for plan in plans.values()]


def routes(template):
    """Returns the default route of each subnet by the subnet's logical id."""
    by_table = {
        route["RouteTableId"]["Ref"]: route
        for route in template.properties("AWS::EC2::Route")
        if route["DestinationCidrBlock"] == "0.0.0.0/0"
    }
    associations = template.properties("AWS::EC2::SubnetRouteTableAssociation")
    return {each["SubnetId"]["Ref"]: by_table[each["RouteTableId"]["Ref"]] for each in associations}


class TestRoutes:
    def test_only_public_subnets_lead_to_the_internet(self, networks):
        """A public subnet's way out is the internet gateway, every other one's a NAT gateway."""
        for plan, template in networks:
            ways = routes(template)
            for subnet in plan.network.subnets:
                logical_id = template.exports()[f"{plan.name}-network:Subnet-{subnet.name}"]["Ref"]
                assert ("GatewayId" in ways[logical_id]) is (subnet.role == "public")
                assert ("NatGatewayId" in ways[logical_id]) is (subnet.role != "public")

    def test_each_zone_uses_its_own_gateway(self, variant):
        """A zone with a NAT gateway sends nothing through another zone's."""
        template = variant("llama3-8b-trn1", network={"nat_gateways": 2})["llama3-8b-network"]
        gateways = {way["NatGatewayId"]["Ref"] for way in routes(template).values() if "NatGatewayId" in way}

        assert len(gateways) == len(template.of("AWS::EC2::NatGateway")) == 2

    def test_s3_is_reached_from_every_table(self, networks):
        """Checkpoints never go through a NAT gateway: every route table has S3's own way."""
        for _, template in networks:
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
            assert names == set(plan.network.interface_endpoints)
            for endpoint in made:
                assert endpoint["PrivateDnsEnabled"] is True
                assert len(endpoint["SubnetIds"]) == sum(subnet.role == "system" for subnet in plan.network.subnets)


class TestFlowLog:
    def test_names_its_log_group(self, networks):
        """The flow log names its log group: the ARN that a group gives ends in ``:*``, which can't be delivered to."""
        for _, template in networks:
            log = template.one("AWS::EC2::FlowLog")
            assert log["LogGroupName"]["Ref"] in template.of("AWS::Logs::LogGroup")
            assert "LogDestination" not in log

    def test_can_be_left_out(self, variant):
        """Without flow logs neither log group nor role is left."""
        template = variant("llama3-8b-trn1", network={"flow_logs": False})["llama3-8b-network"]

        for kind in ("AWS::EC2::FlowLog", "AWS::Logs::LogGroup", "AWS::IAM::Role"):
            assert not template.of(kind)
