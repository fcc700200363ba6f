"""What stays when nodes and cluster are gone, and what it costs a month."""

from collections.abc import Iterator

from trnstack.advice.teardown.model import Kept
from trnstack.catalog.storage_prices import KMS_KEY_USD_PER_MONTH, lustre_monthly_usd, s3_monthly_usd
from trnstack.plan.model import BucketPlan, LustrePlan, NodeGroupPlan, Plan

_TB = 10**12
_NOT_OURS = "no stack made it, and none deletes it"


def kept(plan: Plan) -> Iterator[Kept]:
    """Yields what stays: data first, then what it stands in, then what belongs to no stack."""
    yield from _file_system(plan)
    yield from _buckets(plan)
    yield Kept(
        what="2 KMS keys",
        stack=f"{plan.name}-storage",
        monthly_usd=2 * KMS_KEY_USD_PER_MONTH,
        note="more after each yearly rotation; without them nothing that they encrypted can be read",
    )
    yield _network(plan)
    for image in plan.images:
        regions = ", ".join(each.region for each in image.regions)
        note = "the AMI and its snapshot, by what it holds; the stack's deletion leaves them"
        yield Kept(what=f"image {image.name} in {regions}", stack="", monthly_usd=None, note=note)
    yield from _reservations(plan)


def _file_system(plan: Plan) -> Iterator[Kept]:
    lustre = plan.storage.lustre
    if isinstance(lustre, LustrePlan):
        size = f"{lustre.storage_gib:,} GiB" if lustre.storage_gib else "as large as what it holds"
        price = _lustre_usd(plan.region, lustre)
        note = "whatever it holds, and whoever uses it" if price is not None else "its region's price was not found"
        if not lustre.storage_gib:
            note = "by what it holds and by its throughput"
        yield Kept(
            what=f"file system, {lustre.deployment_type} {lustre.storage_type}, {size}",
            stack=f"{plan.name}-storage",
            monthly_usd=price,
            note=note,
        )
        if lustre.automatic_backup_retention_days:
            days = f"each for {lustre.automatic_backup_retention_days} days"
            lost = f"{days}, by what it holds more than the last; FSx deletes all of them with the file system"
            yield Kept(what="daily backups of the file system", stack="", monthly_usd=None, note=lost)
    elif lustre:
        yield Kept(what=f"file system {lustre.file_system_id}", stack="", monthly_usd=None, note=_NOT_OURS)


def _lustre_usd(region: str, lustre: LustrePlan) -> float | None:
    if lustre.storage_gib is None:
        return None
    return lustre_monthly_usd(
        region,
        deployment_type=lustre.deployment_type,
        storage_type=lustre.storage_type,
        storage_gib=lustre.storage_gib,
        throughput_mbps_per_tib=lustre.throughput_mbps_per_tib or 0,
    )


def _buckets(plan: Plan) -> Iterator[Kept]:
    checkpoints = plan.storage.checkpoints
    usd = s3_monthly_usd(plan.region, _TB)
    a_tb = f"by what it holds: {usd:,.2f} USD a TB" if usd is not None else "by what it holds; no price was found"
    if not isinstance(checkpoints, BucketPlan):
        yield Kept(what=f"bucket {checkpoints.name}", stack="", monthly_usd=None, note=f"{a_tb}; {_NOT_OURS}")
    else:
        stack = f"{plan.name}-storage"
        old = f", versions that were replaced or deleted for {checkpoints.noncurrent_expiration_days} days more"
        versions = old if checkpoints.versioned else ""
        yield Kept(what=f"bucket {checkpoints.name}", stack=stack, monthly_usd=None, note=f"{a_tb}{versions}")
        note = f"by what it holds; each entry for {checkpoints.access_log_expiration_days} days"
        yield Kept(what=f"bucket {checkpoints.access_log_name}", stack=stack, monthly_usd=None, note=note)
        copies = checkpoints.replication
        if copies:
            what = f"copies in {copies.bucket_name}, {copies.region}"
            yield Kept(what=what, stack="", monthly_usd=None, note=f"by what it holds; {_NOT_OURS}")
    for dataset in plan.storage.datasets:
        what = f"dataset {dataset.name} in {dataset.bucket_name}"
        yield Kept(what=what, stack="", monthly_usd=None, note=_NOT_OURS)


def _network(plan: Plan) -> Kept:
    network = plan.network
    gateways, endpoints = len(network.nat_gateway_zone_ids), len(network.interface_endpoints)
    zones = len(plan.cluster.subnets)
    billed = [
        *([f"{gateways} NAT gateway{_s(gateways)} with a public address"] if gateways else []),
        *([f"{endpoints} interface endpoint{_s(endpoints)} in {zones} zones each"] if endpoints else []),
    ]
    what = "security groups in your VPC" if network.existing_vpc else "VPC, subnets and security groups"
    note = f"by the hour, used or not: {', '.join(billed)}; no price here" if billed else "nothing in it is billed"
    return Kept(
        what=f"network: {what}",
        stack=f"{plan.name}-network",
        monthly_usd=None if billed else 0.0,
        note=note,
    )


def _reservations(plan: Plan) -> Iterator[Kept]:
    """Yields the reservations that nodes start in: they are billed without nodes too.

    Source: EC2 user guide, "On-Demand Capacity Reservations pricing and billing"; "Capacity Blocks for ML", pricing and
    billing: paid when they are bought, and never cancelled.
    """
    groups = {_reservation(group): group for group in plan.node_groups if _reservation(group)}
    for name, group in groups.items():
        block = group.capacity_type == "CAPACITY_BLOCK"
        cancel = f"aws ec2 cancel-capacity-reservation --region {plan.region} --capacity-reservation-id"
        note = (
            "paid for when it was bought; it ends by itself and can't be cancelled"
            if block
            else f"the On-Demand price of its {group.launch_template.instance_type}, nodes or not, until: {cancel} "
            f"{group.launch_template.capacity_reservation_id or 'ID'}"
        )
        yield Kept(what=f"capacity reservation {name}", stack="", monthly_usd=0.0 if block else None, note=note)


def _reservation(group: NodeGroupPlan) -> str:
    template = group.launch_template
    return template.capacity_reservation_id or template.capacity_reservation_resource_group_arn or ""


def _s(count: int) -> str:
    return "" if count == 1 else "s"
