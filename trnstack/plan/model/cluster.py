"""The part of the plan that is the EKS cluster."""

from dataclasses import dataclass

from trnstack.plan.model.nodes import NodeGroupPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PodIdentityPlan:
    """Which service account has which permissions.

    Attributes:
        namespace, service_account: The Kubernetes service account.
        managed_policies: AWS-managed policies of its role.
        actions: Further actions that the role may do, on the resources that the construct names.
    """

    namespace: str
    service_account: str
    managed_policies: tuple[str, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOnPlan:
    """An EKS add-on.

    Attributes:
        name, version: As EKS names them.
        configuration: The add-on's own settings as JSON text; empty for its defaults.
        pod_identity: The permissions of its service account; None where it needs none.
        before_nodes: Whether it stands before any node joins; else it waits for the system nodes that run it.
    """

    name: str
    version: str
    configuration: str
    pod_identity: PodIdentityPlan | None
    before_nodes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerPlan:
    """The service account that jobs run as."""

    namespace: str
    service_account: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """The EKS control plane, its add-ons and its system nodes.

    Attributes:
        public_access_cidrs: Who may reach a public endpoint; empty for a private one.
        log_types: Control plane logs that are on.
        administrators: The ARNs of the roles that administer the cluster.
        trainers, viewers: The ARNs of those that may run jobs, and of those that may look.
        subnets: The names of the system subnets, for the control plane's interfaces.
        service_cidr: The range of Kubernetes services' addresses; create-only in EKS, so it is never left open.
        log_retention_days: How long the control plane's logs are kept.
    """

    name: str
    kubernetes_version: str
    support_type: str
    public_access_cidrs: tuple[str, ...]
    log_types: tuple[str, ...]
    log_retention_days: int
    administrators: tuple[str, ...]
    trainers: tuple[str, ...]
    viewers: tuple[str, ...]
    deletion_protection: bool
    subnets: tuple[str, ...]
    service_cidr: str
    add_ons: tuple[AddOnPlan, ...]
    system_nodes: NodeGroupPlan
    trainer: TrainerPlan
