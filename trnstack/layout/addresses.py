"""How many IPv4 addresses nodes take from their subnet."""

from collections.abc import Sequence
from dataclasses import dataclass

from trnstack.layout.interfaces import Interface

#: What the VPC CNI keeps ready on a node. Left alone it keeps a whole interface's worth: 50 and more on trn types.
#: A training node runs about a dozen pods with addresses of their own (jobs use the host's network), so sixteen
#: addresses from the start and four spare ones avoid both waste and waiting.
#: Source: amazon-vpc-cni-k8s, docs/eni-and-ip-target.md.
WARM_IP_TARGET = 4
MINIMUM_IP_TARGET = 16
#: FSx for Lustre has its interfaces in the same subnet, one for each server. A server for every 1,200 GiB of SSD and
#: one for metadata is the smallest unit AWS names; the figure only has to be large enough.
GIB_PER_FILE_SERVER = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAddresses:
    """The addresses that one fleet takes.

    Attributes:
        per_node: The interfaces with an address and the pods' addresses.
        nodes: The most nodes at one time, those included that an update starts before it stops old ones.
        total: Their product.
    """

    per_node: int
    nodes: int
    total: int


def node_addresses(interfaces: Sequence[Interface], *, largest_count: int, surge_count: int) -> NodeAddresses:
    """Returns what a node group takes from its subnet.

    Args:
        interfaces: The interfaces of one node.
        largest_count: The most nodes that the group can have.
        surge_count: The nodes that an update starts before it stops old ones.
    """
    per_node = sum(interface.has_address for interface in interfaces) + MINIMUM_IP_TARGET
    nodes = largest_count + surge_count
    return NodeAddresses(per_node=per_node, nodes=nodes, total=per_node * nodes)


def file_system_addresses(storage_gib: int) -> int:
    """Returns an upper bound of the addresses that a Lustre file system of this size takes from its subnet."""
    return -(-storage_gib // GIB_PER_FILE_SERVER) + 2
