"""Decides the network."""

from collections.abc import Iterator

from trnstack.layout.existing_subnets import Assignment
from trnstack.plan.addresses import address_uses
from trnstack.plan.endpoints import interface_endpoints
from trnstack.plan.model import Decision, ExistingSubnetPlan, ExistingVpcPlan, NetworkPlan
from trnstack.plan.vpc import assignments_of, is_fully_private, subnets_of, vpc_cidr_of
from trnstack.spec import Environment
from trnstack.spec.network import ExistingSubnet, ExistingVpc


def network(environment: Environment) -> NetworkPlan:
    """Returns the VPC with everything in it decided."""
    section = environment.network
    zones = environment.availability_zone_ids
    existing = section.existing_vpc
    return NetworkPlan(
        vpc_cidr=vpc_cidr_of(environment),
        subnets=subnets_of(environment),
        nat_gateway_zone_ids=() if existing else zones[: section.nat_gateways],
        interface_endpoints=interface_endpoints(environment),
        image_mirror=section.image_mirror,
        client_cidrs=section.client_cidrs,
        flow_logs=section.flow_logs and not existing,
        log_retention_days=environment.observability.log_retention_days,
        address_uses=tuple(address_uses(environment)),
        existing_vpc=_existing(existing, assignments_of(environment)) if existing else None,
    )


def _existing(existing: ExistingVpc, assignments: tuple[Assignment, ...]) -> ExistingVpcPlan:
    subnets = tuple(_existing_subnet(subnet, assignments) for subnet in existing.subnets)
    used = dict.fromkeys(subnet.route_table_id for subnet in subnets if subnet.names)
    return ExistingVpcPlan(
        vpc_id=existing.vpc_id,
        subnets=subnets,
        s3_route_table_ids=tuple(used) if existing.s3_gateway_endpoint else (),
    )


def _existing_subnet(subnet: ExistingSubnet, assignments: tuple[Assignment, ...]) -> ExistingSubnetPlan:
    roles = [each for each in assignments if each.given.subnet_id == subnet.subnet_id]
    return ExistingSubnetPlan(
        subnet_id=subnet.subnet_id,
        route_table_id=subnet.route_table_id,
        availability_zone_id=subnet.availability_zone_id,
        cidr=subnet.cidr,
        public=subnet.public,
        names=tuple(each.subnet.name for each in roles),
        reason="; ".join(dict.fromkeys(each.reason for each in roles)) or _unused(subnet),
    )


def _unused(subnet: ExistingSubnet) -> str:
    return (
        "public subnets are not used" if subnet.public else "other subnets of its zone serve, or none is wanted there"
    )


def network_decisions(environment: Environment) -> Iterator[Decision]:
    """Yields what was decided of the network, with reasons."""
    if environment.network.existing_vpc:
        yield Decision(
            path="network.existing_vpc",
            value="security groups and endpoints, and nothing else",
            reason="the VPC, its subnets, routes and flow logs are their owner's",
        )
    else:
        nodes = next(subnet for subnet in subnets_of(environment) if subnet.role == "nodes")
        yield Decision(
            path="network.subnets",
            value=f"{nodes.addresses:,} addresses for the nodes of each zone",
            reason="a subnet's range can't change, so it is the same for few nodes and many: growing replaces nothing",
        )
    if environment.network.interface_endpoints == "auto":
        private = is_fully_private(environment)
        yield Decision(
            path="network.interface_endpoints",
            value="for everything that the cluster reaches"
            if private
            else "for images, credentials, logs and Session Manager",
            reason="no public registry or API is within reach"
            if private
            else "image pulls of a whole fleet cost less through an endpoint than through a NAT gateway",
        )
