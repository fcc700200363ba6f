"""List prices of S3 and FSx for Lustre, USD a month, as reviewed rows: None where none was found."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from trnstack.catalog.model import Fact

#: Of all prices of S3's class Standard: what the first 50 TB of a month cost, in the regions that have Trainium.
#: Four more public tables agree, but for one with 0.026 for ap-southeast-2; ap-south-2 and ap-southeast-4 are missing.
S3_PRICES = Fact(
    source="Price List API, AmazonS3, reading of 2026-07-01 in a public repository",
    read_on=dt.date(2026, 11, 30),
)
S3_STANDARD_USD_PER_GB_MONTH: Mapping[str, float] = MappingProxyType(
    {
        "ap-south-1": 0.025,
        "ap-southeast-2": 0.025,
        "sa-east-1": 0.0405,
        "us-east-1": 0.023,
        "us-east-2": 0.023,
        "us-west-2": 0.023,
    }
)
#: Bands of us-east-1: up to so many GB, so much a GB.
#: Source: S3 pricing page, US East (N. Virginia), as of 2024-11-01 in a public repository; 1 TB is 1,024 GB there.
_S3_BANDS: tuple[tuple[float, float], ...] = ((50 * 1024, 0.023), (500 * 1024, 0.022), (float("inf"), 0.021))
#: Regions for which those bands were found as they are.
_S3_BANDED = frozenset({"us-east-1"})

#: Of all prices of FSx for Lustre. The table of us-east-1 is a public program's. A reading of the Price List API of
#: 2026-07-13 agrees for 125 MB/s a TiB, and Seqera's comparison of storage of 2023 for SCRATCH_2, 125 and 1,000. Of
#: us-east-2 a public operations page of 2026-08 has the price for 250, and nothing else was found.
LUSTRE_PRICES = Fact(
    source="FSx for Lustre pricing page, US East (N. Virginia), as in a public program's table, checked at four prices",
    read_on=dt.date(2026, 11, 30),
)
#: USD for a GiB and month by region, deployment type, storage type and MB/s a TiB (0 where there is no choice). FSx
#: says GB and bills the GiB that are asked for: 1,200 GiB at 0.145 are 174 USD.
_LUSTRE: Mapping[tuple[str, str, str, int], float] = MappingProxyType(
    {
        ("us-east-1", "SCRATCH_2", "SSD", 0): 0.140,
        ("us-east-1", "PERSISTENT_1", "SSD", 50): 0.140,
        ("us-east-1", "PERSISTENT_1", "SSD", 100): 0.190,
        ("us-east-1", "PERSISTENT_1", "SSD", 200): 0.290,
        ("us-east-1", "PERSISTENT_1", "HDD", 12): 0.025,
        ("us-east-1", "PERSISTENT_1", "HDD", 40): 0.083,
        ("us-east-1", "PERSISTENT_2", "SSD", 125): 0.145,
        ("us-east-1", "PERSISTENT_2", "SSD", 250): 0.210,
        ("us-east-1", "PERSISTENT_2", "SSD", 500): 0.340,
        ("us-east-1", "PERSISTENT_2", "SSD", 1000): 0.600,
        ("us-east-2", "PERSISTENT_2", "SSD", 250): 0.210,
    }
)
_BYTES_PER_GB = 2**30

#: A customer-managed key, in every region, until its deletion is scheduled; yearly rotation adds to it.
#: Source: KMS pricing page, "Key storage", read on 2026-11-30.
KMS_KEY_USD_PER_MONTH = 1.0


def s3_monthly_usd(region: str, size: int) -> float | None:
    """Returns what so many bytes cost a month in S3's class Standard; None where the region's price was not found.

    Beyond 50 TB, regions whose further bands were not found are counted at the first, which is an upper bound.

    Source: S3 pricing page; S3 counts a GB as 2^30 bytes.
    """
    first = S3_STANDARD_USD_PER_GB_MONTH.get(region)
    if first is None:
        return None
    gb = size / _BYTES_PER_GB
    if region not in _S3_BANDED:
        return gb * first
    usd, below = 0.0, 0.0
    for limit, price in _S3_BANDS:
        usd += (min(gb, limit) - below) * price
        below = limit
        if gb <= limit:
            break
    return usd


def s3_price_is_most(region: str, size: int) -> bool:
    """Tells whether so many bytes cost what ``s3_monthly_usd`` says at most: beyond 50 TB its bands were not found."""
    return region not in _S3_BANDED and size / _BYTES_PER_GB > _S3_BANDS[0][0]


def lustre_monthly_usd(
    region: str,
    *,
    deployment_type: str,
    storage_type: str,
    storage_gib: int,
    throughput_mbps_per_tib: int,
    drive_cache: str | None = None,
) -> float | None:
    """Returns what a file system costs a month; None where its price was not found, or depends on what it will hold.

    Intelligent-Tiering is of the latter kind, and metadata IOPS beyond those that come with the size are not counted.
    Hard disks with an SSD cache, of a fifth of their size, have a price of their own, which was not found.

    Source: FSx for Lustre pricing page: "the optional SSD cache ... the cache size is 20% of your file system size".
    """
    if drive_cache == "READ":
        return None
    rate = 0 if deployment_type == "SCRATCH_2" else throughput_mbps_per_tib
    price = _LUSTRE.get((region, deployment_type, storage_type, rate))
    return None if price is None else storage_gib * price
