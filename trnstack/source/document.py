"""Turns YAML text into nodes that know their place, and refuses what is no YAML, or more of it than anybody writes.

PyYAML's parser in C delivers events; the nodes are put together here, so that depth and number are limited while the
text is read, whatever it holds.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any, cast

import yaml
from yaml.error import MarkedYAMLError

from trnstack.findings import InvalidEnvironmentError
from trnstack.source.comments import Comment, comments_in
from trnstack.source.place import Mark, refusal

MAXIMUM_DEPTH = 40
#: Of one list, or of one mapping.
MAXIMUM_ENTRIES = 1000
#: Keys count too. Counted after aliases are followed, so that a few lines of nested aliases cannot fill the memory.
MAXIMUM_VALUES = 100_000

#: The parser in C, which PyYAML's wheels have; without it the same is read by the one in Python, slowly.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: What YAML 1.2 does not allow, and the three line breaks of YAML 1.1 that are none in 1.2.
_FORBIDDEN = re.compile("[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FORMER_BREAKS = "\x85\u2028\u2029"


@dataclass(slots=True)
class Node:
    """A value of the text.

    Attributes:
        kind: ``mapping``, whose children are keys and values in turn, ``sequence`` or ``scalar``.
        mark: Where it starts.
        tag: A tag that the person wrote; empty as a rule.
        text: A scalar's text.
        quoted: A scalar stands in quotes or is a block.
        children: What it holds.
    """

    kind: str
    mark: Mark
    tag: str = ""
    text: str = ""
    quoted: bool = False
    children: list["Node"] = dataclasses.field(default_factory=list)


def too_deep(file: str, mark: Mark) -> InvalidEnvironmentError:
    """Returns the exception that refuses what is nested beyond all use."""
    message, hint = f"is nested deeper than {MAXIMUM_DEPTH} levels", "the format has no more than seven levels"
    return refusal(file, "SPEC002", message, hint, mark)


def too_long(file: str, mark: Mark) -> InvalidEnvironmentError:
    """Returns the exception that refuses a list or a mapping which nobody wrote by hand."""
    message = f"a list or a mapping here has more than {MAXIMUM_ENTRIES:,} entries"
    return refusal(file, "SPEC002", message, "no key of the format takes as many", mark)


def too_many(file: str, mark: Mark) -> InvalidEnvironmentError:
    """Returns the exception that refuses more values than can be meant."""
    message = f"holds more than {MAXIMUM_VALUES:,} values once its aliases are followed"
    return refusal(file, "SPEC002", message, "an environment has a few hundred values", mark)


def compose(text: str, file: str) -> tuple[Node | None, tuple[Comment, ...]]:
    """Returns the document's root, None where there is none, and the comments.

    Raises:
        InvalidEnvironmentError: The text is not one YAML document within reason. Code SPEC002.
    """
    _refuse_forbidden_characters(text, file)
    composer = _Composer(file)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            composer.take(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _within(_mark(mark), text) if mark else Mark(1, 1)
        if "maximum nesting depth" in str(error.problem):
            raise too_deep(file, place) from None
        message, hint = _plain_words(error, text, place)
        raise refusal(file, "SPEC002", message, hint, place) from None
    return composer.root, tuple(comments_in(text, composer.spans))


def _refuse_forbidden_characters(text: str, file: str) -> None:
    found = _FORBIDDEN.search(text, 1 if text.startswith("\ufeff") else 0)
    if not found:
        return
    line_start = text.rfind("\n", 0, found.start()) + 1
    place = Mark(text.count("\n", 0, found.start()) + 1, found.start() - line_start + 1)
    why = "which some YAML readers take for a line break" if found[0] in _FORMER_BREAKS else "which YAML forbids"
    raise refusal(file, "SPEC002", f"holds character {ord(found[0]):#06x}, {why}", "delete it", place)


class _Composer:
    """Puts the nodes together, an event at a time, without recursion."""

    def __init__(self, file: str) -> None:
        self.root: Node | None = None
        #: Start and end of every scalar in the text, in its order: a ``#`` in one of them starts no comment.
        self.spans: list[tuple[int, int]] = []
        self._file = file
        self._open: list[Node] = []
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def take(self, event: Any) -> None:
        """Takes the next event.

        Raises:
            InvalidEnvironmentError: It is one too many, too deep, or an alias of nothing.
        """
        if isinstance(event, yaml.ScalarEvent):
            start, end = (cast("Any", mark) for mark in (event.start_mark, event.end_mark))
            self.spans.append((start.index, end.index))
            self._add(event, Node("scalar", _mark(start), event.tag or "", event.value, bool(event.style)))
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            kind = "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence"
            node = Node(kind, _mark(event.start_mark), event.tag or "")
            self._add(event, node)
            self._open.append(node)
            if len(self._open) > MAXIMUM_DEPTH + 1:
                raise too_deep(self._file, node.mark)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            place = _mark(event.start_mark)
            raise refusal(
                self._file, "SPEC002", "holds more than one YAML document", "one file is one environment", place
            )

    def _add(self, event: Any, node: Node) -> None:
        self._count += 1
        if self._count > MAXIMUM_VALUES:
            raise too_many(self._file, node.mark)
        if event.anchor:
            # An anchor may be given anew; the aliases after it follow the later one.
            self._anchors[event.anchor] = node
        self._place(node)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            message = f"is not YAML: found undefined alias '{event.anchor}'"
            raise refusal(self._file, "SPEC002", message, "write the value out", _mark(event.start_mark))
        self._place(self._anchors[event.anchor])

    def _place(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        parent.children.append(node)
        if len(parent.children) > MAXIMUM_ENTRIES * (2 if parent.kind == "mapping" else 1):
            raise too_long(self._file, parent.mark)


def _mark(mark: Any) -> Mark:
    return Mark(mark.line + 1, mark.column + 1)


def _within(mark: Mark, text: str) -> Mark:
    """Returns the mark, or the text's end where the parser puts the end on a line that is not there."""
    lines = text.splitlines()
    return mark if mark.line <= len(lines) else Mark(max(len(lines), 1), len(lines[-1]) + 1 if lines else 1)


def _plain_words(error: MarkedYAMLError, text: str, place: Mark) -> tuple[str, str]:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or line[place.column - 1 : place.column] == "\t":
        return "a tab starts this line or a value, which YAML forbids", "indent with spaces"
    context = f"{error.context}, " if error.context else ""
    return f"is not YAML: {context}{error.problem}", "look at this line and the one above it"
