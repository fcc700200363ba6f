"""What a Lustre file system's figures come to."""

import pytest

from trnstack.layout.lustre import throughput_mbps


class TestThroughput:
    @pytest.mark.parametrize(
        ("storage_gib", "throughput_mbps_per_tib", "expected"),
        [
            (2400, 50, 120),  # FSx's own example in its API reference
            (1200, 125, 150),
            (2400, 500, 1200),
            (4800, 250, 1200),
            (4800, 1000, 4800),
            (38_400, 125, 4800),
        ],
    )
    def test_counts_a_thousand_gib_to_a_tib(self, storage_gib, throughput_mbps_per_tib, expected):
        """A file system's throughput is its size in thousands of GiB times its rate, as FSx counts."""
        assert throughput_mbps(storage_gib, throughput_mbps_per_tib) == expected
