"""What training jobs may do in AWS: read and write checkpoints."""

from collections.abc import Mapping

from constructs import Construct

from infra.resource import PARTITION, Value, attribute, resource
from infra.roles import pod_role
from trnstack.plan.model import TrainerPlan

_BUCKET = ["s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"]
_OBJECTS = [
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:GetObject",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
]
#: A multipart upload with a KMS key reads back what it wrote, so it needs Decrypt besides GenerateDataKey.
#: Source: S3 user guide, "Uploading an object using multipart upload with SSE-KMS".
_KEY = ["kms:Decrypt", "kms:GenerateDataKey"]


class Trainer(Construct):
    """Defines the role of the jobs' service account and gives it to the account's pods."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        trainer: TrainerPlan,
        cluster_name: str,
        bucket_name: Value,
        key_arn: Value,
    ) -> None:
        super().__init__(scope, construct_id)
        bucket = {"Fn::Join": ["", ["arn:", PARTITION, ":s3:::", bucket_name]]}
        objects = {"Fn::Join": ["", ["arn:", PARTITION, ":s3:::", bucket_name, "/*"]]}
        named = bucket_name["Fn::ImportValue"] if isinstance(bucket_name, Mapping) else bucket_name
        every_object = f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::{named}/*]"
        role = pod_role(
            self,
            "Role",
            namespace=trainer.namespace,
            service_account=trainer.service_account,
            statements=[
                {"Action": _BUCKET, "Resource": bucket},
                {"Action": _OBJECTS, "Resource": objects},
                {"Action": _KEY, "Resource": key_arn},
            ],
            acknowledge={every_object: "jobs choose the names of their checkpoints, all of them in this one bucket"},
        )
        properties = {
            "ClusterName": cluster_name,
            "Namespace": trainer.namespace,
            "ServiceAccount": trainer.service_account,
            "RoleArn": attribute(role, "Arn"),
        }
        resource(self, "Association", "AWS::EKS::PodIdentityAssociation", properties)
