"""The part of the plan that is the network."""

from dataclasses import dataclass

from trnstack.layout.subnets import Subnet


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointPlan:
    """A private endpoint of an AWS service.

    Attributes:
        service: The service's endpoint name, such as ``ecr.api``.
        reason: Who needs it, and what for.
    """

    service: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingSubnetPlan:
    """A subnet that stands already.

    Attributes:
        subnet_id, route_table_id: As EC2 names them.
        public: Whether its route table leads to an internet gateway.
        names: The names under which the environment uses it, such as ``nodes-use2-az3``; empty where it does not.
        reason: Why these, or why none.
    """

    subnet_id: str
    route_table_id: str
    availability_zone_id: str
    cidr: str
    public: bool
    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingVpcPlan:
    """A VPC that stands already, in which the environment makes security groups and endpoints and nothing else.

    Attributes:
        vpc_id: As EC2 names it.
        subnets: Every subnet that was given, in the order of the file.
        s3_route_table_ids: The route tables that get S3's gateway endpoint; empty where they have one.
    """

    vpc_id: str
    subnets: tuple[ExistingSubnetPlan, ...]
    s3_route_table_ids: tuple[str, ...]

    def subnet_id(self, name: str) -> str:
        """Returns the id of the subnet that serves a role in a zone, by the role's name."""
        return next(subnet.subnet_id for subnet in self.subnets if name in subnet.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressUse:
    """What takes addresses of a subnet.

    Attributes:
        subnet: The subnet's name.
        user: Who takes them, such as ``node group trn1``.
        addresses: How many at most.
        arithmetic: How the number comes about.
    """

    subnet: str
    user: str
    addresses: int
    arithmetic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """The VPC.

    Attributes:
        vpc_cidr: Its IPv4 range.
        subnets: Two or three for each zone, in the order of the zones: ``public`` ones only beside NAT gateways.
        nat_gateway_zone_ids: The zones whose public subnet has a NAT gateway. Other zones use the first one's.
        interface_endpoints: AWS services with a private endpoint in the system subnets.
        image_mirror: The registry and prefix from which images come; None for their own registries.
        client_cidrs: Networks that may reach the private API endpoint.
        flow_logs: Whether the VPC's traffic is logged.
        log_retention_days: How long that log is kept.
        address_uses: What takes addresses of the subnets, at its most.
        existing_vpc: The VPC, where it stands already; None for a new one.
    """

    vpc_cidr: str
    subnets: tuple[Subnet, ...]
    nat_gateway_zone_ids: tuple[str, ...]
    interface_endpoints: tuple[EndpointPlan, ...]
    image_mirror: str | None
    client_cidrs: tuple[str, ...]
    flow_logs: bool
    log_retention_days: int
    address_uses: tuple[AddressUse, ...]
    existing_vpc: ExistingVpcPlan | None

    def nat_gateway_zone_id(self, zone_id: str) -> str | None:
        """Returns the zone of the NAT gateway that a zone's private subnets go out by; None where there is none.

        A zone without a gateway of its own goes by the first zone's, where the accelerators are.
        """
        zones = self.nat_gateway_zone_ids
        return zone_id if zone_id in zones else next(iter(zones), None)
