"""The FSx for Lustre file system, its log, and its links to buckets."""

from collections.abc import Sequence

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import ACCOUNT_ID, PARTITION, REGION, Properties, Value, attribute, resource
from trnstack.plan.model import AssociationPlan, LustrePlan


class FileSystem(Construct):
    """Defines the file system in one subnet, its log, and its data repository associations.

    Attributes:
        file_system_id: Its id.
        dns_name: The name under which it is reached.
        mount_name: The name that FSx gave it, which every mount needs.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        name: str,
        lustre: LustrePlan,
        subnet_id: str,
        security_group_id: str,
        key_arn: str,
        bucket_name: Value,
        after: Sequence[CfnResource],
    ) -> None:
        super().__init__(scope, construct_id)
        made = resource(
            self,
            "FileSystem",
            "AWS::FSx::FileSystem",
            {
                "FileSystemType": "LUSTRE",
                "FileSystemTypeVersion": lustre.file_system_type_version,
                "StorageCapacity": lustre.storage_gib,
                "StorageType": lustre.storage_type,
                "SubnetIds": [subnet_id],
                "SecurityGroupIds": [security_group_id],
                "KmsKeyId": key_arn if lustre.own_key else None,
                "LustreConfiguration": self._configuration(name, lustre),
                "Tags": [{"Key": "Name", "Value": name}],
            },
            retain=lustre.retain,
        )
        self.file_system_id = made.ref
        self.dns_name = attribute(made, "DNSName")
        self.mount_name = attribute(made, "LustreMountName")
        link(self, lustre.associations, file_system_id=made.ref, bucket_name=bucket_name, after=after)

    def _configuration(self, name: str, lustre: LustrePlan) -> Properties:
        properties = {
            "DeploymentType": lustre.deployment_type,
            "PerUnitStorageThroughput": lustre.throughput_mbps_per_tib,
            "ThroughputCapacity": lustre.throughput_capacity_mbps,
            "DataReadCacheConfiguration": _given(SizingMode=lustre.read_cache, SizeGiB=lustre.read_cache_gib),
            "DriveCacheType": lustre.drive_cache,
            "DataCompressionType": lustre.data_compression,
            "MetadataConfiguration": _given(Mode=lustre.metadata_mode, Iops=lustre.metadata_iops),
            "EfaEnabled": lustre.efa_enabled or None,
            "WeeklyMaintenanceStartTime": lustre.weekly_maintenance_start,
            "AutomaticBackupRetentionDays": lustre.automatic_backup_retention_days,
            "LogConfiguration": _given(Level=lustre.log_level, Destination=self._log(name, lustre)),
        }
        return _given(**properties) or {}

    def _log(self, name: str, lustre: LustrePlan) -> Value | None:
        """Defines the log group and returns its ARN. It holds no data, so it goes with its stack.

        FSx writes to groups of its own prefix alone; the ARN that a group gives ends in ``:*``, which is no group.

        Source: FSx API reference, LustreLogCreateConfiguration, ``Destination``.
        """
        if lustre.log_retention_days is None:
            return None
        properties = {"LogGroupName": f"/aws/fsx/{name}", "RetentionInDays": lustre.log_retention_days}
        group = resource(self, "Log", "AWS::Logs::LogGroup", properties)
        return {"Fn::Join": ["", ["arn:", PARTITION, ":logs:", REGION, ":", ACCOUNT_ID, ":log-group:", group.ref]]}


class ExistingFileSystem(Construct):
    """Defines the links of a file system that stands already; its construct id is that of one that is made."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        associations: Sequence[AssociationPlan],
        file_system_id: str,
        bucket_name: Value,
        after: Sequence[CfnResource],
    ) -> None:
        super().__init__(scope, construct_id)
        link(self, associations, file_system_id=file_system_id, bucket_name=bucket_name, after=after)


def link(
    scope: Construct,
    associations: Sequence[AssociationPlan],
    *,
    file_system_id: str,
    bucket_name: Value,
    after: Sequence[CfnResource],
) -> None:
    """Defines links between folders and buckets. They hold no data, so each goes when the file no longer names it.

    A link that was retained would go on exporting, known to nobody, and FSx would refuse another one at its folder.
    They are made one after the other: of two at the same time FSx has failed one, for want of permissions that it has.

    Source: hashicorp/terraform-provider-aws issue 24678.

    Args:
        scope: The construct that they belong to.
        associations: The links.
        file_system_id: The file system's id.
        bucket_name: The checkpoint bucket's name.
        after: What must stand before the checkpoint bucket is linked.
    """
    earlier: list[CfnResource] = []
    for association in associations:
        events = {
            "AutoImportPolicy": {"Events": list(association.auto_import)} if association.auto_import else None,
            "AutoExportPolicy": {"Events": list(association.auto_export)} if association.auto_export else None,
        }
        prefix = f"/{association.prefix}/" if association.prefix else ""
        properties = {
            "FileSystemId": file_system_id,
            "FileSystemPath": association.file_system_path,
            "DataRepositoryPath": {"Fn::Join": ["", ["s3://", association.bucket_name or bucket_name, prefix]]},
            # What the bucket holds already, from before this file system, is seen in it from the start.
            "BatchImportMetaDataOnCreate": association.lists_bucket,
            "S3": events,
        }
        construct_id = f"Association-{association.file_system_path.replace('/', ':')}"
        waits = [*([] if association.bucket_name else after), *earlier]
        earlier = [resource(scope, construct_id, "AWS::FSx::DataRepositoryAssociation", properties, after=waits)]


def _given(**properties: object) -> Properties | None:
    """Returns the properties that have a value; None where none has."""
    return {name: value for name, value in properties.items() if value is not None} or None
