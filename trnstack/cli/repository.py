"""Writes rendered files into a folder that belongs to somebody else too, and touches nothing of theirs."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NoReturn

import typer

from ami import plain_file
from trnstack.cli import output

#: The record of what was rendered, by which a file of ours is known the next time.
RECORD = ".trnstack-rendered.json"
_VERSION = 1
#: More than a chart may hold of one file, so that what is longer was not rendered.
_LONGEST_BYTES = 32 * 1024 * 1024
_NOTHING = "nothing was written"


def write(folder: Path, files: Mapping[str, bytes], *, environment: str) -> tuple[list[str], list[str]]:
    """Writes files below a folder, and removes what an earlier rendering wrote and this one has no more.

    Each is written whole or not at all. Should it end between two of them, as on a full disk, the record knows both
    what was there and what was to be, so that the next rendering goes on.

    Args:
        folder: The folder; a link to one is as good.
        files: The files by their paths in it.
        environment: The name of the environment that they are of.

    Returns:
        The paths that were written, and those that were removed.

    Ends the command, with nothing written, where a file is not as it was rendered, or was not rendered at all, where a
    folder in it is a link or none, and where what was rendered there is of another environment.
    """
    known = _record(folder, environment)
    paths = sorted({*files, *known})
    _refuse_odd_parents(folder, paths)
    foreign = [path for path in paths if _is_foreign(folder / path, known.get(path, ()), files.get(path))]
    if foreign:
        others = f" and {len(foreign) - 1} more" if foreign[1:] else ""
        changed = "was changed since it was rendered" if foreign[0] in known else "was not rendered by trnstack"
        _refuse(f"{folder / foreign[0]}{others} {changed}", "move it away, or render into another folder")
    gone = [path for path in known if path not in files and (folder / path).exists()]
    written = [path for path, content in files.items() if _content(folder / path) != content]
    rendered = {path: _digest(content) for path, content in sorted(files.items())}
    before = {path: sorted(known[path] - {rendered.get(path)}) for path in (*written, *gone) if path in known}
    done: list[str] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if written or gone:
            _write_record(folder, environment, rendered, before)
        for path in written:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            plain_file.write(folder / path, files[path])
            done.append(path)
        for path in gone:
            (folder / path).unlink()
            done.append(path)
        _write_record(folder, environment, rendered, {})
    except OSError as error:
        half = f"{len(done)} of {len(written) + len(gone)} files were written or removed" if done else _NOTHING
        _stop(
            f"{error.filename}: can't be written: {(error.strerror or str(error)).lower()}",
            "make it so that it can, and run it again: it goes on from there",
            half,
        )
    return written, gone


def _write_record(folder: Path, environment: str, files: Mapping[str, str], before: Mapping[str, list[str]]) -> None:
    """Writes what is rendered, and what stood there before as long as not all of it is written; the same is left."""
    record = {"version": _VERSION, "environment": environment, "files": files, "before": before}
    content = (json.dumps(record, indent=1) + "\n").encode()
    if _content(folder / RECORD) != content:
        plain_file.write(folder / RECORD, content)


def _record(folder: Path, environment: str) -> dict[str, set[str]]:
    """Returns the digests by path of what was rendered there; two of what an earlier rendering may not have reached."""
    file = folder / RECORD
    if not (file.is_symlink() or file.exists()):
        return {}
    content = None if file.is_symlink() else _content(file)
    try:
        data = json.loads(content or b"")
        of = str(data["environment"])
        known: dict[str, set[str]] = {str(path): {str(digest)} for path, digest in data["files"].items()}
        for path, digests in data["before"].items():
            known[str(path)] = {*known.get(path, ()), *map(str, digests)}
        whole = data["version"] == _VERSION and all(map(_is_below, known))
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        whole = False
    if not whole:
        _refuse(f"{file} is no record of what was rendered there", "render into another folder")
    if of != environment:
        _refuse(f"{folder} holds what was rendered of {of}, not of {environment}", "render into another folder")
    return known


def _is_below(path: str) -> bool:
    parts = PurePosixPath(path)
    return bool(parts.parts) and not parts.is_absolute() and ".." not in parts.parts


def _refuse_odd_parents(folder: Path, paths: Iterable[str]) -> None:
    """Refuses a folder on the way to a file that is a link, which leads who knows where, or is none."""
    for parent in dict.fromkeys(_parents(paths)):
        place = folder / parent
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            what = "is a link" if place.is_symlink() else "is no folder"
            _refuse(f"{place} {what}, and files are to be rendered below it", "move it away, or render elsewhere")


def _parents(paths: Iterable[str]) -> Iterator[PurePosixPath]:
    for path in paths:
        yield from reversed(PurePosixPath(path).parents[:-1])


def _is_foreign(file: Path, rendered: Collection[str], content: bytes | None) -> bool:
    """Tells whether what lies at a place is neither what was rendered there, nor what would be."""
    if file.is_symlink() or (file.exists() and not file.is_file()):
        return True
    found = _content(file)
    return found is not None and found != content and _digest(found) not in rendered


def _content(file: Path) -> bytes | None:
    try:
        return plain_file.up_to(file, _LONGEST_BYTES) if file.is_file() else None
    except OSError as error:
        _refuse(f"{file}: can't be read: {(error.strerror or str(error)).lower()}", "look at who may read it")


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _refuse(message: str, hint: str) -> NoReturn:
    _stop(message, hint, _NOTHING)


def _stop(message: str, hint: str, left: str) -> NoReturn:
    output.tell(f"{message}\n  hint: {hint}\n{left}")
    raise typer.Exit(output.FINDINGS)
