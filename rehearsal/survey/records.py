"""What a survey finds, as plain records that print to JSON."""

from dataclasses import dataclass, field

from rehearsal.survey.image_records import Images
from rehearsal.survey.kubernetes_records import HelmRelease, KubernetesObject
from rehearsal.survey.schedule_records import Alarm, Schedule, Topic


@dataclass(frozen=True, slots=True)
class Stack:
    """A CloudFormation stack that stands."""

    name: str
    status: str
    termination_protection: bool


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface of every node of a group."""

    network_card_index: int
    device_index: int
    interface_type: str


@dataclass(frozen=True, slots=True)
class SubnetPlace:
    """A subnet, by where it is."""

    subnet_id: str
    zone_id: str


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """A managed node group and the nodes that it has.

    Attributes:
        interfaces: The interfaces of each node: of a running one, or of the launch template while there are none.
        http_tokens: Whether the instance metadata service asks for session tokens: ``required`` or ``optional``.
        root_volume_encrypted: Whether the root volume is encrypted; None where neither node nor template says.
        instances: How many nodes run.
        root_volume_gib: The root volume's size; None as above.
        instance_ids: The nodes that run.
    """

    name: str
    status: str
    ami_type: str | None
    release_version: str | None
    instance_type: str | None
    capacity_type: str
    wanted: int
    smallest: int
    largest: int
    subnets: tuple[SubnetPlace, ...]
    interfaces: tuple[Interface, ...]
    http_tokens: str
    http_hop_limit: int
    root_volume_encrypted: bool | None
    placement_group: str | None
    capacity_reservation_id: str | None
    labels: dict[str, str]
    taints: tuple[str, ...]
    instances: int
    market_type: str | None = None
    capacity_reservation_resource_group_arn: str | None = None
    root_volume_gib: int | None = None
    instance_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """Who may enter a cluster, with which access policies, and in which of its groups."""

    principal_arn: str
    type: str
    policies: tuple[str, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Addon:
    """An add-on of a cluster."""

    name: str
    version: str | None
    status: str


@dataclass(frozen=True, slots=True)
class PodIdentity:
    """Which role the pods of a service account take."""

    namespace: str
    service_account: str
    role_arn: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """An EKS cluster.

    Attributes:
        releases: The Helm releases in it.
        objects: The objects in it that belong to none of them.
    """

    name: str
    version: str
    status: str
    support_type: str
    endpoint_public: bool
    endpoint_private: bool
    public_access_cidrs: tuple[str, ...]
    authentication_mode: str
    deletion_protection: bool
    secrets_key_arn: str | None
    log_types: tuple[str, ...]
    access_entries: tuple[AccessEntry, ...]
    addons: tuple[Addon, ...]
    pod_identities: tuple[PodIdentity, ...]
    node_groups: tuple[NodeGroup, ...]
    releases: tuple[HelmRelease, ...] = ()
    objects: tuple[KubernetesObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet of a VPC."""

    subnet_id: str
    name: str
    cidr: str
    zone_id: str
    public: bool


@dataclass(frozen=True, slots=True)
class NatGateway:
    """A NAT gateway."""

    nat_gateway_id: str
    subnet_id: str
    zone_id: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A VPC endpoint: ``Gateway`` or ``Interface``."""

    service: str
    type: str


@dataclass(frozen=True, slots=True)
class FlowLog:
    """A VPC's flow log."""

    traffic: str
    destination: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a security group.

    Attributes:
        ports: ``all``, one port, the first and the last port, or an ICMP type and code.
        peer: The addresses, prefix list or security group at the other end; ``itself`` for the rule's own group.
    """

    direction: str
    protocol: str
    ports: str
    peer: str


@dataclass(frozen=True, slots=True)
class SecurityGroup:
    """A security group of a VPC."""

    group_id: str
    name: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Vpc:
    """A VPC with everything in it that routes or filters."""

    vpc_id: str
    name: str
    cidr: str
    subnets: tuple[Subnet, ...]
    nat_gateways: tuple[NatGateway, ...]
    endpoints: tuple[Endpoint, ...]
    flow_logs: tuple[FlowLog, ...]
    security_groups: tuple[SecurityGroup, ...]


@dataclass(frozen=True, slots=True)
class Association:
    """A data repository association of a file system."""

    path: str
    repository: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileSystem:
    """An FSx file system."""

    file_system_id: str
    type: str
    deployment_type: str | None
    storage_gib: int
    throughput_mbps_per_tib: int | None
    version: str | None
    mount_name: str | None
    efa_enabled: bool
    subnet: SubnetPlace
    associations: tuple[Association, ...]


@dataclass(frozen=True, slots=True)
class Bucket:
    """An S3 bucket.

    Attributes:
        encryption: The default encryption's algorithm, ``aws:kms`` or ``AES256``.
        public_access_blocked: Whether all four of S3's blocks are on.
        tls_only: Whether its policy denies every request that is not encrypted.
        lifecycle_rules: The ids of its enabled lifecycle rules.
        noncurrent_expiration_days: When versions go that were replaced or deleted; None where they stay.
    """

    name: str
    versioning: bool
    encryption: str
    key: str | None
    bucket_key: bool
    public_access_blocked: bool
    tls_only: bool
    lifecycle_rules: tuple[str, ...]
    noncurrent_expiration_days: int | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A customer-managed KMS key."""

    key_id: str
    aliases: tuple[str, ...]
    rotation: bool
    state: str


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything that a survey of one account and region finds, each list in the order of its names."""

    region: str
    stacks: tuple[Stack, ...]
    vpcs: tuple[Vpc, ...]
    clusters: tuple[Cluster, ...]
    file_systems: tuple[FileSystem, ...]
    buckets: tuple[Bucket, ...]
    keys: tuple[Key, ...]
    schedules: tuple[Schedule, ...] = ()
    topics: tuple[Topic, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    images: Images = field(default_factory=Images)
