"""What FSx refuses to do to a Lustre file system that stands: most of its figures only grow.

CloudFormation replaces it for the rest, which the overlay says. Compression goes both ways, and so does the size of a
read cache. FSx takes each kind of growth once in six hours, which no template shows.

Source: FSx API reference, UpdateFileSystem, with UpdateFileSystemLustreConfiguration and
UpdateFileSystemLustreMetadataConfiguration, as in botocore 1.44.8; FSx for Lustre user guide, "Managing storage
capacity", "Managing metadata performance", "Managing provisioned throughput capacity", "Managing provisioned SSD read
cache".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.advice.impact.schemas import ABSENT, at
from trnstack.layout.lustre import EFA_STEPS_GIB, HDD_STEPS_GIB, SSD_STEP_GIB, FileSystem

FILE_SYSTEM = "AWS::FSx::FileSystem"
_METADATA = ("LustreConfiguration", "MetadataConfiguration")
_CACHE = ("LustreConfiguration", "DataReadCacheConfiguration")
_ANOTHER = "for less, make another file system beside it, and move the data"
_API = "FSx API reference, UpdateFileSystem"
_METADATA_API = "FSx API reference, UpdateFileSystemLustreMetadataConfiguration"
#: A read cache changes by at least a tenth, up or down.
_CACHE_STEP = 0.1


def refusals(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yields why FSx refuses an update in place.

    Args:
        old: The file system's properties before, worked out.
        new: Its properties after.
    """
    yield from _capacity(old, new)
    yield from _metadata(old, new)
    yield from _throughput(old, new)
    yield from _cache(old, new)


def _capacity(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """The capacity only grows, of Lustre by whole steps; that it be a tenth at least holds for OpenZFS and Windows."""
    before, after = (_number(at(side, ("StorageCapacity",))) for side in (old, new))
    if before is None or after is None or before == after:
        return
    if after < before:
        yield f"FSx only increases the capacity of a file system: {_ANOTHER} ({_API})"
        return
    if at(new, ("LustreConfiguration",)) is ABSENT:
        return
    kind = at(new, ("LustreConfiguration", "DeploymentType"))
    if kind == "SCRATCH_1":
        yield f"FSx does not increase the capacity of a SCRATCH_1 file system: {_ANOTHER} ({_API})"
        return
    step = _step(new)
    if step and after % step:
        yield f"FSx increases the capacity to a multiple of {step:,} GiB, which {after:,.0f} is not ({_API})"


def _step(properties: Mapping[str, Any]) -> int | None:
    """Returns the step of sizes, GiB; None where it is not known."""
    rate = int(_number(at(properties, ("LustreConfiguration", "PerUnitStorageThroughput"))) or 0)
    if at(properties, ("StorageType",)) == "HDD":
        return HDD_STEPS_GIB.get(rate)
    if at(properties, ("LustreConfiguration", "EfaEnabled")) in (True, "true"):
        return EFA_STEPS_GIB.get(rate)
    return SSD_STEP_GIB


def _metadata(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Metadata IOPS only grow, whichever mode sets them; a file system that was made without them gets none."""
    before, after = (at(side, _METADATA) for side in (old, new))
    if before == after:
        return
    if before is ABSENT:
        if at(old, ("LustreConfiguration",)) is not ABSENT:
            yield (
                "FSx sets metadata IOPS only of a file system that was made with them (FSx for Lustre user guide, "
                "Managing metadata performance)"
            )
        return
    was, now = (_iops(side) for side in (old, new))
    if was is not None and now is not None and now < was:
        yield f"FSx only increases metadata IOPS, here from {was:,.0f} to {now:,.0f}: {_ANOTHER} ({_METADATA_API})"


def _throughput(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """The throughput of Intelligent-Tiering only grows; that of SSD for each TiB goes both ways, but by FSx alone."""
    path = ("LustreConfiguration", "ThroughputCapacity")
    before, after = (_number(at(side, path)) for side in (old, new))
    if before is not None and after is not None and after < before:
        yield (
            f"FSx only increases the throughput capacity of Intelligent-Tiering: {_ANOTHER} (FSx API reference, "
            "UpdateFileSystemLustreConfiguration)"
        )


def _cache(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """A read cache grows and shrinks, by at least a tenth each time."""
    before, after = (_number(at(side, (*_CACHE, "SizeGiB"))) for side in (old, new))
    if before and after and before != after and abs(after - before) < before * _CACHE_STEP:
        yield (
            f"FSx changes a read cache by at least 10 %, which from {before:,.0f} to {after:,.0f} GiB is not (FSx for "
            "Lustre user guide, Managing provisioned SSD read cache)"
        )


def _iops(properties: Mapping[str, Any]) -> float | None:
    """Returns how many metadata IOPS a file system has; None where they are not published.

    Source: FSx for Lustre user guide, "Managing metadata performance": AUTOMATIC goes by the size of SSD.
    """
    if at(properties, (*_METADATA, "Mode")) != "AUTOMATIC":
        return _number(at(properties, (*_METADATA, "Iops")))
    gib = _number(at(properties, ("StorageCapacity",)))
    kind = at(properties, ("LustreConfiguration", "DeploymentType"))
    if gib is None or not isinstance(kind, str) or at(properties, ("StorageType",)) not in (ABSENT, "SSD"):
        return None
    made = FileSystem(deployment_type=kind, storage_type="SSD", storage_gib=int(gib), throughput_mbps_per_tib=0)
    return made.metadata_iops


def _number(value: Any) -> float | None:
    """Returns a number, as a number or as text; None for what is none, or not known before the deploy."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
