"""From an environment file to what may be built: reads, checks, finds the lock, plans. Every command starts here."""

import dataclasses
import datetime as dt
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ami.lock import (
    LockError,
    MissingLockError,
    NewerLockError,
    OlderLockError,
    UnreadableLockError,
    differences,
    path_for,
    read,
)
from ami.pins import Lock
from trnstack import source
from trnstack.charts import chart_findings
from trnstack.findings import Finding, InvalidEnvironmentError, Severity, has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check
from trnstack.rules.pins import check_lock
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


def check_file(
    file: str | Path, *, with_lock: bool = True, lock_file: Path | None = None, at: dt.datetime | None = None
) -> Checked:
    """Returns what is found in a file; the lock is looked at only where nothing else forbids to go on.

    Args:
        file: The environment file.
        with_lock: Whether its lock is looked at.
        lock_file: The lock, where it is not the one beside the file.
        at: A time with its zone, for the rules that need one; without it they are left out.
    """
    try:
        text, environment = read_environment(file)
    except InvalidEnvironmentError as error:
        return Checked(None, None, error.findings)
    located = sorted((text.locate(finding) for finding in check(environment, at=at)), key=lambda f: (f.line, f.column))
    dated = at is not None
    found = with_suppressions(located, text, dated=dated, with_lock=False)
    if has_errors(found) or not with_lock:
        return Checked(environment, None, tuple(found))
    lock, of_lock = _lock(file, environment, lock_file or path_for(file))
    together = [*located, *(text.locate(finding) for finding in of_lock)]
    found = with_suppressions(together, text, dated=dated, with_lock=lock is not None)
    return Checked(environment, lock, tuple(found))


def current_lock(file: str | Path, environment: Environment, lock_file: Path | None = None) -> Lock | Finding:
    """Returns an environment's lock, or why it can't be used and the command that makes one.

    IMG001: there is none. IMG002: the environment has changed since. IMG003: it is damaged, was edited, or is of
    another version of trnstack.
    """
    path = lock_file or path_for(file)
    try:
        lock = read(path)
    except MissingLockError:
        message = f"there is no lock {path}, which pins images and add-ons"
        hint = f"{_make(file)}, or without an account: {_offline(file)}"
        return source.read(file).locate(Finding(code="IMG001", path=(), message=message, hint=hint))
    except LockError as error:
        return unreadable(file, error)
    stale = differences(lock, lock_inputs(environment))
    if stale:
        message = f"lock {path} is stale: {'; '.join(stale)}"
        return source.read(file).locate(Finding(code="IMG002", path=(), message=message, hint=_make(file)))
    return lock


def unreadable(file: str | Path, error: LockError) -> Finding:
    """Returns IMG003: a lock that can't be read. To lock over it would choose every pin anew, so nothing does."""
    lock = shlex.quote(str(error.file))
    anew = f"rm {lock} && trnstack lock {shlex.quote(str(file))}, or without an account: rm {lock} && {_offline(file)}"
    match error:
        case NewerLockError():
            hint = "update trnstack, in its clone: git pull && make setup; the lock of a later one is whole, so keep it"
        case OlderLockError():
            hint = f"make it anew: {anew}"
        case UnreadableLockError():
            hint = f"see what lies there: ls -ld {lock}; a lock is a file that you may read"
        case _:
            back = f"git checkout -- {lock}, in a merge git checkout --ours -- {lock}"
            hint = f"take the committed one back: {back}; or choose every pin anew: {anew}"
    finding = Finding(code="IMG003", path=(), message=f"lock {error.file} {error.message}", hint=hint)
    return source.read(file).locate(finding)


def checked_lock(file: str | Path, environment: Environment) -> tuple[Lock | None, tuple[Finding, ...]]:
    """Returns the lock beside a file that has no errors, None where it can't be used, and everything found in it.

    What a comment in the file silences has its reason.

    Args:
        file: The environment file.
        environment: What is in it.
    """
    text = source.read(file)
    lock, found = _lock(file, environment, path_for(file))
    codes = {finding.code for finding in found}
    located = with_suppressions([text.locate(finding) for finding in found], text, dated=False, with_lock=False)
    return lock, tuple(finding for finding in located if finding.code in codes)


def _make(file: str | Path) -> str:
    return f"run: trnstack lock {shlex.quote(str(file))}"


def _offline(file: str | Path) -> str:
    return f"trnstack lock --offline {shlex.quote(str(file))}"


def _lock(file: str | Path, environment: Environment, path: Path) -> tuple[Lock | None, list[Finding]]:
    """Returns the lock, None where it can't be used, and everything found in it."""
    lock = current_lock(file, environment, path)
    if isinstance(lock, Finding):
        return None, [lock]
    make = _make(file)
    found = [*check_lock(environment, lock, make), *_limits(lock, path, make), *_awaited(file, environment, lock)]
    return (None if has_errors(found) else lock), found


def _limits(lock: Lock, path: Path, make: str) -> list[Finding]:
    """Returns what a lock that fits can't serve for yet. IMG007: it was made in a rehearsal. IMG006: it is offline."""
    if lock.rehearsal_account:
        message = f"lock {path} was made in a rehearsal, and reaches no real account"
        return [Finding(code="IMG007", path=(), message=message, hint=make, severity=Severity.WARNING)]
    if lock.unresolved:
        return [unresolved(lock, path, make, Severity.NOTE)]
    return []


def _awaited(file: str | Path, environment: Environment, lock: Lock) -> Iterator[Finding]:
    """Yields IMG008 for each node group whose custom image is not built yet, so that a deploy passes it by."""
    name = shlex.quote(str(file))
    for index, group in enumerate(environment.node_groups):
        if group.name in lock.awaiting_build:
            yield Finding(
                code="IMG008",
                path=("node_groups", index, "image"),
                message=f"the custom image of {group.name} is not built yet, and a deploy leaves its stack out",
                hint=f"run: cdk deploy {environment.name}-images -c environment={name}, then trnstack lock {name}",
                severity=Severity.WARNING,
            )


def unresolved(lock: Lock, path: Path, make: str, severity: Severity) -> Finding:
    """Returns IMG006: values of the lock that only an account and registries tell, and that a deploy needs."""
    first, *others = lock.unresolved
    more = f" and {len(others)} more" if others else ""
    message = f"lock {path} leaves {first}{more} unresolved, since no account was asked"
    hint = f"before a deploy, {make}; a rehearsal resolves them for itself"
    return Finding(code="IMG006", path=(), message=message, hint=hint, severity=severity)


def plan_file(file: str | Path, *, lock_file: Path | None = None, to_deploy: bool = False) -> Plan:
    """Returns the plan of a file.

    Args:
        file: The environment file.
        lock_file: The lock, where it is not the one beside the file.
        to_deploy: Whether templates are made from it, for which nothing of the lock may be unresolved, and the charts'
            archives must lie beside it.

    Raises:
        InvalidEnvironmentError: The file, or its lock, has errors.
    """
    checked = check_file(file, lock_file=lock_file)
    if checked.environment is None or checked.lock is None:
        raise InvalidEnvironmentError(checked.findings)
    path = lock_file or path_for(file)
    if to_deploy and checked.lock.unresolved:
        finding = unresolved(checked.lock, path, _make(file), Severity.ERROR)
        raise InvalidEnvironmentError([dataclasses.replace(finding, file=str(file))])
    decided = plan(checked.environment, checked.lock)
    if to_deploy and decided.kubernetes.stack:
        unusable = [dataclasses.replace(each, file=str(file)) for each in chart_findings(file, decided, path.parent)]
        if unusable:
            raise InvalidEnvironmentError(unusable)
    return decided
