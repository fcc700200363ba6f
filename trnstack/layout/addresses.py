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
_METADATA_SERVERS, _IOPS_PER_METADATA_SERVER = 2, 12_000


#: A node group's nodes take no more pods than this, however many addresses they could have.
#: Source: EKS user guide, "Assign more IP addresses to Amazon EKS nodes with prefixes": 110 below 30 vCPUs, else 250.
_MANY_VCPUS, _MOST_PODS, _MOST_PODS_OF_MANY_VCPUS = 30, 110, 250
#: The VPC CNI and kube-proxy use the node's own address.
_PODS_WITHOUT_ADDRESS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAddresses:
    """The addresses that one fleet takes.

    Attributes:
        interfaces: The interfaces of a node that have an address.
        pods: What the VPC CNI keeps for a node's pods.
        per_node: Both together.
        surge_nodes: The nodes that an update starts before it stops old ones.
        nodes: The most nodes at one time, those included that an update starts before it stops old ones.
        total: Nodes times addresses of a node.
    """

    interfaces: int
    pods: int
    per_node: int
    surge_nodes: int
    nodes: int
    total: int

    @property
    def arithmetic(self) -> str:
        """How the total comes about, in words."""
        plural = "" if self.interfaces == 1 else "s"
        updating = f" + {self.surge_nodes} while updating" if self.surge_nodes else ""
        node = f"{self.interfaces} interface{plural} + {self.pods} for pods"
        return f"({self.nodes - self.surge_nodes:,} nodes{updating}) x ({node})"


def node_addresses(interfaces: Sequence[Interface], *, largest_count: int, surge_count: int) -> NodeAddresses:
    """Returns what a node group takes from its subnet.

    Args:
        interfaces: The interfaces of one node.
        largest_count: The most nodes that the group can have.
        surge_count: The nodes that an update starts before it stops old ones.
    """
    with_address = sum(interface.has_address for interface in interfaces)
    per_node = with_address + MINIMUM_IP_TARGET
    nodes = largest_count + surge_count
    return NodeAddresses(
        interfaces=with_address,
        pods=MINIMUM_IP_TARGET,
        per_node=per_node,
        surge_nodes=surge_count,
        nodes=nodes,
        total=per_node * nodes,
    )


def most_pods(*, interfaces: int | None, addresses_per_interface: int | None, vcpus: int) -> int | None:
    """Returns the most pods that a node can have; None where interfaces or addresses are not known.

    The VPC CNI takes addresses on the interfaces of network card 0 alone, and leaves each interface its first one.

    Args:
        interfaces: The most interfaces on network card 0.
        addresses_per_interface: IPv4 addresses of each, the primary one counted.
        vcpus: The node's vCPUs, by which EKS bounds the number.

    Source: awslabs/amazon-eks-ami, nodeadm/internal/kubelet/eni-max-pods.txt and the formula at its head.
    """
    if interfaces is None or addresses_per_interface is None:
        return None
    limit = _MOST_PODS_OF_MANY_VCPUS if vcpus >= _MANY_VCPUS else _MOST_PODS
    return min(interfaces * (addresses_per_interface - 1) + _PODS_WITHOUT_ADDRESS, limit)


def file_system_addresses(
    whole: int, *, per_server: int = GIB_PER_FILE_SERVER, metadata_iops: int | None = None
) -> int:
    """Returns an upper bound of the addresses that a Lustre file system takes from its subnet: one for each server.

    Args:
        whole: Its size in GiB, or of INTELLIGENT_TIERING its throughput in MB/s.
        per_server: As much of it as one server has.
        metadata_iops: The metadata operations a second that are asked for; None where they come with the size.

    Source: FSx for Lustre user guide, "IP addresses for file systems".
    """
    return -(-whole // per_server) + metadata_servers(metadata_iops)


def metadata_servers(metadata_iops: int | None) -> int:
    """Returns an upper bound of a Lustre file system's metadata servers.

    Source: FSx for Lustre user guide, "IP addresses for file systems": one for every 12,000 operations a second.
    """
    return _METADATA_SERVERS + (metadata_iops or 0) // _IOPS_PER_METADATA_SERVER
