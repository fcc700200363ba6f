"""Compiles and runs a small NKI kernel on one core, and tells whether its sums are right."""

import importlib.util
import time

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import trnstack_pod as pod

ROWS, COLUMNS = 128, 512


@nki.jit
def sum_of(left, right):
    """Returns ``left + right``, by way of the core's own memory.

    Source: AWS Neuron documentation, NKI 0.4 and later: nki.isa.dma_copy, nki.isa.tensor_tensor.
    """
    tile_left = nl.ndarray(shape=left.shape, dtype=left.dtype, buffer=nl.sbuf)
    tile_right = nl.ndarray(shape=right.shape, dtype=right.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile_left, src=left)
    nisa.dma_copy(dst=tile_right, src=right)
    tile = nl.ndarray(shape=left.shape, dtype=left.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=tile, data1=tile_left, data2=tile_right, op=nl.add)
    result = nl.ndarray(shape=left.shape, dtype=left.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=result, src=tile)
    return result


def run(left, right):
    """Returns the kernel's result, by the framework that the container has."""
    if importlib.util.find_spec("torch_xla"):
        import torch  # noqa: PLC0415 - one of the two is there
        import torch_xla  # noqa: PLC0415

        device = torch_xla.device()
        return sum_of(torch.from_numpy(left).to(device), torch.from_numpy(right).to(device)).cpu().numpy()
    import jax.numpy as jnp  # noqa: PLC0415

    return np.asarray(sum_of(jnp.asarray(left), jnp.asarray(right)))


def main():
    """Runs on one core."""
    made, begun = np.random.default_rng(0), time.monotonic()
    left, right = (made.standard_normal((ROWS, COLUMNS)).astype(np.float32) for _ in range(2))
    error = float(np.abs(run(left, right) - (left + right)).max())
    seconds = round(time.monotonic() - begun, 3)
    result = {"kind": "smoke", "framework": "nki", "ranks": 1, "nodes": 1, "largest_error": error}
    pod.tell({**result, "compile_seconds": seconds})


if __name__ == "__main__":
    main()
