import re
import shlex
from dataclasses import replace

import pytest
import yaml

from ami.recipes import (
    EfaInstaller,
    InvalidValueError,
    RecipeValues,
    components,
    content_version,
    documents,
    names,
    recipe,
)
from ami.recipes.documents import MAXIMUM_CHARACTERS

CONTAINER = "public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04@sha256:" + "a" * 64
VALUES = RecipeValues(sdk="2.32.0", driver="2.30.2.0", tools="2.32.28.0", kernel="6.12", containers=(CONTAINER,))
PARENT = "1.35.6-20260714"

COMPONENTS = {f"{name}-{made.name}": (name, made) for name in names() for made in components(recipe(name), VALUES)}

each_component = pytest.mark.parametrize("component", [made for _, made in COMPONENTS.values()], ids=list(COMPONENTS))


class TestComponents:
    @each_component
    def test_shape(self, component):
        """A document has the schema's fields and no others, and only phases and actions that Image Builder knows.

        Source: EC2 Image Builder user guide, "Use the AWSTOE component document framework for custom components".
        """
        document = yaml.safe_load(component.document)

        assert set(document) == {"name", "description", "schemaVersion", "phases"}
        assert document["schemaVersion"] == 1.0
        assert [phase["name"] for phase in document["phases"]] == ["build", "validate", "test"]
        for phase in document["phases"]:
            assert set(phase) == {"name", "steps"}
            steps = [step["name"] for step in phase["steps"]]
            assert steps
            assert len(set(steps)) == len(steps)
            for step in phase["steps"]:
                assert set(step) == {"name", "action", "timeoutSeconds", "onFailure", "maxAttempts", "inputs"}
                assert step["action"] == "ExecuteBash"
                assert step["onFailure"] == "Abort"
                assert set(step["inputs"]) == {"commands"}

    @each_component
    def test_limits(self, component):
        """Names, descriptions and documents have the forms and lengths that CreateComponent takes.

        Source: EC2 Image Builder API reference, CreateComponent and Component.
        """
        assert re.fullmatch(r"[-_A-Za-z0-9][-_A-Za-z0-9 ]{1,126}[-_A-Za-z0-9]", component.name)
        assert 1 <= len(component.description) <= 1024
        assert len(component.document) <= MAXIMUM_CHARACTERS
        assert component.document.isascii()

    @pytest.mark.parametrize(("name", "component"), COMPONENTS.values(), ids=COMPONENTS)
    def test_scripts_are_whole(self, name, component):
        """Each step has its script as it stands in the folder, and the test phase begins with the build's checks."""
        steps = {part["name"]: part["steps"] for part in yaml.safe_load(component.document)["phases"]}

        for phase, scripts in {"build": ["build"], "validate": ["validate"], "test": ["validate", "test"]}.items():
            texts = [recipe(name).script(component.name, script) for script in scripts]
            found = [step["inputs"]["commands"] for step in steps[phase]]
            assert len(found) == len([text for text in texts if text])
            for (command,), text in zip(found, filter(None, texts), strict=True):
                assert command.endswith("\n" + text.partition("\n")[2]) or command == text.partition("\n")[2]

    def test_attempts(self):
        """What downloads is tried three times, and nothing else more than once: a check that fails would fail again."""
        tried = {
            (made.name, phase["name"], step["name"]): step["maxAttempts"]
            for made in components(recipe("neuron"), VALUES)
            for phase in yaml.safe_load(made.document)["phases"]
            for step in phase["steps"]
        }

        assert {key: attempts for key, attempts in tried.items() if attempts != 1} == {
            ("driver", "build", "build"): 3,
            ("efa", "build", "build"): 3,
            ("containers", "build", "build"): 3,
        }

    def test_phase(self):
        """A script that runs in two phases is told which one it is."""
        (made,) = [made for made in components(recipe("neuron"), VALUES) if made.name == "identity"]
        starts = {
            (phase["name"], step["name"]): step["inputs"]["commands"][0].partition("\n")[0]
            for phase in yaml.safe_load(made.document)["phases"]
            for step in phase["steps"]
        }

        assert starts == {
            ("build", "build"): "export PHASE=build",
            ("validate", "validate"): "export PHASE=validate",
            ("test", "validate"): "export PHASE=test",
        }

    def test_files(self):
        """A file that a script installs is one of its values, whole."""
        (made,) = [made for made in components(recipe("neuron"), VALUES) if made.name == "import"]
        commands = yaml.safe_load(made.document)["phases"][0]["steps"][0]["inputs"]["commands"][0]

        assert commands.startswith(f"export IMPORTER={shlex.quote(recipe('neuron').file('import.program.sh'))}\n")

    def test_values(self):
        """The scripts' values stand in front of them."""
        driver = next(made for made in components(recipe("neuron"), VALUES) if made.name == "driver")
        commands = yaml.safe_load(driver.document)["phases"][0]["steps"][0]["inputs"]["commands"][0]

        assert commands.splitlines()[:3] == [
            "export DRIVER=2.30.2.0",
            "export TOOLS=2.32.28.0",
            "export GPG_FINGERPRINT=00FA2C1079260870A76D2C285749CAD8646D9185",
        ]

    def test_is_readable(self):
        """A script stands in its document line by line, for who looks at it in the console."""
        kernel = components(recipe("neuron"), VALUES)[0].document

        assert "        set -euo pipefail\n" in kernel
        assert "\\n" not in kernel.replace(r"%s\n", "")

    def test_no_container(self):
        """A release without a training container makes an image without one."""
        made = components(recipe("neuron"), replace(VALUES, containers=()))

        assert "export CONTAINERS=''" in next(each.document for each in made if each.name == "containers")

    def test_the_same_twice(self):
        """The same values give the same text."""
        assert components(recipe("neuron"), VALUES) == components(recipe("neuron"), replace(VALUES))

    def test_too_long(self):
        """A document that Image Builder would refuse is refused here, with what to do."""
        many = tuple(CONTAINER.replace("jax-", f"jax{number}-") for number in range(100))

        with pytest.raises(InvalidValueError, match="and Image Builder takes 16000: name fewer containers"):
            components(recipe("neuron"), replace(VALUES, containers=many))


class TestContentVersion:
    def test_form(self):
        """It is twelve hexadecimal digits, the same for the same content."""
        version = content_version(recipe("neuron"), VALUES, parent_release=PARENT)

        assert re.fullmatch(r"[0-9a-f]{12}", version)
        assert version == content_version(recipe("neuron"), replace(VALUES), parent_release=PARENT)

    @pytest.mark.parametrize(
        "change",
        [
            {"sdk": "2.31.1"},
            {"driver": "2.29.0.0"},
            {"tools": "2.31.15.0"},
            {"kernel": "6.18"},
            {"containers": ()},
            {"containers": (CONTAINER.replace("a" * 64, "b" * 64),)},
        ],
        ids=str,
    )
    def test_changes_with_every_value(self, change):
        """Whatever of the lock goes into the image changes its version."""
        assert content_version(recipe("neuron"), replace(VALUES, **change), parent_release=PARENT) != content_version(
            recipe("neuron"), VALUES, parent_release=PARENT
        )

    def test_changes_with_the_parent(self):
        """Another parent makes another image."""
        assert content_version(recipe("neuron"), VALUES, parent_release="1.35.6-20260625") != content_version(
            recipe("neuron"), VALUES, parent_release=PARENT
        )

    @pytest.mark.parametrize(
        "change",
        [
            {"volume_gib": 120},
            {"gpg_fingerprint": "0" * 40},
            {"description": "another"},
            {"efa_installer": EfaInstaller(version="1.47.0", sha256="0" * 64, source="")},
            {"efa_installer": EfaInstaller(version="1.46.0", sha256=recipe("neuron").efa_installer.sha256, source="")},
            {"components": recipe("neuron").components[::-1]},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_changes_with_the_recipe(self, change):
        """So does whatever of the recipe makes it, the size of the volume and the order included."""
        assert content_version(replace(recipe("neuron"), **change), VALUES, parent_release=PARENT) != content_version(
            recipe("neuron"), VALUES, parent_release=PARENT
        )

    def test_does_not_change_with_a_source(self):
        """Where a sum was read is no part of an image."""
        told = replace(recipe("neuron").efa_installer, source="elsewhere")

        assert content_version(
            replace(recipe("neuron"), efa_installer=told), VALUES, parent_release=PARENT
        ) == content_version(recipe("neuron"), VALUES, parent_release=PARENT)

    def test_changes_with_the_format(self, monkeypatch):
        """What the images' stack renders otherwise gets another version by its number."""
        before = content_version(recipe("neuron"), VALUES, parent_release=PARENT)
        monkeypatch.setattr(documents, "FORMAT", documents.FORMAT + 1)

        assert content_version(recipe("neuron"), VALUES, parent_release=PARENT) != before
