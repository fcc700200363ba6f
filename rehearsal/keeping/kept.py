"""What is kept of an embedded AWS."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rehearsal.keeping.calls import Call
from rehearsal.stack import STACK_TYPE
from rehearsal.world import World


class StateError(Exception):
    """A state can't be read or repeated; the message is a sentence for a person, with a hint."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What makes an embedded AWS again.

    Attributes:
        seed: What the ids of all calls follow from.
        calls: The calls, in the order in which they began.
        bodies: Gives a body by its SHA-256.
    """

    seed: str
    calls: Sequence[Call]
    bodies: Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Standing:
    """A stack, as it has to stand again.

    Attributes:
        name: Its name.
        account: The account that it is in.
        region: Its region.
        status: Its status.
        resources: The physical ids of its resources that are there, by logical id.
    """

    name: str
    account: str
    region: str
    status: str
    resources: Mapping[str, str] = field(default_factory=dict)


def standing(world: World) -> tuple[Standing, ...]:
    """Returns the stacks of a world that are not deleted, by account, region and name."""
    found = (
        Standing(
            name=stack.name,
            account=stack.account,
            region=stack.region,
            status=stack.status,
            resources={name: str(resource.physical_id) for name, resource in sorted(stack.resources.items())},
        )
        for stack in world.all()
        if stack.status != "DELETE_COMPLETE"
    )
    return tuple(sorted(found, key=_key))


def failures(world: World) -> dict[tuple[str, str, str], str]:
    """Returns what the first resource was told that failed last in each stack, by account, region and name."""
    found = dict[tuple[str, str, str], str]()
    for stack in world.all():
        failed = [
            event
            for event in stack.events
            if event.status.endswith("_FAILED") and event.reason and event.subject.type != STACK_TYPE
        ]
        if failed and stack.status != "DELETE_COMPLETE":
            first = next(event for event in failed if event.operation_id == failed[-1].operation_id)
            key = (stack.account, stack.region, stack.name)
            found[key] = f"{first.subject.logical_id} {first.status}: {first.reason}"
    return found


def require_same(
    saved: Sequence[Standing], found: Sequence[Standing], why: Mapping[tuple[str, str, str], str] = MappingProxyType({})
) -> None:
    """Refuses stacks that stand otherwise than they were saved.

    Args:
        saved: The stacks that were saved.
        found: Those that stand.
        why: What is known of why stacks failed, by account, region and name.

    Raises:
        StateError: Names the first stack that differs, how, and why where that is known.
    """
    here = {_key(stack): stack for stack in found}
    for stack in saved:
        now = here.pop(_key(stack), None)
        if now is None:
            raise _other(f"stack {stack.name} does not stand again")
        if now.status != stack.status:
            raise _other(f"stack {stack.name} was {stack.status}, and is {now.status}", why.get(_key(stack)))
        for name in sorted({*stack.resources, *now.resources}):
            was, is_ = stack.resources.get(name, "not there"), now.resources.get(name, "not there")
            if was != is_:
                raise _other(f"{name} of stack {stack.name} was {was}, and is {is_}")
    for *_, name in here:
        raise _other(f"stack {name} was not saved, and stands")


def _key(stack: Standing) -> tuple[str, str, str]:
    return stack.account, stack.region, stack.name


def _other(what: str, why: str | None = None) -> StateError:
    told = f"the saved AWS is not the same again: {what}"
    if why is None:
        return StateError(f"{told}\n  hint: where another version of the rehearsal saved it, make it anew with --save")
    return StateError(f"{told}\n  {why}\n  hint: mend that, or make the state anew with --save")
