"""What stands before the first deploy of a rehearsal: what others made, and Capacity Blocks that were bought."""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trnstack.layout.block_times import SCALE_DOWN_LEAD, TERMINATION
from trnstack.plan import Plan
from trnstack.plan.model import BlockPlan, BucketPlan, ExistingLustrePlan

#: A file system that is adopted has some size, which the plan need not know.
_STORAGE_GIB = 4800
#: A block whose nodes are started by hand has begun some time ago, and when the plan need not know.
_LONG_AGO = dt.timedelta(days=365)


def server_options(plan: Plan, *, account: str, folder: Path) -> tuple[str, ...]:
    """Returns the server's arguments under which everything stands that the environment names and does not make.

    Args:
        plan: The environment's plan.
        account: The account that is deployed to.
        folder: A folder of the rehearsal's own, for the file that describes it.
    """
    facts = {**_network(plan), **_storage(plan), **_blocks(plan)}
    if not facts:
        return ()
    file = folder / "standing.json"
    file.write_text(json.dumps({"account": account, "region": plan.region, **facts}), encoding="utf-8")
    return ("--seed", str(file))


def _blocks(plan: Plan) -> Mapping[str, Any]:
    """Gives the Capacity Blocks that the environment names, which people buy before they deploy."""
    found = [
        {
            "capacity_reservation_id": block.capacity_reservation_id,
            **_span(block),
            "instance_type": group.launch_template.instance_type,
            "instance_count": block.node_count + block.unused_instances,
            "availability_zone_id": group.availability_zone_ids[0],
        }
        for group in plan.node_groups
        if (block := group.block) and block.capacity_reservation_id
    ]
    return {"blocks": found} if found else {}


def _span(block: BlockPlan) -> Mapping[str, str]:
    """Gives when a block starts and ends, by its schedules; without one for its start it has started already."""
    at = {one.desired_size: dt.datetime.fromisoformat(f"{one.at}Z") for one in block.schedules if one.target == "nodes"}
    ends_at = at.pop(0) + SCALE_DOWN_LEAD + TERMINATION
    starts_at = next(iter(at.values()), ends_at - _LONG_AGO)
    return {"starts_at": starts_at.isoformat(), "ends_at": ends_at.isoformat()}


def _network(plan: Plan) -> Mapping[str, Any]:
    existing = plan.network.existing_vpc
    if existing is None:
        return {}
    return {
        "vpc_id": existing.vpc_id,
        "cidr": plan.network.vpc_cidr,
        # As trnstack takes it: images come from a mirror where public registries are out of reach.
        "way_out": plan.network.image_mirror is None,
        "subnets": [
            {
                "subnet_id": subnet.subnet_id,
                "route_table_id": subnet.route_table_id,
                "availability_zone_id": subnet.availability_zone_id,
                "cidr": subnet.cidr,
                "public": subnet.public,
            }
            for subnet in existing.subnets
        ],
    }


def _storage(plan: Plan) -> Mapping[str, Any]:
    buckets = {bucket["name"]: bucket for bucket in _buckets(plan)}
    facts: dict[str, Any] = {"buckets": list(buckets.values())} if buckets else {}
    lustre, existing = plan.storage.lustre, plan.network.existing_vpc
    if isinstance(lustre, ExistingLustrePlan) and existing:
        facts["file_system"] = {
            "file_system_id": lustre.file_system_id,
            "mount_name": lustre.mount_name,
            "security_group_id": lustre.security_group_id,
            "subnet_id": existing.subnets[0].subnet_id,
            "storage_gib": _STORAGE_GIB,
        }
    return facts


def _buckets(plan: Plan) -> Iterator[Mapping[str, Any]]:
    checkpoints = plan.storage.checkpoints
    if not isinstance(checkpoints, BucketPlan):
        yield {"name": checkpoints.name, "region": plan.region, "versioned": True, "locked": False}
    elif checkpoints.replication:
        copies, locked = checkpoints.replication, checkpoints.object_lock is not None
        yield {"name": copies.bucket_name, "region": copies.region, "versioned": True, "locked": locked}
    for dataset in plan.storage.datasets:
        yield {"name": dataset.bucket_name, "region": plan.region, "versioned": False, "locked": False}
