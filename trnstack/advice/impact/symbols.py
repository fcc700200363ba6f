"""What stands in a template for a value that CloudFormation fills in."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reference:
    """What CloudFormation fills in for a resource.

    Attributes:
        stack: The resource's stack.
        logical_id: Its name in the template.
        attribute: The attribute that is asked for; None for a ``Ref``.
    """

    stack: str
    logical_id: str
    attribute: str | None = None

    def __str__(self) -> str:
        return "${" + ".".join(part for part in (self.logical_id, self.attribute) if part) + "}"


@dataclass(frozen=True, slots=True)
class Text:
    """A text of which parts are filled in by CloudFormation."""

    parts: tuple[Any, ...]

    def __str__(self) -> str:
        return "".join(shown(part) for part in self.parts)


def shown(value: Any) -> str:
    """Returns a value as people read it, references by their logical ids."""
    if isinstance(value, str | Reference | Text):
        return str(value)
    if isinstance(value, Mapping) and value.keys() == {"Ref"}:
        return f"${{{value['Ref']}}}"
    return json.dumps(value, ensure_ascii=False, default=str)


def references(value: Any) -> Iterator[Reference]:
    """Yields every reference in a value that was worked out."""
    if isinstance(value, Reference):
        yield value
    members: Sequence[Any] = ()
    if isinstance(value, Text):
        members = value.parts
    elif isinstance(value, Mapping):
        members = list(value.values())
    elif isinstance(value, list):
        members = value
    for member in members:
        yield from references(member)


def texts(template: Any, function: str) -> Iterator[Any]:
    """Yields the arguments of a function wherever it stands in a template."""
    if isinstance(template, Mapping):
        for key, member in template.items():
            if key == function:
                yield member
            yield from texts(member, function)
    elif isinstance(template, list):
        for member in template:
            yield from texts(member, function)


def text(parts: list[Any]) -> Any:
    """Returns parts as one text: plain where all is known, else with neighbours that are known put together."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, Text) else [part])]
    joined: list[Any] = []
    for part in flat:
        piece = str(part) if isinstance(part, str | int | float) else part
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    if all(isinstance(part, str) for part in joined):
        return "".join(joined)
    return joined[0] if len(joined) == 1 else Text(tuple(joined))
