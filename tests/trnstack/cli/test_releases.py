"""``trnstack releases``."""

import json

import pytest

from ami.tables import ami_releases, sdk_releases


class TestOverview:
    def test_newest_first(self, run):
        """A row for each release, newest first, with what belongs to it."""
        answer = run("releases")
        rows = [line.split() for line in answer.stdout.split("\n\n")[0].splitlines()[2:-1]]

        assert (answer.code, answer.stderr) == (0, "")
        assert [row[0] for row in rows] == list(sdk_releases())
        assert " ".join(rows[0]) == (
            "2.32.0 2026-08-17 2.30.2.0 2.34.10.0 none none 0.10.0 py313 3.11-3.13 trn1, trn2, trn3"
        )
        assert "v20260625, v20260618 and 1 more  2.9.0 py312  0.9.0 py313" in answer.stdout

    def test_what_ends(self, run):
        """PyTorch's training containers end with 2.30.0, JAX's go on; what else ended stands with its date."""
        text = run("releases").stdout

        assert "  PyTorch training containers end with 2.30.0\n" in text
        assert "  JAX training containers go on: 2.32.0 has one\n" in text
        assert "  2026-08-12  2.31.1 is the last SDK with torch-neuronx and neuronx_distributed\n" in text

    def test_json(self, run):
        """The whole table for programs."""
        data = json.loads(run("releases", "--json").stdout)

        assert list(data) == ["collected", "releases", "lifecycle", "compatibility"]
        assert [row["sdk"] for row in data["releases"]] == list(sdk_releases())
        assert all(each["source"] for each in (*data["lifecycle"], *data["compatibility"]))


class TestOne:
    @pytest.mark.parametrize("sdk", sdk_releases())
    def test_whole(self, run, sdk):
        """A release is shown with every component, container and AMI release that the table has of it."""
        row, text = sdk_releases()[sdk], run("releases", sdk).stdout

        for name, builds in {**row.components, **row.further_components}.items():
            assert any(line.split() == [name, *", ".join(builds).split()] for line in text.splitlines())
        for image in filter(None, (*row.training_containers.values(), *row.inference_containers)):
            assert image in text
        for name in row.eks_ami_releases:
            assert all(version in text for version in ami_releases()[name].release_versions.values())

    def test_without_ami(self, run):
        """Where no AMI release has the driver, the way out is said."""
        assert (
            "none is known with driver 2.30.2.0: image: {type: custom, recipe: neuron}"
            in run("releases", "2.32.0").stdout
        )

    def test_json(self, run):
        """One release for programs."""
        data = json.loads(run("releases", "2.30.0", "--json").stdout)

        assert data["efa_installer"] == "1.47"
        assert data["tested_kernels"] == ["6.12", "6.1"]
        assert [each["release"] for each in data["eks_ami_releases"]] == ["v20260625", "v20260618", "v20260610"]

    @pytest.mark.parametrize(("sdk", "meant"), [("2.30", "2.30.0"), ("2.31.2", "2.31.1")])
    def test_unknown(self, run, sdk, meant):
        """A release that the table lacks is answered with the likeliest."""
        answer = run("releases", sdk)

        assert (answer.code, answer.stdout) == (2, "")
        assert f"hint: did you mean '{meant}'? known: " in answer.stderr
