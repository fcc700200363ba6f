"""What a Lustre file system's figures come to."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.layout.lustre import THROUGHPUTS, FileSystem, client_mbps, rates, sizes, throughput_mbps

KINDS = [
    ("SCRATCH_2", "SSD", 0),
    *((deployment, storage, rate) for (deployment, storage), offered in THROUGHPUTS.items() for rate in offered),
    ("PERSISTENT_2", "INTELLIGENT_TIERING", 0),
]


def made(deployment="PERSISTENT_2", storage="SSD", rate=250, gib=4800, **changes):
    return FileSystem(
        deployment_type=deployment, storage_type=storage, storage_gib=gib, throughput_mbps_per_tib=rate, **changes
    )


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

    @pytest.mark.parametrize(
        ("file_system", "read", "write", "network"),
        [
            # Four thousand eight hundred GiB are 4.8 times the figures that the user guide has for a TiB.
            (made("SCRATCH_2"), 960, 480, 960),
            (made("PERSISTENT_1", rate=50), 240, 240, 1200),
            (made("PERSISTENT_1", rate=100), 480, 480, 2400),
            (made("PERSISTENT_1", rate=200), 960, 960, 3600),
            (made("PERSISTENT_1", "HDD", 12, 6000), 72, 72, 240),
            (made("PERSISTENT_1", "HDD", 40, 1800), 72, 72, 270),
            (made(rate=125), 600, 600, 1536),
            (made(rate=250), 1200, 1200, 3072),
            (made(rate=500), 2400, 2400, 6240),
            (made(rate=1000), 4800, 4800, 12_480),
        ],
    )
    def test_of_each_kind(self, file_system, read, write, network):
        """Writing is as fast as the disks for as long as it takes; scratch takes half of what it gives."""
        assert (file_system.read_mbps, file_system.write_mbps) == (read, write)
        assert file_system.network_mbps == network

    def test_each_kind_on_offer_has_a_network(self):
        """No rate that FSx offers is without its figure; what it does not offer has none."""
        for (deployment, storage), offered in THROUGHPUTS.items():
            assert all(made(deployment, storage, rate).network_mbps for rate in offered)
        assert made(rate=50).network_mbps is None

    @pytest.mark.parametrize(("capacity", "network"), [(1000, 3125), (4000, 12_500), (12_000, 37_500)])
    def test_of_intelligent_tiering(self, capacity, network):
        """Intelligent-Tiering has the throughput that is bought, whatever it holds."""
        file_system = made(storage="INTELLIGENT_TIERING", throughput_capacity_mbps=capacity)

        assert file_system.read_mbps == file_system.write_mbps == file_system.export_mbps == capacity
        assert file_system.network_mbps == network

    def test_export_is_read_from_the_disks(self):
        """Nothing goes to S3 faster than it is read and sent."""
        assert made().export_mbps == 1200
        assert made("SCRATCH_2").export_mbps == 960


class TestServers:
    @pytest.mark.parametrize(
        ("file_system", "servers"),
        [
            (made(gib=1200), 1),
            (made(gib=2400), 1),
            (made(gib=4800), 2),
            (made(gib=12_000), 5),
            (made(rate=1000, gib=9600, efa_enabled=True), 2),
            (made(rate=125, gib=38_400, efa_enabled=True), 1),
            (made("PERSISTENT_1", "HDD", 12, 12_000), 2),
            (made("PERSISTENT_1", "HDD", 40, 5400), 3),
            (made(storage="INTELLIGENT_TIERING", throughput_capacity_mbps=1000), 1),
            (made(storage="INTELLIGENT_TIERING", throughput_capacity_mbps=12_000), 3),
        ],
    )
    def test_count(self, file_system, servers):
        """Each kind has its GiB for a server, and with EFA more of them."""
        assert file_system.servers == servers


class TestMetadataIops:
    @pytest.mark.parametrize(
        ("gib", "iops"),
        [
            (1200, 1500),
            (2400, 3000),
            (4800, 6000),
            (9600, 6000),
            (12_000, 12_000),
            (45_600, 12_000),
            (48_000, 24_000),
            (72_000, 36_000),
        ],
    )
    def test_follow_the_size(self, gib, iops):
        """What comes with a size of SSD."""
        assert made(gib=gib).metadata_iops == iops

    def test_of_other_kinds(self):
        """What is not published is not made up."""
        assert made("SCRATCH_2").metadata_iops is None
        assert made(storage="INTELLIGENT_TIERING", throughput_capacity_mbps=4000).metadata_iops is None


class TestClient:
    @pytest.mark.parametrize(
        ("file_system", "card_gbps", "efa_gbps", "expected"),
        [
            (made(gib=2400), 100, None, 625),  # one server, 5 Gbit/s
            (made(gib=4800), 100, None, 1250),
            (made(gib=4800), 3.125, None, 390),  # a small instance's card
            (made(gib=4800), None, None, 1250),
            (made(gib=240_000), 100, None, 12_500),  # a hundred servers, one card
            (made(gib=240_000), 200, None, 12_500),  # TCP ends at 100 Gbit/s
            (made(rate=1000, efa_enabled=True), 100, 800, 87_500),
            (made(rate=1000, efa_enabled=True), 100, 200, 25_000),
            (made(rate=1000, efa_enabled=True), 100, None, 625),
            (made(gib=4800), 100, 800, 1250),  # EFA that the file system has not
        ],
    )
    def test_is_limited(self, file_system, card_gbps, efa_gbps, expected):
        """By its card, by the servers, by TCP as such, or by EFA as such."""
        assert client_mbps(file_system, card_gbps=card_gbps, efa_gbps=efa_gbps) == expected


class TestSizes:
    @pytest.mark.parametrize(
        ("file_system", "first"),
        [
            (made(gib=9600), [1200, 2400, 4800, 7200]),
            (made("SCRATCH_2"), [1200, 2400, 4800, 7200]),
            (made("PERSISTENT_1", "HDD", 12), [6000, 12_000, 18_000, 24_000]),
            (made("PERSISTENT_1", "HDD", 40), [1800, 3600, 5400, 7200]),
            (made(rate=1000, efa_enabled=True), [4800, 9600, 14_400, 19_200]),
        ],
    )
    def test_begin_with_the_smallest(self, file_system, first):
        """The steps are FSx's."""
        assert [each.storage_gib for each in itertools.islice(sizes(file_system), 4)] == first

    def test_of_intelligent_tiering(self):
        """Its throughput grows, and begins higher with EFA."""
        plain = made(storage="INTELLIGENT_TIERING")
        efa = made(storage="INTELLIGENT_TIERING", efa_enabled=True)

        assert [each.throughput_capacity_mbps for each in itertools.islice(sizes(plain), 4)] == [1000, 2000, 4000, 8000]
        assert [each.throughput_capacity_mbps for each in itertools.islice(sizes(efa), 2)] == [4000, 8000]

    @pytest.mark.parametrize(
        "file_system", [made("SCRATCH_2", "HDD"), made("PERSISTENT_1", "SSD", 50, efa_enabled=True)]
    )
    def test_of_what_is_not_offered(self, file_system):
        """What FSx refuses has no sizes; rules say why."""
        assert not list(sizes(file_system))

    def test_rates(self):
        """Each kind has its rates; what has no choice stays as it is."""
        assert [each.throughput_mbps_per_tib for each in rates(made())] == [125, 250, 500, 1000]
        assert list(rates(made("SCRATCH_2"))) == [made("SCRATCH_2")]

    @given(kind=st.sampled_from(KINDS), efa=st.booleans(), card=st.sampled_from([None, 3.125, 100.0]))
    def test_larger_is_never_slower(self, kind, efa, card):
        """No step up takes throughput, servers or reach away."""
        deployment, storage, rate = kind
        efa = efa and deployment == "PERSISTENT_2"
        steps = list(itertools.islice(sizes(made(deployment, storage, rate, efa_enabled=efa)), 60))

        assert steps
        for small, large in itertools.pairwise(steps):
            assert small.write_mbps <= large.write_mbps
            assert small.export_mbps <= large.export_mbps
            assert small.servers <= large.servers
            assert client_mbps(small, card_gbps=card) <= client_mbps(large, card_gbps=card)
