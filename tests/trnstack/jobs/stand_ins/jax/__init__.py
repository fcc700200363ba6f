"""Stands in for JAX in the processes of tests: arrays that are spread over processes, and the calls that join them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import trnstack_meeting

joined: list[Any] = []
place = SimpleNamespace(rank=0, nodes=1)


def _initialize(address: str, nodes: int, rank: int, *, initialization_timeout: int) -> None:
    host, port = address.split(":")
    place.__dict__.update(rank=rank, nodes=nodes, master=host)
    print(f"joins within {initialization_timeout} seconds", flush=True)  # noqa: T201 - into the log
    joined.append(trnstack_meeting.Meeting(place, int(port), 20))


distributed = SimpleNamespace(initialize=_initialize)
config = SimpleNamespace(update=lambda _name, _value: None)


def process_index() -> int:
    """Returns the number of this process."""
    return place.rank


def process_count() -> int:
    """Returns how many processes there are."""
    return place.nodes


def devices() -> list[int]:
    """Returns the cores of all processes."""
    return list(range(place.nodes * int(os.environ["TRNSTACK_CORES"])))


def jit(function: Callable[..., Any], **_told: Any) -> Callable[..., Any]:
    """Returns the function as it is."""
    return function


@dataclass
class Shard:
    """What one process has of an array."""

    data: Any
    index: tuple[slice, ...]
    replica_id: int


@dataclass
class Array:
    """Numbers that are split over the processes, or one number that each has."""

    shape: tuple[int, ...]
    sharding: Any
    addressable_shards: list[Shard]

    def __int__(self) -> int:
        return int(self.addressable_shards[0].data)


def make_array_from_callback(shape: tuple[int, ...], sharding: Any, callback: Callable[..., Any]) -> Array:
    """Returns an array of which the callback gives the part that this process has."""
    if not shape:
        return Array(shape, sharding, [Shard(callback(()), (), place.rank)])
    each = shape[0] // place.nodes
    index = (slice(place.rank * each, (place.rank + 1) * each),)
    return Array(shape, sharding, [Shard(callback(index), index, 0)])


def _leaves(state: dict[str, Any]) -> list[Any]:
    return [((name,), value) for name, value in state.items()]


def _mapped(function: Callable[..., Any], state: dict[str, Any]) -> dict[str, Any]:
    return {name: function((name,), value) for name, value in state.items()}


tree_util = SimpleNamespace(tree_leaves_with_path=_leaves, tree_map_with_path=_mapped, keystr=str)
