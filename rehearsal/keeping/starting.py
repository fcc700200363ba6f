"""Starts an embedded AWS: what stands already, what is published, and what was saved before."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rehearsal import chance, clock
from rehearsal.application import Rehearsal
from rehearsal.keeping import given
from rehearsal.keeping.journal import Journal
from rehearsal.keeping.kept import failures, require_same, standing
from rehearsal.keeping.repeating import repeat
from rehearsal.keeping.serving import with_state
from rehearsal.keeping.state import State
from rehearsal.pins import publish_file
from rehearsal.pins.charts import publish_archives
from rehearsal.seed import seed_file
from rehearsal.transport import WsgiApplication


@dataclass(frozen=True, slots=True)
class Furniture:
    """What an embedded AWS has before anybody calls it.

    Attributes:
        seed: A file with what stands already, if anything does.
        pins: Lock files whose pins are published.
        charts: A folder with archives of charts, if there is one.
    """

    seed: Path | None = None
    pins: Sequence[Path] = ()
    charts: Path | None = None


def start(rehearsal: Rehearsal, furniture: Furniture) -> WsgiApplication:
    """Furnishes an embedded AWS that keeps no journal; returns its application.

    Raises:
        ami.lock.LockError: A file of pins is no lock.
        OSError: A file can't be read.
    """
    if furniture.charts is not None:
        publish_archives(furniture.charts)
    for file in furniture.pins:
        publish_file(file)
    if furniture.seed is not None:
        # The ids that nobody names have to come again too.
        with chance.seeded("seed"):
            chance.before_call()
            seed_file(furniture.seed)
    return rehearsal.application


def start_journal(rehearsal: Rehearsal, furniture: Furniture, folder: Path, state: State | None) -> WsgiApplication:
    """Furnishes an embedded AWS that keeps a journal, and makes a saved one again; returns what answers for it.

    Args:
        rehearsal: The embedded AWS.
        furniture: What it has, beside what the state has.
        folder: An empty folder for the journal.
        state: What was saved.

    Raises:
        StateError: The saved AWS can't be made again, or is not the same.
        ami.lock.LockError: A file of pins is no lock.
        OSError: A file can't be read.
    """
    told = given.read(seed=furniture.seed, pins=furniture.pins, charts=furniture.charts)
    told = given.together(state.given if state else {}, told)
    place = folder / "given"
    given.lay_out(told, place)
    seed = place / given.SEED
    laid_out = Furniture(seed if seed.is_file() else None, tuple(given.locks_in(place)), given.charts_in(place))
    application = start(rehearsal, laid_out)
    if state is not None and state.kept.calls:
        # Times that lay ahead then lie ahead again: the clock stands where the first call found it, and goes on from
        # call to call.
        os.environ[clock.VARIABLE] = state.kept.calls[0].at
        repeat(state.kept, application)
        require_same(state.standing, standing(rehearsal.world), failures(rehearsal.world))
    journal = Journal(
        application, folder, before=state.kept if state else None, counts=lambda: bool(rehearsal.faults.active)
    )
    return with_state(journal, rehearsal.world, told)
