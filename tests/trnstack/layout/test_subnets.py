"""The division of a VPC: nothing overlaps, and nothing that stands is ever moved."""

import ipaddress
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.layout.subnets import MAXIMUM_ZONES, RESERVED_ADDRESSES, divide

ZONES = tuple(f"use1-az{number}" for number in range(1, MAXIMUM_ZONES + 1))
vpcs = st.builds(
    lambda address, prefix: str(ipaddress.IPv4Network((address, prefix), strict=False)),
    st.ip_addresses(v=4, network="10.0.0.0/8"),
    st.integers(min_value=16, max_value=21),
)
zone_lists = st.integers(min_value=1, max_value=MAXIMUM_ZONES).flatmap(
    lambda count: st.permutations(ZONES).map(lambda zones: tuple(zones[:count]))
)


def networks(subnets):
    """Returns the ranges of subnets."""
    return [ipaddress.IPv4Network(subnet.cidr) for subnet in subnets]


class TestDivide:
    @given(vpcs, zone_lists)
    def test_no_two_overlap(self, vpc_cidr, zone_ids):
        """No address belongs to two subnets."""
        pairs = itertools.combinations(networks(divide(vpc_cidr, zone_ids)), 2)

        assert not any(one.overlaps(other) for one, other in pairs)

    @given(vpcs, zone_lists)
    def test_all_are_inside(self, vpc_cidr, zone_ids):
        """Every subnet lies in its VPC and has at least the sixteen addresses that AWS asks for."""
        vpc = ipaddress.IPv4Network(vpc_cidr)

        for network in networks(divide(vpc_cidr, zone_ids)):
            assert network.subnet_of(vpc)
            assert network.prefixlen <= 28

    @given(vpcs, zone_lists)
    def test_three_for_each_zone(self, vpc_cidr, zone_ids):
        """Each zone has a public, a system and a nodes subnet, in the order of the zones, each with its own name."""
        subnets = divide(vpc_cidr, zone_ids)

        assert [subnet.name for subnet in subnets] == [
            f"{role}-{zone_id}" for zone_id in zone_ids for role in ("public", "system", "nodes")
        ]
        assert len({subnet.name for subnet in subnets}) == len(subnets)

    @given(vpcs, zone_lists)
    def test_a_zone_more_moves_nothing(self, vpc_cidr, zone_ids):
        """A zone that is added at the end of the list leaves every subnet as it is."""
        for count in range(1, len(zone_ids)):
            fewer, more = divide(vpc_cidr, zone_ids[:count]), divide(vpc_cidr, zone_ids[: count + 1])

            assert more[: len(fewer)] == fewer

    @given(vpcs, zone_lists)
    def test_most_addresses_are_for_nodes(self, vpc_cidr, zone_ids):
        """A zone's nodes have an eighth of the VPC, less what AWS keeps."""
        vpc = ipaddress.IPv4Network(vpc_cidr)

        for subnet in divide(vpc_cidr, zone_ids):
            assert subnet.addresses == ipaddress.IPv4Network(subnet.cidr).num_addresses - RESERVED_ADDRESSES
            if subnet.role == "nodes":
                assert subnet.addresses == vpc.num_addresses // 8 - RESERVED_ADDRESSES

    def test_default_network(self):
        """In the default VPC a zone's nodes have 8,187 addresses."""
        public, system, nodes = divide("10.0.0.0/16", ("use2-az3",))

        assert (public.cidr, system.cidr, nodes.cidr) == ("10.0.0.0/23", "10.0.16.0/23", "10.0.32.0/19")
        assert nodes.addresses == 8187

    def test_too_many_zones(self):
        """A seventh zone has no place that an earlier division left for it."""
        with pytest.raises(ValueError, match="at most 6 zones"):
            divide("10.0.0.0/16", (*ZONES, "use1-az7"))

    def test_too_small(self):
        """A VPC that can't be divided is refused and not divided otherwise."""
        with pytest.raises(ValueError, match="prefix"):
            divide("10.0.0.0/28", ZONES)
