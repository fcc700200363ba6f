"""General-purpose x86 instance types for a cluster's system nodes."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.model import Fact, SystemInstanceType

_FACT = Fact(
    source="EC2 DescribeInstanceTypes, dump in moto 5.2.5, refreshed 2026-08-01; list prices as in "
    "aws/karpenter-provider-aws at 1d927085, read from the Price List API on 2026-07-20",
    read_on=dt.date(2026, 11, 30),
)

#: Size, vCPUs, most interfaces, IPv4 addresses an interface: the same in every family but for t3 and t3a.
_SIZES = (
    ("large", 2, 3, 10),
    ("xlarge", 4, 4, 15),
    ("2xlarge", 8, 4, 15),
    ("4xlarge", 16, 8, 30),
    ("8xlarge", 32, 8, 30),
)
_BURSTABLE_SIZES = (
    ("large", 2, 3, 12),
    ("xlarge", 4, 4, 15),
    ("2xlarge", 8, 4, 15),
)


def _family(
    name: str, gib_per_vcpu: int, usd_per_hour_of_large: float, sizes: tuple[tuple[str, int, int, int], ...] = _SIZES
) -> tuple[SystemInstanceType, ...]:
    """Returns a family's rows: memory and price grow with the vCPUs, of which ``large`` has two."""
    return tuple(
        SystemInstanceType(
            name=f"{name}.{size}",
            vcpus=vcpus,
            memory_gib=float(vcpus * gib_per_vcpu),
            interfaces=interfaces,
            ipv4_addresses_per_interface=addresses,
            on_demand_usd_per_hour=round(usd_per_hour_of_large * vcpus / 2, 6),
            fact=_FACT,
        )
        for size, vcpus, interfaces, addresses in sizes
    )


_FAMILIES = (
    _family("m5", 4, 0.096),
    _family("m6i", 4, 0.096),
    _family("m7i", 4, 0.1008),
    _family("m7i-flex", 4, 0.09576),
    _family("m6a", 4, 0.0864),
    _family("m7a", 4, 0.11592),
    _family("c6i", 2, 0.085),
    _family("c7i", 2, 0.08925),
    _family("r6i", 8, 0.126),
    _family("r7i", 8, 0.1323),
    _family("t3", 4, 0.0832, _BURSTABLE_SIZES),
    _family("t3a", 4, 0.0752, _BURSTABLE_SIZES),
)

SYSTEM_INSTANCE_TYPES: Mapping[str, SystemInstanceType] = MappingProxyType(
    {row.name: row for family in _FAMILIES for row in family}
)
