"""What is said of a lock that was made or moved: its pins, and every value that is another than before."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.pins import ContainerPin, ImagePin, Lock

#: Longer names, such as those of images, stand out to the right instead of moving every value there.
_WIDEST = 48


def sections(path: Path, old: "Lock | None", new: "Lock", notes: Sequence[str]) -> list[list[str]]:
    """Returns what was pinned, what that changes, and what is to be known about it."""
    moved = changed(old, new) if old else []
    change = ["Changed", *columns(moved)] if moved else ["Nothing changed" if old else "There was no lock before"]
    return [
        [f"{path}, made from {new.made_from}"],
        ["Pinned", *columns(_pins(new).items())],
        change,
        *([["Notes", *(f"  {note}" for note in notes)]] if notes else []),
    ]


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Returns rows of names and values as lines whose values stand below each other, where names are not too long."""
    return output.columns(rows, widest=_WIDEST)


def as_json(path: Path, old: "Lock | None", new: "Lock", notes: Sequence[str]) -> str:
    """Returns the same as JSON, with the lock's whole content."""
    import json  # noqa: PLC0415

    from ami.lock import to_json  # noqa: PLC0415

    text = to_json(new)
    data = {
        "file": str(path),
        "written": old is None or to_json(old) != text,
        "changes": [
            {"path": name, "old": before or None, "new": after or None}
            for name, before, after in (_moved(old, new) if old else ())
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
    from dataclasses import asdict  # noqa: PLC0415 - as every command, see the package's docstring

    before, after = _flat(asdict(old)), _flat(asdict(new))
    return [
        (name, before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def _flat(value: Any, name: str = "") -> dict[str, str]:
    """Returns every value as text by its path; what is none at all is empty."""
    if isinstance(value, dict):
        return {
            inner: text
            for key, each in value.items()
            for inner, text in _flat(each, f"{name}.{key}" if name else key).items()
        }
    if value is None:
        return {name: ""}
    return {name: ", ".join(value) if isinstance(value, tuple | list) else str(value)}
