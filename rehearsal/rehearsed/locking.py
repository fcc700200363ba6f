"""The lock with which an environment is rehearsed in process: its own, and made-up values where it has none.

Nothing is asked: what the lock beside the environment pins is what is deployed. Where it was made from the offline
tables, digests and ids follow from the names of what they pin, and a chart without an archive has a stand-in.
"""

import dataclasses
from pathlib import Path

from ami import archives
from ami.pins import UNRESOLVED, ChartPin, Lock
from rehearsal.charts import archive
from rehearsal.pins.made_up import chart, resolved
from trnstack.plan.model import ReleasePlan


def fit(lock: Lock, lock_file: Path) -> Lock:
    """Returns the lock as the embedded AWS can serve it, with nothing left unresolved.

    Args:
        lock: The environment's lock.
        lock_file: Where it lies, beside the charts' archives.

    Raises:
        rehearsal.charts.NoStandInError: A chart has no archive there, and nothing stands in for it.
    """
    made = resolved(lock) if lock.unresolved else lock
    return dataclasses.replace(
        made,
        charts={
            name: pin if _is_whole(pin) and _archive(lock_file, name, pin.version, pin.archive) else chart(name, pin)
            for name, pin in lock.charts.items()
        },
    )


def chart_of(release: ReleasePlan, lock_file: Path) -> bytes:
    """Returns the archive of a release's chart: the team's own, or the one that stands in for it."""
    own = _archive(lock_file, release.chart, release.version, release.archive_digest)
    return own or archive(release.chart, release.version)


def _is_whole(pin: ChartPin) -> bool:
    return UNRESOLVED not in (pin.digest, pin.archive, *pin.images.values())


def _archive(lock_file: Path, name: str, version: str, digest: str) -> bytes | None:
    """Returns the archive beside a lock; None where there is none that the lock pins."""
    found = archives.read(archives.folder_of(lock_file) / archives.file_name(name, version), digest)
    return found if isinstance(found, bytes) else None
