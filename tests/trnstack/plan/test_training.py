"""What training asks of storage, against figures computed by hand."""

import dataclasses
import itertools
from pathlib import Path

import pytest

from trnstack.environment import read_environment
from trnstack.layout.lustre import sizes
from trnstack.plan.trainers import file_system_of, fleet_reach_mbps, trainers
from trnstack.plan.training import training

ENVIRONMENTS = Path(__file__).parents[3] / "environments"
EXPORTED = [{"file_system_path": "/checkpoints"}]
GB = 10**9


def gb(number):
    return round(number * GB)


def of(name):
    return training(read_environment(ENVIRONMENTS / f"{name}.yaml")[1])


class TestPublishedClusters:
    def test_llama3_8b_on_32_trn1(self):
        """Llama-3.1-8B, tensor 32, 32 copies, ZeRO-1, BF16 with an FP32 optimizer; 4,800 GiB at 250 MB/s per TiB."""
        asked = of("llama3-8b-trn1")
        made, write = asked.checkpoint, asked.write

        # 8.03e9 x 2 B of weights, x 4 B of FP32 weights, x 8 B of two moments: x 14 B in all.
        assert (made.weights_bytes, made.master_weights_bytes, made.moments_bytes) == (
            gb(16.06),
            gb(32.12),
            gb(64.24),
        )
        assert made.total_bytes == gb(112.42)
        # A copy of the model takes 32 cores, which is one node: 16.06 GB, and 96.36 / 32 = 3.01125 GB of the rest.
        assert (made.nodes, made.busiest_node_bytes) == (32, gb(19.07125))
        # 4.8 x 250 MB/s; two servers of 2,400 GiB, 5 Gbit/s to each, 10 Gbit/s = 1,250 MB/s.
        assert (write.file_system_mbps, write.node_mbps) == (1200, 1250)
        # 112,420 MB / 1,200 MB/s = 93.68 s (the busiest node: 19,071 / 1,250 = 15.3 s).
        assert write.seconds == write.export_seconds == 93.7
        # 93.683 / (1,800 + 93.683) = 4.947 %.
        assert write.stall_percent == 4.95
        # Five kept and a new one; 4,800 x 2^30.
        assert (write.kept_bytes, write.capacity_bytes) == (gb(674.52), 5_153_960_755_200)
        # 4,800 x 0.21 USD.
        assert write.monthly_usd == 1008
        # 2,400 GiB would have 600 MB/s, take 187.4 s, and hold training up for 9.4 %.
        assert write.suggestion.storage_gib == 4800
        # 86,400 / 1,893.683 = 45.625 a day, 30 x 45.625 x 112.42 GB = 153.87 TB.
        assert asked.bucket.checkpoints_a_day == 45.6
        assert asked.bucket.added_bytes_a_month == pytest.approx(gb(153.87 * 1000), rel=1e-4)
        # 153.87e12 / 2^30 = 143,307 GB, x 0.023 USD.
        assert asked.bucket.monthly_usd == pytest.approx(3296, abs=1)

    def test_llama3_70b_on_32_trn1(self):
        """Llama-3.1-70B, tensor 32, pipeline 8, 4 copies; 12,000 GiB at 1,000 MB/s per TiB."""
        asked = of("llama3-70b-trn1")
        made, write = asked.checkpoint, asked.write

        # 70.6e9 x 14 B.
        assert made.total_bytes == gb(988.4)
        # A copy takes 256 cores, which are 8 nodes: 141.2 / 8 = 17.65 GB, and 847.2 / 32 = 26.475 GB of the rest.
        assert (made.nodes, made.busiest_node_bytes) == (32, gb(44.125))
        # 12 x 1,000 MB/s; five servers, 25 Gbit/s.
        assert (write.file_system_mbps, write.node_mbps) == (12_000, 3125)
        # 988,400 / 12,000 = 82.37 s (the busiest node: 44,125 / 3,125 = 14.1 s); 82.367 / 1,882.367 = 4.376 %.
        assert (write.seconds, write.stall_percent) == (82.4, 4.38)
        # 9,600 GiB would take 103 s, which is 5.4 %.
        assert write.suggestion.storage_gib == 12_000
        assert write.kept_bytes == gb(5930.4)


class TestRepeatedKeysAndValues:
    """The published clusters once more, with the eight heads of keys and values that both models have."""

    def of(self, name, heads):
        made = read_environment(ENVIRONMENTS / f"{name}.yaml")[1]
        model = made.training.model.model_copy(update={"key_value_heads": heads})
        section = made.training.model_copy(update={"model": model})
        return training(made.model_copy(update={"training": section}))

    def test_llama3_8b_on_32_trn1(self):
        """Eight heads over 32 cores are four copies, three of them beside the model's own."""
        asked = self.of("llama3-8b-trn1", 8)

        # 2 x 32 layers x 4,096 x (8 x 128) x 3 = 805,306,368 parameters more; 8,835,306,368 x 14 B.
        assert asked.checkpoint.total_bytes == 123_694_289_152
        # 123,694 / 1,200 = 103.08 s; 103.08 / 1,903.08 = 5.416 %.
        assert (asked.write.seconds, asked.write.stall_percent) == (103.1, 5.42)
        # 8,835,306,368 x 2 B on one node, x 12 B over 32.
        assert asked.checkpoint.busiest_node_bytes == 17_670_612_736 + 3_313_239_888

    def test_llama3_70b_on_32_trn1(self):
        """The same of 80 layers that are 8,192 wide."""
        asked = self.of("llama3-70b-trn1", 8)

        # 2 x 80 x 8,192 x (8 x 128) x 3 = 4,026,531,840; 74,626,531,840 x 14 B.
        assert asked.checkpoint.total_bytes == 1_044_771_445_760
        # 1,044,771 / 12,000 = 87.06 s; 87.06 / 1,887.06 = 4.614 %.
        assert (asked.write.seconds, asked.write.stall_percent) == (87.1, 4.61)

    def test_the_most(self):
        """Without a number, one head of 128 over 32 cores: 31 copies more, 2 x 32 x 4,096 x 128 x 31 x 14 B."""
        asked, counted = of("llama3-8b-trn1"), self.of("llama3-8b-trn1", 8)

        assert asked.checkpoint.repeated_bytes_at_most == 14_562_623_488
        assert counted.checkpoint.repeated_bytes_at_most == 0
        assert counted.checkpoint.total_bytes - asked.checkpoint.total_bytes < 14_562_623_488

    def test_none_are_repeated(self):
        """One head for each query divides as queries do; a layer that is not split has each once."""
        assert self.of("llama3-8b-trn1", 32).checkpoint.total_bytes == gb(112.42)

    def test_a_layer_that_is_not_split(self, environment):
        """Then nothing may be added."""
        asked = training(environment(training={"parallelism": {"tensor": 1}}))

        assert asked.checkpoint.repeated_bytes_at_most == 0


class TestTraining:
    def test_is_optional(self, environment):
        """Without a section, or without a node that could train, there is nothing to say."""
        assert training(environment()) is None
        assert training(environment(node_group={"node_count": 0}, training={})) is None
        assert training(environment(node_group={"instance_type": "trn3.48xlarge"}, training={})) is None

    def test_without_a_file_system(self, environment):
        """The size is known, the time is not; the job keeps five, and the bucket what was removed in 30 days."""
        asked = training(environment(node_group={"node_count": 1}, training={}))

        assert asked.write is None
        assert asked.bucket.kept_bytes == gb(5 * 112.42)
        assert asked.bucket.noncurrent_bytes == gb(30 * 48 * 112.42)
        assert asked.bucket.added_bytes_a_month is None

    def test_an_adopted_file_system(self, environment):
        """Nothing says how fast it is, and how much it holds."""
        existing = {
            "file_system_id": "fs-0123456789abcdef0",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0123456789abcdef0",
        }
        asked = training(environment(lustre={"existing_file_system": existing}, training={}))

        assert asked.write is None
        assert asked.bucket is None

    @pytest.mark.parametrize(
        ("described", "mbps"),
        [
            ({"storage_gib": 4800}, None),
            ({"throughput_mbps_per_tib": 250}, None),
            ({"storage_gib": 4800, "throughput_mbps_per_tib": 250}, 1200),
            ({"deployment_type": "SCRATCH_2", "storage_gib": 4800}, 480),
            ({"storage_type": "INTELLIGENT_TIERING"}, None),
            ({"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 4000}, 4000),
        ],
    )
    def test_an_adopted_file_system_that_is_described(self, environment, described, mbps):
        """With size and rate the figures are those of a new one; a default rate is nobody's measure."""
        existing = {
            "file_system_id": "fs-0123456789abcdef0",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0123456789abcdef0",
        }
        asked = training(environment(lustre={"existing_file_system": existing, **described}, training={}))
        new = training(environment(lustre=described, training={}))

        assert (asked.write and asked.write.file_system_mbps) == mbps
        assert asked.write in (None, new.write)

    def test_nothing_is_exported(self, environment):
        """What stays in the file system is never in the bucket."""
        asked = training(environment(lustre={}, training={}))

        assert asked.write.export_seconds is None
        assert asked.bucket is None

    def test_deletions_are_exported(self, environment):
        """Then the bucket keeps five, and old ones for as long as it keeps versions."""
        links = [{**EXPORTED[0], "auto_export": ["NEW", "CHANGED", "DELETED"]}]
        asked = training(environment(lustre={"data_repository_associations": links}, training={}))
        off = training(
            environment(lustre={"data_repository_associations": links}, training={}, checkpoints={"versioned": False})
        )

        assert asked.bucket.kept_bytes == off.bucket.kept_bytes == gb(5 * 112.42)
        assert asked.bucket.noncurrent_bytes == pytest.approx(30 * 86_400 / 1893.7 * gb(112.42), rel=1e-4)
        assert off.bucket.noncurrent_bytes == 0

    def test_an_adopted_bucket(self, environment):
        """Its own rules say what becomes of old ones."""
        lustre = {"data_repository_associations": EXPORTED}
        asked = training(environment(lustre=lustre, checkpoints={"existing_bucket": "their-bucket"}, training={}))

        assert asked.bucket is None

    def test_intelligent_tiering(self, environment):
        """It grows with what it holds; what is bought is throughput."""
        lustre = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 8000, "metadata_iops": 6000}
        write = training(environment(node_group={"node_count": 32}, lustre=lustre, training={})).write

        assert (write.file_system_mbps, write.capacity_bytes, write.monthly_usd) == (8000, None, None)
        # 112.42 GB in 94.7 s, which are 5 % of 30 minutes and themselves: 1,187 MB/s.
        assert (write.suggestion.write_mbps, write.suggestion.storage_gib) == (2000, 0)

    def test_few_nodes_reach_few_servers(self, environment):
        """Each of two nodes sends 64.24 GB to one server at 625 MB/s, in 102.8 s: two servers are 8,000 MB/s."""
        lustre = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 4000, "metadata_iops": 6000}
        write = training(environment(lustre=lustre, training={})).write

        assert write.seconds == 102.8
        assert write.suggestion.write_mbps == 8000

    def test_fewer_bytes(self, environment):
        """Without the FP32 weights a checkpoint is 10 B a parameter, in FP32 12 B."""
        slim = training(environment(training={"checkpoint_master_weights": False}))
        full = training(environment(training={}, neuron={"precision": "fp32"}))

        assert slim.checkpoint.total_bytes == gb(80.3)
        assert full.checkpoint.total_bytes == gb(96.36)

    def test_is_made_of_plain_values(self, environment):
        """The plan's JSON has it all."""
        assert dataclasses.asdict(training(environment(lustre={}, training={})))["write"]["offers"]


class TestSuggestion:
    @pytest.mark.parametrize("percent", [1, 2, 5, 20])
    @pytest.mark.parametrize("rate", [125, 250, 500, 1000])
    @pytest.mark.parametrize("billions", [1, 8.03, 70.6, 200])
    def test_is_the_smallest_that_suffices(self, environment, percent, rate, billions):
        """With it the share holds and there is room; with the size before it, one of the two fails."""

        def asked(gib):
            section = {
                "checkpoint_stall_percent": percent,
                "model": {"parameters_billion": billions},
                "parallelism": {"tensor": 32, "pipeline": 8},
            }
            lustre = {"storage_gib": gib, "throughput_mbps_per_tib": rate}
            return training(environment(node_group={"node_count": 32}, lustre=lustre, training=section)).write

        def suffices(write):
            return write.stall_percent <= percent and write.kept_bytes <= write.capacity_bytes * 0.9

        suggested = asked(4800).suggestion.storage_gib
        offered = [
            each.storage_gib
            for each in itertools.takewhile(
                lambda each: each.storage_gib <= suggested,
                sizes(file_system_of(environment(lustre={"throughput_mbps_per_tib": rate}).storage.lustre)),
            )
        ]

        assert offered[-1] == suggested
        assert suffices(asked(suggested))
        assert not any(suffices(asked(gib)) for gib in offered[-4:-1])

    def test_none_suffices(self, environment):
        """What one node can't send in time no file system takes in time."""
        section = {"model": {"parameters_billion": 405}, "checkpoint_interval_minutes": 1}
        write = training(environment(node_group={"node_count": 1}, lustre={}, training=section)).write

        assert write.suggestion is None
        assert not write.offers

    def test_a_larger_one_is_never_slower(self, environment):
        """Seconds and share fall with the size."""
        found = [
            training(environment(lustre={"storage_gib": gib}, training={})).write for gib in (1200, 2400, 4800, 9600)
        ]

        for small, large in itertools.pairwise(found):
            assert small.seconds >= large.seconds
            assert small.stall_percent >= large.stall_percent


class TestTrainers:
    def test_groups_of_a_type_are_one_fleet(self, environment):
        """Two groups of 16 nodes are 32 that train."""
        groups = [{"name": "a1", "node_count": 16}, {"name": "b1", "node_count": 16}]

        assert trainers(environment(node_groups=groups, training={})).nodes == 32

    def test_the_fleet_that_fits(self, environment):
        """The degrees say which of two fleets trains: 3 x 32 cores leave none of three nodes idle."""
        groups = [
            {"name": "a1", "node_count": 3},
            {"name": "b1", "instance_type": "trn2.48xlarge", "node_count": 4},
        ]
        section = {"parallelism": {"tensor": 32, "pipeline": 3}}

        assert trainers(environment(node_groups=groups, training=section)).instance_type.name == "trn1.32xlarge"

    def test_a_data_degree_takes_what_it_needs(self, environment):
        """Two copies of 32 cores are two nodes of eight."""
        section = {"parallelism": {"tensor": 32, "data": 2}}
        found = trainers(environment(node_group={"node_count": 8}, training=section))

        assert (found.nodes, found.model_nodes) == (2, 1)

    def test_a_model_over_several_nodes(self, environment):
        """Tensor 32 and pipeline 4 are four nodes of 32 cores."""
        section = {"parallelism": {"tensor": 32, "pipeline": 4}}

        assert trainers(environment(node_group={"node_count": 8}, training=section)).model_nodes == 4


class TestReach:
    @pytest.mark.parametrize(
        ("group", "lustre", "expected"),
        [
            ({"node_count": 2}, {}, 2 * 1250),  # two servers, by TCP
            ({"node_count": 2}, {"storage_gib": 9600, "throughput_mbps_per_tib": 500, "efa_enabled": True}, 2 * 87_500),
            (
                {"node_count": 2, "efa": False},
                {"storage_gib": 9600, "throughput_mbps_per_tib": 500, "efa_enabled": True},
                2 * 625,
            ),
            (
                {"instance_type": "trn2.48xlarge", "node_count": 2},
                {"storage_gib": 9600, "throughput_mbps_per_tib": 500, "efa_enabled": True},
                2 * 625,  # FSx takes no trn2 client by EFA
            ),
            (
                {"node_count": 2, "availability_zone_id": "use2-az1"},
                {"storage_gib": 9600, "throughput_mbps_per_tib": 500, "efa_enabled": True},
                2 * 625,  # EFA ends at the zone
            ),
            ({"instance_type": "trn1.2xlarge", "node_count": 1}, {}, 390),
            ({"node_count": 0}, {}, None),
        ],
    )
    def test_of_the_fleet(self, environment, group, lustre, expected):
        """Nodes reach a file system by TCP, or by EFA where both sides have it."""
        made = environment(node_group=group, lustre=lustre)

        assert fleet_reach_mbps(made, file_system_of(made.storage.lustre)) == expected
