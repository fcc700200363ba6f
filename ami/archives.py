"""The charts' archives that a lock pins: where they lie, and whether they are the ones. Asks nobody.

They lie beside the lock and the environment, so that a deploy needs no registry; a team commits all three.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ami import plain_file
from ami.pins import Lock

#: No chart comes near it; what is larger is none, and is read no further.
LONGEST_ARCHIVE_BYTES = 8 * 1024 * 1024
_FOLDER = "charts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveProblem:
    """An archive that can't be used.

    Attributes:
        file: Where it lies, or should.
        message: What is wrong with it, in lower case without a full stop.
    """

    file: Path
    message: str


def folder_of(lock_file: Path) -> Path:
    """Returns where the archives of a lock lie: in ``charts`` beside it."""
    return lock_file.parent / _FOLDER


def file_name(name: str, version: str) -> str:
    """Returns what a chart's archive is called, as ``helm pull`` calls it: ``NAME-VERSION.tgz``."""
    return f"{name}-{version}.tgz"


def relative_path(name: str, version: str) -> str:
    """Returns where a chart's archive lies, from the folder of the lock."""
    return f"{_FOLDER}/{file_name(name, version)}"


def digest_of(archive: bytes) -> str:
    """Returns the digest by which a lock pins an archive."""
    return f"sha256:{hashlib.sha256(archive).hexdigest()}"


def read(file: Path, digest: str) -> bytes | ArchiveProblem:
    """Returns an archive where it has the digest that a lock pins it by, or why it can't be used."""
    try:
        archive = plain_file.up_to(file, LONGEST_ARCHIVE_BYTES)
    except FileNotFoundError:
        return ArchiveProblem(file=file, message="is missing")
    except OSError as error:
        return ArchiveProblem(file=file, message=f"can't be read: {(error.strerror or str(error)).lower()}")
    if len(archive) > LONGEST_ARCHIVE_BYTES:
        limit = LONGEST_ARCHIVE_BYTES // 1024 // 1024
        return ArchiveProblem(file=file, message=f"has more than {limit} MiB, so it is no chart's archive")
    found = digest_of(archive)
    if found != digest:
        return ArchiveProblem(file=file, message=f"has {found}, and the lock pins {digest}")
    return archive


def write(folder: Path, archives: Mapping[str, bytes]) -> None:
    """Writes archives by their files' names, each whole or not at all; without any, no folder is made.

    Raises:
        OSError: One can't be written; those that were are whole.
    """
    if archives:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in archives.items():
        plain_file.write(folder / name, content)


def needless(folder: Path, locks: Iterable[Lock]) -> Iterator[Path]:
    """Yields the archives in a folder that none of the locks names."""
    named = {file_name(name, pin.version) for lock in locks for name, pin in lock.charts.items()}
    yield from (file for file in sorted(folder.glob("*.tgz")) if file.name not in named)
