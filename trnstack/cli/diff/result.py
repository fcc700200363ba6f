"""What a diff says, before it is put into words."""

import enum
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnstack.advice.impact import Report, ResourceChange
    from trnstack.advice.impact.cost import Cost
    from trnstack.advice.steps import Step
    from trnstack.cli.diff.sides import Known

DIFF_VERSION = 1


class UnknownRegionError(Exception):
    """Nothing is published of the resource types of a region."""


class FailOn(enum.StrEnum):
    """From which impact on the command fails."""

    DATA_LOSS = "data-loss"
    REPLACEMENT = "replacement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything that is said.

    Attributes:
        file: The new environment's file, which the commands name.
        old: The old environment's name.
        new: The new environment's name.
        report: What differs, and what it does.
        steps: The deploys, in their order.
        before: What the old nodes cost.
        after: What the new nodes cost.
        notes: What could not be compared, or is to be known.
    """

    file: str
    old: str
    new: str
    report: "Report"
    steps: "tuple[Step, ...]"
    before: "Cost"
    after: "Cost"
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many resources there are of each impact, the worst first."""
        from trnstack.advice.impact import Impact  # noqa: PLC0415 - as every command, see the package's docstring

        found = Counter(change.impact for change in self.report.changes)
        return {str(impact): found[impact] for impact in reversed(Impact) if found[impact]}

    def failing(self, limit: FailOn) -> "tuple[ResourceChange, ...]":
        """Returns the changes for which the command fails.

        What is not known is never taken for safe: it fails either way. What is retained is lost to the jobs all the
        same, which find an empty one in its place.
        """
        from trnstack.advice.impact import Impact  # noqa: PLC0415

        bad = {Impact.LOSES_DATA, Impact.UNKNOWN}
        if limit is FailOn.REPLACEMENT:
            bad |= {Impact.REPLACES, Impact.DELETES}
        return tuple(change for change in self.report.changes if change.impact in bad)


def compared(old: "Known", new: "Known") -> Result:
    """Returns what differs between two environments.

    Raises:
        UnknownRegionError: The region's resource schemas are not there.
    """
    from trnstack.advice.impact import compare  # noqa: PLC0415
    from trnstack.advice.impact.cost import cost  # noqa: PLC0415
    from trnstack.advice.impact.schemas import index  # noqa: PLC0415

    try:
        index(new.side.region)
    except LookupError as error:
        raise UnknownRegionError(str(error)) from error
    report = compare(old.side, new.side)
    return Result(
        file=new.name,
        old=old.name,
        new=new.name,
        report=report,
        steps=tuple(_steps(old, new, report)),
        before=cost(old.side),
        after=cost(new.side),
        notes=(*old.notes, *new.notes, *report.notes),
    )


def as_data(result: Result) -> dict[str, Any]:
    """Returns a result for JSON."""
    from trnstack.advice.impact.cost import SOURCE  # noqa: PLC0415
    from trnstack.cli.change import as_data as changed  # noqa: PLC0415

    report = asdict(result.report)
    return {
        "diff_version": DIFF_VERSION,
        "old": result.old,
        "new": result.new,
        "impact": str(result.report.impact),
        "counts": result.counts,
        **{key: report[key] for key in ("changes", "refusals", "ways")},
        "steps": changed((), result.steps, result.file)["steps"],
        "cost": {"before": asdict(result.before), "after": asdict(result.after), "source": SOURCE},
        "notes": list(result.notes),
    }


def _steps(old: "Known", new: "Known", report: "Report") -> "Iterator[Step]":
    """Yields the deploys: those of the plans, or of what is deployed, of which there is no plan, stack by stack."""
    from trnstack.advice.group_steps import deploy  # noqa: PLC0415
    from trnstack.advice.steps import Step, deleted, steps  # noqa: PLC0415

    assert new.plan is not None  # noqa: S101 - the new side is a file's
    if old.plan is not None:
        yield from steps(old.plan, new.plan)
        return
    changed = Counter(change.stack for change in report.changes)
    for stack in new.plan.stacks:
        if changed[stack.name]:
            count = changed.pop(stack.name)
            what = f"{count} resource{'' if count == 1 else 's'}"
            yield Step(stack=stack.name, command=deploy(stack.name), changes=(what,))
    for name in changed:
        yield deleted(new.plan.region, name, ("all of it goes",))
