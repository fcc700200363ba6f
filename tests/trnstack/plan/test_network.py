"""The network: new or existing, with a way out or without, and who takes its addresses."""

import pytest

from trnstack.layout.addresses import file_system_addresses

MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"
PRIVATE = {"nat_gateways": 0, "image_mirror": MIRROR}
SUBNETS = (
    ("use2-az3", "10.9.0.0/26", True),
    ("use2-az3", "10.9.16.0/20", False),
    ("use2-az3", "10.9.4.0/23", False),
    ("use2-az1", "10.9.6.0/23", False),
    ("use2-az2", "10.9.8.0/23", False),
)


def existing(**changes):
    """Returns the facts of a VPC that stands: four private subnets in three zones, and a public one."""
    subnets = [
        {
            "subnet_id": f"subnet-{number:017x}",
            "route_table_id": f"rtb-{int(public):017x}",
            "availability_zone_id": zone_id,
            "cidr": cidr,
            "public": public,
        }
        for number, (zone_id, cidr, public) in enumerate(SUBNETS)
    ]
    return {"vpc_id": "vpc-0123456789abcdef0", "cidr": "10.9.0.0/16", "subnets": subnets, **changes}


def services(decided):
    """Returns the services that have an interface endpoint."""
    return {endpoint.service for endpoint in decided.network.interface_endpoints}


class TestNatGateways:
    def test_stand_in_the_first_zones(self, planned):
        """As many zones as there are NAT gateways have one, from the first on."""
        assert planned().network.nat_gateway_zone_ids == ("use2-az3",)
        assert planned(network={"nat_gateways": 2}).network.nat_gateway_zone_ids == ("use2-az3", "use2-az1")
        assert planned(network=PRIVATE).network.nat_gateway_zone_ids == ()

    def test_switching_them_moves_no_subnet(self, planned):
        """Without NAT gateways the public subnets are not there; every other one stays, and theirs stay free."""
        private, one, two = (planned(network=PRIVATE | {"nat_gateways": count}).network.subnets for count in range(3))

        assert one == two
        assert private == tuple(subnet for subnet in one if subnet.role != "public")
        assert len(one) - len(private) == 2


class TestSubnets:
    def test_growing_moves_none(self, planned):
        """Neither nodes nor zones move a subnet that stands."""
        small = planned()
        many = planned(node_group={"node_count": 400})
        wide = planned(availability_zone_ids=["use2-az3", "use2-az1", "use2-az2"])

        assert many.network.subnets == small.network.subnets
        assert wide.network.subnets[: len(small.network.subnets)] == small.network.subnets
        assert "nodes-use2-az1" in [subnet.name for subnet in small.network.subnets]


class TestEndpoints:
    def test_beside_nat(self, planned):
        """With a way out, endpoints are for images, credentials, logs and Session Manager."""
        assert services(planned()) == {
            "ec2",
            "ecr.api",
            "ecr.dkr",
            "eks",
            "eks-auth",
            "logs",
            "ssm",
            "ssmmessages",
            "sts",
        }

    def test_listed(self, planned):
        """A list is taken as it is, in the order of the names."""
        named = planned(network={"interface_endpoints": ["sts", "ecr.api", "kms"]}).network.interface_endpoints

        assert [endpoint.service for endpoint in named] == ["ecr.api", "kms", "sts"]
        assert named[1].reason == "the environment asks for it"

    def test_fully_private(self, planned):
        """Without a way out, everything that nodes, add-ons, CDK and Session Manager reach has one."""
        assert services(planned(network=PRIVATE)) == services(planned()) | {"ec2messages", "monitoring"}

    @pytest.mark.parametrize(
        ("sections", "service", "expected"),
        [
            ({"lustre": {}}, "fsx", True),
            ({"lustre": {}, "kubernetes": {"fsx_csi": False}}, "fsx", False),
            ({}, "fsx", False),
            ({"kubernetes": {"cloudwatch_observability": False}}, "monitoring", False),
            ({"kubernetes": {"cloudwatch_observability": False}}, "logs", False),
            ({}, "kms", False),
            ({}, "autoscaling", False),
            ({}, "elasticloadbalancing", False),
        ],
    )
    def test_follow_from_what_runs(self, planned, sections, service, expected):
        """An endpoint is there for what the environment has, and costs nothing for what it has not."""
        assert (service in services(planned(network=PRIVATE, **sections))) is expected

    @pytest.mark.parametrize("network", [{}, PRIVATE])
    def test_each_has_a_reason(self, planned, network):
        """Nobody has to guess what an endpoint is for."""
        for endpoint in planned(network=network, lustre={}).network.interface_endpoints:
            assert len(endpoint.reason) > 20
            assert endpoint.reason != "the environment asks for it"


class TestImageMirror:
    def test_images_come_from_it(self, planned, lock):
        """A mirror takes the place of the image's registry, with a way out as without."""
        image = lock.neuron.container.image.partition("/")[2]

        for network in (PRIVATE, {"image_mirror": MIRROR}):
            decided = planned(network=network)
            assert decided.network.image_mirror == MIRROR
            assert decided.pins.container_image == f"{MIRROR}/{image}"


class TestExistingVpc:
    def test_roles(self, planned):
        """Names are those of a new VPC's subnets, so that no other stack knows the difference."""
        network = planned(network={"existing_vpc": existing()}).network

        assert [subnet.name for subnet in network.subnets] == [
            "system-use2-az3",
            "nodes-use2-az3",
            "system-use2-az1",
            "nodes-use2-az1",
        ]
        assert network.existing_vpc.subnet_id("nodes-use2-az3") == f"subnet-{1:017x}"
        assert network.existing_vpc.subnet_id("system-use2-az3") == f"subnet-{2:017x}"
        assert network.existing_vpc.subnet_id("nodes-use2-az1") == f"subnet-{3:017x}"

    def test_other_stacks_are_planned_alike(self, planned):
        """Cluster, nodes and storage are the same in a VPC that stands as in a new one."""
        new, stands = planned(lustre={}), planned(lustre={}, network={"existing_vpc": existing()})

        assert (stands.cluster, stands.node_groups, stands.storage) == (new.cluster, new.node_groups, new.storage)
        assert stands.stacks == new.stacks

    def test_every_given_subnet_is_accounted_for(self, planned):
        """What is not used says why, and no subnet is left out."""
        given = planned(network={"existing_vpc": existing()}).network.existing_vpc.subnets

        assert [subnet.names for subnet in given] == [
            (),
            ("nodes-use2-az3",),
            ("system-use2-az3",),
            ("system-use2-az1", "nodes-use2-az1"),
            (),
        ]
        assert given[0].reason == "public subnets are not used"
        assert all(subnet.reason for subnet in given)

    def test_only_what_is_used_is_touched(self, planned):
        """S3's endpoint goes to the route tables of subnets with a role, once each, or nowhere."""
        network = planned(network={"existing_vpc": existing()}).network
        none = planned(network={"existing_vpc": existing(s3_gateway_endpoint=False)}).network

        assert network.existing_vpc.s3_route_table_ids == (f"rtb-{0:017x}",)
        assert none.existing_vpc.s3_route_table_ids == ()

    def test_has_its_own_ways(self, planned):
        """Neither NAT gateways nor flow logs are made in it."""
        network = planned(network={"existing_vpc": existing()}).network

        assert (network.vpc_cidr, network.nat_gateway_zone_ids, network.flow_logs) == ("10.9.0.0/16", (), False)

    def test_mirror_says_that_nothing_leads_out(self, planned):
        """Endpoints are those beside a way out, or all of them where images come from a mirror."""
        open_, private = (
            planned(network={"existing_vpc": existing(), "image_mirror": mirror}) for mirror in (None, MIRROR)
        )

        assert services(open_) == services(planned())
        assert services(private) == services(planned(network=PRIVATE))

    def test_endpoints_may_be_there_already(self, planned):
        """An empty list makes none."""
        assert services(planned(network={"existing_vpc": existing(), "interface_endpoints": []})) == set()


class TestAddressUses:
    def test_each_is_told(self, planned):
        """Nodes, file system, system nodes and endpoints are counted in the subnets that they stand in."""
        uses = planned(lustre={"storage_gib": 4800}, network={"nat_gateways": 1}).network.address_uses

        assert [(use.subnet, use.user, use.addresses) for use in uses] == [
            ("public-use2-az3", "NAT gateway", 1),
            ("system-use2-az3", "system nodes", 136),
            ("system-use2-az3", "control plane and endpoints", 40),
            ("nodes-use2-az3", "node group trn1", 68),
            ("nodes-use2-az3", "file system", file_system_addresses(4800)),
            ("system-use2-az1", "system nodes", 136),
            ("system-use2-az1", "control plane and endpoints", 40),
        ]
        assert all(use.arithmetic for use in uses)

    def test_of_a_file_system_without_a_size(self, planned):
        """INTELLIGENT_TIERING takes addresses for its throughput."""
        tiering = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 8000, "metadata_iops": 6000}
        uses = {use.user: use for use in planned(lustre=tiering).network.address_uses}

        assert uses["file system"].addresses == 4
        assert uses["file system"].arithmetic == "a server for every 4,000 of 8,000 MB/s, 2 for metadata"

    def test_are_what_the_nodes_say(self, planned):
        """The network counts each group with the addresses that the group itself is planned with."""
        decided = planned(node_groups=[{"node_count": 8}, {"name": "more"}])
        uses = {use.user: use.addresses for use in decided.network.address_uses}

        for group in decided.node_groups:
            assert uses[f"node group {group.name}"] == group.addresses.total
        assert uses["system nodes"] == decided.cluster.system_nodes.addresses.total


class TestPods:
    def test_accelerators(self, planned):
        """A node's pods are bounded by its first network card's interfaces."""
        (group,) = planned().node_groups

        assert group.most_pods == 247

    @pytest.mark.parametrize(("instance_type", "pods"), [("m7i.large", 29), ("m7i.8xlarge", 234)])
    def test_system_nodes(self, planned, instance_type, pods):
        """System nodes have their own bound."""
        decided = planned(system_node_group={"instance_type": instance_type})

        assert decided.cluster.system_nodes.most_pods == pods


class TestDecisions:
    @pytest.mark.parametrize(
        ("network", "paths"),
        [
            ({}, {"network.subnets", "network.interface_endpoints"}),
            (PRIVATE, {"network.subnets", "network.interface_endpoints"}),
            ({"interface_endpoints": ["sts"]}, {"network.subnets"}),
            ({"existing_vpc": existing()}, {"network.existing_vpc", "network.interface_endpoints"}),
        ],
    )
    def test_what_was_left_open_is_told(self, planned, network, paths):
        """What the environment decides itself is no decision of ours."""
        told = {each.path for each in planned(network=network).decisions if each.path.startswith("network")}

        assert told == paths


class TestWaysOut:
    @pytest.mark.parametrize(
        ("nat_gateways", "ways"),
        [(1, ["use2-az3", "use2-az3", "use2-az3"]), (2, ["use2-az3", "use2-az1", "use2-az3"])],
    )
    def test_each_zone_has_a_way_out(self, planned, nat_gateways, ways):
        """A zone goes out by its own gateway, and by the first zone's where it has none."""
        zone_ids = ["use2-az3", "use2-az1", "use2-az2"]
        network = planned(availability_zone_ids=zone_ids, network={"nat_gateways": nat_gateways}).network

        assert [network.nat_gateway_zone_id(zone_id) for zone_id in zone_ids] == ways
