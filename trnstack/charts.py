"""The charts' archives beside a lock: whether a deploy can use them."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ami import archives, chart_files
from trnstack.findings import Finding
from trnstack.plan import Plan
from trnstack.plan.model import ReleasePlan


def chart(release: ReleasePlan, folder: Path) -> chart_files.Chart:
    """Returns a release's chart from its archive, as it is handed to Helm.

    Args:
        release: The release.
        folder: The folder of the lock, from which archives are named.

    Raises:
        ChartError: The archive is missing, is not the one that the lock pins, is no chart's, or lacks what is left out;
            ``chart_findings`` says it to a person.
    """
    return chart_files.handed(_unpacked(release, folder), release.left_out)


def _unpacked(release: ReleasePlan, folder: Path) -> chart_files.Chart:
    found = archives.read(folder / release.archive, release.archive_digest)
    if isinstance(found, archives.ArchiveProblem):
        raise chart_files.ChartError(found.message)
    return chart_files.unpacked(found, name=release.chart, version=release.version)


def chart_findings(file: str | Path, plan: Plan, folder: Path) -> Iterator[Finding]:
    """Yields what keeps a deploy from using the archives beside a lock in which nothing is unresolved.

    IMG017: each is there, and is the one that the lock pins. IMG018: a chart knows every value that the plan sets.
    IMG019: it has the files that are left out of it.

    Args:
        file: The environment file.
        plan: Its plan.
        folder: The folder of the lock, from which archives are named.
    """
    hint = f"run: trnstack lock {shlex.quote(str(file))}, and commit what it writes"
    missing = [path for each in plan.kubernetes.releases if not (path := folder / each.archive).exists()]
    if missing:
        others = f" and {len(missing) - 1} more are" if missing[1:] else " is"
        yield Finding(code="IMG017", path=(), message=f"{missing[0]}{others} missing", hint=hint)
    for release in plan.kubernetes.releases:
        if (path := folder / release.archive) in missing:
            continue
        try:
            yield from unfit(_unpacked(release, folder), release)
        except chart_files.ChartError as error:
            yield Finding(code="IMG017", path=(), message=f"{path} {error}", hint=hint)


def unfit(found: chart_files.Chart, release: ReleasePlan) -> Iterator[Finding]:
    """Yields what a chart, as in its archive, is not as the plan takes it to be: IMG018 and IMG019.

    Raises:
        ChartError: The chart's own values can't be read.
    """
    yield from unknown_values(found, release.values)
    for path in chart_files.absent(found, release.left_out):
        instead = "in whose place trnstack puts an object of its own"
        message = f"chart {found.name} {found.version} has no {path}, {instead}"
        yield Finding(code="IMG019", path=(), message=message, hint=_OTHER_VERSION)


_OTHER_VERSION = "keep the version that was pinned before, or update trnstack"


def unknown_values(found: chart_files.Chart, values: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields IMG018: a chart that renamed a value would pass over what is set by its old name, without a word.

    Raises:
        ChartError: The chart's own values can't be read.
    """
    unknown = chart_files.unknown_values(found, values)
    if unknown:
        named = f"value{'s' if unknown[1:] else ''} {', '.join(unknown)}"
        yield Finding(
            code="IMG018",
            path=(),
            message=f"chart {found.name} {found.version} has no {named}, which trnstack sets",
            hint=_OTHER_VERSION,
        )
