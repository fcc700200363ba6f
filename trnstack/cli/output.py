"""What every command shares when it speaks: streams, colours, aligned columns and findings."""

import io
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

import typer

if TYPE_CHECKING:
    from trnstack.findings import Finding

#: Exit codes. Typer itself answers wrong usage with 2, and Ctrl-C with 130.
FINDINGS, USAGE, INTERRUPTED = 1, 2, 130
#: What a shell reports of a program whose reader has gone away (128 + SIGPIPE), as of any other in a pipe.
CLOSED_PIPE = 141

EXIT_CODES = """\b
Exit codes:
  0  all is well
  1  the environment, or what was asked, has findings
  2  wrong usage
"""

#: The most columns of a line of sentences.
WIDE = 120
_RESET, _BOLD, _DIM = "\033[0m", "\033[1m", "\033[2m"
_COLOURS = {"error": "\033[31m", "warning": "\033[33m", "note": "\033[36m"}
#: Control characters in a file must not reach the terminal as such: they could move its cursor or hide text.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != ord("\n")}


def prepare_streams() -> None:
    """Makes output work whatever the locale: what its encoding lacks is replaced instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if stream is sys.stdout else "backslashreplace")


def quoted(path: object) -> str:
    """Returns a path as a shell takes it, for a command that can be copied: ``'my env.yaml'``."""
    return shlex.quote(str(path))


def named(file: object, text: str) -> str:
    """Returns a text whose commands name the file in place of ``FILE``, so that they can be copied."""
    return re.sub(r"\bFILE\b", lambda _: quoted(file), text)


def say(text: str) -> None:
    """Writes text to stdout."""
    _write(sys.stdout, text.translate(_VISIBLE))


def tell(text: str) -> None:
    """Writes text to stderr: what a person should know, and the next program in a pipe should not get."""
    _write(sys.stderr, text.translate(_VISIBLE))


def say_json(text: str) -> None:
    """Writes JSON to stdout, as UTF-8 whatever the locale, since that is what its readers expect."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    _write(sys.stdout, text.rstrip("\n"))


def say_findings(findings: "Iterable[Finding]") -> None:
    """Writes findings to stdout, in colour on a terminal."""
    _write_findings(sys.stdout, findings)


def tell_findings(findings: "Iterable[Finding]") -> None:
    """Writes findings to stderr, in colour on a terminal."""
    _write_findings(sys.stderr, findings)


def stop(findings: "Sequence[Finding]") -> NoReturn:
    """Writes findings to stderr with their count, and ends the command."""
    from trnstack.findings import summary  # noqa: PLC0415 - the module itself stays free of pydantic and YAML

    tell_findings(findings)
    tell(summary(findings))
    raise typer.Exit(FINDINGS)


def say_sections(sections: Iterable[Sequence[str]]) -> None:
    """Writes sections to stdout with an empty line between them; on a terminal their first lines stand out."""
    colour = _in_colour(sys.stdout)
    texts = []
    for first, *rest in sections:
        head, *lines = (line.translate(_VISIBLE) for line in (first, *rest))
        texts.append("\n".join([f"{_BOLD}{head}{_RESET}" if colour else head, *lines]))
    _write(sys.stdout, "\n\n".join(texts))


def wrapped(text: str, indent: str, *, first: str | None = None) -> list[str]:
    """Returns a sentence as lines of at most 120 columns; a longer word, such as an ARN, stays whole.

    Args:
        text: The sentence.
        indent: What stands before each line.
        first: What stands before the first in place of it, such as a number.
    """
    import textwrap  # noqa: PLC0415 - not every command needs it

    start = indent if first is None else first
    lines = textwrap.wrap(
        text, WIDE, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return lines or [start.rstrip()]


def columns(
    rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: int = 2, widest: int | None = None
) -> list[str]:
    """Returns rows as lines whose columns stand below each other.

    Args:
        rows: The cells; a row may be shorter than others.
        right: The positions of the columns that are aligned to the right: numbers.
        indent: The blanks before each line.
        widest: The most that a column is wide; a longer cell moves what is right of it in its own row alone.
    """
    cells = [tuple(row) for row in rows]
    count = max(map(len, cells), default=0)
    lengths = [[len(row[place]) for row in cells if place < len(row)] for place in range(count)]
    widths = [max((each for each in column if widest is None or each <= widest), default=0) for column in lengths]
    return [
        (
            " " * indent
            + "  ".join(
                cell.rjust(widths[place]) if place in right else cell.ljust(widths[place])
                for place, cell in enumerate(row)
            )
        ).rstrip()
        for row in cells
    ]


def _write_findings(stream: TextIO, findings: "Iterable[Finding]") -> None:
    from trnstack.findings import render  # noqa: PLC0415 - as above

    colour = _in_colour(stream)
    for finding in findings:
        if finding.suppressed:
            continue
        text = render([finding]).translate(_VISIBLE)
        _write(stream, _painted(text, finding) if colour else text)


def _painted(text: str, finding: "Finding") -> str:
    paint = _COLOURS[str(finding.severity)]
    first, *rest = text.split("\n")
    first = first.replace(f": {finding.code} ", f": {paint}{finding.code}{_RESET} ", 1)
    return "\n".join([first, *(f"{_DIM}{line}{_RESET}" for line in rest)])


def _in_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(f"{text}\n")
        stream.flush()
    except BrokenPipeError:
        # The reader has what it wanted.
        _close(stream)
        raise typer.Exit(CLOSED_PIPE) from None
    except OSError as error:
        _close(stream)
        if stream is not sys.stderr:
            tell(f"the output can't be written: {error.strerror or error}\n  hint: make room where it goes")
        raise typer.Exit(FINDINGS) from None


def _close(stream: TextIO) -> None:
    """Lets what is still buffered go nowhere: it would fail once more when Python closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
