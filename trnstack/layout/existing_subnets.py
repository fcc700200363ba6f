"""Which subnet of a network that stands serves which role, decided from facts alone.

Only private subnets are used. In each zone the largest one is for nodes and file system, the next largest for control
plane, system nodes and endpoints; a zone's only private subnet serves both. Of subnets of one size the one with the
smaller id comes first, so the order in which they are written means nothing. A subnet with a role of its own keeps it,
whatever is added beside it later.
"""

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from trnstack.layout.subnets import RESERVED_ADDRESSES, Subnet

GivenRole = Literal["nodes", "system"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSubnet:
    """A subnet that stands already.

    Attributes:
        subnet_id, route_table_id: As EC2 names them.
        availability_zone_id: Its zone.
        cidr: Its IPv4 range.
        public: Whether its route table leads to an internet gateway.
        role: The role that it must have; None leaves that to the rule.
    """

    subnet_id: str
    route_table_id: str
    availability_zone_id: str
    cidr: str
    public: bool
    role: GivenRole | None = None

    @property
    def addresses(self) -> int:
        """How many addresses can be used in it."""
        return ipaddress.IPv4Network(self.cidr).num_addresses - RESERVED_ADDRESSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A role in a zone, and the subnet that serves it.

    Attributes:
        subnet: The subnet under the name of its role, such as ``nodes-use2-az3``.
        given: The subnet as it was given.
        reason: Why it is this one.
    """

    subnet: Subnet
    given: GivenSubnet
    reason: str


def assign(given: Iterable[GivenSubnet], zone_ids: Iterable[str]) -> tuple[Assignment, ...]:
    """Returns the roles of each zone that has a private subnet, zone by zone: system, nodes.

    Raises:
        ValueError: A range is not a network.
    """
    ranked = sorted((each for each in given if not each.public), key=lambda each: (-each.addresses, each.subnet_id))
    return tuple(
        assignment
        for zone_id in zone_ids
        for assignment in _of_zone(zone_id, [each for each in ranked if each.availability_zone_id == zone_id])
    )


def _of_zone(zone_id: str, ranked: list[GivenSubnet]) -> Iterator[Assignment]:
    if not ranked:
        return
    free = [each for each in ranked if each.role is None]
    nodes = _with_role(ranked, "nodes") or (free[0] if free else ranked[0])
    others = [each for each in free if each is not nodes]
    system = _with_role(ranked, "system") or (others[0] if others else nodes)
    alone = "the only private subnet left in the zone serves both roles"
    by_rule: tuple[tuple[GivenRole, GivenSubnet, str], ...] = (
        ("system", system, alone if system is nodes else "the next largest private subnet of the zone"),
        ("nodes", nodes, alone if system is nodes else "the largest private subnet of the zone"),
    )
    for role, each, reason in by_rule:
        subnet = Subnet(
            name=f"{role}-{zone_id}",
            role=role,
            cidr=each.cidr,
            availability_zone_id=zone_id,
            addresses=each.addresses,
        )
        yield Assignment(subnet=subnet, given=each, reason="its role is given" if each.role == role else reason)


def _with_role(ranked: list[GivenSubnet], role: GivenRole) -> GivenSubnet | None:
    return next((each for each in ranked if each.role == role), None)
