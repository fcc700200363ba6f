"""Fetches the archives of charts that do not lie beside the lock yet."""

import dataclasses
from collections.abc import Hashable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ami import archives
from ami.chart_files import ChartError, unpacked
from ami.pins import UNRESOLVED, ChartPin, Lock
from ami.registry import Registry
from ami.resolve.asking import Question, UnansweredError


class Archive(NamedTuple):
    """A chart's archive.

    Attributes:
        digest: What the lock pins it by.
        content: Its bytes; None where they lie where they should already.
    """

    digest: str
    content: bytes | None


def questions(lock: Lock, registry: Registry, folder: Path | None) -> dict[Hashable, Question]:
    """Returns what is asked for the charts of a lock whose digests are known.

    Args:
        lock: The lock.
        registry: Where charts are had.
        folder: Where archives lie already; None for nowhere.
    """
    return {
        ("archive", name): Question(f"chart {name}'s archive", partial(_archive, registry, name, pin, folder))
        for name, pin in lock.charts.items()
        if pin.digest != UNRESOLVED
    }


def with_archives(lock: Lock, heard: Mapping[Hashable, Archive]) -> Lock:
    """Returns the lock with the digests of its charts' archives."""
    charts = {
        name: dataclasses.replace(pin, archive=heard["archive", name].digest) if ("archive", name) in heard else pin
        for name, pin in lock.charts.items()
    }
    return dataclasses.replace(lock, charts=charts)


def fetched(lock: Lock, heard: Mapping[Hashable, Archive]) -> dict[str, bytes]:
    """Returns the archives that were not there yet, by the names of their files."""
    return {
        archives.file_name(name, pin.version): content
        for name, pin in lock.charts.items()
        if (content := heard["archive", name].content) is not None
    }


def _archive(registry: Registry, name: str, pin: ChartPin, folder: Path | None) -> Archive:
    if folder is not None and pin.archive != UNRESOLVED:
        file = folder / archives.file_name(name, pin.version)
        if isinstance(archives.read(file, pin.archive), bytes):
            return Archive(pin.archive, None)
    content = registry.chart_archive(pin.location, pin.version, pin.digest)
    found = archives.digest_of(content)
    if pin.archive not in {UNRESOLVED, found}:
        raise UnansweredError(
            f"chart {name} {pin.version}: its archive has {found}, and the lock pins {pin.archive}",
            "the two should not differ while the chart's own digest is the same; take the committed lock back",
        )
    try:
        unpacked(content, name=name, version=pin.version)
    except ChartError as error:
        raise UnansweredError(
            f"chart {name} {pin.version}: its archive {error}", f"check its location: {pin.location}"
        ) from None
    return Archive(found, content)
