"""The stand-in charts: packed alike everywhere, and with every value that an environment sets."""

import io
import tarfile
from pathlib import Path

import pytest
import yaml

from ami.chart_files import unpacked
from ami.lock import path_for, read
from ami.tables import charts
from bench.locks import resolved
from rehearsal.charts import NoStandInError, archive, names
from trnstack.charts import unknown_values
from trnstack.environment import read_environment
from trnstack.plan import plan

ENVIRONMENTS = sorted((Path(__file__).parents[2] / "environments").glob("*.yaml"))


def test_every_chart_of_the_tables():
    """There is one for every chart that a cluster may have."""
    assert set(names()) == set(charts())


@pytest.mark.parametrize("name", names())
def test_archive(name):
    """An archive holds the chart's folder with the version that was asked for, and nothing of whoever packed it."""
    with tarfile.open(fileobj=io.BytesIO(archive(name, "9.8.7"))) as tar:
        members = tar.getmembers()
        described = yaml.safe_load(tar.extractfile(f"{name}/Chart.yaml").read())

    assert (described["name"], described["version"]) == (name, "9.8.7")
    assert {(each.mtime, each.uid, each.uname, each.mode) for each in members} == {(0, 0, "", 0o644)}
    assert [each.name for each in members] == sorted(each.name for each in members)


def test_version_of_a_subchart():
    """A chart inside a chart keeps its own version."""
    with tarfile.open(fileobj=io.BytesIO(archive("kubeflow-trainer", "9.8.7"))) as tar:
        inner = yaml.safe_load(tar.extractfile("kubeflow-trainer/charts/jobset/Chart.yaml").read())

    assert inner["version"] == "0.12.0"


def test_same_bytes():
    """A version's bytes are the same each time, and another version's are others."""
    again = archive.__wrapped__("kueue", "1.0.0")

    assert again == archive("kueue", "1.0.0")
    assert again != archive("kueue", "1.0.1")


def test_unknown():
    """Of another name there is none."""
    with pytest.raises(NoStandInError, match="no chart other; it has aws-efa"):
        archive("other", "1.0.0")


@pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
def test_values(file):
    """Every value that an environment sets is one of the chart's."""
    decided = plan(read_environment(file)[1], resolved(read(path_for(file))))

    for release in decided.kubernetes.releases:
        content = archive(release.chart, release.version)
        chart = unpacked(content, name=release.chart, version=release.version)
        assert list(unknown_values(chart, release.values)) == []
