"""The network of a rehearsal: what stands before the first deploy, and whether it stands as planned after it."""

import json
from collections.abc import Iterator
from pathlib import Path

from rehearsal.survey.records import Survey, Vpc
from trnstack.plan import Plan
from trnstack.plan.model import NetworkPlan


def server_options(plan: Plan, *, account: str, folder: Path) -> tuple[str, ...]:
    """Returns the server's arguments under which an existing VPC stands; none where the environment makes its own.

    Args:
        plan: The environment's plan.
        account: The account that is deployed to.
        folder: A folder of the rehearsal's own, for the file that describes the VPC.
    """
    existing = plan.network.existing_vpc
    if existing is None:
        return ()
    facts = {
        "account": account,
        "region": plan.region,
        "vpc_id": existing.vpc_id,
        "cidr": plan.network.vpc_cidr,
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
    file = folder / "existing-vpc.json"
    file.write_text(json.dumps(facts), encoding="utf-8")
    return ("--seed", str(file))


def network_differently(plan: Plan, found: Survey) -> Iterator[str]:
    """Yields a sentence for everything of the network that does not stand as the plan says."""
    network = plan.network
    existing = network.existing_vpc
    vpcs = {vpc.vpc_id if existing else vpc.name: vpc for vpc in found.vpcs}
    wanted = existing.vpc_id if existing else plan.name
    if wanted not in vpcs:
        yield f"there is no VPC {wanted}"
        return
    vpc = vpcs[wanted]
    is_, should = _standing(vpc), _planned(network)
    for what, value in should.items():
        if is_[what] != value:
            yield f"VPC {wanted}: {what} should be {value}, is {is_[what]}"


def _standing(vpc: Vpc) -> dict[str, object]:
    return {
        "range": vpc.cidr,
        "subnets": sorted((subnet.cidr, subnet.zone_id, subnet.public) for subnet in vpc.subnets),
        "NAT gateways": sorted(gateway.zone_id for gateway in vpc.nat_gateways),
        "endpoints": sorted(endpoint.service for endpoint in vpc.endpoints),
        "flow logs": len(vpc.flow_logs),
    }


def _planned(network: NetworkPlan) -> dict[str, object]:
    existing = network.existing_vpc
    if existing:
        subnets = [(each.cidr, each.availability_zone_id, each.public) for each in existing.subnets]
        gateway_endpoints = ["s3"] if existing.s3_route_table_ids else []
    else:
        subnets = [(each.cidr, each.availability_zone_id, each.role == "public") for each in network.subnets]
        gateway_endpoints = ["s3"]
    return {
        "range": network.vpc_cidr,
        "subnets": sorted(subnets),
        "NAT gateways": sorted(network.nat_gateway_zone_ids),
        "endpoints": sorted([*gateway_endpoints, *(endpoint.service for endpoint in network.interface_endpoints)]),
        "flow logs": int(network.flow_logs),
    }
