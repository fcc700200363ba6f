"""What must hold of the fast networks: EFA between nodes, NeuronLink inside an UltraServer."""

from collections.abc import Iterator

from trnstack.catalog import UltraServer
from trnstack.catalog.ultraservers import ultraservers_with
from trnstack.findings import Finding, Severity
from trnstack.rules import fleet
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup


def efa_is_on_types_that_have_it(environment: Environment) -> Iterator[Finding]:
    """EFA001: EFA is asked for only where the type has it.

    Source: EC2 user guide, "Elastic Fabric Adapter", supported instance types; DescribeInstanceTypes ``EfaInfo``.
    """
    for index, group in enumerate(environment.node_groups):
        if group.efa is True and fleet.efa_interfaces(group) == 0:
            yield Finding(
                code="EFA001",
                path=("node_groups", index, "efa"),
                message=f"{group.instance_type} has no EFA",
                hint="write efa: auto, or use a larger type such as trn1.32xlarge",
            )


def efa_is_on_between_nodes(environment: Environment) -> Iterator[Finding]:
    """EFA002: Nodes that train together use the EFA that they have: without it collectives go over TCP.

    Source: AWS Neuron documentation, "Neuron runtime: EFA"; EC2 user guide, "Elastic Fabric Adapter".
    """
    for index, group in enumerate(environment.node_groups):
        if group.efa is False and group.largest_count > 1 and fleet.efa_interfaces(group):
            yield Finding(
                code="EFA002",
                severity=Severity.WARNING,
                path=("node_groups", index, "efa"),
                message=f"without efa {group.largest_count} nodes of {group.instance_type} exchange data by TCP",
                hint="write efa: auto",
            )


def _ultraservers(group: NodeGroup) -> tuple[UltraServer, ...]:
    """Returns the UltraServers that a group's instances may stand in; none for a type that stands alone."""
    chip = fleet.chip_of(group)
    return ultraservers_with(group.instance_type, chip.name if chip else "")


def ultraservers_are_of_ultraserver_types(environment: Environment) -> Iterator[Finding]:
    """EFA003: Only trn2u and trn3 instances stand in UltraServers.

    Source: EC2 user guide, "Amazon EC2 UltraServers".
    """
    for index, group in enumerate(environment.node_groups):
        if group.ultraserver and not _ultraservers(group):
            yield Finding(
                code="EFA003",
                path=("node_groups", index, "ultraserver"),
                message=f"{group.instance_type} does not stand in UltraServers; trn2u and trn3 types do",
                hint="remove ultraserver, or use trn2u.48xlarge",
            )


def ultraserver_config_is_offered(environment: Environment) -> Iterator[Finding]:
    """EFA004: A Trn2 UltraServer's instances work alone, in pairs or all four together; of Trn3 only the size is known.

    Source: AWS Neuron documentation, "Trn2 UltraServer", ``NEURON_RT_ULTRASERVER_MODE`` and the node labels.
    """
    for index, group in enumerate(environment.node_groups):
        config = group.ultraserver.config if group.ultraserver else 0
        rows = _ultraservers(group)
        offered = {each for row in rows for each in row.configs or range(1, row.instances + 1)}
        if config and rows and config not in offered:
            smaller = max(each for each in offered if each < config)
            known = ", ".join(map(str, rows[0].configs)) or f"1 to {smaller}"
            yield Finding(
                code="EFA004",
                path=("node_groups", index, "ultraserver", "config"),
                message=f"config {config} is not one of {known}",
                hint=f"use {smaller}",
            )


def ultraserver_nodes_are_complete(environment: Environment) -> Iterator[Finding]:
    """EFA005: A node group is one UltraServer, or the part of it that its config says, and never grows beyond it.

    Source: AWS Neuron documentation, "Trn2 UltraServer"; the environment file's format, version 1.
    """
    for index, group in enumerate(environment.node_groups):
        if group.ultraserver and _ultraservers(group) and group.node_count != group.ultraserver.config:
            config = group.ultraserver.config
            size = "no fixed size" if group.node_count is None else f"node_count {group.node_count}"
            yield Finding(
                code="EFA005",
                path=("node_groups", index, "node_count"),
                message=f"{size} does not fit ultraserver config {config}: a group is one UltraServer",
                hint=f"write node_count: {config}, and a further node group for each further UltraServer",
            )


RULES = (
    efa_is_on_types_that_have_it,
    efa_is_on_between_nodes,
    ultraservers_are_of_ultraserver_types,
    ultraserver_config_is_offered,
    ultraserver_nodes_are_complete,
)
