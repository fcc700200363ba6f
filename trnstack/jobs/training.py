"""What training jobs are told of the run, and which runs they can't have."""

import json
from collections.abc import Iterator
from typing import Any

from trnstack.findings import Finding
from trnstack.jobs import request as kinds
from trnstack.jobs.choices import devices_of, framework_of, nodes_of
from trnstack.jobs.models import LLAMAS, Llama, config, llama_of
from trnstack.jobs.request import JobRequest, refusal
from trnstack.plan import Plan
from trnstack.plan.model import FleetPlan
from trnstack.spec import Environment
from trnstack.spec.training import Training

#: What NxDT and the JAX script train in; the other formats they do not know.
_BF16 = "bf16"
_PRECISIONS = (_BF16, "fp32")
#: The most of ZeRO's stages that NxD has.
_MOST_ZERO = 1
#: Steps where the environment does not say how many tokens there are; ours.
_STEPS = 1_000


def training_refusals(environment: Environment, plan: Plan, fleet: FleetPlan, request: JobRequest) -> Iterator[Finding]:
    """Yields JOB010: why what the environment trains can't be trained, or not on these nodes."""
    training = environment.training
    if training is None:
        hint = "say there what is trained; --kind smoke needs no such section"
        yield refusal("JOB010", "training", f"{request.kind} needs the section training, which is not there", hint)
        return
    if llama_of(training.model) is None:
        known = ", ".join(llama.name for llama in LLAMAS)
        message = f"no model of this shape is known: {request.kind} knows {known}"
        yield refusal("JOB010", "training.model", message, "write the shape of one of them")
    if environment.neuron.precision not in _PRECISIONS:
        message = f"{request.kind} does not know precision {environment.neuron.precision}"
        yield refusal("JOB010", "neuron.precision", message, f"write {' or '.join(_PRECISIONS)}")
    yield from _parallelism(environment, training, framework_of(environment, request))
    nodes = nodes_of(plan, fleet, request)
    cores = nodes * fleet.neuron_cores * devices_of(fleet, request) // fleet.neuron_devices
    yield from _batch(training, cores)


def _parallelism(environment: Environment, training: Training, framework: str) -> Iterator[Finding]:
    """Yields JOB010: degrees that a framework does not have, or by which it would train otherwise than is meant.

    Source: aws-neuron/neuronx-distributed-training at 9169aa0, lightning_modules/model/base.py: master weights and FP32
    sums of gradients are there with ZeRO alone.
    """
    degrees = training.parallelism
    if framework != kinds.JAX and degrees.zero_stage == 0 and environment.neuron.precision == _BF16:
        message = "without ZeRO, NxD Training keeps the weights in bf16 alone, and no master weights in fp32"
        yield refusal("JOB010", "training.parallelism.zero_stage", message, "write zero_stage: 1")
    if degrees.zero_stage > _MOST_ZERO:
        message = f"the frameworks share the optimizer's state alone, which is stage 1, and not {degrees.zero_stage}"
        yield refusal("JOB010", "training.parallelism.zero_stage", message, "write zero_stage: 1")
    if framework == kinds.JAX and degrees.pipeline > 1:
        message = f"the JAX script has no pipeline, and {degrees.pipeline} stages are asked for"
        yield refusal("JOB010", "training.parallelism.pipeline", message, "write pipeline: 1, or --framework pytorch")


def _batch(training: Training, cores: int) -> Iterator[Finding]:
    model = training.parallelism.tensor * training.parallelism.pipeline
    if cores % model:
        message = f"{cores} cores can't be divided among models of tensor x pipeline = {model} cores each"
        yield refusal("JOB010", "--nodes", message, "choose --nodes so that they can")
        return
    copies, asked = cores // model, training.parallelism.data
    if asked not in ("auto", copies):
        message = f"{cores} cores hold {copies} copies of the model, and data: {asked} is asked for"
        yield refusal("JOB010", "--nodes", message, "write data: auto, or choose --nodes so that they fit")
    elif training.global_batch_size % (training.micro_batch_size * copies):
        message = f"a batch of {training.global_batch_size} can't be divided among {copies} copies of the model"
        yield refusal("JOB010", "--nodes", f"{message}, {training.micro_batch_size} at a time", "choose other --nodes")


def settings(
    environment: Environment, fleet: FleetPlan, request: JobRequest, *, nodes: int, cores: int
) -> dict[str, str]:
    """Returns the files that say what is trained, by file name.

    Args:
        environment: Its ``training`` section says what is trained; ``training_refusals`` has found nothing.
        fleet: The nodes.
        request: What is asked for.
        nodes: How many nodes there are.
        cores: How many cores each has.
    """
    training = environment.training
    model = llama_of(training.model) if training else None
    if training is None or model is None:
        raise ValueError(training)
    told = _told(environment, training, model, request)
    told |= {"nodes": nodes, "cores": cores, "logical_neuroncore_config": fleet.logical_neuroncore_config or 1}
    config_file = config(model, training.model.sequence_length)
    return {
        "training.json": json.dumps(told, indent=2, sort_keys=True) + "\n",
        "config.json": json.dumps(config_file, indent=2, sort_keys=True) + "\n",
    }


def _told(environment: Environment, training: Training, model: Llama, request: JobRequest) -> dict[str, Any]:
    degrees, tokens_a_step = training.parallelism, training.global_batch_size * training.model.sequence_length
    all_steps = int((training.tokens_billion or 0) * 1e9 / tokens_a_step) or _STEPS
    recompute = training.activation_checkpointing
    return {
        "framework": framework_of(environment, request).replace(kinds.LIGHTNING, kinds.PYTORCH),
        "model": model.name,
        "precision": environment.neuron.precision,
        "tensor": degrees.tensor,
        "pipeline": degrees.pipeline,
        "zero_stage": degrees.zero_stage,
        # Where there are more cores than heads of keys, several hold the same ones.
        "kv_replicator": max(1, degrees.tensor // model.key_heads),
        "global_batch_size": training.global_batch_size,
        "micro_batch_size": training.micro_batch_size,
        "sequence_length": training.model.sequence_length,
        "layers": model.layers,
        "hidden_size": model.hidden_size,
        "attention_heads": model.attention_heads,
        "intermediate_size": model.intermediate_size,
        "vocabulary": model.vocabulary,
        "rope_theta": model.rope_theta,
        "recompute": None if recompute == "none" else recompute,
        "master_weights": training.checkpoint_master_weights,
        "steps": request.steps or all_steps,
        "checkpoint_steps": request.checkpoint_steps,
        "checkpoints_kept": training.checkpoints_kept,
        "data": request.data or "",
    }
