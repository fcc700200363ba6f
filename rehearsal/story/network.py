"""The network of a rehearsal: whether it stands as planned."""

from collections.abc import Iterator

from rehearsal.survey.records import Survey, Vpc
from trnstack.plan import Plan
from trnstack.plan.model import NetworkPlan


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
