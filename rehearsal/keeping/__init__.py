"""Keeps what an embedded AWS was told, so that it can be made again: a journal of calls, a file, and their repetition.

What moto holds can't be written down: some of its records are no data. The calls can. They are kept as they came in,
each with the seed of its ids, and repeating them in their order gives the same AWS, id by id.
"""

from rehearsal.keeping.kept import StateError
from rehearsal.keeping.state import State, opened

__all__ = ["State", "StateError", "opened"]
