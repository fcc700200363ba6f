"""Finds the comments of a text, which YAML readers drop, where those readers say that no scalar is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trnstack.source.place import Mark

#: With these words a comment speaks to trnstack; all others are people's own, and are not collected.
_ADDRESS = "trnstack:"
_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that speaks to trnstack.

    Attributes:
        text: Its words, with the ``#``.
        mark: Where its ``#`` stands.
        line: The line of which it speaks: its own, or the next one that is no comment where it stands alone.
    """

    text: str
    mark: Mark
    line: int


def comments_in(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Comment]:
    """Yields the comments that speak to trnstack: a ``#`` that starts one stands in no scalar.

    Args:
        text: The text.
        spans: Start and end of every scalar, in the order of the text.
    """
    if _ADDRESS not in text:
        return
    scalars = iter([*spans, (len(text) + 1, len(text) + 1)])
    scalar = next(scalars)
    below = _lines_below(text)
    number, line_end = 0, -1
    for line in text.split("\n"):
        number, line_start, line_end = number + 1, line_end + 1, line_end + 1 + len(line)
        position = line_start
        while _ADDRESS in line and (found := _COMMENT.search(text, position, line_end)):
            while scalar[1] <= found.start():
                scalar = next(scalars)
            if _is_within(found.start(), scalar, text):
                position = scalar[1]
                continue
            if _ADDRESS in found[0]:
                alone = not text[line_start : found.start()].strip()
                mark = Mark(number, found.start() - line_start + 1)
                yield Comment(found[0], mark, below[number] if alone else number)
            break


def _is_within(at: int, scalar: tuple[int, int], text: str) -> bool:
    """Tells whether a place is in a scalar; the line on which a block starts (``|``, ``>``) may end with a comment."""
    start, end = scalar
    return start <= at < end and not (text[start] in "|>" and "\n" not in text[start:at])


def _lines_below(text: str) -> list[int]:
    """Returns for each line, counted from 1, the next one from there on that is no comment."""
    lines = ["", *text.split("\n")]
    below = [len(lines)] * (len(lines) + 1)
    for number in range(len(lines) - 1, 0, -1):
        below[number] = below[number + 1] if lines[number].lstrip().startswith("#") else number
    return below
