"""What must hold of the Lustre file system's own figures: FSx offers them in steps, and not all of them together."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path
from trnstack.layout.lustre import (
    HDD_STEPS_GIB,
    SMALL_TIERING_MBPS,
    SMALLEST_SSD_GIB,
    SSD_STEP_GIB,
    THROUGHPUTS,
    TIERING_STEP_MBPS,
    FileSystem,
)
from trnstack.spec import Environment
from trnstack.spec.storage import Lustre

LUSTRE: Path = ("storage", "lustre")

_STORAGE_TYPES = {
    "SCRATCH_2": ("SSD",),
    "PERSISTENT_1": ("SSD", "HDD"),
    "PERSISTENT_2": ("SSD", "INTELLIGENT_TIERING"),
}
_METADATA_IOPS = {
    "SSD": (1500, 3000, 6000, *range(12_000, 192_001, 12_000)),
    "INTELLIGENT_TIERING": (6000, 12_000),
}


def new_file_system(environment: Environment) -> Lustre | None:
    """Returns the file system that the environment makes; None where it has none or adopts one."""
    lustre = environment.storage.lustre
    return lustre if lustre and lustre.existing_file_system is None else None


def _is_possible(lustre: Lustre) -> bool:
    return lustre.storage_type in _STORAGE_TYPES[lustre.deployment_type]


def neighbours(value: int, step: int) -> str:
    """Returns a hint at the multiples of a step on both sides of a value."""
    below = value // step * step
    return f"use {below} or {below + step}" if below else f"use {step}"


def lustre_capacity_is_offered(environment: Environment) -> Iterator[Finding]:
    """FSX001: SSD comes in 1200, 2400 and multiples of 2400 GiB, HDD in multiples that its throughput sets.

    Source: FSx API reference, CreateFileSystem, ``StorageCapacity``.
    """
    lustre = new_file_system(environment)
    if not lustre or not _is_possible(lustre):
        return
    gib, path = lustre.storage_gib, (*LUSTRE, "storage_gib")
    message = f"FSx for Lustre does not offer {gib} GiB of {lustre.storage_type}"
    if lustre.storage_type == "INTELLIGENT_TIERING":
        if "storage_gib" in lustre.model_fields_set:
            message = "storage_gib is not set with INTELLIGENT_TIERING, which grows with what it holds"
            yield Finding(code="FSX001", path=path, message=message, hint="remove storage_gib")
        return
    step = SSD_STEP_GIB if lustre.storage_type == "SSD" else HDD_STEPS_GIB.get(lustre.throughput_mbps_per_tib, 0)
    if not step or gib % step == 0 or (lustre.storage_type == "SSD" and gib == SMALLEST_SSD_GIB):
        return
    hint = neighbours(gib, step)
    if lustre.storage_type == "SSD" and gib < SSD_STEP_GIB:
        hint = f"use {SMALLEST_SSD_GIB}" + (f" or {SSD_STEP_GIB}" if gib > SMALLEST_SSD_GIB else "")
    yield Finding(code="FSX001", path=path, message=message, hint=hint)


def lustre_throughput_is_offered(environment: Environment) -> Iterator[Finding]:
    """FSX002: The throughput by size is one that the deployment and storage type have; some have no choice.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``PerUnitStorageThroughput``.
    """
    lustre = new_file_system(environment)
    if not lustre or not _is_possible(lustre):
        return
    kind = f"{lustre.deployment_type} {lustre.storage_type}"
    offered = THROUGHPUTS.get((lustre.deployment_type, lustre.storage_type))
    path = (*LUSTRE, "throughput_mbps_per_tib")
    if offered and lustre.throughput_mbps_per_tib not in offered:
        yield Finding(
            code="FSX002",
            path=path,
            message=f"{kind} does not offer {lustre.throughput_mbps_per_tib} MB/s per TiB",
            hint=f"use one of {', '.join(map(str, offered))}",
        )
    elif not offered and "throughput_mbps_per_tib" in lustre.model_fields_set:
        yield Finding(
            code="FSX002",
            path=path,
            message=f"throughput_mbps_per_tib can't be chosen with {kind}",
            hint="remove it" + ("" if lustre.storage_type == "SSD" else ", and write throughput_capacity_mbps"),
        )


def throughput_capacity_is_for_intelligent_tiering(environment: Environment) -> Iterator[Finding]:
    """FSX003: A throughput for the whole file system is set with INTELLIGENT_TIERING only.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``ThroughputCapacity``.
    """
    lustre = new_file_system(environment)
    if lustre and lustre.throughput_capacity_mbps and lustre.storage_type != "INTELLIGENT_TIERING":
        yield Finding(
            code="FSX003",
            path=(*LUSTRE, "throughput_capacity_mbps"),
            message=f"throughput_capacity_mbps is for INTELLIGENT_TIERING, not for {lustre.storage_type}",
            hint="remove it: throughput_mbps_per_tib and storage_gib decide",
        )


def throughput_capacity_is_offered(environment: Environment) -> Iterator[Finding]:
    """FSX004: INTELLIGENT_TIERING has a throughput of 1000, 2000 or a multiple of 4000 MB/s.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``ThroughputCapacity``.
    """
    lustre = new_file_system(environment)
    if not lustre or lustre.storage_type != "INTELLIGENT_TIERING":
        return
    mbps = lustre.throughput_capacity_mbps
    if mbps is None:
        message, hint = "INTELLIGENT_TIERING needs throughput_capacity_mbps", "add throughput_capacity_mbps: 4000"
    elif mbps % TIERING_STEP_MBPS and mbps not in SMALL_TIERING_MBPS:
        message = f"FSx for Lustre does not offer {mbps} MB/s of INTELLIGENT_TIERING"
        below = [each for each in SMALL_TIERING_MBPS if each < mbps < TIERING_STEP_MBPS][-1:]
        above = [each for each in (*SMALL_TIERING_MBPS, TIERING_STEP_MBPS) if each > mbps][:1]
        near = " or ".join(map(str, (*below, *above)))
        hint = f"use {near}" if above else neighbours(mbps, TIERING_STEP_MBPS)
    else:
        return
    yield Finding(code="FSX004", path=(*LUSTRE, "throughput_capacity_mbps"), message=message, hint=hint)


def _offered_iops(lustre: Lustre) -> tuple[int, ...]:
    return _METADATA_IOPS.get(lustre.storage_type, ()) if _is_possible(lustre) else ()


def _automatic_iops(lustre: Lustre) -> int | None:
    return FileSystem(
        deployment_type=lustre.deployment_type,
        storage_type=lustre.storage_type,
        storage_gib=lustre.storage_gib,
        throughput_mbps_per_tib=lustre.throughput_mbps_per_tib,
    ).metadata_iops


def metadata_iops_are_offered(environment: Environment) -> Iterator[Finding]:
    """FSX005: Metadata IOPS come in steps; with INTELLIGENT_TIERING they are never automatic.

    AWS's pages disagree about INTELLIGENT_TIERING: the newest API reference allows automatic ones and the steps of SSD,
    the user guide 6000 and 12000 alone. What both allow is what may be written.

    Source: FSx API reference, CreateFileSystemLustreMetadataConfiguration, ``Iops`` and ``Mode``; FSx for Lustre user
    guide, "Managing metadata performance".
    """
    lustre = new_file_system(environment)
    offered = _offered_iops(lustre) if lustre else ()
    if not lustre or not offered or lustre.deployment_type != "PERSISTENT_2":
        return
    iops, path = lustre.metadata_iops, (*LUSTRE, "metadata_iops")
    if iops is None and lustre.storage_type == "INTELLIGENT_TIERING":
        message = "metadata_iops can't be automatic with INTELLIGENT_TIERING"
        yield Finding(code="FSX005", path=path, message=message, hint="write metadata_iops: 6000 or 12000")
    elif iops is not None and iops not in offered:
        least = _automatic_iops(lustre) or 0
        below = [each for each in offered if least <= each < iops][-1:]
        above = [each for each in offered if each > iops and each >= least][:1]
        yield Finding(
            code="FSX005",
            path=path,
            message=f"FSx for Lustre does not offer {iops} metadata IOPS with {lustre.storage_type}",
            hint=f"use {' or '.join(map(str, (*below, *above)))}",
        )


def metadata_iops_are_not_below_the_automatic(environment: Environment) -> Iterator[Finding]:
    """FSX028: Metadata IOPS that are asked for are no fewer than those that come with the size.

    Source: FSx API reference, CreateFileSystemLustreMetadataConfiguration, ``Iops``.
    """
    lustre = new_file_system(environment)
    if not lustre or lustre.metadata_iops not in _offered_iops(lustre):
        return
    automatic = _automatic_iops(lustre)
    if automatic is not None and lustre.metadata_iops < automatic:
        yield Finding(
            code="FSX028",
            path=(*LUSTRE, "metadata_iops"),
            message=f"{lustre.metadata_iops} metadata IOPS are fewer than come with {lustre.storage_gib} GiB",
            hint=f"use {automatic} or more, or remove metadata_iops",
        )


def metadata_iops_are_for_persistent_2(environment: Environment) -> Iterator[Finding]:
    """FSX006: Metadata performance is set on PERSISTENT_2 only.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``MetadataConfiguration``.
    """
    lustre = new_file_system(environment)
    if lustre and lustre.metadata_iops is not None and lustre.deployment_type != "PERSISTENT_2":
        yield Finding(
            code="FSX006",
            path=(*LUSTRE, "metadata_iops"),
            message=f"metadata_iops is for PERSISTENT_2, not for {lustre.deployment_type}",
            hint="remove it, or write deployment_type: PERSISTENT_2",
        )


def storage_type_fits_the_deployment(environment: Environment) -> Iterator[Finding]:
    """FSX007: HDD is for PERSISTENT_1 only, INTELLIGENT_TIERING for PERSISTENT_2 only, SSD for all.

    Source: FSx API reference, CreateFileSystem, ``StorageType``.
    """
    lustre = new_file_system(environment)
    if lustre and not _is_possible(lustre):
        yield Finding(
            code="FSX007",
            path=(*LUSTRE, "storage_type"),
            message=f"{lustre.deployment_type} does not offer {lustre.storage_type}",
            hint=f"use {' or '.join(_STORAGE_TYPES[lustre.deployment_type])}",
        )


RULES = (
    lustre_capacity_is_offered,
    lustre_throughput_is_offered,
    throughput_capacity_is_for_intelligent_tiering,
    throughput_capacity_is_offered,
    metadata_iops_are_offered,
    metadata_iops_are_not_below_the_automatic,
    metadata_iops_are_for_persistent_2,
    storage_type_fits_the_deployment,
)
