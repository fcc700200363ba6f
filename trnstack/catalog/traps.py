"""What the EC2 API says of Trainium and is wrong, missing or misread: never taken over into the catalog."""

import datetime as dt
from dataclasses import dataclass

from trnstack.catalog.model import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """A field of the API's answer that must not be trusted.

    Attributes:
        field: Its path in DescribeInstanceTypes' record; ``[]`` stands for every member of a list.
        types: The instance types of which it is not to be trusted.
        says: What the API was read to say there; None where it says nothing.
        reason: What is wrong with it, and what the catalog says instead.
    """

    field: str
    types: tuple[str, ...]
    says: str | int | float | None
    reason: str
    fact: Fact


_TRN2 = ("trn2.3xlarge", "trn2.48xlarge")
_API = "EC2 DescribeInstanceTypes, dump in moto 5.2.5, refreshed 2026-08-01"
_HARDWARE_PAGES = "AWS Neuron documentation, aws-neuron/aws-neuron-sdk at 81ce03ae (2026-08-21)"
_READ_ON = dt.date(2026, 11, 30)
_TWO_BANDWIDTHS = "the API says 200 Gbit/s for the instance and 50 for its only card; AWS has not said which holds"

#: A field that one of these names is never compared with a row; that the API says something new there is told.
NEVER_TRUSTED: tuple[Trap, ...] = (
    Trap(
        field="NeuronInfo.NeuronDevices[].MemoryInfo.SizeInMiB",
        types=_TRN2,
        says=512 * 1024,
        reason="the API says 512 GiB a Trainium2 chip; the hardware has 96, and a job that is sized by the API does "
        "not fit",
        fact=Fact(source=f"{_HARDWARE_PAGES}, about-neuron/arch/neuron-hardware/trainium2; {_API}", read_on=_READ_ON),
    ),
    Trap(
        field="NeuronInfo.NeuronDevices[].CoreInfo.Count",
        types=_TRN2,
        says=8,
        reason="the API counts a chip's 8 physical NeuronCores; a node offers 4 logical ones at its default setting, "
        "so a pod that asks for cores by the API's count is never placed",
        fact=Fact(source=f"{_HARDWARE_PAGES}, Logical NeuronCore configuration; {_API}", read_on=_READ_ON),
    ),
    Trap(
        field="NeuronInfo",
        types=("trn2u.48xlarge",),
        says=None,
        reason="the API knows no Neuron device on trn2u, so whoever derives from it counts none; it has 16",
        fact=Fact(source=f"{_HARDWARE_PAGES}, about-neuron/arch/neuron-hardware/trn2-arch; {_API}", read_on=_READ_ON),
    ),
    Trap(
        field="NetworkInfo.NetworkPerformance",
        types=("trn2.3xlarge",),
        says="200 Gigabit",
        reason=_TWO_BANDWIDTHS,
        fact=Fact(source=_API, read_on=_READ_ON),
    ),
    Trap(
        field="NetworkInfo.NetworkCards[].BaselineBandwidthInGbps",
        types=("trn2.3xlarge",),
        says=50,
        reason=_TWO_BANDWIDTHS,
        fact=Fact(source=_API, read_on=_READ_ON),
    ),
)


def traps_of(name: str) -> tuple[Trap, ...]:
    """Returns the traps that concern an instance type."""
    return tuple(trap for trap in NEVER_TRUSTED if name in trap.types)
