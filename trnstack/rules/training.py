"""What must hold of the training run: its degrees of parallelism fit the model, the batch and the fleet."""

from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.rules import fleet
from trnstack.spec import Environment
from trnstack.spec.training import Training


def _fleets(environment: Environment) -> dict[str, int]:
    """Returns the logical cores of all nodes of each instance type, where every group has a size."""
    cores: dict[str, int] = {}
    for _, group, row in fleet.known(environment):
        cores[row.name] = cores.get(row.name, 0) + fleet.logical_cores(group, row)
    return {name: count for name, count in cores.items() if count}


def _model_cores(training: Training) -> int:
    return training.parallelism.tensor * training.parallelism.pipeline


def parallelism_divides_the_fleet(environment: Environment) -> Iterator[Finding]:
    """TRN001: Tensor times pipeline divides the logical NeuronCores of a fleet, so that none stands idle.

    With data given as a number, all three degrees together make up the fleet.

    Source: AWS Neuron documentation, NxD Training, "YAML configuration settings", ``distributed_strategy``.
    """
    training, fleets = environment.training, _fleets(environment)
    if not training or not fleets:
        return
    data = training.parallelism.data
    needed = _model_cores(training) * (1 if data == "auto" else data)
    if any(cores % needed == 0 if data == "auto" else cores == needed for cores in fleets.values()):
        return
    have = ", ".join(f"{cores} cores of {name}" for name, cores in fleets.items())
    degrees = "tensor x pipeline" if data == "auto" else "tensor x pipeline x data"
    yield Finding(
        code="TRN001",
        severity=Severity.WARNING,
        path=("training", "parallelism"),
        message=f"{degrees} is {needed}, which leaves cores idle or lacks them: there are {have}",
        hint="choose degrees that divide the fleet, or another node_count",
    )


def heads_divide_among_the_tensor_degree(environment: Environment) -> Iterator[Finding]:
    """TRN002: The attention heads divide evenly among the cores that share a layer.

    Source: AWS Neuron documentation, NxD Core, "Tensor parallelism overview".
    """
    training = environment.training
    if training and training.model.attention_heads % training.parallelism.tensor:
        heads = training.model.attention_heads
        degrees = [each for each in range(1, heads + 1) if heads % each == 0]
        near = [max(each for each in degrees if each < training.parallelism.tensor)]
        near += [each for each in degrees if each > training.parallelism.tensor][:1]
        yield Finding(
            code="TRN002",
            severity=Severity.WARNING,
            path=("training", "parallelism", "tensor"),
            message=f"{heads} attention heads do not divide by tensor {training.parallelism.tensor}",
            hint=f"use {' or '.join(map(str, near))}",
        )


def heads_share_keys_and_values_evenly(environment: Environment) -> Iterator[Finding]:
    """TRN006: As many heads of queries share each head of keys and values.

    Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints",
    section 2.2.
    """
    training = environment.training
    if training and training.model.key_value_heads and training.model.attention_heads % training.model.key_value_heads:
        heads = training.model.attention_heads
        yield Finding(
            code="TRN006",
            path=("training", "model", "key_value_heads"),
            message=f"{heads} attention heads do not divide by {training.model.key_value_heads} of keys and values",
            hint="use the model's own number, which its configuration calls num_key_value_heads",
        )


def the_batch_divides_among_the_data_degree(environment: Environment) -> Iterator[Finding]:
    """TRN003: The global batch is a multiple of micro batch times data degree, where that degree is given.

    Source: AWS Neuron documentation, NxD Training, "YAML configuration settings", ``global_batch_size``.
    """
    training = environment.training
    if not training or training.parallelism.data == "auto":
        return
    yield from _uneven_batch(training, training.parallelism.data, "TRN003", Severity.ERROR)


def _uneven_batch(training: Training, data: int, code: str, severity: Severity) -> Iterator[Finding]:
    step = training.micro_batch_size * data
    below = training.global_batch_size // step * step
    if below != training.global_batch_size:
        yield Finding(
            code=code,
            severity=severity,
            path=("training", "global_batch_size"),
            message=f"{training.global_batch_size} is no multiple of {step}, which is micro_batch_size x data ({data})",
            hint=f"use {below} or {below + step}" if below else f"use {step}",
        )


def layers_divide_among_the_pipeline(environment: Environment) -> Iterator[Finding]:
    """TRN004: The layers divide evenly among the pipeline's stages, which otherwise wait for the longest one.

    Source: AWS Neuron documentation, NxD Core, "Pipeline parallelism overview".
    """
    training = environment.training
    if training and training.model.layers % training.parallelism.pipeline:
        yield Finding(
            code="TRN004",
            severity=Severity.WARNING,
            path=("training", "parallelism", "pipeline"),
            message=f"{training.model.layers} layers do not divide by pipeline {training.parallelism.pipeline}",
            hint="use a degree that divides the layers",
        )


def the_batch_divides_among_the_fleet(environment: Environment) -> Iterator[Finding]:
    """TRN005: With data left to the fleet, the degree that comes out still divides the global batch.

    Source: AWS Neuron documentation, NxD Training, "YAML configuration settings", ``global_batch_size``.
    """
    training, fleets = environment.training, _fleets(environment)
    if not training or training.parallelism.data != "auto" or len(fleets) != 1:
        return
    (cores,) = fleets.values()
    data, rest = divmod(cores, _model_cores(training))
    if data and not rest:
        yield from _uneven_batch(training, data, "TRN005", Severity.WARNING)


RULES = (
    parallelism_divides_the_fleet,
    heads_divide_among_the_tensor_degree,
    heads_share_keys_and_values_evenly,
    the_batch_divides_among_the_data_degree,
    layers_divide_among_the_pipeline,
    the_batch_divides_among_the_fleet,
)
