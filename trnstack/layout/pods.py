"""What a node has for pods: cores, memory and huge pages, less what its system keeps."""

from dataclasses import dataclass

#: A node with the EFA driver sets aside so many pages of 2 MiB as it starts.
#: Source: EKS user guide, "Run machine learning training on Amazon EKS with Elastic Fabric Adapter".
_HUGE_PAGES, _HUGE_PAGE_MIB = 5_128, 2
HUGE_PAGES_MIB = _HUGE_PAGES * _HUGE_PAGE_MIB
#: What large nodes show instead: 14,082 MiB with 64 vCPUs and 21,122 MiB with 96, which is so much for each and 2 more.
#: The larger of the two is what memory has to do without; the smaller is what can be counted on.
#: Source: the allocatable resources of EKS nodes with EFA, as their users printed them; nobody publishes the rule.
_MIB_A_VCPU, _MIB_MORE = 220, 2
#: What a pod with EFA asks of them. Source: as above, the example job.
POD_HUGE_PAGES_MIB = 5_120

#: The kubelet evicts below so much free memory, and keeps so much for itself and for each pod.
#: Source: awslabs/amazon-eks-ami at 81fec2e, nodeadm/internal/kubelet/config.go.
_EVICTION_MIB, _KUBELET_MIB, _MIB_A_POD = 100, 255, 11
#: The thousandths of a core that it keeps: 60 of the first, 10 of the second, 5 of the next two, 2.5 of every further.
#: Source: as above.
_KEPT_OF_FIRST_FOUR, _KEPT_A_FURTHER = 80, 2.5
_FIRST_FOUR = 4
#: The share of an instance's memory that firmware and kernel take: not published; Karpenter assumes this much.
#: Source: karpenter-provider-aws, settings, ``VM_MEMORY_OVERHEAD_PERCENT``.
_OVERHEAD = 0.075
#: What is left to the DaemonSets of a node: theirs come to less than 600 thousandths of a core and 1 GiB. The sizes of
#: the margins are ours.
_DAEMON_MILLICORES, _DAEMON_MIB = 1_000, 2_048
#: Pods of a node of which nobody has published how many it can have: the most that EKS sets for a large one.
#: Source: EKS user guide, "Choose an optimal Amazon EC2 node instance type", maximum pods.
_MOST_PODS = 250
#: The part of a pod's memory that ``/dev/shm`` may take; ours. A file in it counts as the pod's memory.
#: Source: Kubernetes documentation, "Volumes", emptyDir.
_SHARED_PART = 4
_MIB_A_GIB = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRoom:
    """What a node has for pods.

    Attributes:
        millicores, memory_mib, huge_pages_mib: What all pods together can ask at most: the memory may be less, since
            what firmware and kernel take is not published.
        pod_cores, pod_memory_gib, pod_huge_pages_mib: What one pod may ask that has the node to itself, and fits with
            the node's DaemonSets.
        shared_memory_gib: How much of that memory its ``/dev/shm`` may take.
    """

    millicores: int
    memory_mib: int
    huge_pages_mib: int
    pod_cores: int
    pod_memory_gib: int
    pod_huge_pages_mib: int
    shared_memory_gib: int


def node_room(*, vcpus: int, memory_gib: int, most_pods: int | None, efa: bool) -> NodeRoom:
    """Returns what a node has for pods.

    Args:
        vcpus: The instance type's.
        memory_gib: The instance type's.
        most_pods: The most pods of the node; None where it is not published.
        efa: Whether the node has EFA, and with it huge pages. A pod's memory is what it would be with them either way,
            since the driver alone may set them aside.
    """
    kept_mib = _KUBELET_MIB + _MIB_A_POD * (_MOST_PODS if most_pods is None else most_pods) + _EVICTION_MIB
    millicores = vcpus * 1_000 - _KEPT_OF_FIRST_FOUR - int(_KEPT_A_FURTHER * max(0, vcpus - _FIRST_FOUR))
    usual_mib = int(memory_gib * _MIB_A_GIB * (1 - _OVERHEAD))
    set_aside_mib = max(HUGE_PAGES_MIB, _MIB_A_VCPU * vcpus + _MIB_MORE)
    pod_memory_gib = (usual_mib - kept_mib - set_aside_mib - _DAEMON_MIB) // _MIB_A_GIB
    return NodeRoom(
        millicores=millicores,
        memory_mib=memory_gib * _MIB_A_GIB - kept_mib - (HUGE_PAGES_MIB if efa else 0),
        huge_pages_mib=HUGE_PAGES_MIB if efa else 0,
        pod_cores=(millicores - _DAEMON_MILLICORES) // 1_000,
        pod_memory_gib=pod_memory_gib,
        pod_huge_pages_mib=POD_HUGE_PAGES_MIB if efa else 0,
        shared_memory_gib=pod_memory_gib // _SHARED_PART,
    )
