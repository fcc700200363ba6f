"""Trainium chips and the instance types that carry them, as reviewed rows."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.model import Chip, Fact, InstanceType

#: What every name of the generation starts with whose sizes AWS has not published.
TRN3_PREFIX = "trn3"

_HARDWARE_PAGES = Fact(
    source="AWS Neuron documentation, aws-neuron/aws-neuron-sdk at 81ce03ae (2026-08-21), "
    "about-neuron/arch/neuron-hardware",
    read_on=dt.date(2026, 11, 30),
)
_EC2_API = Fact(
    source="EC2 DescribeInstanceTypes and DescribeInstanceTypeOfferings, dump in moto 5.2.5, refreshed 2026-08-01; "
    "list prices as in aws/karpenter-provider-aws at 1d927085, read from the Price List API on 2026-07-20; "
    "device memory and core counts as in the chip's row",
    read_on=dt.date(2026, 11, 30),
)

#: Of all list prices in the rows, which are Linux, us-east-1.
LIST_PRICES = Fact(
    source="Price List API, as in aws/karpenter-provider-aws at 1d927085, zz_generated.pricing_aws.go",
    read_on=dt.date(2026, 7, 20),
)

#: Service Quotas, EC2: "Running On-Demand Trn instances" and "All Trn Spot Instance Requests", both counted in vCPUs.
ON_DEMAND_QUOTA = "L-2C3B7624"
SPOT_QUOTA = "L-6B0D517C"

#: Of the types of which EC2 tells it: all but trn2.3xlarge, which its list lacks.
#: Source: EC2 user guide, "Prerequisites for Amazon EC2 topology", instance types.
NETWORK_LAYERS = 3

_CHIPS = (
    Chip(
        name="trainium1",
        physical_cores=2,
        logical_neuroncore_configs=(1,),
        default_logical_neuroncore_config=1,
        memory_gib=32,
        memory_tbps=0.82,
        bf16_tflops=190.0,
        fp8_tflops=190.0,
        fp32_tflops=47.5,
        fact=_HARDWARE_PAGES,
    ),
    Chip(
        name="trainium2",
        # Trap: the EC2 API counts the 8 physical cores; at the default setting of 2, a job sees 4 logical ones.
        physical_cores=8,
        logical_neuroncore_configs=(1, 2),
        default_logical_neuroncore_config=2,
        # Trap: the EC2 API says 524288 MiB (512 GiB) a chip for every trn2 type. The hardware has 96.
        memory_gib=96,
        memory_tbps=2.9,
        bf16_tflops=667.0,
        fp8_tflops=1299.0,
        fp32_tflops=181.0,
        fact=_HARDWARE_PAGES,
    ),
    Chip(
        name="trainium3",
        physical_cores=8,
        logical_neuroncore_configs=(1, 2),
        # The documentation states the default of 2 for Trn2 only.
        default_logical_neuroncore_config=None,
        memory_gib=144,
        memory_tbps=4.9,
        bf16_tflops=671.0,
        # The chip's 8-bit peak is for MXFP8.
        fp8_tflops=2517.0,
        fp32_tflops=183.0,
        fact=_HARDWARE_PAGES,
    ),
)

_INSTANCE_TYPES = (
    InstanceType(
        name="trn1.2xlarge",
        chip="trainium1",
        neuron_devices=1,
        vcpus=8,
        memory_gib=32,
        network_cards=1,
        interfaces_per_card=4,
        efa_interfaces=0,
        ipv4_addresses_per_interface=15,
        # A burst figure ("up to"); the card's own is the baseline.
        network_gbps=12.5,
        network_card_gbps=3.125,
        local_disks=1,
        local_disk_gb=474,
        usage_classes=("on-demand", "spot"),
        cluster_placement=True,
        network_layers=NETWORK_LAYERS,
        availability_zone_ids=MappingProxyType(
            {
                "us-east-1": ("use1-az5", "use1-az6"),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az1", "usw2-az4"),
            }
        ),
        on_demand_usd_per_hour=1.34375,
        vcpu_quota_units=8,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
    InstanceType(
        name="trn1.32xlarge",
        chip="trainium1",
        neuron_devices=16,
        vcpus=128,
        memory_gib=512,
        network_cards=8,
        interfaces_per_card=5,
        efa_interfaces=8,
        ipv4_addresses_per_interface=50,
        network_gbps=800.0,
        network_card_gbps=100.0,
        local_disks=4,
        local_disk_gb=1900,
        usage_classes=("capacity-block", "on-demand", "spot"),
        cluster_placement=True,
        network_layers=NETWORK_LAYERS,
        availability_zone_ids=MappingProxyType(
            {
                "ap-south-1": ("aps1-az2",),
                "ap-southeast-2": ("apse2-az1", "apse2-az2"),
                "ap-southeast-4": ("apse4-az1",),
                "us-east-1": ("use1-az4", "use1-az5", "use1-az6"),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az1", "usw2-az4"),
            }
        ),
        on_demand_usd_per_hour=21.50,
        vcpu_quota_units=128,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
    InstanceType(
        name="trn1n.32xlarge",
        chip="trainium1",
        neuron_devices=16,
        vcpus=128,
        memory_gib=512,
        network_cards=16,
        interfaces_per_card=5,
        efa_interfaces=16,
        ipv4_addresses_per_interface=50,
        network_gbps=1600.0,
        network_card_gbps=100.0,
        local_disks=4,
        local_disk_gb=1900,
        usage_classes=("on-demand", "spot"),
        cluster_placement=True,
        network_layers=NETWORK_LAYERS,
        availability_zone_ids=MappingProxyType(
            {
                "us-east-1": ("use1-az6",),
                "us-east-2": ("use2-az3",),
                "us-west-2": ("usw2-az4",),
            }
        ),
        on_demand_usd_per_hour=24.78,
        vcpu_quota_units=128,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
    InstanceType(
        name="trn2.3xlarge",
        chip="trainium2",
        neuron_devices=1,
        vcpus=12,
        memory_gib=128,
        network_cards=1,
        interfaces_per_card=2,
        efa_interfaces=1,
        ipv4_addresses_per_interface=15,
        # Trap: one API record says "200 Gigabit" for the instance and 50 Gbps, base and peak, for its only card.
        # Nobody has published which holds, so each field keeps what the API says there.
        network_gbps=200.0,
        network_card_gbps=50.0,
        local_disks=1,
        local_disk_gb=470,
        usage_classes=("capacity-block", "on-demand", "spot"),
        cluster_placement=True,
        availability_zone_ids=MappingProxyType(
            {
                "ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3"),
                "ap-southeast-4": ("apse4-az3",),
                "sa-east-1": ("sae1-az1", "sae1-az2", "sae1-az3"),
            }
        ),
        on_demand_usd_per_hour=None,
        vcpu_quota_units=12,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
    InstanceType(
        name="trn2.48xlarge",
        chip="trainium2",
        neuron_devices=16,
        vcpus=192,
        memory_gib=2048,
        network_cards=16,
        # The second interface of a card takes no IPv4 address.
        interfaces_per_card=2,
        efa_interfaces=16,
        ipv4_addresses_per_interface=50,
        network_gbps=3200.0,
        network_card_gbps=200.0,
        local_disks=4,
        local_disk_gb=1900,
        usage_classes=("capacity-block", "on-demand", "spot"),
        cluster_placement=True,
        network_layers=NETWORK_LAYERS,
        availability_zone_ids=MappingProxyType(
            {
                "ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3"),
                "us-east-2": ("use2-az1", "use2-az2", "use2-az3"),
            }
        ),
        # The API's usage classes name on-demand, the price list has no rate for it.
        on_demand_usd_per_hour=None,
        vcpu_quota_units=192,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
    InstanceType(
        name="trn2u.48xlarge",
        chip="trainium2",
        # Trap: the EC2 API gives no NeuronInfo for trn2u, so whoever derives from it counts no device at all.
        neuron_devices=16,
        vcpus=192,
        memory_gib=2048,
        network_cards=16,
        interfaces_per_card=2,
        efa_interfaces=16,
        ipv4_addresses_per_interface=50,
        network_gbps=3200.0,
        network_card_gbps=200.0,
        local_disks=4,
        local_disk_gb=1900,
        usage_classes=("capacity-block", "on-demand"),
        cluster_placement=True,
        network_layers=NETWORK_LAYERS,
        availability_zone_ids=MappingProxyType({"ap-south-2": ("aps2-az1", "aps2-az2", "aps2-az3")}),
        on_demand_usd_per_hour=None,
        vcpu_quota_units=192,
        on_demand_quota_code=ON_DEMAND_QUOTA,
        spot_quota_code=SPOT_QUOTA,
        fact=_EC2_API,
    ),
)

CHIPS: Mapping[str, Chip] = MappingProxyType({chip.name: chip for chip in _CHIPS})

#: By name. No row is trn3: its EC2 names, sizes and zones are not published, see ``is_opt_in``.
INSTANCE_TYPES: Mapping[str, InstanceType] = MappingProxyType({row.name: row for row in _INSTANCE_TYPES})


def is_opt_in(name: str) -> bool:
    """Tells whether a name is of the trn3 generation and unknown here, so that the environment must state its facts.

    AWS publishes the chip (``CHIPS["trainium3"]``) and the UltraServers, but no EC2 name, size or zone: names that
    start with ``trn3`` appear in AWS's own software only.

    Source: botocore 1.44.8, EC2 model, ``InstanceType``; DescribeInstanceTypes dump in moto 5.2.5; neither has a trn3.
    """
    return name.startswith(TRN3_PREFIX) and name not in INSTANCE_TYPES
