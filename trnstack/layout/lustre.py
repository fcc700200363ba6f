"""What a Lustre file system's figures come to: throughput, servers, metadata, what one client reaches, sizes on offer.

Every figure is for the file system's baseline, which it keeps up for as long as is needed. What it reaches beyond that
by its credits is left out: AWS does not publish how long the credits last for writes.

Sources, by their short names in this module:

* "performance": FSx for Lustre user guide, "Amazon FSx for Lustre performance", with its pages "Performance
  characteristics of SSD and HDD storage classes" and "... of Intelligent-Tiering storage class".
* "options": FSx for Lustre user guide, "Deployment and storage class options for FSx for Lustre file systems".
* "API": FSx API reference, CreateFileSystem, as in botocore 1.44.8.
"""

import bisect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

#: FSx counts 1,000 GiB as a tebibyte here: "a 2.4-TiB file system" at 50 MB/s a TiB yields 120 MB/s. An example in the
#: user guide of 2020 counts 1,024 ("4.8 TiB and 50 MB/s per TiB ... 234 MB/s"), which is 2 % less.
#: Source: FSx API reference, CreateFileSystemLustreConfiguration, ``PerUnitStorageThroughput``.
GIB_PER_TIB_OF_THROUGHPUT = 1000

#: MB/s a TiB that may be asked for, by deployment and storage type. Source: API, ``PerUnitStorageThroughput``.
THROUGHPUTS: Mapping[tuple[str, str], tuple[int, ...]] = MappingProxyType(
    {
        ("PERSISTENT_1", "SSD"): (50, 100, 200),
        ("PERSISTENT_1", "HDD"): (12, 40),
        ("PERSISTENT_2", "SSD"): (125, 250, 500, 1000),
    }
)
#: Sizes of SSD: the smallest, and the step of all others. Source: API, ``StorageCapacity``.
SMALLEST_SSD_GIB, SSD_STEP_GIB = 1200, 2400
#: Steps of SCRATCH_1 above the two smallest sizes, which are those of SSD.
#: Source: FSx API reference, CreateFileSystem StorageCapacity.
FIRST_SCRATCH_STEP_GIB = 3600
#: The step of sizes of HDD, by throughput. Source: API, ``StorageCapacity``.
HDD_STEPS_GIB: Mapping[int, int] = MappingProxyType({12: 6000, 40: 1800})
#: The step of sizes of a file system with EFA, by throughput. Source: options, "storage per OSS".
EFA_STEPS_GIB: Mapping[int, int] = MappingProxyType({125: 38_400, 250: 19_200, 500: 9600, 1000: 4800})
#: Throughputs of Intelligent-Tiering: the small ones, the step of all others, and the most.
#: Source: API, ``ThroughputCapacity``.
SMALL_TIERING_MBPS, TIERING_STEP_MBPS, MOST_TIERING_MBPS = (1000, 2000), 4000, 2_000_000

#: What Lustre's servers and clients speak to each other over, by first and last port.
#: Source: FSx for Lustre user guide, "File system access control with Amazon VPC".
LUSTRE_PORTS = ((988, 988), (1018, 1023))

#: SCRATCH_2 has no choice: MB/s a TiB read from its disks, and written to them. Source: performance.
_SCRATCH_READ, _SCRATCH_WRITE = 200, 100
#: Network baseline, MB/s a TiB. Source: performance, of June 2023 for PERSISTENT_1.
_NETWORK: Mapping[tuple[str, str, int], int] = MappingProxyType(
    {
        ("SCRATCH_2", "SSD", _SCRATCH_READ): 200,
        ("PERSISTENT_1", "SSD", 50): 250,
        ("PERSISTENT_1", "SSD", 100): 500,
        ("PERSISTENT_1", "SSD", 200): 750,
        ("PERSISTENT_1", "HDD", 12): 40,
        ("PERSISTENT_1", "HDD", 40): 150,
        ("PERSISTENT_2", "SSD", 125): 320,
        ("PERSISTENT_2", "SSD", 250): 640,
        ("PERSISTENT_2", "SSD", 500): 1300,
        ("PERSISTENT_2", "SSD", 1000): 2600,
    }
)
#: Network of Intelligent-Tiering for each 4,000 MB/s of throughput. Source: performance.
_TIERING_NETWORK_MBPS = 12_500

#: GiB for each object storage server, without EFA; one server for each 4,000 MB/s of Intelligent-Tiering.
#: Source: options.
_GIB_PER_SERVER = 2400

#: The most that one client reaches, Gbit/s: by TCP, and by EFA where the file system has it; and by TCP to one server.
#: Source: performance, "Throughput to individual client instances".
_TCP_CLIENT_GBPS, _EFA_CLIENT_GBPS, _TCP_SERVER_GBPS = 100, 700, 5
_MBPS_PER_GBPS = 125

#: Metadata IOPS that come with a size of SSD: up to this many GiB, so many; from 48,000 GiB, 12,000 for each 24,000.
#: Source: FSx for Lustre user guide, "Managing metadata performance", as quoted in tylertitsworth/skills at 371bfdff.
_METADATA_IOPS = ((1200, 1500), (2400, 3000), (9600, 6000), (47_999, 12_000))
_MORE_METADATA_IOPS, _MORE_METADATA_GIB = 12_000, 24_000

#: Sizes up to so many steps are looked at; beyond, FSx has to be asked. SSD comes to 2.4 PB with them.
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystem:
    """What a file system is asked to be.

    Attributes:
        throughput_mbps_per_tib: Of persistent SSD and HDD; other types pass it by.
        throughput_capacity_mbps: Of Intelligent-Tiering; 0 for other types.
        drive_cache: ``READ`` for hard disks with an SSD cache, which speeds up reading alone; else ``NONE``.
        efa_enabled: Whether clients may reach it by EFA.
    """

    deployment_type: str
    storage_type: str
    storage_gib: int
    throughput_mbps_per_tib: int
    throughput_capacity_mbps: int = 0
    drive_cache: str = "NONE"
    efa_enabled: bool = False

    @property
    def is_tiering(self) -> bool:
        """Whether it grows with what it holds, its throughput being bought by itself."""
        return self.storage_type == "INTELLIGENT_TIERING"

    @property
    def has_no_rate(self) -> bool:
        """Whether its throughput for each TiB can't be chosen."""
        return (self.deployment_type, self.storage_type) not in THROUGHPUTS

    @property
    def _per_tib(self) -> int:
        return _SCRATCH_READ if self.deployment_type == "SCRATCH_2" else self.throughput_mbps_per_tib

    @property
    def _key(self) -> tuple[str, str, int]:
        return self.deployment_type, self.storage_type, self._per_tib

    @property
    def read_mbps(self) -> int:
        """What its disks give, MB/s; Intelligent-Tiering's throughput capacity."""
        return self.throughput_capacity_mbps if self.is_tiering else throughput_mbps(self.storage_gib, self._per_tib)

    @property
    def network_mbps(self) -> int | None:
        """What its servers' network carries, MB/s; None for a rate that FSx does not offer."""
        if self.is_tiering:
            return self.throughput_capacity_mbps * _TIERING_NETWORK_MBPS // TIERING_STEP_MBPS
        per_tib = _NETWORK.get(self._key)
        return None if per_tib is None else throughput_mbps(self.storage_gib, per_tib)

    @property
    def write_mbps(self) -> int:
        """What can be written to it for as long as is needed, MB/s: the lower of network and disks.

        Source: performance, "How FSx for Lustre file systems work"; SCRATCH_2's disks take half of what they give.
        """
        disks = self.read_mbps
        if self.deployment_type == "SCRATCH_2":
            disks = throughput_mbps(self.storage_gib, _SCRATCH_WRITE)
        return disks if self.network_mbps is None else min(disks, self.network_mbps)

    @property
    def export_mbps(self) -> int:
        """At most this much goes to S3, MB/s: what is exported is read from the disks and sent by the servers' network.

        AWS names no rate of its own for automatic export and for data repository tasks, only that files go in parallel.

        Source: FSx for Lustre user guide, "Exporting changes to the data repository".
        """
        return self.read_mbps if self.network_mbps is None else min(self.read_mbps, self.network_mbps)

    @property
    def servers(self) -> int:
        """Its object storage servers, over which files are spread."""
        if self.is_tiering:
            return max(1, -(-self.throughput_capacity_mbps // TIERING_STEP_MBPS))
        per_server = _GIB_PER_SERVER
        if self.storage_type == "HDD":
            per_server = HDD_STEPS_GIB.get(self.throughput_mbps_per_tib, _GIB_PER_SERVER)
        elif self.efa_enabled:
            per_server = EFA_STEPS_GIB.get(self.throughput_mbps_per_tib, _GIB_PER_SERVER)
        return max(1, -(-self.storage_gib // per_server))

    @property
    def metadata_iops(self) -> int | None:
        """The metadata operations a second that come with its size; None where AWS does not publish them.

        Only PERSISTENT_2 has them apart from its size; for Intelligent-Tiering the API reference says that they follow
        the throughput, and not how.
        """
        if self.deployment_type != "PERSISTENT_2" or self.is_tiering:
            return None
        below = next((iops for gib, iops in _METADATA_IOPS if self.storage_gib <= gib), None)
        return below or self.storage_gib // _MORE_METADATA_GIB * _MORE_METADATA_IOPS


def throughput_mbps(storage_gib: int, throughput_mbps_per_tib: int) -> int:
    """Returns the disk throughput in MB/s that a file system of this size has."""
    return storage_gib * throughput_mbps_per_tib // GIB_PER_TIB_OF_THROUGHPUT


def client_mbps(file_system: FileSystem, *, card_gbps: float | None, efa_gbps: float | None = None) -> int:
    """Returns what one client sends to a file system or reads from it, MB/s.

    Args:
        file_system: The file system.
        card_gbps: The bandwidth of the client's first network card, by which TCP goes; None where it is unknown.
        efa_gbps: The bandwidth of the client's EFA interfaces where it uses them for the file system; None elsewhere.
    """
    if efa_gbps is not None and file_system.efa_enabled:
        return int(min(efa_gbps, _EFA_CLIENT_GBPS) * _MBPS_PER_GBPS)
    limits = [_TCP_CLIENT_GBPS, file_system.servers * _TCP_SERVER_GBPS]
    return int(min([*limits, *([card_gbps] if card_gbps else [])]) * _MBPS_PER_GBPS)


def sizes(file_system: FileSystem) -> Iterator[FileSystem]:
    """Yields the file systems of the same kind and rate in every size on offer, the smallest first."""
    return (_with_size(file_system, size) for size in _offered(file_system))


def smallest(file_system: FileSystem, suffices: Callable[[FileSystem], bool]) -> FileSystem | None:
    """Returns the smallest file system of the same kind and rate that suffices; None where no size does.

    Args:
        file_system: Of the kind and rate.
        suffices: Tells whether a file system does; what suffices must suffice in every larger size.
    """
    offered = _offered(file_system)
    place = bisect.bisect_left(offered, 1, key=lambda size: int(suffices(_with_size(file_system, size))))
    return _with_size(file_system, offered[place]) if place < len(offered) else None


def _offered(file_system: FileSystem) -> tuple[int, ...]:
    """Returns the sizes on offer, GiB; of Intelligent-Tiering the throughputs, MB/s; none of what FSx refuses."""
    if file_system.is_tiering:
        small = () if file_system.efa_enabled else SMALL_TIERING_MBPS
        return (*small, *range(TIERING_STEP_MBPS, MOST_TIERING_MBPS + 1, TIERING_STEP_MBPS))
    step: int | None = SSD_STEP_GIB
    if file_system.storage_type == "HDD":
        step = HDD_STEPS_GIB.get(file_system.throughput_mbps_per_tib)
    elif file_system.efa_enabled:
        step = EFA_STEPS_GIB.get(file_system.throughput_mbps_per_tib)
    if step is None:
        return ()
    first = (SMALLEST_SSD_GIB,) if step == SSD_STEP_GIB else ()
    return (*first, *range(step, step * _MOST_STEPS + 1, step))


def _with_size(file_system: FileSystem, size: int) -> FileSystem:
    if file_system.is_tiering:
        return replace(file_system, throughput_capacity_mbps=size)
    return replace(file_system, storage_gib=size)


def rates(file_system: FileSystem) -> Iterator[FileSystem]:
    """Yields the file systems of the same kind at every rate on offer, the lowest first; without a choice, itself."""
    if file_system.has_no_rate:
        yield file_system
        return
    for rate in THROUGHPUTS[file_system.deployment_type, file_system.storage_type]:
        yield replace(file_system, throughput_mbps_per_tib=rate)
