"""FSx for Lustre: what it answers, and what it refuses."""

import pytest
from botocore.exceptions import ClientError

HERE = {"CreateBucketConfiguration": {"LocationConstraint": "us-east-2"}}
AUTOMATIC = {"Mode": "AUTOMATIC"}
TIERING = {
    "DeploymentType": "PERSISTENT_2",
    "ThroughputCapacity": 4000,
    "DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"},
    "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
}
EFA = {
    "DeploymentType": "PERSISTENT_2",
    "PerUnitStorageThroughput": 1000,
    "MetadataConfiguration": AUTOMATIC,
    "EfaEnabled": True,
}


def ssd(deployment, gib=1200, **lustre: object):
    return {"StorageCapacity": gib, "LustreConfiguration": {"DeploymentType": deployment, **lustre}}


def hdd(rate, gib, **lustre: object):
    return {"StorageType": "HDD", **ssd("PERSISTENT_1", gib, PerUnitStorageThroughput=rate, **lustre)}


def tiering(**lustre: object):
    return {"StorageType": "INTELLIGENT_TIERING", "LustreConfiguration": {**TIERING, **lustre}}


class TestFsx:
    @pytest.fixture
    def fsx(self, client):
        return client("fsx")

    @pytest.fixture
    def file_system(self, fsx, network):
        answer = fsx.create_file_system(
            FileSystemType="LUSTRE",
            StorageCapacity=4800,
            SubnetIds=network.subnet_ids[:1],
            SecurityGroupIds=[network.group.physical_id],
            LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
        )
        return answer["FileSystem"]

    def test_answer_in_full(self, client, network, file_system):
        """The answer has what moto leaves out, and the interface stands in EC2."""
        assert file_system["Lifecycle"] == "AVAILABLE"
        assert file_system["VpcId"] == network.vpc.physical_id
        (interface,) = client("ec2").describe_network_interfaces()["NetworkInterfaces"]
        assert file_system["NetworkInterfaceIds"] == [interface["NetworkInterfaceId"]]
        assert interface["Groups"][0]["GroupId"] == network.group.physical_id

    def test_scratch_mounts_as_fsx(self, fsx, network):
        """The first generation's mount name is fsx."""
        answer = fsx.create_file_system(FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=network.subnet_ids[:1])

        assert answer["FileSystem"]["LustreConfiguration"]["MountName"] == "fsx"

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"SubnetIds": ["subnet-00000000"]}, "subnet ID 'subnet-00000000' does not exist"),
            ({"SubnetIds": []}, "exactly one subnet"),
            ({"SecurityGroupIds": ["sg-00000000"]}, "security group ID 'sg-00000000' does not exist"),
        ],
    )
    def test_missing_network(self, fsx, network, changed, message):
        """A subnet or a group that doesn't stand is refused."""
        request = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": network.subnet_ids[:1]}

        with pytest.raises(ClientError, match=message):
            fsx.create_file_system(**{**request, **changed})

    def test_capacity_only_grows(self, fsx, file_system):
        """FSX-12: A smaller capacity is refused, and so is the same one again."""
        for capacity in (2400, 4800):
            with pytest.raises(ClientError, match="must be greater than the current 4800 GiB"):
                fsx.update_file_system(FileSystemId=file_system["FileSystemId"], StorageCapacity=capacity)

    def test_unknown(self, fsx):
        """An unknown file system is an error."""
        with pytest.raises(ClientError, match="FileSystemNotFound"):
            fsx.describe_file_systems(FileSystemIds=["fs-01234567"])

    def test_paths_of_associations_do_not_overlap(self, client, fsx, file_system):
        """Two associations can't share a part of the file system, nor of a bucket."""
        client("s3").create_bucket(Bucket="training-data", **HERE)

        def link(folder, prefix):
            fsx.create_data_repository_association(
                FileSystemId=file_system["FileSystemId"],
                FileSystemPath=folder,
                DataRepositoryPath=f"s3://training-data/{prefix}",
            )

        link("/data", "runs/")
        link("/data2", "runs2/")

        for folder in ("/data", "/data/train", "/"):
            with pytest.raises(ClientError, match=f"FileSystemPath {folder} overlaps"):
                link(folder, "others/")
        for prefix in ("runs/", "runs/one/", ""):
            with pytest.raises(ClientError, match=f"DataRepositoryPath s3://training-data/{prefix} overlaps"):
                link("/others", prefix)


class TestTasks:
    TASK = {"Type": "EXPORT_TO_REPOSITORY", "Paths": ["data"]}
    REPORT = {"Enabled": True, "Format": "REPORT_CSV_20191124", "Scope": "FAILED_FILES_ONLY"}

    @pytest.fixture
    def fsx(self, client):
        return client("fsx")

    @pytest.fixture
    def file_system_id(self, fsx, network):
        made = fsx.create_file_system(FileSystemType="LUSTRE", SubnetIds=network.subnet_ids[:1], **ssd("SCRATCH_2"))
        return made["FileSystem"]["FileSystemId"]

    @pytest.fixture
    def link(self, client, fsx, file_system_id):
        """Links a folder of it to a prefix of a bucket, with the events that are exported."""

        def link(*events: str) -> None:
            client("s3").create_bucket(Bucket="training-data", **HERE)
            fsx.create_data_repository_association(
                FileSystemId=file_system_id,
                FileSystemPath="/data",
                DataRepositoryPath="s3://training-data/runs/",
                S3={"AutoExportPolicy": {"Events": list(events)}},
            )

        return link

    def test_done(self, fsx, file_system_id, link):
        """A task is done at once, with nothing failed, and is found by its id."""
        link()
        report = {**self.REPORT, "Path": "s3://training-data/runs/report"}
        made = fsx.create_data_repository_task(FileSystemId=file_system_id, Report=report, **self.TASK)
        task_id = made["DataRepositoryTask"]["TaskId"]
        (found,) = fsx.describe_data_repository_tasks(TaskIds=[task_id])["DataRepositoryTasks"]

        assert (found["Lifecycle"], found["Status"]["FailedCount"], found["Paths"]) == ("SUCCEEDED", 0, ["data"])

    @pytest.mark.parametrize(
        ("events", "report", "message"),
        [
            (["NEW"], {"Enabled": False}, "Disable automatic export"),
            ([], {"Enabled": True}, "needs Path, Format, Scope"),
            ([], {**REPORT, "Path": "s3://training-data/run"}, "within no linked data repository"),
        ],
    )
    def test_refused(self, fsx, file_system_id, link, events, report, message):
        """A task beside automatic export, and a report outside of what is linked, are refused."""
        link(*events)

        with pytest.raises(ClientError, match=message):
            fsx.create_data_repository_task(FileSystemId=file_system_id, Report=report, **self.TASK)

    def test_not_linked(self, fsx, file_system_id):
        """A file system without a link exports to nowhere."""
        with pytest.raises(ClientError, match="not linked"):
            fsx.create_data_repository_task(FileSystemId=file_system_id, Report={"Enabled": False}, **self.TASK)

    def test_unknown(self, fsx):
        """An unknown task is an error."""
        with pytest.raises(ClientError, match="DataRepositoryTaskNotFound"):
            fsx.describe_data_repository_tasks(TaskIds=["task-0123456789abcdef0"])


class TestLastBackup:
    LAST = {"LustreConfiguration": {"SkipFinalBackup": False}}

    @pytest.fixture
    def fsx(self, client):
        return client("fsx")

    @pytest.mark.parametrize(("more", "backups"), [({}, 0), (LAST, 1)])
    def test_taken_if_asked_for(self, fsx, network, more, backups):
        """A last backup is taken if it is asked for, and not by itself."""
        request = ssd("PERSISTENT_2", PerUnitStorageThroughput=125)
        made = fsx.create_file_system(FileSystemType="LUSTRE", SubnetIds=network.subnet_ids[:1], **request)
        fsx.delete_file_system(FileSystemId=made["FileSystem"]["FileSystemId"], **more)

        assert len(fsx.describe_backups()["Backups"]) == backups

    def test_scratch(self, fsx, network):
        """Scratch has none, and stands on."""
        made = fsx.create_file_system(FileSystemType="LUSTRE", SubnetIds=network.subnet_ids[:1], **ssd("SCRATCH_2"))
        file_system_id = made["FileSystem"]["FileSystemId"]

        with pytest.raises(ClientError, match="Backups are not supported"):
            fsx.delete_file_system(FileSystemId=file_system_id, **self.LAST)
        assert fsx.describe_file_systems(FileSystemIds=[file_system_id])["FileSystems"]


class TestKinds:
    @pytest.fixture
    def create(self, client, network):
        """Makes a file system in the network, with its one security group."""

        def create(**request: object):
            place = {"SubnetIds": network.subnet_ids[:1], "SecurityGroupIds": [network.group.physical_id]}
            return client("fsx").create_file_system(FileSystemType="LUSTRE", **place, **request)["FileSystem"]

        return create

    @pytest.mark.parametrize(
        "request_",
        [
            ssd("SCRATCH_2"),
            ssd("PERSISTENT_1", PerUnitStorageThroughput=200),
            ssd("PERSISTENT_2", 9600, PerUnitStorageThroughput=500, AutomaticBackupRetentionDays=7),
            hdd(12, 6000, DriveCacheType="READ"),
            hdd(40, 1800, DriveCacheType="NONE"),
            tiering(),
            tiering(ThroughputCapacity=8000, EfaEnabled=False),
        ],
    )
    def test_offered(self, create, request_):
        """Every kind of file system that AWS offers is made."""
        assert create(**request_)["Lifecycle"] == "AVAILABLE"

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (ssd("SCRATCH_2", PerUnitStorageThroughput=200), "PerUnitStorageThroughput is not supported"),
            (ssd("SCRATCH_2", AutomaticBackupRetentionDays=7), "Backups are not supported"),
            ({**ssd("SCRATCH_2"), "KmsKeyId": "0a1b2c3d"}, "KmsKeyId is not supported"),
            (ssd("PERSISTENT_1", PerUnitStorageThroughput=125), "must be one of 50, 100, 200"),
            (ssd("PERSISTENT_2"), "must be one of 125, 250, 500, 1000"),
            (ssd("PERSISTENT_2", 3600, PerUnitStorageThroughput=125), "it is a multiple of 2400"),
            (
                ssd("PERSISTENT_1", PerUnitStorageThroughput=50, MetadataConfiguration=AUTOMATIC),
                "only supported for DeploymentType PERSISTENT_2",
            ),
            (
                ssd("PERSISTENT_2", 38_400, PerUnitStorageThroughput=125, EfaEnabled=True),
                "with a MetadataConfiguration",
            ),
            (ssd("PERSISTENT_2", PerUnitStorageThroughput=125, DriveCacheType="READ"), "DriveCacheType is required"),
            (ssd("PERSISTENT_2", PerUnitStorageThroughput=125, ThroughputCapacity=4000), "are not supported with SSD"),
            (hdd(40, 1800), "DriveCacheType is required"),
            (hdd(40, 2400, DriveCacheType="NONE"), "it is a multiple of 1800"),
            ({**hdd(12, 6000, DriveCacheType="NONE"), "StorageType": "INTELLIGENT_TIERING"}, "not supported for Dep"),
            ({**tiering(), "StorageCapacity": 1200}, "StorageCapacity is not supported"),
            (tiering(ThroughputCapacity=6000), "ThroughputCapacity 6000 is not supported"),
            (tiering(ThroughputCapacity=10_000, EfaEnabled=True), "ThroughputCapacity 10000 is not supported"),
        ],
    )
    def test_refused(self, create, request_, message):
        """What does not go together is refused, and by what it is."""
        with pytest.raises(ClientError, match=message):
            create(**request_)

    def test_efa_needs_its_group(self, client, create, network):
        """FSX-09: EFA is refused until the group lets all traffic in and out of itself by its id, not by addresses."""
        group_id = network.group.physical_id
        request = {"StorageCapacity": 4800, "LustreConfiguration": EFA}
        own = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}]
        ec2 = client("ec2")
        ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=own)

        with pytest.raises(ClientError, match="Insufficient security group permissions"):
            create(**request)
        ec2.authorize_security_group_egress(GroupId=group_id, IpPermissions=own)
        assert create(**request)["LustreConfiguration"]["EfaEnabled"] is True

    def test_efa_comes_in_large_steps(self, create):
        """FSX-09: With EFA the smallest size of a rate is its step."""
        with pytest.raises(ClientError, match="it is a multiple of 4800"):
            create(StorageCapacity=2400, LustreConfiguration=EFA)

    @pytest.mark.parametrize(
        ("name", "message"), [("/ours/logs", "must begin with /aws/fsx"), ("/aws/fsx/gone", "does not exist")]
    )
    def test_a_log_has_its_group(self, client, create, name, message):
        """A log goes to a group that stands, under FSx's own prefix."""
        client("logs").create_log_group(logGroupName="/ours/logs")
        client("logs").create_log_group(logGroupName="/aws/fsx/demo")
        arn = "arn:aws:logs:us-east-2:123456789012:log-group:"

        def logged(to):
            log = {"Level": "WARN_ERROR", "Destination": f"{arn}{to}"}
            return create(**ssd("PERSISTENT_2", PerUnitStorageThroughput=125, LogConfiguration=log))

        with pytest.raises(ClientError, match=message):
            logged(name)
        assert logged("/aws/fsx/demo")["LustreConfiguration"]["LogConfiguration"]["Level"] == "WARN_ERROR"

    @pytest.mark.parametrize(
        ("request_", "message"),
        [
            (tiering(), "does not support data repository associations"),
            (
                ssd("PERSISTENT_2", PerUnitStorageThroughput=125, AutomaticBackupRetentionDays=7),
                "can't be linked to a data repository",
            ),
            (ssd("SCRATCH_2"), "unable to validate access to the S3 bucket"),
        ],
    )
    def test_links(self, client, create, request_, message):
        """INTELLIGENT_TIERING and what is backed up are not linked; nor is anything to a bucket that is not there."""
        client("s3").create_bucket(Bucket="training-data", **HERE)
        bucket = "gone" if "validate" in message else "training-data"
        link = {"FileSystemId": create(**request_)["FileSystemId"], "DataRepositoryPath": f"s3://{bucket}/runs/"}

        with pytest.raises(ClientError, match=message):
            client("fsx").create_data_repository_association(**link, FileSystemPath="/runs")

    def test_scratch_is_linked(self, client, create):
        """FSX-06: SCRATCH_2 takes associations like persistent file systems."""
        client("s3").create_bucket(Bucket="training-data", **HERE)
        link = {"FileSystemId": create(**ssd("SCRATCH_2"))["FileSystemId"], "DataRepositoryPath": "s3://training-data"}
        answer = client("fsx").create_data_repository_association(**link, FileSystemPath="/runs")

        assert answer["Association"]["Lifecycle"] == "AVAILABLE"
