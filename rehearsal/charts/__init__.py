"""Small charts of our own that stand in for those of a cluster where a team has no archive of the real ones.

Each has the name, the keys of values and the kinds of objects that the real one has, as far as an environment uses
them, and none of its text: enough that ``helm`` renders it with an environment's values, and that what follows it finds
the resource definitions which it needs. What is in the folders is packed as ``helm package`` packs a chart.

Source: Helm documentation, "Charts" (a chart archive holds one folder with the chart's name).
"""

import functools
import gzip
import io
import re
import tarfile
from pathlib import Path

_FOLDER = Path(__file__).parent
_VERSION = re.compile(rb"^version: .*$", re.MULTILINE)


class NoStandInError(LookupError):
    """There is no chart of that name here."""


def names() -> tuple[str, ...]:
    """Returns the names of the charts that are here."""
    return tuple(sorted(file.parent.name for file in _FOLDER.glob("*/Chart.yaml")))


@functools.cache
def archive(name: str, version: str) -> bytes:
    """Returns the archive of a chart under a version, the same bytes whenever and wherever it is asked for.

    Args:
        name: The chart's name, such as ``kueue``.
        version: The version that its ``Chart.yaml`` shall name, such as ``0.19.2``.

    Raises:
        NoStandInError: There is no such chart here.
    """
    folder = _FOLDER / name
    if name not in names():
        raise NoStandInError(f"the rehearsal has no chart {name}; it has {', '.join(names())}")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for file in sorted(path for path in folder.rglob("*.yaml") if path.is_file()):
            content = file.read_bytes()
            if file == folder / "Chart.yaml":
                content = _VERSION.sub(f"version: {version}".encode(), content, count=1)
            # A record that is made anew has no owner, no permissions but the usual, and no time.
            entry = tarfile.TarInfo(f"{name}/{file.relative_to(folder).as_posix()}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    # Stored blocks are the same everywhere, which compressed ones need not be.
    zipped = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=0, fileobj=zipped, mtime=0) as file_of_gzip:
        file_of_gzip.write(packed.getvalue())
    return zipped.getvalue()
