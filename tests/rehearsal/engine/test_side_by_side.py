"""What goes on at the same time in a stack: the order of events, their times, and what a failure does to the others."""

import datetime as dt
import threading

import pytest

from rehearsal import clock
from rehearsal.engine import Retention
from rehearsal.engine.runner import OnFailure, Runner
from rehearsal.engine.step import Cancelled, StepError
from rehearsal.operations import Operations, wait_for_all

BEGUN = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


def seconds_since(stack, events):
    """Gives the times of events in whole seconds after the stack's first one."""
    return [round((event.timestamp - stack.events[0].timestamp).total_seconds()) for event in events]


class TestRunner:
    """Jobs of known lengths, each of which writes down when it begins and ends."""

    @pytest.fixture
    def told(self):
        return []

    @pytest.fixture
    def job(self, told):
        def make(name, seconds, *, fails=False):
            def run():
                told.append((name, "begins", (clock.now() - BEGUN).seconds))
                try:
                    yield seconds
                except Cancelled as order:
                    told.append((name, "cancelled", (clock.now() - BEGUN).seconds))
                    raise StepError(name, "CREATE") from order
                if fails:
                    raise StepError(name, "CREATE")
                told.append((name, "ends", (clock.now() - BEGUN).seconds))

            return run

        return make

    def test_side_by_side(self, told, job):
        """Each begins as soon as those that it needs have ended, whatever else still runs."""
        jobs = {"long": job("long", 60), "short": job("short", 5), "after": job("after", 10)}

        Runner(jobs, {"after": ["short"]}, OnFailure.CANCEL).run()

        assert told == [
            ("long", "begins", 0),
            ("short", "begins", 0),
            ("short", "ends", 5),
            ("after", "begins", 5),
            ("after", "ends", 15),
            ("long", "ends", 60),
        ]
        assert clock.now() == BEGUN + dt.timedelta(seconds=60)

    @pytest.mark.parametrize(
        ("on_failure", "begun", "cancelled"),
        [
            (OnFailure.CANCEL, {"bad", "long", "short"}, {"long"}),
            (OnFailure.LEAVE_DEPENDENTS, {"bad", "long", "short", "behind long"}, set()),
            (OnFailure.GO_ON, {"bad", "long", "short", "behind long", "behind bad", "far behind"}, set()),
        ],
    )
    def test_failure(self, told, job, on_failure, begun, cancelled):
        """A failure gives up what runs, or what needs it, or nothing."""
        jobs = {
            "bad": job("bad", 10, fails=True),
            "long": job("long", 60),
            "short": job("short", 5),
            "behind long": job("behind long", 1),
            "behind bad": job("behind bad", 1),
            "far behind": job("far behind", 1),
        }
        needs = {"behind long": ["long"], "behind bad": ["bad"], "far behind": ["behind bad", "long"]}
        runner = Runner(jobs, needs, on_failure)

        runner.run()

        assert {name for name, what, _ in told if what == "begins"} == begun
        assert {name for name, what, _ in told if what == "cancelled"} == cancelled
        assert [failure.logical_id for failure in runner.failures] == ["bad", *cancelled]

    def test_waiting_for_each_other(self, told, job):
        """Jobs in a circle are run all the same, since someone has to be first."""
        Runner({"a": job("a", 1), "b": job("b", 1)}, {"a": ["b"], "b": ["a"]}, OnFailure.CANCEL).run()

        assert [name for name, what, _ in told if what == "ends"] == ["a", "b"]

    def test_time_within_a_job(self, job, told):
        """Time that a job lets pass counts, and holds nobody else up."""

        def slow():
            clock.pass_to(clock.now() + dt.timedelta(seconds=30))
            yield 0

        Runner({"slow": slow, "other": job("other", 5)}, {}, OnFailure.CANCEL).run()

        assert told == [("other", "begins", 0), ("other", "ends", 5)]
        assert clock.now() == BEGUN + dt.timedelta(seconds=30)

    def test_after_time_within_a_job(self, job, told):
        """What such a job takes beside begins when that time has passed, and what needs it begins after both."""

        def slow():
            clock.pass_to(clock.now() + dt.timedelta(seconds=30))
            yield 5

        jobs = {"slow": slow, "other": job("other", 40), "after": job("after", 1)}

        Runner(jobs, {"after": ["slow"]}, OnFailure.CANCEL).run()

        assert told == [
            ("other", "begins", 0),
            ("after", "begins", 35),
            ("after", "ends", 36),
            ("other", "ends", 40),
        ]


class TestTimes:
    CHART = "Custom::AWSCDK-EKS-HelmChart"

    def test_of_events(self, cloud, thing):
        """Events stand at the times at which AWS would have come to them, and the clock follows."""
        before = clock.now()
        stack = cloud.create(
            {"Quick": thing(), "Chart": thing(self.CHART), "Last": thing(depends_on=["Quick", "Chart"])}
        )

        assert [(event.subject.logical_id, event.status.partition("_")[2]) for event in stack.events[1:-1]] == [
            ("Quick", "IN_PROGRESS"),
            ("Chart", "IN_PROGRESS"),
            ("Quick", "COMPLETE"),
            ("Chart", "COMPLETE"),
            ("Last", "IN_PROGRESS"),
            ("Last", "COMPLETE"),
        ]
        assert seconds_since(stack, stack.events) == [0, 0, 0, 3, 45, 45, 48, 48]
        assert clock.now() - before >= dt.timedelta(seconds=48)

    @pytest.mark.parametrize(("passes", "ends"), [(30, 45), (60, 60)])
    def test_time_within_a_step(self, cloud, thing, monkeypatch, passes, ends):
        """Time that a handler lets pass is part of what its step takes, and not on top; a longer one counts whole."""
        create = cloud.things.create

        def slow(scope, resource):
            if resource.logical_id == "Chart":
                clock.pass_to(clock.now() + dt.timedelta(seconds=passes))
            create(scope, resource)

        monkeypatch.setattr(cloud.things, "create", slow)
        stack = cloud.create({"Chart": thing(self.CHART), "Beside": thing(), "After": thing(depends_on="Chart")})
        times = {
            (event.subject.logical_id, event.status): seconds
            for event, seconds in zip(stack.events, seconds_since(stack, stack.events), strict=True)
        }

        assert times["Chart", "CREATE_COMPLETE"] == times["After", "CREATE_IN_PROGRESS"] == ends
        assert times["Beside", "CREATE_COMPLETE"] == 3
        assert times["main", "CREATE_COMPLETE"] == ends + 3

    def test_time_of_a_nested_run(self, cloud, thing, monkeypatch):
        """What runs within a step, as a nested stack does, lets its time pass in the step."""
        create = cloud.things.create

        def outer(scope, resource):
            if resource.logical_id == "Outer":
                inner = cloud.create({"Chart": thing(self.CHART)}, name="inner")
                assert inner.status == "CREATE_COMPLETE"
            create(scope, resource)

        monkeypatch.setattr(cloud.things, "create", outer)
        stack = cloud.create({"Outer": thing(), "After": thing(depends_on="Outer")})

        assert seconds_since(stack, stack.events) == [0, 0, 45, 45, 48, 48]

    def test_two_stacks_in_a_row(self, cloud, thing):
        """The second begins when the first one has ended."""
        first = cloud.create({"A": thing(self.CHART)})
        second = cloud.create({"A": thing()}, name="second")

        assert seconds_since(first, [first.events[-1], second.events[0]]) == [45, 45]

    def test_two_stacks_at_once(self, cloud, thing, monkeypatch):
        """Each goes by its own time from the same begin, whichever ends first here."""
        reached, may_go, create = threading.Event(), threading.Event(), cloud.things.create

        def held(scope, resource):
            if resource.logical_id == "Held":
                reached.set()
                assert may_go.wait(10)
            create(scope, resource)

        monkeypatch.setattr(cloud.things, "create", held)
        stacks = [cloud.world.new(name, account="123456789012", region="us-west-2") for name in ("held", "free")]
        asked = [{"Held": thing(self.CHART)}, {"Free": thing()}]
        made = [
            cloud.engine.create(stack, cloud.prepare(stack, resources), Retention())
            for stack, resources in zip(stacks, asked, strict=True)
        ]

        Operations(hold_seconds=0).run(stacks[0], made[0])
        assert reached.wait(10)
        Operations().run(stacks[1], made[1])
        may_go.set()
        assert wait_for_all(10)

        assert [seconds_since(stack, stack.events[-1:]) for stack in stacks] == [[45], [3]]
        assert clock.now() == BEGUN + dt.timedelta(seconds=45)

    def test_recorded_as_they_came(self, cloud, thing):
        """What the CDK CLI is told of their times is the machine's, in the same order."""
        before = dt.datetime.now(dt.UTC)
        stack = cloud.create({"Long": thing(self.CHART), "Short": thing()})
        recorded = [event.recorded for event in stack.events]

        assert recorded == sorted(set(recorded))
        assert before <= recorded[0]
        assert recorded[-1] - before < dt.timedelta(seconds=20)


class TestFailure:
    def test_what_is_made_is_cancelled(self, cloud, thing):
        """What is in progress when another one fails is cancelled, named, and removed on the way back."""
        cloud.things.failures.add(("CREATE", "Bad"))

        stack = cloud.create({"Beside": thing(), "Bad": thing(), "After": thing(depends_on="Beside")})

        assert [(event.subject.logical_id, event.status) for event in stack.events[1:]] == [
            ("Beside", "CREATE_IN_PROGRESS"),
            ("Bad", "CREATE_IN_PROGRESS"),
            ("Bad", "CREATE_FAILED"),
            ("Beside", "CREATE_FAILED"),
            ("main", "ROLLBACK_IN_PROGRESS"),
            ("Beside", "DELETE_IN_PROGRESS"),
            ("Beside", "DELETE_COMPLETE"),
            ("main", "ROLLBACK_COMPLETE"),
        ]
        assert stack.events[4].reason == "Resource creation cancelled"
        assert stack.events[5].reason == (
            "The following resource(s) failed to create: [Bad, Beside]. Rollback requested by user."
        )
        assert cloud.things.existing == []

    def test_what_is_changed_is_cancelled(self, cloud, thing):
        """An update that is given up is led back, with those that had ended."""
        stack = cloud.create({"A": thing(Size=1), "B": thing(Size=1)})
        cloud.things.failures_once.add(("UPDATE", "B"))

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=2), "New": thing(depends_on="A")})

        cancelled = [event for event in stack.events if event.reason == "Resource update cancelled"]
        assert [event.subject.logical_id for event in cancelled] == ["A"]
        assert any(event.reason == "The following resource(s) failed to update: [B, A]. " for event in stack.events)
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert {name: one.properties for name, one in stack.resources.items()} == {"A": {"Size": 1}, "B": {"Size": 1}}
        assert ("CREATE", "New") not in cloud.things.calls

    def test_creations_and_changes(self, cloud, thing):
        """A reason names the resources of each kind of failure."""
        stack = cloud.create({"A": thing(Size=1)})
        cloud.things.failures.add(("CREATE", "New"))

        cloud.update(stack, {"A": thing(Size=2), "New": thing()})

        words = "The following resource(s) failed to create: [New]. The following resource(s) failed to update: [A]. "
        assert any(event.reason == words for event in stack.events)

    def test_preserved(self, cloud, thing):
        """Where nothing is rolled back, every path goes on until its own end or failure."""
        cloud.things.failures.add(("CREATE", "Bad"))

        stack = cloud.create(
            {
                "Bad": thing(),
                "Behind": thing(depends_on="Bad"),
                "Beside": thing(),
                "After": thing(depends_on="Beside"),
            },
            retention=Retention("DO_NOTHING"),
        )

        assert stack.status == "CREATE_FAILED"
        assert stack.reason == "The following resource(s) failed to create: [Bad]. "
        assert sorted(stack.resources) == ["After", "Beside"]
        assert "Behind" not in stack.records

    def test_deletion_goes_on(self, cloud, thing):
        """A deletion that fails keeps what it needs, and everything else goes side by side."""
        stack = cloud.create({"Base": thing(), "Stuck": thing(depends_on="Base"), "Other": thing()})
        cloud.things.failures.add(("DELETE", "Stuck"))

        cloud.delete(stack)

        assert sorted(stack.resources) == ["Base", "Stuck"]
        assert stack.reason == "The following resource(s) failed to delete: [Stuck]. "
