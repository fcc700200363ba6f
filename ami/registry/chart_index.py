"""The index of an HTTP chart repository."""

import re
from typing import Any

import yaml

from ami.registry.errors import RegistryError
from ami.registry.names import HttpChart

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
#: How many versions an error names.
_SHOWN = 3


def indexed_digest(index: bytes, chart: HttpChart, version: str) -> str:
    """Returns the digest, ``sha256:...``, that an ``index.yaml`` gives for the archive of a chart's version.

    Raises:
        RegistryError: The index isn't one, or lacks the chart, the version, or its digest.

    Source: Helm documentation, "The Chart Repository Guide", "The index file".
    """
    digest = _row(index, chart, version).get("digest")
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    if found is None:
        raise RegistryError(
            f"the repository of {chart.text} gives {digest!r} for version {version}, which is no SHA-256 digest",
            "ask the chart's authors, or take another version",
        )
    return f"sha256:{found[1]}"


def indexed_urls(index: bytes, chart: HttpChart, version: str) -> list[str]:
    """Returns the addresses, maybe relative ones, that an ``index.yaml`` gives for the archive of a chart's version.

    Raises:
        RegistryError: The index isn't one, or lacks the chart or the version.
    """
    urls = _row(index, chart, version).get("urls")
    return [url for url in urls if isinstance(url, str)] if isinstance(urls, list) else []


def _row(index: bytes, chart: HttpChart, version: str) -> dict[str, Any]:
    versions = {str(row["version"]): row for row in _rows(index, chart) if isinstance(row, dict) and "version" in row}
    if version not in versions:
        newest = sorted(versions, key=_numbers, reverse=True)[:_SHOWN]
        known = f"the newest there are {', '.join(newest)}" if newest else "it names no version of it"
        raise RegistryError(
            f"the repository of {chart.text} has no version {version}",
            f"{known}; `trnstack lock --outdated FILE` tells what is newer",
        )
    return versions[version]


def _rows(index: bytes, chart: HttpChart) -> list[Any]:
    try:
        # Every scalar stays a text: a version such as 1.10 is no number.
        data = yaml.load(index, Loader=yaml.CBaseLoader)  # noqa: S506 - the base loader makes texts, lists and mappings
    except (yaml.YAMLError, ValueError, RecursionError):
        data = None
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, dict):
        raise RegistryError(
            f"the index.yaml of {chart.text} isn't the index of a chart repository",
            "check the address; a proxy or a login page may have answered in its place",
        )
    rows = entries.get(chart.name)
    if not isinstance(rows, list):
        raise RegistryError(f"the repository of {chart.text} has no chart {chart.name}", "check the chart's name")
    return rows


def _numbers(version: str) -> tuple[int, ...]:
    # Longer runs of digits are no version's number, and would take long to read.
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version))
