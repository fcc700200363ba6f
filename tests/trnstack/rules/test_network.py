import pytest

from trnstack.findings import Severity
from trnstack.rules.network import (
    INTERFACE_ENDPOINTS,
    interface_endpoints_are_known,
    interface_endpoints_are_unique,
    nat_gateways_have_a_zone_each,
    ranges_are_networks,
    vpc_avoids_the_docker_bridge,
    vpc_cidr_has_room,
    vpc_cidr_is_private,
    vpc_leaves_a_service_range,
)


def existing(cidr):
    subnet = {
        "subnet_id": "subnet-0123456789abcdef0",
        "route_table_id": "rtb-0123456789abcdef0",
        "availability_zone_id": "use2-az3",
        "cidr": "10.9.0.0/24",
        "public": False,
    }
    return {"existing_vpc": {"vpc_id": "vpc-0123456789abcdef0", "cidr": cidr, "subnets": [subnet]}}


class TestRangesAreNetworks:
    @pytest.mark.parametrize(
        ("cidr", "hint"),
        [
            ("10.0.0.1/16", "use 10.0.0.0/16"),
            ("10.1.2.3/8", "use 10.0.0.0/8"),
            ("192.168.255.255/20", "use 192.168.240.0/20"),
            ("10.0.128.0/16", "use 10.0.0.0/16"),
        ],
    )
    def test_host_bits(self, environment, cidr, hint):
        """A range that starts inside a network is answered with that network."""
        (finding,) = ranges_are_networks(environment(network={"vpc_cidr": cidr}))

        assert finding.path == ("network", "vpc_cidr")
        assert finding.hint == hint

    @pytest.mark.parametrize("cidr", ["256.0.0.0/16", "10.0.0.0/33", "10.0.0.999/24", "010.0.0.0/16", "10.0.0.0/99"])
    def test_no_range(self, environment, cidr):
        """What has the form of a range may still be none."""
        (finding,) = ranges_are_networks(environment(network={"vpc_cidr": cidr}))

        assert finding.message == f"'{cidr}' is not an IPv4 range"

    def test_every_place(self, environment):
        """Ranges are looked at wherever the file has one, each with its own path."""
        network = existing("10.9.0.1/16") | {"client_cidrs": ["10.200.0.0/16", "10.200.0.1/16"]}
        network["existing_vpc"]["subnets"][0]["cidr"] = "10.9.0.300/24"
        eks = {"endpoint_access": "public_and_private", "public_access_cidrs": ["203.0.113.7/24"]}
        paths = [finding.path for finding in ranges_are_networks(environment(network=network, eks=eks))]

        assert paths == [
            ("network", "client_cidrs", 1),
            ("eks", "public_access_cidrs", 0),
            ("network", "existing_vpc", "cidr"),
            ("network", "existing_vpc", "subnets", 0, "cidr"),
        ]

    @pytest.mark.parametrize("cidr", ["10.0.0.0/16", "0.0.0.0/0", "192.168.1.1/32"])
    def test_networks(self, environment, cidr):
        """A network is one whatever its size; other rules judge that."""
        assert not list(ranges_are_networks(environment(network={"vpc_cidr": cidr})))


class TestVpcCidrIsPrivate:
    @pytest.mark.parametrize(
        "cidr", ["8.8.0.0/16", "172.32.0.0/16", "100.128.0.0/16", "192.169.0.0/16", "11.0.0.0/16", "172.0.0.0/8"]
    )
    def test_public(self, environment, cidr):
        """Public addresses inside a VPC cut its pods off from whoever has them in the Internet."""
        (finding,) = vpc_cidr_is_private(environment(network={"vpc_cidr": cidr}))

        assert finding.path == ("network", "vpc_cidr")

    def test_existing_vpc(self, environment):
        """The network that is in use is judged, at its own place in the file."""
        (finding,) = vpc_cidr_is_private(environment(network=existing("8.8.0.0/16")))

        assert finding.path == ("network", "existing_vpc", "cidr")

    @pytest.mark.parametrize(
        "cidr", ["10.0.0.0/16", "172.16.0.0/16", "172.31.0.0/16", "192.168.0.0/16", "100.64.0.0/16", "10.0.0.1/16"]
    )
    def test_private(self, environment, cidr):
        """RFC 1918 and the shared range of RFC 6598 are private; what is no network is another rule's business."""
        assert not list(vpc_cidr_is_private(environment(network={"vpc_cidr": cidr})))


class TestVpcCidrHasRoom:
    @pytest.mark.parametrize(
        ("cidr", "hint"),
        [
            ("10.0.0.0/8", "use 10.0.0.0/16"),
            ("10.0.0.0/15", "use 10.0.0.0/16"),
            ("10.0.0.0/22", "use 10.0.0.0/21"),
            ("10.0.12.0/24", "use 10.0.8.0/21"),
            ("10.0.0.7/32", "use 10.0.0.0/21"),
        ],
    )
    def test_size(self, environment, cidr, hint):
        """The hint is the nearest size that AWS allows and the subnets fit in."""
        (finding,) = vpc_cidr_has_room(environment(network={"vpc_cidr": cidr}))

        assert finding.hint == hint

    @pytest.mark.parametrize("prefix", range(16, 22))
    def test_sizes_that_fit(self, environment, prefix):
        """Six sizes fit."""
        assert not list(vpc_cidr_has_room(environment(network={"vpc_cidr": f"10.0.0.0/{prefix}"})))

    def test_existing_vpc(self, environment):
        """A network that stands is not divided, and may have any size."""
        assert not list(vpc_cidr_has_room(environment(network=existing("10.9.0.0/24"))))


class TestVpcLeavesAServiceRange:
    @pytest.mark.parametrize("cidr", ["0.0.0.0/0"])
    def test_both_taken(self, environment, cidr):
        """EKS creates no cluster whose services would have the VPC's own addresses."""
        (finding,) = vpc_leaves_a_service_range(environment(network={"vpc_cidr": cidr}))

        assert "both ranges" in finding.message

    @pytest.mark.parametrize(
        "cidr", ["10.100.0.0/16", "172.20.0.0/16", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]
    )
    def test_one_left(self, environment, cidr):
        """EKS takes the one that the VPC leaves."""
        assert not list(vpc_leaves_a_service_range(environment(network={"vpc_cidr": cidr})))


class TestVpcAvoidsTheDockerBridge:
    @pytest.mark.parametrize("cidr", ["172.17.0.0/16", "172.17.8.0/21", "172.16.0.0/12"])
    def test_overlap(self, environment, cidr):
        """Docker answers for its bridge's addresses itself, so that nothing in the VPC is reached at them."""
        (finding,) = vpc_avoids_the_docker_bridge(environment(network={"vpc_cidr": cidr}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("cidr", ["172.16.0.0/16", "172.18.0.0/16", "10.17.0.0/16"])
    def test_beside(self, environment, cidr):
        """The neighbouring ranges are free."""
        assert not list(vpc_avoids_the_docker_bridge(environment(network={"vpc_cidr": cidr})))


class TestNatGatewaysHaveAZoneEach:
    @pytest.mark.parametrize("count", [3, 6])
    def test_too_many(self, environment, count):
        """A gateway more than there are zones would stand beside another, and cost as much."""
        (finding,) = nat_gateways_have_a_zone_each(environment(network={"nat_gateways": count}))

        assert finding.hint == "use 2 or fewer"

    @pytest.mark.parametrize("count", [0, 1, 2])
    def test_enough_zones(self, environment, count):
        """One for each zone is the most."""
        assert not list(nat_gateways_have_a_zone_each(environment(network={"nat_gateways": count})))


class TestInterfaceEndpointsAreKnown:
    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("ecr-api", "did you mean 'ecr.api'?"),
            ("lamda", "did you mean 'lambda'?"),
            ("s3", "remove s3"),
            ("dynamodb", "remove dynamodb"),
            ("qqqq", "use some of"),
        ],
    )
    def test_unknown(self, environment, name, hint):
        """A misspelt service is recognised, and one with a gateway endpoint needs no other."""
        (finding,) = interface_endpoints_are_known(environment(network={"interface_endpoints": ["sts", name]}))

        assert finding.path == ("network", "interface_endpoints", 1)
        assert finding.hint.startswith(hint)

    @pytest.mark.parametrize("names", ["auto", [], INTERFACE_ENDPOINTS])
    def test_known(self, environment, names):
        """The whole table is taken."""
        assert not list(interface_endpoints_are_known(environment(network={"interface_endpoints": names})))

    def test_order(self):
        """The table is sorted, so that a duplicate in it would be seen."""
        assert list(INTERFACE_ENDPOINTS) == sorted(set(INTERFACE_ENDPOINTS))


class TestInterfaceEndpointsAreUnique:
    def test_twice(self, environment):
        """EC2 refuses a second endpoint of a service with private DNS in one VPC."""
        (finding,) = interface_endpoints_are_unique(environment(network={"interface_endpoints": ["sts", "ec2", "sts"]}))

        assert finding.path == ("network", "interface_endpoints", 2)

    @pytest.mark.parametrize("names", ["auto", ["sts", "ec2"]])
    def test_once(self, environment, names):
        """Different services are different."""
        assert not list(interface_endpoints_are_unique(environment(network={"interface_endpoints": names})))
