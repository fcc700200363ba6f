"""What one resource costs a month by list price, from what its template says of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trnstack.advice.impact.model import StackTemplate
from trnstack.advice.impact.schemas import at
from trnstack.advice.impact.symbols import Reference, shown
from trnstack.advice.impact.values import Values
from trnstack.catalog import INSTANCE_TYPES, SYSTEM_INSTANCE_TYPES
from trnstack.catalog.storage_prices import KMS_KEY_USD_PER_MONTH, lustre_monthly_usd, s3_monthly_usd

#: An average month, as AWS's own calculator takes it.
HOURS_A_MONTH = 730
#: What an environment adopts, by the outputs of its storage stack that name it.
ADOPTED = {"FileSystemId": "file system", "CheckpointBucket": "bucket"}
ADOPTED_TYPES = {"FileSystemId": "AWS::FSx::FileSystem", "CheckpointBucket": "AWS::S3::Bucket"}
_ON_DEMAND = "ON_DEMAND"
_TB = 10**12
#: What is billed by the hour or by use, and has no price in the catalog.
_NAMES = {
    "AWS::EC2::CapacityReservation": "capacity reservation",
    "AWS::EC2::EIP": "public address",
    "AWS::EC2::NatGateway": "NAT gateway",
    "AWS::EC2::Volume": "volume",
    "AWS::EKS::Cluster": "control plane",
    "AWS::ImageBuilder::Image": "image",
    "AWS::Logs::LogGroup": "log group",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a resource costs.

    Attributes:
        part: What it is counted with, such as ``nodes``.
        what: What it is.
        monthly_usd: Its list price; None where it is not known here.
        note: What is not in the price, or why there is none; empty where that needs no words.
    """

    part: str
    what: str
    monthly_usd: float | None = None
    note: str = ""


def price(values: Values, stack: StackTemplate, resource: Mapping[str, Any]) -> Price | None:
    """Returns what a resource costs a month; None of what costs nothing, or nothing by itself.

    Args:
        values: The side that it is of.
        stack: Its stack.
        resource: What its template says of it.
    """
    kind = str(resource.get("Type", ""))
    properties = _mapping(values.of(resource.get("Properties"), stack))
    region = values.side.region
    if kind == "AWS::EKS::Nodegroup":
        return _nodes(values, stack, properties)
    if kind == "AWS::FSx::FileSystem":
        return _file_system(region, properties)
    if kind == "AWS::S3::Bucket":
        return _bucket(region, properties)
    if kind == "AWS::KMS::Key":
        return Price(part="keys", what="KMS key", monthly_usd=KMS_KEY_USD_PER_MONTH)
    if kind == "AWS::EC2::VPCEndpoint":
        by_hour = properties.get("VpcEndpointType") == "Interface"
        return Price(part="network", what="interface endpoint") if by_hour else None
    return Price(part="others", what=_NAMES[kind]) if kind in _NAMES else None


def _nodes(values: Values, stack: StackTemplate, group: Mapping[str, Any]) -> Price:
    """Source: ``trnstack.catalog``: Linux On-Demand in us-east-1, of the desired number of nodes."""
    name = shown(group.get("NodegroupName", "a node group"))
    found = _node_price(values, stack, group)
    if isinstance(found, str):
        return Price(part="nodes", what=name, note=found)
    return Price(part="nodes", what=f"node group {name}", monthly_usd=found)


def _node_price(values: Values, stack: StackTemplate, group: Mapping[str, Any]) -> float | str:
    """Returns what a node group costs a month, or why that is not known."""
    kinds = list(_types(values, stack, group))
    if len(kinds) != 1:
        return "its instance type is not known before the deploy"
    row = INSTANCE_TYPES.get(kinds[0]) or SYSTEM_INSTANCE_TYPES.get(kinds[0])
    hourly = row.on_demand_usd_per_hour if row else None
    capacity = group.get("CapacityType", _ON_DEMAND)
    if capacity != _ON_DEMAND:
        return f"{kinds[0]} as {capacity} has no list price"
    if hourly is None:
        return f"{kinds[0]} has no on-demand list price"
    desired = _mapping(group.get("ScalingConfig")).get("DesiredSize", 1)
    if not str(desired).isdigit():
        return "its number of nodes is not known before the deploy"
    return hourly * int(desired) * HOURS_A_MONTH


def _types(values: Values, stack: StackTemplate, group: Mapping[str, Any]) -> Iterator[str]:
    """Yields the instance types of a node group: its own, or its launch template's."""
    template = group.get("LaunchTemplate")
    reference = template.get("Id") if isinstance(template, Mapping) else None
    if isinstance(reference, Reference) and reference.stack == stack.name:
        made = values.resources(stack).get(reference.logical_id, {})
        data = _mapping(_mapping(values.of(made.get("Properties"), stack)).get("LaunchTemplateData"))
        if isinstance(data.get("InstanceType"), str):
            yield data["InstanceType"]
    own = group.get("InstanceTypes")
    yield from (kind for kind in (own if isinstance(own, list) else ()) if isinstance(kind, str))


def _file_system(region: str, properties: Mapping[str, Any]) -> Price:
    """Source: ``trnstack.catalog.storage_prices``; backups and further metadata IOPS are billed apart."""
    kind, storage = (at(properties, path) for path in (("LustreConfiguration", "DeploymentType"), ("StorageType",)))
    storage = storage if isinstance(storage, str) else "SSD"
    gib, rate = (
        _whole(at(properties, path))
        for path in (("StorageCapacity",), ("LustreConfiguration", "PerUnitStorageThroughput"))
    )
    size = f", {gib:,} GiB" if gib else ""
    what = f"file system {shown(kind) if isinstance(kind, str) else 'of unknown type'} {storage}{size}"
    if storage == "INTELLIGENT_TIERING":
        return Price(part="file system", what=what, note="billed by what it holds and by its throughput")
    usd = None
    if isinstance(kind, str) and gib:
        usd = lustre_monthly_usd(
            region, deployment_type=kind, storage_type=storage, storage_gib=gib, throughput_mbps_per_tib=rate or 0
        )
    notes = [] if usd is not None else [f"its price in {region} was not found"]
    if at(properties, ("LustreConfiguration", "MetadataConfiguration", "Mode")) == "USER_PROVISIONED":
        notes.append("metadata IOPS beyond those that come with its size are billed apart, and not counted")
    if (_whole(at(properties, ("LustreConfiguration", "AutomaticBackupRetentionDays"))) or 0) > 0:
        notes.append("backups are billed apart by what they hold")
    return Price(part="file system", what=what, monthly_usd=usd, note="; ".join(notes))


def of_adopted(output: str, region: str) -> str:
    """Returns why what is adopted has no price, by the output that names it."""
    return "what it is stands in no template" if output == "FileSystemId" else _by_size(region)


def _bucket(region: str, properties: Mapping[str, Any]) -> Price:
    return Price(part="buckets", what=f"bucket {_name(properties.get('BucketName'))}", note=_by_size(region))


def _by_size(region: str) -> str:
    usd = s3_monthly_usd(region, _TB)
    a_tb = f"{usd:,.2f} USD a TB" if usd is not None else f"its price in {region} was not found"
    return f"billed by what it holds: {a_tb}"


def _name(name: Any) -> str:
    """Returns a bucket's name, in which ``ACCOUNT`` stands for what is not known."""
    return shown(name).replace("${AWS::AccountId}", "ACCOUNT") if name is not None else "of no fixed name"


def _whole(value: Any) -> int | None:
    return int(value) if str(value).isdigit() else None


def _mapping(value: Any) -> Mapping[str, Any]:
    """Returns an object; an empty one for what is none, as in templates that were edited by hand."""
    return value if isinstance(value, Mapping) else {}
