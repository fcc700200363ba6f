"""Storage in full: every kind of file system, what is adopted, datasets, copies, locks, and what outlives a stack."""

import json
from itertools import pairwise

import pytest

from trnstack.rules.job_prefixes import jobs_policy_characters

FSX, ASSOCIATION = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"
BUCKET, POLICY, KEY = "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::KMS::Key"
KEPT = ("RetainExceptOnCreate", "Retain")
OTHER_KEY = "arn:aws:kms:us-east-2:111122223333:key/2c3d4e5f-6071-8293-a4b5-c6d7e8f90a1b"
TIERING = {
    "storage_gib": None,
    "throughput_mbps_per_tib": None,
    "storage_type": "INTELLIGENT_TIERING",
    "throughput_capacity_mbps": 4000,
    "metadata_iops": 6000,
    "data_repository_associations": (),
}
HDD = {
    "deployment_type": "PERSISTENT_1",
    "storage_type": "HDD",
    "storage_gib": 6000,
    "throughput_mbps_per_tib": 12,
    "drive_cache": "READ",
}


@pytest.fixture
def lustre(variant):
    """Returns a builder of a file system's template: ``lustre(storage_gib=2400)``; a field that is None is left out."""

    def build(**changes: object):
        start = {"storage_gib": 4800, "throughput_mbps_per_tib": 250, **changes}
        section = {key: value for key, value in start.items() if value is not None}
        return variant("dev-trn1", storage={"lustre": section})["dev-storage"]

    return build


class TestKindsOfFileSystems:
    def test_scratch(self, lustre):
        """SCRATCH_2 has a size alone: neither rate nor key nor metadata can be chosen; it is linked all the same."""
        links = ({"file_system_path": "/checkpoints", "prefix": "runs"},)
        template = lustre(deployment_type="SCRATCH_2", throughput_mbps_per_tib=None, data_repository_associations=links)
        made = template.one(FSX)

        assert made["StorageCapacity"] == 4800
        assert set(made["LustreConfiguration"]) == {"DeploymentType", "DataCompressionType", "LogConfiguration"}
        assert "KmsKeyId" not in made
        assert len(template.of(ASSOCIATION)) == 1

    def test_persistent_1(self, lustre):
        """PERSISTENT_1 has a rate and a key, and no metadata of its own."""
        made = lustre(deployment_type="PERSISTENT_1", throughput_mbps_per_tib=200).one(FSX)

        assert made["LustreConfiguration"] == {
            "DeploymentType": "PERSISTENT_1",
            "PerUnitStorageThroughput": 200,
            "DataCompressionType": "LZ4",
        }
        assert "KmsKeyId" in made

    @pytest.mark.parametrize("cache", ["READ", "NONE"])
    def test_hdd(self, lustre, cache):
        """Hard disks always say whether they have a cache: FSx requires it."""
        made = lustre(**{**HDD, "drive_cache": cache}).one(FSX)

        assert made["StorageType"] == "HDD"
        assert made["LustreConfiguration"]["DriveCacheType"] == cache

    @pytest.mark.parametrize(
        ("changes", "cache"),
        [
            ({}, {"SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}),
            ({"read_cache": "NO_CACHE"}, {"SizingMode": "NO_CACHE"}),
            (
                {"read_cache": "USER_PROVISIONED", "read_cache_gib": 800},
                {"SizingMode": "USER_PROVISIONED", "SizeGiB": 800},
            ),
        ],
    )
    def test_intelligent_tiering(self, lustre, changes, cache):
        """INTELLIGENT_TIERING has a throughput and a read cache in place of size and rate."""
        made = lustre(**TIERING, **changes).one(FSX)

        assert "StorageCapacity" not in made
        assert made["LustreConfiguration"] == {
            "DeploymentType": "PERSISTENT_2",
            "ThroughputCapacity": 4000,
            "DataReadCacheConfiguration": cache,
            "DataCompressionType": "LZ4",
            "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        }

    def test_settings(self, lustre):
        """Maintenance and backups are set where the file says so, and else left to FSx."""
        settings = {"weekly_maintenance_start": "7:03:30", "automatic_backup_retention_days": 7}
        made = lustre(**settings).one(FSX)["LustreConfiguration"]
        left_alone = lustre().one(FSX)["LustreConfiguration"]

        assert made["WeeklyMaintenanceStartTime"] == "7:03:30"
        assert made["AutomaticBackupRetentionDays"] == 7
        assert not {"WeeklyMaintenanceStartTime", "AutomaticBackupRetentionDays", "LogConfiguration"} & set(left_alone)

    def test_log(self, every):
        """The log goes to a group under FSx's prefix, by an ARN that names the group and not its streams."""
        template = every["datasets-storage"]
        (logical_id,) = template.of("AWS::Logs::LogGroup")
        log = template.one(FSX)["LustreConfiguration"]["LogConfiguration"]

        assert template.one("AWS::Logs::LogGroup") == {"LogGroupName": "/aws/fsx/datasets", "RetentionInDays": 90}
        assert log["Level"] == "WARN_ERROR"
        assert log["Destination"]["Fn::Join"][1][-2:] == [":log-group:", {"Ref": logical_id}]

    def test_log_of_what_is_linked(self, every, lustre):
        """Where something is linked, what fails is logged without a word in the file; elsewhere there is no log."""
        template = every["llama3-8b-storage"]

        assert template.one(FSX)["LustreConfiguration"]["LogConfiguration"]["Level"] == "WARN_ERROR"
        assert template.one("AWS::Logs::LogGroup")["LogGroupName"] == "/aws/fsx/llama3-8b"
        assert not lustre().of("AWS::Logs::LogGroup")

    def test_log_that_is_off(self, lustre):
        """A log that is switched off says so to FSx and has no group."""
        template = lustre(log_level="DISABLED")

        assert template.one(FSX)["LustreConfiguration"]["LogConfiguration"] == {"Level": "DISABLED"}
        assert not template.of("AWS::Logs::LogGroup")

    def test_root_squash(self, every):
        """Root squash, for which CloudFormation has no property, comes as the command that sets it."""
        template = every["datasets-storage"]
        (logical_id,) = template.of(FSX)
        start, file_system, end = template.printed()["RootSquashCommand"]["Fn::Join"][1]

        assert start == "aws fsx update-file-system --region us-east-2 --file-system-id "
        assert file_system == {"Ref": logical_id}
        assert end == " --lustre-configuration 'RootSquashConfiguration={RootSquash=65534:65534}'"

    def test_told(self, lustre):
        """The id, DNS name and mount name, which CloudFormation alone knows, are printed, and left in parameters."""
        template = lustre(storage_gib=2400)
        (logical_id,) = template.of(FSX)
        told = {
            "id": {"Ref": logical_id},
            "dns-name": {"Fn::GetAtt": [logical_id, "DNSName"]},
            "mount-name": {"Fn::GetAtt": [logical_id, "LustreMountName"]},
        }
        printed = template.printed()

        assert {each["Name"]: each["Value"] for each in template.properties("AWS::SSM::Parameter")} == {
            f"/trnstack/dev/file-system-{what}": value for what, value in told.items()
        }
        assert [printed[key] for key in ("FileSystemId", "FileSystemDnsName", "FileSystemMountName")] == [
            *told.values()
        ]

    def test_without(self, every):
        """Without a file system there are no such parameters."""
        assert every["dev-storage"].of("AWS::SSM::Parameter") == {}


class TestAdoption:
    @pytest.fixture
    def adopted(self, every):
        return every["adopted-storage"]

    def test_nothing_is_made(self, adopted):
        """Neither bucket nor policy nor file system is made; only keys and the link are."""
        assert {made["Type"] for made in adopted["Resources"].values()} == {KEY, "AWS::KMS::Alias", ASSOCIATION}

    def test_link(self, adopted):
        """The link that went with the earlier stack is made anew, between the two that stand."""
        link = adopted.one(ASSOCIATION)

        assert link["FileSystemId"] == "fs-0a1b2c3d4e5f60718"
        assert link["DataRepositoryPath"]["Fn::Join"][1] == [
            "s3://",
            "earlier-checkpoints-111122223333-us-east-2",
            "/llama3-8b/",
        ]
        assert link["BatchImportMetaDataOnCreate"] is False

    def test_outputs(self, adopted):
        """Exports and outputs are those of every environment, with what stands as their values."""
        exports = adopted.exports()

        assert set(exports) == {f"adopted-storage:{key}" for key in ("CheckpointBucket", "DataKeyArn", "SecretsKeyArn")}
        assert exports["adopted-storage:CheckpointBucket"] == "earlier-checkpoints-111122223333-us-east-2"
        assert adopted.printed() == {
            "CheckpointBucket": "earlier-checkpoints-111122223333-us-east-2",
            "FileSystemId": "fs-0a1b2c3d4e5f60718",
            "FileSystemMountName": "abcdefgh",
            "FileSystemDnsName": "fs-0a1b2c3d4e5f60718.fsx.us-east-2.amazonaws.com",
        }

    def test_nodes_reach_it(self, every):
        """Nodes and the file system's own group let each other's Lustre traffic in and out, on both sides."""
        network, group = every["adopted-network"], "sg-0c00000000000001a"
        inward = [r for r in network.properties("AWS::EC2::SecurityGroupIngress") if group in json.dumps(r)]
        outward = [r for r in network.properties("AWS::EC2::SecurityGroupEgress") if group in json.dumps(r)]

        assert {r["GroupId"] == group for r in inward} == {True, False}
        assert {r["GroupId"] == group for r in outward} == {True, False}
        assert {(r["IpProtocol"], r["FromPort"], r["ToPort"]) for r in (*inward, *outward)} == {("tcp", 988, 1023)}

    def test_nodes_reach_it_by_efa(self, variant):
        """Where it was made with EFA, all traffic passes between its group and the nodes' in both directions."""
        storage = {"lustre": {"efa_enabled": True}}
        network, group = variant("adopted-storage-trn1", storage=storage)["adopted-network"], "sg-0c00000000000001a"
        for kind in ("Ingress", "Egress"):
            rules = network.properties(f"AWS::EC2::SecurityGroup{kind}")
            all_traffic = [rule for rule in rules if group in json.dumps(rule) and rule["IpProtocol"] == "-1"]

            assert sorted(rule["GroupId"] == group for rule in all_traffic) == [False, True]

    def test_efa_of_its_own_group_stays(self, every, variant):
        """Where the group is this very environment's, its rules have the ids that they had, and no second stands."""
        storage = {"lustre": {"efa_enabled": True}}
        adopted = variant("adopted-storage-trn1", storage=storage)["adopted-network"]

        def efa_rules(network):
            return {name for name in network["Resources"] if "Efa" in name}

        assert efa_rules(adopted) == efa_rules(every["datasets-network"]) != set()

    def test_rules_are_none_that_may_stand(self, every):
        """Where the group is this very environment's, whose network stack stands, no rule of its would be a second."""
        ports = {
            (rule["FromPort"], rule["ToPort"])
            for rule in every["llama3-8b-network"].properties("AWS::EC2::SecurityGroupIngress")
            if rule["IpProtocol"] == "tcp"
        }

        assert (988, 1023) not in ports

    def test_key_of_jobs(self, every):
        """Jobs get the adopted bucket's key in place of the environment's own, which encrypts nothing of it."""
        (statement,) = _of_jobs(every["adopted-cluster"], "kms:GenerateDataKey")

        assert statement["Resource"] == OTHER_KEY

    def test_bucket_alone(self, variant):
        """An adopted bucket beside a new file system: the link waits for no policy, since there is none to make."""
        checkpoints = {"existing_bucket": "earlier-checkpoints", "encryption": "s3"}
        stacks = variant("llama3-8b-trn1", storage={"checkpoints": checkpoints})
        (link,) = stacks["llama3-8b-storage"].of(ASSOCIATION).values()

        assert "DependsOn" not in link
        assert not stacks["llama3-8b-storage"].of(BUCKET)
        assert not _of_jobs(stacks["llama3-8b-cluster"], "kms:Decrypt")

    def test_file_system_alone(self, variant):
        """An adopted file system beside a new bucket: the link waits for the bucket's policy as always."""
        existing = {
            "file_system_id": "fs-0a1b2c3d4e5f60718",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0c00000000000001a",
        }
        storage = {"lustre": {"existing_file_system": existing}}
        new = variant("existing-vpc-trn1")["existing-storage"]
        adopted = variant("existing-vpc-trn1", storage=storage)["existing-storage"]
        (link,) = adopted.of(ASSOCIATION).values()

        assert link["DependsOn"]
        assert not adopted.of(FSX)
        assert list(adopted.of(ASSOCIATION)) == list(new.of(ASSOCIATION))


def _of_jobs(template, action):
    """Returns the statements of the jobs' role that hold an action."""
    (role,) = (made for name, made in template.of("AWS::IAM::Role").items() if name.startswith("Trainer"))
    statements = role["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    return [each for each in statements if action in each["Action"]]


def _with_account(name):
    """Returns a bucket's name with an account's number."""
    return name.replace("ACCOUNT", "111122223333")


def _resolved(value, imports):
    """Returns a part of a template with what CloudFormation fills in."""
    if isinstance(value, list):
        return [_resolved(each, imports) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"Fn::Join"}:
        return "".join(_resolved(part, imports) for part in value["Fn::Join"][1])
    if set(value) == {"Fn::ImportValue"}:
        return imports[value["Fn::ImportValue"].partition(":")[2]]
    return "aws" if value == {"Ref": "AWS::Partition"} else {k: _resolved(v, imports) for k, v in value.items()}


def _text(value):
    """Returns what a joined value reads as, with references by their names."""
    parts = value["Fn::Join"][1]
    return "".join(part if isinstance(part, str) else "<>" for part in parts)


class TestWhatJobsMayDo:
    def test_a_linked_prefix_alone(self, every):
        """Where the file system is linked to a prefix, jobs use that part of the bucket and list no other."""
        template = every["llama2-7b-cluster"]
        (writing,) = _of_jobs(template, "s3:PutObject")
        (listing,) = _of_jobs(template, "s3:ListBucket")

        assert [_text(each) for each in writing["Resource"]] == ["arn:<>:s3:::<>/llama2-7b/*"]
        assert listing["Action"] == "s3:ListBucket"
        assert listing["Condition"] == {"StringLike": {"s3:prefix": ["llama2-7b", "llama2-7b/*"]}}

    def test_all_of_a_linked_bucket(self, every):
        """Where all of the bucket is linked, or none of it, jobs use all of it."""
        for name in ("llama3-8b", "datasets"):
            (writing,) = _of_jobs(every[f"{name}-cluster"], "s3:PutObject")
            assert _text(writing["Resource"]) == "arn:<>:s3:::<>/*"

    def test_several_prefixes(self, variant):
        """Each linked prefix is theirs, and nothing between them."""
        links = tuple({"file_system_path": f"/{each}", "prefix": each} for each in ("runs", "evaluations"))
        stacks = variant("llama3-8b-trn1", storage={"lustre": {"data_repository_associations": links}})
        (writing,) = _of_jobs(stacks["llama3-8b-cluster"], "s3:PutObject")

        assert [_text(each) for each in writing["Resource"]] == [
            "arn:<>:s3:::<>/evaluations/*",
            "arn:<>:s3:::<>/runs/*",
        ]

    def test_what_the_file_adds(self, variant):
        """Prefixes that the file adds are read, written and listed as the linked ones are, and bring no link."""
        links = ({"file_system_path": "/runs", "prefix": "runs"},)
        storage = {
            "checkpoints": {"job_prefixes": ("evaluations/",)},
            "lustre": {"data_repository_associations": links},
        }
        stacks = variant("llama3-8b-trn1", storage=storage)
        (writing,) = _of_jobs(stacks["llama3-8b-cluster"], "s3:PutObject")
        (listing,) = _of_jobs(stacks["llama3-8b-cluster"], "s3:ListBucket")

        assert [_text(each) for each in writing["Resource"]] == [
            "arn:<>:s3:::<>/evaluations/*",
            "arn:<>:s3:::<>/runs/*",
        ]
        assert listing["Condition"] == {"StringLike": {"s3:prefix": ["evaluations", "evaluations/*", "runs", "runs/*"]}}
        assert len(stacks["llama3-8b-storage"].of(ASSOCIATION)) == 1

    def test_all_in_spite_of_a_link(self, variant):
        """An empty prefix keeps all of the bucket for jobs, as before the first link."""
        links = ({"file_system_path": "/runs", "prefix": "runs"},)
        storage = {"checkpoints": {"job_prefixes": ("",)}, "lustre": {"data_repository_associations": links}}
        (writing,) = _of_jobs(variant("llama3-8b-trn1", storage=storage)["llama3-8b-cluster"], "s3:PutObject")

        assert _text(writing["Resource"]) == "arn:<>:s3:::<>/*"

    @pytest.mark.parametrize(
        ("linked", "added"), [("", ()), ("runs", ()), ("runs", ("evaluations", f"tokenizers/{'x' * 200}"))]
    )
    @pytest.mark.parametrize("name", ["datasets-trn1", "dev-trn1"])
    def test_length_of_their_policy(self, variant, name, linked, added):
        """BKT020 counts no less than what the policy comes to, and not much more."""
        links = ({"file_system_path": "/runs", "prefix": linked},)
        storage = {"checkpoints": {"job_prefixes": added}, "lustre": {"data_repository_associations": links}}
        stacks = variant(name, storage=storage)
        storage = stacks.plan.storage
        values = {"CheckpointBucket": _with_account(storage.checkpoints.name), "DataKeyArn": OTHER_KEY}
        (role,) = (
            made
            for logical_id, made in stacks[f"{stacks.plan.name}-cluster"].of("AWS::IAM::Role").items()
            if logical_id.startswith("Trainer")
        )
        written = json.dumps(
            _resolved(role["Properties"]["Policies"][0]["PolicyDocument"], values), separators=(",", ":")
        )
        counted = jobs_policy_characters(storage.checkpoints.name, storage.checkpoints.job_prefixes, storage.datasets)

        assert len(written) <= counted <= len(written) + 200

    def test_datasets(self, every):
        """A dataset is read within its prefix, with its key, and never written."""
        template = every["datasets-cluster"]
        reading = [
            _text(each["Resource"]) for each in _of_jobs(template, "s3:GetObject") if each["Action"] == "s3:GetObject"
        ]
        decrypting = [each["Resource"] for each in _of_jobs(template, "kms:Decrypt") if each["Action"] == "kms:Decrypt"]
        writing = json.dumps(_of_jobs(template, "s3:PutObject"))

        assert reading == [
            "arn:<>:s3:::ml-platform-datasets-us-east-2/tokenized/c4/*",
            "arn:<>:s3:::ml-platform-evaluation-us-east-2/*",
        ]
        assert decrypting == [["arn:aws:kms:us-east-2:111122223333:key/1b2c3d4e-5f60-7182-93a4-b5c6d7e8f90a"]]
        assert "ml-platform" not in writing

    def test_links_to_datasets_import(self, every):
        """A link to a dataset names the dataset's bucket and prefix, exports nothing and waits for no policy."""
        links = {
            made["Properties"]["FileSystemPath"]: made for made in every["datasets-storage"].of(ASSOCIATION).values()
        }
        made = links["/datasets/c4"]

        assert made["Properties"]["DataRepositoryPath"]["Fn::Join"][1] == [
            "s3://",
            "ml-platform-datasets-us-east-2",
            "/tokenized/c4/",
        ]
        assert made["Properties"]["S3"] == {"AutoImportPolicy": {"Events": ["NEW", "CHANGED"]}}
        assert "DependsOn" not in made


class TestCopiesAndLocks:
    @pytest.fixture
    def bucket(self, every):
        (made,) = (each for each in every["datasets-storage"].properties(BUCKET) if "LoggingConfiguration" in each)
        return made

    def test_lock(self, bucket):
        """The bucket has object lock from its start, and every version is kept for a day."""
        assert bucket["ObjectLockEnabled"] is True
        assert bucket["ObjectLockConfiguration"] == {
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": 1}},
        }

    def test_copies(self, bucket):
        """Every new object is copied and encrypted by the other region's key; what is deleted here stays there."""
        (rule,) = bucket["ReplicationConfiguration"]["Rules"]

        assert (rule["Status"], rule["Filter"]) == ("Enabled", {"Prefix": ""})
        assert rule["DeleteMarkerReplication"] == {"Status": "Disabled"}
        assert rule["SourceSelectionCriteria"] == {"SseKmsEncryptedObjects": {"Status": "Enabled"}}
        assert _text(rule["Destination"]["Bucket"]) == "arn:<>:s3:::ml-platform-checkpoint-copies-us-west-2"
        assert rule["Destination"]["EncryptionConfiguration"]["ReplicaKmsKeyID"].startswith("arn:aws:kms:us-west-2:")

    def test_role_of_copies(self, every, bucket):
        """The role reads the one bucket, writes to the other, and uses each key by way of S3 in the key's region."""
        template = every["datasets-storage"]
        (logical_id, role), *others = template.of("AWS::IAM::Role").items()
        statements = role["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
        written = [_text(each["Resource"]) for each in statements if "s3:ReplicateObject" in each["Action"]]
        keys = {str(each["Action"]): each["Condition"]["StringEquals"]["kms:ViaService"] for each in statements[-2:]}

        assert others == []
        assert bucket["ReplicationConfiguration"]["Role"] == {"Fn::GetAtt": [logical_id, "Arn"]}
        assert written == ["arn:<>:s3:::ml-platform-checkpoint-copies-us-west-2/*"]
        assert _text(keys["kms:Decrypt"]) == "s3.<>.amazonaws.com"
        assert keys["['kms:Encrypt', 'kms:GenerateDataKey']"] == "s3.us-west-2.amazonaws.com"
        assert not any("Delete" in action for each in statements for action in each["Action"])
        assert (role["DeletionPolicy"], role["UpdateReplacePolicy"]) == KEPT

    def test_copies_without_keys(self, variant):
        """With S3's own keys on both sides nothing is said of keys, nor of locks where there are none."""
        copies = {"region": "us-west-2", "bucket_name": "some-copies"}
        checkpoints = {"encryption": "s3", "replicate_to": copies}
        template = variant("dev-trn1", storage={"checkpoints": checkpoints})["dev-storage"]
        (made,) = (each for each in template.properties(BUCKET) if "ReplicationConfiguration" in each)
        (rule,) = made["ReplicationConfiguration"]["Rules"]
        role = json.dumps(template.of("AWS::IAM::Role"))

        assert "SourceSelectionCriteria" not in rule
        assert "EncryptionConfiguration" not in rule["Destination"]
        assert "kms:" not in role
        assert "Retention" not in role

    def test_others_have_neither(self, every):
        """Who asks for neither has neither."""
        for bucket in every["llama3-8b-storage"].properties(BUCKET):
            assert not {"ReplicationConfiguration", "ObjectLockEnabled", "ObjectLockConfiguration"} & set(bucket)


class TestOldVersions:
    @pytest.mark.parametrize("versioned", [True, False])
    def test_they_go(self, variant, versioned):
        """They go by one and the same rule, also where versions were switched off, and no current version does."""
        checkpoints = {"versioned": versioned, "noncurrent_expiration_days": 7}
        template = variant("dev-trn1", storage={"checkpoints": checkpoints})["dev-storage"]
        (bucket,) = (made for made in template.properties(BUCKET) if "LoggingConfiguration" in made)
        (rule,) = (each for each in bucket["LifecycleConfiguration"]["Rules"] if each["Id"] == "expire-old-versions")

        assert rule == {
            "Id": "expire-old-versions",
            "Status": "Enabled",
            "NoncurrentVersionExpiration": {"NoncurrentDays": 7},
            "ExpiredObjectDeleteMarker": True,
        }
        assert ("VersioningConfiguration" in bucket) is versioned
        assert "ExpirationInDays" not in json.dumps(bucket["LifecycleConfiguration"])


class TestRetention:
    #: What holds data, or without which data can't be read or is copied no longer.
    HOLDS_DATA = (BUCKET, POLICY, KEY, FSX)

    def test_nothing_that_is_retained_can_be_deleted(self, templates, plans):
        """No stack of any environment deletes what holds data, when it goes or when it replaces it."""
        for name, plan in plans.items():
            checkpoints, lustre = plan.storage.checkpoints, plan.storage.lustre
            retained = {
                **dict.fromkeys((BUCKET, POLICY), getattr(checkpoints, "retain", True)),
                FSX: getattr(lustre, "retain", True),
                KEY: True,
            }
            for stack in (f"{plan.name}-storage", f"{plan.name}-cluster", f"{plan.name}-network"):
                for logical_id, made in templates[name][stack]["Resources"].items():
                    if retained.get(made["Type"]):
                        policies = (made.get("DeletionPolicy"), made.get("UpdateReplacePolicy"))
                        assert policies == KEPT, (stack, logical_id)

    def test_where_data_stands(self, every):
        """Buckets and file systems stand in storage stacks alone, which are protected from termination."""
        for name, template in every.items():
            if any(template.of(each) for each in (BUCKET, POLICY, FSX)):
                assert name.endswith("-storage")

    def test_storage_stacks_are_protected(self, plans):
        """A storage stack is deleted by nobody by accident."""
        for plan in plans.values():
            assert plan.stack(f"{plan.name}-storage").termination_protection

    def test_some_are_retained(self, plans):
        """The test above has something to look at."""
        assert sum(getattr(plan.storage.lustre, "retain", False) for plan in plans.values()) > 5


class TestLinks:
    def test_one_after_the_other(self, lustre):
        """FSx fails one of two links that are made at the same time, so each waits for the one before it."""
        folders = ("/a", "/b", "/c")
        links = tuple({"file_system_path": each, "prefix": each.strip("/")} for each in folders)
        template = lustre(data_repository_associations=links)
        made = {
            each["Properties"]["FileSystemPath"]: (name, each.get("DependsOn", []))
            for name, each in template["Resources"].items()
            if each["Type"] == ASSOCIATION
        }

        for before, after in pairwise(folders):
            assert made[before][0] in made[after][1]
        assert not {name for name, _ in made.values()} & set(made["/a"][1])
