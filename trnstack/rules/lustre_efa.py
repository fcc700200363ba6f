"""What must hold of a Lustre file system that nodes reach by EFA."""

from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.layout.lustre import EFA_STEPS_GIB, TIERING_STEP_MBPS
from trnstack.layout.lustre_clients import reaches_by_efa
from trnstack.plan.storage import in_its_zone
from trnstack.rules import fleet
from trnstack.rules.lustre import LUSTRE, neighbours, new_file_system
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup


def lustre_efa_is_for_persistent_2(environment: Environment) -> Iterator[Finding]:
    """FSX008: EFA to the file system is for PERSISTENT_2 only (FSX-09).

    Source: FSx for Lustre user guide, "Working with EFA-enabled file systems".
    """
    lustre = new_file_system(environment)
    if lustre and lustre.efa_enabled and lustre.deployment_type != "PERSISTENT_2":
        yield Finding(
            code="FSX008",
            path=(*LUSTRE, "efa_enabled"),
            message=f"efa_enabled is for PERSISTENT_2, not for {lustre.deployment_type}",
            hint="write efa_enabled: false, or deployment_type: PERSISTENT_2",
        )


def lustre_efa_has_its_size(environment: Environment) -> Iterator[Finding]:
    """FSX009: A file system with EFA has a size, or with INTELLIGENT_TIERING a throughput, in larger steps.

    Source: FSx for Lustre user guide, "Managing storage capacity", "Working with EFA-enabled file systems".
    """
    lustre = new_file_system(environment)
    if not lustre or not lustre.efa_enabled or lustre.deployment_type != "PERSISTENT_2":
        return
    if lustre.storage_type == "SSD":
        field, value, unit = "storage_gib", lustre.storage_gib, "GiB"
        step = EFA_STEPS_GIB.get(lustre.throughput_mbps_per_tib, 1)
    else:
        field, value, unit = "throughput_capacity_mbps", lustre.throughput_capacity_mbps or 0, "MB/s"
        step = TIERING_STEP_MBPS
    if value % step:
        yield Finding(
            code="FSX009",
            path=(*LUSTRE, field),
            message=f"{value} {unit} with efa_enabled is not a multiple of {step}",
            hint=neighbours(value, step),
        )


def _uses_lustre_efa(environment: Environment, group: NodeGroup) -> bool:
    used = 0 if group.efa is False else fleet.efa_interfaces(group) or 0
    return in_its_zone(environment, group) and reaches_by_efa(group.instance_type, efa_interfaces=used)


def _nodes_of(environment: Environment, group: NodeGroup) -> str:
    elsewhere = "" if in_its_zone(environment, group) else f" in {fleet.zone_of(environment, group)}"
    return f"{group.instance_type}{elsewhere}"


def lustre_efa_has_clients(environment: Environment) -> Iterator[Finding]:
    """FSX010: EFA to the file system is on where nodes can use it: trn2 nodes can't, nor those without EFA.

    Nor can those of another zone, from which EFA does not reach.

    Source: FSx for Lustre user guide, "Prerequisites for using EFA-enabled file systems"; AWS ParallelCluster user
    guide, "Elastic Fabric Adapter".
    """
    lustre, groups = environment.storage.lustre, environment.node_groups
    if lustre and lustre.efa_enabled and not any(_uses_lustre_efa(environment, group) for group in groups):
        nodes = ", ".join(dict.fromkeys(_nodes_of(environment, group) for group in groups))
        adopted = lustre.existing_file_system is not None
        yield Finding(
            code="FSX010",
            severity=Severity.WARNING,
            path=(*LUSTRE, "efa_enabled"),
            message=f"efa_enabled is of no use to {nodes}",
            hint="remove it: they reach the file system by TCP"
            if adopted
            else "write efa_enabled: false, which allows smaller sizes",
        )


def efa_clients_are_set_up(environment: Environment) -> Iterator[Finding]:
    """FSX027: Nodes reach a file system by EFA once their Lustre client is set up for it; until then by TCP.

    Source: FSx for Lustre user guide, "Configuring EFA clients"; EKS user guide, "Optimize Amazon FSx for Lustre
    performance on nodes (EFA)".
    """
    lustre = environment.storage.lustre
    if lustre and lustre.efa_enabled:
        yield Finding(
            code="FSX027",
            severity=Severity.NOTE,
            path=(*LUSTRE, "efa_enabled"),
            message="nodes mount the file system by TCP until their Lustre client is set up for EFA",
            hint="set it up in a custom image or by a DaemonSet, as the FSx user guide shows",
        )


RULES = (
    lustre_efa_is_for_persistent_2,
    lustre_efa_has_its_size,
    lustre_efa_has_clients,
    efa_clients_are_set_up,
)
