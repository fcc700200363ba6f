"""UltraServers: what AWS has published of the machines that several Trainium instances make up together."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.model import Fact, UltraServer

_ARCHITECTURE = Fact(
    source="AWS Neuron documentation, aws-neuron/aws-neuron-sdk at 81ce03ae (2026-08-21), "
    "about-neuron/arch/neuron-hardware/trn2-arch and trn3-arch; containers/how-to/how-to-ultraserver for the sets of "
    "Trn2 instances that work as one",
    read_on=dt.date(2026, 11, 30),
)

_ULTRASERVERS = (
    UltraServer(
        name="trn2",
        chip="trainium2",
        instance_type="trn2u.48xlarge",
        instances=4,
        chips=64,
        configs=(1, 2, 4),
        vcpus=768,
        memory_gib=8192,
        device_memory_gib=6144,
        memory_tbps=185.6,
        bf16_tflops=42_800.0,
        fp8_tflops=83_200.0,
        # The table prints 3,200 Gbit/s for the whole; each of its four instances has as much by itself.
        efa_gbps=None,
        fact=_ARCHITECTURE,
    ),
    UltraServer(
        name="trn3_gen1",
        chip="trainium3",
        instance_type="",
        instances=4,
        chips=64,
        configs=(),
        vcpus=768,
        memory_gib=8192,
        device_memory_gib=9216,
        memory_tbps=313.6,
        bf16_tflops=42_944.0,
        # The chip's 8-bit peak is for MXFP8.
        fp8_tflops=161_088.0,
        efa_gbps=12_800.0,
        fact=_ARCHITECTURE,
    ),
    UltraServer(
        name="trn3_gen2",
        chip="trainium3",
        instance_type="",
        instances=36,
        chips=144,
        configs=(),
        vcpus=2304,
        memory_gib=27_648,
        device_memory_gib=20_736,
        memory_tbps=705.6,
        bf16_tflops=96_624.0,
        fp8_tflops=362_448.0,
        efa_gbps=28_800.0,
        fact=_ARCHITECTURE,
    ),
)

#: By name.
ULTRASERVERS: Mapping[str, UltraServer] = MappingProxyType({row.name: row for row in _ULTRASERVERS})


def ultraservers_with(instance_type: str, chip: str) -> tuple[UltraServer, ...]:
    """Returns the UltraServers that instances of a type may stand in: by the type, or by the chip where none is named.

    Args:
        instance_type: The instance type's name.
        chip: The name of its chip; of no matter where a row names the type.
    """
    rows = ULTRASERVERS.values()
    return tuple(
        row for row in rows if row.instance_type == instance_type or (not row.instance_type and row.chip == chip)
    )
