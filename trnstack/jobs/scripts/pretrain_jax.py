"""Pretrains a decoder-only transformer with JAX, and goes on from the newest whole checkpoint.

The model is split over ``tensor`` cores and repeated over all others; XLA adds the collectives. What is trained stands
in ``training.json`` beside this script. On SIGTERM the step is finished and a checkpoint written, and the program ends
as one that was ended, so that it is started again.
"""

import json
import os
import signal
import time
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import jax_checkpoints
import jax_pods
import numpy as np
import trnstack_pod as pod
from jax.experimental import multihost_utils

HERE = Path(__file__).parent
#: How a program ends that SIGTERM has ended; see trnstack_program.py.
TOLD_TO_END = 143
BETAS, EPSILON, DECAY, RATE = (0.9, 0.95), 1e-8, 0.1, 1.5e-4
#: The mesh's axis along which each weight of a layer is split, for its dimensions after the layer's.
SPLIT = {
    "attention": (None, "tensor"),
    "projection": ("tensor", None),
    "gate": (None, "tensor"),
    "up": (None, "tensor"),
    "down": ("tensor", None),
    "norm_attention": (None,),
    "norm_feed": (None,),
}


def shapes(told):
    """Returns the shape of each weight, and the mesh's axes along which it is split; layers come first."""
    layers, width, feed, vocabulary = told["layers"], told["hidden_size"], told["intermediate_size"], told["vocabulary"]
    of_layer = {
        "attention": (width, 3 * width),
        "projection": (width, width),
        "gate": (width, feed),
        "up": (width, feed),
        "down": (feed, width),
        "norm_attention": (width,),
        "norm_feed": (width,),
    }
    found = {name: ((layers, *shape), (None, *SPLIT[name])) for name, shape in of_layer.items()}
    return {
        **found,
        "tokens": ((vocabulary, width), ("tensor", None)),
        "output": ((width, vocabulary), (None, "tensor")),
        "norm": ((width,), (None,)),
    }


def begin(told, mesh):
    """Returns the state of a run that has not begun: FP32 weights, their moments, and the step."""
    made, weights = np.random.default_rng(0), {}
    for name, (shape, axes) in shapes(told).items():
        value = np.ones(shape) if name.startswith("norm") else made.standard_normal(shape) * 0.02
        weights[name] = jax_pods.spread(mesh, value.astype(np.float32), *axes)
    zeros = {name: jnp.zeros_like(value) for name, value in weights.items()}
    moments = {"first": zeros, "second": {name: jnp.zeros_like(value) for name, value in weights.items()}}
    return {"weights": weights, **moments, "step": jax_pods.spread(mesh, np.zeros((), np.int32))}


def normal(value, scale):
    """Returns a value divided by its root mean square, times a learnt scale."""
    wide = value.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide**2, -1, keepdims=True) + 1e-5)).astype(value.dtype) * scale


def rotated(value, base):
    """Returns queries or keys turned by their position, halves of a head together."""
    length, size = value.shape[1], value.shape[-1]
    angles = np.outer(np.arange(length), base ** (-np.arange(0, size, 2) / size))
    sine, cosine = (jnp.asarray(f(angles), value.dtype)[None, :, None, :] for f in (np.sin, np.cos))
    first, second = jnp.split(value, 2, -1)
    return jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)


def layer(told, value, weights):
    """Returns what comes out of a layer."""
    batch, length, width = value.shape
    heads = told["attention_heads"]
    joined = normal(value, weights["norm_attention"]) @ weights["attention"]
    query, key, content = (part.reshape(batch, length, heads, -1) for part in jnp.split(joined, 3, -1))
    query, key = rotated(query, told["rope_theta"]), rotated(key, told["rope_theta"])
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype(jnp.float32) / np.sqrt(width // heads)
    before = np.tril(np.ones((length, length), bool))
    shares = jax.nn.softmax(jnp.where(before, scores, -1e9), -1).astype(value.dtype)
    value += jnp.einsum("bhqk,bkhd->bqhd", shares, content).reshape(batch, length, width) @ weights["projection"]
    inner = normal(value, weights["norm_feed"])
    return value + (jax.nn.silu(inner @ weights["gate"]) * (inner @ weights["up"])) @ weights["down"]


def loss_of(told, weights, batch):
    """Returns the mean loss of predicting each next token."""
    kind = {"bf16": jnp.bfloat16, "fp32": jnp.float32}[told["precision"]]
    weights = {name: value.astype(kind) for name, value in weights.items()}
    value = weights["tokens"][batch]
    one = jax.checkpoint(partial(layer, told)) if told["recompute"] else partial(layer, told)
    value, _ = jax.lax.scan(lambda each, of: (one(each, of), None), value, {name: weights[name] for name in SPLIT})
    scores = (normal(value, weights["norm"]) @ weights["output"]).astype(jnp.float32)[:, :-1]
    chosen = jax.nn.one_hot(batch[:, 1:], scores.shape[-1], dtype=scores.dtype)
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores, -1) * chosen, -1))


def step(told, state, batches):
    """Returns the state after a step of AdamW, and the loss before it.

    Args:
        told: What ``training.json`` holds.
        state: Weights, moments and the step.
        batches: Tokens, by micro batch, sequence and place; their gradients are added up.
    """

    def one(total, batch):
        loss, gradients = jax.value_and_grad(partial(loss_of, told))(state["weights"], batch)
        return jax.tree.map(jnp.add, total, (loss, gradients)), None

    nothing = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, state["weights"]))
    (loss, gradients), _ = jax.lax.scan(one, nothing, batches)
    count, number = batches.shape[0], state["step"] + 1
    first, second, weights = {}, {}, {}
    for name, gradient in gradients.items():
        mean, value = gradient / count, state["weights"][name]
        first[name] = BETAS[0] * state["first"][name] + (1 - BETAS[0]) * mean
        second[name] = BETAS[1] * state["second"][name] + (1 - BETAS[1]) * mean**2
        change = first[name] / (1 - BETAS[0] ** number) / (jnp.sqrt(second[name] / (1 - BETAS[1] ** number)) + EPSILON)
        weights[name] = value - RATE * (change + DECAY * value)
    return {"weights": weights, "first": first, "second": second, "step": number}, loss / count


def tokens(told, number):
    """Returns the tokens of a step, the same in every process: those of ``data``, or made-up ones that repeat."""
    count, length = told["global_batch_size"], told["sequence_length"]
    if not told["data"]:
        return np.random.default_rng(number % 2).integers(0, told["vocabulary"], (count, length), np.int32)
    stream = np.load(told["data"], mmap_mode="r")
    start = number * count * length % (stream.size - count * length + 1)
    return np.asarray(stream[start : start + count * length], np.int32).reshape(count, length)


def run(told, folder):
    """Trains to the last step; returns the losses by step.

    Args:
        told: What ``training.json`` holds.
        folder: Where checkpoints lie, seen by all pods.

    Raises:
        SystemExit: SIGTERM came to one of the pods before.
    """
    devices = len(jax.devices()) if told["nodes"] == 1 else told["nodes"] * told["cores"]
    mesh = jax_pods.mesh(("data", "tensor"), (devices // told["tensor"], told["tensor"]))
    asked = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    state = jax_checkpoints.newest(folder, begin(told, mesh))
    micro = told["micro_batch_size"] * mesh.shape["data"]
    compiled = jax.jit(partial(step, told), donate_argnums=0)
    number, losses, begun = int(state["step"]), {}, time.monotonic()
    if number >= told["steps"] and jax.process_index() == 0:
        print(pod.nothing_left(number, told["steps"]), flush=True)
    while number < told["steps"]:
        whole = tokens(told, number).reshape(-1, micro, told["sequence_length"])
        state, loss = compiled(state, jax_pods.spread(mesh, whole, None, "data", None))
        number += 1
        losses[number] = float(loss)
        if jax.process_index() == 0 and (number % 10 == 0 or number == 1):
            rate = len(losses) * told["global_batch_size"] / (time.monotonic() - begun)
            print(f"step {number} loss {losses[number]:.4f} sequences/s {rate:.2f}", flush=True)
        # One pod's signal ends all, after the same step.
        ends = (
            bool(multihost_utils.process_allgather(np.array(bool(asked))).any()) if told["nodes"] > 1 else bool(asked)
        )
        if ends or number % told["checkpoint_steps"] == 0 or number == told["steps"]:
            jax_checkpoints.save(folder, state, kept=told["checkpoints_kept"])
        if ends and number < told["steps"]:
            # Every pod ends so, or the job would be done where only those that were told to have not ended well.
            raise SystemExit(TOLD_TO_END)
    return losses


def main():
    """Runs in each pod, on all of its cores."""
    told = json.loads((HERE / "training.json").read_text(encoding="utf-8"))
    run(told, pod.run_folder(os.environ["TRNSTACK_JOB"]))


if __name__ == "__main__":
    main()
