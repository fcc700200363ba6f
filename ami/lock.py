"""The lock file of an environment: reading, comparing and writing it. Stands on the standard library alone."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ami import plain_file
from ami.parsing import OLDEST_VERSION, ShapeError, parse
from ami.pins import Inputs, Lock, hash_of

LOCK_VERSION = 3


class LockError(Exception):
    """A lock can't be used: it is damaged, was edited by hand, or is no lock.

    Attributes:
        file: The lock file.
        message: What is wrong with it, in lower case without a full stop.
    """

    def __init__(self, file: Path, message: str) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file
        self.message = message


class MissingLockError(LockError):
    """There is no lock for the environment."""


class UnreadableLockError(LockError):
    """Something lies where the lock should, and can't be read as a file."""


class OlderLockError(LockError):
    """A lock is of a version that this trnstack does not read any more."""


class NewerLockError(LockError):
    """A lock is of a version that a later trnstack reads."""


def path_for(environment_file: str | Path) -> Path:
    """Returns where an environment's lock lies: beside it, ``NAME.yaml`` -> ``NAME.lock.json``."""
    path = Path(environment_file)
    return path.with_name(f"{path.stem}.lock.json")


def differences(lock: Lock, inputs: Inputs) -> list[str]:
    """Returns what the environment asks now and the lock does not answer; empty when the lock is current.

    Each line names the input, what the lock was made for, and what the environment says.
    """
    made_for, wanted = asdict(lock.inputs), asdict(inputs)
    found = []
    for name, value in wanted.items():
        if isinstance(value, dict):
            found += [
                f"{name}.{key} {_changed(made_for[name].get(key), value.get(key))}"
                for key in sorted({*made_for[name], *value})
                if made_for[name].get(key) != value.get(key)
            ]
        elif made_for[name] != value:
            found.append(f"{name} {_changed(_shown(made_for[name]), _shown(value))}")
    return found


def _changed(before: str | None, now: str | None) -> str:
    if before is None:
        return f"is new: {now}"
    return "is gone" if now is None else f"was {before}, is now {now}"


def _shown(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)


def to_json(lock: Lock) -> str:
    """Returns the lock's text: stable order, one value a line, so that two locks compare line by line."""
    content = asdict(lock)
    content["inputs"]["hash"] = lock.inputs.hash
    data = {"lock_version": LOCK_VERSION, **content}
    return json.dumps({**data, "checksum": hash_of(data)}, indent=2) + "\n"


def write(lock: Lock, path: Path) -> None:
    """Writes the lock whole or not at all; a link stays one, and what it leads to is written.

    Raises:
        OSError: It can't be written; whatever was there is there still, and nothing else.
    """
    plain_file.write(path, to_json(lock).encode())


def read(path: Path) -> Lock:
    """Reads a lock file; one of an earlier version that is read still is written in this one by the next lock.

    Raises:
        MissingLockError: There is none.
        UnreadableLockError: What lies there is no file, or may not be read.
        OlderLockError: It was written by a trnstack whose locks this one does not read.
        NewerLockError: It was written by a later trnstack.
        LockError: It is no lock, is damaged, or was edited by hand.
    """
    text = _text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LockError(path, f"is not JSON (edited by hand or cut off?): {error}") from None
    version = data.get("lock_version") if isinstance(data, dict) else None
    if type(version) is not int or version < 1:
        raise LockError(path, "is not a lock file")
    if version > LOCK_VERSION:
        raise NewerLockError(
            path, f"has version {version}; this trnstack reads version {LOCK_VERSION}: update trnstack"
        )
    if version < OLDEST_VERSION:
        raise OlderLockError(
            path,
            f"has version {version}, which an older trnstack wrote; this one reads {OLDEST_VERSION} and {LOCK_VERSION}",
        )
    checksum = data.pop("checksum", None)
    try:
        computed = hash_of(data)
    except RecursionError:  # what json reads it need not be able to write
        raise LockError(path, "is nested deeper than a lock is") from None
    if checksum != computed:
        raise LockError(path, "was edited by hand: its checksum is not that of its content")
    try:
        return parse(data)
    except ShapeError as error:
        raise LockError(path, str(error)) from None


def _text(path: Path) -> str:
    try:
        # To open a named pipe would wait for somebody to write into it.
        if path.exists() and not path.is_file():
            raise UnreadableLockError(path, f"can't be read: it is {'a folder' if path.is_dir() else 'no file'}")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingLockError(path, "there is no lock for this environment") from None
    except OSError as error:
        raise UnreadableLockError(path, f"can't be read: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise LockError(path, "is not text in UTF-8") from None
