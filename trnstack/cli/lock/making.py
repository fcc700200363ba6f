"""Makes a lock, and says what it pinned and what that changes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trnstack.cli import output
from trnstack.cli.lock import asking, report

if TYPE_CHECKING:
    from ami.pins import Inputs, Lock
    from trnstack.spec import Environment


def make(
    file: str,
    environment: "Environment",
    *,
    offline: bool,
    ami_release: str | None = None,
    add_ons: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    """Makes the lock of an environment, writes it where it differs, and reports.

    Args:
        file: The environment file.
        environment: What is in it.
        offline: Whether no account is asked.
        ami_release: The EKS AMI release to take.
        add_ons: Versions of add-ons to take, each ``NAME=VERSION``.
        as_json: Whether the report is JSON.
    """
    from ami.lock import path_for  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.plan import lock_inputs  # noqa: PLC0415

    path = path_for(file)
    old = older(file, path)
    new = pinned(file, lock_inputs(environment), old, ami_release=ami_release, account_follows=not offline)
    new = _with_add_ons(file, new, add_ons)
    notes: Sequence[str] = ()
    archives: Mapping[str, bytes] = {}
    if not offline:
        options = asking.words(("--ami-release", ami_release), *(("--add-on", each) for each in add_ons))
        new, notes, archives = asking.resolved(file, environment, new, old=old, options=options)
    notes = [output.named(file, note) for note in (*notes, *_own_notes(new, old, offline=offline))]
    save_archives(archives, path)
    save(new, path, old)
    notes += archive_notes(archives, path)
    if as_json:
        output.say_json(report.as_json(path, old, new, notes))
    else:
        output.say_sections(report.sections(path, old, new, notes))


def save(new: "Lock", path: Path, old: "Lock | None") -> None:
    """Writes a lock where it differs from what lies there."""
    from ami.lock import to_json, write  # noqa: PLC0415

    if old is not None and to_json(old) == to_json(new):
        return
    try:
        write(new, path)
    except OSError as error:
        output.tell(f"{path}: can't be written: {(error.strerror or str(error)).lower()}")
        raise typer.Exit(output.FINDINGS) from None


def save_archives(archives: Mapping[str, bytes], path: Path) -> None:
    """Writes the charts' archives that were fetched beside a lock."""
    from ami.archives import folder_of, write  # noqa: PLC0415

    try:
        write(folder_of(path), archives)
    except OSError as error:
        output.tell(f"{error.filename}: can't be written: {(error.strerror or str(error)).lower()}\n{asking.UNCHANGED}")
        raise typer.Exit(output.FINDINGS) from None


def archive_notes(archives: Mapping[str, bytes], path: Path) -> list[str]:
    """Returns what is to be known of the archives beside a lock: which are new, and which none needs any more."""
    from ami.archives import folder_of, needless  # noqa: PLC0415
    from ami.lock import LockError, read  # noqa: PLC0415

    folder = folder_of(path)
    notes = [f"fetched {folder / name}: commit it beside the lock" for name in archives]
    try:
        locks = [read(each) for each in sorted(path.parent.glob("*.lock.json"))]
    except LockError:  # what it names, nobody knows
        return notes
    return notes + [
        f"{each} belongs to no lock in {path.parent}, and can be deleted" for each in needless(folder, locks)
    ]


def older(file: str, path: Path) -> "Lock | None":
    """Returns the lock that lies there, None where there is none; ends the command where it can't be read.

    To lock over what can't be read would lose every pin in it.
    """
    from ami.lock import LockError, MissingLockError, read  # noqa: PLC0415
    from trnstack.environment import unreadable  # noqa: PLC0415

    try:
        return read(path)
    except MissingLockError:
        return None
    except LockError as error:
        output.tell_findings([unreadable(file, error)])
        output.tell(asking.UNCHANGED)
        raise typer.Exit(output.FINDINGS) from None


def pinned(
    file: str, inputs: "Inputs", old: "Lock | None", *, ami_release: str | None, account_follows: bool = False
) -> "Lock":
    """Returns the lock that the offline tables give; ends the command where they have no pin."""
    from ami import offline  # noqa: PLC0415
    from ami.no_pin import UnknownReleaseError  # noqa: PLC0415

    try:
        return offline.lock(inputs, keep=old, ami_release=ami_release, account_follows=account_follows)
    except offline.NoPinError as error:
        output.tell(f"{file}: {error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.USAGE if isinstance(error, UnknownReleaseError) else output.FINDINGS) from None


def _with_add_ons(file: str, lock: "Lock", asked: Sequence[str]) -> "Lock":
    """Returns the lock with the versions of add-ons that a person asked for; ends the command where one is no pin."""
    import dataclasses  # noqa: PLC0415

    from ami.parsing import is_add_on_version  # noqa: PLC0415
    from trnstack.findings import did_you_mean  # noqa: PLC0415

    versions = {}
    for words in asked:
        name, _, version = words.partition("=")
        known = ", ".join(lock.add_ons)
        if not name or not is_add_on_version(version):
            message = f"--add-on {words} is not NAME=VERSION"
            hint = f"NAME is one of {known}, VERSION such as v1.22.4-eksbuild.3"
        elif name not in lock.add_ons:
            message = f"the environment has no add-on '{name}'"
            hint = " ".join(filter(None, [did_you_mean(name, lock.add_ons), f"it has: {known}"]))
        else:
            versions[name] = version
            continue
        output.tell(f"{file}: {message}\n  hint: {hint}")
        raise typer.Exit(output.USAGE)
    return dataclasses.replace(lock, add_ons={**lock.add_ons, **versions})


def _own_notes(lock: "Lock", old: "Lock | None", *, offline: bool) -> list[str]:
    """Returns what is to be known of a lock whoever answered: which pins nobody confirmed, and what it is good for."""
    from ami.offline import add_on_notes  # noqa: PLC0415

    if lock.rehearsal_account:
        return [f"made in a rehearsal, account {lock.rehearsal_account}: it reaches no real account"]
    return add_on_notes(lock, old) if offline else []
