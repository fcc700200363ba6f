"""Storage's part of ``trnstack plan``."""

import pytest

from ami import offline
from trnstack.cli.plan_storage import storage_section
from trnstack.plan import lock_inputs, plan

KEY = "arn:aws:kms:us-east-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
LINK = {"data_repository_associations": [{"file_system_path": "/checkpoints", "prefix": "runs"}]}


@pytest.fixture
def section(environment):
    """Returns the section's lines of the builder's environment, without the space that aligns them."""

    def build(**sections: object) -> list[str]:
        made = environment(**sections)
        return [" ".join(line.split()) for line in storage_section(plan(made, offline.lock(lock_inputs(made))).storage)]

    return build


class TestBucket:
    def test_new(self, section):
        """What protects checkpoints, and what happens to them, is shown."""
        copies = {"region": "us-west-2", "bucket_name": "some-copies", "kms_key_arn": KEY.replace("east", "west")}
        lines = section(checkpoints={"replicate_to": copies, "object_lock_days": 7}, lustre=LINK)

        assert "versions on, old ones kept 30 days" in lines
        assert "object lock GOVERNANCE, days: 7" in lines
        assert "copies some-copies in us-west-2" in lines
        assert "jobs may use runs/*" in lines
        assert "association /fsx/checkpoints <-> s3://demo-checkpoints-ACCOUNT-us-east-2/runs" in lines

    def test_versions_off(self, section):
        """What was kept while they were on goes all the same."""
        assert "versions off, those of before kept 30 days" in section(checkpoints={"versioned": False})

    def test_adopted(self, section):
        """An adopted bucket shows its key, and that no stack deletes it."""
        lines = section(checkpoints={"existing_bucket": "earlier-checkpoints", "kms_key_arn": KEY})

        assert "checkpoint bucket earlier-checkpoints, which stands already" in lines
        assert f"encryption {KEY}" in lines
        assert "on deletion stays: no stack made it" in lines
        assert not any(line.startswith("access log") for line in lines)

    def test_dataset(self, section):
        """A dataset is shown as what it is to jobs, and its link as one way."""
        datasets = [{"name": "c4", "bucket_name": "some-datasets", "prefix": "c4"}]
        links = [{"file_system_path": "/c4", "bucket": "c4"}]
        lines = section(storage={"datasets": datasets, "lustre": {"data_repository_associations": links}})

        assert "dataset c4 s3://some-datasets/c4, read only" in lines
        assert "association /fsx/c4 <-- s3://some-datasets/c4" in lines
        assert "carries over imports NEW, CHANGED; exports nothing" in lines


class TestFileSystem:
    def test_tiering(self, section):
        """A file system without a size shows what it has instead."""
        tiering = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 8000, "metadata_iops": 6000}
        lines = section(lustre={**tiering, "read_cache": "USER_PROVISIONED", "read_cache_gib": 800})

        assert "storage as large as what it holds, compression LZ4" in lines
        assert "throughput 8,000 MB/s" in lines
        assert "read cache 800 GiB" in lines
        assert "metadata 6,000 operations a second" in lines

    def test_scratch(self, section):
        """Scratch storage has no rate to choose, and FSx's own key."""
        lines = section(lustre={"deployment_type": "SCRATCH_2"})

        assert "throughput 960 MB/s" in lines
        assert "encryption FSx's own key, as of all scratch file systems" in lines

    def test_settings(self, section):
        """What is set is shown, and what is left to FSx is not."""
        settings = {
            "root_squash": "65534:65534",
            "weekly_maintenance_start": "7:03:30",
            "automatic_backup_retention_days": 7,
            "log_level": "WARN_ERROR",
        }
        lines = section(lustre=settings)
        plain = section(lustre={})

        assert "root squash 65534:65534, once the RootSquashCommand of its stack is run" in lines
        assert "maintenance 7:03:30 in UTC, Monday being 1" in lines
        assert "backups daily, kept 7 days" in lines
        assert "log WARN_ERROR, kept 90 days" in lines
        assert not any(line.split(" ")[0] in ("root", "maintenance", "backups", "log") for line in plain)

    def test_efa(self, section):
        """Which nodes can reach it by EFA is listed."""
        groups = [{"name": "trn1"}, {"name": "trn2", "instance_type": "trn2.48xlarge"}]
        efa = {"efa_enabled": True, "throughput_mbps_per_tib": 1000}

        assert "EFA on, for trn1; others reach it by TCP" in section(node_groups=groups, lustre=efa)

    def test_adopted(self, section):
        """An adopted file system shows by what it is mounted."""
        existing = {
            "file_system_id": "fs-0123456789abcdef0",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0123456789abcdef0",
        }
        lines = section(lustre={"existing_file_system": existing, "root_squash": "1000:1000", **LINK})

        assert "file system fs-0123456789abcdef0, which stands already" in lines
        assert "mount name abcdefgh" in lines
        assert "root squash 1000:1000, once the RootSquashCommand of the storage stack is run" in lines
        assert lines.count("on deletion stays: no stack made it") == 1
