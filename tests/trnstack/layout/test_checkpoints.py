"""What a checkpoint comes to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trnstack.layout.checkpoints import (
    Checkpoint,
    a_day,
    busiest_node_bytes,
    capacity_bytes,
    checkpoint,
    needed_bytes,
    repeated_parameters,
    stall_share,
    write_seconds,
    written_bytes,
)

BILLION = 10**9


class TestCheckpoint:
    @pytest.mark.parametrize(
        ("precision", "zero_stage", "master_weights", "bytes_each"),
        [
            ("bf16", 1, True, 2 + 4 + 8),
            ("fp16", 2, True, 2 + 4 + 8),
            ("fp8", 3, True, 2 + 4 + 8),
            ("bf16", 1, False, 2 + 8),
            ("bf16", 0, True, 2 + 8),
            ("fp32", 1, True, 4 + 8),
            ("fp32", 0, True, 4 + 8),
        ],
    )
    def test_bytes_of_a_parameter(self, precision, zero_stage, master_weights, bytes_each):
        """Weights, FP32 weights beside those of 16 bits where ZeRO keeps them, and two moments."""
        made = checkpoint(BILLION, precision=precision, zero_stage=zero_stage, master_weights=master_weights)

        assert made.total == bytes_each * BILLION

    def test_parts(self):
        """The parts are told apart, since different nodes write them."""
        made = checkpoint(8_030_000_000, precision="bf16", zero_stage=1, master_weights=True)

        assert made == Checkpoint(weights=16_060_000_000, master_weights=32_120_000_000, moments=64_240_000_000)


class TestRepeatedParameters:
    @pytest.mark.parametrize(
        ("heads", "tensor", "copies"),
        [(8, 32, 4), (8, 16, 2), (8, 8, 1), (8, 4, 1), (8, 1, 1), (32, 32, 1), (1, 32, 32), (8, 64, 8), (10, 4, 2)],
    )
    def test_as_often_as_heads_divide_among_cores(self, heads, tensor, copies):
        """Keys and values of 32 layers, 4,096 wide, with heads of 128, once for each time but the first."""
        shape = {"layers": 32, "hidden_size": 4096, "attention_heads": 32}
        found = repeated_parameters(**shape, key_value_heads=heads, tensor=tensor)

        assert found == 2 * 32 * 4096 * heads * 128 * (copies - 1)

    @given(tensor=st.sampled_from([1, 2, 4, 8, 16, 32, 64]), heads=st.sampled_from([1, 2, 4, 8, 16, 32, 64]))
    def test_one_head_is_the_most(self, tensor, heads):
        """What is shown as the most, where the number of heads is not written, is no less than any of them."""
        shape = {"layers": 80, "hidden_size": 8192, "attention_heads": 64, "tensor": tensor}

        assert repeated_parameters(**shape, key_value_heads=heads) <= repeated_parameters(**shape, key_value_heads=1)


class TestBusiestNode:
    SIZE = Checkpoint(weights=160, master_weights=320, moments=640)

    @pytest.mark.parametrize(
        ("zero_stage", "expected"),
        [
            (0, 280),  # four nodes hold the model and write everything: 1,120 / 4
            (1, 100),  # 160 / 4 of weights, 960 / 16 of the rest
            (2, 100),
            (3, 70),  # sixteen nodes write 1,120
        ],
    )
    def test_by_stage(self, zero_stage, expected):
        """The further ZeRO goes, the more nodes write."""
        assert busiest_node_bytes(self.SIZE, nodes=16, model_nodes=4, zero_stage=zero_stage) == expected

    def test_a_single_node_writes_all(self):
        """Whatever the stage."""
        for stage in range(4):
            assert busiest_node_bytes(self.SIZE, nodes=1, model_nodes=1, zero_stage=stage) == self.SIZE.total


class TestTime:
    def test_the_file_system_limits(self):
        """120 GB at 1,200 MB/s take 100 s; the busiest node's 20 GB at 1,250 MB/s only 16."""
        assert write_seconds(120 * BILLION, busiest=20 * BILLION, file_system_mbps=1200, client_mbps=1250) == 100

    def test_the_busiest_node_limits(self):
        """50 GB from one node at 250 MB/s take 200 s, however fast the file system is."""
        assert write_seconds(120 * BILLION, busiest=50 * BILLION, file_system_mbps=1200, client_mbps=250) == 200

    def test_stall(self):
        """95 s of writing after 30 minutes of training are 95 of 1,895."""
        assert stall_share(95, interval_minutes=30) == pytest.approx(95 / 1895)
        assert stall_share(0, interval_minutes=30) == 0

    def test_a_day(self):
        """A day has 86,400 seconds, of which each checkpoint takes its interval and its time."""
        assert a_day(0, interval_minutes=30) == 48
        assert a_day(1800, interval_minutes=30) == 24

    def test_a_month(self):
        """45.625 a day of 112.42 GB are 153.87 TB in 30 days."""
        assert written_bytes(112_420_000_000, checkpoints_a_day=45.625, days=30) == 153_874_875_000_000
        assert written_bytes(112_420_000_000, checkpoints_a_day=45.625, days=0) == 0

    @given(
        total=st.integers(1, 10**15),
        share=st.floats(0, 1),
        slow=st.integers(1, 10**6),
        more=st.integers(0, 10**6),
        interval=st.integers(1, 10_000),
    )
    def test_faster_never_waits_longer(self, total, share, slow, more, interval):
        """More throughput, of the file system or of the nodes, takes no longer."""
        busiest = int(total * share)
        before = write_seconds(total, busiest=busiest, file_system_mbps=slow, client_mbps=slow)
        for change in ({"file_system_mbps": slow + more}, {"client_mbps": slow + more}):
            after = write_seconds(total, busiest=busiest, **{"file_system_mbps": slow, "client_mbps": slow, **change})
            assert after <= before
            assert stall_share(after, interval_minutes=interval) <= stall_share(before, interval_minutes=interval) < 1


class TestRoom:
    def test_the_new_one_needs_room_too(self):
        """Five are kept until the sixth is written."""
        assert needed_bytes(100, kept=5) == 600

    def test_gib(self):
        """FSx's size is in GiB."""
        assert capacity_bytes(1200) == 1200 * 2**30
