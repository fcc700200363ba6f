"""Compares what EC2 says with the catalog's rows: which edits they need, and what no row has."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from account.catalog import Reading, Record
from trnstack.catalog import CHIPS, INSTANCE_TYPES, Chip, InstanceType
from trnstack.catalog.traps import NEVER_TRUSTED, Trap, traps_of

_MIB_PER_GIB = 1024
Value = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A row of the catalog that EC2 contradicts.

    Attributes:
        name: The row's instance type, or its chip.
        field: The row's field; a region's zones are ``availability_zone_ids[REGION]``.
        old, new: What the row says and what EC2 says; None for nothing.
        regions: The regions whose answer it is.
    """

    name: str
    field: str
    old: Value
    new: Value
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """Something new in a field that is never trusted: perhaps AWS has corrected it.

    Attributes:
        name: The instance type.
        trap: The entry of ``NEVER_TRUSTED``.
        says: What EC2 says now.
        regions: The regions whose answer it is.
    """

    name: str
    trap: Trap
    says: Value
    regions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """All that differs.

    Attributes:
        edits: The edits that rows need.
        surprises: What is new in fields that are never trusted.
        unknown: The types that no row has, each with the zones that offer it by region.
    """

    edits: tuple[Edit, ...]
    surprises: tuple[Surprise, ...]
    unknown: Mapping[str, Mapping[str, tuple[str, ...]]]

    def __bool__(self) -> bool:
        return bool(self.edits or self.surprises or self.unknown)


@dataclass(frozen=True, slots=True)
class _Field:
    """How a row's field follows from the API's record: its name, the record's path, and what is made of the values."""

    name: str
    path: str
    made: Callable[[tuple[Value, ...]], Value]


def _one(values: tuple[Value, ...]) -> Value:
    """Returns the value that all have; all different ones where they differ; None without any."""
    distinct = sorted(set(values))
    return distinct[0] if len(distinct) == 1 else tuple(distinct) or None


def _or_zero(values: tuple[Value, ...]) -> Value:
    return _one(values) or 0


def _gib(values: tuple[Value, ...]) -> Value:
    mib = _one(values)
    return mib // _MIB_PER_GIB if isinstance(mib, int) and mib % _MIB_PER_GIB == 0 else f"{mib} MiB"


def _gbps(values: tuple[Value, ...]) -> Value:
    """Returns the Gbit/s of words such as ``16x 200 Gigabit`` or ``Up to 12.5 Gigabit``; other words as they are."""
    words = str(_one(values))
    found = re.fullmatch(r"(?:Up to )?(?:(\d+)x )?([\d.]+) Gigabit", words)
    return int(found[1] or 1) * float(found[2]) if found else words


_OF_TYPE = (
    _Field("vcpus", "VCpuInfo.DefaultVCpus", _one),
    _Field("vcpu_quota_units", "VCpuInfo.DefaultVCpus", _one),
    _Field("memory_gib", "MemoryInfo.SizeInMiB", _gib),
    _Field("neuron_devices", "NeuronInfo.NeuronDevices[].Count", _one),
    _Field("network_cards", "NetworkInfo.MaximumNetworkCards", _one),
    _Field("interfaces_per_card", "NetworkInfo.NetworkCards[].MaximumNetworkInterfaces", _one),
    _Field("efa_interfaces", "NetworkInfo.EfaInfo.MaximumEfaInterfaces", _or_zero),
    _Field("ipv4_addresses_per_interface", "NetworkInfo.Ipv4AddressesPerInterface", _one),
    _Field("network_gbps", "NetworkInfo.NetworkPerformance", _gbps),
    _Field("network_card_gbps", "NetworkInfo.NetworkCards[].BaselineBandwidthInGbps", _one),
    _Field("local_disks", "InstanceStorageInfo.Disks[].Count", _or_zero),
    _Field("local_disk_gb", "InstanceStorageInfo.Disks[].SizeInGB", _or_zero),
    _Field("usage_classes", "SupportedUsageClasses[]", lambda values: tuple(sorted(values))),
    _Field("cluster_placement", "PlacementGroupInfo.SupportedStrategies[]", lambda values: "cluster" in values),
)
_OF_CHIP = (
    _Field("physical_cores", "NeuronInfo.NeuronDevices[].CoreInfo.Count", _one),
    _Field("memory_gib", "NeuronInfo.NeuronDevices[].MemoryInfo.SizeInMiB", _gib),
)


def differences(reading: Reading) -> Differences:
    """Returns how EC2's answers differ from the catalog; the fields in ``NEVER_TRUSTED`` make no edit."""
    unknown: dict[str, dict[str, tuple[str, ...]]] = {}
    for region, answer in reading.answers.items():
        for name, zone_ids in answer.zone_ids.items():
            if name not in INSTANCE_TYPES:
                unknown.setdefault(name, {})[region] = zone_ids
    return Differences(
        edits=tuple(_edits(reading)), surprises=tuple(_surprises(reading)), unknown=dict(sorted(unknown.items()))
    )


def _edits(reading: Reading) -> Iterator[Edit]:
    found: dict[tuple[str, str, Value, Value], dict[str, None]] = {}
    for region, answer in reading.answers.items():
        for row in INSTANCE_TYPES.values():
            record = answer.records.get(row.name)
            for key in (*(_of_row(row, record) if record else ()), *_of_zones(row, region, answer.zone_ids)):
                found.setdefault(key, {})[region] = None
    for (name, field, old, new), regions in found.items():
        yield Edit(name=name, field=field, old=old, new=new, regions=tuple(regions))


def _of_row(row: InstanceType, record: Record) -> Iterator[tuple[str, str, Value, Value]]:
    chip = CHIPS[row.chip]
    rows: tuple[tuple[InstanceType | Chip, tuple[_Field, ...]], ...] = ((row, _OF_TYPE), (chip, _OF_CHIP))
    for subject, fields in rows:
        for field in fields:
            if _is_trusted(row.name, field.path):
                old, new = getattr(subject, field.name), field.made(_at(record, field.path))
                if old != new:
                    yield subject.name, field.name, old, new


def _of_zones(
    row: InstanceType, region: str, zone_ids: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, Value, Value]]:
    old, new = row.availability_zone_ids.get(region, ()), zone_ids.get(row.name, ())
    if old != new:
        yield row.name, f"availability_zone_ids[{region}]", old or None, new or None


def _surprises(reading: Reading) -> Iterator[Surprise]:
    found: dict[tuple[str, Trap, Value], list[str]] = {}
    for region, answer in reading.answers.items():
        for trap in NEVER_TRUSTED:
            for name in trap.types:
                record = answer.records.get(name)
                says = _said(_at(record, trap.field)) if record else trap.says
                if says != trap.says:
                    found.setdefault((name, trap, says), []).append(region)
    for (name, trap, says), regions in found.items():
        yield Surprise(name=name, trap=trap, says=says, regions=tuple(regions))


def _said(values: tuple[Value, ...]) -> Value:
    """Returns what all values are; a record as JSON."""
    return _one(tuple(json.dumps(each, sort_keys=True) if isinstance(each, dict) else each for each in values))


def _is_trusted(name: str, path: str) -> bool:
    return not any(f"{path}.".startswith(f"{trap.field}.") for trap in traps_of(name))


def _at(record: Record, path: str) -> tuple[Value, ...]:
    """Returns what stands at a path of a record: nothing, one value, or every member's of a list."""
    found: list[Value] = [record]
    for step in path.split("."):
        key = step.removesuffix("[]")
        values = [each[key] for each in found if each.get(key) is not None]
        found = [member for value in values for member in value] if step.endswith("[]") else values
    return tuple(found)
