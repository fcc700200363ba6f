"""A chart as it comes to the function: an archive in a bucket, with the chart's folder unpacked at its root."""

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from moto.s3.exceptions import MissingBucket

from rehearsal.kubectl.world import FunctionError, Invocation

_URL = re.compile(r"s3://(?P<bucket>[^/]+)/(?P<key>.+)")
#: Source: Helm documentation, "Charts", "The Chart.yaml File"; Helm 4 reads both versions of a chart's form.
_FORMS = ("v1", "v2")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    Attributes:
        name: Its name.
        version: Its version.
        files: Its files by path.
    """

    name: str
    version: str
    files: Mapping[str, bytes]

    def unpack(self, folder: Path) -> None:
        """Writes the chart's files below a folder."""
        for path, content in self.files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def read_chart(invocation: Invocation, url: str) -> Chart:
    """Reads a chart from a bucket.

    Raises:
        FunctionError: It is not there, is no archive, or no chart.
    """
    place = _URL.fullmatch(url)
    if place is None:
        raise FunctionError(f"ChartAssetURL must point to as s3 location but is {url}")
    try:
        found = invocation.buckets.get_object(place["bucket"], place["key"])
    except MissingBucket:
        found = None
    if found is None:
        raise FunctionError(
            f"fatal error: An error occurred (404) when calling the HeadObject operation: Key {url} does not exist"
        )
    files = _files(found.value, url)
    described = _described(files.get("Chart.yaml"))
    return Chart(described["name"], str(described["version"]), files)


def _files(content: bytes, url: str) -> dict[str, bytes]:
    """Gives the files of an archive; one that would leave the folder is refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            strange = next((name for name in names if name.startswith("/") or ".." in name.split("/")), None)
            if strange:
                raise FunctionError(f"{url} has a file that is outside of the chart: {strange}")
            return {name: archive.read(name) for name in names}
    except zipfile.BadZipFile as error:
        raise FunctionError(f"BadZipFile: {url}: {error}") from error


def _described(content: bytes | None) -> dict[str, Any]:
    """Gives what ``Chart.yaml`` says, which has to name the chart, its version and its form."""
    if content is None:
        raise FunctionError("Error: Chart.yaml file is missing")
    try:
        said = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise FunctionError(f"Error: cannot load Chart.yaml: {error}") from error
    said = said if isinstance(said, dict) else {}
    if said.get("apiVersion") not in _FORMS:
        raise FunctionError(f"Error: validation: chart.metadata.apiVersion is {said.get('apiVersion')}, not v1 or v2")
    missing = next((name for name in ("name", "version") if not said.get(name)), None)
    if missing:
        raise FunctionError(f"Error: validation: chart.metadata.{missing} is required")
    return said
