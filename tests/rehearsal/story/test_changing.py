"""Whether a rehearsal notices an update that did something else, and a guard that lets pass what it must not."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from rehearsal.story import changing
from rehearsal.story.changing import change
from rehearsal.story.error import RehearsalError
from rehearsal.story.runs import CdkRun
from rehearsal.story.stage import say

LOST = "--fail-on data-loss: demo-storage/Lustre (AWS::FSx::FileSystem): LOSES DATA"


class Stage:
    """A stage on which every deploy leaves what it is told to leave."""

    def __init__(self, plan, surveys, guard, folder):
        self.plan, self.file, self.folder = plan, folder / "demo.yaml", folder
        self.cdk = SimpleNamespace(trnstack=lambda *_: guard, lock_file=None)
        self.steps = []
        self._surveys = iter(surveys)

    def edit(self, changes):
        """Edits nothing but the first group's name for its volume, so that there is one deploy."""
        before = self.plan
        (group,) = before.node_groups
        template = replace(group.launch_template, root_volume_gib=group.launch_template.root_volume_gib + 1)
        self.plan = replace(before, node_groups=(replace(group, launch_template=template),))
        assert changes
        return before

    def step(self, *words):
        self.steps.append(" ".join(words))

    def tell(self, what, _, comment="", **__):
        say(f"{what}: {comment}")

    def survey(self):
        return next(self._surveys)


@pytest.fixture
def told(planned, tmp_path, monkeypatch):
    """Returns a teller of the changes: the nodes after the two updates, and how the guard ends and what it says."""
    monkeypatch.setattr(changing, "deployed_differently", lambda *_: ())
    monkeypatch.setattr(
        changing,
        "replacing",
        lambda *_: ({("storage", "lustre", "throughput_mbps_per_tib"): 125}, tmp_path / "demo.yaml"),
    )

    def tell(first, second, status=3, line=LOST, revisions=(1, 1, 1)):
        plan = planned("llama3-8b-trn1")
        group = plan.node_groups[0].name
        before, *after = (
            SimpleNamespace(
                clusters=(
                    SimpleNamespace(
                        node_groups=(
                            SimpleNamespace(name="system", instance_ids=system),
                            SimpleNamespace(name=group, instance_ids=nodes),
                        ),
                        releases=(SimpleNamespace(name="kueue", revision=revision),),
                    ),
                )
            )
            for revision, (system, nodes) in zip(revisions, (SAME, first, second), strict=True)
        )
        stage = Stage(plan, after, CdkRun("diff", status, 0.1, (), (line,)), tmp_path)
        change(stage, before)
        return stage

    return tell


SAME, NEW = (("i-0",), ("i-1", "i-2")), (("i-0",), ("i-3", "i-4"))


def test_all_is_well(told, capsys):
    """Nodes stay in the first update and are new after the second, and the guard refuses the third."""
    stage = told(SAME, NEW)
    printed = capsys.readouterr().out

    assert stage.steps == ["deploy llama3-8b-nodes-trn1 --exclusively --require-approval never"] * 2
    assert "in place: every node is still the same" in printed
    assert "every node of the group is a new one" in printed
    assert "refused, the file system would be lost" in printed


def test_without_nodes(told, capsys):
    """Of a group that has no nodes yet none is said to be new."""
    told(SAME, (("i-0",), ()))

    assert "the group has no node now" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        (NEW, NEW, "nodes of trn1 were replaced by a change in place"),
        (SAME, SAME, "nodes of trn1 were not replaced"),
        (SAME, (("i-0",), ("i-1", "i-4")), "nodes of trn1 were not replaced"),
        (SAME, (("i-9",), ("i-3", "i-4")), "nodes of system were replaced"),
    ],
)
def test_other_nodes(told, first, second, sentence):
    """Nodes that were replaced and should not have been, or the other way round, end the rehearsal."""
    with pytest.raises(RehearsalError, match=sentence):
        told(first, second)


@pytest.mark.parametrize(
    ("status", "line"), [(0, "nothing differs"), (1, LOST), (3, "demo/Key (AWS::KMS::Key): LOSES DATA"), (2, "usage")]
)
def test_guard_that_does_not_refuse(told, status, line):
    """A guard that ends well, fails otherwise, or refuses something else ends the rehearsal with what it said."""
    with pytest.raises(RehearsalError, match=r"should refuse storage\.lustre\.throughput_mbps_per_tib: 125"):
        told(SAME, NEW, status, line)


@pytest.mark.parametrize("revisions", [(1, 2, 2), (1, 1, 2)], ids=["by the first", "by the second"])
def test_release_that_was_upgraded(told, revisions):
    """A chart that was upgraded by an edit which does not concern it ends the rehearsal."""
    with pytest.raises(RehearsalError, match="release kueue was upgraded without need"):
        told(SAME, NEW, revisions=revisions)
