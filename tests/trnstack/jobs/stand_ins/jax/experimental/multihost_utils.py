"""Stands in for what JAX's processes tell each other."""

from typing import Any

import numpy as np

import jax


def sync_global_devices(_name: str) -> None:
    """Returns when all processes are there."""
    jax.joined[0].gather()


def process_allgather(value: Any) -> Any:
    """Returns what each process tells."""
    return np.array(jax.joined[0].gather(value))
