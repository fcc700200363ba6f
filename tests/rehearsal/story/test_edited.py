"""The edits that a rehearsal makes: of a copy, of one thing, and of what they are said to change."""

from dataclasses import replace
from pathlib import Path

import pytest

from ami.lock import path_for
from rehearsal.story.edited import edited
from rehearsal.story.edits import in_place, of_nodes, replacing
from trnstack.advice.steps import steps
from trnstack.environment import check_file, plan_file
from trnstack.findings import has_errors

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))
WITH_FILE_SYSTEM = [file for file in ENVIRONMENTS if "throughput_mbps_per_tib" in file.read_text()]
#: Its node group has no image before the rehearsal builds one.
AWAITING = "custom-image-trn1"
ADOPTED = "adopted-storage-trn1"
PROTECTION = ("eks", "deletion_protection")


@pytest.fixture(params=ENVIRONMENTS, ids=lambda file: file.stem)
def file(request):
    """Each environment's file in turn."""
    return request.param


def plans(file, copy):
    """Returns the plan of an environment and of a copy with an edit, which are locked alike."""
    return plan_file(file), plan_file(copy, lock_file=path_for(file))


class TestEdited:
    def test_changes_one_thing(self, file, tmp_path):
        """The copy plans to the same but for what was edited, and keeps the person's comments."""
        text = file.read_text()
        copy = edited(file, tmp_path, {PROTECTION: False})
        before, after = plans(file, copy)

        assert before.cluster.deletion_protection
        assert after == replace(before, cluster=replace(before.cluster, deletion_protection=False))
        assert text.splitlines()[0] == copy.read_text().splitlines()[0]
        assert file.read_text() == text

    def test_one_after_the_other(self, tmp_path):
        """A copy of a copy has both edits, also where it takes the other's place."""
        first = edited(ENVIRONMENTS[0], tmp_path, {PROTECTION: False})
        second = edited(first, tmp_path, {("tags", "made", "anew"): 1})

        assert second == first
        assert "deletion_protection: false" in second.read_text()
        assert "made:" in second.read_text()


class TestUpdates:
    @pytest.mark.parametrize(
        "file", [file for file in ENVIRONMENTS if file.stem != AWAITING], ids=lambda file: file.stem
    )
    @pytest.mark.parametrize("edit", [in_place, of_nodes])
    def test_each_is_one_deploy_of_each_stack(self, file, tmp_path, edit):
        """Each edit is allowed, and takes one deploy of each stack that it concerns, in which nothing is held back."""
        before, after = plans(file, edited(file, tmp_path, edit(plan_file(file))))
        found = steps(before, after)
        in_the_cluster = edit is in_place and before.kubernetes.stack is not None

        assert len(found) == (2 if in_the_cluster else 1)
        assert any(f" {before.kubernetes.stack} " in step.command for step in found) is in_the_cluster
        for step in found:
            assert step.command.startswith("cdk deploy ")
            assert step.held_back == ()
            assert ("at a time" in step.nodes) is (edit is of_nodes)

    def test_in_place(self, planned):
        """The bucket is changed where there is one to change, else a node group's labels; and what jobs are told."""
        told = {("neuron", "environment", "NEURON_RT_LOG_LEVEL"): "INFO"}
        days = {("storage", "checkpoints", "noncurrent_expiration_days"): 31}
        plan = planned("llama3-8b-trn1")

        assert in_place(plan) == {**days, **told}
        assert in_place(planned(ADOPTED)) == {("node_groups", 0, "labels", "rehearsed"): "true", **told}
        assert in_place(replace(plan, kubernetes=replace(plan.kubernetes, stack=None))) == days


class TestReplacing:
    @pytest.mark.parametrize(
        "file", [file for file in WITH_FILE_SYSTEM if file.stem != ADOPTED], ids=lambda file: file.stem
    )
    def test_every_file_system(self, file, tmp_path):
        """Every file system that an environment makes has another rate which the rules let pass."""
        before = plan_file(file)
        changes, copy = replacing(before, file, tmp_path)
        after = plan_file(copy, lock_file=path_for(file))

        assert ("storage", "lustre", "throughput_mbps_per_tib") in changes
        assert after.storage.lustre.throughput_mbps_per_tib != before.storage.lustre.throughput_mbps_per_tib
        assert not has_errors(check_file(copy, with_lock=False).findings)

    @pytest.mark.parametrize("name", ["dev-trn1", ADOPTED])
    def test_nothing_to_replace(self, planned, tmp_path, name):
        """Without a file system of its own an environment has nothing to try."""
        assert replacing(planned(name), Path("not-read.yaml"), tmp_path) is None
