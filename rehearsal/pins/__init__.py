"""What the embedded AWS and its registries have published: AMI releases, add-on versions, containers and charts.

It is what the offline tables list, in every region, and beside it what somebody's locks name, so that there can be a
release which is newer than the tables. Locks are added for the whole process, as moto's records are.
"""

from pathlib import Path

from ami.lock import read
from ami.pins import Lock
from rehearsal.pins.charts import withdraw_archives
from rehearsal.pins.records import Published
from rehearsal.pins.sources import put_together


def published() -> Published:
    """Gives what is published now."""
    if not _KNOWN:
        _KNOWN.append(put_together(_LOCKS))
    return _KNOWN[0]


def publish(lock: Lock) -> None:
    """Publishes what a lock names beside everything else; of what is named twice, the last lock decides."""
    _LOCKS.append(lock)
    _KNOWN.clear()


def publish_file(file: Path) -> None:
    """Publishes what a lock file names.

    Raises:
        ami.lock.LockError: There is no such file, or it is no lock.
    """
    publish(read(file))


def withdraw() -> None:
    """Takes back what locks and folders have published; what the tables list stays."""
    withdraw_archives()
    if _LOCKS:
        _LOCKS.clear()
        _KNOWN.clear()


_LOCKS: list[Lock] = []
#: What is published, once somebody asked: it is put together anew only after another lock.
_KNOWN: list[Published] = []
