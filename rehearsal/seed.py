"""Puts what stands already into the embedded AWS, under the very ids that somebody names: a network, storage.

EC2's API makes up the ids of what it creates, so the records are made as moto's own constructors make them and are put
into the account's backend, as ``rehearsal.nodes`` does with interfaces. A network is given as JSON::

    {"account": "111122223333", "region": "us-east-2", "vpc_id": "vpc-…", "cidr": "10.40.0.0/16",
     "subnets": [{"subnet_id": "subnet-…", "route_table_id": "rtb-…", "availability_zone_id": "use2-az3",
                  "cidr": "10.40.0.0/20", "public": false}],
     "way_out": true}

Storage stands beside it, or without it, as ``rehearsal.seed_storage`` reads it, and Capacity Blocks that were bought::

    {"account": ..., "region": ..., "blocks": [{"capacity_reservation_id": "cr-…", "starts_at": "2027-09-06T11:30:00Z",
     "ends_at": "2027-09-13T11:30:00Z", "instance_type": "trn2.48xlarge", "instance_count": 16,
     "availability_zone_id": "use2-az3"}]}
"""

import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.route_tables import RouteTable
from moto.ec2.models.subnets import Subnet
from moto.ec2.models.vpcs import VPC

from rehearsal.overlays.ec2.reservations import give_block
from rehearsal.seed_storage import seed_bucket, seed_file_system

_EVERYWHERE = "0.0.0.0/0"


class SeedError(ValueError):
    """A network can't stand in the embedded AWS; the message says why."""


def seed_file(file: Path) -> None:
    """Puts the network, the storage and the Capacity Blocks of a JSON file into the AWS of this process.

    Raises:
        SeedError: A zone is not one of the region's.
    """
    facts = json.loads(file.read_text(encoding="utf-8"))
    account, region = facts["account"], facts["region"]
    if "vpc_id" in facts:
        seed(facts, account=account, region=region)
    for bucket in facts.get("buckets", ()):
        seed_bucket(bucket, account=account)
    for block in facts.get("blocks", ()):
        give_block(
            account,
            region,
            block["capacity_reservation_id"],
            starts_at=dt.datetime.fromisoformat(block["starts_at"]),
            ends_at=dt.datetime.fromisoformat(block["ends_at"]),
            instance_type=block["instance_type"],
            instance_count=block["instance_count"],
            availability_zone_id=block["availability_zone_id"],
        )
    if facts.get("file_system"):
        seed_file_system(facts["file_system"], account=account, region=region)


def seed(facts: Mapping[str, Any], *, account: str, region: str) -> None:
    """Puts a network into the AWS of this process.

    Args:
        facts: ``vpc_id``, ``cidr`` and ``subnets``, each with ``subnet_id``, ``route_table_id``,
            ``availability_zone_id``, ``cidr`` and ``public``; and ``way_out``, whether something leads out of the
            private ones, which is then a transit gateway.
        account: The account that owns it.
        region: The region that it is in.

    Raises:
        SeedError: A zone is not one of the region's.
    """
    backend = ec2_backends[account][region]
    vpc_id = facts["vpc_id"]
    vpc = VPC(backend, vpc_id, facts["cidr"], is_default=False)  # type: ignore[abstract]  # CloudFormation's, and unused
    vpc.enable_dns_hostnames = True
    backend.vpcs[vpc_id] = vpc
    # What AWS gives every VPC of itself.
    backend.create_route_table(vpc_id, main=True)
    backend.create_network_acl(vpc_id, default=True)
    backend.create_security_group("default", "default VPC security group", vpc_id=vpc_id, is_default=True)
    for subnet in facts["subnets"]:
        _add_subnet(backend, vpc_id, subnet)
    tables = {each["route_table_id"]: each["public"] for each in facts["subnets"]}
    _lead_to_the_internet(backend, vpc_id, {table_id: None for table_id, public in tables.items() if public})
    if facts.get("way_out"):
        transit = backend.create_transit_gateway("leads out of the network")
        for table_id in (table_id for table_id, public in tables.items() if not public):
            backend.create_route(table_id, _EVERYWHERE, transit_gateway_id=transit.id)


def _add_subnet(backend: Any, vpc_id: str, facts: Mapping[str, Any]) -> None:
    zones = {zone.zone_id: zone for zone in backend.describe_availability_zones()}
    zone = zones.get(facts["availability_zone_id"])
    if zone is None:
        raise SeedError(f"{facts['availability_zone_id']} is not one of {', '.join(sorted(zones))}")
    subnet_id, table_id = facts["subnet_id"], facts["route_table_id"]
    subnet = Subnet(  # type: ignore[abstract]
        backend, subnet_id, vpc_id, facts["cidr"], None, zone, default_for_az=False, map_public_ip_on_launch=False
    )
    backend.subnets[zone.name][subnet_id] = subnet
    backend.associate_default_network_acl_with_subnet(subnet_id, vpc_id)
    if table_id not in backend.route_tables:
        backend.route_tables[table_id] = RouteTable(backend, table_id, vpc_id)  # type: ignore[abstract]
        backend.create_route(table_id, backend.get_vpc(vpc_id).cidr_block, local=True)
    backend.associate_route_table(table_id, subnet_id=subnet_id)


def _lead_to_the_internet(backend: Any, vpc_id: str, table_ids: Mapping[str, Any]) -> None:
    if table_ids:
        gateway = backend.create_internet_gateway()
        backend.attach_internet_gateway(gateway.id, vpc_id)
        for table_id in table_ids:
            backend.create_route(table_id, _EVERYWHERE, gateway_id=gateway.id)
