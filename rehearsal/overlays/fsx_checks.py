"""What FSx refuses of a Lustre file system, before it makes one.

Source: FSx API reference, CreateFileSystem and CreateFileSystemLustreConfiguration; FSx for Lustre user guide,
"Creating an FSx for Lustre file system fails" and "Working with EFA-enabled file systems".
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError
from trnstack.layout.lustre import (
    EFA_STEPS_GIB,
    HDD_STEPS_GIB,
    SMALL_TIERING_MBPS,
    SMALLEST_SSD_GIB,
    SSD_STEP_GIB,
    THROUGHPUTS,
    TIERING_STEP_MBPS,
)

_STORAGE_TYPES = {
    "SCRATCH_1": ("SSD",),
    "SCRATCH_2": ("SSD",),
    "PERSISTENT_1": ("SSD", "HDD"),
    "PERSISTENT_2": ("SSD", "INTELLIGENT_TIERING"),
}
_TIERING = "INTELLIGENT_TIERING"
_LOG_PREFIX = "/aws/fsx"
_EFA_REFUSED = (
    "Insufficient security group permissions to create an EFA-enabled file system. "
    "Update security group to allow all internal inbound and outbound traffic."
)


def check_lustre(request: Mapping[str, Any]) -> None:
    """Refuses settings that do not go together.

    Raises:
        OverlayError: FSx's ``BadRequest``.
    """
    for refused in _refusals(request, request.get("LustreConfiguration", {})):
        raise OverlayError("BadRequest", refused)


def check_efa_groups(network: Any, request: Mapping[str, Any]) -> None:
    """Refuses a file system with EFA whose security groups do not let all traffic in and out of themselves.

    Raises:
        OverlayError: FSx's ``BadRequest``, in the words of its user guide.
    """
    if not request.get("LustreConfiguration", {}).get("EfaEnabled"):
        return
    groups = [network.get_security_group_from_id(group_id) for group_id in request.get("SecurityGroupIds", [])]
    if not any(_passes(group.ingress_rules, group.id) and _passes(group.egress_rules, group.id) for group in groups):
        raise OverlayError("BadRequest", _EFA_REFUSED)


def check_backup(file_system: Any) -> None:
    """Refuses a backup of a file system that has none.

    Raises:
        OverlayError: FSx's ``BadRequest``.

    Source: FSx API reference, CreateBackup: of persistent ones that are not linked to a data repository.
    """
    deployment = file_system.lustre_configuration.get("DeploymentType", "")
    if file_system.associations or not deployment.startswith("PERSISTENT"):
        raise OverlayError("BadRequest", "Backups are not supported for the file system")


def check_log(logs: Any, request: Mapping[str, Any]) -> None:
    """Refuses a log whose group does not stand, or is not one of FSx's.

    Raises:
        OverlayError: FSx's ``BadRequest``.
    """
    destination = request.get("LustreConfiguration", {}).get("LogConfiguration", {}).get("Destination")
    if destination is None:
        return
    name = destination.partition(":log-group:")[2].partition(":")[0]
    if not name.startswith(_LOG_PREFIX):
        raise OverlayError("BadRequest", f"The log group's name must begin with {_LOG_PREFIX}")
    if name not in logs.groups:
        raise OverlayError("BadRequest", f"The log group {name} does not exist")


def _passes(rules: Iterable[Any], group_id: str) -> bool:
    """Says whether a rule lets all traffic pass by the group's id; a range of addresses does not count."""
    return any(rule.ip_protocol == "-1" and rule.source_group.get("GroupId") == group_id for rule in rules)


def _refusals(request: Mapping[str, Any], lustre: Mapping[str, Any]) -> Iterable[str]:
    deployment, storage = lustre.get("DeploymentType", "SCRATCH_1"), request.get("StorageType", "SSD")
    if storage not in _STORAGE_TYPES[deployment]:
        yield f"StorageType {storage} is not supported for DeploymentType {deployment}"
    yield from _throughput(deployment, storage, lustre)
    yield from _capacity(request.get("StorageCapacity"), storage, lustre)
    if deployment.startswith("SCRATCH"):
        if request.get("KmsKeyId"):
            yield f"KmsKeyId is not supported for DeploymentType {deployment}"
        if lustre.get("AutomaticBackupRetentionDays"):
            yield f"Backups are not supported for DeploymentType {deployment}"
    if deployment != "PERSISTENT_2" and "MetadataConfiguration" in lustre:
        yield "MetadataConfiguration is only supported for DeploymentType PERSISTENT_2"
    if lustre.get("EfaEnabled") and "MetadataConfiguration" not in lustre:
        yield "EfaEnabled is only supported for DeploymentType PERSISTENT_2 with a MetadataConfiguration"
    if (storage == "HDD") is not ("DriveCacheType" in lustre):
        yield "DriveCacheType is required with StorageType HDD, and supported with no other"


def _throughput(deployment: str, storage: str, lustre: Mapping[str, Any]) -> Iterable[str]:
    offered = THROUGHPUTS.get((deployment, storage))
    rate, whole = lustre.get("PerUnitStorageThroughput"), lustre.get("ThroughputCapacity")
    if offered and rate not in offered:
        yield f"PerUnitStorageThroughput must be one of {', '.join(map(str, offered))}"
    if not offered and rate is not None:
        yield f"PerUnitStorageThroughput is not supported for {deployment} with {storage}"
    if storage != _TIERING:
        if whole is not None or "DataReadCacheConfiguration" in lustre:
            yield f"ThroughputCapacity and DataReadCacheConfiguration are not supported with {storage}"
        return
    small = () if lustre.get("EfaEnabled") else SMALL_TIERING_MBPS
    if whole is None or (whole % TIERING_STEP_MBPS and whole not in small):
        yield f"ThroughputCapacity {whole} is not supported"
    if "DataReadCacheConfiguration" not in lustre or "MetadataConfiguration" not in lustre:
        yield f"DataReadCacheConfiguration and MetadataConfiguration are required with {storage}"


def _capacity(gib: int | None, storage: str, lustre: Mapping[str, Any]) -> Iterable[str]:
    if storage == _TIERING:
        if gib is not None:
            yield f"StorageCapacity is not supported with {storage}"
        return
    rate = lustre.get("PerUnitStorageThroughput", 0)
    step = HDD_STEPS_GIB.get(rate, 1) if storage == "HDD" else SSD_STEP_GIB
    if lustre.get("EfaEnabled"):
        step = EFA_STEPS_GIB.get(rate, 1)
    smallest = () if lustre.get("EfaEnabled") or storage == "HDD" else (SMALLEST_SSD_GIB,)
    if not gib or (gib % step and gib not in smallest):
        yield f"StorageCapacity {gib} is not supported: it is a multiple of {step}"
