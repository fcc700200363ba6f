import pytest

from trnstack.findings import Severity
from trnstack.rules.storage_fit import (
    checkpoints_are_written_before_the_next,
    checkpoints_have_a_shared_place,
    kept_checkpoints_fit_the_file_system,
    old_checkpoints_leave_the_bucket,
    the_throughput_can_be_used,
    training_waits_within_its_share,
)

FLEET = {"node_count": 32}
#: 60 MB/s write 112.4 GB in 31 minutes.
SLOW = {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "throughput_mbps_per_tib": 12, "storage_gib": 6000}
TIERING = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 1000, "metadata_iops": 6000}
EXISTING = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}


class TestCheckpointsAreWrittenBeforeTheNext:
    def test_too_slow(self, environment):
        """The message has size, time, rate and interval; the hint the size that suffices."""
        made = environment(node_group=FLEET, lustre=SLOW, training={"checkpoint_interval_minutes": 20})
        (finding,) = checkpoints_are_written_before_the_next(made)

        assert finding.severity is Severity.ERROR
        assert finding.path == ("storage", "lustre", "storage_gib")
        assert finding.message == (
            "a checkpoint of 112.4 GB takes 26 minutes at 72 MB/s, longer than the 20 minutes to the next"
        )
        assert finding.hint.startswith("use 150000 GiB at 12 MB/s per TiB; a new one could be 45000 GiB at 40 MB/s")

    def test_no_size_suffices(self, environment):
        """Where no file system could, only saving less often helps."""
        section = {"model": {"parameters_billion": 405}, "checkpoint_interval_minutes": 1}
        (finding,) = checkpoints_are_written_before_the_next(
            environment(node_group={"node_count": 1}, lustre={}, training=section)
        )

        assert finding.hint == "save less often: write a longer checkpoint_interval_minutes"

    @pytest.mark.parametrize(
        "sections",
        [
            {"lustre": SLOW, "training": {}},
            {"lustre": {}, "training": {}},
            {"lustre": EXISTING, "training": {}},
            {"lustre": SLOW},
            {"training": {}},
        ],
    )
    def test_in_time(self, environment, sections):
        """26 minutes are less than 30; without a training run or a known file system there is nothing to count."""
        assert not list(checkpoints_are_written_before_the_next(environment(node_group=FLEET, **sections)))


class TestTrainingWaitsWithinItsShare:
    def test_too_long(self, environment):
        """The message has the share and the limit; the hint the smallest file systems that keep it."""
        (finding,) = training_waits_within_its_share(
            environment(node_group=FLEET, lustre={"storage_gib": 2400}, training={})
        )

        assert finding.severity is Severity.WARNING
        assert finding.message == "training waits 9.4 % of the time for checkpoints of 112.4 GB, and may wait 5 %"
        assert finding.hint == (
            "use 4800 GiB at 250 MB/s per TiB; a new one could be 9600 GiB at 125 MB/s per TiB or "
            "2400 GiB at 500 MB/s per TiB or 1200 GiB at 1000 MB/s per TiB"
        )

    def test_intelligent_tiering(self, environment):
        """Its throughput is what grows."""
        (finding,) = training_waits_within_its_share(environment(node_group=FLEET, lustre=TIERING, training={}))

        assert finding.path[-1] == "throughput_capacity_mbps"
        assert finding.hint == "use throughput_capacity_mbps: 2000"

    def test_scratch(self, environment):
        """What has no rate is told without one: scratch takes 100 MB/s a TiB."""
        lustre = {"deployment_type": "SCRATCH_2", "storage_gib": 4800}
        (finding,) = training_waits_within_its_share(environment(node_group=FLEET, lustre=lustre, training={}))

        assert finding.hint == "use 12000 GiB"

    def test_adopted(self, environment):
        """The file changes nothing of an adopted file system, so its hint begins with what does."""
        lustre = {**EXISTING, "storage_gib": 2400, "throughput_mbps_per_tib": 250}
        (finding,) = training_waits_within_its_share(environment(node_group=FLEET, lustre=lustre, training={}))

        assert finding.hint.startswith(
            "grow it by aws fsx update-file-system, then write 4800 GiB at 250 MB/s per TiB; "
        )

    @pytest.mark.parametrize(
        ("lustre", "training"),
        [
            ({"storage_gib": 4800}, {}),
            ({"storage_gib": 2400}, {"checkpoint_stall_percent": 10}),
            ({"storage_gib": 2400}, {"checkpoint_interval_minutes": 60}),
            ({"storage_gib": 2400}, {"model": {"parameters_billion": 4}}),
            (SLOW, {"checkpoint_interval_minutes": 20}),  # another rule speaks of it
            (EXISTING, {}),
        ],
    )
    def test_within(self, environment, lustre, training):
        """Larger, less often, fewer bytes, or more patience."""
        made = environment(node_group=FLEET, lustre=lustre, training=training)
        assert not list(training_waits_within_its_share(made))


class TestKeptCheckpointsFitTheFileSystem:
    @pytest.mark.parametrize(
        ("kept", "severity", "message"),
        [
            (
                10,  # 11 x 112.42 = 1,236.6 of 1,288.5 GB
                Severity.WARNING,
                "10 kept checkpoints and a new one, 1,236.6 GB, leave 4 % free: the file system has 1,288.5 GB",
            ),
            (
                11,
                Severity.ERROR,
                "11 kept checkpoints and a new one, 1,349.0 GB, do not fit: the file system has 1,288.5 GB",
            ),
        ],
    )
    def test_too_many(self, environment, kept, severity, message):
        """Nearly full is a warning, what does not fit an error."""
        lustre = {"storage_gib": 1200, "throughput_mbps_per_tib": 1000}
        made = environment(node_group=FLEET, lustre=lustre, training={"checkpoints_kept": kept})
        (finding,) = kept_checkpoints_fit_the_file_system(made)

        assert finding.severity is severity
        assert finding.message == message
        assert finding.hint.startswith("use 2400 GiB at 1000 MB/s per TiB; ")
        assert finding.hint.endswith(", or keep fewer")

    @pytest.mark.parametrize(
        ("lustre", "kept"),
        [
            ({"storage_gib": 1200}, 9),
            ({"storage_gib": 2400}, 19),
            (TIERING, 10_000),
            (EXISTING, 10_000),
        ],
    )
    def test_fit(self, environment, lustre, kept):
        """A tenth stays free; Intelligent-Tiering grows, and of an adopted file system nobody knows the size."""
        made = environment(node_group=FLEET, lustre=lustre, training={"checkpoints_kept": kept})
        assert not list(kept_checkpoints_fit_the_file_system(made))


class TestTheThroughputCanBeUsed:
    @pytest.mark.parametrize(
        ("group", "lustre", "message"),
        [
            (
                {"node_count": 1},
                {"storage_gib": 9600, "throughput_mbps_per_tib": 1000},
                "the nodes reach 2500 MB/s of the file system, which has 9600",
            ),
            (
                {"instance_type": "trn1.2xlarge", "node_count": 1},
                {"storage_gib": 4800},
                "the nodes reach 390 MB/s of the file system, which has 1200",
            ),
        ],
    )
    def test_cannot(self, environment, group, lustre, message):
        """A node reaches 5 Gbit/s of each server, and no more than its card carries."""
        (finding,) = the_throughput_can_be_used(environment(node_group=group, lustre=lustre))

        assert finding.severity is Severity.WARNING
        assert finding.message == message

    @pytest.mark.parametrize(
        ("group", "lustre"),
        [
            ({"node_count": 4}, {"storage_gib": 9600, "throughput_mbps_per_tib": 1000}),
            ({"node_count": 1}, {"storage_gib": 9600, "throughput_mbps_per_tib": 250}),
            ({"node_count": 1}, {"storage_gib": 9600, "throughput_mbps_per_tib": 1000, "efa_enabled": True}),
            ({"node_count": 0}, {"storage_gib": 9600, "throughput_mbps_per_tib": 1000}),
            ({"node_count": 1}, EXISTING),
        ],
    )
    def test_can(self, environment, group, lustre):
        """More nodes, a lower rate, EFA on both sides; of no nodes and of an adopted file system nothing is said."""
        assert not list(the_throughput_can_be_used(environment(node_group=group, lustre=lustre)))


class TestCheckpointsHaveASharedPlace:
    def test_several_nodes(self, environment):
        """What each node keeps for itself is no checkpoint."""
        (finding,) = checkpoints_have_a_shared_place(environment(node_group=FLEET, training={}))

        assert finding.severity is Severity.WARNING
        assert finding.message == "32 nodes write checkpoints of 112.4 GB, and there is no file system"

    @pytest.mark.parametrize(
        ("group", "needed"),
        [
            ({"instance_type": "trn1.2xlarge", "node_count": 1}, "674.5 GB"),  # one disk of 474 GB
            ({"node_count": 1, "local_storage": "none"}, "674.5 GB"),
        ],
    )
    def test_a_node_without_room(self, environment, group, needed):
        """A single node keeps what its disks hold."""
        (finding,) = checkpoints_have_a_shared_place(environment(node_group=group, training={}))

        assert finding.message == f"kept checkpoints of {needed} exceed the node's disks, and there is no file system"

    @pytest.mark.parametrize(
        "sections",
        [
            {"node_group": {"node_count": 1}, "training": {}},
            {"node_group": FLEET, "training": {}, "lustre": {}},
            {"node_group": FLEET, "training": {}, "lustre": EXISTING},
            {"node_group": FLEET},
        ],
    )
    def test_shared(self, environment, sections):
        """A file system, or one node with room."""
        assert not list(checkpoints_have_a_shared_place(environment(**sections)))


class TestOldCheckpointsLeaveTheBucket:
    LINK = {"file_system_path": "/checkpoints"}

    def lustre(self, **events):
        return {"data_repository_associations": [{**self.LINK, **events}]}

    def test_they_stay(self, environment):
        """45.625 a day of 112.42 GB are 153.9 TB in 30 days, which are 143,307 GB of 2^30 at 0.023 USD."""
        (finding,) = old_checkpoints_leave_the_bucket(environment(node_group=FLEET, lustre=self.lustre(), training={}))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("training", "checkpoints_kept")
        assert finding.message == (
            "the job keeps 5 checkpoints and the bucket all of them: a month adds 153.9 TB, "
            "at most 3,296 USD more with every month in S3's class Standard"
        )

    def test_every_band_is_known(self, environment):
        """Where further terabytes' prices are known it is no bound: 51,200 GB at 0.023 and 92,107 at 0.022 USD."""
        made = environment(
            region="us-east-1",
            availability_zone_ids=["use1-az4", "use1-az5"],
            node_group=FLEET,
            lustre=self.lustre(),
            training={},
        )
        (finding,) = old_checkpoints_leave_the_bucket(made)

        assert ", 3,204 USD more with every month" in finding.message

    def test_price_that_was_not_found(self, environment):
        """Then the growth alone is told."""
        made = environment(
            region="ap-southeast-4",
            availability_zone_ids=["apse4-az1", "apse4-az2"],
            node_group=FLEET,
            lustre=self.lustre(),
            training={},
        )
        (finding,) = old_checkpoints_leave_the_bucket(made)

        assert finding.message.endswith("all of them: a month adds 153.9 TB")

    def test_a_cheaper_class(self, environment):
        """Objects that move to a cheaper class are as many as before."""
        made = environment(
            node_group=FLEET,
            lustre=self.lustre(),
            training={},
            checkpoints={"infrequent_access_after_days": 30},
        )
        assert [finding.code for finding in old_checkpoints_leave_the_bucket(made)] == ["STO006"]

    @pytest.mark.parametrize(
        ("events", "others"),
        [
            ({"auto_export": ["NEW", "CHANGED", "DELETED"]}, {"training": {}}),
            ({"auto_export": []}, {"training": {}}),
            ({}, {"training": {}, "checkpoints": {"existing_bucket": "their-bucket"}}),
            ({}, {}),
        ],
    )
    def test_they_go(self, environment, events, others):
        """Deletions that are exported, no export, a bucket with rules of its own, and no training."""
        made = environment(node_group=FLEET, lustre=self.lustre(**events), **others)
        assert not list(old_checkpoints_leave_the_bucket(made))

    def test_the_job_writes_there_itself(self, environment):
        """Without a file system the job removes what it does not keep."""
        assert not list(old_checkpoints_leave_the_bucket(environment(node_group=FLEET, training={})))
