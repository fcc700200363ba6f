"""Reads how resources stand, so that drift shows: of the types that a person is likely to change by hand.

A new type is one row, or one short function, in the module of its subject.
"""

from rehearsal.drift import clusters, identity, network, storage
from rehearsal.engine.drift import Reader

READERS: dict[str, Reader] = {**clusters.READERS, **identity.READERS, **network.READERS, **storage.READERS}


def reader_for(resource_type: str) -> Reader | None:
    """Gives the reader of a resource type; None for a type whose resources are not checked."""
    return READERS.get(resource_type)
