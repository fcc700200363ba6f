"""What a server is started with, as it goes into a saved state and comes out: a seed, locks, archives of charts."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

SEED, _PINS, _CHARTS, _ARCHIVE = "seed.json", "pins-", "charts/", ".tgz"


def read(*, seed: Path | None, pins: Iterable[Path], charts: Path | None) -> dict[str, bytes]:
    """Reads what a server was told to start with, by the names under which a state has it.

    Raises:
        OSError: There is no such file.
    """
    given = {SEED: seed.read_bytes()} if seed else {}
    given |= {f"{_PINS}{number}.json": file.read_bytes() for number, file in enumerate(pins)}
    archives = sorted(charts.glob(f"*{_ARCHIVE}")) if charts and charts.is_dir() else []
    return given | {f"{_CHARTS}{file.name}": file.read_bytes() for file in archives}


def together(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> dict[str, bytes]:
    """Adds to what a state has what a server is told beside; of locks, those that the state does not have."""
    locks = dict.fromkeys(content for each in (before, now) for name, content in each.items() if _is_lock(name))
    others = {name: content for each in (before, now) for name, content in each.items() if not _is_lock(name)}
    return others | {f"{_PINS}{number}.json": content for number, content in enumerate(locks)}


def lay_out(given: Mapping[str, bytes], folder: Path) -> None:
    """Writes it all into a folder, as files that the server reads."""
    (folder / _CHARTS).mkdir(parents=True, exist_ok=True)
    for name, content in given.items():
        # The names come out of a file that somebody may have made up.
        place = folder / _CHARTS if name.startswith(_CHARTS) else folder
        (place / Path(name).name).write_bytes(content)


def locks_in(folder: Path) -> Iterator[Path]:
    """Yields the locks of such a folder, in the order in which they were given."""
    return iter(sorted(folder.glob(f"{_PINS}*.json"), key=lambda file: int(file.stem.removeprefix(_PINS))))


def charts_in(folder: Path) -> Path:
    """Returns the folder of the charts' archives in such a folder."""
    return folder / _CHARTS


def _is_lock(name: str) -> bool:
    return name.startswith(_PINS)
