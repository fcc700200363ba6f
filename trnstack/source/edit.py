"""Changes one value in a file's text, and leaves every other character as it is."""

from dataclasses import dataclass
from typing import Any, cast

import yaml

from trnstack.findings import Path, dotted
from trnstack.source.document import LOADER


class EditError(Exception):
    """A value can't be changed where it stands.

    Attributes:
        message: Why, in lower case without a full stop.
        hint: The change to make by hand, in the same form.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def with_text(text: str, path: Path, value: str) -> str:
    """Returns a text in which the value at a path is another one; how it was quoted stays.

    Args:
        text: YAML that ``parse`` reads.
        path: Keys and list positions of a scalar that is there.
        value: Letters, digits, dots and hyphens, which mean the same quoted and unquoted: ``2.31.1``.

    Raises:
        EditError: The value is shared by an anchor or an alias, is a block, or is not there.
    """
    by_hand = f"write {dotted(path)}: {value} by hand"
    event = _event_at(text, path)
    if event is None:
        raise EditError(f"{dotted(path)} is not written out there", by_hand)
    if isinstance(event, yaml.AliasEvent) or event.anchor:
        raise EditError(f"{dotted(path)} is in reach of the anchor &{event.anchor}: a change could go further", by_hand)
    if not isinstance(event, yaml.ScalarEvent) or event.style in ("|", ">"):
        raise EditError(f"{dotted(path)} is not written on one line", by_hand)
    start, end = (cast("Any", mark).index for mark in (event.start_mark, event.end_mark))
    quote = event.style or ""
    return f"{text[:start]}{quote}{value}{quote}{text[end:]}"


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet.

    Attributes:
        path: Where it is; None inside a key, which has no path.
        is_mapping: Keys and values come in turn.
        key: The latest key.
        count: How many nodes have come.
    """

    path: Path | None
    is_mapping: bool
    key: str | None = None
    count: int = 0

    def next_path(self, event: yaml.NodeEvent) -> Path | None:
        """Returns the path of the node that comes next, None for a key."""
        self.count += 1
        if not self.is_mapping:
            return None if self.path is None else (*self.path, self.count - 1)
        if self.count % 2:
            self.key = event.value if isinstance(event, yaml.ScalarEvent) else None
            return None
        return None if self.path is None or self.key is None else (*self.path, self.key)


def _event_at(text: str, path: Path) -> Any:
    """Returns the event that starts the value at a path; an alias on the way there in its place, None without it."""
    within: list[_Open] = []
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            within.pop()
        elif isinstance(event, yaml.NodeEvent):
            here = within[-1].next_path(event) if within else ()
            on_the_way = here is not None and here == path[: len(here)]
            if on_the_way and (here == path or isinstance(event, yaml.AliasEvent) or event.anchor):
                return event
            if isinstance(event, yaml.CollectionStartEvent):
                within.append(_Open(here, isinstance(event, yaml.MappingStartEvent)))
    return None
