"""What is in a chart's archive, read without trusting it: only plain files inside the chart are unpacked."""

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from ami import bounded_yaml

#: Far more than any chart has, with all that it brings along: an archive that unpacks to more is made to fill a disk.
MOST_BYTES, MOST_FILES = 32 * 1024 * 1024, 2_000
#: The same of the YAML that is read of a chart, and of charts in charts.
MOST_YAML_BYTES, DEEPEST = 2 * 1024 * 1024, 3
_LONGEST_PATH = 200
_CHUNK_BYTES = 1024 * 1024
#: Below these keys a chart's values hold what Kubernetes defines and the chart hands on, whatever its own default is.
_HANDED_ON = frozenset(
    {
        *("affinity", "annotations", "env", "extraEnv", "labels", "limits", "matchLabels", "nodeSelector"),
        *("podAnnotations", "podLabels", "podSecurityContext", "requests", "resources", "securityContext"),
        *("selector", "tolerations", "topologySpreadConstraints"),
    }
)


class ChartError(ValueError):
    """An archive is no chart's, or not the one that it should be. The message follows on its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart.

    Attributes:
        name, version: As its ``Chart.yaml`` says.
        files: Its files by their paths in the chart, such as ``templates/crd/queues.yaml``.
    """

    name: str
    version: str
    files: Mapping[str, bytes]

    def values(self) -> Mapping[str, Any]:
        """Returns its default values, those of the charts that it brings along under their names.

        Raises:
            ChartError: They are no YAML mapping, or the charts in it unpack to too much.

        Source: Helm documentation, "Subcharts and Global Values".
        """
        return _values(self.files, "", _Allowance())


@dataclass(slots=True)
class _Allowance:
    """What may be unpacked and read yet, of a chart and of all that it brings along."""

    bytes_left: int = MOST_BYTES
    files_left: int = MOST_FILES
    yaml_bytes_left: int = MOST_YAML_BYTES


def unpacked(archive: bytes, *, name: str, version: str) -> Chart:
    """Returns the chart in an archive.

    Args:
        archive: A tar file, packed with gzip, that holds one folder.
        name: What the chart must be called.
        version: Which version it must be.

    Raises:
        ChartError: It is no archive, holds a link or a path out of it, unpacks to too much, or is another chart.

    Source: Helm documentation, "Charts", "The Chart.yaml File".
    """
    allowance = _Allowance()
    files = _files(archive, allowance)
    stated = _mapping(files, "Chart.yaml", allowance)
    found = str(stated.get("name")), str(stated.get("version"))
    if found != (name, version):
        raise ChartError(f"holds {found[0]} {found[1]}, and not {name} {version}")
    return Chart(name=name, version=version, files=files)


def handed(chart: Chart, left_out: Mapping[str, Mapping[str, Any]]) -> Chart:
    """Returns a chart as it is handed to Helm.

    Args:
        chart: The chart, as in its archive.
        left_out: The files that are not handed to it, each with the object that is handed to it in their place.

    Raises:
        ChartError: It has no such file: where it is now, if it still is, nobody knows.
    """
    missing = absent(chart, left_out)
    if missing:
        raise ChartError(f"holds no {missing[0]}, in whose place an object of trnstack's is handed to Helm")
    instead = {path: yaml.safe_dump(_plain(each), sort_keys=False).encode() for path, each in left_out.items()}
    return Chart(name=chart.name, version=chart.version, files={**chart.files, **instead})


def absent(chart: Chart, left_out: Iterable[str]) -> tuple[str, ...]:
    """Returns the files that are to be left out and that a chart does not have."""
    return tuple(path for path in left_out if path not in chart.files)


def write(chart: Chart, folder: Path) -> None:
    """Writes a chart's files into a folder that is made for it.

    Raises:
        OSError: They can't be written.
    """
    for path, content in chart.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def unknown_values(chart: Chart, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the paths of given values that a chart knows nothing of: Helm would pass them over without a word.

    What a chart leaves empty is whoever sets it to fill, and so is what it hands on to Kubernetes.

    Raises:
        ChartError: The chart's own values can't be read.
    """
    return tuple(_unknown(given, chart.values(), ""))


def _unknown(given: Mapping[str, Any], known: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, value in given.items():
        here = f"{path}.{key}" if path else key
        if key not in known:
            yield here
        elif key in _HANDED_ON or not isinstance(value, Mapping):
            continue
        elif isinstance(known[key], Mapping):
            if known[key]:
                yield from _unknown(value, known[key], here)
        elif known[key] is not None:
            yield here


def _gunzipped(archive: bytes, allowance: _Allowance) -> bytes:
    out = bytearray()
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(archive)) as stream:
            while part := stream.read(_CHUNK_BYTES):
                out += part
                allowance.bytes_left -= len(part)
                if allowance.bytes_left < 0:
                    raise ChartError(f"unpacks to more than {MOST_BYTES // 1024 // 1024} MiB")
    except (OSError, EOFError, zlib.error) as error:
        raise ChartError(f"is no archive packed with gzip: {error}") from None
    return bytes(out)


def _files(archive: bytes, allowance: _Allowance) -> dict[str, bytes]:
    """Returns the files of an archive by their paths below its one folder."""
    files: dict[str, bytes] = {}
    roots: set[str] = set()
    try:
        with tarfile.open(fileobj=io.BytesIO(_gunzipped(archive, allowance)), mode="r:") as stream:
            for member in stream:
                root, path = _place(member)
                roots.add(root)
                allowance.files_left -= 1
                if allowance.files_left < 0:
                    raise ChartError(f"holds more than {MOST_FILES} files")
                if len(roots) > 1:
                    raise ChartError(f"holds {' and '.join(sorted(roots))}, where a chart's archive holds one folder")
                content = stream.extractfile(member)
                if content is None:
                    continue
                if not path or path in files:
                    raise ChartError(f"holds {member.name!r} twice, or beside its folder")
                files[path] = content.read()
    except tarfile.TarError as error:
        raise ChartError(f"is no tar file: {error}") from None
    for path in files:
        if any(str(above) in files for above in PurePosixPath(path).parents):
            raise ChartError(f"holds {path!r} below a file")
    return files


def _place(member: tarfile.TarInfo) -> tuple[str, str]:
    """Returns the folder that a member is in, and its path there."""
    name = member.name.removeprefix("./")
    if not (member.isreg() or member.isdir()):
        raise ChartError(f"holds {member.name!r}, which is neither a file nor a folder")
    parts = PurePosixPath(name).parts
    odd = not parts or ".." in parts or name.startswith("/") or "\\" in name or not name.isprintable()
    if odd or len(name) > _LONGEST_PATH:
        raise ChartError(f"holds {member.name[:_LONGEST_PATH]!r}, which leads out of it or is no path of a chart")
    return parts[0], "/".join(parts[1:])


def _values(files: Mapping[str, bytes], prefix: str, allowance: _Allowance, depth: int = 0) -> dict[str, Any]:
    """Returns the values of the chart at a path, with those of the charts that it brings along under their names."""
    found = _mapping(files, f"{prefix}values.yaml", allowance) if f"{prefix}values.yaml" in files else {}
    inner = f"{prefix}charts/"
    below = [path.removeprefix(inner) for path in files if path.startswith(inner)]
    if below and depth == DEEPEST:
        raise ChartError(f"holds charts in charts more than {DEEPEST} deep")
    for name in sorted({path.split("/")[0] for path in below}):
        if name.endswith(".tgz") and f"{inner}{name}" in files:
            packed = _files(files[f"{inner}{name}"], allowance)
            called = str(_mapping(packed, "Chart.yaml", allowance).get("name"))
            found = _with_inner(found, called, _values(packed, "", allowance, depth + 1))
        elif f"{inner}{name}/Chart.yaml" in files:
            found = _with_inner(found, name, _values(files, f"{inner}{name}/", allowance, depth + 1))
    return found


def _with_inner(found: Mapping[str, Any], name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    own = found.get(name)
    return {**found, name: _merged(values, own) if isinstance(own, Mapping) else values}


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _mapping(files: Mapping[str, bytes], path: str, allowance: _Allowance) -> dict[str, Any]:
    if path not in files:
        raise ChartError(f"holds no {path}")
    allowance.yaml_bytes_left -= len(files[path])
    if allowance.yaml_bytes_left < 0:
        raise ChartError(f"holds more than {MOST_YAML_BYTES // 1024 // 1024} MiB of values")
    try:
        data = bounded_yaml.loaded(files[path])
    except bounded_yaml.UnreadableError:
        raise ChartError(f"holds a {path} that is no YAML, or more than a chart has") from None
    if not isinstance(data, dict):
        if data is None:
            return {}
        raise ChartError(f"holds a {path} that is no mapping")
    return data


def _plain(value: Any) -> Any:
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, Mapping) else value
