"""What outlives a cluster: bucket, file system and the links between them."""

import pytest

KEY = "arn:aws:kms:us-east-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
TIERING = {"storage_type": "INTELLIGENT_TIERING", "throughput_capacity_mbps": 8000, "metadata_iops": 6000}
EXISTING = {
    "file_system_id": "fs-0123456789abcdef0",
    "mount_name": "abcdefgh",
    "security_group_id": "sg-0123456789abcdef0",
}


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
        """Versions that were kept before they were switched off still expire."""
        bucket = planned(checkpoints={"versioned": False, "noncurrent_expiration_days": 7}).storage.checkpoints

        assert (bucket.versioned, bucket.noncurrent_expiration_days) == (False, 7)

    def test_copies_and_lock(self, planned):
        """Copies go to the other region's bucket, and the lock has its mode."""
        copies = {"region": "us-west-2", "bucket_name": "some-copies", "kms_key_arn": KEY.replace("east", "west")}
        bucket = planned(checkpoints={"replicate_to": copies, "object_lock_days": 7}).storage.checkpoints

        assert (bucket.replication.region, bucket.replication.bucket_name) == ("us-west-2", "some-copies")
        assert (bucket.object_lock.mode, bucket.object_lock.days) == ("GOVERNANCE", 7)
        assert planned().storage.checkpoints.replication is None
        assert planned().storage.checkpoints.object_lock is None

    def test_adopted(self, planned):
        """Of an adopted bucket the plan knows name, key and what jobs may use; nothing of it is made."""
        link = {"data_repository_associations": [{"file_system_path": "/a", "prefix": "runs/"}]}
        checkpoints = {"existing_bucket": "earlier-checkpoints", "kms_key_arn": KEY}
        bucket = planned(checkpoints=checkpoints, lustre=link).storage.checkpoints

        assert (bucket.name, bucket.kms_key_arn, bucket.job_prefixes) == ("earlier-checkpoints", KEY, ("runs",))


class TestJobPrefixes:
    @pytest.mark.parametrize(
        ("links", "prefixes"),
        [
            ([], ()),
            ([{"file_system_path": "/a"}], ()),
            ([{"file_system_path": "/a", "prefix": "/runs/".strip("/")}], ("runs",)),
            ([{"file_system_path": "/b", "prefix": "b"}, {"file_system_path": "/a", "prefix": "a"}], ("a", "b")),
            ([{"file_system_path": "/a", "bucket": "c4"}], ()),
            ([{"file_system_path": "/a", "bucket": "c4"}, {"file_system_path": "/b", "prefix": "b"}], ("b",)),
        ],
    )
    def test_linked(self, planned, links, prefixes):
        """Jobs use what is linked of the checkpoint bucket, or all of it where all or nothing is."""
        storage = {
            "datasets": [{"name": "c4", "bucket_name": "some-datasets"}],
            "lustre": {"data_repository_associations": links},
        }
        assert planned(storage=storage).storage.checkpoints.job_prefixes == prefixes

    @pytest.mark.parametrize(
        ("added", "linked", "prefixes"),
        [
            (["evaluations/", "b"], ["runs"], ("b", "evaluations", "runs")),
            (["runs"], ["runs/llama3"], ("runs", "runs/llama3")),
            ([""], ["runs"], ()),
            (["evaluations"], [""], ()),
            (["evaluations"], [], ()),
        ],
    )
    @pytest.mark.parametrize("bucket", [{}, {"existing_bucket": "earlier-checkpoints", "kms_key_arn": KEY}])
    def test_added(self, planned, added, linked, prefixes, bucket):
        """The file adds to what is linked, and never takes from it: what jobs may use only grows by it."""
        links = [{"file_system_path": f"/{place}", "prefix": prefix} for place, prefix in enumerate(linked)]
        lustre = {"data_repository_associations": links}
        made = planned(checkpoints={**bucket, "job_prefixes": added}, lustre=lustre).storage.checkpoints

        assert made.job_prefixes == prefixes


class TestKinds:
    def test_scratch(self, lustre):
        """SCRATCH_2 has neither rate nor key nor metadata of its own; 200 MB/s a TiB come with it."""
        made = lustre(deployment_type="SCRATCH_2")

        assert (made.throughput_mbps_per_tib, made.metadata_mode, made.own_key) == (None, None, False)
        assert made.throughput_mbps == 960

    def test_hdd(self, lustre):
        """Only hard disks have a drive cache, if one of none."""
        hdd = {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "storage_gib": 6000}
        made = lustre(**hdd, throughput_mbps_per_tib=12)

        assert (made.drive_cache, made.throughput_mbps, made.metadata_mode) == ("NONE", 72, None)
        assert lustre().drive_cache is None

    def test_tiering(self, lustre):
        """INTELLIGENT_TIERING has a throughput instead of a size and a rate."""
        made = lustre(**TIERING)

        assert (made.storage_gib, made.throughput_mbps_per_tib) == (None, None)
        assert (made.throughput_capacity_mbps, made.throughput_mbps) == (8000, 8000)
        assert (made.metadata_mode, made.metadata_iops) == ("USER_PROVISIONED", 6000)
        assert made.read_cache == "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"

    def test_efa_clients(self, planned):
        """FSX-09: trn1 nodes with EFA reach it by EFA; trn2 nodes, and trn1 nodes without, do not."""
        groups = [
            {"name": "trn1"},
            {"name": "plain", "efa": False},
            {"name": "small", "instance_type": "trn1.2xlarge"},
            {"name": "trn2", "instance_type": "trn2.48xlarge"},
        ]
        efa = {"efa_enabled": True, "storage_gib": 4800, "throughput_mbps_per_tib": 1000}
        assert planned(node_groups=groups, lustre=efa).storage.lustre.efa_clients == ("trn1",)
        assert planned(node_groups=groups, lustre={}).storage.lustre.efa_clients == ()

    def test_efa_clients_are_in_its_zone(self, planned):
        """EFA does not cross zones."""
        groups = [{"name": "near"}, {"name": "far", "availability_zone_id": "use1-az6"}]
        efa = {"efa_enabled": True, "storage_gib": 4800, "throughput_mbps_per_tib": 1000}
        zones = {"region": "us-east-1", "availability_zone_ids": ["use1-az4", "use1-az6"]}

        assert planned(**zones, node_groups=groups, lustre=efa).storage.lustre.efa_clients == ("near",)

    @pytest.mark.parametrize(
        ("level", "logged", "days"),
        [
            (None, "WARN_ERROR", 90),
            ("DISABLED", "DISABLED", None),
            ("ERROR_ONLY", "ERROR_ONLY", 90),
            ("WARN_ERROR", "WARN_ERROR", 90),
        ],
    )
    def test_log(self, lustre, level, logged, days):
        """What is linked is logged unless the file says otherwise; a log group is there where something is."""
        link = [{"file_system_path": "/a"}]
        made = lustre(log_level=level, data_repository_associations=link)

        assert (made.log_level, made.log_retention_days) == (logged, days)
        assert (lustre().log_level, lustre().log_retention_days) == (None, None)

    def test_adopted(self, planned):
        """Of an adopted file system the plan knows what mounting takes, and its links."""
        link = [{"file_system_path": "/checkpoints"}]
        decided = planned(lustre={"existing_file_system": EXISTING, "data_repository_associations": link})
        made = decided.storage.lustre

        assert (made.file_system_id, made.mount_name) == ("fs-0123456789abcdef0", "abcdefgh")
        assert [each.file_system_path for each in made.associations] == ["/checkpoints"]
        assert not made.efa_enabled
        assert "aws-fsx-csi-driver" in {add_on.name for add_on in decided.cluster.add_ons}
        assert not [use for use in decided.network.address_uses if use.user == "file system"]

    @pytest.mark.parametrize(
        ("existing", "bucket", "listed"),
        [(None, "checkpoints", True), (EXISTING, "checkpoints", False), (EXISTING, "c4", True)],
    )
    def test_what_a_bucket_holds(self, planned, existing, bucket, listed):
        """It is not listed where files of an adopted file system may be newer: of two of a name the bucket's wins."""
        lustre = {
            "existing_file_system": existing,
            "data_repository_associations": [{"file_system_path": "/a", "bucket": bucket}],
        }
        datasets = [{"name": "c4", "bucket_name": "some-datasets"}]
        (link,) = planned(storage={"datasets": datasets, "lustre": lustre}).storage.lustre.associations

        assert link.lists_bucket is listed


class TestDatasets:
    def test_links(self, planned):
        """A link to a dataset names its bucket, by default its prefix, and exports nothing."""
        storage = {
            "datasets": [{"name": "c4", "bucket_name": "some-datasets", "prefix": "tokenized/c4/", "kms_key_arn": KEY}],
            "lustre": {"data_repository_associations": [{"file_system_path": "/c4", "bucket": "c4"}]},
        }
        decided = planned(storage=storage).storage
        (dataset,), (link,) = decided.datasets, decided.lustre.associations

        assert (dataset.bucket_name, dataset.prefix, dataset.kms_key_arn) == ("some-datasets", "tokenized/c4", KEY)
        assert (link.bucket_name, link.prefix) == ("some-datasets", "tokenized/c4")
        assert (link.auto_import, link.auto_export) == (("NEW", "CHANGED"), ())


class TestDecisions:
    def paths(self, decided):
        return {each.path for each in decided.decisions if each.path.startswith("storage.")}

    def test_new(self, planned):
        """A new file system's zone, its rate and its EFA are for good, where it has them."""
        efa = {"efa_enabled": True, "throughput_mbps_per_tib": 1000}
        rate, zone = "storage.lustre.throughput_mbps_per_tib", "storage.lustre.subnet"

        assert self.paths(planned()) == set()
        assert self.paths(planned(lustre={})) == {rate, zone}
        assert self.paths(planned(lustre=efa)) == {rate, zone, "storage.lustre.efa_enabled"}
        assert self.paths(planned(lustre=TIERING)) == {zone}

    def test_adopted(self, planned):
        """What is adopted is told, and what jobs may use of it."""
        link = [{"file_system_path": "/a", "prefix": "runs"}]
        decided = planned(
            checkpoints={"existing_bucket": "earlier-checkpoints", "encryption": "s3"},
            lustre={"existing_file_system": EXISTING, "data_repository_associations": link},
        )

        assert self.paths(decided) == {
            "storage.checkpoints.existing_bucket",
            "storage.checkpoints.job_prefixes",
            "storage.lustre.existing_file_system",
        }

    @pytest.mark.parametrize(
        ("added", "value", "beside"),
        [([], "runs", ""), (["a"], "a, runs", ", and those that the file adds"), ([""], "all of the bucket", "adds")],
    )
    def test_job_prefixes(self, planned, added, value, beside):
        """What jobs may use is told with where it comes from, all of the bucket included."""
        link = [{"file_system_path": "/a", "prefix": "runs"}]
        decided = planned(checkpoints={"job_prefixes": added}, lustre={"data_repository_associations": link})
        (decision,) = (each for each in decided.decisions if each.path == "storage.checkpoints.job_prefixes")

        assert decision.value == value
        assert decision.reason.endswith(beside or "the file system is linked to")
