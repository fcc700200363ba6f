"""What a person wants of a rehearsal, beside the environment."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rehearsal.faults import Fault

#: What is told where only an option was named: the deploy alone, which is the beginning of every scenario.
DEPLOY, LIFECYCLE, UPDATE, UPGRADE, FAULTS, TEARDOWN = "deploy", "lifecycle", "update", "upgrade", "faults", "teardown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person wants.

    Attributes:
        named: The scenario that was named; None where none was.
        faults: What goes wrong in the first deploy; in ``faults``, what goes wrong one after the other.
        keep: Whether the embedded AWS stays up at the end, until Ctrl-C.
        save: The file in which it is saved at the end.
        load: The file in which it was saved before.
        as_json: Whether standard output is one JSON document, and the story goes to standard error.
    """

    named: str | None = None
    faults: Sequence[Fault] = ()
    keep: bool = False
    save: Path | None = None
    load: Path | None = None
    as_json: bool = False

    @property
    def scenario(self) -> str:
        """The scenario that is told: the whole life, or the deploy alone where an option asks for what stands then."""
        if self.named is not None:
            return self.named
        asks_for_what_stands = self.faults or self.keep or self.save or self.load
        return DEPLOY if asks_for_what_stands else LIFECYCLE

    @property
    def takes_down(self) -> bool:
        """Whether the scenario takes down; what is to be kept is taken down only where that is the point."""
        return self.scenario == TEARDOWN or (self.scenario == LIFECYCLE and not self.keep)
