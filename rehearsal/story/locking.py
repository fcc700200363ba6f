"""Locks an environment in a rehearsal: ``trnstack lock`` as a whole, answered by the embedded AWS."""

import time
from dataclasses import dataclass
from pathlib import Path

from ami.archives import file_name, folder_of
from ami.archives import write as write_archives
from ami.lock import read, write
from ami.pins import Lock
from ami.resolve import Aws, Clients, Progress, for_environment
from trnstack.environment import read_environment
from trnstack.plan import lock_inputs


@dataclass(frozen=True, slots=True)
class RehearsalLock:
    """A lock that the embedded AWS answered.

    Attributes:
        file: Where it lies: in the rehearsal's own folder, so that the environment's lock stays as it is.
        lock: The lock; the account in it is the embedded one's, which no real account has.
        seconds: How long the asking took.
        stand_ins: The charts of which no archive lies beside the environment, so that the rehearsal serves its own.
    """

    file: Path
    lock: Lock
    seconds: float
    stand_ins: tuple[str, ...] = ()


def lock(
    environment_file: Path,
    folder: Path,
    *,
    own: Path,
    client: Clients,
    progress: Progress,
) -> RehearsalLock:
    """Resolves an environment's lock with the embedded AWS; the choices in it stay those of its own lock.

    Args:
        environment_file: The environment.
        folder: A folder of the rehearsal's own.
        own: The environment's own lock, which is current for the environment or for what it was before an edit.
        client: Makes the client of a service in a region.
        progress: Told after each answer what it was about, how many there are and how many there will be.

    Raises:
        NoPinError: The tables have nothing that answers the environment, and neither has its lock.
        ResolveError: The embedded AWS does not have what the lock names.
    """
    started = time.monotonic()
    _, environment = read_environment(environment_file)
    asked = Aws(client, region=environment.region)
    inputs = lock_inputs(environment)
    found = for_environment(inputs, keep=read(own), aws=asked, progress=progress)
    file = folder / "rehearsal.lock.json"
    write(found.lock, file)
    write_archives(folder_of(file), found.archives)
    archives = folder_of(own)
    stand_ins = tuple(
        name
        for name, pin in sorted(found.lock.charts.items())
        if not (archives / file_name(name, pin.version)).is_file()
    )
    return RehearsalLock(file, found.lock, time.monotonic() - started, stand_ins)
