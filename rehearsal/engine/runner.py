"""Runs the steps of a stack's operation side by side, by a clock of their own: a simulation of discrete events.

A job is a generator: it does something, yields how many seconds that takes, and goes on when they have passed. All
jobs run in one thread, in the order of their times, so that nothing is left to chance and hours pass at once. How long
a step takes, and so what is still in progress when another one fails, comes from ``rehearsal.durations``.
"""

import datetime as dt
import heapq
from collections.abc import Callable, Collection, Generator, Hashable, Mapping
from enum import Enum
from itertools import count
from typing import Generic, TypeVar

from rehearsal import clock
from rehearsal.engine.step import Cancelled, StepError

Key = TypeVar("Key", bound=Hashable)
Job = Generator[float, None, None]


class OnFailure(Enum):
    """What becomes of the other jobs when one fails.

    Source: CloudFormation user guide, "Choose how to handle failures when provisioning resources"; what is in progress
    when a failure leads back ends as cancelled, as the events of such stacks show that people publish.
    """

    CANCEL = "cancel"
    """Nothing new begins, and what is in progress is cancelled."""
    LEAVE_DEPENDENTS = "leave dependents"
    """What needs a failed job does not begin; every other job goes on."""
    GO_ON = "go on"
    """Every job goes on, those that need a failed one included."""


class Runner(Generic[Key]):
    """Runs jobs, each when those that it needs have ended.

    Attributes:
        failures: Why jobs failed, in the order in which they did.
    """

    def __init__(
        self,
        jobs: Mapping[Key, Callable[[], Job]],
        needs: Mapping[Key, Collection[Key]],
        on_failure: OnFailure,
    ) -> None:
        """Takes the jobs, in the order in which those begin that may begin at the same time.

        Args:
            jobs: What makes each job, called when it begins.
            needs: The jobs that must have ended before each; what is no job is taken as there.
            on_failure: What becomes of the others when one fails.
        """
        self.failures: list[StepError] = []
        self._jobs, self._on_failure = dict(jobs), on_failure
        self._waiting = {key: {need for need in needs.get(key, ()) if need in jobs and need != key} for key in jobs}
        self._dependents: dict[Key, list[Key]] = {key: [] for key in jobs}
        for key, needed in self._waiting.items():
            for need in needed:
                self._dependents[need].append(key)
        self._running: dict[Key, Job] = {}
        self._due: list[tuple[dt.datetime, int, Key]] = []
        self._numbers = count()

    def run(self) -> None:
        """Runs until no job is left that may run; the time is then that of the last one's end."""
        with clock.ahead():
            self._begin([key for key, needed in self._waiting.items() if not needed])
            while self._due or self._waiting:
                if not self._due:
                    # They wait for each other, as old and new resources of one name may: one has to be the first.
                    self._begin([next(iter(self._waiting))])
                moment, _, key = heapq.heappop(self._due)
                clock.pass_to(moment)
                self._go_on(key)

    def _begin(self, keys: Collection[Key]) -> None:
        for key in keys:
            del self._waiting[key]
            self._schedule(key, clock.now())

    def _schedule(self, key: Key, moment: dt.datetime) -> None:
        heapq.heappush(self._due, (moment, next(self._numbers), key))

    def _go_on(self, key: Key) -> None:
        if key not in self._running:
            self._running[key] = self._jobs[key]()
        try:
            seconds = next(self._running[key])
        except StopIteration:
            del self._running[key]
            self._release(key)
        except StepError as failure:
            del self._running[key]
            self.failures.append(failure)
            self._fail(key)
        else:
            self._schedule(key, clock.now() + dt.timedelta(seconds=seconds))

    def _release(self, key: Key) -> None:
        """Begins the jobs that waited for this one alone."""
        ready = []
        for dependent in self._dependents[key]:
            if dependent in self._waiting:
                self._waiting[dependent].discard(key)
                if not self._waiting[dependent]:
                    ready.append(dependent)
        self._begin(ready)

    def _fail(self, key: Key) -> None:
        match self._on_failure:
            case OnFailure.GO_ON:
                self._release(key)
            case OnFailure.LEAVE_DEPENDENTS:
                self._leave(key)
            case OnFailure.CANCEL:
                self._waiting.clear()
                self._due.clear()
                for job in self._running.values():
                    self._cancel(job)

    def _leave(self, key: Key) -> None:
        """Gives up whatever needs a job that failed."""
        for dependent in self._dependents[key]:
            if self._waiting.pop(dependent, None) is not None:
                self._leave(dependent)

    def _cancel(self, job: Job) -> None:
        try:
            job.throw(Cancelled())
        except StepError as failure:
            self.failures.append(failure)
        except StopIteration:
            pass
