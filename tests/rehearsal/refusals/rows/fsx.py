"""What FSx refuses of file systems for Lustre and of their links to buckets."""

from typing import Any

from tests.rehearsal.refusals.bases import network
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, ref, resource

_BAD, _NETWORK = "BadRequest", "InvalidNetworkSettings"
_API = "FSx API reference, CreateFileSystem"
_GUIDE = "FSx for Lustre user guide"
_LUSTRE = {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "CidrIp": "10.0.0.0/16"}


def file_system(lustre: dict[str, Any] | None = None, **properties: Any) -> Resources:
    """The network with a file system, whose security group lets Lustre in."""
    made = {
        "FileSystemType": "LUSTRE",
        "StorageCapacity": 1200,
        "SubnetIds": [ref("SubnetA")],
        "SecurityGroupIds": [att("LustreGroup", "GroupId")],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125, **(lustre or {})},
        **properties,
    }
    group = resource(
        "AWS::EC2::SecurityGroup", GroupDescription="Lustre", VpcId=ref("Vpc"), SecurityGroupIngress=[_LUSTRE]
    )
    return {**network(), "LustreGroup": group, "FileSystem": resource("AWS::FSx::FileSystem", **made)}


def link(lustre: dict[str, Any] | None = None, **properties: Any) -> Resources:
    """A file system that is linked to a bucket."""
    made = {
        "FileSystemId": ref("FileSystem"),
        "FileSystemPath": "/data",
        "DataRepositoryPath": {"Fn::Sub": "s3://${Bucket}/runs"},
        **properties,
    }
    return {
        **file_system(lustre),
        "Bucket": resource("AWS::S3::Bucket"),
        "Link": resource("AWS::FSx::DataRepositoryAssociation", **made),
    }


def row(
    name: str,
    bad: Resources,
    words: str,
    source: str,
    *,
    good: Resources | None = None,
    code: str = _BAD,
    refused: str = "FileSystem",
    uncounted: str = "",
    update: bool = False,
) -> Row:
    """Gives a row of a file system, or of what belongs to one."""
    return Row(
        name=f"lustre-{name}",
        good=file_system() if good is None else good,
        bad=bad,
        refused=refused,
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
        update=update,
    )


def linked(name: str, words: str, source: str, *, lustre: dict[str, Any] | None = None, **properties: Any) -> Row:
    """Gives a row of a link to a bucket, of which moto has no API."""
    good, bad = link(), link(lustre, **properties)
    refused, lacking = "Link", "moto has no such API"
    return row(f"link-{name}", bad, words, source, good=good, refused=refused, uncounted=lacking)


_SHUT = changed(file_system(), "LustreGroup", SecurityGroupIngress=None)
_OTHERS_ONLY = changed(
    file_system(),
    "LustreGroup",
    SecurityGroupIngress=[
        {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "SourceSecurityGroupId": att("Group", "GroupId")}
    ],
)
_EFA = {"EfaEnabled": True, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}

ROWS = (
    row(
        "capacity-between-steps",
        file_system(StorageCapacity=3000),
        "StorageCapacity 3000 is not supported",
        f"{_API}, StorageCapacity",
    ),
    row(
        "throughput-not-offered",
        file_system({"PerUnitStorageThroughput": 333}),
        "PerUnitStorageThroughput must be one of",
        f"{_API}, PerUnitStorageThroughput",
    ),
    row(
        "disks-that-are-not-offered",
        file_system(StorageType="HDD"),
        "StorageType HDD is not supported for DeploymentType PERSISTENT_2",
        f"{_API}, StorageType",
    ),
    row(
        "two-subnets",
        file_system(SubnetIds=[ref("SubnetA"), ref("SubnetB")]),
        "exactly one subnet",
        f"{_API}, SubnetIds",
        code=_NETWORK,
    ),
    row(
        "subnet-that-is-not-there",
        file_system(SubnetIds=["subnet-0123456789abcdef0"]),
        "The subnet ID 'subnet-0123456789abcdef0' does not exist",
        f"{_API}, Errors",
        code=_NETWORK,
    ),
    row(
        "shut-out",
        _SHUT,
        "do not permit Lustre LNET network traffic on port 988",
        f"{_GUIDE}, Cannot create a file system because of misconfigured security group; "
        "aws/aws-parallelcluster issue 6181",
        code=_NETWORK,
    ),
    row(
        "open-to-clients-alone",
        _OTHERS_ONLY,
        "do not permit Lustre LNET network traffic on port 988",
        f"{_GUIDE}, File system access control with Amazon VPC",
        code=_NETWORK,
    ),
    row(
        "efa-without-open-group",
        file_system(_EFA, StorageCapacity=38400),
        "Insufficient security group permissions to create an EFA-enabled file system",
        f"{_GUIDE}, Working with EFA-enabled file systems",
    ),
    row(
        "backups-kept-too-long",
        file_system({"AutomaticBackupRetentionDays": 91}),
        "'lustreConfiguration.automaticBackupRetentionDays' failed to satisfy constraint: Member must have value "
        "less than or equal to 90",
        f"{_API}, AutomaticBackupRetentionDays; words and code: awsdocs/aws-cloudformation-user-guide pull request 439",
        good=file_system({"AutomaticBackupRetentionDays": 90}),
    ),
    row(
        "maintenance-on-day-eight",
        file_system({"WeeklyMaintenanceStartTime": "8:05:00"}),
        "'lustreConfiguration.weeklyMaintenanceStartTime' failed to satisfy constraint: Member must satisfy regular",
        "FSx API reference, CreateFileSystemLustreConfiguration, WeeklyMaintenanceStartTime",
        good=file_system({"WeeklyMaintenanceStartTime": "7:05:00"}),
    ),
    row(
        "backups-of-scratch",
        changed(
            file_system(),
            "FileSystem",
            LustreConfiguration={"DeploymentType": "SCRATCH_2", "AutomaticBackupRetentionDays": 1},
        ),
        "Backups are not supported for DeploymentType SCRATCH_2",
        "FSx API reference, CreateFileSystemLustreConfiguration, AutomaticBackupRetentionDays",
    ),
    row(
        "smaller-than-before",
        file_system(StorageCapacity=2400),
        "StorageCapacity",
        "FSx API reference, UpdateFileSystem, StorageCapacity",
        good=file_system(StorageCapacity=4800),
        uncounted="moto has no UpdateFileSystem",
        update=True,
    ),
    linked(
        "bucket-that-is-not-there",
        "unable to validate access to the S3 bucket",
        f"{_GUIDE}, Using data repositories",
        DataRepositoryPath="s3://no-such-bucket-anywhere/runs",
    ),
    linked(
        "with-backups",
        "A file system with automatic backups can't be linked to a data repository",
        f"{_GUIDE}, Using data repositories",
        lustre={"AutomaticBackupRetentionDays": 3},
    ),
    linked(
        "folder-without-slash",
        "FileSystemPath is required, and must start with a forward slash",
        "FSx API reference, CreateDataRepositoryAssociation, FileSystemPath",
        FileSystemPath="data",
    ),
)
