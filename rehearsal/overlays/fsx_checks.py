"""What FSx refuses of a Lustre file system, before it makes one.

Source: FSx API reference, CreateFileSystem and CreateFileSystemLustreConfiguration; FSx for Lustre user guide,
"Creating an FSx for Lustre file system fails" and "Working with EFA-enabled file systems".
"""

from collections.abc import Collection, Iterable, Mapping
from ipaddress import ip_network
from typing import Any

from rehearsal.overlays.errors import OverlayError
from trnstack.layout.lustre import (
    EFA_STEPS_GIB,
    FIRST_SCRATCH_STEP_GIB,
    HDD_STEPS_GIB,
    LUSTRE_PORTS,
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
_FIRST_SCRATCH = "SCRATCH_1"
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


def check_ports(network: Any, request: Mapping[str, Any]) -> None:
    """Refuses security groups by which Lustre's servers don't reach each other.

    One of the groups must let in the first of Lustre's ports from one of them, or from addresses of the subnet. Nothing
    is said of the VPC's default group, which lets in everything from itself on AWS, and nothing in moto.

    Raises:
        OverlayError: FSx's ``InvalidNetworkSettings``.

    Source: FSx for Lustre user guide, "Cannot create a file system because of misconfigured security group", the words;
    aws/aws-parallelcluster issue 6181, the code; users whose rules let in clients alone, that a file system's own
    traffic counts.
    """
    groups = [network.get_security_group_from_id(group_id) for group_id in request.get("SecurityGroupIds", [])]
    cidr = str(network.get_subnet(request["SubnetIds"][0]).cidr_block)
    ids = {group.id for group in groups}
    if groups and not any(_lets_in(rule, ids, cidr) for group in groups for rule in group.ingress_rules):
        message = (
            "The file system cannot be created because the default security group in the subnet provided or the "
            f"provided security groups do not permit Lustre LNET network traffic on port {LUSTRE_PORTS[0][0]}"
        )
        raise OverlayError("InvalidNetworkSettings", message)


def check_paths(request: Mapping[str, Any]) -> str:
    """Refuses an association without a folder, or with one or a repository in another form; gives the folder.

    Raises:
        OverlayError: FSx's ``BadRequest``; the words are unconfirmed.

    Source: FSx API reference, CreateDataRepositoryAssociation, ``FileSystemPath`` and ``DataRepositoryPath``.
    """
    folder: str | None = request.get("FileSystemPath")
    if folder is None or not folder.startswith("/"):
        raise OverlayError("BadRequest", "FileSystemPath is required, and must start with a forward slash (/)")
    if not request["DataRepositoryPath"].startswith("s3://"):
        raise OverlayError("BadRequest", "DataRepositoryPath must have the format s3://bucket-name/prefix/")
    return folder


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


def _lets_in(rule: Any, group_ids: Collection[str], subnet_cidr: str) -> bool:
    """Says whether a rule lets Lustre's first port in from one of the groups, or from addresses of the subnet."""
    first, last = LUSTRE_PORTS[0]
    if rule.ip_protocol != "-1" and not (
        rule.ip_protocol in {"tcp", "6"} and int(rule.from_port) <= first and last <= int(rule.to_port)
    ):
        return False
    if rule.source_group:
        return rule.source_group.get("GroupId") in group_ids
    cidr = (rule.ip_range or {}).get("CidrIp")
    return cidr is None or ip_network(cidr, strict=False).overlaps(ip_network(subnet_cidr))


def _refusals(request: Mapping[str, Any], lustre: Mapping[str, Any]) -> Iterable[str]:
    deployment, storage = lustre.get("DeploymentType", _FIRST_SCRATCH), request.get("StorageType", "SSD")
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
    smallest: tuple[int, ...] = () if lustre.get("EfaEnabled") or storage == "HDD" else (SMALLEST_SSD_GIB,)
    if lustre.get("DeploymentType", _FIRST_SCRATCH) == _FIRST_SCRATCH and storage == "SSD":
        step, smallest = FIRST_SCRATCH_STEP_GIB, (SMALLEST_SSD_GIB, SSD_STEP_GIB)
    if not gib or (gib % step and gib not in smallest):
        yield f"StorageCapacity {gib} is not supported: it is a multiple of {step}"
