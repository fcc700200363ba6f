"""What must hold of the Neuron settings: cores, rounding, variables and compiler flags agree."""

from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.rules import fleet
from trnstack.spec import Environment

#: Variables that the toolkit sets for every job, and the setting that each follows.
SET_BY_THE_TOOLKIT = {
    "NEURON_LOGICAL_NC_CONFIG": "logical_neuroncore_config of the node group",
    "NEURON_RT_ROOT_COMM_ID": "the job's first worker",
    "NEURON_PJRT_PROCESSES_NUM_DEVICES": "the job's nodes and their devices",
    "NEURON_PJRT_PROCESS_INDEX": "the place of a node in its job",
    "NEURON_RT_STOCHASTIC_ROUNDING_EN": "neuron.stochastic_rounding",
    "NEURON_CC_FLAGS": "neuron.compiler_flags",
    "FI_PROVIDER": "efa of the node group",
    "FI_EFA_USE_DEVICE_RDMA": "efa of the node group",
}
#: Variables that a release stopped to read, and that release.
_IGNORED_SINCE = {"NEURON_RT_ASYNC_EXEC_MAX_INFLIGHT_REQUESTS": (2, 31)}
_CORE_FLAGS = ("--logical-nc-config", "-lnc")


def logical_neuroncore_config_is_offered(environment: Environment) -> Iterator[Finding]:
    """NEU001: A node group's logical NeuronCores are of a size that its chip has.

    Source: AWS Neuron documentation, "Logical NeuronCore configuration".
    """
    for index, group in enumerate(environment.node_groups):
        chip = fleet.chip_of(group)
        config = group.logical_neuroncore_config
        if chip and config and config not in chip.logical_neuroncore_configs:
            yield Finding(
                code="NEU001",
                path=("node_groups", index, "logical_neuroncore_config"),
                message=f"{chip.name} of {group.instance_type} can't join {config} cores to one",
                hint="remove logical_neuroncore_config",
            )


def rounding_has_something_to_round(environment: Environment) -> Iterator[Finding]:
    """NEU002: Stochastic rounding is on only where results are rounded to fewer than 32 bits.

    Source: AWS Neuron documentation, "Neuron rounding modes".
    """
    if environment.neuron.stochastic_rounding and environment.neuron.precision == "fp32":
        yield Finding(
            code="NEU002",
            severity=Severity.WARNING,
            path=("neuron", "stochastic_rounding"),
            message="stochastic rounding has no effect with precision fp32",
            hint="write stochastic_rounding: false, or precision: bf16",
        )


def variables_of_the_toolkit_are_left_alone(environment: Environment) -> Iterator[Finding]:
    """NEU003: The variables that the toolkit derives from other settings are not set by hand beside them.

    Source: AWS Neuron documentation, "NeuronX runtime configuration"; libfabric, fi_efa(7).
    """
    for name in environment.neuron.environment:
        if name in SET_BY_THE_TOOLKIT:
            yield Finding(
                code="NEU003",
                path=("neuron", "environment", name),
                message=f"{name} is set by the toolkit and can't be set here",
                hint=f"remove it: it follows {SET_BY_THE_TOOLKIT[name]}",
            )


def variables_are_read_by_the_release(environment: Environment) -> Iterator[Finding]:
    """NEU004: The variables are ones that the release still reads.

    Source: AWS Neuron documentation, release notes of 2.31, Neuron runtime.
    """
    release = tuple(int(part) for part in environment.neuron.sdk.split("."))
    for name in environment.neuron.environment:
        since = _IGNORED_SINCE.get(name)
        if since and release >= since:
            yield Finding(
                code="NEU004",
                severity=Severity.WARNING,
                path=("neuron", "environment", name),
                message=f"{name} is ignored since release {'.'.join(map(str, since))}",
                hint="remove it",
            )


def cores_are_not_a_compiler_flag(environment: Environment) -> Iterator[Finding]:
    """NEU005: The size of logical NeuronCores is set on the node group, from which compiler and runtime both have it.

    Source: AWS Neuron documentation, "Logical NeuronCore configuration": compiler and runtime must agree.
    """
    for index, flag in enumerate(environment.neuron.compiler_flags):
        if flag.strip().replace("=", " ").partition(" ")[0] in _CORE_FLAGS:
            yield Finding(
                code="NEU005",
                path=("neuron", "compiler_flags", index),
                message=f"flag '{flag}' is set by the toolkit, for the compiler and the runtime alike",
                hint="remove it, and write logical_neuroncore_config on the node group",
            )


def unpublished_logical_neuroncore_config_is_given(environment: Environment) -> Iterator[Finding]:
    """NEU006: Where AWS has not said how many cores a chip joins to one by default, the node group says it.

    Source: AWS Neuron documentation, "Logical NeuronCore configuration": it states the default of Trn2 only.
    """
    for index, group in enumerate(environment.node_groups):
        chip = fleet.chip_of(group)
        if chip and chip.default_logical_neuroncore_config is None and group.logical_neuroncore_config is None:
            offered = " or ".join(map(str, chip.logical_neuroncore_configs))
            yield Finding(
                code="NEU006",
                path=("node_groups", index, "logical_neuroncore_config"),
                message=f"the default of {chip.name} is not published, and cores could not be counted",
                hint=f"write logical_neuroncore_config: {offered}",
            )


RULES = (
    logical_neuroncore_config_is_offered,
    rounding_has_something_to_round,
    variables_of_the_toolkit_are_left_alone,
    variables_are_read_by_the_release,
    cores_are_not_a_compiler_flag,
    unpublished_logical_neuroncore_config_is_given,
)
