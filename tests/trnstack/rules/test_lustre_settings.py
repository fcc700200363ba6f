import pytest

from trnstack.findings import Severity
from trnstack.rules.lustre_settings import (
    a_small_throughput_capacity_is_tried,
    backups_and_root_squash_are_tried,
    backups_are_offered,
    drive_cache_is_for_hdd,
    file_systems_are_retained,
    logs_have_something_to_tell,
    read_cache_fits_the_throughput,
    read_cache_is_for_intelligent_tiering,
    root_squash_is_set_by_hand,
)

TIERING = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 8000}
HDD = {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "throughput_mbps_per_tib": 40}
LINK = {"data_repository_associations": [{"file_system_path": "/checkpoints"}]}
EXISTING = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}


class TestDriveCacheIsForHdd:
    @pytest.mark.parametrize("lustre", [{"drive_cache": "READ"}, {**TIERING, "drive_cache": "READ"}])
    def test_others(self, environment, lustre):
        """Nothing but hard disks has one."""
        (finding,) = drive_cache_is_for_hdd(environment(lustre=lustre))

        assert finding.path == ("storage", "lustre", "drive_cache")

    @pytest.mark.parametrize(
        "lustre",
        [{}, {"drive_cache": "NONE"}, HDD, {**HDD, "drive_cache": "READ"}, {**EXISTING, "drive_cache": "READ"}],
    )
    def test_hdd(self, environment, lustre):
        """Hard disks have one or none; of an adopted file system it is told elsewhere."""
        assert not list(drive_cache_is_for_hdd(environment(lustre=lustre)))


class TestReadCacheIsForIntelligentTiering:
    @pytest.mark.parametrize(
        ("lustre", "field"),
        [
            ({"read_cache": "NO_CACHE"}, "read_cache"),
            ({"read_cache_gib": 800}, "read_cache_gib"),
            ({**HDD, "read_cache_gib": 800}, "read_cache_gib"),
            ({**TIERING, "read_cache": "USER_PROVISIONED"}, "read_cache"),
            ({**TIERING, "read_cache_gib": 800}, "read_cache_gib"),
            ({**TIERING, "read_cache": "NO_CACHE", "read_cache_gib": 800}, "read_cache_gib"),
        ],
    )
    def test_misplaced(self, environment, lustre, field):
        """A cache elsewhere, one without a size, and a size that nothing reads are told at their place."""
        (finding,) = read_cache_is_for_intelligent_tiering(environment(lustre=lustre))

        assert finding.path == ("storage", "lustre", field)

    @pytest.mark.parametrize(
        "lustre",
        [
            {},
            TIERING,
            {**TIERING, "read_cache": "NO_CACHE"},
            {**TIERING, "read_cache": "USER_PROVISIONED", "read_cache_gib": 800},
        ],
    )
    def test_fitting(self, environment, lustre):
        """By default the cache follows the throughput."""
        assert not list(read_cache_is_for_intelligent_tiering(environment(lustre=lustre)))


class TestReadCacheFitsTheThroughput:
    @pytest.mark.parametrize("gib", [1, 63, 262_145])
    def test_outside(self, environment, gib):
        """8 x 8 to 8 x 32768 GiB belong to 8000 MB/s."""
        lustre = {**TIERING, "read_cache": "USER_PROVISIONED", "read_cache_gib": gib}
        (finding,) = read_cache_fits_the_throughput(environment(lustre=lustre))

        assert finding.hint == "use 64 to 262144"

    @pytest.mark.parametrize("gib", [64, 1000, 262_144])
    def test_inside(self, environment, gib):
        """Both ends are offered."""
        lustre = {**TIERING, "read_cache": "USER_PROVISIONED", "read_cache_gib": gib}
        assert not list(read_cache_fits_the_throughput(environment(lustre=lustre)))


class TestASmallThroughputCapacityIsTried:
    @pytest.mark.parametrize("mbps", [1000, 2000])
    def test_small(self, environment, mbps):
        """What AWS's pages and its model disagree about is nothing to rely upon."""
        lustre = {**TIERING, "throughput_capacity_mbps": mbps}
        (finding,) = a_small_throughput_capacity_is_tried(environment(lustre=lustre))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("lustre", [{}, TIERING, {"throughput_capacity_mbps": 1000}])
    def test_large(self, environment, lustre):
        """From 4000 on they agree."""
        assert not list(a_small_throughput_capacity_is_tried(environment(lustre=lustre)))


class TestBackupsAreOffered:
    @pytest.mark.parametrize(
        ("lustre", "message"),
        [
            ({"deployment_type": "SCRATCH_2"}, "SCRATCH_2 has no backups"),
            (LINK, "a file system that is linked to a bucket has no backups"),
        ],
    )
    def test_refused(self, environment, lustre, message):
        """FSx backs up neither scratch storage nor what a bucket holds already."""
        (finding,) = backups_are_offered(environment(lustre={**lustre, "automatic_backup_retention_days": 7}))

        assert finding.message == message

    @pytest.mark.parametrize(
        "lustre",
        [
            {},
            {"automatic_backup_retention_days": 90},
            {**HDD, "automatic_backup_retention_days": 7},
            {**LINK, "automatic_backup_retention_days": 0},
        ],
    )
    def test_offered(self, environment, lustre):
        """Persistent file systems without a link are backed up, and to have no backups is always allowed."""
        assert not list(backups_are_offered(environment(lustre=lustre)))


class TestFileSystemsAreRetained:
    @pytest.mark.parametrize(
        ("lustre", "lost"),
        [
            (LINK, "with what is not exported by then"),
            ({}, "with all that it holds, since nothing is exported"),
            (
                {"data_repository_associations": [{"file_system_path": "/a", "auto_export": []}]},
                "with all that it holds, since nothing is exported",
            ),
            (
                {"data_repository_associations": [{"file_system_path": "/a", "auto_export": ["NEW"]}]},
                "with all that auto_export leaves out",
            ),
            (
                {"automatic_backup_retention_days": 7},
                "with all that it holds, since nothing is exported, and its automatic backups",
            ),
        ],
    )
    def test_destroyed(self, environment, lustre, lost):
        """FSX-13: What would be lost is told before, and it is a choice."""
        (finding,) = file_systems_are_retained(environment(lustre={**lustre, "removal_policy": "destroy"}))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("storage", "lustre", "removal_policy")
        assert finding.message.endswith(f"by an edit that replaces it, {lost}")

    @pytest.mark.parametrize("lustre", [{}, {**EXISTING, "removal_policy": "destroy"}])
    def test_retained(self, environment, lustre):
        """Retaining is the default; of an adopted one another rule speaks."""
        assert not list(file_systems_are_retained(environment(lustre=lustre)))


class TestLogsHaveSomethingToTell:
    def test_no_association(self, environment):
        """What is logged are the events of associations."""
        (finding,) = logs_have_something_to_tell(environment(lustre={"log_level": "WARN_ERROR"}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("lustre", [{}, {"log_level": "DISABLED"}, {**LINK, "log_level": "ERROR_ONLY"}])
    def test_something(self, environment, lustre):
        """An association's events are logged; a log that is off needs none."""
        assert not list(logs_have_something_to_tell(environment(lustre=lustre)))


class TestRootSquashIsSetByHand:
    @pytest.mark.parametrize("lustre", [{}, EXISTING])
    def test_asked_for(self, environment, lustre):
        """Nobody takes clients' root for squashed because the file says so."""
        (finding,) = root_squash_is_set_by_hand(environment(lustre={**lustre, "root_squash": "65534:65534"}))

        assert finding.severity is Severity.NOTE
        assert "RootSquashCommand" in finding.hint

    def test_not_asked_for(self, environment):
        """By default root stays root."""
        assert not list(root_squash_is_set_by_hand(environment(lustre={})))


class TestBackupsAndRootSquashAreTried:
    def test_together(self, environment):
        """A backup that can't be restored is found out when it is needed, unless it was tried."""
        lustre = {"root_squash": "65534:65534", "automatic_backup_retention_days": 7}
        (finding,) = backups_and_root_squash_are_tried(environment(lustre=lustre))

        assert finding.severity is Severity.WARNING
        assert finding.path == ("storage", "lustre", "automatic_backup_retention_days")

    @pytest.mark.parametrize(
        "lustre",
        [
            {},
            {"root_squash": "65534:65534"},
            {"root_squash": "65534:65534", "automatic_backup_retention_days": 0},
            {"automatic_backup_retention_days": 7},
            {**EXISTING, "root_squash": "65534:65534"},
        ],
    )
    def test_one_of_the_two(self, environment, lustre):
        """Each without the other is as AWS describes it."""
        assert not list(backups_and_root_squash_are_tried(environment(lustre=lustre)))
