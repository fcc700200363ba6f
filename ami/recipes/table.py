"""Reads the recipes' folders as frozen rows."""

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_FOLDER = Path(__file__).parent
_FILE = "recipe.yaml"


class UnknownRecipeError(Exception):
    """There is no recipe of this name.

    Attributes:
        message: Which name, in lower case without a full stop.
        hint: The names that there are.
    """

    def __init__(self, name: str) -> None:
        self.message = f"unknown recipe {name!r}"
        self.hint = f"the recipes are {', '.join(names())}"
        super().__init__(f"{self.message}; {self.hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaInstaller:
    """The release of the EFA installer that an image gets.

    Attributes:
        version: The release, such as ``1.47.0``.
        sha256: The SHA-256 of its archive, 64 hexadecimal digits.
        source: Where the sum is published.
    """

    version: str
    sha256: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentRow:
    """A component of a recipe.

    Attributes:
        name: Its name, which is also the start of its scripts' names.
        description: What it does.
        variables: The environment variables that its scripts read; ``PHASE`` is the phase in which a script runs.
        files: Further ones that hold the text of a file, and the file's name in the recipe's folder.
        build_attempts: How often the build is tried before it fails; more than once for what asks the network.
    """

    name: str
    description: str
    variables: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    build_attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What makes a custom AMI of an EKS AMI release, without an environment's values.

    Attributes:
        name: Its name in an environment file.
        description: What is in the image.
        volume_gib: The size of the image's root volume; no node can have a smaller one.
        efa_installer: The EFA installer.
        gpg_fingerprint: The fingerprint, 40 hexadecimal digits, of the key that signs Neuron's packages.
        components: The components in the order in which they run.
    """

    name: str
    description: str
    volume_gib: int
    efa_installer: EfaInstaller
    gpg_fingerprint: str
    components: tuple[ComponentRow, ...]

    def script(self, component: str, phase: str) -> str | None:
        """Returns the script of a component for a phase; None where it has none."""
        path = _FOLDER / self.name / f"{component}.{phase}.sh"
        return path.read_text(encoding="utf-8") if path.exists() else None

    def file(self, name: str) -> str:
        """Returns the text of a file in the recipe's folder, which a script installs."""
        return (_FOLDER / self.name / name).read_text(encoding="utf-8")


@functools.cache
def names() -> tuple[str, ...]:
    """Returns the names of the recipes, sorted."""
    return tuple(sorted(path.parent.name for path in _FOLDER.glob(f"*/{_FILE}")))


@functools.cache
def recipe(name: str) -> Recipe:
    """Returns a recipe by its name.

    Raises:
        UnknownRecipeError: There is none of this name.
    """
    row = _row(name)
    return Recipe(
        name=name,
        description=row["description"],
        volume_gib=row["volume_gib"],
        efa_installer=EfaInstaller(**row["efa_installer"]),
        gpg_fingerprint=row["neuron_repository"]["gpg_fingerprint"],
        components=tuple(
            ComponentRow(
                name=component["name"],
                description=component["description"],
                variables=tuple(component["variables"]),
                files=tuple(component.get("files", {}).items()),
                build_attempts=component.get("build_attempts", 1),
            )
            for component in row["components"]
        ),
    )


@functools.cache
def source_hash(name: str) -> str:
    """Returns twelve hexadecimal digits that change with every file of a recipe.

    Raises:
        UnknownRecipeError: There is none of this name.
    """
    folder = _folder(name)
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix in {".yaml", ".sh"}):
        # Read as text, so that a clone with other line ends has the same hash.
        digest.update(f"{path.name}\0{path.read_text(encoding='utf-8')}\0".encode())
    return digest.hexdigest()[:12]


def _row(name: str) -> dict[str, Any]:
    text = (_folder(name) / _FILE).read_text(encoding="utf-8")
    row: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return row


def _folder(name: str) -> Path:
    if name not in names():
        raise UnknownRecipeError(name)
    return _FOLDER / name
