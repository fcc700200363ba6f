"""Holds the stacks of a rehearsal, and what one stack may see of another: its exports."""

import threading
from dataclasses import dataclass

from rehearsal import chance, clock
from rehearsal.stack import Stack


@dataclass(frozen=True, slots=True)
class Export:
    """A value that a stack offers to the other stacks of its account and region."""

    name: str
    value: str
    stack_id: str


class World:
    """Holds all stacks of a rehearsal, of every account and region; worlds know nothing of each other.

    Attributes:
        lock: Held by whoever looks whether an operation may begin and then begins it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._stacks: dict[str, Stack] = {}

    def new(self, name: str, *, account: str, region: str, partition: str = "aws") -> Stack:
        """Makes a stack that has no status yet and that nobody sees before it is added."""
        return Stack(
            name=name,
            id=f"arn:{partition}:cloudformation:{region}:{account}:stack/{name}/{chance.new_uuid()}",
            account=account,
            region=region,
            partition=partition,
            now=clock.now,
            created=clock.now(),
            lock=self.lock,
        )

    def add(self, stack: Stack) -> None:
        """Lets everybody see a stack."""
        self._stacks[stack.id] = stack

    def find(self, name: str, *, account: str, region: str) -> Stack | None:
        """Gives a stack by its ARN, deleted or not, or by its name if it is not deleted."""
        if name in self._stacks:
            return self._stacks[name]
        living = (stack for stack in self.stacks(account, region) if stack.status != "DELETE_COMPLETE")
        return next((stack for stack in living if stack.name == name), None)

    def all(self) -> list[Stack]:
        """Gives the stacks of every account and region, deleted ones too, oldest first."""
        return list(self._stacks.values())

    def by_id(self, stack_id: str) -> Stack | None:
        """Gives the stack of an ARN, unless it is deleted."""
        stack = self._stacks.get(stack_id)
        return None if stack is None or stack.status == "DELETE_COMPLETE" else stack

    def is_interrupted(self, stack: Stack) -> bool:
        """Says whether what is performed on a stack, or on one around it, is to end, since something else has begun."""
        around = self._stacks.get(stack.parent_id or "")
        return stack.is_interrupted or (around is not None and self.is_interrupted(around))

    def root(self, stack: Stack) -> Stack:
        """Gives the stack at the root of a stack's tree; itself where it is nobody's."""
        return self._stacks.get(stack.root_id or stack.id, stack)

    def stacks(self, account: str, region: str) -> list[Stack]:
        """Gives the stacks of an account in a region, deleted ones too, newest first."""
        return [
            stack
            for stack in reversed(list(self._stacks.values()))
            if stack.account == account and stack.region == region
        ]

    def exports(self, account: str, region: str) -> dict[str, Export]:
        """Gives the exports of an account in a region, by name."""
        return {
            output.export: Export(output.export, output.value, stack.id)
            for stack in self.stacks(account, region)
            for output in stack.outputs
            if output.export is not None
        }

    def importers(self, export: str, account: str, region: str) -> list[str]:
        """Gives the names of the stacks that use an export, in alphabetical order."""
        return sorted(stack.name for stack in self.stacks(account, region) if export in stack.imports)

    def clear(self) -> None:
        """Forgets all stacks."""
        self._stacks.clear()
