"""What an instance type allows: the catalog's rows, and for every other type what EC2 itself says of it.

Source: EC2 DescribeInstanceTypes and DescribeInstanceTypeOfferings, of which moto holds a copy; see
``moto/ec2/resources/instance_types.json.gz``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from trnstack.catalog import INSTANCE_TYPES as CATALOG
from trnstack.catalog import ZONE_IDS, InstanceType


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is certain of an instance type.

    Attributes:
        interfaces_per_card: The most interfaces on each network card, in the cards' order.
        efa_interfaces: The most EFA interfaces; 0 where the type has none.
        cluster_placement: Whether a cluster placement group takes it.
    """

    interfaces_per_card: tuple[int, ...]
    efa_interfaces: int
    cluster_placement: bool


def limits_of(instance_type: str) -> Limits | None:
    """Gives what an instance type allows; None for one of which it is not known."""
    row = CATALOG.get(instance_type)
    if row is not None and row.interfaces_per_card is not None:
        return _of_row(row, row.interfaces_per_card)
    described = INSTANCE_TYPES.get(instance_type)
    return None if described is None else _of_description(described)


@cache
def offering_zone_ids(instance_type: str, region: str) -> frozenset[str] | None:
    """Gives the zones of a region that offer an instance type; None where that is not known.

    The catalog knows a part of them, and the copy of EC2's offerings every one of the regions that it has.
    """
    offerings = INSTANCE_TYPE_OFFERINGS["availability-zone-id"].get(region)
    if offerings is None or (instance_type not in INSTANCE_TYPES and instance_type not in CATALOG):
        return None
    row = CATALOG.get(instance_type)
    known = row.availability_zone_ids.get(region, ()) if row else ()
    return frozenset([*known, *(one["Location"] for one in offerings if one["InstanceType"] == instance_type)])


def is_no_size(instance_type: str) -> bool:
    """Says whether the family of a type comes in other sizes, and not in this one: a slip, and no type that is new."""
    return (
        instance_type not in CATALOG and instance_type not in INSTANCE_TYPES and _family(instance_type) in _families()
    )


def is_zone_of(zone_id: str, region: str) -> bool:
    """Says whether a zone is one of the region's own, and no local or wavelength zone."""
    return zone_id in ZONE_IDS.get(region, ())


@cache
def _families() -> frozenset[str]:
    return frozenset(map(_family, (*CATALOG, *INSTANCE_TYPES)))


def _family(instance_type: str) -> str:
    return instance_type.partition(".")[0]


def _of_row(row: InstanceType, interfaces: int) -> Limits:
    return Limits(
        interfaces_per_card=(interfaces,) * row.network_cards,
        efa_interfaces=row.efa_interfaces,
        cluster_placement=row.cluster_placement,
    )


def _of_description(described: Mapping[str, Any]) -> Limits:
    network = described["NetworkInfo"]
    cards = sorted(network["NetworkCards"], key=lambda card: int(card["NetworkCardIndex"]))
    return Limits(
        interfaces_per_card=tuple(int(card["MaximumNetworkInterfaces"]) for card in cards),
        efa_interfaces=int(network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)),
        cluster_placement="cluster" in described["PlacementGroupInfo"]["SupportedStrategies"],
    )
