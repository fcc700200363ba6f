"""``trnstack lock``: pins what floats, and says what it pinned."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.lock import Inputs, Lock
    from trnstack.spec import Environment


def lock(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Pin from the tables that come with trnstack, without an account.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 when the lock is missing or stale.")
    ] = False,
) -> None:
    """Pin images, drivers, containers and add-ons.

    The pins stand in a lock beside the environment file: NAME.yaml gets NAME.lock.json. Nothing that floats changes
    until the lock does, so commit both.
    """
    if not (offline or check):
        output.tell(
            f"trnstack can't ask an account for pins yet; pin from its own tables: trnstack lock --offline {file}"
        )
        raise typer.Exit(output.USAGE)
    environment = _environment(file)
    if check:
        _check(file, environment)
    else:
        _write(file, environment)


def _environment(file: str) -> "Environment":
    from trnstack.environment import check_file  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.findings import has_errors  # noqa: PLC0415

    checked = check_file(file, with_lock=False)
    if checked.environment is None or has_errors(checked.findings):
        output.stop(checked.findings)
    return checked.environment


def _check(file: str, environment: "Environment") -> None:
    from ami.lock import path_for  # noqa: PLC0415
    from trnstack.environment import current_lock  # noqa: PLC0415
    from trnstack.findings import Finding  # noqa: PLC0415

    found = current_lock(file, environment)
    if isinstance(found, Finding):
        output.stop([found])
    output.say(f"{path_for(file)} is current, made from {found.made_from}")


def _write(file: str, environment: "Environment") -> None:
    from ami.lock import path_for, to_json, write  # noqa: PLC0415
    from trnstack.plan import lock_inputs  # noqa: PLC0415

    path = path_for(file)
    old, damage = _old(path)
    new = _pinned(file, lock_inputs(environment))
    if old is None or to_json(old) != to_json(new):
        try:
            write(new, path)
        except OSError as error:
            output.tell(f"{path}: can't be written: {(error.strerror or str(error)).lower()}")
            raise typer.Exit(output.FINDINGS) from None
    output.say(_report(path, old, new, damage))


def _old(path: Path) -> "tuple[Lock | None, str]":
    """Returns the lock that lies there, or why it can't be read; neither where there is none."""
    from ami.lock import LockError, MissingLockError, read  # noqa: PLC0415

    try:
        return read(path), ""
    except MissingLockError:
        return None, ""
    except LockError as error:
        return None, error.message


def _pinned(file: str, inputs: "Inputs") -> "Lock":
    from ami import offline  # noqa: PLC0415

    try:
        return offline.lock(inputs)
    except offline.NoPinError as error:
        output.tell(f"{file}: {error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.FINDINGS) from None


def _report(path: Path, old: "Lock | None", new: "Lock", damage: str) -> str:
    from ami.offline import add_on_notes  # noqa: PLC0415

    lines = [f"{path}, made from {new.made_from}", "", "Pinned", *output.columns(_pins(new).items()), ""]
    if old is not None:
        changes = _changes(old, new)
        lines += ["Changed", *output.columns(changes)] if changes else ["Nothing changed"]
    else:
        lines += [f"Replaces a lock that {damage}" if damage else "There was no lock before"]
    notes = add_on_notes(new)
    if notes:
        lines += ["", "Unconfirmed", *(f"  {note}" for note in notes)]
    return "\n".join(lines)


def _pins(lock: "Lock") -> dict[str, str]:
    accelerator, system = lock.accelerator_image, lock.system_image
    return {
        "Neuron SDK": lock.neuron.sdk,
        "Neuron driver": lock.neuron.driver,
        "training container": lock.neuron.container_image or _no_container(lock),
        "accelerator image": f"{accelerator.release_version} ({accelerator.ami_type}), kernel {accelerator.kernel}",
        "system image": f"{system.release_version} ({system.ami_type}), kernel {system.kernel}",
        **lock.add_ons,
    }


def _no_container(lock: "Lock") -> str:
    from ami.offline import sdks_with_container  # noqa: PLC0415

    newest = next(iter(sdks_with_container(lock.inputs.framework)), None)
    last = f"; the newest SDK with one is {newest}" if newest else ""
    return f"none for {lock.inputs.framework} in SDK {lock.neuron.sdk}{last}"


def _changes(old: "Lock", new: "Lock") -> list[tuple[str, str]]:
    """Returns every value that differs, by its path in the lock, with both."""
    from dataclasses import asdict  # noqa: PLC0415

    before, after = _flat(asdict(old)), _flat(asdict(new))
    return [
        (name, f"{before.get(name, 'not there')} -> {after.get(name, 'not there')}")
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
