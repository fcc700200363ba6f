"""Trains a small network on made-up data for some steps, on every core of the job, and tells whether the loss falls."""

import time

import jax
import jax.numpy as jnp
import jax_pods
import numpy as np
import trnstack_pod as pod

STEPS, BATCH, WIDTH, RATE = 20, 64, 512, 0.002


def loss_of(weights, inputs, targets):
    """Returns the mean squared error."""
    hidden = inputs
    for weight in weights[:-1]:
        hidden = jax.nn.relu(hidden @ weight)
    return jnp.mean((hidden @ weights[-1] - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    """Returns the weights after a step, and the loss before it. The mean over the cores is the compiler's to sum."""
    loss, gradients = jax.value_and_grad(loss_of)(weights, inputs, targets)
    return [weight - RATE * gradient for weight, gradient in zip(weights, gradients, strict=True)], loss


def main():
    """Runs in each pod, on all of its cores."""
    mesh = jax_pods.mesh()
    made = np.random.default_rng(0)
    shapes = [(WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, 1)]
    scale = np.sqrt(2 / WIDTH)
    weights = [
        jax_pods.spread(mesh, (made.standard_normal(shape) * scale).astype(np.float32), None, None) for shape in shapes
    ]
    data = made.standard_normal((BATCH * mesh.size, WIDTH)).astype(np.float32)
    inputs = jax_pods.spread(mesh, data, "data", None)
    targets = jax_pods.spread(mesh, np.tanh(data[:, :1]), "data", None)
    losses, begun, compiled = [], time.monotonic(), 0.0
    for number in range(STEPS):
        weights, loss = step(weights, inputs, targets)
        losses.append(float(loss))
        if number == 0:  # the first step compiles
            compiled = time.monotonic()
    if jax.process_index() == 0:
        pod.tell(
            {
                "kind": "smoke",
                "framework": "jax",
                "ranks": mesh.size,
                "nodes": jax.process_count(),
                "losses": losses,
                "compile_seconds": round(compiled - begun, 3),
                "step_seconds": round((time.monotonic() - compiled) / (STEPS - 1), 6),
            }
        )


if __name__ == "__main__":
    main()
