"""How a VPC's range is divided, so that growing an environment never moves a subnet that stands.

A subnet's range can't be changed: CloudFormation replaces the subnet, and with it the file system and the nodes in it.
So the division depends on the VPC's range and a zone's position in the list alone, never on how many nodes there are.

The range falls into eight equal blocks. The first holds, for each zone, a small public subnet (the NAT gateway's) and a
small private one (control plane, system nodes, endpoints). The blocks after it are the zones' private subnets for
accelerator nodes and the file system, one block a zone. What is left is free.
"""

import ipaddress
from dataclasses import dataclass
from typing import Literal

#: The blocks that a VPC is divided into: one for the small subnets, six for zones, one in reserve.
BLOCKS = 8
#: The pieces of the first block: two small subnets for each of up to six zones, and four in reserve.
PIECES = 16
MAXIMUM_ZONES = 6
#: AWS keeps the first four addresses of a subnet and the last. Source: VPC user guide, "Subnet CIDR blocks".
RESERVED_ADDRESSES = 5

Role = Literal["public", "system", "nodes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subnet:
    """One subnet of the VPC.

    Attributes:
        name: ``ROLE-ZONE_ID``, such as ``nodes-use2-az3``.
        role: ``public`` (NAT gateway), ``system`` (control plane, system nodes, endpoints), ``nodes``.
        cidr: Its IPv4 range.
        availability_zone_id: The zone by its id, which names the same place in every account.
        addresses: How many addresses can be used.
    """

    name: str
    role: Role
    cidr: str
    availability_zone_id: str
    addresses: int


def divide(vpc_cidr: str, zone_ids: tuple[str, ...]) -> tuple[Subnet, ...]:
    """Returns the subnets of a VPC, zone by zone: public, system, nodes.

    Raises:
        ValueError: There are more than six zones, or the VPC is too small for sixteen small subnets in its first block.
    """
    if len(zone_ids) > MAXIMUM_ZONES:
        raise ValueError(f"a VPC is divided for at most {MAXIMUM_ZONES} zones")
    blocks = list(ipaddress.IPv4Network(vpc_cidr).subnets(prefixlen_diff=BLOCKS.bit_length() - 1))
    pieces = list(blocks[0].subnets(prefixlen_diff=PIECES.bit_length() - 1))
    subnets: list[Subnet] = []
    for position, zone_id in enumerate(zone_ids):
        subnets += (
            _subnet("public", pieces[position], zone_id),
            _subnet("system", pieces[PIECES // 2 + position], zone_id),
            _subnet("nodes", blocks[1 + position], zone_id),
        )
    return tuple(subnets)


def _subnet(role: Role, cidr: ipaddress.IPv4Network, zone_id: str) -> Subnet:
    return Subnet(
        name=f"{role}-{zone_id}",
        role=role,
        cidr=str(cidr),
        availability_zone_id=zone_id,
        addresses=cidr.num_addresses - RESERVED_ADDRESSES,
    )
