"""Reads YAML text into plain data, and remembers the line and column of every path.

The text is read as YAML 1.2's core schema says: ``yes`` is a text, ``1.30`` a number, ``0123`` an integer. What the
person really wrote is kept for each value, so that a finding can show it and say how to write it instead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any

from trnstack.findings import Finding, InvalidEnvironmentError, Path
from trnstack.source.comments import Comment
from trnstack.source.document import (
    MAXIMUM_DEPTH,
    MAXIMUM_ENTRIES,
    MAXIMUM_VALUES,
    Node,
    compose,
    too_deep,
    too_many,
)
from trnstack.source.place import Mark, located, refusal
from trnstack.source.scalars import plain

__all__ = ["MAXIMUM_BYTES", "MAXIMUM_ENTRIES", "MAXIMUM_VALUES", "Comment", "Mark", "Source", "parse", "plain", "read"]

#: Far above any real environment: a hundred node groups with everything set are about 100 KB.
MAXIMUM_BYTES = 1024 * 1024

#: ``!`` and ``!!str`` make a text of what follows.
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})


@dataclass(frozen=True, slots=True)
class Source:
    """A file's text as plain data with the place of every value.

    Attributes:
        file: The file as the person named it.
        data: Mappings as ``dict``, lists as ``tuple``, scalars as Python has them.
        marks: The place of every path; of a mapping's entry, the place of its key.
        written: The text of every unquoted scalar, as the person wrote it.
        comments: The comments that speak to trnstack, in the order of the text.
    """

    file: str
    data: dict[str, Any]
    marks: Mapping[Path, Mark] = field(default_factory=lambda: MappingProxyType({}))
    written: Mapping[Path, str] = field(default_factory=lambda: MappingProxyType({}))
    comments: tuple[Comment, ...] = ()

    def locate(self, finding: Finding) -> Finding:
        """Returns the finding with file, line and column of its path, or of the nearest path above it."""
        path = finding.path
        while path and path not in self.marks:
            path = path[:-1]
        return located(finding, self.file, self.marks.get(path, Mark(1, 1)))


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
        raise refusal(
            name, "SPEC001", "no such file", "name an environment file, such as environments/x.yaml"
        ) from None
    except IsADirectoryError:
        found = sorted(path.glob("*.yaml"))[:3]
        hint = "name one of its files" + (f": {', '.join(map(str, found))}" if found else "")
        raise refusal(name, "SPEC001", "this is a folder", hint) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        message = f"can't be read: {(reason or str(error)).lower()}"
        raise refusal(name, "SPEC001", message, "look at its name and rights") from None
    if len(content) > MAXIMUM_BYTES:
        message = f"is larger than {MAXIMUM_BYTES:,} bytes"
        raise refusal(name, "SPEC002", message, "an environment file is a few hundred lines")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = f"is not UTF-8 text: byte {content[error.start]:#04x}"
        raise refusal(name, "SPEC002", message, "save it as UTF-8", Mark(line, 1)) from None


def parse(text: str, file: str) -> Source:
    """Turns YAML text into data, as ``read`` does for a file.

    Raises:
        InvalidEnvironmentError: As for ``read``.
    """
    root, comments = compose(text, file)
    if root is None or (root.kind == "scalar" and not root.quoted and not root.text):
        hint = "start from one of the files in environments/"
        raise refusal(file, "SPEC003", "is empty", hint, Mark(1, 1))
    if root.kind != "mapping":
        hint = "the first line is usually: schema_version: 1"
        raise refusal(file, "SPEC003", "is not a mapping of keys to values", hint, root.mark)
    reader = _Reader(file)
    data = reader.value(root, ())
    if reader.findings:
        raise InvalidEnvironmentError(reader.findings)
    return Source(file, data, MappingProxyType(reader.marks), MappingProxyType(reader.written), comments)


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
        self._values += 2 if path and isinstance(path[-1], str) else 1
        if self._values > MAXIMUM_VALUES:
            raise too_many(self.file, node.mark)
        if len(path) > MAXIMUM_DEPTH:
            raise too_deep(self.file, node.mark)
        self.marks.setdefault(path, node.mark)
        if node.tag:
            self._refuse_tag(node, path)
            return None
        if node.kind == "mapping":
            return self._mapping(node, path)
        if node.kind == "sequence":
            return tuple(self.value(child, (*path, index)) for index, child in enumerate(node.children))
        if node.quoted:
            return node.text
        self.written[path] = node.text
        return plain(node.text)

    def _mapping(self, node: Node, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        children = iter(node.children)
        for key_node, value_node in zip(children, children, strict=True):
            if key_node.tag:
                self._refuse_tag(key_node, path)
                continue
            if key_node.kind != "scalar":
                self._add("SPEC003", path, key_node.mark, "a key must be a text", "write key: value")
                continue
            key = key_node.text
            inner = (*path, key)
            if key == "<<":
                self._add("SPEC003", path, key_node.mark, "merge keys (<<) are not read", "write the values out")
            elif key in data:
                first = self.marks[inner]
                message = f"key '{key}' is given twice, first on line {first.line}"
                self._add("SPEC004", inner, key_node.mark, message, "remove one of the two")
            else:
                self.marks[inner] = key_node.mark
                data[key] = self.value(value_node, inner)
        return data

    def _refuse_tag(self, node: Node, path: Path) -> None:
        hint = "write it in quotes instead" if node.tag in _TEXT_TAGS else "write the plain value"
        self._add("SPEC003", path, node.mark, f"tag '{node.tag}' is not read", hint)

    def _add(self, code: str, path: Path, mark: Mark, message: str, hint: str) -> None:
        self.findings.append(located(Finding(code=code, path=path, message=message, hint=hint), self.file, mark))
