"""Decides the network."""

from trnstack.layout.subnets import divide
from trnstack.plan.model import NetworkPlan
from trnstack.spec import Environment

#: With a NAT gateway everything can be reached, so endpoints are for what is heavy or sensitive: image pulls (several
#: GB for every node), credentials, logs, and Session Manager, the way in. S3 has a gateway endpoint of its own.
#: Source: Amazon EKS user guide, "Deploy private clusters with limited internet access" names what each is for.
ENDPOINTS_BESIDE_NAT = ("ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "logs", "ssm", "ssmmessages", "sts")


def network(environment: Environment) -> NetworkPlan:
    """Returns the VPC with everything in it decided."""
    section = environment.network
    zones = environment.availability_zone_ids
    endpoints = section.interface_endpoints
    return NetworkPlan(
        vpc_cidr=section.vpc_cidr,
        subnets=divide(section.vpc_cidr, zones),
        nat_gateway_zone_ids=zones[: section.nat_gateways],
        interface_endpoints=ENDPOINTS_BESIDE_NAT if isinstance(endpoints, str) else tuple(sorted(endpoints)),
        client_cidrs=section.client_cidrs,
        flow_logs=section.flow_logs,
        log_retention_days=environment.observability.log_retention_days,
    )
