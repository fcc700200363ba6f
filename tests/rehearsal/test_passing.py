"""Time that passes in the embedded AWS: schedules that fire, and the address at which a server is told the time."""

import datetime as dt
import json
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import ClientError

from rehearsal import clock, passing
from rehearsal.process import server

ARN = "arn:aws:scheduler:::aws-sdk:sqs:createQueue"
EKS = "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig"
NOBODY = {"ClusterName": "none", "NodegroupName": "none"}
DELETES = "arn:aws:scheduler:::aws-sdk:sqs:deleteQueue"
QUEUES = "https://sqs.us-east-2.amazonaws.com/123456789012"
LETTERS = "arn:aws:sqs:us-east-2:123456789012:letters"


def at(text):
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


@pytest.fixture
def sqs(client):
    return client("sqs")


@pytest.fixture
def put(client, network):
    """Makes a schedule that makes a queue, named after it."""

    def put(
        name,
        expression,
        *,
        operation="create_schedule",
        arn=ARN,
        text=None,
        role_arn=None,
        policy=None,
        letters=None,
        **more,
    ):
        words = {"QueueName": name} if text is None else text
        target = {
            "Arn": arn,
            "RoleArn": role_arn or network.role_arn,
            "Input": json.dumps(words) if isinstance(words, dict) else words,
            **({} if policy is None else {"RetryPolicy": policy}),
            **({} if letters is None else {"DeadLetterConfig": {"Arn": letters}}),
        }
        return getattr(client("scheduler"), operation)(
            Name=name,
            ScheduleExpression=expression,
            **{"FlexibleTimeWindow": {"Mode": "OFF"}, **more},
            Target=target,
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
        put("broken", "at(2026-12-03T00:00:00)", arn=EKS, text=NOBODY, policy={"MaximumRetryAttempts": 0})
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


@pytest.fixture
def letters(sqs):
    """A queue for dead letters; gives what is in it, each with its attributes."""
    url = sqs.create_queue(QueueName="letters")["QueueUrl"]

    def read():
        asked = {"MessageAttributeNames": ["All"], "MaxNumberOfMessages": 10}
        found = sqs.receive_message(QueueUrl=url, **asked).get("Messages", [])
        return [
            (
                json.loads(one["Body"]),
                {key: part["StringValue"] for key, part in one.get("MessageAttributes", {}).items()},
            )
            for one in found
        ]

    return read


@pytest.fixture
def role(make):
    """Makes a role that schedules may take, with one policy or none."""

    def role(**statement):
        trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "scheduler.amazonaws.com"}}
        document = {"Version": "2012-10-17", "Statement": [statement]}
        policies = {"Policies": [{"PolicyName": "own", "PolicyDocument": document}]} if statement else {}
        made = make(
            "AWS::IAM::Role",
            "SchedulesRole",
            AssumeRolePolicyDocument={"Version": "2012-10-17", "Statement": [trust]},
            **policies,
        )
        return made.attributes["Arn"]

    return role


class TestRetries:
    def test_until_it_succeeds(self, services, sqs, put):
        """A refused call is tried again, and tells at which attempt it went well."""
        put("busy", "at(2026-12-03T00:00:00)", arn=DELETES, text={"QueueUrl": f"{QUEUES}/busy"})

        (refused,) = services.pass_to(at("2026-12-03T00:00:06"))
        sqs.create_queue(QueueName="busy")
        (made,) = services.pass_to(at("2026-12-03T00:01:00"))

        assert (refused.moment, refused.what) == (at("2026-12-03T00:00:00"), "default/busy: sqs:DeleteQueue")
        assert "NonExistentQueue" in refused.refusal
        assert (made.moment, made.what) == (at("2026-12-03T00:00:07"), "default/busy: sqs:DeleteQueue, at attempt 4")
        assert made.refusal is None
        assert queues(sqs) == []

    def test_given_up_after_retries(self, services, put):
        """A call is given up when its retries are used up; those between are not told."""
        put("broken", "at(2026-12-03T00:00:00)", arn=EKS, text=NOBODY, policy={"MaximumRetryAttempts": 3})

        first, last = services.pass_to(at("2026-12-31T00:00"))

        assert "ResourceNotFoundException" in first.refusal
        assert last.moment == at("2026-12-03T00:00:07")
        assert last.refusal.startswith("given up after 3 retries: ")

    def test_given_up_by_age(self, services, put):
        """A call is given up when it is too old, whatever retries it has left."""
        put("broken", "at(2026-12-03T00:00:00)", arn=EKS, text=NOBODY, policy={"MaximumEventAgeInSeconds": 60})

        _, last = services.pass_to(at("2026-12-31T00:00"))

        assert last.moment == at("2026-12-03T00:00:31")
        assert last.refusal.startswith("given up after 5 retries: ")

    def test_a_day_where_nothing_is_said(self, services, put):
        """Without a policy a call is tried for a day."""
        put("broken", "at(2026-12-03T00:00:00)", arn=EKS, text=NOBODY)

        _, last = services.pass_to(at("2026-12-31T00:00"))

        assert at("2026-12-03T23:30") < last.moment <= at("2026-12-04T00:00")

    def test_later_ones_between(self, services, put):
        """What falls due while a call waits for its next attempt comes in its own order."""
        put("broken", "at(2026-12-03T00:00:00)", arn=EKS, text=NOBODY, policy={"MaximumRetryAttempts": 4})
        put("whole", "at(2026-12-03T00:00:05)")

        happened = services.pass_to(at("2026-12-31T00:00"))

        assert [one.moment.second for one in happened] == [0, 5, 15]

    def test_gone_with_its_schedule(self, services, client, put):
        """A one-time schedule that is deleted after its call is deleted, though the call is to be tried again."""
        put(
            "once",
            "at(2026-12-03T00:00:00)",
            arn=EKS,
            text=NOBODY,
            ActionAfterCompletion="DELETE",
            policy={"MaximumRetryAttempts": 1},
        )

        happened = services.pass_to(at("2026-12-31T00:00"))

        assert len(happened) == 2
        assert client("scheduler").list_schedules()["Schedules"] == []

    def test_attempt_number(self, services, sqs, put):
        """The input of each attempt is told its number."""
        sqs.create_queue(QueueName="try-2")
        put(
            "named",
            "at(2026-12-03T00:00:00)",
            arn=DELETES,
            text={"QueueUrl": f"{QUEUES}/try-<aws.scheduler.attempt-number>"},
        )

        services.pass_to(at("2026-12-31T00:00"))

        assert queues(sqs) == []


class TestDeadLetters:
    def test_given_up(self, services, put, letters):
        """A call that is given up lies in the queue, with what became of it."""
        put(
            "broken",
            "at(2026-12-03T00:00:00)",
            arn=EKS,
            text=NOBODY,
            letters=LETTERS,
            policy={"MaximumRetryAttempts": 1},
        )

        _, last = services.pass_to(at("2026-12-31T00:00"))

        ((body, attributes),) = letters()
        assert last.refusal.endswith("sent to letters, its queue for dead letters")
        assert body == NOBODY
        assert attributes | {"ERROR_MESSAGE": "", "EXECUTION_ID": ""} == {
            "ERROR_CODE": "ResourceNotFoundException",
            "ERROR_MESSAGE": "",
            "EXECUTION_ID": "",
            "EXHAUSTED_RETRY_CONDITION": "MaximumRetryAttempts",
            "IS_PAYLOAD_TRUNCATED": "false",
            "RETRY_ATTEMPTS": "1",
            "SCHEDULED_TIME": "2026-12-03T00:00:00Z",
            "SCHEDULE_ARN": "arn:aws:scheduler:us-east-2:123456789012:schedule/default/broken",
            "TARGET_ARN": EKS,
        }

    def test_no_queue(self, services, put):
        """A queue that is not there gets nothing, which is told."""
        put(
            "broken",
            "at(2026-12-03T00:00:00)",
            arn=EKS,
            text=NOBODY,
            letters=LETTERS,
            policy={"MaximumRetryAttempts": 0},
        )

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert "its queue for dead letters, letters, did not get it: " in told.refusal
        assert "NonExistentQueue" in told.refusal

    def test_role_may_not_send(self, services, put, letters, role):
        """So does one to which the role may not send."""
        role_arn = role(Effect="Allow", Action="eks:*", Resource="*")
        put(
            "broken",
            "at(2026-12-03T00:00:00)",
            arn=EKS,
            text=NOBODY,
            letters=LETTERS,
            role_arn=role_arn,
            policy={"MaximumRetryAttempts": 0},
        )

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert "is not authorized to perform: sqs:SendMessage" in told.refusal
        assert letters() == []


class TestRoles:
    @pytest.mark.parametrize(
        "statement",
        [
            {},
            {"Effect": "Allow", "Action": "sqs:DeleteQueue", "Resource": "*"},
            {"Effect": "Allow", "NotAction": "sqs:CreateQueue", "Resource": "*"},
            {"Effect": "Deny", "Action": "sqs:*", "Resource": "*"},
        ],
        ids=["none", "another", "all-but", "denied"],
    )
    def test_may_not(self, services, sqs, put, role, statement):
        """A call that no policy of the role allows is refused, and not tried again."""
        put("queue", "at(2026-12-03T00:00:00)", role_arn=role(**statement))

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert "is not authorized to perform: sqs:CreateQueue" in told.refusal
        assert queues(sqs) == []

    @pytest.mark.parametrize("action", ["sqs:CreateQueue", "sqs:create*", ["eks:*", "sqs:*"], "*"])
    def test_may(self, services, sqs, put, role, action):
        """One that a policy allows is made, in whatever letters the policy names it."""
        put("queue", "at(2026-12-03T00:00:00)", role_arn=role(Effect="Allow", Action=action, Resource="*"))

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert told.refusal is None
        assert queues(sqs) == ["queue"]

    def test_gone(self, services, client, put, role):
        """A role that was deleted allows nothing any more."""
        role_arn = role(Effect="Allow", Action="*", Resource="*")
        put("queue", "at(2026-12-03T00:00:00)", role_arn=role_arn)
        name, iam = role_arn.rpartition("/")[2], client("iam")
        iam.delete_role_policy(RoleName=name, PolicyName="own")
        iam.delete_role(RoleName=name)

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert "is not authorized to perform: sqs:CreateQueue" in told.refusal


class TestTimes:
    def test_a_day_that_a_zone_makes_longer(self, services, put):
        """A calendar goes by the clocks of its zone, which are put back in between."""
        put("often", "cron(0 6 * * ? *)", ScheduleExpressionTimezone="Europe/Berlin", StartDate=at("2027-10-30T00:00"))

        happened = services.pass_to(at("2027-11-01T00:00"))

        assert [one.moment for one in happened] == [at("2027-10-30T04:00"), at("2027-10-31T05:00")]

    def test_within_bounds(self, services, put):
        """A rate goes from its start to its end, both among its times."""
        put("often", "rate(12 hours)", StartDate=at("2026-12-10T06:00"), EndDate=at("2026-12-11T06:00"))

        happened = services.pass_to(at("2026-12-31T00:00"))

        assert [one.moment for one in happened] == [
            at("2026-12-10T06:00"),
            at("2026-12-10T18:00"),
            at("2026-12-11T06:00"),
        ]

    def test_flexible(self, services, put):
        """A schedule with a window is due within it, here at its start."""
        put("loose", "at(2026-12-03T00:00:00)", FlexibleTimeWindow={"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15})

        (told,) = services.pass_to(at("2026-12-31T00:00"))

        assert told.moment == at("2026-12-03T00:00")

    def test_switched_on_again(self, services, put):
        """A schedule that was off fires from when it is on, and not what it has missed."""
        put("daily", "cron(0 0 * * ? *)", State="DISABLED")
        services.pass_to(at("2026-12-05T12:00"))
        put("daily", "cron(0 0 * * ? *)", operation="update_schedule", State="ENABLED")

        happened = services.pass_to(at("2026-12-07T00:00"))

        assert [one.moment.day for one in happened] == [6, 7]

    def test_start_by_the_moved_clock(self, services, put):
        """Whether a start is past is told by the clock of the embedded AWS, and not by the real one."""
        services.pass_to(at("2031-01-01T00:00"))

        with pytest.raises(ClientError, match="cannot be earlier than 5 minutes ago"):
            put("late", "cron(0 0 * * ? *)", StartDate=at("2030-12-31T00:00"))

    def test_to_be_deleted_from_now_on(self, services, client, put):
        """A schedule that is changed to be deleted after its last call is deleted."""
        put("once", "at(2026-12-03T00:00:00)")
        put("once", "at(2026-12-04T00:00:00)", operation="update_schedule", ActionAfterCompletion="DELETE")

        services.pass_to(at("2026-12-05T00:00"))

        assert client("scheduler").list_schedules()["Schedules"] == []

    def test_in_a_group(self, services, client, put):
        """Schedules of one name in two groups are two, and each is told with its group."""
        client("scheduler").create_schedule_group(Name="blocks")
        put("queue", "at(2026-12-03T00:00:00)", GroupName="blocks", text={"QueueName": "a"})
        put("queue", "at(2026-12-04T00:00:00)", text={"QueueName": "b"})

        happened = services.pass_to(at("2026-12-31T00:00"))

        assert [one.what.partition(":")[0] for one in happened] == ["blocks/queue", "default/queue"]


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
