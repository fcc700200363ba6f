"""What rules ask of node groups: the catalog's row, the chip, the zone, the reservation, the EFA interfaces."""

from collections.abc import Iterator

from trnstack.catalog import CHIPS, Chip, InstanceType
from trnstack.catalog.effective import OPT_IN_CHIP, known_instance_type_of
from trnstack.catalog.instance_types import is_opt_in
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock, CapacityReservation, NodeGroup

Reservation = CapacityReservation | CapacityBlock


def known(environment: Environment) -> Iterator[tuple[int, NodeGroup, InstanceType]]:
    """Yields position, node group and type of every group whose type the catalog or the file itself describes."""
    for index, group in enumerate(environment.node_groups):
        row = known_instance_type_of(group)
        if row:
            yield index, group, row


def reserved(environment: Environment) -> Iterator[tuple[int, NodeGroup, Reservation]]:
    """Yields position, node group and reservation of every group that stands on one, blocks among them."""
    for index, group in enumerate(environment.node_groups):
        if isinstance(group.capacity, Reservation):
            yield index, group, group.capacity


def reservation_name(reservation: Reservation) -> str:
    """Returns the reservation's id, or the ARN of its resource group; empty while neither is given."""
    return reservation.capacity_reservation_id or reservation.capacity_reservation_resource_group_arn or ""


def has_size(group: NodeGroup) -> bool:
    """Tells whether the file says how large a node group may become."""
    return group.node_count is not None or group.max_count is not None


def zone_of(environment: Environment, group: NodeGroup) -> str:
    """Returns the zone of a node group: its own, or the environment's first."""
    return group.availability_zone_id or environment.availability_zone_ids[0]


def chip_of(group: NodeGroup) -> Chip | None:
    """Returns the chip of a node group's type; None where the type is unknown."""
    row = known_instance_type_of(group)
    if row:
        return CHIPS[row.chip]
    return CHIPS[OPT_IN_CHIP] if is_opt_in(group.instance_type) else None


def efa_interfaces(group: NodeGroup) -> int | None:
    """Returns the most EFA interfaces of a node, from the catalog or the file; None where nobody says."""
    row = known_instance_type_of(group)
    return row.efa_interfaces if row else None


def logical_cores(group: NodeGroup, row: InstanceType) -> int:
    """Returns the NeuronCores that jobs see on all nodes of a group at its largest."""
    chip = CHIPS[row.chip]
    config = group.logical_neuroncore_config or chip.default_logical_neuroncore_config or 1
    return group.largest_count * row.neuron_devices * chip.physical_cores // config
