from typing import ClassVar

import pytest

from trnstack.rules.existing_vpc import (
    existing_roles_can_be_served,
    existing_subnets_are_in_the_vpc,
    existing_subnets_are_listed_once,
    existing_subnets_do_not_overlap,
    existing_vpc_keeps_its_own,
    route_tables_are_public_or_private,
    zones_have_a_private_subnet,
)


def subnet(number, zone_id="use2-az3", **changes):
    """Returns the facts of a private subnet, 10.9.NUMBER.0/24."""
    return {
        "subnet_id": f"subnet-{number:017x}",
        "route_table_id": f"rtb-{number:017x}",
        "availability_zone_id": zone_id,
        "cidr": f"10.9.{number}.0/24",
        "public": False,
        **changes,
    }


TWO_ZONES = [subnet(1), subnet(2, "use2-az1")]


@pytest.fixture
def existing(environment):
    """Returns a builder of environments in a VPC that stands."""

    def build(*subnets, cidr="10.9.0.0/16", **network):
        facts = {"vpc_id": "vpc-0123456789abcdef0", "cidr": cidr, "subnets": list(subnets)}
        return environment(network={"existing_vpc": facts, **network})

    return build


class TestExistingVpcKeepsItsOwn:
    @pytest.mark.parametrize(
        ("field", "value"), [("vpc_cidr", "10.0.0.0/16"), ("nat_gateways", 1), ("nat_gateways", 0), ("flow_logs", True)]
    )
    def test_written_beside_it(self, existing, field, value):
        """What only a new VPC gets would be ignored, so it is refused, were it the default itself."""
        (finding,) = existing_vpc_keeps_its_own(existing(*TWO_ZONES, **{field: value}))

        assert finding.path == ("network", field)
        assert finding.hint == f"remove {field}"

    def test_flow_logs_off(self, existing):
        """That no flow log is made may be written down."""
        assert not list(existing_vpc_keeps_its_own(existing(*TWO_ZONES, flow_logs=False)))

    def test_new_vpc(self, environment):
        """Beside nothing everything may be written."""
        network = {"vpc_cidr": "10.0.0.0/16", "nat_gateways": 2, "flow_logs": True}

        assert not list(existing_vpc_keeps_its_own(environment(network=network)))


class TestRouteTablesArePublicOrPrivate:
    TABLE: ClassVar = {"route_table_id": "rtb-0123456789abcdef0"}

    def test_both(self, existing):
        """A private subnet behind a public one's routes is a slip: its nodes would have no way out."""
        (finding,) = route_tables_are_public_or_private(
            existing(subnet(1, public=True, **self.TABLE), subnet(2, **self.TABLE), *TWO_ZONES)
        )

        assert finding.path == ("network", "existing_vpc", "subnets", 1, "route_table_id")
        assert finding.message == "rtb-0123456789abcdef0 is a public subnet's, and this subnet is private"

    def test_one_kind(self, existing):
        """Subnets of one kind may share a table."""
        assert not list(route_tables_are_public_or_private(existing(subnet(1, **self.TABLE), subnet(2, **self.TABLE))))


class TestZonesHaveAPrivateSubnet:
    def test_control_plane_uncovered(self, existing):
        """A zone of the control plane without a private subnet is told as such."""
        (finding,) = zones_have_a_private_subnet(existing(subnet(1), subnet(2, "use2-az1", public=True)))

        assert finding.message == "zone use2-az1 has no private subnet for control plane and system nodes"
        assert finding.path == ("network", "existing_vpc", "subnets")

    def test_both_uncovered(self, existing):
        """Each zone is told."""
        first, second = zones_have_a_private_subnet(existing(subnet(1, "use2-az2")))

        assert ("use2-az3" in first.message, "use2-az1" in second.message) == (True, True)

    def test_further_zone(self, environment):
        """A zone of nodes alone needs a subnet too."""
        facts = {"vpc_id": "vpc-0123456789abcdef0", "cidr": "10.9.0.0/16", "subnets": TWO_ZONES}
        made = environment(availability_zone_ids=["use2-az3", "use2-az1", "use2-az2"], network={"existing_vpc": facts})
        (finding,) = zones_have_a_private_subnet(made)

        assert finding.message == "zone use2-az2 has no private subnet"

    def test_covered(self, existing, environment):
        """One private subnet a zone is enough; a new VPC gets its own."""
        assert not list(zones_have_a_private_subnet(existing(*TWO_ZONES)))
        assert not list(zones_have_a_private_subnet(environment()))


class TestExistingSubnetsAreInTheVpc:
    @pytest.mark.parametrize("cidr", ["10.8.0.0/24", "10.0.0.0/8", "192.168.0.0/24"])
    def test_outside(self, existing, cidr):
        """A range that is not the VPC's was copied from somewhere else."""
        (finding,) = existing_subnets_are_in_the_vpc(existing(subnet(1), subnet(2, cidr=cidr)))

        assert finding.path == ("network", "existing_vpc", "subnets", 1, "cidr")

    def test_inside(self, existing):
        """A subnet may be the whole VPC; what is no network is another rule's finding."""
        assert not list(existing_subnets_are_in_the_vpc(existing(*TWO_ZONES)))
        assert not list(existing_subnets_are_in_the_vpc(existing(subnet(1, cidr="10.9.0.0/16"))))
        assert not list(existing_subnets_are_in_the_vpc(existing(subnet(1, cidr="10.8.0.1/24"))))
        assert not list(existing_subnets_are_in_the_vpc(existing(subnet(1), cidr="10.9.0.1/16")))


class TestExistingSubnetsDoNotOverlap:
    @pytest.mark.parametrize("cidr", ["10.9.1.0/24", "10.9.0.0/20", "10.9.1.128/25"])
    def test_overlap(self, existing, cidr):
        """Two subnets of one VPC never share an address, so one of the ranges is wrong."""
        (finding,) = existing_subnets_do_not_overlap(existing(subnet(1), subnet(2, "use2-az1", cidr=cidr)))

        assert finding.path == ("network", "existing_vpc", "subnets", 1, "cidr")

    def test_beside_each_other(self, existing):
        """Neighbours are fine."""
        assert not list(existing_subnets_do_not_overlap(existing(*TWO_ZONES)))


class TestExistingSubnetsAreListedOnce:
    def test_twice(self, existing):
        """An id that comes twice was copied and not changed."""
        (finding,) = existing_subnets_are_listed_once(
            existing(subnet(1), subnet(2, "use2-az1", subnet_id=subnet(1)["subnet_id"]))
        )

        assert finding.path == ("network", "existing_vpc", "subnets", 1, "subnet_id")

    def test_once(self, existing):
        """Different subnets may share a route table."""
        table = {"route_table_id": "rtb-0123456789abcdef0"}

        assert not list(existing_subnets_are_listed_once(existing(subnet(1, **table), subnet(2, **table))))


class TestExistingRolesCanBeServed:
    def test_public(self, existing):
        """Nodes with several interfaces get no public address, so a public subnet has no role."""
        (finding,) = existing_roles_can_be_served(existing(subnet(1, public=True, role="nodes"), *TWO_ZONES))

        assert finding.message == "a public subnet can't serve as nodes"
        assert finding.path == ("network", "existing_vpc", "subnets", 0, "role")

    def test_two_of_one_role(self, existing):
        """A zone has one subnet of each role."""
        (finding,) = existing_roles_can_be_served(existing(subnet(1, role="system"), subnet(2, role="system")))

        assert finding.path == ("network", "existing_vpc", "subnets", 1, "role")

    def test_served(self, existing):
        """Each role once in each zone, or left to the rule."""
        zones = [
            subnet(1, role="nodes"),
            subnet(2, role="system"),
            subnet(3),
            subnet(4),
            subnet(5, "use2-az1", role="nodes"),
        ]

        assert not list(existing_roles_can_be_served(existing(*zones)))
