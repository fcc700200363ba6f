"""How long the first deploy of an environment takes on AWS, what all else waits for, and what shortens it.

An estimate from the plan alone, by ``trnstack.catalog.creation_times``. Within a stack CloudFormation makes things side
by side, each after what it needs; stacks go one after another, as ``cdk deploy --all`` takes them, or side by side with
``--concurrency``.

A rehearsal tells the times of what the templates really have. It may differ by a minute: it takes the least and the
most along the one path that it names, whereas here each is the longest of all paths.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trnstack.catalog.creation_times import duration, unconfirmed
from trnstack.plan.creations import Creation, creations
from trnstack.plan.model import Plan

#: What is shorter, in minutes, is summed up and not named.
_SHORTEST_SHOWN = 0.45
#: To how many digits minutes are compared: what differs behind them is how a sum was added up.
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Minutes:
    """A span of time in minutes: the least, the likeliest, the most."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """Something that all after it wait for.

    Attributes:
        stack: The name of its stack.
        what: What it is, in words.
        minutes: How long it takes.
        confirmed: Whether AWS itself says a duration of it.
    """

    stack: str
    what: str
    minutes: Minutes
    confirmed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StackTime:
    """How long one stack takes.

    Attributes:
        name: Its name.
        minutes: How long.
    """

    name: str
    minutes: Minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How long a first deploy takes.

    Attributes:
        stacks: Each stack, in the order of the deploy.
        one_after_another: All of them in that order.
        side_by_side: The longest chain of stacks that stand on each other.
        path: The steps that the chain waits for, in their order, but for the shortest.
        unconfirmed: The kinds of steps on the path of which AWS itself says no duration.
        later: What comes after it, in its own time, as sentences.
        shorter: What shortens it, as sentences.
    """

    stacks: tuple[StackTime, ...]
    one_after_another: Minutes
    side_by_side: Minutes
    path: tuple[PathStep, ...]
    unconfirmed: tuple[str, ...]
    later: tuple[str, ...]
    shorter: tuple[str, ...]


Weigh = Callable[[Creation], float]


def estimate(plan: Plan) -> Estimate:
    """Estimates the first deploy of a plan, whose every stack is new."""
    made = {stack.name: creations(plan, stack.name) for stack in plan.stacks}
    stacks = tuple(StackTime(name=name, minutes=_longest(one)) for name, one in made.items())
    by_name = {stack.name: stack.minutes for stack in stacks}
    chain = _chain(plan, lambda name: by_name[name].likely)
    steps = [(name, step) for name in chain for step in longest_path(made[name], lambda one: one.duration.likely)]
    shown = [(name, step) for name, step in steps if step.duration.likely >= _SHORTEST_SHOWN]
    return Estimate(
        stacks=stacks,
        one_after_another=Minutes(
            low=sum(one.low for one in by_name.values()),
            likely=sum(one.likely for one in by_name.values()),
            high=sum(one.high for one in by_name.values()),
        ),
        side_by_side=Minutes(
            low=sum(by_name[name].low for name in _chain(plan, lambda name: by_name[name].low)),
            likely=sum(by_name[name].likely for name in chain),
            high=sum(by_name[name].high for name in _chain(plan, lambda name: by_name[name].high)),
        ),
        path=tuple(_path_step(name, step) for name, step in shown),
        unconfirmed=unconfirmed(step.duration for _, step in shown),
        later=tuple(_later(plan)),
        shorter=tuple(_shorter(plan, by_name, chain)),
    )


def longest_path(steps: Sequence[Creation], weigh: Weigh) -> tuple[Creation, ...]:
    """Returns the steps of a stack that each wait for the one before, and that take longest in all.

    Of those that take equally long it is the first one by its name, as ``trnstack rehearse`` has it too.

    Args:
        steps: What the stack makes, each after those that it needs.
        weigh: How long one takes.
    """

    def order(path: tuple[Creation, ...]) -> tuple[float, str]:
        return -round(sum(map(weigh, path)), _DIGITS), path[-1].name

    best: dict[str, tuple[Creation, ...]] = {}
    for step in steps:
        before = min((best[name] for name in step.after), key=order, default=())
        best[step.name] = (*before, step)
    return min(best.values(), key=order, default=())


def _longest(steps: Sequence[Creation]) -> Minutes:
    def by(weigh: Weigh) -> float:
        return sum(map(weigh, longest_path(steps, weigh)))

    return Minutes(
        low=by(lambda one: one.duration.low),
        likely=by(lambda one: one.duration.likely),
        high=by(lambda one: one.duration.high),
    )


def _chain(plan: Plan, minutes: Callable[[str], float]) -> tuple[str, ...]:
    """Returns the stacks that stand on each other and take longest in all."""
    best: dict[str, tuple[str, ...]] = {}
    for stack in plan.stacks:
        below = (best[name] for name in stack.depends_on if name in best)
        best[stack.name] = (*max(below, key=lambda names: sum(map(minutes, names)), default=()), stack.name)
    return max(best.values(), key=lambda names: sum(map(minutes, names)), default=())


def _path_step(stack: str, step: Creation) -> PathStep:
    row = step.duration
    minutes = Minutes(low=row.low, likely=row.likely, high=row.high)
    return PathStep(stack=stack, what=step.what, minutes=minutes, confirmed=row.confirmed)


def _later(plan: Plan) -> Iterator[str]:
    """Yields which nodes the deploy does not wait for, though the environment wants them, and when they come."""
    for group in plan.node_groups:
        if group.block is not None and not group.awaits_image:
            count = group.block.node_count
            nodes = f"the {count} nodes" if count > 1 else "the node"
            start = next((one for one in group.block.schedules if one.desired_size), None)
            when = f"at {start.at}Z, when the block has started" if start else "when you scale it, in the block's time"
            verb = "come" if count > 1 else "comes"
            yield f"node group {group.name} is made without nodes; {nodes} of its capacity block {verb} {when}"


def about(minutes: float) -> str:
    """Returns what is saved in words, in whole minutes."""
    rounded = round(minutes)
    return f"about {rounded} minute{'' if rounded == 1 else 's'} less"


def _shorter(plan: Plan, by_name: dict[str, Minutes], chain: Sequence[str]) -> list[str]:
    """Returns what shortens the deploy, of what is true of this plan."""
    said = []
    saved = sum(one.likely for one in by_name.values()) - sum(by_name[name].likely for name in chain)
    if saved >= 1:
        said.append(
            f"cdk deploy --all --concurrency {len(plan.stacks)} takes stacks that do not stand on each other side by "
            f"side: {about(saved)}"
        )
    waiting = [group for group in plan.node_groups if not group.awaits_image and group.scaling.desired > 0]
    less = duration("accelerated_node_group").likely - duration("empty_node_group").likely
    if any(group.stack in chain for group in waiting):
        said.append(
            f"a node group that starts with 0 nodes is made without waiting for any, {about(less)}; "
            "its nodes come when it is scaled"
        )
    if any(step.duration.key == "association" for name in chain for step in creations(plan, name)):
        said.append(
            "data repository associations can be made by a later deploy; what they list of a large bucket comes on top"
        )
    if plan.images:
        said.append("a custom image is built once: later environments of the same recipe do not wait for it")
    return said
