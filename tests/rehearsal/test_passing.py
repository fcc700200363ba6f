"""Time that passes in the embedded AWS: schedules that fire, and the address at which a server is told the time."""

import datetime as dt
import json
import urllib.error
import urllib.request

import pytest

from rehearsal import clock, passing
from rehearsal.process import server

ARN = "arn:aws:scheduler:::aws-sdk:sqs:createQueue"


def at(text):
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.fixture
def sqs(client):
    return client("sqs")


@pytest.fixture
def put(client, network):
    """Makes a schedule that makes a queue, named after it."""

    def put(name, expression, *, operation="create_schedule", arn=ARN, text=None, **more):
        words = {"QueueName": name} if text is None else text
        target = {
            "Arn": arn,
            "RoleArn": network.role_arn,
            "Input": json.dumps(words) if isinstance(words, dict) else words,
        }
        return getattr(client("scheduler"), operation)(
            Name=name,
            ScheduleExpression=expression,
            FlexibleTimeWindow={"Mode": "OFF"},
            Target=target,
            **more,
        )

    return put


def queues(sqs):
    return sorted(url.rpartition("/")[2] for url in sqs.list_queues().get("QueueUrls", []))


class TestSchedules:
    def test_in_their_order(self, services, sqs, put):
        """Each fires once at its own time, by the clock, and whatever is later waits."""
        put("second", "at(2026-12-03T00:00:00)")
        put("first", "at(2026-12-02T01:00:00)", ScheduleExpressionTimezone="Asia/Tokyo")
        put("later", "at(2027-12-01T00:00:00)")

        happened = services.pass_to(at("2026-12-31T00:00"))

        assert [(one.moment, one.what, one.refusal) for one in happened] == [
            (at("2026-12-01T16:00"), "default/first: sqs:CreateQueue", None),
            (at("2026-12-03T00:00"), "default/second: sqs:CreateQueue", None),
        ]
        assert queues(sqs) == ["first", "second"]
        assert clock.now() == at("2026-12-31T00:00")
        assert services.pass_to(at("2027-01-01T00:00")) == []

    def test_by_a_rate(self, services, put):
        """A rate begins at once, and goes on from where it was when time passes again."""
        put("often", "rate(1 hour)")

        first = services.pass_to(at("2026-12-01T02:30"))
        second = services.pass_to(at("2026-12-01T04:00"))

        assert [one.moment.hour for one in first] == [0, 1, 2]
        assert [one.moment.hour for one in second] == [3, 4]

    def test_changed(self, services, put):
        """A schedule that was changed goes by what it is now, from the change on."""
        put("queue", "rate(1 day)", StartDate=at("2026-12-20T00:00"))
        services.pass_to(at("2026-12-05T12:00"))
        put("queue", "cron(0 0 * * ? *)", operation="update_schedule")

        happened = services.pass_to(at("2026-12-07T00:00"))

        assert [one.moment.day for one in happened] == [6, 7]

    def test_off(self, services, put):
        """A schedule that is disabled is passed over."""
        put("off", "at(2026-12-03T00:00:00)", State="DISABLED")

        assert services.pass_to(at("2026-12-31T00:00")) == []

    @pytest.mark.parametrize(
        ("expression", "bounds"),
        [("at(2026-12-03T00:00:00)", {}), ("rate(1 day)", {"EndDate": at("2026-12-02T00:00")})],
    )
    def test_deleted_after_completion(self, services, client, put, expression, bounds):
        """A schedule that says so is deleted after its last call, and not before."""
        put("once", expression, ActionAfterCompletion="DELETE", **bounds)
        scheduler = client("scheduler")

        services.pass_to(at("2026-12-01T12:00"))
        assert [one["Name"] for one in scheduler.list_schedules()["Schedules"]] == ["once"]
        services.pass_to(at("2026-12-04T00:00"))
        assert scheduler.list_schedules()["Schedules"] == []

    def test_refused_call(self, services, put):
        """A call that the service refuses is told with the service's words, and time goes on."""
        target = "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig"
        put("broken", "at(2026-12-03T00:00:00)", arn=target, text={"ClusterName": "none", "NodegroupName": "none"})
        put("whole", "at(2026-12-04T00:00:00)")

        broken, whole = services.pass_to(at("2026-12-31T00:00"))

        assert "ResourceNotFoundException" in broken.refusal
        assert whole.refusal is None

    def test_not_modelled(self, services, put):
        """A target of a service that nobody models is told as such."""
        put("run", "at(2026-12-03T00:00:00)", arn="arn:aws:states:us-east-2:123456789012:stateMachine:x")

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert "The rehearsal does not model schedules' calls of states" in told.refusal

    def test_context(self, services, sqs, put):
        """Scheduler's keywords in the input are filled in."""
        put("named", "at(2026-12-03T00:00:00)", text={"QueueName": "try-<aws.scheduler.attempt-number>"})

        services.pass_to(at("2026-12-31T00:00"))

        assert queues(sqs) == ["try-1"]

    def test_too_many(self, services, put, monkeypatch):
        """A clock that is moved by more calls than anybody means is a mistake, and says so."""
        monkeypatch.setattr(passing, "MOST", 20)
        put("often", "rate(1 minute)")

        with pytest.raises(passing.PassingError, match="more than 20 calls of schedules fall due"):
            services.pass_to(at("2026-12-02T00:00"))

    def test_without_zone(self, services):
        """A time without its zone is not guessed at."""
        with pytest.raises(passing.PassingError, match="has no time zone"):
            services.pass_to(dt.datetime(2027, 1, 1))  # noqa: DTZ001 - that is the mistake

    def test_due_meanwhile(self, services, sqs, put):
        """What fell due while a deploy moved the clock happens when time passes next."""
        put("meanwhile", "at(2026-12-01T00:10:00)")
        clock.advance_to(at("2026-12-01T01:00"))

        (told,) = services.pass_to(clock.now())

        assert told.moment == at("2026-12-01T00:10")
        assert queues(sqs) == ["meanwhile"]


@pytest.fixture(scope="module")
def aws():
    """A server in a process of its own."""
    with server() as running:
        yield running


class TestAddress:
    def ask(self, aws, body=None, method="GET"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{aws.endpoint}{passing.PATH}", data=data, method=method)  # noqa: S310
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - the server's own loopback address
            return json.load(answer)

    def test_moved(self, aws):
        """A server tells its time, and moves it on when it is told to."""
        before = dt.datetime.fromisoformat(self.ask(aws)["now"])
        later = before + dt.timedelta(days=30)

        told = self.ask(aws, {"now": later.isoformat()}, "PUT")

        assert told["happened"] == []
        assert dt.datetime.fromisoformat(told["now"]) >= later
        assert dt.datetime.fromisoformat(self.ask(aws)["now"]) >= later

    @pytest.mark.parametrize(
        ("method", "body", "words"),
        [
            ("PUT", {"now": "2027-01-01T00:00:00"}, "has no time zone"),
            ("PUT", {"time": "2027-01-01T00:00:00Z"}, "the body should be"),
            ("PUT", [], "the body should be"),
            ("POST", {"now": "2027-01-01T00:00:00Z"}, "takes GET and PUT, not POST"),
        ],
    )
    def test_refused(self, aws, method, body, words):
        """What is no time is refused with what would be one."""
        with pytest.raises(urllib.error.HTTPError) as refused:
            self.ask(aws, body, method)

        assert refused.value.code == 400
        assert words in json.load(refused.value)["message"]
