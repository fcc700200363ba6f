"""What must hold of what runs in the cluster: versions fit, and each part has the others that it needs."""

from collections.abc import Iterator

from ami.tables import add_on_versions, charts
from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.catalog.kubernetes_versions import KUBECTL_VERSIONS
from trnstack.findings import Finding, Severity
from trnstack.plan.cluster import add_on_names, chart_names
from trnstack.rules import fleet
from trnstack.spec import Environment

#: Kueue's description of a node group has room for so many taints.
_MOST_TAINTS_IN_A_QUEUE = 8
_REPAIR_LIMITS = ("node_repair_parallel_count", "node_repair_unhealthy_percent")


def _minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _known_types(environment: Environment) -> bool:
    """Tells whether all types are known, without which nobody can say which charts there are."""
    return len(list(fleet.known(environment))) == len(environment.node_groups)


def charts_serve_the_version(environment: Environment) -> Iterator[Finding]:
    """K8S008: The Kubernetes version is not older than what the authors of a chart name.

    Source: ami/charts.yaml, ``kubernetes_minimum``, with the source of each.
    """
    version = environment.eks.kubernetes_version
    if version not in KUBERNETES_VERSIONS or not _known_types(environment):
        return
    for name in chart_names(environment):
        row = charts()[name]
        oldest = row.kubernetes_minimum
        if oldest and _minor(version) < _minor(oldest):
            yield Finding(
                code="K8S008",
                path=("eks", "kubernetes_version"),
                message=f"chart {name} {row.version} is for Kubernetes {oldest} and later, not {version}",
                hint=f"use Kubernetes {oldest} or later",
            )


def add_ons_serve_the_version(environment: Environment) -> Iterator[Finding]:
    """K8S009: Of every add-on a build is known for the Kubernetes version; else only an account can tell one.

    Source: ami/add_ons.yaml, with the source of each; EKS API reference, DescribeAddonVersions.
    """
    version = environment.eks.kubernetes_version
    if version not in KUBERNETES_VERSIONS:
        return
    table = add_on_versions()
    missing = [name for name in add_on_names(environment) if version not in table.get(name, {})]
    if missing:
        served = [each for each in KUBERNETES_VERSIONS if all(each in table.get(name, {}) for name in missing)]
        instead = f"use Kubernetes {' or '.join(served)}, or lock" if served else "lock"
        yield Finding(
            code="K8S009",
            severity=Severity.WARNING,
            path=("eks", "kubernetes_version"),
            message=f"no build of {', '.join(missing)} is known for Kubernetes {version}",
            hint=f"{instead} with an account's credentials, which can be asked",
        )


def kubectl_serves_the_version(environment: Environment) -> Iterator[Finding]:
    """K8S010: Where the stacks apply what runs in the cluster, there is a kubectl of its version.

    kubectl works with API servers one minor older and one newer, and is of the cluster's own here.

    Source: Kubernetes, "Version Skew Policy"; the packages aws-cdk.lambda-layer-kubectl-vNN.
    """
    version = environment.eks.kubernetes_version
    if environment.kubernetes.delivery != "cdk" or version not in KUBERNETES_VERSIONS:
        return
    if version not in KUBECTL_VERSIONS:
        yield Finding(
            code="K8S010",
            path=("eks", "kubernetes_version"),
            message=f"the stacks have no kubectl for Kubernetes {version}",
            hint=f"use Kubernetes {' or '.join(KUBECTL_VERSIONS)}, or write delivery: gitops under kubernetes",
        )


def repositories_can_be_reached(environment: Environment) -> Iterator[Finding]:
    """K8S011: With delivery by gitops, the controller in the cluster has a way to its repository.

    Source: Argo CD documentation, "Declarative setup", repositories; Flux documentation, "GitRepository".
    """
    network = environment.network
    if environment.kubernetes.delivery == "gitops" and network.nat_gateways == 0 and not network.existing_vpc:
        yield Finding(
            code="K8S011",
            severity=Severity.WARNING,
            path=("kubernetes", "delivery"),
            message="nothing leads out of the VPC, so a controller in the cluster reaches no repository outside it",
            hint="write nat_gateways: 1, host the repository inside, or write delivery: cdk",
        )


def parts_of_nodes_are_neighbours(environment: Environment) -> Iterator[Finding]:
    """K8S012: The Neuron scheduler runs where a job may ask for some of a node's devices.

    Without it they may not be neighbours, and what runs between them is slower or fails.

    Source: AWS Neuron documentation, "Neuron scheduler extension".
    """
    several = [row.name for _, _, row in fleet.known(environment) if row.neuron_devices > 1]
    if environment.kubernetes.neuron_scheduler is False and several:
        yield Finding(
            code="K8S012",
            severity=Severity.NOTE,
            path=("kubernetes", "neuron_scheduler"),
            message=f"jobs can't ask for part of a node of {several[0]}: the devices may not be neighbours",
            hint="write neuron_scheduler: auto, unless every job has its nodes to itself",
        )


def the_neuron_scheduler_has_a_choice(environment: Environment) -> Iterator[Finding]:
    """K8S013: The Neuron scheduler is asked for where a node has more than one device to choose from.

    Source: AWS Neuron documentation, "Neuron scheduler extension".
    """
    rows = [row for _, _, row in fleet.known(environment)]
    if environment.kubernetes.neuron_scheduler is True and rows and all(row.neuron_devices == 1 for row in rows):
        yield Finding(
            code="K8S013",
            severity=Severity.NOTE,
            path=("kubernetes", "neuron_scheduler"),
            message="every node has one Neuron device, among which there is nothing to choose",
            hint="write neuron_scheduler: auto",
        )


def the_file_system_has_a_driver(environment: Environment) -> Iterator[Finding]:
    """K8S014: A file system has the driver by which pods mount it.

    Source: EKS user guide, "Use high-performance app storage with Amazon FSx for Lustre".
    """
    if environment.kubernetes.fsx_csi is False and environment.storage.lustre is not None:
        yield Finding(
            code="K8S014",
            severity=Severity.WARNING,
            path=("kubernetes", "fsx_csi"),
            message="the file system has no driver in the cluster, so no pod can mount it",
            hint="write fsx_csi: auto, unless you install the driver yourself",
        )


def the_driver_has_a_file_system(environment: Environment) -> Iterator[Finding]:
    """K8S015: The FSx driver is asked for where there is a file system.

    It may look at file systems and make none, so without one of the environment's it has little to do.

    Source: the environment file's format, version 1.
    """
    if environment.kubernetes.fsx_csi is True and environment.storage.lustre is None:
        yield Finding(
            code="K8S015",
            severity=Severity.NOTE,
            path=("kubernetes", "fsx_csi"),
            message="the driver has no file system of this environment to mount",
            hint="write fsx_csi: auto, or add storage.lustre",
        )


def jobs_get_all_their_nodes(environment: Environment) -> Iterator[Finding]:
    """K8S016: Jobs of several nodes wait in a queue until all of their nodes are free.

    Without one, two jobs can each hold some of the nodes that the other waits for.

    Source: Kueue documentation, "All-or-nothing with ready Pods".
    """
    several = [group.name for group in environment.node_groups if group.largest_count > 1]
    if not environment.kubernetes.kueue and several:
        yield Finding(
            code="K8S016",
            severity=Severity.NOTE,
            path=("kubernetes", "kueue"),
            message=f"jobs of several nodes of '{several[0]}' may each hold nodes that another waits for",
            hint="write kueue: true, unless one job runs at a time",
        )


def taints_fit_the_queue(environment: Environment) -> Iterator[Finding]:
    """K8S017: With Kueue a node group has at most eight taints, for so many its description of the group takes.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/kueue/v1beta2/resourceflavor_types.go.
    """
    for index, group in enumerate(environment.node_groups):
        if environment.kubernetes.kueue and len(group.taints) > _MOST_TAINTS_IN_A_QUEUE:
            yield Finding(
                code="K8S017",
                path=("node_groups", index, "taints"),
                message=f"{len(group.taints)} taints are more than the {_MOST_TAINTS_IN_A_QUEUE} that Kueue takes",
                hint=f"remove {len(group.taints) - _MOST_TAINTS_IN_A_QUEUE} of them, or write kueue: false",
            )


def limits_of_repair_have_an_effect(environment: Environment) -> Iterator[Finding]:
    """K8S018: Limits of node repair are given where nodes are repaired.

    Source: EKS API reference, NodeRepairConfig, ``enabled``.
    """
    for index, group in enumerate(environment.node_groups):
        for name in _REPAIR_LIMITS if not group.node_repair else ():
            if name in group.model_fields_set:
                yield Finding(
                    code="K8S018",
                    severity=Severity.WARNING,
                    path=("node_groups", index, name),
                    message=f"{name} has no effect without node_repair",
                    hint="remove it, or write node_repair: true",
                )


RULES = (
    charts_serve_the_version,
    add_ons_serve_the_version,
    kubectl_serves_the_version,
    repositories_can_be_reached,
    parts_of_nodes_are_neighbours,
    the_neuron_scheduler_has_a_choice,
    the_file_system_has_a_driver,
    the_driver_has_a_file_system,
    jobs_get_all_their_nodes,
    taints_fit_the_queue,
    limits_of_repair_have_an_effect,
)
