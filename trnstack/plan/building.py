"""Decides what builds custom images and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from trnstack.catalog import INSTANCE_TYPES
from trnstack.plan.nodes import zone_of
from trnstack.spec import Environment
from trnstack.spec.node_groups import CustomImage, NodeGroup

_ON_DEMAND = "on-demand"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlace:
    """What builds an image, and the zone in which it does."""

    instance_type: str
    zone_id: str


def groups_by_recipe(environment: Environment) -> Mapping[str, tuple[NodeGroup, ...]]:
    """Returns the node groups with a custom image by their recipe's name, in the order of the file."""
    found: dict[str, tuple[NodeGroup, ...]] = {}
    for group in environment.node_groups:
        if isinstance(group.image, CustomImage):
            found[group.image.recipe] = (*found.get(group.image.recipe, ()), group)
    return found


def build_place(environment: Environment, groups: tuple[NodeGroup, ...]) -> BuildPlace:
    """Returns what builds the image of some node groups, and where.

    A driver is tested on a device, so only a Trainium type will do. Left open it is the smallest one that a zone of the
    environment offers on demand, the way in which Image Builder starts instances; else the first group's own.

    Source: Image Builder API reference, InfrastructureConfiguration: instance types and a subnet, no purchase option;
    EC2 API reference, DescribeInstanceTypeOfferings, as in the catalog.
    """
    with_nodes = (zone_of(environment, group) for group in groups)
    zone_ids = tuple(dict.fromkeys((*with_nodes, *environment.availability_zone_ids)))
    asked = environment.images.build_instance_type
    if asked:
        offering = (zone_id for zone_id in zone_ids if zone_id in zones_with(asked, environment.region))
        return BuildPlace(instance_type=asked, zone_id=next(offering, zone_ids[0]))
    offered = [
        (row.neuron_devices, row.vcpus, place, row.name)
        for row in INSTANCE_TYPES.values()
        for place, zone_id in enumerate(zone_ids)
        if _ON_DEMAND in row.usage_classes and zone_id in zones_with(row.name, environment.region)
    ]
    if not offered:
        return BuildPlace(instance_type=groups[0].instance_type, zone_id=zone_ids[0])
    *_, place, name = min(offered)
    return BuildPlace(instance_type=name, zone_id=zone_ids[place])


def zones_with(instance_type: str, region: str) -> tuple[str, ...]:
    """Returns the zones of a region that offer a type, by the catalog; none of a type that it lacks."""
    row = INSTANCE_TYPES.get(instance_type)
    return row.availability_zone_ids.get(region, ()) if row else ()
