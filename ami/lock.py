"""The lock file of an environment: reading, comparing and writing it. Stands on the standard library alone."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

LOCK_VERSION = 1


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The parts of an environment that a lock answers; when they change, the lock is stale.

    Attributes:
        environment: The environment's name.
        region: The region's name.
        kubernetes_version: The minor version, such as ``1.35``.
        neuron_sdk: The Neuron SDK's release, such as ``2.30.0``.
        framework: ``pytorch`` or ``jax``.
        add_ons: The names of the EKS add-ons that the cluster has, sorted.
    """

    environment: str
    region: str
    kubernetes_version: str
    neuron_sdk: str
    framework: str
    add_ons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronPin:
    """The Neuron SDK's components.

    Attributes:
        sdk: The release.
        driver: The version of aws-neuronx-dkms that the release ships.
        components: Versions by package name.
        container_image: The training container with its tag; None where the release has none for the framework.
    """

    sdk: str
    driver: str
    components: Mapping[str, str]
    container_image: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePin:
    """An EKS-optimized AMI release.

    Attributes:
        ami_type: EKS's name of the AMI family, such as ``AL2023_x86_64_NEURON``.
        release: The release's name in its change log, such as ``v20260625``.
        release_version: What a node group names, such as ``1.35.3-20260625``.
        neuron_driver: The version of aws-neuronx-dkms in it; None in an AMI without Neuron.
        kernel: The kernel's major and minor version.
    """

    ami_type: str
    release: str
    release_version: str
    neuron_driver: str | None
    kernel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """Everything that floats, held still.

    Attributes:
        inputs: What the lock answers.
        made_from: Where the pins come from: the offline tables and their date, or the account that was asked.
        neuron: The Neuron SDK.
        accelerator_image: The AMI of the accelerator nodes.
        system_image: The AMI of the system nodes.
        add_ons: EKS add-on versions by name.
    """

    inputs: Inputs
    made_from: str
    neuron: NeuronPin
    accelerator_image: ImagePin
    system_image: ImagePin
    add_ons: Mapping[str, str]


def path_for(environment_file: str | Path) -> Path:
    """Returns where an environment's lock lies: beside it, ``NAME.yaml`` -> ``NAME.lock.json``."""
    path = Path(environment_file)
    return path.with_name(f"{path.stem}.lock.json")


def differences(lock: Lock, inputs: Inputs) -> list[str]:
    """Returns what the environment asks now and the lock does not answer; empty when the lock is current.

    Each line names the input, what the lock was made for, and what the environment says.
    """
    made_for, wanted = asdict(lock.inputs), asdict(inputs)
    return [
        f"{name} was {_shown(made_for[name])}, is now {_shown(wanted[name])}"
        for name in wanted
        if made_for[name] != wanted[name]
    ]


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def to_json(lock: Lock) -> str:
    """Returns the lock's text: stable order, one value a line, so that two locks compare line by line."""
    return json.dumps({"lock_version": LOCK_VERSION, **asdict(lock)}, indent=2) + "\n"


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
        LockError: It is no lock, is damaged, or was written by a newer trnstack.
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
    if type(version) is not int or version < LOCK_VERSION:
        raise LockError(path, "is not a lock file")
    if version > LOCK_VERSION:
        raise LockError(path, f"has version {version}; this trnstack reads version {LOCK_VERSION}: update trnstack")
    return _parse(data, path)


def _parse(data: dict[str, Any], path: Path) -> Lock:
    try:
        return Lock(
            inputs=Inputs(
                **{**_texts(data["inputs"], but="add_ons"), "add_ons": _list_of_texts(data["inputs"]["add_ons"])}
            ),
            made_from=_text(data["made_from"]),
            neuron=NeuronPin(
                **{
                    **_texts(data["neuron"], but="components", optional="container_image"),
                    "components": _texts(data["neuron"]["components"]),
                }
            ),
            accelerator_image=ImagePin(**_texts(data["accelerator_image"], optional="neuron_driver")),
            system_image=ImagePin(**_texts(data["system_image"], optional="neuron_driver")),
            add_ons=_texts(data["add_ons"]),
        )
    except KeyError as error:
        raise LockError(path, f"lacks {error.args[0]} (edited by hand or cut off?)") from None
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise LockError(path, f"does not have the shape of a lock: {error}") from None


def _texts(data: dict[str, Any], *, but: str = "", optional: str = "") -> dict[str, Any]:
    return {
        key: None if value is None and key == optional else _text(value) for key, value in data.items() if key != but
    }


def _list_of_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} should be a list")  # noqa: TRY004 - a damaged file, not a caller's mistake
    return tuple(map(_text, value))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} should be a text")  # noqa: TRY004 - a damaged file, not a caller's mistake
    return value
