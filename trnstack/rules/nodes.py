"""What must hold of a node itself: its labels, taints and disks."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.rules import fleet
from trnstack.rules.shape import repeated
from trnstack.spec import Environment

#: EKS refuses the first three; the toolkit sets labels of its own under the last.
_RESERVED = ("kubernetes.io", "k8s.io", "eks.amazonaws.com", "trnstack")
_LONGEST_KEY = 63
#: A Neuron container image unpacks to 20 GB and more, and kubelet evicts from 85 percent on.
_ROOM_FOR_IMAGES_GIB = 100
_MOST_TAINTS = 50


def _reserved_domain(key: str) -> str:
    domain, slash, _ = key.partition("/")
    return next((each for each in _RESERVED if slash and f".{domain}".endswith(f".{each}")), "")


def _keys(environment: Environment) -> Iterator[tuple[Path, str]]:
    for index, group in enumerate(environment.node_groups):
        for key in group.labels:
            yield ("node_groups", index, "labels", key), key
        for position, taint in enumerate(group.taints):
            yield ("node_groups", index, "taints", position, "key"), taint.key


def node_keys_are_not_reserved(environment: Environment) -> Iterator[Finding]:
    """K8S001: Labels and taints keep out of the domains that EKS refuses and the toolkit uses itself.

    Source: EKS API, CreateNodegroup: "cannot contain reserved prefixes"; aws/containers-roadmap issue 1451.
    """
    for path, key in _keys(environment):
        domain = _reserved_domain(key)
        if domain:
            yield Finding(
                code="K8S001",
                path=path,
                message=f"key '{key}' is in {domain}, which is reserved",
                hint="use a domain of your own, such as example.com/team",
            )


def node_keys_are_short(environment: Environment) -> Iterator[Finding]:
    """K8S002: Labels' and taints' keys have at most 63 characters, of which EKS counts the domain in.

    Source: EKS API reference, CreateNodegroup, ``labels``; Taint, ``key``.
    """
    for path, key in _keys(environment):
        if len(key) > _LONGEST_KEY:
            yield Finding(
                code="K8S002",
                path=path,
                message=f"key '{key}' has {len(key)} characters, and EKS takes {_LONGEST_KEY}",
                hint="shorten it",
            )


def taints_are_unique(environment: Environment) -> Iterator[Finding]:
    """K8S003: No taint has the key and effect of another one of its node group.

    Source: Kubernetes API reference, NodeSpec, ``taints``: unique by key and effect.
    """
    for index, group in enumerate(environment.node_groups):
        for position, name in repeated([f"{taint.key}:{taint.effect}" for taint in group.taints]):
            yield Finding(
                code="K8S003",
                path=("node_groups", index, "taints", position),
                message=f"taint '{name}' is given twice",
                hint="remove one of the two",
            )


def taints_are_few(environment: Environment) -> Iterator[Finding]:
    """K8S007: A node group has at most 50 taints.

    Source: EKS API reference, CreateNodegroup, ``taints``: the quota "Taints per managed node group".
    """
    for index, group in enumerate(environment.node_groups):
        if len(group.taints) > _MOST_TAINTS:
            yield Finding(
                code="K8S007",
                path=("node_groups", index, "taints"),
                message=f"{len(group.taints)} taints are more than {_MOST_TAINTS}",
                hint=f"remove {len(group.taints) - _MOST_TAINTS} of them",
            )


def accelerators_are_tainted(environment: Environment) -> Iterator[Finding]:
    """K8S004: Accelerator nodes have a taint: otherwise pods that need no accelerator fill them.

    Source: EKS user guide, "Prevent Pods from being scheduled on specific nodes".
    """
    for index, group in enumerate(environment.node_groups):
        if not any(taint.effect != "PREFER_NO_SCHEDULE" for taint in group.taints):
            yield Finding(
                code="K8S004",
                severity=Severity.WARNING,
                path=("node_groups", index, "taints"),
                message=f"nothing keeps other pods off the accelerators of '{group.name}'",
                hint="leave taints out for the default, aws.amazon.com/neuron: NO_SCHEDULE",
            )


def the_root_volume_holds_the_images(environment: Environment) -> Iterator[Finding]:
    """K8S005: Without local storage the root volume is large enough for container images.

    Source: awslabs/amazon-eks-ami issue 1171; Kubernetes documentation, "Node-pressure eviction".
    """
    for index, group in enumerate(environment.node_groups):
        if group.local_storage == "none" and group.root_volume_gib < _ROOM_FOR_IMAGES_GIB:
            yield Finding(
                code="K8S005",
                severity=Severity.WARNING,
                path=("node_groups", index, "root_volume_gib"),
                message=f"{group.root_volume_gib} GiB hold few of the large Neuron images, and pods are evicted",
                hint=f"write root_volume_gib: {_ROOM_FOR_IMAGES_GIB} or more, or local_storage: raid0",
            )


def raid0_has_disks(environment: Environment) -> Iterator[Finding]:
    """K8S006: Local storage is asked for where the type has local disks.

    Source: EC2 API reference, DescribeInstanceTypes, ``InstanceStorageInfo``; nodeadm documentation, ``localStorage``.
    """
    for index, group, row in fleet.known(environment):
        if group.local_storage == "raid0" and row.local_disks == 0:
            unknown = f"whether {group.instance_type} has local disks is not published"
            yield Finding(
                code="K8S006",
                path=("node_groups", index, "local_storage"),
                message=unknown if row.opt_in else f"{group.instance_type} has no local disks",
                hint="write local_storage: none",
            )


def updates_take_no_more_than_there_is(environment: Environment) -> Iterator[Finding]:
    """K8S019: An update takes away no more nodes at a time than the node group can have.

    A group that is scaled to nothing keeps its number for the time when it has nodes again.

    Source: hashicorp/terraform-provider-aws issue 26535 and pull request 26551, which quote EKS's refusal.
    """
    for index, group in enumerate(environment.node_groups):
        most = group.largest_count
        if 0 < most < group.max_unavailable:
            nodes = "1 node" if most == 1 else f"{most} nodes"
            yield Finding(
                code="K8S019",
                path=("node_groups", index, "max_unavailable"),
                message=f"max_unavailable is {group.max_unavailable}, and EKS refuses more than the group's {nodes}",
                hint=f"write max_unavailable: {most} or less",
            )


RULES = (
    node_keys_are_not_reserved,
    node_keys_are_short,
    taints_are_unique,
    taints_are_few,
    accelerators_are_tainted,
    the_root_volume_holds_the_images,
    raid0_has_disks,
    updates_take_no_more_than_there_is,
)
