"""Writes the copies of an environment that a person would edit on the way."""

from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from trnstack.findings import Path as YamlPath


def edited(environment_file: Path, folder: Path, changes: Mapping[YamlPath, object]) -> Path:
    """Returns a copy of the environment with values changed; the file is left as it is.

    Nothing else in it changes, comments included, so a deploy of it changes nothing else either.

    Args:
        environment_file: The environment, or a copy that was made before.
        folder: Where the copy is written, under the same name.
        changes: Values by their paths: ``("node_groups", 0, "labels")``. Sections that the file leaves out are made.
    """
    text = YAML()
    text.preserve_quotes = True
    text.width = 10_000
    data = text.load(environment_file.read_text(encoding="utf-8"))
    for path, value in changes.items():
        *sections, name = path
        _within(data, sections)[name] = value
    written = StringIO()
    text.dump(data, written)
    folder.mkdir(exist_ok=True)
    copy = folder / environment_file.name
    copy.write_text(written.getvalue(), encoding="utf-8")
    return copy


def _within(data: Any, sections: list[str | int]) -> Any:
    for section in sections:
        data = data[section] if isinstance(section, int) else data.setdefault(section, {})
    return data
