import pytest

from trnstack.findings import Severity
from trnstack.rules.protection import (
    a_lock_is_for_good,
    a_lock_lets_checkpoints_rotate,
    a_locked_bucket_is_retained,
    copies_and_locks_need_versions,
    copies_are_encrypted_alike,
    copies_go_to_another_region,
    exports_to_a_locked_bucket_are_tried,
    old_versions_outlive_their_lock,
)

KEY = "arn:aws:kms:us-west-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"


def copies(**changes: object):
    return {"replicate_to": {"region": "us-west-2", "bucket_name": "some-copies", **changes}}


class TestCopiesAndLocksNeedVersions:
    @pytest.mark.parametrize(
        ("checkpoints", "field"), [(copies(), "replicate_to"), ({"object_lock_days": 1}, "object_lock_days")]
    )
    def test_without(self, environment, checkpoints, field):
        """S3 replicates and locks versions."""
        made = environment(checkpoints={**checkpoints, "versioned": False})
        (finding,) = copies_and_locks_need_versions(made)

        assert finding.path == ("storage", "checkpoints", field)

    @pytest.mark.parametrize("checkpoints", [{"versioned": False}, copies(), {"object_lock_days": 1}])
    def test_with(self, environment, checkpoints):
        """Versions are the default."""
        assert not list(copies_and_locks_need_versions(environment(checkpoints=checkpoints)))


class TestCopiesGoToAnotherRegion:
    @pytest.mark.parametrize(
        ("changes", "field"),
        [({"region": "us-east-2"}, "region"), ({"kms_key_arn": KEY.replace("west", "east")}, "kms_key_arn")],
    )
    def test_wrong_region(self, environment, changes, field):
        """A copy beside the original, and a key that is not where the copies are, help nobody."""
        (finding,) = copies_go_to_another_region(environment(checkpoints=copies(**changes)))

        assert finding.path == ("storage", "checkpoints", "replicate_to", field)

    @pytest.mark.parametrize("checkpoints", [{}, copies(), copies(kms_key_arn=KEY)])
    def test_another_region(self, environment, checkpoints):
        """A bucket and a key of another region are what it takes."""
        assert not list(copies_go_to_another_region(environment(checkpoints=checkpoints)))


class TestCopiesAreEncryptedAlike:
    @pytest.mark.parametrize(
        ("checkpoints", "field"),
        [(copies(), ()), ({**copies(kms_key_arn=KEY), "encryption": "s3"}, ("kms_key_arn",))],
    )
    def test_differently(self, environment, checkpoints, field):
        """S3 takes a key for the copies with a key of the original only, and asks for one then."""
        (finding,) = copies_are_encrypted_alike(environment(checkpoints=checkpoints))

        assert finding.path == ("storage", "checkpoints", "replicate_to", *field)

    @pytest.mark.parametrize("checkpoints", [{}, copies(kms_key_arn=KEY), {**copies(), "encryption": "s3"}])
    def test_alike(self, environment, checkpoints):
        """Both by KMS keys, or both by S3's own."""
        assert not list(copies_are_encrypted_alike(environment(checkpoints=checkpoints)))


class TestALockIsForGood:
    @pytest.mark.parametrize(("mode", "severity"), [("GOVERNANCE", Severity.NOTE), ("COMPLIANCE", Severity.WARNING)])
    def test_locked(self, environment, mode, severity):
        """What nobody can undo is told before it is done."""
        checkpoints = {"object_lock_days": 1, "object_lock_mode": mode, **copies()}
        (finding,) = a_lock_is_for_good(environment(checkpoints=checkpoints))

        assert finding.severity is severity
        assert finding.message.endswith("and so must the bucket of the copies")

    def test_not_locked(self, environment):
        """By default nothing is locked."""
        assert not list(a_lock_is_for_good(environment()))


class TestALockLetsCheckpointsRotate:
    def test_longer(self, environment):
        """Every half hour for a day are 48, of which 5 are to be kept."""
        training = {"checkpoint_interval_minutes": 30, "checkpoints_kept": 5}
        (finding,) = a_lock_lets_checkpoints_rotate(environment(checkpoints={"object_lock_days": 1}, training=training))

        assert finding.message == "of 5 checkpoints that are kept, up to 48 are stored, with object_lock_days: 1"

    @pytest.mark.parametrize(
        ("days", "kept"),
        [(None, 5), (1, 48), (2, 96)],
    )
    def test_no_longer(self, environment, days, kept):
        """A lock that ends when a checkpoint is rotated out costs nothing."""
        training = {"checkpoint_interval_minutes": 30, "checkpoints_kept": kept}
        made = environment(checkpoints={"object_lock_days": days}, training=training)
        assert not list(a_lock_lets_checkpoints_rotate(made))

    def test_no_training(self, environment):
        """Without a training run nothing is known of rotation."""
        assert not list(a_lock_lets_checkpoints_rotate(environment(checkpoints={"object_lock_days": 99})))


class TestOldVersionsOutliveTheirLock:
    def test_shorter(self, environment):
        """A lifecycle rule can't remove what is locked."""
        checkpoints = {"object_lock_days": 31, "noncurrent_expiration_days": 30}
        (finding,) = old_versions_outlive_their_lock(environment(checkpoints=checkpoints))

        assert finding.hint == "use 31 or more"

    @pytest.mark.parametrize("days", [None, 1, 30])
    def test_longer(self, environment, days):
        """Both may end together."""
        assert not list(old_versions_outlive_their_lock(environment(checkpoints={"object_lock_days": days})))


class TestALockedBucketIsRetained:
    def test_destroyed(self, environment):
        """A bucket that can't be emptied can't be deleted."""
        checkpoints = {"object_lock_days": 1, "removal_policy": "destroy"}
        (finding,) = a_locked_bucket_is_retained(environment(checkpoints=checkpoints))

        assert finding.path == ("storage", "checkpoints", "removal_policy")

    @pytest.mark.parametrize("checkpoints", [{"object_lock_days": 1}, {"removal_policy": "destroy"}])
    def test_either(self, environment, checkpoints):
        """Either alone is possible."""
        assert not list(a_locked_bucket_is_retained(environment(checkpoints=checkpoints)))


class TestExportsToALockedBucketAreTried:
    def test_exported(self, environment):
        """What AWS does not document is not relied upon."""
        lustre = {"data_repository_associations": [{"file_system_path": "/checkpoints"}]}
        made = environment(checkpoints={"object_lock_days": 1}, lustre=lustre)
        (finding,) = exports_to_a_locked_bucket_are_tried(made)

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize(("days", "link"), [(None, {}), (1, {"auto_export": []}), (1, {"bucket": "c4"})])
    def test_not_exported(self, environment, days, link):
        """Reading a locked bucket is no matter, nor is exporting to one that is not locked."""
        lustre = {"data_repository_associations": [{"file_system_path": "/data", **link}]}
        made = environment(checkpoints={"object_lock_days": days}, lustre=lustre)
        assert not list(exports_to_a_locked_bucket_are_tried(made))
