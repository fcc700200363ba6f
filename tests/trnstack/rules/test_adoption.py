import pytest

from trnstack.findings import Severity
from trnstack.rules.adoption import (
    a_description_of_a_bucket_sets_nothing,
    a_description_of_a_file_system_sets_nothing,
    an_adopted_bucket_has_its_key,
    an_adopted_bucket_keeps_its_settings,
    an_adopted_file_system_is_in_reach,
    an_adopted_file_system_keeps_its_settings,
    keys_are_in_their_buckets_region,
    keys_are_named_by_their_own_arn,
    keys_of_others_let_fsx_in,
)

KEY = "arn:aws:kms:us-east-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
ALIAS = "arn:aws:kms:us-east-2:111122223333:alias/data"
BUCKET = {"existing_bucket": "earlier-checkpoints", "kms_key_arn": KEY}
COPIES = {"region": "us-west-2", "bucket_name": "some-copies"}
LUSTRE = {
    "existing_file_system": {
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
}
VPC = {
    "existing_vpc": {
        "vpc_id": "vpc-0a1b2c3d4e5f60718",
        "cidr": "10.40.0.0/16",
        "subnets": [
            {
                "subnet_id": "subnet-0a00000000000002a",
                "route_table_id": "rtb-0a00000000000001a",
                "availability_zone_id": "use2-az3",
                "cidr": "10.40.4.0/23",
                "public": False,
            }
        ],
    }
}


class TestAnAdoptedFileSystemKeepsItsSettings:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("metadata_iops", 12_000),
            ("drive_cache", "READ"),
            ("read_cache", "NO_CACHE"),
            ("read_cache_gib", 800),
            ("weekly_maintenance_start", "7:03:30"),
            ("automatic_backup_retention_days", 0),
            ("log_level", "WARN_ERROR"),
            ("removal_policy", "destroy"),
        ],
    )
    def test_set(self, environment, field, value):
        """No stack changes what it did not make, and none deletes it."""
        (finding,) = an_adopted_file_system_keeps_its_settings(environment(lustre={**LUSTRE, field: value}))

        assert finding.severity is Severity.ERROR
        assert finding.path == ("storage", "lustre", field)

    @pytest.mark.parametrize(
        "lustre",
        [
            {},
            {"metadata_iops": 12_000, "removal_policy": "destroy"},
            LUSTRE,
            {**LUSTRE, "storage_gib": 9600, "throughput_mbps_per_tib": 500, "removal_policy": "retain"},
            {**LUSTRE, "log_level": None},
        ],
    )
    def test_described(self, environment, lustre):
        """What an adopted file system is may be written; a new one takes every setting."""
        assert not list(an_adopted_file_system_keeps_its_settings(environment(lustre=lustre)))


class TestADescriptionOfAFileSystemSetsNothing:
    @pytest.mark.parametrize(
        ("fields", "first", "hint"),
        [
            (
                {"throughput_mbps_per_tib": 500, "storage_gib": 9600},
                "storage_gib",
                "keep it as aws fsx describe-file-systems shows it, or remove it",
            ),
            ({"storage_gib": 9600}, "storage_gib", "write throughput_mbps_per_tib too, from which"),
            ({"deployment_type": "SCRATCH_2", "storage_gib": 9600}, "deployment_type", "keep it as"),
            ({"deployment_type": "PERSISTENT_1"}, "deployment_type", "write storage_gib, throughput_mbps_per_tib too"),
            ({"storage_type": "INTELLIGENT_TIERING"}, "storage_type", "write throughput_capacity_mbps too"),
            ({"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 4000}, "storage_type", "keep it as"),
            ({"data_compression": "NONE"}, "data_compression", "write storage_gib"),
            ({"efa_enabled": True}, "efa_enabled", "write storage_gib"),
        ],
    )
    def test_described(self, environment, fields, first, hint):
        """Who edits the size of a file system that stands is told that nothing comes of it."""
        (finding,) = a_description_of_a_file_system_sets_nothing(environment(lustre={**LUSTRE, **fields}))

        assert finding.severity is Severity.NOTE
        assert finding.path == ("storage", "lustre", first)
        assert all(field in finding.message for field in fields)
        assert finding.hint.startswith(hint)

    @pytest.mark.parametrize("lustre", [LUSTRE, {"storage_gib": 9600}, {**LUSTRE, "mount_path": "/data"}])
    def test_not_described(self, environment, lustre):
        """A new file system is what the file says; where it is mounted is the nodes' affair."""
        assert not list(a_description_of_a_file_system_sets_nothing(environment(lustre=lustre)))


class TestAnAdoptedFileSystemIsInReach:
    def test_new_vpc(self, environment):
        """A VPC that is made now is not the one in which the file system stands."""
        (finding,) = an_adopted_file_system_is_in_reach(environment(lustre=LUSTRE))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize("sections", [{}, {"lustre": {}}, {"lustre": LUSTRE, "network": VPC}])
    def test_in_reach(self, environment, sections):
        """In a VPC that stands it can be reached."""
        assert not list(an_adopted_file_system_is_in_reach(environment(**sections)))


class TestAnAdoptedBucketHasItsKey:
    @pytest.mark.parametrize(
        ("checkpoints", "field"),
        [
            ({"existing_bucket": "earlier-checkpoints"}, "existing_bucket"),
            ({"kms_key_arn": KEY}, "kms_key_arn"),
            ({**BUCKET, "encryption": "s3"}, "kms_key_arn"),
        ],
    )
    def test_wrong(self, environment, checkpoints, field):
        """A key that is missing, and one that nothing would use, are told where they stand."""
        (finding,) = an_adopted_bucket_has_its_key(environment(checkpoints=checkpoints))

        assert finding.path == ("storage", "checkpoints", field)

    @pytest.mark.parametrize(
        "checkpoints",
        [{}, {"encryption": "s3"}, BUCKET, {"existing_bucket": "earlier-checkpoints", "encryption": "s3"}],
    )
    def test_right(self, environment, checkpoints):
        """A new bucket has its own key, an adopted one the one that is named, or S3's."""
        assert not list(an_adopted_bucket_has_its_key(environment(checkpoints=checkpoints)))


class TestAnAdoptedBucketKeepsItsSettings:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("replicate_to", COPIES),
            ("object_lock_days", 1),
            ("object_lock_mode", "COMPLIANCE"),
            ("removal_policy", "destroy"),
        ],
    )
    def test_set(self, environment, field, value):
        """No stack changes what it did not make, and none deletes it."""
        (finding,) = an_adopted_bucket_keeps_its_settings(environment(checkpoints={**BUCKET, field: value}))

        assert finding.path == ("storage", "checkpoints", field)

    @pytest.mark.parametrize("checkpoints", [{"replicate_to": COPIES}, BUCKET, {**BUCKET, "versioned": False}])
    def test_described(self, environment, checkpoints):
        """What an adopted bucket is may be written; a new one takes every setting."""
        assert not list(an_adopted_bucket_keeps_its_settings(environment(checkpoints=checkpoints)))


class TestADescriptionOfABucketSetsNothing:
    @pytest.mark.parametrize(
        "fields",
        [{"versioned": True}, {"noncurrent_expiration_days": 7, "infrequent_access_after_days": 60}],
    )
    def test_described(self, environment, fields):
        """Who shortens the life of old versions in an adopted bucket is told that nothing comes of it."""
        (finding,) = a_description_of_a_bucket_sets_nothing(environment(checkpoints={**BUCKET, **fields}))

        assert finding.severity is Severity.NOTE
        assert finding.path == ("storage", "checkpoints", next(iter(fields)))
        assert all(field in finding.message for field in fields)

    @pytest.mark.parametrize("checkpoints", [BUCKET, {"noncurrent_expiration_days": 7}])
    def test_not_described(self, environment, checkpoints):
        """A new bucket is what the file says."""
        assert not list(a_description_of_a_bucket_sets_nothing(environment(checkpoints=checkpoints)))


class TestKeysAreNamedByTheirOwnArn:
    @pytest.mark.parametrize(
        ("storage", "path"),
        [
            ({"checkpoints": {"existing_bucket": "b-1", "kms_key_arn": ALIAS}}, ("checkpoints", "kms_key_arn")),
            (
                {"checkpoints": {"replicate_to": {**COPIES, "kms_key_arn": ALIAS}}},
                ("checkpoints", "replicate_to", "kms_key_arn"),
            ),
            (
                {"datasets": [{"name": "c4", "bucket_name": "b-1", "kms_key_arn": ALIAS}]},
                ("datasets", 0, "kms_key_arn"),
            ),
        ],
    )
    def test_alias(self, environment, storage, path):
        """A policy that names an alias gives nobody the key."""
        (finding,) = keys_are_named_by_their_own_arn(environment(storage=storage))

        assert finding.path == ("storage", *path)

    @pytest.mark.parametrize("checkpoints", [{}, BUCKET, {"replicate_to": {**COPIES, "kms_key_arn": KEY}}])
    def test_own_arn(self, environment, checkpoints):
        """A key's own ARN is what policies take."""
        assert not list(keys_are_named_by_their_own_arn(environment(checkpoints=checkpoints)))


class TestKeysOfOthersLetFsxIn:
    @pytest.mark.parametrize("bucket", ["checkpoints", "c4"])
    def test_linked(self, environment, bucket):
        """Whether a key that stands lets FSx in can't be seen from here."""
        datasets = [{"name": "c4", "bucket_name": "b-1", "kms_key_arn": KEY}]
        links = [{"file_system_path": "/data", "bucket": bucket, "auto_export": []}]
        lustre = {"data_repository_associations": links}
        made = environment(storage={"checkpoints": BUCKET, "datasets": datasets, "lustre": lustre})
        (finding,) = keys_of_others_let_fsx_in(made)

        assert finding.severity is Severity.NOTE
        assert KEY in finding.hint

    @pytest.mark.parametrize("bucket", ["checkpoints", "c4"])
    def test_not_theirs(self, environment, bucket):
        """The environment's own key does, and S3's own needs not to be told."""
        links = [{"file_system_path": "/data", "bucket": bucket}]
        datasets = [{"name": "c4", "bucket_name": "b-1"}]
        made = environment(storage={"datasets": datasets, "lustre": {"data_repository_associations": links}})
        assert not list(keys_of_others_let_fsx_in(made))


class TestKeysAreInTheirBucketsRegion:
    ELSEWHERE = KEY.replace("us-east-2", "us-west-2")

    def test_bucket(self, environment):
        """S3 encrypts with keys of the bucket's region; a key of another one was copied from elsewhere."""
        (finding,) = keys_are_in_their_buckets_region(
            environment(checkpoints={**BUCKET, "kms_key_arn": self.ELSEWHERE})
        )

        assert finding.severity is Severity.ERROR
        assert finding.path == ("storage", "checkpoints", "kms_key_arn")
        assert finding.message == "the key is in us-west-2, and its bucket in us-east-2"

    @pytest.mark.parametrize(("key", "region"), [(ELSEWHERE, None), (KEY, "us-west-2")])
    def test_dataset(self, environment, key, region):
        """A dataset is in the environment's region, or in the one that is written."""
        dataset = {"name": "c4", "bucket_name": "some-datasets", "kms_key_arn": key, "region": region}
        (finding,) = keys_are_in_their_buckets_region(environment(datasets=[dataset]))

        assert finding.path == ("storage", "datasets", 0, "kms_key_arn")

    @pytest.mark.parametrize(
        "sections",
        [
            {},
            {"checkpoints": BUCKET},
            {"datasets": [{"name": "c4", "bucket_name": "some-datasets", "kms_key_arn": KEY}]},
            {
                "datasets": [
                    {"name": "c4", "bucket_name": "a-bucket", "kms_key_arn": ELSEWHERE, "region": "us-west-2"},
                    {"name": "c5", "bucket_name": "a-bucket", "region": "us-west-2"},
                ]
            },
        ],
    )
    def test_the_same(self, environment, sections):
        """Keys of the right region, and buckets without one."""
        assert not list(keys_are_in_their_buckets_region(environment(**sections)))
