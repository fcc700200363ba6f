"""The rules of addresses."""

import pytest

from trnstack.rules.addresses import nodes_and_file_system_fit_their_subnet, system_nodes_fit_their_subnets


def existing(*subnets):
    """Returns a network section: a VPC that stands, with a private subnet for each zone and prefix."""
    return {
        "existing_vpc": {
            "vpc_id": "vpc-0123456789abcdef0",
            "cidr": "10.9.0.0/16",
            "subnets": [
                {
                    "subnet_id": f"subnet-{number:017x}",
                    "route_table_id": "rtb-0123456789abcdef0",
                    "availability_zone_id": zone_id,
                    "cidr": f"10.9.{16 * number}.0/{prefix}",
                    "public": False,
                }
                for number, (zone_id, prefix) in enumerate(subnets)
            ],
        }
    }


class TestNodesAndFileSystemFitTheirSubnet:
    """NET-03: nodes whose subnet has no addresses left do not start."""

    @pytest.mark.parametrize("node_count", [1, 32, 479])
    def test_default_network(self, environment, node_count):
        """The default /16 leaves a zone's nodes 8,187 addresses: enough for 479 nodes and two more in an update."""
        assert not list(nodes_and_file_system_fit_their_subnet(environment(node_group={"node_count": node_count})))

    @pytest.mark.parametrize("node_count", [480, 1000])
    def test_too_many_for_any_vpc(self, environment, node_count):
        """What no VPC can hold is answered with the ways that are left."""
        (finding,) = nodes_and_file_system_fit_their_subnet(environment(node_group={"node_count": node_count}))

        assert finding.code == "NET006"
        assert f"{(node_count + 2) * 17:,} addresses" in finding.message
        assert finding.hint == "use fewer nodes in this zone, or another zone for some"

    def test_small_vpc(self, environment):
        """A VPC that is too small is answered with the prefix that is large enough."""
        small = environment(network={"vpc_cidr": "10.0.0.0/21"}, node_group={"node_count": 32})
        (finding,) = nodes_and_file_system_fit_their_subnet(small)

        assert finding.path == ("network", "vpc_cidr")
        assert finding.message == (
            "nodes and file system in use2-az3 take up to 578 addresses, its subnet 10.0.1.0/24 has 251"
        )
        assert finding.hint == "use vpc_cidr with prefix /19"

    def test_file_system_counts(self, environment):
        """The file system's servers take addresses of the first zone's subnet."""
        options = {"network": {"vpc_cidr": "10.0.0.0/21"}, "node_group": {"node_count": 12}}

        assert not list(nodes_and_file_system_fit_their_subnet(environment(**options)))
        assert list(nodes_and_file_system_fit_their_subnet(environment(**options, lustre={"storage_gib": 24000})))

    def test_reserved_fleet_has_no_surge(self, environment):
        """A fleet in a reservation updates without starting more nodes than it has."""
        reservation = {
            "type": "capacity_reservation",
            "capacity_reservation_id": "cr-0123456789abcdef0",
            "instance_count": 14,
            "availability_zone_id": "use2-az3",
        }
        small = {"network": {"vpc_cidr": "10.0.0.0/21"}}

        assert list(nodes_and_file_system_fit_their_subnet(environment(**small, node_group={"node_count": 14})))
        reserved = environment(**small, node_group={"node_count": 14, "capacity": reservation})
        assert not list(nodes_and_file_system_fit_their_subnet(reserved))

    def test_existing_subnet(self, environment):
        """A VPC that stands is counted by its real subnets; NET-03's eight nodes don't fit into a /26."""
        network = existing(("use2-az3", 26), ("use2-az3", 27), ("use2-az1", 24))
        (finding,) = nodes_and_file_system_fit_their_subnet(environment(network=network, node_group={"node_count": 8}))

        assert finding.path == ("network", "existing_vpc", "subnets")
        assert finding.message == (
            "nodes and file system in use2-az3 take up to 170 addresses, its subnet 10.9.0.0/26 has 59"
        )
        assert finding.hint == "add a larger private subnet of this zone, or use fewer nodes in it"

    def test_shared_subnet(self, environment):
        """A subnet that serves both roles holds the system nodes as well, in each of the two zones."""
        network = existing(("use2-az3", 24), ("use2-az1", 24))
        fits = environment(network=network, node_group={"node_count": 2})
        (finding,) = nodes_and_file_system_fit_their_subnet(environment(network=network, node_group={"node_count": 4}))

        assert not list(nodes_and_file_system_fit_their_subnet(fits))
        assert finding.message == (
            "nodes and file system, system nodes and control plane in use2-az3 take up to 278 addresses, "
            "its subnet 10.9.0.0/24 has 251"
        )

    def test_invalid_range_is_another_rules_finding(self, environment):
        """A range that is no network can't be counted; the rule of ranges says so."""
        assert not list(nodes_and_file_system_fit_their_subnet(environment(network={"vpc_cidr": "10.0.0.0/40"})))


class TestSystemNodesFitTheirSubnets:
    """NET-03, for the nodes that run the cluster's own controllers."""

    def test_default(self, environment):
        """The default group fits into the default network."""
        assert not list(system_nodes_fit_their_subnets(environment()))

    def test_too_many(self, environment):
        """A group that may outgrow one of its subnets is found, with both figures."""
        small = environment(network={"vpc_cidr": "10.0.0.0/20"}, system_node_group={"max_count": 10})
        (finding,) = system_nodes_fit_their_subnets(small)

        assert finding.code == "NET020"
        assert "take up to 278 addresses, subnet 10.0.1.0/27 has 27" in finding.message

    def test_existing_subnet(self, environment):
        """The tightest of the real subnets is told, by its zone."""
        network = existing(("use2-az3", 20), ("use2-az3", 24), ("use2-az1", 24), ("use2-az1", 27))
        (finding,) = system_nodes_fit_their_subnets(environment(network=network))

        assert finding.message == (
            "in use2-az1 system nodes and control plane and endpoints take up to 176 addresses, "
            "subnet 10.9.48.0/27 has 27"
        )
        assert finding.hint == "use a larger subnet or fewer system nodes"

    def test_further_zone_has_endpoints_alone(self, environment):
        """A zone without control plane takes an address for each endpoint, and no more."""
        services = ["ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "fsx", "logs", "monitoring", "ssm", "ssmmessages"]
        zones = ["use2-az3", "use2-az1", "use2-az2"]
        rest = (("use2-az3", 20), ("use2-az3", 24), ("use2-az1", 20), ("use2-az1", 24), ("use2-az2", 27))
        fits = environment(availability_zone_ids=zones, network=existing(*rest, ("use2-az2", 28)))
        mirror = {"image_mirror": "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"}
        more = {"interface_endpoints": [*services, "lambda", "sns"]}
        private = environment(availability_zone_ids=zones, network=existing(*rest, ("use2-az2", 28)) | mirror | more)
        (finding,) = system_nodes_fit_their_subnets(private)

        assert not list(system_nodes_fit_their_subnets(fits))
        assert finding.message.startswith("in use2-az2 endpoints take up to 12 addresses")
