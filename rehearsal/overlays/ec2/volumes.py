"""What EC2 refuses of the volumes that an instance is to start with.

Source: EC2 API reference, EbsBlockDevice (sizes, IOPS, throughput); EBS user guide, "Amazon EBS volume types". AWS's
words and codes as people quote them: badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-volume-iops,
pf-ec2-volume-iops-required, pf-ec2-volume-size-minimum and pf-ec2-volume-kms-encrypted, ``meta.yaml`` (of
CreateVolume); rocicorp/mono 4410 and runs-on/runs-on 260 (ratios of gp3), runs-on/runs-on 426 and boto/boto3 2474
(throughput, iops); aws/containers-roadmap 1523 (a device twice). Not confirmed: the codes of the ratio of throughput
and of sizes, the words about too large a volume, the words and codes about too few and too many IOPS and MiB/s, which
are those of fog/fog-aws's imitation of EC2.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rehearsal.overlays.ec2.refusal import Refusal

_INVALID, _COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeLimits:
    """What EBS offers of a type of volume.

    Attributes:
        sizes_gib: The smallest and the largest size.
        iops: The fewest and the most IOPS that can be provisioned; None where none can.
        iops_a_gib: The most IOPS for each GiB; None where that is not known.
        needs_iops: Whether IOPS must be said.
    """

    sizes_gib: tuple[int, int]
    iops: tuple[int, int] | None = None
    iops_a_gib: int | None = None
    needs_iops: bool = False


#: Of io2 the most IOPS for each GiB depend on the instance, and are left alone.
_LIMITS: Mapping[str, VolumeLimits] = MappingProxyType(
    {
        "gp2": VolumeLimits(sizes_gib=(1, 16_384)),
        "gp3": VolumeLimits(sizes_gib=(1, 65_536), iops=(3000, 80_000), iops_a_gib=500),
        "io1": VolumeLimits(sizes_gib=(4, 16_384), iops=(100, 64_000), iops_a_gib=50, needs_iops=True),
        "io2": VolumeLimits(sizes_gib=(4, 65_536), iops=(100, 256_000), needs_iops=True),
        "st1": VolumeLimits(sizes_gib=(125, 16_384)),
        "sc1": VolumeLimits(sizes_gib=(125, 16_384)),
        "standard": VolumeLimits(sizes_gib=(1, 1024)),
    }
)
_GP3, _FREE_IOPS = "gp3", 3000
_MIBPS, _MOST_MIBPS_AN_IOPS = (125, 2000), 0.25


def volume_refusals(data: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yields what is refused of the volumes in a launch template's data, given by EC2's API names."""
    mappings = data.get("BlockDeviceMappings") or ()
    devices = Counter(str(one.get("DeviceName") or "").removeprefix("/dev/") for one in mappings)
    for device, times in devices.items():
        if times > 1:
            message = f"The device '{device}' is used in more than one block-device mapping"
            yield Refusal("InvalidBlockDeviceMapping", message)
    for mapping in mappings:
        yield from _volume(mapping.get("Ebs") or {})


def _volume(volume: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yields what is refused of a volume; of one whose type the template leaves open, nothing but its key."""
    if volume.get("KmsKeyId") and str(volume.get("Encrypted")).lower() != "true":
        message = "The parameter [KmsKeyId] requires the parameter Encrypted to be set."
        yield Refusal("InvalidParameterDependency", message)
    kind = str(volume.get("VolumeType") or "")
    limits = _LIMITS.get(kind)
    if limits is None:
        return
    size = volume.get("VolumeSize")
    smallest, largest = limits.sizes_gib
    if size is not None and int(size) < smallest:
        yield Refusal(_INVALID, f"{kind} volumes must be at least {smallest} GiB in size")
    if size is not None and int(size) > largest:
        yield Refusal(_INVALID, f"{kind} volumes must be at most {largest} GiB in size")
    yield from _iops(kind, limits, volume.get("Iops"), size)
    yield from _throughput(kind, volume.get("Throughput"), volume.get("Iops"))


def _iops(kind: str, limits: VolumeLimits, iops: Any, size: Any) -> Iterator[Refusal]:
    if iops is None:
        if limits.needs_iops:
            yield Refusal("MissingParameter", f"The parameter iops must be specified for {kind} volumes.")
        return
    if limits.iops is None:
        yield Refusal(_COMBINATION, f"The parameter iops is not supported for {kind} volumes.")
        return
    fewest, most = limits.iops
    if int(iops) < fewest:
        yield Refusal(_INVALID, f"Volume iops of {iops} is too low; minimum is {fewest}.")
    elif int(iops) > most:
        yield Refusal(_INVALID, f"Volume iops of {iops} is too high; maximum is {most}.")
    ratio, free = limits.iops_a_gib, _FREE_IOPS if kind == _GP3 else 0
    if ratio and size is not None and int(size) > 0 and int(iops) > max(ratio * int(size), free):
        message = f"Iops to volume size ratio of {int(iops) / int(size):.6f} is too high; maximum is {ratio}"
        yield Refusal(_INVALID, message)


def _throughput(kind: str, throughput: Any, iops: Any) -> Iterator[Refusal]:
    if throughput is None:
        return
    if kind != _GP3:
        yield Refusal(_COMBINATION, "throughput can only be specified for volumeType gp3.")
        return
    least, most = _MIBPS
    if int(throughput) < least:
        yield Refusal(_INVALID, f"Volume throughput of {throughput} is too low; minimum is {least}.")
    elif int(throughput) > most:
        yield Refusal(_INVALID, f"Volume throughput of {throughput} is too high; maximum is {most}.")
    found = int(throughput) / (int(iops or 0) or _FREE_IOPS)
    if found > _MOST_MIBPS_AN_IOPS:
        message = (
            f"Throughput (MiBps) to iops ratio of {found:.6f} is too high; "
            f"maximum is {_MOST_MIBPS_AN_IOPS:.6f} MiBps per iops"
        )
        yield Refusal(_INVALID, message)
