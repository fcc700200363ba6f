"""Asks many things at once, and keeps every failure with what it was about."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from account.at_once import as_answered
from account.refusals import AccountError
from ami.registry import RegistryError

#: Told what was answered last, how many answers there are, and how many there will be.
Progress = Callable[[str, int, int], None]

#: Few enough that neither AWS nor a registry throttles one caller for their number.
_AT_ONCE = 8


class Failure(NamedTuple):
    """Why something has no pin.

    Attributes:
        message: What it was about and what is wrong, in lower case without a full stop.
        hint: What to do about it, in the same form.
    """

    message: str
    hint: str


class ResolveError(Exception):
    """A lock can't be resolved; carries every failure, not the first one.

    Attributes:
        failures: All of them, in the order of the lock.
    """

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("\n".join(f"{failure.message}; {failure.hint}" for failure in failures))
        self.failures = tuple(failures)


class NoAccountError(ResolveError):
    """There is no account to ask: credentials are missing, expired or of another account, or AWS can't be reached."""


class UnansweredError(Exception):
    """A question has an answer that is of no use.

    Attributes:
        failure: Why.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.failure = Failure(message, hint)


@dataclass(frozen=True, slots=True)
class Question:
    """Something to ask.

    Attributes:
        about: What it is about, as a person calls it, such as ``add-on coredns``.
        ask: Asks and returns the answer; raises UnansweredError, AccountError or RegistryError.
    """

    about: str
    ask: Callable[[], Any]


def answers(
    questions: Mapping[Hashable, Question], *, answered: Callable[[str], None]
) -> tuple[dict[Hashable, Any], list[Failure]]:
    """Returns the answers that there are, and why there are no others.

    A reason that several questions have in common is given once, with what they were about.

    Args:
        questions: What to ask, several at a time.
        answered: Told what a question was about, after each.
    """
    heard: dict[Hashable, Any] = {}
    calls = {key: partial(_outcome, question) for key, question in questions.items()}
    for key, outcome in as_answered(calls, threads=_AT_ONCE):
        heard[key] = outcome
        answered(questions[key].about)
    failed = [(question.about, heard[key]) for key, question in questions.items() if isinstance(heard[key], _FAILED)]
    return {key: one for key, one in heard.items() if not isinstance(one, _FAILED)}, _told_once(failed)


_FAILED = (UnansweredError, AccountError, RegistryError)


def _outcome(question: Question) -> Any:
    try:
        return question.ask()
    except _FAILED as error:
        return error


def _told_once(failed: Sequence[tuple[str, Exception]]) -> list[Failure]:
    about: dict[Failure, list[str]] = {}
    for what, error in failed:
        if isinstance(error, UnansweredError):
            about.setdefault(error.failure, [])
        elif isinstance(error, RegistryError):
            about.setdefault(Failure(error.message, error.hint), [])
        elif isinstance(error, AccountError):
            about.setdefault(Failure(error.message, error.hint), []).append(what)
    return [
        Failure(f"{failure.message} (asked for {', '.join(named)})" if named else failure.message, failure.hint)
        for failure, named in about.items()
    ]
