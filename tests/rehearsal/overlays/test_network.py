"""What stands in the way when a network is taken down, and what an account may have."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays.state import state_of


@pytest.fixture
def online(client, network):
    """An internet gateway on the network's VPC."""
    gateway = client("ec2").create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    client("ec2").attach_internet_gateway(InternetGatewayId=gateway, VpcId=network.vpc.physical_id)
    return gateway


@pytest.fixture
def address(client):
    """An address that nothing uses."""
    return client("ec2").allocate_address(Domain="vpc")


@pytest.fixture
def nat(client, network, online, address):
    """A NAT gateway."""
    del online
    made = client("ec2").create_nat_gateway(SubnetId=network.subnet_ids[0], AllocationId=address["AllocationId"])
    return made["NatGateway"]["NatGatewayId"]


class TestTakingDown:
    @pytest.mark.usefixtures("nat")
    def test_internet_gateway_with_addresses(self, client, network, online):
        """A gateway stays while an address is reached through it, and goes when the NAT gateway is gone."""
        where = {"InternetGatewayId": online, "VpcId": network.vpc.physical_id}
        with pytest.raises(ClientError, match=r"DependencyViolation.*mapped public address"):
            client("ec2").detach_internet_gateway(**where)

        (gateway,) = client("ec2").describe_nat_gateways()["NatGateways"]
        client("ec2").delete_nat_gateway(NatGatewayId=gateway["NatGatewayId"])
        client("ec2").detach_internet_gateway(**where)

    @pytest.mark.usefixtures("nat")
    def test_address_of_a_nat_gateway(self, client, address):
        """The address of a NAT gateway is not even its owner's to release."""
        with pytest.raises(ClientError, match="AuthFailure"):
            client("ec2").release_address(AllocationId=address["AllocationId"])

    def test_address_in_use(self, client, network, address):
        """An address that an interface has is not released."""
        made = client("ec2").create_network_interface(SubnetId=network.subnet_ids[0])
        interface = made["NetworkInterface"]["NetworkInterfaceId"]
        client("ec2").associate_address(AllocationId=address["AllocationId"], NetworkInterfaceId=interface)

        with pytest.raises(ClientError, match=r"InvalidIPAddress\.InUse"):
            client("ec2").release_address(AllocationId=address["AllocationId"])

    def test_free_address(self, client, address):
        """An address that nothing has is released."""
        client("ec2").release_address(AllocationId=address["AllocationId"])

        assert client("ec2").describe_addresses()["Addresses"] == []

    def test_vpc(self, client):
        """A VPC stays while it has a gateway, an endpoint or a group of its own; then it goes."""
        ec2 = client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        endpoint = ec2.create_vpc_endpoint(VpcId=vpc, ServiceName="com.amazonaws.us-east-2.s3")["VpcEndpoint"]
        group = ec2.create_security_group(GroupName="g", Description="d", VpcId=vpc)["GroupId"]
        steps = (
            lambda: ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc),
            lambda: ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint["VpcEndpointId"]]),
            lambda: ec2.delete_security_group(GroupId=group),
        )

        for step in steps:
            with pytest.raises(ClientError, match="DependencyViolation"):
                ec2.delete_vpc(VpcId=vpc)
            step()
        ec2.delete_vpc(VpcId=vpc)

    def test_route_table_in_use(self, client, network):
        """A route table stays while a subnet uses it."""
        ec2 = client("ec2")
        table = ec2.create_route_table(VpcId=network.vpc.physical_id)["RouteTable"]["RouteTableId"]
        association = ec2.associate_route_table(RouteTableId=table, SubnetId=network.subnet_ids[0])["AssociationId"]
        with pytest.raises(ClientError, match="DependencyViolation"):
            ec2.delete_route_table(RouteTableId=table)

        ec2.disassociate_route_table(AssociationId=association)
        ec2.delete_route_table(RouteTableId=table)

    def test_attached_internet_gateway(self, client, online):
        """A gateway is detached before it is deleted."""
        with pytest.raises(ClientError, match="DependencyViolation"):
            client("ec2").delete_internet_gateway(InternetGatewayId=online)


class TestGateways:
    def test_second_of_a_vpc(self, client, network, online):
        """A VPC has one internet gateway, and to attach that one again is another error."""
        vpc_id = network.vpc.physical_id
        second = client("ec2").create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        with pytest.raises(ClientError, match=r"InvalidParameterValue.*already has an internet gateway attached"):
            client("ec2").attach_internet_gateway(InternetGatewayId=second, VpcId=vpc_id)
        with pytest.raises(ClientError, match=r"Resource\.AlreadyAssociated"):
            client("ec2").attach_internet_gateway(InternetGatewayId=online, VpcId=vpc_id)

    def test_private_nat_gateway(self, client, network, address):
        """A private NAT gateway needs no way to the internet, and takes no address."""
        where = {"SubnetId": network.subnet_ids[0], "ConnectivityType": "private"}
        client("ec2").create_nat_gateway(**where)

        with pytest.raises(ClientError, match="AllocationId cannot be specified"):
            client("ec2").create_nat_gateway(AllocationId=address["AllocationId"], **where)

    def test_replaced_route(self, client, network, online):
        """A route is not led to a gateway of nowhere afterwards either."""
        ec2 = client("ec2")
        table = ec2.create_route_table(VpcId=network.vpc.physical_id)["RouteTable"]["RouteTableId"]
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=online)
        stray = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]

        with pytest.raises(ClientError, match="belong to different networks"):
            ec2.replace_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=stray)

    def test_somebody_has_more_addresses(self, services):
        """The quota is nobody's account's; somebody's may have been raised."""
        services.reset()
        theirs = services.transport.client("ec2", "999988887777", "us-east-2")

        for _ in range(6):
            theirs.allocate_address(Domain="vpc")


class TestEndpoints:
    @pytest.mark.parametrize("service", ["s3", "dynamodb", "s3express"])
    def test_gateways(self, client, make, service):
        """Three services have gateway endpoints."""
        vpc = make("AWS::EC2::VPC", CidrBlock="10.0.0.0/16").physical_id
        made = client("ec2").create_vpc_endpoint(VpcId=vpc, ServiceName=f"com.amazonaws.us-east-2.{service}")

        assert made["VpcEndpoint"]["VpcEndpointType"] == "Gateway"

    def test_subnet_added_in_a_zone_that_it_has(self, client, network):
        """An endpoint keeps to one subnet of a zone when it is changed."""
        ec2, vpc_id = client("ec2"), network.vpc.physical_id
        third = ec2.create_subnet(VpcId=vpc_id, CidrBlock="10.0.64.0/20", AvailabilityZoneId="use2-az3")["Subnet"]
        made = ec2.create_vpc_endpoint(
            VpcId=vpc_id,
            ServiceName="com.amazonaws.us-east-2.sts",
            VpcEndpointType="Interface",
            SubnetIds=network.subnet_ids,
        )
        endpoint = made["VpcEndpoint"]["VpcEndpointId"]

        with pytest.raises(ClientError, match="DuplicateSubnetsInSameZone"):
            ec2.modify_vpc_endpoint(VpcEndpointId=endpoint, AddSubnetIds=[third["SubnetId"]])
        ec2.modify_vpc_endpoint(
            VpcEndpointId=endpoint, AddSubnetIds=[third["SubnetId"]], RemoveSubnetIds=network.subnet_ids[:1]
        )

    @pytest.mark.parametrize("name", ["com.amazonaws.vpce.us-east-2.vpce-svc-1", "com.example.thing"])
    def test_services_of_others(self, client, network, name):
        """Nothing is known of services that others offer."""
        client("ec2").create_vpc_endpoint(
            VpcId=network.vpc.physical_id, ServiceName=name, VpcEndpointType="Interface", SubnetIds=[]
        )

    @pytest.mark.parametrize("kind", ["Gateway", "Interface"])
    def test_lists_of_the_other_kind(self, client, network, kind):
        """Route tables are a gateway endpoint's, and subnets an interface endpoint's."""
        ec2, vpc_id = client("ec2"), network.vpc.physical_id
        table = ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
        lists = {"SubnetIds": network.subnet_ids} if kind == "Gateway" else {"RouteTableIds": [table]}

        with pytest.raises(ClientError, match=r"InvalidParameter.*are only supported for"):
            ec2.create_vpc_endpoint(
                VpcId=vpc_id, ServiceName="com.amazonaws.us-east-2.s3", VpcEndpointType=kind, **lists
            )


class TestPlacementGroups:
    def test_spread_level(self, client):
        """A spread level is of a group that spreads."""
        with pytest.raises(ClientError, match="spread-level is only available"):
            client("ec2").create_placement_group(GroupName="g", Strategy="cluster", SpreadLevel="rack")
        client("ec2").create_placement_group(GroupName="g", Strategy="spread", SpreadLevel="rack")

        assert list(state_of("123456789012", "us-east-2").placement_groups) == ["g"]


class TestKeys:
    @staticmethod
    def policy(principal, **statement):
        return json.dumps(
            {
                "Statement": [
                    {"Effect": "Allow", "Principal": principal, "Resource": "*", "Action": "kms:*", **statement}
                ]
            }
        )

    @pytest.mark.parametrize(
        "policy",
        [
            ("*", {}),
            ({"AWS": "123456789012"}, {"Action": ["kms:Put*"]}),
            ({"AWS": ["arn:aws:iam::123456789012:root"]}, {"Action": [], "NotAction": "kms:Decrypt"}),
        ],
    )
    def test_somebody_here_can_change_it(self, client, policy):
        """Whoever of the account may put a policy will do, however the statement says so."""
        principal, statement = policy

        client("kms").create_key(Policy=self.policy(principal, **statement))

    def test_the_check_can_be_left_out(self, client):
        """A key for another account alone is made by those who say that they mean it."""
        policy = self.policy({"AWS": "arn:aws:iam::999988887777:root"})
        with pytest.raises(ClientError, match=r"MalformedPolicyDocument.*will not allow you to update"):
            client("kms").create_key(Policy=policy)

        client("kms").create_key(Policy=policy, BypassPolicyLockoutSafetyCheck=True)

    def test_roles_and_users(self, client):
        """A policy names roles and users that are there; of somebody's account all are taken to be."""
        arn = client("iam").create_user(UserName="ada")["User"]["Arn"]
        client("kms").create_key(Policy=self.policy({"AWS": arn}))

        with pytest.raises(ClientError, match="invalid principals"):
            client("kms").create_key(Policy=self.policy({"AWS": arn.replace("ada", "bob")}))

    def test_somebodys_account(self, services):
        """In somebody's account there may be roles of which nobody has told the rehearsal."""
        services.reset()
        kms = services.transport.client("kms", "999988887777", "us-east-2")

        kms.create_key(Policy=self.policy({"AWS": "arn:aws:iam::999988887777:role/admin"}))


class TestRouteTables:
    def test_a_subnet_has_one(self, client, make, network):
        """A subnet that goes by a table is not associated with another one."""
        ec2, subnet_id = client("ec2"), network.subnet_ids[0]
        first, second = (
            make("AWS::EC2::RouteTable", name, VpcId=network.vpc.physical_id).physical_id
            for name in ("First", "Second")
        )
        ec2.associate_route_table(RouteTableId=first, SubnetId=subnet_id)

        with pytest.raises(ClientError, match="conflicts with an existing association") as refused:
            ec2.associate_route_table(RouteTableId=second, SubnetId=subnet_id)

        assert refused.value.response["Error"]["Code"] == "Resource.AlreadyAssociated"


class TestPeers:
    def test_of_a_peered_vpc(self, client, make, network):
        """A rule may name a group of a VPC that is peered with its own, and of no other."""
        ec2 = client("ec2")
        other = make("AWS::EC2::VPC", "Other", CidrBlock="10.9.0.0/16").physical_id
        far = make("AWS::EC2::SecurityGroup", "Far", GroupDescription="far", VpcId=other).physical_id
        rule = {
            "GroupId": network.group.physical_id,
            "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": far}]}],
        }

        with pytest.raises(ClientError, match="belong to different networks"):
            ec2.authorize_security_group_ingress(**rule)

        ec2.create_vpc_peering_connection(VpcId=network.vpc.physical_id, PeerVpcId=other)
        assert ec2.authorize_security_group_ingress(**rule)["Return"]
