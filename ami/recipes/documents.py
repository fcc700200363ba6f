"""Renders a recipe and a lock's values as the component documents that EC2 Image Builder runs.

Source: EC2 Image Builder user guide, "Use the AWSTOE component document framework for custom components" (schema 1.0;
``build`` and ``validate`` run before the snapshot, ``test`` on an instance started from it; ``maxAttempts`` is how
often a step is tried before it fails, once by default, and ``timeoutSeconds`` how long one try takes; after a step that
failed, ``onFailure: Abort`` runs no other) and "Action modules supported by AWSTOE component manager" (ExecuteBash: all
commands become one file, which bash runs as root).
"""

import hashlib
import json
import shlex
from dataclasses import dataclass
from typing import Any

import yaml

from ami.recipes.table import ComponentRow, Recipe
from ami.recipes.values import InvalidValueError, RecipeValues

#: The longest document that CreateComponent takes inline. Source: EC2 Image Builder API reference, CreateComponent.
MAXIMUM_CHARACTERS = 16_000
#: Half of the two hours that a step has by default; the longest step, building modules, takes minutes.
STEP_TIMEOUT_SECONDS = 3_600
#: A part of every version. Raise it when the images' stack renders anything else around the documents, such as another
#: setting of the volume: components and recipes of Image Builder can't be changed in place, and bear the version in
#: their names, so that without a new version the change would meet the old names.
FORMAT = 1
_SHEBANG = "#!/usr/bin/env bash\n"
#: What holds at the end of the build has to hold after a boot too, so the test phase begins with the same checks.
_SCRIPTS_BY_PHASE = {"build": ("build",), "validate": ("validate",), "test": ("validate", "test")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A component as Image Builder takes it.

    Attributes:
        name: Its name within the recipe, such as ``driver``.
        description: What it does.
        document: The YAML text.
    """

    name: str
    description: str
    document: str


def components(recipe: Recipe, values: RecipeValues) -> tuple[Component, ...]:
    """Returns the components of an image in the order in which they run; the same values give the same text.

    Raises:
        InvalidValueError: The values make a document longer than Image Builder takes.
    """
    variables = _variables(recipe, values)
    return tuple(_component(recipe, row, variables) for row in recipe.components)


def content_version(recipe: Recipe, values: RecipeValues, *, parent_release: str) -> str:
    """Returns twelve hexadecimal digits of a hash over everything that makes the image.

    An unchanged recipe with unchanged values gives the same digits, and so names the image that stands already.

    Args:
        recipe: The recipe.
        values: The lock's pins.
        parent_release: The release version of the parent, such as ``1.35.6-20260714``.
    """
    content = {
        "format": FORMAT,
        "recipe": recipe.name,
        "parent_release": parent_release,
        "volume_gib": recipe.volume_gib,
        # Image Builder's resources can't be changed, not even in their descriptions: a new one needs a new version.
        "description": recipe.description,
        "components": [[made.name, made.description, made.document] for made in components(recipe, values)],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _variables(recipe: Recipe, values: RecipeValues) -> dict[str, str]:
    return {
        "RECIPE": recipe.name,
        "SDK": values.sdk,
        "DRIVER": values.driver,
        "TOOLS": values.tools,
        "KERNEL": values.kernel,
        "CONTAINERS": " ".join(values.containers),
        "EFA_VERSION": recipe.efa_installer.version,
        "EFA_SHA256": recipe.efa_installer.sha256,
        "GPG_FINGERPRINT": recipe.gpg_fingerprint,
    }


def _component(recipe: Recipe, row: ComponentRow, variables: dict[str, str]) -> Component:
    content = {
        "name": f"{recipe.name}-{row.name}",
        "description": row.description,
        "schemaVersion": 1.0,
        "phases": [
            {
                "name": phase,
                "steps": [
                    _step(
                        script,
                        _exports(recipe, row, variables | {"PHASE": phase}) + text.removeprefix(_SHEBANG),
                        attempts=row.build_attempts if phase == "build" else 1,
                    )
                    for script in scripts
                    if (text := recipe.script(row.name, script)) is not None
                ],
            }
            for phase, scripts in _SCRIPTS_BY_PHASE.items()
        ],
    }
    document = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    if len(document) > MAXIMUM_CHARACTERS:
        raise InvalidValueError(
            f"component {row.name} comes to {len(document)} characters, and Image Builder takes {MAXIMUM_CHARACTERS}: "
            "name fewer containers"
        )
    return Component(name=row.name, description=row.description, document=document)


def _exports(recipe: Recipe, row: ComponentRow, variables: dict[str, str]) -> str:
    """Returns the lines that set a component's variables, those last that hold a file of the recipe's."""
    values = [(name, variables[name]) for name in row.variables]
    files = [(name, recipe.file(file)) for name, file in row.files]
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values + files)


def _step(name: str, commands: str, *, attempts: int) -> dict[str, Any]:
    return {
        "name": name,
        "action": "ExecuteBash",
        "timeoutSeconds": STEP_TIMEOUT_SECONDS,
        "onFailure": "Abort",
        "maxAttempts": attempts,
        "inputs": {"commands": [commands]},
    }


class _Dumper(yaml.CSafeDumper):
    """Writes a text of several lines as such, so that a person can read the script in the console."""


def _text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)
