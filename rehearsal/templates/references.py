"""Finds which resources a value refers to, which is what the order of a stack's operations comes from."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

PLACEHOLDER = re.compile(r"\$\{([^!}][^}]*)\}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A value's mention of a resource, a parameter or a pseudo parameter.

    Attributes:
        target: The name that is mentioned.
        attribute: The attribute that is asked for; None for a ``Ref``.
        function: The function that mentions it, by which a refusal is worded; two mentions are the same without it.
    """

    target: str
    attribute: str | None = None
    function: str = field(default="Ref", compare=False)


def references(value: Any, condition: Callable[[str], bool] | None = None) -> Iterator[Reference]:
    """Finds every reference within a value, in the order in which they stand.

    Args:
        value: A property's value, or any other part of a template.
        condition: Says whether a condition holds, so that only the taken branch of an ``Fn::If`` counts; without it
            both branches do.
    """
    if isinstance(value, list):
        for member in value:
            yield from references(member, condition)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _of_member(key, member, condition)


def _of_member(key: str, member: Any, condition: Callable[[str], bool] | None) -> Iterator[Reference]:
    match key, member:
        case "Ref", str(target):
            yield Reference(target)
        case "Fn::GetAtt", str(path):
            yield _attribute(path, key)
        case "Fn::GetAtt", [str(target), attribute]:
            yield Reference(target, attribute if isinstance(attribute, str) else "", key)
            yield from references(attribute, condition)
        case "Fn::Sub", str(pattern):
            yield from _of_pattern(pattern, frozenset())
        case "Fn::Sub", [str(pattern), dict(names)]:
            yield from _of_pattern(pattern, frozenset(names))
            yield from references(names, condition)
        case "Fn::If", [str(name), chosen, other] if condition is not None:
            yield from references(chosen if condition(name) else other, condition)
        case _:
            yield from references(member, condition)


def _of_pattern(pattern: str, own: frozenset[str]) -> Iterator[Reference]:
    for name in PLACEHOLDER.findall(pattern):
        if name.strip() not in own:
            yield _attribute(name.strip(), "Fn::Sub")


def _attribute(path: str, function: str) -> Reference:
    target, _, attribute = path.partition(".")
    return Reference(target, attribute or None, function)
