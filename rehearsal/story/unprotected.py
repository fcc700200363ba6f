"""Writes the copy of an environment that a person would edit before taking its cluster down."""

from io import StringIO
from pathlib import Path

from ruamel.yaml import YAML


def without_deletion_protection(environment_file: Path, folder: Path) -> Path:
    """Returns a copy of the environment whose cluster may be deleted; it is locked as the environment is.

    Nothing else in the file changes, comments included, so the deploy of it changes nothing else either.
    """
    text = YAML()
    text.preserve_quotes = True
    text.width = 10_000
    data = text.load(environment_file.read_text(encoding="utf-8"))
    data["eks"]["deletion_protection"] = False
    written = StringIO()
    text.dump(data, written)
    copy = folder / environment_file.name
    copy.write_text(written.getvalue(), encoding="utf-8")
    return copy
