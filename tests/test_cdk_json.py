"""``cdk.json``: every recommended flag of the installed CDK library is pinned, and nothing is reported to anyone."""

import importlib.util
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
#: Where the project decides otherwise than the library recommends.
OWN = {
    # A stack that others stand on can't be deleted under them.
    "@aws-cdk/core:defaultCrossStackReferences": "strong",
    # Which constructs are used is nobody else's business.
    "@aws-cdk/core:enableAdditionalMetadataCollection": False,
}


@pytest.fixture(scope="module")
def recommended() -> dict[str, Any]:
    """The flags that ``cdk init`` would write, read from the library's own package without importing it."""
    spec = importlib.util.find_spec("aws_cdk")
    assert spec is not None
    assert spec.origin is not None
    (package,) = (Path(spec.origin).parent / "_jsii").glob("aws-cdk-lib@*.jsii.tgz")
    with tarfile.open(package) as archive:
        stream = archive.extractfile("package/recommended-feature-flags.json")
        assert stream is not None
        return json.load(stream)


@pytest.fixture(scope="module")
def cdk_json() -> dict[str, Any]:
    return json.loads((ROOT / "cdk.json").read_text())


class TestFlags:
    def test_are_the_recommended_ones(self, cdk_json, recommended):
        """Behaviour changes with the library's version only where somebody changes this file too."""
        pinned = {name: value for name, value in cdk_json["context"].items() if name.startswith("@")}

        assert pinned == {**recommended, **OWN}

    def test_deviations_are_still_some(self, recommended):
        """A deviation that the library has come to recommend is none, and leaves this list."""
        assert all(recommended[name] != value for name, value in OWN.items())

    def test_are_sorted(self, cdk_json):
        """A new flag is one line of difference."""
        flags = [name for name in cdk_json["context"] if name.startswith("@")]

        assert flags == sorted(flags)


class TestCommand:
    def test_reports_nothing(self, cdk_json):
        """Neither versions, nor use, nor notices go over the network."""
        assert cdk_json["versionReporting"] is False
        assert cdk_json["notices"] is False
        assert cdk_json["context"]["cli-telemetry"] is False

    def test_starts_the_app_of_the_virtual_environment(self, cdk_json):
        """Synthesis uses the pinned packages, whatever Python is on the PATH."""
        assert cdk_json["app"] == ".venv/bin/python -m stacks"
        assert cdk_json["output"] == "cdk.out"
