"""The ``eks`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import Cidr, RoleArn, Section

KubernetesVersion = Annotated[str, StringConstraints(pattern=r"^1\.[0-9]{2}$")]
InstanceTypeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{2,16}\.[a-z0-9-]{2,16}$")]


class SystemNodeGroup(Section):
    """The few nodes that run the cluster's own controllers."""

    instance_type: Annotated[InstanceTypeName, Field(description="An x86 instance type of fixed performance")] = (
        "m7i.large"
    )
    min_count: Annotated[int, Field(ge=1, le=100, description="The fewest system nodes")] = 2
    max_count: Annotated[int, Field(ge=1, le=100, description="The most system nodes")] = 4


class Eks(Section):
    """The Kubernetes control plane."""

    kubernetes_version: Annotated[KubernetesVersion, Field(description='A minor version in quotes, such as "1.35"')] = (
        "1.35"
    )
    support_type: Annotated[
        Literal["STANDARD", "EXTENDED"],
        Field(description="STANDARD: AWS upgrades when support ends. EXTENDED: it costs more instead"),
    ] = "STANDARD"
    endpoint_access: Annotated[
        Literal["private", "public_and_private"],
        Field(description="Whether the API endpoint can be reached from the Internet besides the VPC"),
    ] = "private"
    public_access_cidrs: Annotated[
        tuple[Cidr, ...], Field(description="Who may reach a public endpoint; required with public_and_private")
    ] = ()
    service_cidr: Annotated[
        Literal["auto"] | Cidr,
        Field(
            description="Where services' addresses come from; can't be changed later. auto: a range clear of the VPC"
        ),
    ] = "auto"
    admin_role_arns: Annotated[
        tuple[RoleArn, ...], Field(min_length=1, description="IAM roles that administer the cluster; at least one")
    ]
    trainer_role_arns: Annotated[
        tuple[RoleArn, ...], Field(description="IAM roles that may run jobs in the jobs' namespace, and nothing else")
    ] = ()
    viewer_role_arns: Annotated[
        tuple[RoleArn, ...], Field(description="IAM roles that may look at jobs, nodes and queues, and change nothing")
    ] = ()
    control_plane_logs: Annotated[
        tuple[Literal["api", "audit", "authenticator", "controllerManager", "scheduler"], ...],
        Field(description="The control plane's logs that are kept"),
    ] = (
        "api",
        "audit",
        "authenticator",
    )
    deletion_protection: Annotated[bool, Field(description="Whether EKS refuses to delete the cluster")] = True
    system_node_group: Annotated[
        SystemNodeGroup, Field(description="The few nodes that run the cluster's own controllers")
    ] = SystemNodeGroup()
