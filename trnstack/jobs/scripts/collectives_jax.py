"""Measures all-reduce over all cores of the job with JAX, in sizes from 64 KiB to 1 GiB."""

import time
from functools import partial

import jax
import jax.numpy as jnp
import jax_pods
import numpy as np
import sweep
import trnstack_pod as pod
from jax.sharding import NamedSharding, PartitionSpec


def summing(mesh):
    """Returns the compiled chain of all-reduces: every core has one row, and ends with the mean of all rows."""
    rows = PartitionSpec("data", None)

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
    def chain(value):
        for _ in range(sweep.CHAINED):
            value = jax.lax.psum(value, "data") / mesh.size
        return value

    return chain


def seconds_of(size, mesh, chain):
    """Returns how long one all-reduce of a size takes, of several runs the median."""
    shape = (mesh.size, size // sweep.BYTES_A_NUMBER)
    sharding = NamedSharding(mesh, PartitionSpec("data", None))
    value = jax.make_array_from_callback(shape, sharding, lambda _: np.ones((1, shape[1]), jnp.bfloat16))
    taken = []
    for _ in range(1 + sweep.REPEATED):
        begun = time.monotonic()
        summed = chain(value)
        summed.block_until_ready()
        taken.append((time.monotonic() - begun) / sweep.CHAINED)
    mean = float(summed.addressable_shards[0].data[0, -1])
    if abs(mean - 1) > 0.05:  # noqa: PLR2004 - bfloat16 rounds to 1/128
        raise SystemExit(f"an all-reduce of ones over {mesh.size} ranks gave {mean} for their mean")
    return sorted(taken[1:])[sweep.REPEATED // 2]


def main():
    """Runs in each pod, on all of its cores."""
    mesh = jax_pods.mesh()
    chain = summing(mesh)
    rows = [sweep.row(size, mesh.size, seconds_of(size, mesh, chain)) for size in sweep.SIZES]
    if jax.process_index() == 0:
        pod.tell(sweep.result("jax", jax.process_count(), mesh.size, rows))


if __name__ == "__main__":
    main()
