"""What a Lustre file system's figures come to."""

#: FSx counts 1,000 GiB as a tebibyte here: "a 2.4-TiB file system" at 50 MB/s a TiB yields 120 MB/s.
#: Source: FSx API reference, CreateFileSystemLustreConfiguration, ``PerUnitStorageThroughput``.
GIB_PER_TIB_OF_THROUGHPUT = 1000


def throughput_mbps(storage_gib: int, throughput_mbps_per_tib: int) -> int:
    """Returns the disk throughput in MB/s that a file system of this size has."""
    return storage_gib * throughput_mbps_per_tib // GIB_PER_TIB_OF_THROUGHPUT
