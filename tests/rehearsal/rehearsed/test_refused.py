"""What a test is told of what it asked of an environment in vain: sentences, and no frames of ours."""

import datetime as dt

import pytest

from rehearsal.faults import FaultError
from rehearsal.passing import PassingError
from rehearsal.rehearsed.environment import RehearsedEnvironment
from rehearsal.rehearsed.errors import RehearsedError, StackFailedError
from rehearsal.rehearsed.files import planned
from rehearsal.rehearsed.moments import moment_of
from rehearsal.rehearsed.short import shown_short
from rehearsal.rehearsed.stacks import RehearsedStacks
from rehearsal.world import World
from trnstack.findings import InvalidEnvironmentError, render


class TestMoments:
    def test_texts(self):
        """A text by ISO 8601 is the moment that it names."""
        assert moment_of("2027-03-01T00:00:00Z") == dt.datetime(2027, 3, 1, tzinfo=dt.UTC)
        assert moment_of("2027-03-01T02:00+02:00") == moment_of(dt.datetime(2027, 3, 1, tzinfo=dt.UTC))

    @pytest.mark.parametrize("asked", ["tomorrow", "", dt.date(2027, 3, 1), 5, None])
    def test_no_moment(self, asked):
        """What is no moment is refused with how to write one."""
        with pytest.raises(PassingError, match=r"is no moment: give a datetime with its zone, or a text as 2027-"):
            moment_of(asked)

    @pytest.mark.parametrize("asked", ["2027-03-01", dt.datetime(2027, 3, 1)])  # noqa: DTZ001 - that is refused
    def test_no_zone(self, asked):
        """A moment without a zone is refused."""
        with pytest.raises(PassingError, match=r"2027-03-01.* has no time zone: write it as"):
            moment_of(asked)


class TestEdits:
    @pytest.fixture
    def dev(self, environment):
        return planned(environment("dev-trn1"))

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("node_groups[7].node_count", r"node_groups has 1 entry, which count from \[0\]"),
            ("node_groups[1]", r"node_groups has 1 entry, which count from \[0\]"),
            ("node_groups.node_count", r"node_groups is a list: name one of its entries, such as node_groups\[0\]"),
            ("name[0]", "name is no list"),
            ("name.first", "name is no section, and holds 'dev'"),
            ("nothing[0].at_all", "nothing is no list"),
            (("node_groups", -1, "node_count"), "node_groups has 1 entry"),
        ],
    )
    def test_leads_nowhere(self, dev, tmp_path, path, why):
        """An edit of what is not there is refused by the file's name, with what is there."""
        with pytest.raises(RehearsedError, match=rf"leads nowhere in .*environments/dev-trn1.yaml: {why}"):
            dev.edited({path: 2}, tmp_path)

    def test_into_an_earlier_one(self, dev, tmp_path):
        """An edit may lead into a value that another one sets, which stays the test's own."""
        labels = {"a": "1"}
        made = dev.edited({"node_groups[0].labels": labels, "node_groups[0].labels.b": "2"}, tmp_path)

        assert made.plan.node_groups[0].labels.items() >= {"a": "1", "b": "2"}.items()
        assert labels == {"a": "1"}

    def test_told_of_the_persons_file(self, dev, environment, tmp_path):
        """What is wrong with an edit is told of the person's file and the edit, never of a copy."""
        with pytest.raises(InvalidEnvironmentError) as refused:
            dev.edited({"node_groups[0].node_cuont": 2}, tmp_path)

        told = render(refused.value.findings)
        assert told.startswith(
            f"{environment('dev-trn1')} with node_groups[0].node_cuont = 2: node_groups[0].node_cuont"
        )
        assert str(tmp_path) not in told

    def test_after_one_that_was_refused(self, dev, tmp_path):
        """A refused edit leaves nothing behind for the next one; those that were taken add up, the last one wins."""
        first = dev.edited({"node_groups[0].node_count": 2}, tmp_path)
        with pytest.raises(InvalidEnvironmentError):
            first.edited({"regoin": "us-east-1"}, tmp_path)
        second = first.edited({"node_groups[0].labels.stage": "trial"}, tmp_path)
        third = second.edited({"node_groups[0].node_count": 3}, tmp_path)

        assert second.plan.node_groups[0].labels["stage"] == "trial"
        assert second.plan.node_groups[0].scaling.desired == 2
        assert (third.file, third.plan.node_groups[0].scaling.desired) == (dev.file, 3)


class TestStacks:
    def test_one_that_does_not_stand(self):
        """To delete what does not stand is refused: the test that asks for it has a slip."""
        with pytest.raises(RehearsedError, match="there is no stack dev-nope; those that stand: none"):
            RehearsedStacks(World(), account="123456789012", region="us-east-1").check(["dev-nope"])


class TestShort:
    @pytest.mark.parametrize(
        "error",
        [FaultError("no such fault"), RehearsedError("no"), StackFailedError("a", "ROLLBACK_COMPLETE", [], "b")],
    )
    def test_ends_at_the_caller(self, error):
        """Of an error for people pytest shows the test's own line, and none of ours; its class stays."""

        @shown_short
        def fails():
            raise error from KeyError("inside")

        with pytest.raises(type(error)) as raised:
            fails()

        assert raised.value is error
        assert [entry.path.name for entry in raised.traceback.filter(raised)] == ["test_refused.py"]
        assert len(raised.getrepr(style="long").chain) == 1

    def test_a_bug_keeps_its_frames(self):
        """What is not for people is shown to where it was raised."""

        @shown_short
        def fails():
            raise KeyError("a bug")

        with pytest.raises(KeyError) as raised:
            fails()
        assert raised.traceback[-1].name == "fails"

    @pytest.mark.parametrize("name", ["deploy", "destroy", "fail", "mend", "advance_to"])
    def test_every_way_to_fail(self, name):
        """Whatever a test asks an environment to do fails so."""
        assert hasattr(getattr(RehearsedEnvironment, name), "__wrapped__")
