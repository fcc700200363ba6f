"""The ``network`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import Cidr, Section, ZoneId

VpcId = Annotated[str, StringConstraints(pattern=r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$")]
SubnetId = Annotated[str, StringConstraints(pattern=r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$")]
RouteTableId = Annotated[str, StringConstraints(pattern=r"^rtb-([0-9a-f]{8}|[0-9a-f]{17})$")]
ServiceName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
ImageMirror = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9]{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$"
    ),
]


class ExistingSubnet(Section):
    """One subnet of a network that stands already."""

    subnet_id: Annotated[SubnetId, Field(description="The subnet's id")]
    route_table_id: Annotated[RouteTableId, Field(description="The id of its route table")]
    availability_zone_id: Annotated[ZoneId, Field(description="The zone that it is in")]
    cidr: Annotated[Cidr, Field(description="Its IPv4 range")]
    public: Annotated[bool, Field(description="Whether its route table leads to an internet gateway; never used then")]
    role: Annotated[
        Literal["nodes", "system"] | None,
        Field(
            description="nodes: nodes and file system; system: control plane, system nodes, endpoints; null: by size"
        ),
    ] = None


class ExistingVpc(Section):
    """A network that stands already, given as facts: synthesis looks nothing up."""

    vpc_id: Annotated[VpcId, Field(description="The VPC's id")]
    cidr: Annotated[Cidr, Field(description="Its IPv4 range")]
    subnets: Annotated[tuple[ExistingSubnet, ...], Field(min_length=1, description="The subnets to use")]
    s3_gateway_endpoint: Annotated[
        bool, Field(description="Whether to add S3's gateway endpoint to the route tables; false where they have one")
    ] = True


class Network(Section):
    """The VPC and the ways in and out of it."""

    vpc_cidr: Annotated[Cidr, Field(description="The VPC's IPv4 range")] = "10.0.0.0/16"
    nat_gateways: Annotated[int, Field(ge=0, le=6, description="How many zones have a way out; 0 is fully private")] = 1
    interface_endpoints: Annotated[
        Literal["auto"] | tuple[ServiceName, ...],
        Field(description="`auto`, or the AWS services that get a private endpoint (ecr.api, sts, ...)"),
    ] = "auto"
    image_mirror: Annotated[
        ImageMirror | None, Field(description="An ECR registry and prefix that holds the lock's images")
    ] = None
    client_cidrs: Annotated[
        tuple[Cidr, ...], Field(description="Networks (VPN, office) that may reach a private API endpoint")
    ] = ()
    flow_logs: Annotated[bool, Field(description="Whether the VPC's traffic is logged")] = True
    existing_vpc: Annotated[
        ExistingVpc | None, Field(description="A network that stands already, given as facts; null: a new one")
    ] = None
