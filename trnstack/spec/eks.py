"""The ``eks`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import Cidr, RoleArn, Section

KubernetesVersion = Annotated[str, StringConstraints(pattern=r"^1\.[0-9]{2}$")]
InstanceTypeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{2,16}\.[a-z0-9-]{2,16}$")]


class SystemNodeGroup(Section):
    """The few nodes that run the cluster's own controllers."""

    instance_type: InstanceTypeName = "m7i.large"
    min_count: Annotated[int, Field(ge=1, le=100)] = 2
    max_count: Annotated[int, Field(ge=1, le=100)] = 4


class Eks(Section):
    """The Kubernetes control plane."""

    kubernetes_version: Annotated[KubernetesVersion, Field(description='A minor version in quotes, such as "1.35"')] = (
        "1.35"
    )
    support_type: Annotated[
        Literal["STANDARD", "EXTENDED"],
        Field(description="STANDARD: AWS upgrades when support ends. EXTENDED: it costs more instead"),
    ] = "STANDARD"
    endpoint_access: Literal["private", "public_and_private"] = "private"
    public_access_cidrs: Annotated[
        tuple[Cidr, ...], Field(description="Who may reach a public endpoint; required with public_and_private")
    ] = ()
    admin_role_arns: Annotated[
        tuple[RoleArn, ...], Field(min_length=1, description="IAM roles that administer the cluster; at least one")
    ]
    control_plane_logs: tuple[Literal["api", "audit", "authenticator", "controllerManager", "scheduler"], ...] = (
        "api",
        "audit",
        "authenticator",
    )
    deletion_protection: bool = True
    system_node_group: SystemNodeGroup = SystemNodeGroup()
