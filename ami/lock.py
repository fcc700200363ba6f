"""The lock file of an environment: reading, comparing and writing it. Stands on the standard library alone."""

import json
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ami.pins import BuiltImage, ChartPin, ContainerPin, ImagePin, Inputs, Lock, NeuronPin, Toolkit, hash_of

LOCK_VERSION = 2


class LockError(Exception):
    """A lock can't be used.

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
    """Writes the lock whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as stream:
        stream.write(to_json(lock))
    written = Path(stream.name)
    try:
        written.chmod(0o644)  # a temporary file is its owner's alone, a lock is everybody's
        written.replace(path)
    except OSError:
        written.unlink()
        raise


def read(path: Path) -> Lock:
    """Reads a lock file.

    Raises:
        MissingLockError: There is none.
        LockError: It is no lock, is damaged, was edited by hand, or was written by another version of trnstack.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingLockError(path, "there is no lock for this environment") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LockError(path, f"can't be read: {error}") from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LockError(path, f"is not JSON (edited by hand or cut off?): {error}") from None
    version = data.get("lock_version") if isinstance(data, dict) else None
    if type(version) is not int or version < 1:
        raise LockError(path, "is not a lock file")
    if version > LOCK_VERSION:
        raise LockError(path, f"has version {version}; this trnstack reads version {LOCK_VERSION}: update trnstack")
    if version < LOCK_VERSION:
        raise LockError(path, f"has version {version}, which an older trnstack wrote; this one reads {LOCK_VERSION}")
    checksum = data.pop("checksum", None)
    try:
        computed = hash_of(data)
    except RecursionError:  # what json reads it need not be able to write
        raise LockError(path, "is nested deeper than a lock is") from None
    if checksum != computed:
        raise LockError(path, "was edited by hand: its checksum is not that of its content")
    return _parse(data, path)


def _parse(data: dict[str, Any], path: Path) -> Lock:
    """Returns the lock; a text whose checksum is right may still be one that no trnstack wrote."""
    try:
        inputs = data["inputs"]
        _refuse_others(data, ("lock_version", *(field.name for field in fields(Lock))))
        _refuse_others(inputs, ("hash", *(field.name for field in fields(Inputs))))
        return Lock(
            toolkit=Toolkit(**_texts(data["toolkit"])),
            inputs=Inputs(
                **_texts({key: inputs[key] for key in _TEXT_INPUTS}),
                images=_texts(inputs["images"]),
                image_regions=_list_of_texts(inputs["image_regions"]),
                add_ons=_list_of_texts(inputs["add_ons"]),
                charts=_list_of_texts(inputs["charts"]),
                chart_settings=_list_of_texts(inputs["chart_settings"]),
            ),
            made_from=_text(data["made_from"]),
            rehearsal_account=_text_or_none(data["rehearsal_account"]),
            neuron=_neuron(data["neuron"]),
            images={name: _image(pin) for name, pin in data["images"].items()},
            add_ons=_texts(data["add_ons"]),
            charts={
                name: ChartPin(**_texts(pin, but=("images",)), images=_texts(pin["images"]))
                for name, pin in data["charts"].items()
            },
        )
    except KeyError as error:
        raise LockError(path, f"lacks {error.args[0]}") from None
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise LockError(path, f"does not have the shape of a lock: {error}") from None


_TEXT_INPUTS = ("environment", "region", "kubernetes_version", "neuron_sdk", "framework")


def _refuse_others(data: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuses what would be read over; the other parts are refused it by their own shapes."""
    others = [key for key in data if key not in known]
    if others:
        raise ValueError(f"unknown {', '.join(others)}")


def _neuron(data: dict[str, Any]) -> NeuronPin:
    container = data["container"]
    return NeuronPin(
        **_texts(data, but=("components", "container")),
        components=_texts(data["components"]),
        container=None if container is None else ContainerPin(**_texts(container)),
    )


def _image(data: dict[str, Any]) -> ImagePin:
    custom = data["custom"]
    return ImagePin(
        **_texts(data, but=("custom", "neuron_driver")),
        neuron_driver=_text_or_none(data["neuron_driver"]),
        custom=None
        if custom is None
        else BuiltImage(**_texts(custom, but=("image_ids",)), image_ids=_texts(custom["image_ids"])),
    )


def _texts(data: dict[str, Any], *, but: tuple[str, ...] = ()) -> dict[str, Any]:
    return {key: _text(value) for key, value in data.items() if key not in but}


def _list_of_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} should be a list")  # noqa: TRY004 - a damaged file, not a caller's mistake
    return tuple(map(_text, value))


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} should be a text")  # noqa: TRY004 - a damaged file, not a caller's mistake
    return value
