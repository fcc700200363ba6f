"""What an upgrade of a chart takes beside its deploy."""

import io
import subprocess
import tarfile
from dataclasses import replace

import pytest

from trnstack.advice.steps import is_one_deploy, steps

TRAINER = "kubeflow-trainer"


def with_version(plan, name, version):
    archive = f"charts/{name}-{version}.tgz"
    releases = tuple(
        replace(each, version=version, archive=archive) if each.name == name else each
        for each in plan.kubernetes.releases
    )
    return replace(plan, kubernetes=replace(plan.kubernetes, releases=releases))


class TestDefinitions:
    def test_another_version(self, planned):
        """What Helm makes once is applied by hand, before the controller that reads it comes."""
        by_hand, deploy = steps(planned(), with_version(planned(), TRAINER, "2.4.0"))

        assert by_hand.changes == ("resource definitions of chart kubeflow-trainer: 2.3.0 -> 2.4.0",)
        assert "kubectl apply --server-side --force-conflicts -f -" in by_hand.command
        assert deploy.changes == ("chart kubeflow-trainer: 2.3.0 -> 2.4.0",)
        assert not is_one_deploy([by_hand, deploy])

    def test_command(self, planned, tmp_path):
        """The command takes every file of the folder, and no other, out of an archive as Helm packs it."""
        by_hand, _ = steps(planned(), with_version(planned(), TRAINER, "2.4.0"))
        (tmp_path / "charts").mkdir()
        with tarfile.open(tmp_path / "charts" / "kubeflow-trainer-2.4.0.tgz", "w:gz") as tar:
            for path in ("charts/jobset/crds/a.yaml", "charts/jobset/crds/b.yaml", "charts/jobset/values.yaml"):
                content = f"---\n{path}\n".encode()
                record = tarfile.TarInfo(f"{TRAINER}/{path}")
                record.size = len(content)
                tar.addfile(record, io.BytesIO(content))
        taken, _, applied = by_hand.command.partition(" | ")
        done = subprocess.run(taken.split(), cwd=tmp_path, capture_output=True, check=True, text=True)

        assert done.stdout == "---\ncharts/jobset/crds/a.yaml\n---\ncharts/jobset/crds/b.yaml\n"
        assert applied.startswith("kubectl ")

    @pytest.mark.parametrize("changed", [("kueue", "0.20.0"), (TRAINER, "2.3.0")])
    def test_nothing_to_do(self, planned, changed):
        """A chart without such a folder takes no step of it, and neither does one of the same version."""
        found = steps(planned(), with_version(planned(), *changed))

        assert not [step for step in found if "resource definitions" in step.changes[0]]

    def test_gitops(self, planned):
        """Where a repository delivers charts, its README says how."""
        before = planned(kubernetes={"delivery": "gitops"})

        assert not [step for step in steps(before, with_version(before, TRAINER, "2.4.0")) if "kubectl" in step.command]
