"""Decides how EKS repairs the nodes of a node group."""

from trnstack.plan.model import RepairPlan
from trnstack.spec.node_groups import CapacityBlock, NodeGroup

#: What the node monitoring agent reports of Neuron devices, under the condition AcceleratedHardwareReady: errors that
#: a reboot does not mend.
#: Source: aws/eks-node-monitoring-agent at 51af549, docs/node-health-issues.adoc and monitors/neuron/monitor.go; AWS
#: Neuron documentation, "Neuron Runtime troubleshooting", hardware errors: terminate the instance.
REPLACED_REASONS = (
    "NeuronDMAError",
    "NeuronHBMUncorrectableError",
    "NeuronNCUncorrectableError",
    "NeuronSRAMUncorrectableError",
)


def repair(group: NodeGroup) -> RepairPlan | None:
    """Returns how the group's nodes are repaired; None where they are left alone.

    The limits are there so that a failure of what is common to nodes, such as a switch, does not end a fleet that would
    have come back by itself. EKS's own limit is a fifth of the nodes, and none up to five. It is told the number and
    not the share: of two nodes one alone is a half, and would be left as it is. Of a fleet that grows and shrinks it is
    the share of its fewest nodes.

    A block's nodes and an UltraServer's are replaced as all others are: what the old one leaves is cleaned up for some
    minutes and then free for the new one, in the same reservation.

    Source: EKS API reference, NodeRepairConfig; EKS user guide, "Automatically repair nodes in EKS clusters"; EC2 user
    guide, "Launch instances using Capacity Blocks".
    """
    if not group.node_repair:
        return None
    return RepairPlan(
        parallel_count=group.node_repair_parallel_count,
        unhealthy_count=max(_fewest(group) * group.node_repair_unhealthy_percent // 100, 1),
        replaced_reasons=REPLACED_REASONS,
    )


def _fewest(group: NodeGroup) -> int:
    """Returns of how many nodes the share is taken.

    Of a Capacity Block it is the reservation's: with a limit that followed the count, an edit of the count would change
    the node group itself, and its update would send the size that the group has before the block begins.
    """
    if isinstance(group.capacity, CapacityBlock):
        return group.capacity.instance_count
    return group.largest_count if group.min_count is None else group.min_count
