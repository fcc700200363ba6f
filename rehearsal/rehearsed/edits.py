"""Edits of an environment file as a test makes them: whether they lead anywhere, and what is told of their errors."""

import copy
import dataclasses
import reprlib
from collections.abc import Mapping
from pathlib import Path

from ruamel.yaml import YAML

from rehearsal.rehearsed.errors import RehearsedError
from trnstack.findings import Finding, dotted
from trnstack.findings import Path as YamlPath


def check_paths(file: Path, edits: Mapping[YamlPath, object]) -> None:
    """Checks that each edit leads to a place in a file that can hold its value.

    Args:
        file: The environment file.
        edits: The values by their paths, in their order: one may lead into what an earlier one has set.

    Raises:
        RehearsedError: One leads nowhere; says how far it leads, and what is there.
    """
    data = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
    for path, value in edits.items():
        here: object = data
        for at, step in enumerate(path):
            why = _refused(here, step, dotted(path[:at]) or "the file")
            if why:
                raise RehearsedError(f"the edit of {dotted(path)} leads nowhere in {file}: {why}")
            here = _gone_on(here, step, [copy.deepcopy(value)] if at == len(path) - 1 else [])


def told(finding: Finding, file: Path, edits: Mapping[YamlPath, object]) -> Finding:
    """Returns a finding of an edited copy as one of the person's file and of the edits.

    It has no line, since the copy's lines are not the file's.
    """
    written = ", ".join(f"{dotted(path)} = {reprlib.repr(value)}" for path, value in edits.items())
    return dataclasses.replace(finding, file=f"{file} with {written}", line=0, column=0)


def _gone_on(here: object, step: str | int, new: list[object]) -> object:
    """Returns what is behind a step, after the new value is set there, where there is one."""
    if isinstance(here, list) and isinstance(step, int):
        here[step] = new[0] if new else here[step]
        return here[step]
    if isinstance(here, dict):
        here[step] = new[0] if new else here.get(step, {})
        return here[step]
    return None


def _refused(here: object, step: str | int, name: str) -> str:
    """Returns why a step leads nowhere; empty where it does not."""
    if isinstance(step, int):
        if not isinstance(here, list):
            return f"{name} is no list"
        if step not in range(len(here)):
            return f"{name} has {len(here)} {'entry' if len(here) == 1 else 'entries'}, which count from [0]"
        return ""
    if isinstance(here, list):
        return f"{name} is a list: name one of its entries, such as {name}[0]"
    return "" if isinstance(here, dict) else f"{name} is no section, and holds {reprlib.repr(here)}"
