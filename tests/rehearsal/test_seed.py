"""A network that stands before anybody deploys anything."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.seed import SeedError, seed, seed_file
from rehearsal.survey import survey

ACCOUNT, REGION = "123456789012", "us-east-2"
FACTS = {
    "vpc_id": "vpc-0a1b2c3d4e5f60718",
    "cidr": "10.40.0.0/16",
    "subnets": [
        {
            "subnet_id": "subnet-0a00000000000001a",
            "route_table_id": "rtb-0a00000000000000a",
            "availability_zone_id": "use2-az3",
            "cidr": "10.40.0.0/24",
            "public": True,
        },
        {
            "subnet_id": "subnet-0a00000000000002a",
            "route_table_id": "rtb-0a00000000000001a",
            "availability_zone_id": "use2-az3",
            "cidr": "10.40.16.0/20",
            "public": False,
        },
        {
            "subnet_id": "subnet-0a00000000000003b",
            "route_table_id": "rtb-0a00000000000001a",
            "availability_zone_id": "use2-az1",
            "cidr": "10.40.32.0/20",
            "public": False,
        },
    ],
}


@pytest.fixture
def seeded(client):
    """The clients of an account in which the network stands."""
    seed(FACTS, account=ACCOUNT, region=REGION)
    return client


class TestSeed:
    def test_stands_under_its_ids(self, seeded):
        """VPC, subnets and route tables have the very ids, ranges and zones that were given."""
        (found,) = survey(seeded).vpcs

        assert (found.vpc_id, found.cidr) == (FACTS["vpc_id"], FACTS["cidr"])
        assert [(one.subnet_id, one.cidr, one.zone_id, one.public) for one in found.subnets] == [
            (one["subnet_id"], one["cidr"], one["availability_zone_id"], one["public"]) for one in FACTS["subnets"]
        ]
        tables = seeded("ec2").describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [FACTS["vpc_id"]]}])
        ids = {table["RouteTableId"] for table in tables["RouteTables"] if table["Associations"][0].get("SubnetId")}
        assert ids == {"rtb-0a00000000000000a", "rtb-0a00000000000001a"}

    def test_subnets_of_one_table(self, seeded):
        """Subnets may share a route table, and each is associated with its own."""
        (table,) = seeded("ec2").describe_route_tables(RouteTableIds=["rtb-0a00000000000001a"])["RouteTables"]

        assert [each["SubnetId"] for each in table["Associations"]] == [
            "subnet-0a00000000000002a",
            "subnet-0a00000000000003b",
        ]
        assert [route["DestinationCidrBlock"] for route in table["Routes"]] == ["10.40.0.0/16"]

    def test_is_one_like_any_other(self, seeded, make):
        """What is deployed into it finds DNS names switched on, free addresses, and the range that is taken."""
        switches = seeded("ec2").describe_vpc_attribute(VpcId=FACTS["vpc_id"], Attribute="enableDnsHostnames")
        group = make("AWS::EC2::SecurityGroup", GroupDescription="nodes", VpcId=FACTS["vpc_id"])
        endpoint = make(
            "AWS::EC2::VPCEndpoint",
            VpcId=FACTS["vpc_id"],
            ServiceName="com.amazonaws.us-east-2.eks",
            VpcEndpointType="Interface",
            SubnetIds=["subnet-0a00000000000002a"],
            SecurityGroupIds=[group.physical_id],
        )

        assert switches["EnableDnsHostnames"]["Value"] is True
        assert endpoint.physical_id.startswith("vpce-")
        with pytest.raises(ClientError, match=r"InvalidSubnet\.Conflict"):
            seeded("ec2").create_subnet(VpcId=FACTS["vpc_id"], CidrBlock="10.40.20.0/24")

    @pytest.mark.parametrize(("way_out", "led"), [(True, ["10.40.0.0/16", "0.0.0.0/0"]), (False, ["10.40.0.0/16"])])
    def test_way_out(self, client, way_out, led):
        """Where something leads out of the private subnets, their default route does."""
        seed({**FACTS, "way_out": way_out}, account=ACCOUNT, region=REGION)
        (table,) = client("ec2").describe_route_tables(RouteTableIds=["rtb-0a00000000000001a"])["RouteTables"]

        assert [route["DestinationCidrBlock"] for route in table["Routes"]] == led

    def test_is_of_one_account_and_region(self, seeded, services):
        """Other accounts and regions don't see it."""
        assert survey(seeded).vpcs
        for account, region in (("111122223333", REGION), (ACCOUNT, "us-west-2")):
            assert not survey(lambda name, at=(account, region): services.transport.client(name, *at)).vpcs

    def test_unknown_zone(self, client):
        """A zone of another region can't hold a subnet."""
        client("ec2")
        facts = {**FACTS, "subnets": [{**FACTS["subnets"][0], "availability_zone_id": "usw2-az1"}]}

        with pytest.raises(SeedError, match="usw2-az1 is not one of use2-az1"):
            seed(facts, account=ACCOUNT, region=REGION)

    def test_file(self, client, tmp_path):
        """A file says for itself which account and region it is for."""
        file = tmp_path / "network.json"
        file.write_text(json.dumps({**FACTS, "account": ACCOUNT, "region": REGION}))
        seed_file(file)

        assert [vpc.vpc_id for vpc in survey(client).vpcs] == [FACTS["vpc_id"]]


class TestStorage:
    STORAGE = {
        "buckets": [
            {"name": "some-datasets", "region": REGION, "versioned": False, "locked": False},
            {"name": "some-copies", "region": "us-west-2", "versioned": True, "locked": True},
        ],
        "file_system": {
            "file_system_id": "fs-0a1b2c3d4e5f60718",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0c00000000000001a",
            "subnet_id": "subnet-0a00000000000002a",
            "storage_gib": 9600,
        },
    }

    def test_file(self, client, tmp_path):
        """Buckets and file system stand under their own names and ids, and their group takes rules."""
        file = tmp_path / "standing.json"
        file.write_text(json.dumps({**FACTS, **self.STORAGE, "account": ACCOUNT, "region": REGION}))
        client("ec2")
        seed_file(file)
        found = survey(client)
        (file_system,) = found.file_systems
        group = {"GroupId": "sg-0c00000000000001a"}
        rule = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "UserIdGroupPairs": [group]}
        client("ec2").authorize_security_group_ingress(**group, IpPermissions=[rule])

        assert [(bucket.name, bucket.versioning) for bucket in found.buckets] == [
            ("some-copies", True),
            ("some-datasets", False),
        ]
        assert (file_system.file_system_id, file_system.mount_name) == ("fs-0a1b2c3d4e5f60718", "abcdefgh")
        assert (file_system.storage_gib, file_system.subnet.zone_id) == (9600, "use2-az3")

    def test_without_a_network(self, client, tmp_path):
        """Buckets stand without a network of their own."""
        file = tmp_path / "standing.json"
        buckets = {"buckets": self.STORAGE["buckets"][:1]}
        file.write_text(json.dumps({**buckets, "account": ACCOUNT, "region": REGION}))
        client("s3")
        seed_file(file)

        assert [bucket.name for bucket in survey(client).buckets] == ["some-datasets"]
