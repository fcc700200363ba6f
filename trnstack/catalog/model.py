"""The shape of the catalog's rows: what is known of chips, instance types, zones and Kubernetes versions."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Where a row comes from.

    Attributes:
        source: The document or API, precise enough to find it again.
        read_on: The day on which it was read.
    """

    source: str
    read_on: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A Neuron device.

    Attributes:
        physical_cores: NeuronCores on the chip; the EC2 API counts these.
        logical_neuroncore_configs: Settings that the chip accepts: 1, or 1 and 2 physical cores to a logical one.
        default_logical_neuroncore_config: What a node has when nothing is set; None where AWS has not said.
        memory_gib: High-bandwidth memory of one chip. The EC2 API is wrong for Trainium2 (512).
        memory_tbps: Its bandwidth, TB/s.
        bf16_tflops, fp8_tflops, fp32_tflops: Dense peaks.
    """

    name: str
    physical_cores: int
    logical_neuroncore_configs: tuple[int, ...]
    default_logical_neuroncore_config: int | None
    memory_gib: int
    memory_tbps: float
    bf16_tflops: float
    fp8_tflops: float
    fp32_tflops: float
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceType:
    """An accelerator instance type.

    Attributes:
        chip: The chip's name in ``CHIPS``.
        neuron_devices: Chips an instance.
        network_cards: Network cards; EFA goes on each of them once.
        interfaces_per_card: The most interfaces on one card; None where it is not published.
        efa_interfaces: The most EFA interfaces; 0 where the type has none.
        ipv4_addresses_per_interface: IPv4 addresses an interface on card 0, the primary one counted; None as above.
        network_gbps: The advertised network bandwidth; None as above.
        network_card_gbps: The bandwidth of one card, as the API gives it; None as above.
        local_disks, local_disk_gb: NVMe disks, and GB (10^9 bytes) of each.
        usage_classes: ``on-demand``, ``spot``, ``capacity-block``, as the EC2 API names them.
        cluster_placement: Whether a cluster placement group takes the type.
        network_layers: Of how many layers of the network EC2 tells where in them an instance is; 0 where it tells none.
        availability_zone_ids: Zones that offer it, by region: a lower bound, since the reading had not every region.
        on_demand_usd_per_hour: Linux list price in us-east-1; None where AWS publishes none.
        vcpu_quota_units: What one instance takes of the vCPU quotas.
        on_demand_quota_code, spot_quota_code: The Service Quotas codes of those.
        opt_in: The name isn't in the EC2 API; the environment completes what is unknown by ``instance_facts``.
    """

    name: str
    chip: str
    neuron_devices: int
    vcpus: int
    memory_gib: int
    network_cards: int
    interfaces_per_card: int | None
    efa_interfaces: int
    ipv4_addresses_per_interface: int | None
    network_gbps: float | None
    network_card_gbps: float | None
    local_disks: int
    local_disk_gb: int
    usage_classes: tuple[str, ...]
    cluster_placement: bool
    availability_zone_ids: Mapping[str, tuple[str, ...]]
    on_demand_usd_per_hour: float | None
    vcpu_quota_units: int
    on_demand_quota_code: str
    spot_quota_code: str
    fact: Fact
    network_layers: int = 0
    opt_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UltraServer:
    """Several instances whose chips NeuronLink joins to one machine.

    Attributes:
        name: The family's name here: ``trn2``, ``trn3_gen1``, ``trn3_gen2``.
        chip: The chip's name in ``CHIPS``.
        instance_type: The EC2 type of its instances; empty where AWS has not published one.
        instances: How many instances it has.
        chips: How many chips it has.
        configs: How many of its instances may work as one; empty where AWS has not said.
        vcpus, memory_gib, device_memory_gib: Of the whole.
        memory_tbps: The bandwidth of its device memory, TB/s.
        bf16_tflops, fp8_tflops: Dense peaks of the whole.
        efa_gbps: The EFA bandwidth of the whole; None where the published figures contradict each other.
    """

    name: str
    chip: str
    instance_type: str
    instances: int
    chips: int
    configs: tuple[int, ...]
    vcpus: int
    memory_gib: int
    device_memory_gib: int
    memory_tbps: float
    bf16_tflops: float
    fp8_tflops: float
    efa_gbps: float | None
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemInstanceType:
    """A general-purpose x86 instance type, fit for a cluster's system nodes.

    Attributes:
        interfaces: The most network interfaces.
        ipv4_addresses_per_interface: IPv4 addresses an interface, the primary one counted.
        on_demand_usd_per_hour: Linux list price in us-east-1; None where it was not read.
    """

    name: str
    vcpus: int
    memory_gib: float
    interfaces: int
    ipv4_addresses_per_interface: int
    on_demand_usd_per_hour: float | None
    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesVersion:
    """A Kubernetes minor version on EKS.

    Attributes:
        minor: Such as ``1.35``.
        standard_support_ends, extended_support_ends: The first day without it.
    """

    minor: str
    standard_support_ends: dt.date
    extended_support_ends: dt.date
    fact: Fact
