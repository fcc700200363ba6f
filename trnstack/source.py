"""Reads YAML text into plain data, and remembers the line and column of every path.

The text is read as YAML 1.2's core schema says: ``yes`` is a text, ``1.30`` a number, ``0123`` an integer. What the
person really wrote is kept for each value, so that a finding can show it and say how to write it instead.
"""

import datetime as dt
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, ReusedAnchorWarning
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from trnstack.findings import Finding, InvalidEnvironmentError, Path

#: Far above any real environment: a hundred node groups with everything set are about 100 KB.
MAXIMUM_BYTES = 1024 * 1024
MAXIMUM_DEPTH = 40
#: Counted after aliases are followed, so that a few lines of nested aliases cannot fill the memory.
MAXIMUM_VALUES = 100_000

_TOO_DEEP, _FLATTEN = f"is nested deeper than {MAXIMUM_DEPTH} levels", "the format has no more than seven levels"

_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{1,2}:\d{2}:\d{2}(\.\d+)?\s*(Z|[-+]\d{1,2}(:?\d{2})?)?")
_MAXIMUM_DIGITS = 40
_BRACKETS = re.compile(r"[\[\]{}]")
_MAXIMUM_BRACKETS = 500
#: What plain values have; any other tag was written by the person.
_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "timestamp", "merge", "value", "map", "seq")
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a value stands in the text: line and column from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text as plain data with the place of every value.

    Attributes:
        file: The file as the person named it.
        data: Mappings as ``dict``, lists as ``tuple``, scalars as Python has them.
        marks: The place of every path; of a mapping's entry, the place of its key.
        written: The text of every unquoted scalar, as the person wrote it.
    """

    file: str
    data: dict[str, Any]
    marks: Mapping[Path, Mark] = field(default_factory=lambda: MappingProxyType({}))
    written: Mapping[Path, str] = field(default_factory=lambda: MappingProxyType({}))

    def locate(self, finding: Finding) -> Finding:
        """Returns the finding with file, line and column of its path, or of the nearest path above it."""
        path = finding.path
        while path and path not in self.marks:
            path = path[:-1]
        mark = self.marks.get(path, Mark(1, 1))
        return _at(finding, self.file, mark)


def _at(finding: Finding, file: str, mark: Mark) -> Finding:
    return Finding(
        code=finding.code,
        path=finding.path,
        message=finding.message,
        hint=finding.hint,
        severity=finding.severity,
        file=file,
        line=mark.line,
        column=mark.column,
    )


def read(file: str | FilePath) -> Source:
    """Reads an environment file.

    Raises:
        InvalidEnvironmentError: The file is missing, is no file, is too large, is not UTF-8 text, or is not one YAML
            mapping without duplicate keys. Codes SPEC001 to SPEC004.
    """
    name = str(file)
    return parse(_text(name), name)


def _text(name: str) -> str:
    path = FilePath(name)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAXIMUM_BYTES + 1)
    except FileNotFoundError:
        raise _refusal(
            name, "SPEC001", "no such file", "name an environment file, such as environments/x.yaml"
        ) from None
    except IsADirectoryError:
        found = sorted(path.glob("*.yaml"))[:3]
        hint = "name one of its files" + (f": {', '.join(map(str, found))}" if found else "")
        raise _refusal(name, "SPEC001", "this is a folder", hint) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise _refusal(
            name, "SPEC001", f"can't be read: {(reason or str(error)).lower()}", "look at its name and rights"
        ) from None
    if len(content) > MAXIMUM_BYTES:
        raise _refusal(
            name, "SPEC002", f"is larger than {MAXIMUM_BYTES:,} bytes", "an environment file is a few hundred lines"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        refusal = _refusal(
            name, "SPEC002", f"is not UTF-8 text: byte {content[error.start]:#04x}", "save it as UTF-8", Mark(line, 1)
        )
        raise refusal from None


def parse(text: str, file: str) -> Source:
    """Turns YAML text into data, as ``read`` does for a file.

    Raises:
        InvalidEnvironmentError: As for ``read``.
    """
    root = _compose(text, file)
    if root is None or (isinstance(root, ScalarNode) and root.style is None and not root.value):
        hint = "start from one of the files in environments/"
        raise _refusal(file, "SPEC003", "is empty", hint, Mark(1, 1))
    if not isinstance(root, MappingNode):
        hint = "the first line is usually: schema_version: 1"
        raise _refusal(file, "SPEC003", "is not a mapping of keys to values", hint, _mark(root))
    reader = _Reader(file)
    data = reader.value(root, ())
    if reader.findings:
        raise InvalidEnvironmentError(reader.findings)
    return Source(file, data, MappingProxyType(reader.marks), MappingProxyType(reader.written))


def _refuse_endless_brackets(text: str, file: str) -> None:
    """Refuses what the YAML reader would take hours over: its time grows with the square of open brackets.

    Brackets in texts and comments are counted too, which is why the limit is far above the one for real nesting.
    """
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > _MAXIMUM_BRACKETS:
            place = Mark(text.count("\n", 0, bracket.start()) + 1, 1)
            raise _refusal(file, "SPEC002", _TOO_DEEP, _FLATTEN, place)


def _compose(text: str, file: str) -> Node | None:
    _refuse_endless_brackets(text, file)
    loader = YAML(typ="safe", pure=True)
    try:
        with warnings.catch_warnings():
            # An anchor may be given anew; the aliases after it follow the later one.
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            documents: Iterator[Node] = loader.compose_all(text)
            root = next(documents, None)
            second = next(documents, None)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Mark(mark.line + 1, mark.column + 1) if mark else Mark(1, 1)
        message, hint = _plain_words(error, text, place)
        raise _refusal(file, "SPEC002", message, hint, place) from None
    except ReaderError as error:
        place = Mark(text.count("\n", 0, error.position) + 1, 1)
        message = f"holds character {ord(text[error.position]):#06x}, which YAML forbids"
        raise _refusal(file, "SPEC002", message, "delete it", place) from None
    except RecursionError:
        raise _refusal(file, "SPEC002", _TOO_DEEP, _FLATTEN, Mark(1, 1)) from None
    if second is not None:
        place = Mark(second.start_mark.line + 1, second.start_mark.column + 1)
        raise _refusal(file, "SPEC002", "holds more than one YAML document", "one file is one environment", place)
    return root


def _plain_words(error: MarkedYAMLError, text: str, place: Mark) -> tuple[str, str]:
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())] or "'\\t'" in str(error.problem):
        return "a tab starts this line or a value, which YAML forbids", "indent with spaces"
    if "undefined alias" in str(error.problem):
        return f"is not YAML: {error.problem}", "write the value out"
    context = f"{error.context}, " if error.context else ""
    return f"is not YAML: {_first_line(f'{context}{error.problem}')}", "look at this line and the one above it"


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else "unreadable"


def _refusal(file: str, code: str, message: str, hint: str = "", mark: Mark | None = None) -> InvalidEnvironmentError:
    finding = Finding(code=code, path=(), message=message, hint=hint)
    return InvalidEnvironmentError([_at(finding, file, mark or Mark(0, 0))])


class _Reader:
    """Walks the composed nodes once, and collects data, places and what is wrong."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.marks: dict[Path, Mark] = {}
        self.written: dict[Path, str] = {}
        self.findings: list[Finding] = []
        self._values = 0

    def value(self, node: Node, path: Path) -> Any:
        """Returns the node's value; notes where it stands."""
        self._values += 1
        if self._values > MAXIMUM_VALUES:
            message = f"holds more than {MAXIMUM_VALUES:,} values once its aliases are followed"
            raise _refusal(self.file, "SPEC002", message, "an environment has a few hundred values", _mark(node))
        if len(path) > MAXIMUM_DEPTH:
            raise _refusal(self.file, "SPEC002", _TOO_DEEP, _FLATTEN, _mark(node))
        self.marks.setdefault(path, _mark(node))
        if str(node.tag) not in _TAGS:
            self._add("SPEC003", path, _mark(node), f"tag '{node.tag}' is not read", "write the plain value")
            return None
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            return tuple(self.value(child, (*path, index)) for index, child in enumerate(node.value))
        return self._scalar(cast("ScalarNode", node), path)

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self._add("SPEC003", path, _mark(key_node), "a key must be a text", "write key: value")
                continue
            key = key_node.value
            inner = (*path, key)
            if key == "<<":
                self._add("SPEC003", path, _mark(key_node), "merge keys (<<) are not read", "write the values out")
            elif key in data:
                first = self.marks[inner]
                message = f"key '{key}' is given twice, first on line {first.line}"
                self._add("SPEC004", inner, _mark(key_node), message, "remove one of the two")
            else:
                self.marks[inner] = _mark(key_node)
                data[key] = self.value(value_node, inner)
        return data

    def _scalar(self, node: ScalarNode, path: Path) -> Any:
        if node.style is not None:
            return node.value
        self.written[path] = node.value
        return plain(node.value)

    def _add(self, code: str, path: Path, mark: Mark, message: str, hint: str) -> None:
        self.findings.append(_at(Finding(code=code, path=path, message=message, hint=hint), self.file, mark))


def _mark(node: Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


def plain(text: str) -> Any:
    """Returns the value of an unquoted scalar.

    Source: YAML 1.2.2, section 10.3.2 (core schema), and the timestamp type of YAML 1.1, which the format's dates use.
    """
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    return _number(text) if text[0] in "+-.0123456789" else text


def _number(text: str) -> Any:
    readings: list[tuple[re.Pattern[str], Callable[[], Any]]] = [
        (_SPECIAL_FLOAT, lambda: float(text.replace(".", "", 1).lower())),
        (_TIMESTAMP, lambda: _timestamp(text)),
    ]
    if len(text) <= _MAXIMUM_DIGITS:
        readings += [
            (_INTEGER, lambda: int(text)),
            (_PREFIXED_INTEGER, lambda: int(text, 0)),
            (_FLOAT, lambda: float(text)),
        ]
    return next((read_as() for pattern, read_as in readings if pattern.fullmatch(text)), text)


def _timestamp(text: str) -> dt.datetime | str:
    try:
        return dt.datetime.fromisoformat(text.replace(" ", "T", 1))
    except ValueError:
        return text
