"""The FSx for Lustre file system and its links to the checkpoint bucket."""

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import attribute, resource
from trnstack.plan.model import AssociationPlan, LustrePlan


class FileSystem(Construct):
    """Defines the file system in one subnet, and its data repository associations.

    Attributes:
        file_system_id: Its id.
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
        bucket_name: str,
        bucket_policy: CfnResource,
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
                "KmsKeyId": key_arn,
                "LustreConfiguration": {
                    "DeploymentType": lustre.deployment_type,
                    "PerUnitStorageThroughput": lustre.throughput_mbps_per_tib,
                    "DataCompressionType": lustre.data_compression,
                    "MetadataConfiguration": {"Mode": "AUTOMATIC"},
                },
                "Tags": [{"Key": "Name", "Value": name}],
            },
            retain=lustre.retain,
        )
        self.file_system_id = made.ref
        self.mount_name = attribute(made, "LustreMountName")
        for association in lustre.associations:
            self._association(association, bucket_name, bucket_policy)

    def _association(self, association: AssociationPlan, bucket_name: str, bucket_policy: CfnResource) -> None:
        """Defines a link. It holds no data, so it goes when the file no longer names it.

        A link that was retained would go on exporting, known to nobody, and FSx would refuse another one at its folder.
        """
        events = {
            "AutoImportPolicy": {"Events": list(association.auto_import)} if association.auto_import else None,
            "AutoExportPolicy": {"Events": list(association.auto_export)} if association.auto_export else None,
        }
        prefix = f"/{association.prefix}/" if association.prefix else ""
        properties = {
            "FileSystemId": self.file_system_id,
            "FileSystemPath": association.file_system_path,
            "DataRepositoryPath": {"Fn::Join": ["", ["s3://", bucket_name, prefix]]},
            # Checkpoints that the bucket holds already, from before this file system, are seen in it from the start.
            "BatchImportMetaDataOnCreate": True,
            "S3": events,
        }
        construct_id = f"Association-{association.file_system_path.replace('/', ':')}"
        resource(self, construct_id, "AWS::FSx::DataRepositoryAssociation", properties, after=[bucket_policy])
