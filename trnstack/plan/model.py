"""The plan: frozen records in which nothing is left to decide. Constructs render them, people and tests read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from trnstack.layout.addresses import NodeAddresses
from trnstack.layout.interfaces import Interface
from trnstack.layout.subnets import Subnet


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that the environment left open, or that may surprise, with its reason.

    Attributes:
        path: What was decided, as a path in the environment or the plan.
        value: The decision.
        reason: Why.
    """

    path: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """A CloudFormation stack.

    Attributes:
        name: The stack's name.
        description: What it holds, as CloudFormation shows it.
        termination_protection: Whether deleting it is refused until somebody lifts the protection.
        tags: The stack's tags. CloudFormation hands them on to everything in it that can carry tags.
        depends_on: The stacks that it stands on.
    """

    name: str
    description: str
    termination_protection: bool
    tags: Mapping[str, str]
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """The VPC.

    Attributes:
        vpc_cidr: Its IPv4 range.
        subnets: Three for each zone, in the order of the zones.
        nat_gateway_zone_ids: The zones whose public subnet has a NAT gateway. Other zones use the first one's.
        interface_endpoints: AWS services with a private endpoint in the system subnets, such as ``ecr.api``.
        client_cidrs: Networks that may reach the private API endpoint.
        flow_logs: Whether the VPC's traffic is logged.
        log_retention_days: How long that log is kept.
    """

    vpc_cidr: str
    subnets: tuple[Subnet, ...]
    nat_gateway_zone_ids: tuple[str, ...]
    interface_endpoints: tuple[str, ...]
    client_cidrs: tuple[str, ...]
    flow_logs: bool
    log_retention_days: int

    def subnet(self, role: str, zone_id: str) -> Subnet:
        """Returns the subnet of a role in a zone."""
        return next(s for s in self.subnets if s.role == role and s.availability_zone_id == zone_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationPlan:
    """A link between a folder of the file system and a prefix of the checkpoint bucket.

    Attributes:
        file_system_path: The folder.
        prefix: The prefix in the bucket, without slashes around it; empty for the whole bucket.
        auto_import, auto_export: The events that are carried over.
    """

    file_system_path: str
    prefix: str
    auto_import: tuple[str, ...]
    auto_export: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustrePlan:
    """The FSx for Lustre file system.

    Attributes:
        file_system_type_version: The Lustre version.
        throughput_mbps: The disk throughput that size and rate come to, MB/s.
        subnet: The name of the one subnet that it stands in.
        retain: Whether it outlives its stack.
    """

    deployment_type: str
    storage_type: str
    file_system_type_version: str
    storage_gib: int
    throughput_mbps_per_tib: int
    throughput_mbps: int
    data_compression: str
    mount_path: str
    subnet: str
    retain: bool
    associations: tuple[AssociationPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPlan:
    """The checkpoint bucket and the bucket that logs who reads and writes it.

    Attributes:
        name, access_log_name: ``ACCOUNT`` stands for the account's number where the environment names none.
        encryption: ``kms`` (the environment's own key) or ``s3``.
        noncurrent_expiration_days: When overwritten and deleted versions go; None without versions.
        infrequent_access_after_days: When objects move to the cheaper class; None for never.
        access_log_expiration_days: How long the access log is kept.
        retain: Whether the bucket outlives its stack.
    """

    name: str
    access_log_name: str
    encryption: str
    versioned: bool
    noncurrent_expiration_days: int | None
    infrequent_access_after_days: int | None
    access_log_expiration_days: int
    retain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePlan:
    """Everything that outlives a cluster."""

    checkpoints: BucketPlan
    lustre: LustrePlan | None


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
class TaintPlan:
    """A taint in EKS's spelling."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPlan:
    """How many nodes a group has."""

    minimum: int
    desired: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchTemplatePlan:
    """What a node starts from.

    Attributes:
        instance_type: It stands here and not in the node group, which refuses the Neuron image type beside it.
        interfaces: Every network interface; empty leaves EKS's single one.
        placement_group: ``create``, ``none``, or the name of an existing group.
        capacity_reservation_id, capacity_reservation_resource_group_arn: The reservation to start in, if any.
        user_data: MIME text; empty where the node needs none.
        root_volume_kms_key_arn: None uses the account's default EBS key.
        instance_tags: A fixed set; a tag edit here would replace every node, so the environment's tags don't reach it.
    """

    instance_type: str
    interfaces: tuple[Interface, ...]
    placement_group: str
    capacity_reservation_id: str | None
    capacity_reservation_resource_group_arn: str | None
    user_data: str
    root_volume_gib: int
    root_volume_kms_key_arn: str | None
    instance_tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroupPlan:
    """A managed node group and the stack that it is.

    Attributes:
        name: The node group's name in EKS.
        stack: The name of its stack; for the system nodes, the cluster's.
        ami_type, release_version: The EKS-optimized image.
        capacity_type: ``ON_DEMAND`` or ``SPOT``, as EKS has it.
        subnets: The names of its subnets: one for accelerators.
        update_strategy: ``DEFAULT`` starts new nodes first; ``MINIMAL`` stops old ones first.
        max_unavailable: How many nodes an update takes away at a time.
        addresses: What the nodes take from their subnet.
        efa_gbps: The network bandwidth of a node over its EFA interfaces; 0 without EFA.
        neuron_devices, neuron_cores: What a node offers to jobs; logical cores at the node's setting.
    """

    name: str
    stack: str
    availability_zone_ids: tuple[str, ...]
    subnets: tuple[str, ...]
    ami_type: str
    release_version: str
    capacity_type: str
    scaling: ScalingPlan
    launch_template: LaunchTemplatePlan
    labels: Mapping[str, str]
    taints: tuple[TaintPlan, ...]
    max_unavailable: int
    update_strategy: str
    node_repair: bool
    addresses: NodeAddresses
    efa_gbps: float
    neuron_devices: int
    neuron_cores: int


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
    deletion_protection: bool
    subnets: tuple[str, ...]
    service_cidr: str
    add_ons: tuple[AddOnPlan, ...]
    system_nodes: NodeGroupPlan
    trainer: TrainerPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PinsPlan:
    """What the lock holds still, as far as people ask for it."""

    neuron_sdk: str
    neuron_driver: str
    ami_release: str
    ami_neuron_driver: str | None
    container_image: str | None
    made_from: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole environment, decided.

    Attributes:
        account: Twelve digits, or None for the account of the credentials in use.
        stacks: All stacks, in an order in which they can be deployed.
        decisions: What was decided for the environment, with reasons.
    """

    name: str
    region: str
    account: str | None
    tags: Mapping[str, str]
    pins: PinsPlan
    network: NetworkPlan
    storage: StoragePlan
    cluster: ClusterPlan
    node_groups: tuple[NodeGroupPlan, ...]
    stacks: tuple[StackPlan, ...]
    decisions: tuple[Decision, ...]

    def stack(self, name: str) -> StackPlan:
        """Returns the stack of that name."""
        return next(stack for stack in self.stacks if stack.name == name)
