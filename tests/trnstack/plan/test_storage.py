"""What outlives a cluster: bucket, file system and the links between them."""

import pytest


@pytest.fixture
def lustre(planned):
    """Returns a builder of the file system's plan."""

    def build(**changes):
        return planned(lustre=changes).storage.lustre

    return build


class TestLustre:
    def test_is_optional(self, planned):
        """An environment without a file system has none, nor the driver that mounts one."""
        decided = planned()

        assert decided.storage.lustre is None
        assert "aws-fsx-csi-driver" not in {add_on.name for add_on in decided.cluster.add_ons}

    def test_stands_in_the_first_zone(self, lustre):
        """The file system stands where the accelerators do."""
        assert lustre().subnet == "nodes-use2-az3"

    def test_figures(self, lustre):
        """Size and rate come to a throughput; the server's version is one that AL2023 can mount."""
        made = lustre(storage_gib=9600, throughput_mbps_per_tib=500)

        assert made.throughput_mbps == 4800
        assert made.file_system_type_version == "2.15"

    @pytest.mark.parametrize(("policy", "retain"), [("retain", True), ("destroy", False)])
    def test_removal_policy(self, lustre, policy, retain):
        """A file system is retained unless the environment says to destroy it."""
        assert lustre(removal_policy=policy).retain is retain
        assert lustre().retain is True

    @pytest.mark.parametrize(
        ("prefix", "expected"), [("", ""), ("runs", "runs"), ("runs/", "runs"), ("runs/llama3", "runs/llama3")]
    )
    def test_prefixes(self, lustre, prefix, expected):
        """A prefix means the same with and without a slash at its end."""
        entry = {"file_system_path": "/checkpoints", "prefix": prefix}
        (association,) = lustre(data_repository_associations=[entry]).associations

        assert association.prefix == expected

    def test_events(self, lustre):
        """By default what is new or changed is carried over in both directions, and a deletion in none."""
        (association,) = lustre(data_repository_associations=[{"file_system_path": "/a"}]).associations

        assert association.auto_import == association.auto_export == ("NEW", "CHANGED")


class TestBucket:
    def test_defaults(self, planned):
        """Checkpoints are encrypted with the environment's key, versioned, and retained."""
        bucket = planned().storage.checkpoints

        assert (bucket.encryption, bucket.versioned, bucket.retain) == ("kms", True, True)
        assert bucket.noncurrent_expiration_days == 30
        assert bucket.infrequent_access_after_days is None
        assert bucket.access_log_name == "demo-access-logs-ACCOUNT-us-east-2"

    def test_without_versions(self, planned):
        """Without versions there are no old ones to expire."""
        assert planned(checkpoints={"versioned": False}).storage.checkpoints.noncurrent_expiration_days is None
