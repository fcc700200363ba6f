"""What the JAX scripts share: joining the pods to one run, and the mesh of all their cores."""

import os

import jax
import numpy as np
import trnstack_pod as pod
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def mesh(axes=("data",), shape=None):
    """Returns the mesh of all cores of the job.

    Args:
        axes: The names of its axes.
        shape: How long they are; all cores on the one axis when left out.
    """
    place = pod.place()
    # Neuron supports this generator alone. Source: AWS Neuron documentation, JAX known issues.
    jax.config.update("jax_default_prng_impl", "rbg")
    if place.nodes > 1:
        jax.distributed.initialize(
            os.environ["TRNSTACK_COORDINATOR"], place.nodes, place.rank, initialization_timeout=pod.WAIT_SECONDS
        )
    devices = np.array(jax.devices())
    return Mesh(devices.reshape(shape or (devices.size,)), axes)


def spread(over, array, *axes):
    """Returns an array that every process holds in full as one that is spread over the mesh.

    Args:
        over: The mesh.
        array: The whole array, the same in every process.
        axes: The mesh's axis for each of its dimensions; None for one that is repeated.
    """
    sharding = NamedSharding(over, PartitionSpec(*axes))
    return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])
