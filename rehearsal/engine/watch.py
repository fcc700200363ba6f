"""Ends what is under way on a stack: when it takes too long, and when something else has begun on the stack.

Source: CloudFormation API reference, CreateStack, ``TimeoutInMinutes``, and CancelUpdateStack; the reason of a creation
that took too long is quoted in docker-archive/ecs-plugin 177. That what is in progress then ends as cancelled, as it
does when another resource fails, is unconfirmed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from rehearsal import clock
from rehearsal.engine.step import Cancelled, Job, StepError
from rehearsal.stack import Stack
from rehearsal.world import World

TIMED_OUT = "Stack creation time exceeded the specified timeout. "


@dataclass(frozen=True, slots=True)
class Watch:
    """Looks, before and after each step, whether the operation may go on.

    Attributes:
        deadline: When the operation has taken too long; None where there is no limit.
        is_interrupted: Says whether something else has begun on the stack, or on one around it.
    """

    deadline: datetime | None
    is_interrupted: Callable[[], bool]

    @property
    def is_late(self) -> bool:
        """Whether the operation has taken too long."""
        return self.deadline is not None and clock.now() >= self.deadline

    def over(self, logical_id: str, make: Callable[[], Job]) -> Job:
        """Performs a step as long as the operation may go on.

        Args:
            logical_id: The step's resource.
            make: What begins the step.

        Raises:
            StepError: The step failed, or was given up.
        """
        if self._is_over():
            raise StepError(logical_id, "CREATE")
        job = make()
        go_on: Callable[[], float] = partial(next, job)
        while True:
            try:
                seconds = go_on()
            except StopIteration:
                return
            try:
                yield self._within(seconds)
            except Cancelled as order:
                go_on = partial(job.throw, order)
            else:
                go_on = partial(job.throw, Cancelled()) if self._is_over() else partial(next, job)

    def _within(self, seconds: float) -> float:
        if self.deadline is None:
            return seconds
        return min(seconds, max(0.0, (self.deadline - clock.now()).total_seconds()))

    def _is_over(self) -> bool:
        return self.is_late or self.is_interrupted()


def deadline(world: World, stack: Stack) -> datetime | None:
    """Gives when the creation of a stack, or of the one around it, has taken too long; None where there is no limit."""
    around = world.by_id(stack.parent_id or "")
    minutes = stack.options.get("TimeoutInMinutes")
    limits = [] if minutes is None else [stack.now() + timedelta(minutes=int(minutes))]
    if around is not None and around.deadline is not None:
        limits.append(around.deadline)
    return min(limits, default=None)
