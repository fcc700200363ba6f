"""The instance type of a node group: the catalog's row, or what the environment itself states of a trn3 type."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.instance_types import INSTANCE_TYPES, ON_DEMAND_QUOTA, SPOT_QUOTA, is_opt_in
from trnstack.catalog.model import Fact, InstanceType
from trnstack.catalog.zones import ZONE_IDS
from trnstack.spec.node_groups import InstanceFacts, NodeGroup

#: The chip of every type that an environment may describe itself.
OPT_IN_CHIP = "trainium3"
_STATED = Fact(
    source="the environment's own instance_facts; the chip as in the catalog, from the AWS Neuron documentation",
    read_on=dt.date(2026, 11, 30),
)


def instance_type_of(group: NodeGroup) -> InstanceType:
    """Returns the instance type of a node group.

    Raises:
        KeyError: Nobody describes the type; rules ask ``known_instance_type_of``.
    """
    found = known_instance_type_of(group)
    if found is None:
        raise KeyError(group.instance_type)
    return found


def known_instance_type_of(group: NodeGroup) -> InstanceType | None:
    """Returns the instance type of a node group; None where neither the catalog nor the file describes it."""
    row = INSTANCE_TYPES.get(group.instance_type)
    if row is not None or not is_opt_in(group.instance_type) or group.instance_facts is None:
        return row
    return _stated(group.instance_type, group.instance_facts)


def _stated(name: str, facts: InstanceFacts) -> InstanceType:
    """Returns a trn3 type: the chip is the catalog's, the sizes are the file's, and the rest nobody has published."""
    return InstanceType(
        name=name,
        chip=OPT_IN_CHIP,
        neuron_devices=facts.neuron_devices,
        vcpus=facts.vcpus,
        memory_gib=facts.memory_gib,
        network_cards=facts.network_cards,
        interfaces_per_card=None,
        efa_interfaces=facts.efa_interfaces,
        ipv4_addresses_per_interface=None,
        network_gbps=None,
        network_card_gbps=None,
        local_disks=0,
        local_disk_gb=0,
        # Which of them AWS will sell is unknown; the person has the capacity, and says how.
        usage_classes=("capacity-block", "on-demand", "spot"),
        cluster_placement=True,
        availability_zone_ids=_by_region(facts.availability_zone_ids),
        on_demand_usd_per_hour=None,
        vcpu_quota_units=facts.vcpus,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_STATED,
        opt_in=True,
    )


def _by_region(zone_ids: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    known = {region: tuple(zone_id for zone_id in zone_ids if zone_id in zones) for region, zones in ZONE_IDS.items()}
    return MappingProxyType({region: zones for region, zones in known.items() if zones})
