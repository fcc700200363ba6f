"""What a run of the CDK CLI or of ``trnstack`` did: its stacks, its status, and what it printed."""

import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_STACK_STARTS = re.compile(r"^(?P<stack>\S+): (deploying|destroying)\.\.\.")
#: ``NAME |  3/22 | 14:02:11 | CREATE_COMPLETE | AWS::EC2::Subnet | LogicalId``
_EVENT = re.compile(r"^\s*\S+ \|\s*(?:\d+/\d+ )?\|? ?.*\| (?P<status>[A-Z_]+)\s*\| (?P<type>\S+)\s*\| (?P<id>.*)$")
_STACK_TYPE = "AWS::CloudFormation::Stack"
_LAST_LINES = 30
#: How Node and the system's library say that a disk is full.
_DISK_FULL = ("ENOSPC", "No space left on device")


@dataclass(frozen=True, slots=True)
class StackRun:
    """What the CLI did to one stack.

    Attributes:
        name: The stack's name.
        resources: How many resources reached a final state.
        seconds: How long it took, from the CLI's first word about it to the next stack's or its end.
    """

    name: str
    resources: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CdkRun:
    """One run of a command.

    Attributes:
        command: The words after ``cdk`` or ``trnstack`` that a person would type.
        status: Its exit status.
        seconds: How long it took.
        stacks: What it did, stack by stack.
        lines: Everything it printed.
    """

    command: str
    status: int
    seconds: float
    stacks: tuple[StackRun, ...]
    lines: tuple[str, ...]

    @property
    def last_lines(self) -> str:
        """The end of what it printed, and how the command ended: what was printed may be a traceback of somebody's."""
        return "\n".join([*self.lines[-_LAST_LINES:], "", self._end])

    @property
    def _end(self) -> str:
        how = f"status {self.status}" if self.status >= 0 else f"signal {-self.status}"
        said = f"rehearsal: `{self.command}` ended with {how}"
        if self.status and any(word in line for line in self.lines for word in _DISK_FULL):
            return (
                f"{said}: no space is left for what it writes in {tempfile.gettempdir()}\n"
                "  hint: free some there, or let TMPDIR name a folder with more"
            )
        return said


def follow(output: Iterator[str], progress: Callable[[str, int], None]) -> tuple[list[str], list[StackRun]]:
    """Reads what the CLI prints while it prints it, and gives the lines and what it did to each stack.

    Args:
        output: The lines, as they come.
        progress: Told the stack and the number of finished resources whenever there is news.
    """
    lines: list[str] = []
    stacks: list[StackRun] = []
    name, finished, since = "", 0, time.monotonic()
    for line in output:
        lines.append(line.rstrip())
        start, event = _STACK_STARTS.match(line), _EVENT.match(line)
        if start:
            stacks += [StackRun(name, finished, time.monotonic() - since)] if name else []
            name, finished, since = start["stack"], 0, time.monotonic()
            progress(name, finished)
        elif event and event["type"] != _STACK_TYPE and not event["status"].endswith("_IN_PROGRESS"):
            finished += 1
            progress(name, finished)
    stacks += [StackRun(name, finished, time.monotonic() - since)] if name else []
    return lines, stacks
