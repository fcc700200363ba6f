"""List prices of storage."""

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.catalog.storage_prices import (
    LUSTRE_PRICES,
    S3_PRICES,
    S3_STANDARD_USD_PER_GB_MONTH,
    lustre_monthly_usd,
    s3_monthly_usd,
    s3_price_is_most,
)

TB = 2**40


class TestS3:
    @pytest.mark.parametrize(
        ("region", "size", "usd"),
        [
            ("us-east-1", TB, 1024 * 0.023),
            ("us-east-1", 50 * TB, 50 * 1024 * 0.023),
            ("us-east-1", 100 * TB, 50 * 1024 * 0.023 + 50 * 1024 * 0.022),
            ("us-east-1", 600 * TB, 50 * 1024 * 0.023 + 450 * 1024 * 0.022 + 100 * 1024 * 0.021),
            ("us-east-2", 100 * TB, 100 * 1024 * 0.023),  # its further bands were not found: an upper bound
            ("us-east-1", 0, 0),
        ],
    )
    def test_bands(self, region, size, usd):
        """The first 50 TB of a month cost most."""
        assert s3_monthly_usd(region, size) == pytest.approx(usd)

    def test_not_found(self):
        """A region whose price was not found has none, rather than another's."""
        assert s3_monthly_usd("ap-south-2", TB) is None

    @pytest.mark.parametrize(
        ("region", "size", "most"),
        [("us-east-2", 50 * TB, False), ("us-east-2", 51 * TB, True), ("us-east-1", 51 * TB, False)],
    )
    def test_bound(self, region, size, most):
        """Beyond 50 TB it is a bound where further bands were not found."""
        assert s3_price_is_most(region, size) is most

    def test_regions_have_trainium(self):
        """Prices are kept of regions that are of use."""
        regions = {region for row in INSTANCE_TYPES.values() for region in row.availability_zone_ids}

        assert regions >= S3_STANDARD_USD_PER_GB_MONTH.keys()


class TestLustre:
    @pytest.mark.parametrize(
        ("deployment", "storage", "rate", "gib", "usd"),
        [
            ("PERSISTENT_2", "SSD", 125, 1200, 174),
            ("PERSISTENT_2", "SSD", 1000, 1200, 720),
            ("PERSISTENT_1", "HDD", 12, 6000, 150),
            ("SCRATCH_2", "SSD", 250, 1200, 168),
        ],
    )
    def test_by_kind(self, deployment, storage, rate, gib, usd):
        """Each GiB has its price by kind and rate; scratch has no choice of a rate."""
        found = lustre_monthly_usd(
            "us-east-1",
            deployment_type=deployment,
            storage_type=storage,
            storage_gib=gib,
            throughput_mbps_per_tib=rate,
        )

        assert found == pytest.approx(usd)

    @pytest.mark.parametrize(
        ("region", "storage", "rate"),
        [("us-east-2", "SSD", 500), ("ap-south-2", "SSD", 250), ("us-east-1", "INTELLIGENT_TIERING", 250)],
    )
    def test_not_found(self, region, storage, rate):
        """What was not found, or follows what will be held, has no price."""
        assert (
            lustre_monthly_usd(
                region,
                deployment_type="PERSISTENT_2",
                storage_type=storage,
                storage_gib=1200,
                throughput_mbps_per_tib=rate,
            )
            is None
        )

    @pytest.mark.parametrize(("cache", "usd"), [(None, 150), ("NONE", 150), ("READ", None)])
    def test_drive_cache(self, cache, usd):
        """An SSD cache is paid for, and hard disks with one are not priced as those without."""
        kind = {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "throughput_mbps_per_tib": 12}

        assert lustre_monthly_usd("us-east-1", **kind, storage_gib=6000, drive_cache=cache) == usd

    def test_sources(self):
        """Prices say where they are from and when they were read."""
        assert S3_PRICES.source
        assert LUSTRE_PRICES.read_on >= S3_PRICES.read_on
