"""Finds where two values differ, down to the single property."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from trnstack.advice.impact.schemas import ABSENT, EACH, Pointer, at, same
from trnstack.advice.impact.symbols import Reference, Text, references

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that differs, or that refers to something that changes.

    Attributes:
        path: Where it is.
        before, after: What it is; ``ABSENT`` where there is nothing.
        through: The references by which it changes, where it reads the same on both sides.
    """

    path: Place
    before: Any
    after: Any
    through: tuple[Reference, ...] = ()


def leaves(old: Any, new: Any, moves: Callable[[Reference], bool], path: Place = ()) -> Iterator[Leaf]:
    """Yields where two values differ.

    Args:
        old: The one value, worked out.
        new: The other.
        moves: Says whether what a reference stands for changes.
        path: Where the values are.
    """
    if isinstance(old, dict) and isinstance(new, dict) and _comparable(old, new):
        for key in dict.fromkeys((*old, *new)):
            yield from leaves(old.get(key, ABSENT), new.get(key, ABSENT), moves, (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from leaves(before, after, moves, (*path, place))
    elif not equal(old, new):
        yield Leaf(path, old, new)
    elif through := tuple(dict.fromkeys(each for each in references(new) if moves(each))):
        yield Leaf(path, old, new, through)


def differing(leaf: Leaf) -> tuple[Any, Any]:
    """Returns what a leaf was and is; of two lists, the members that are not in the other: the rest stays."""
    if not isinstance(leaf.before, list) or not isinstance(leaf.after, list) or leaf.through:
        return leaf.before, leaf.after
    pairs = ((leaf.before, leaf.after), (leaf.after, leaf.before))
    gone, come = ([each for each in one if not any(equal(each, its) for its in other)] for one, other in pairs)
    if not gone and not come:
        return leaf.before, leaf.after
    return gone or ABSENT, come or ABSENT


def equal(old: Any, new: Any) -> bool:
    """Says whether two values are equal to CloudFormation, references by what they name."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(equal(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(equal, old, new))
    if isinstance(old, Reference | Text) or isinstance(new, Reference | Text):
        return bool(old == new)
    return same(old, new)


def hits(leaf: Leaf, pointer: Pointer) -> bool:
    """Says whether a leaf changes the property at a schema's path: it, something within it, or something around it."""
    path = own(leaf.path)
    place, rest = 0, pointer
    while rest and place < len(path):
        step = path[place]
        if isinstance(step, int):
            rest = rest[1:] if rest[0] == EACH else rest
        elif step == rest[0]:
            rest = rest[1:]
        else:
            return False
        place += 1
    if not rest:
        return True
    # A list of another length, or an object that comes or goes: what counts is what it holds at the rest of the path.
    return not equal(_within(leaf.before, rest), _within(leaf.after, rest))


def own(path: Place) -> Place:
    """Returns a path as far as properties go: what is inside a function is none."""
    for place, step in enumerate(path):
        if isinstance(step, str) and (step == "Ref" or step.startswith("Fn::")):
            return path[:place]
    return path


def dotted(path: Place) -> str:
    """Returns a path as people read it, such as ``TagSpecifications[0].Tags``."""
    text = ""
    for step in own(path):
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def _within(value: Any, rest: Pointer) -> Any:
    found = at(value, rest)
    if isinstance(found, list) and all(each is ABSENT for each in found):
        return ABSENT
    return found


def _comparable(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Says whether two objects have members to compare, in place of being two functions."""
    functions = [key for key in (*old, *new) if key == "Ref" or str(key).startswith("Fn::")]
    return not functions or old.keys() == new.keys()
