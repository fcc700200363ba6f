"""What becomes of a schedule's call: it succeeds, is tried again, or ends in the queue for dead letters.

Source: EventBridge Scheduler API reference, RetryPolicy (attempts, age, exponential backoff) and DeadLetterConfig; user
guide, "Configuring a schedule's dead-letter queue", for the attributes of a dead letter. Not confirmed: how long
Scheduler waits (here one second, then twice as long each time, up to eight minutes, which is what 185 attempts in a day
come to); that a call which the role may not make is not tried again, as it is not by EventBridge's rules (EventBridge
user guide, "Retrying events").
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from rehearsal import chance
from rehearsal.handlers.base import NOT_MODELLED, ResourceError
from rehearsal.overlays.scheduler_targets import DENIED, ClientFactory, call_of, check_leave, told
from rehearsal.overlays.state import state_of, states

_LONGEST_WAIT = dt.timedelta(minutes=8)
#: Source: EventBridge Scheduler user guide, "Configuring retry policy": a day and 185 retries where nothing is said.
_AGE, _ATTEMPTS = 86_400, 185
_MOST_DOUBLINGS = 9
_FINAL = (NOT_MODELLED, DENIED)


@dataclass(frozen=True, slots=True)
class Fired:
    """A schedule that called its target, or tried to.

    Attributes:
        moment: When it was due.
        what: The schedule's group and name, and the call.
        refusal: What the call was refused with, and what became of it; None where it was not.
    """

    moment: dt.datetime
    what: str
    refusal: str | None = None


@dataclass(slots=True)
class Delivery:
    """One time at which a schedule was due, and its attempts to call its target.

    Attributes:
        moment: When the next attempt is.
        account: The schedule's account.
        region: Its region.
        arn: Its ARN.
        label: Its group and name.
        target: Its target as it was when it fell due.
        due: When it fell due.
        attempts: How many attempts there were.
    """

    moment: dt.datetime
    account: str
    region: str
    arn: str
    label: str
    target: Mapping[str, Any]
    due: dt.datetime
    attempts: int = 0

    def happen(self, client: ClientFactory) -> Fired | None:
        """Tries to call the target; tells the first attempt and how it ended, and of those between nothing."""
        waiting = state_of(self.account, self.region).deliveries
        if self in waiting:
            waiting.remove(self)
        self.attempts += 1
        text = told(self.target, self._context())
        call = call_of(self.target, text)
        what = f"{self.label}: {call.service}:{call.operation}"
        try:
            call.make(client, self.target["RoleArn"], self.region)
        except (ClientError, ResourceError) as error:
            return self._refused(client, what, text, error)
        return Fired(self.moment, what if self.attempts == 1 else f"{what}, at attempt {self.attempts}")

    def _refused(self, client: ClientFactory, what: str, text: str, error: ClientError | ResourceError) -> Fired | None:
        """Waits for another attempt, or gives up and lays the call where the schedule wants dead letters."""
        code, words = _code(error), str(error)
        condition = "" if code in _FINAL else self._exhausted()
        if code not in _FINAL and not condition:
            first = self.attempts == 1
            refused = Fired(self.moment, what, words) if first else None
            self.moment += self._wait()
            state_of(self.account, self.region).deliveries.append(self)
            return refused
        if self.attempts > 1:
            words = f"given up after {self.attempts - 1} retries: {words}"
        buried = self._bury(client, text, code, str(error), condition)
        return Fired(self.moment, what, "; ".join(filter(None, (words, buried))))

    def _exhausted(self) -> str:
        """Gives the condition that ends the attempts, by the API's name; nothing where there is to be another."""
        policy = self.target.get("RetryPolicy") or {}
        if self.attempts > int(policy.get("MaximumRetryAttempts", _ATTEMPTS)):
            return "MaximumRetryAttempts"
        age = dt.timedelta(seconds=int(policy.get("MaximumEventAgeInSeconds", _AGE)))
        return "MaximumEventAgeInSeconds" if self.moment + self._wait() - self.due > age else ""

    def _wait(self) -> dt.timedelta:
        """Gives how long it is to the next attempt."""
        doublings = min(self.attempts - 1, _MOST_DOUBLINGS)
        return min(dt.timedelta(seconds=2**doublings), _LONGEST_WAIT)

    def _bury(self, client: ClientFactory, text: str, code: str, words: str, condition: str) -> str | None:
        """Sends the call to the schedule's queue for dead letters; tells where it went, or why it did not."""
        arn = (self.target.get("DeadLetterConfig") or {}).get("Arn")
        if arn is None:
            return None
        attributes = {
            "ERROR_CODE": code,
            "ERROR_MESSAGE": words,
            "EXECUTION_ID": str(chance.new_uuid()),
            "EXHAUSTED_RETRY_CONDITION": condition,
            "IS_PAYLOAD_TRUNCATED": "false",
            "RETRY_ATTEMPTS": str(self.attempts - 1),
            "SCHEDULED_TIME": f"{self.due:%Y-%m-%dT%H:%M:%SZ}",
            "SCHEDULE_ARN": self.arn,
            "TARGET_ARN": self.target["Arn"],
        }
        told_of = {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items() if value}
        _, _, _, region, account, name = arn.split(":")
        try:
            check_leave(self.target["RoleArn"], "sqs", "SendMessage")
            sqs = client("sqs", account, region)
            url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
            sqs.send_message(QueueUrl=url, MessageBody=text, MessageAttributes=told_of)
        except (ClientError, ResourceError) as error:
            return f"its queue for dead letters, {name}, did not get it: {error}"
        return f"sent to {name}, its queue for dead letters"

    def _context(self) -> dict[str, str]:
        return {
            "schedule-arn": self.arn,
            "scheduled-time": f"{self.due:%Y-%m-%dT%H:%M:%SZ}",
            "execution-id": str(chance.new_uuid()),
            "attempt-number": str(self.attempts),
        }


def waiting() -> Iterator[Delivery]:
    """Gives every call that is to be tried again, of every account and region."""
    for _, _, state in states():
        yield from list(state.deliveries)


def _code(error: ClientError | ResourceError) -> str:
    return error.code if isinstance(error, ResourceError) else str(error.response["Error"]["Code"])
