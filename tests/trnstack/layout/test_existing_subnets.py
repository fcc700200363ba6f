"""Roles of subnets that stand: one rule, which no order of writing and no addition to a given role can move."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.layout.existing_subnets import GivenSubnet, assign

ZONES = ("use2-az3", "use2-az1")


def subnet(number, prefix=24, zone_id="use2-az3", **changes):
    """Returns a private subnet whose range no other number has."""
    return GivenSubnet(
        subnet_id=f"subnet-{number:08x}",
        route_table_id="rtb-00000001",
        availability_zone_id=zone_id,
        cidr=str(ipaddress.IPv4Network((f"10.{number}.0.0", prefix))),
        **{"public": False, **changes},
    )


def roles(subnets, zone_ids=("use2-az3",)):
    """Returns the subnet's id by role and zone."""
    return {each.subnet.name: each.given.subnet_id for each in assign(subnets, zone_ids)}


given_subnets = st.lists(
    st.builds(
        lambda prefix, zone_id, public: (prefix, zone_id, public),
        st.integers(min_value=16, max_value=28),
        st.sampled_from((*ZONES, "use2-az2")),
        st.booleans(),
    ),
    max_size=12,
).map(
    lambda facts: [subnet(number, prefix, zone, public=public) for number, (prefix, zone, public) in enumerate(facts)]
)


class TestAssign:
    def test_largest_is_for_nodes(self):
        """The largest private subnet serves the nodes, the next largest the system, the others nobody."""
        found = roles([subnet(1, 26), subnet(2, 23), subnet(3, 20), subnet(4, 16, public=True)])

        assert found == {"nodes-use2-az3": "subnet-00000003", "system-use2-az3": "subnet-00000002"}

    def test_one_subnet_serves_both(self):
        """A zone's only private subnet serves both roles, and says so."""
        system, nodes = assign([subnet(1), subnet(2, public=True)], ["use2-az3"])

        assert system.given is nodes.given
        assert {system.reason, nodes.reason} == {"the only private subnet left in the zone serves both roles"}
        assert (system.subnet.name, nodes.subnet.name) == ("system-use2-az3", "nodes-use2-az3")
        assert nodes.subnet.addresses == 251

    def test_same_size(self):
        """Of two subnets of one size the one with the smaller id is the nodes'."""
        assert roles([subnet(2), subnet(1)])["nodes-use2-az3"] == "subnet-00000001"

    @pytest.mark.parametrize(
        ("subnets", "nodes", "system"),
        [
            ([subnet(1, 20), subnet(2, 24, role="nodes")], 2, 1),
            ([subnet(1, 20, role="system"), subnet(2, 24)], 2, 1),
            ([subnet(1, 20), subnet(2, 22), subnet(3, 24, role="nodes")], 3, 1),
            ([subnet(1, 20, role="system")], 1, 1),
            ([subnet(1, 20, role="nodes")], 1, 1),
            ([subnet(1, role="nodes"), subnet(2, role="system"), subnet(3, 16)], 1, 2),
        ],
    )
    def test_given_roles(self, subnets, nodes, system):
        """A role that is given is kept, whatever the sizes."""
        found = roles(subnets)

        assert found == {"nodes-use2-az3": f"subnet-{nodes:08x}", "system-use2-az3": f"subnet-{system:08x}"}

    def test_given_roles_say_so(self):
        """The reason of a given role is that it was given."""
        reasons = {each.subnet.role: each.reason for each in assign([subnet(1, role="nodes"), subnet(2)], ZONES)}

        assert reasons == {"nodes": "its role is given", "system": "the next largest private subnet of the zone"}

    @given(given_subnets, st.randoms(use_true_random=False))
    def test_order_means_nothing(self, subnets, random):
        """The same subnets in another order serve the same roles."""
        shuffled = list(subnets)
        random.shuffle(shuffled)

        assert roles(subnets, ZONES) == roles(shuffled, ZONES)

    @given(given_subnets)
    def test_only_private_subnets_of_the_zone(self, subnets):
        """Each zone with a private subnet gets both roles from its own private subnets, and no other zone gets any."""
        found = assign(subnets, ZONES)
        private = {each.availability_zone_id for each in subnets if not each.public}

        assert [each.subnet.name for each in found] == [
            f"{role}-{zone_id}" for zone_id in ZONES if zone_id in private for role in ("system", "nodes")
        ]
        for each in found:
            assert not each.given.public
            assert each.given.availability_zone_id == each.subnet.availability_zone_id
            assert each.subnet.cidr == each.given.cidr

    @given(given_subnets, st.integers(min_value=16, max_value=28), st.integers(min_value=16, max_value=28))
    def test_given_roles_never_move(self, further, nodes_prefix, system_prefix):
        """Where both roles are given, further subnets of whatever size move none."""
        pinned = [subnet(201, nodes_prefix, role="nodes"), subnet(202, system_prefix, role="system")]

        assert roles([*further, *pinned]) == roles(pinned)
