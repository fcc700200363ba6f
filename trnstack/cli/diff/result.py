"""What a diff says, before it is put into words."""

import enum
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trnstack.advice.impact import Report, ResourceChange
    from trnstack.advice.impact.cost import Cost, Left
    from trnstack.advice.steps import Step
    from trnstack.cli.diff.sides import Known

DIFF_VERSION = 1
#: What commands name in place of a revision, which the CDK does not read.
_PLACEHOLDER = "FILE"


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
        file: The new environment's file, which the commands name; a placeholder where it is a revision's.
        old: The old environment's name.
        new: The new environment's name.
        report: What differs, and what it does.
        steps: The deploys, in their order.
        before: What the old environment costs.
        after: What the new one costs.
        left: What stays of the old one outside of what is deployed, and costs money on.
        notes: What could not be compared, or is to be known.
    """

    file: str
    old: str
    new: str
    report: "Report"
    steps: "tuple[Step, ...]"
    before: "Cost"
    after: "Cost"
    left: "tuple[Left, ...]"
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
    from trnstack.advice.impact.cost import cost, left  # noqa: PLC0415
    from trnstack.advice.impact.schemas import index  # noqa: PLC0415
    from trnstack.cli.diff.deploys import deploys  # noqa: PLC0415

    try:
        index(new.side.region)
    except LookupError as error:
        raise UnknownRegionError(str(error)) from error
    report = compare(old.side, new.side)
    return Result(
        file=_PLACEHOLDER if new.is_revision else new.name,
        old=old.name,
        new=new.name,
        report=report,
        steps=deploys(old, new, report),
        before=cost(old.side),
        after=cost(new.side),
        left=left(old.side, report),
        notes=tuple(dict.fromkeys((*old.notes, *new.notes, *_of_file(new), *report.notes))),
    )


def _of_file(new: "Known") -> tuple[str, ...]:
    """Returns what to do first where the new environment is no file."""
    if not new.is_revision:
        return ()
    return (f"{_PLACEHOLDER} in commands stands for the file of {new.name}: check that revision out before the deploy",)


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
        "left_behind": [asdict(each) for each in result.left],
        "notes": list(result.notes),
    }
