"""From an environment file to what may be built: reads, checks, finds the lock, plans. Every command starts here."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from ami.fit import driver_misfits, image_misfits
from ami.lock import Lock, LockError, MissingLockError, differences, path_for, read
from trnstack import source
from trnstack.findings import Finding, InvalidEnvironmentError, has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check
from trnstack.spec import Environment
from trnstack.spec.load import load
from trnstack.suppressions import with_suppressions


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was read and checked.

    Attributes:
        environment: What it describes; None where it could not be read.
        lock: Its lock; None where it is missing or does not fit, which is a finding too.
        findings: Everything found, located in the file, in the order of its lines.
    """

    environment: Environment | None
    lock: Lock | None
    findings: tuple[Finding, ...]


def read_environment(file: str | Path) -> tuple[source.Source, Environment]:
    """Returns a file's text with its places, and the environment that it describes.

    Raises:
        InvalidEnvironmentError: It can't be read, or does not have the format's shape.
    """
    text = source.read(file)
    return text, load(text)


def check_file(file: str | Path, *, with_lock: bool = True, at: dt.datetime | None = None) -> Checked:
    """Returns what is found in a file; the lock is looked at only where nothing else forbids to go on.

    Args:
        file: The environment file.
        with_lock: Whether its lock is looked at.
        at: A time with its zone, for the rules that need one; without it they are left out.
    """
    try:
        text, environment = read_environment(file)
    except InvalidEnvironmentError as error:
        return Checked(None, None, error.findings)
    located = sorted((text.locate(finding) for finding in check(environment, at=at)), key=lambda f: (f.line, f.column))
    found = with_suppressions(located, text, dated=at is not None)
    if has_errors(found) or not with_lock:
        return Checked(environment, None, tuple(found))
    lock = current_lock(file, environment)
    if isinstance(lock, Finding):
        return Checked(environment, None, (*found, text.locate(lock)))
    return Checked(environment, lock, tuple(found))


def current_lock(file: str | Path, environment: Environment) -> Lock | Finding:
    """Returns the lock that lies beside an environment file, or why it can't be used and the command that makes one.

    IMG001: there is none. IMG002: the environment has changed since. IMG003: it is damaged or from a newer trnstack.
    IMG004, IMG005: its pins don't fit each other.
    """
    path = path_for(file)
    make = f"run: trnstack lock --offline {file}"
    try:
        lock = read(path)
    except MissingLockError:
        message = f"there is no lock {path}, which pins images and add-ons"
        return Finding(code="IMG001", path=(), message=message, hint=make)
    except LockError as error:
        return Finding(code="IMG003", path=(), message=f"lock {path} {error.message}", hint=make)
    stale = differences(lock, lock_inputs(environment))
    if stale:
        return Finding(code="IMG002", path=(), message=f"lock {path} is stale: {'; '.join(stale)}", hint=make)
    return _misfit(lock, path, make) or lock


def _misfit(lock: Lock, path: Path, hint: str) -> Finding | None:
    """Returns what does not fit in a lock. IMG004: its driver. IMG005: its images."""
    misfits = driver_misfits(lock)
    if misfits:
        return Finding(code="IMG004", path=(), message=f"lock {path}: {'; '.join(misfits)}", hint=hint)
    misfits = image_misfits(lock)
    if misfits:
        return Finding(code="IMG005", path=(), message=f"lock {path}: {'; '.join(misfits)}", hint=hint)
    return None


def plan_file(file: str | Path) -> Plan:
    """Returns the plan of a file.

    Raises:
        InvalidEnvironmentError: The file, or its lock, has errors.
    """
    checked = check_file(file)
    if checked.environment is None or checked.lock is None:
        raise InvalidEnvironmentError(checked.findings)
    return plan(checked.environment, checked.lock)
