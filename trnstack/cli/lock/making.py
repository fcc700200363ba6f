"""Makes a lock, and says what it pinned and what that changes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from trnstack.cli import output
from trnstack.cli.lock import asking

if TYPE_CHECKING:
    from ami.pins import ContainerPin, ImagePin, Inputs, Lock
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
    if not offline:
        new, notes = asking.resolved(file, environment, new, old=old)
    notes = [asking.named(file, note) for note in (*notes, *_own_notes(new, offline=offline))]
    save(new, path, old)
    if as_json:
        output.say_json(as_data(path, old, new, notes))
    else:
        output.say(report(path, old, new, notes))


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

    try:
        return offline.lock(inputs, keep=old, ami_release=ami_release, account_follows=account_follows)
    except offline.NoPinError as error:
        output.tell(f"{file}: {error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.FINDINGS) from None


def _with_add_ons(file: str, lock: "Lock", asked: Sequence[str]) -> "Lock":
    """Returns the lock with the versions of add-ons that a person asked for; ends the command where one is no pin."""
    import dataclasses  # noqa: PLC0415
    import re  # noqa: PLC0415

    versions = {}
    for words in asked:
        name, _, version = words.partition("=")
        if name not in lock.add_ons or not re.fullmatch(r"v\d+(\.\d+)*-eksbuild\.\d+", version):
            known = ", ".join(lock.add_ons)
            output.tell(
                f"{file}: --add-on {words} is not NAME=VERSION\n"
                f"  hint: NAME is one of {known}, VERSION such as v1.22.4-eksbuild.3"
            )
            raise typer.Exit(output.USAGE)
        versions[name] = version
    return dataclasses.replace(lock, add_ons={**lock.add_ons, **versions})


def _own_notes(lock: "Lock", *, offline: bool) -> list[str]:
    """Returns what is to be known of a lock whoever answered: which pins nobody confirmed, and what it is good for."""
    from ami.offline import add_on_notes  # noqa: PLC0415

    if lock.rehearsal_account:
        return [f"made in a rehearsal, account {lock.rehearsal_account}: it reaches no real account"]
    return add_on_notes(lock) if offline else []


def report(path: Path, old: "Lock | None", new: "Lock", notes: Sequence[str]) -> str:
    """Returns what was pinned, what that changes, and what is to be known about it."""
    lines = [f"{path}, made from {new.made_from}", "", "Pinned", *output.columns(_pins(new).items()), ""]
    if old is not None:
        moved = changed(old, new)
        lines += ["Changed", *output.columns(moved)] if moved else ["Nothing changed"]
    else:
        lines += ["There was no lock before"]
    if notes:
        lines += ["", "Notes", *(f"  {note}" for note in notes)]
    return "\n".join(lines)


def as_data(path: Path, old: "Lock | None", new: "Lock", notes: Sequence[str]) -> str:
    """Returns the same as JSON, with the lock's whole content."""
    import json  # noqa: PLC0415

    from ami.lock import to_json  # noqa: PLC0415

    text = to_json(new)
    data = {
        "file": str(path),
        "written": old is None or to_json(old) != text,
        "changes": [
            {"path": name, "old": before, "new": after} for name, before, after in (_moved(old, new) if old else ())
        ],
        "notes": list(notes),
        "unresolved": list(new.unresolved),
        "awaiting_build": list(new.awaiting_build),
        "lock": json.loads(text),
    }
    return json.dumps(data, indent=2)


def _pins(lock: "Lock") -> dict[str, str]:
    return {
        "Neuron SDK": lock.neuron.sdk,
        "Neuron driver": lock.neuron.driver,
        "training container": _container(lock, lock.neuron.container),
        **{f"image of {name}": _image(pin) for name, pin in lock.images.items()},
        **{f"add-on {name}": version for name, version in lock.add_ons.items()},
        **{f"chart {name}": pin.version for name, pin in lock.charts.items()},
    }


def _image(pin: "ImagePin") -> str:
    from ami.pins import UNRESOLVED  # noqa: PLC0415

    known = "" if pin.image_id == UNRESOLVED else f"{pin.image_id}, "
    text = f"{known}{pin.release_version} ({pin.ami_type}), kernel {pin.kernel}"
    if pin.custom is None:
        return text
    ids = ", ".join(f"{found} in {region}" for region, found in pin.custom.image_ids.items())
    return f"{ids}: recipe {pin.custom.recipe} {pin.custom.version} on {text}"


def _container(lock: "Lock", container: "ContainerPin | None") -> str:
    from ami.offline import sdks_with_container  # noqa: PLC0415

    if container:
        return container.image
    newest = next(iter(sdks_with_container(lock.inputs.framework)), None)
    last = f"; the newest SDK with one is {newest}" if newest else ""
    return f"none for {lock.inputs.framework} in SDK {lock.neuron.sdk}{last}"


def changed(old: "Lock", new: "Lock") -> list[tuple[str, str]]:
    """Returns every value that differs, by its path in the lock, with both."""
    return [(name, f"{_shown(before)} -> {_shown(after)}") for name, before, after in _moved(old, new)]


def _shown(value: str | None) -> str:
    return "not there" if value is None else value or "none"


def _moved(old: "Lock", new: "Lock") -> list[tuple[str, str | None, str | None]]:
    """Returns every value that differs: its path in the lock, and both, None where the path is not there."""
    from dataclasses import asdict  # noqa: PLC0415

    before, after = _flat(asdict(old)), _flat(asdict(new))
    return [
        (name, before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _flat(value: Any, name: str = "") -> dict[str, str]:
    if isinstance(value, dict):
        return {
            inner: text
            for key, each in value.items()
            for inner, text in _flat(each, f"{name}.{key}" if name else key).items()
        }
    return {name: ", ".join(value) if isinstance(value, tuple | list) else str(value)}
