"""What training jobs may do in AWS: read and write checkpoints, and read datasets."""

from collections.abc import Mapping, Sequence

from constructs import Construct

from infra.resource import PARTITION, Properties, Value, attribute, resource
from infra.roles import pod_role
from trnstack.plan.model import DatasetPlan, TrainerPlan

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
_LIST, _READ = "s3:ListBucket", "s3:GetObject"


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
        prefixes: Sequence[str],
        key_arn: Value | None,
        datasets: Sequence[DatasetPlan],
    ) -> None:
        super().__init__(scope, construct_id)
        key = [{"Action": _KEY, "Resource": key_arn}] if key_arn else []
        chosen = "jobs choose the names of their checkpoints, all of them in this one bucket"
        reasons = {_every_object(bucket_name, prefix): chosen for prefix in prefixes or ("",)}
        for dataset in datasets:
            reasons[_every_object(dataset.bucket_name, dataset.prefix)] = "jobs read all of a dataset, and write none"
        role = pod_role(
            self,
            "Role",
            namespace=trainer.namespace,
            service_account=trainer.service_account,
            statements=[*_checkpoints(bucket_name, prefixes), *key, *_datasets(datasets)],
            acknowledge=reasons,
        )
        properties = {
            "ClusterName": cluster_name,
            "Namespace": trainer.namespace,
            "ServiceAccount": trainer.service_account,
            "RoleArn": attribute(role, "Arn"),
        }
        resource(self, "Association", "AWS::EKS::PodIdentityAssociation", properties)


def _checkpoints(bucket_name: Value, prefixes: Sequence[str]) -> list[Properties]:
    """Returns what lets jobs read and write a bucket, or those of its prefixes that the file system is linked to."""
    bucket = _bucket(bucket_name)
    if not prefixes:
        objects = _objects(bucket_name, "")
        return [{"Action": _BUCKET, "Resource": bucket}, {"Action": _OBJECTS, "Resource": objects}]
    return [
        {"Action": [action for action in _BUCKET if action != _LIST], "Resource": bucket},
        {"Action": _LIST, "Resource": bucket, "Condition": _listing(prefixes)},
        {"Action": _OBJECTS, "Resource": [_objects(bucket_name, prefix) for prefix in prefixes]},
    ]


def _datasets(datasets: Sequence[DatasetPlan]) -> list[Properties]:
    """Returns what lets jobs read datasets and use their keys for it."""
    statements: list[Properties] = []
    for dataset in datasets:
        bucket = _bucket(dataset.bucket_name)
        condition = {"Condition": _listing([dataset.prefix])} if dataset.prefix else {}
        statements += [
            {"Action": "s3:GetBucketLocation", "Resource": bucket},
            {"Action": _LIST, "Resource": bucket, **condition},
            {"Action": _READ, "Resource": _objects(dataset.bucket_name, dataset.prefix)},
        ]
    keys = list(dict.fromkeys(dataset.kms_key_arn for dataset in datasets if dataset.kms_key_arn))
    return [*statements, *([{"Action": "kms:Decrypt", "Resource": keys}] if keys else [])]


def _listing(prefixes: Sequence[str]) -> Properties:
    """Returns the condition under which what begins with a prefix may be listed."""
    return {"StringLike": {"s3:prefix": [form for prefix in prefixes for form in (prefix, f"{prefix}/*")]}}


def _bucket(name: Value) -> Value:
    return {"Fn::Join": ["", ["arn:", PARTITION, ":s3:::", name]]}


def _objects(name: Value, prefix: str) -> Value:
    return {"Fn::Join": ["", ["arn:", PARTITION, ":s3:::", name, _within(prefix)]]}


def _every_object(name: Value, prefix: str) -> str:
    """Returns cdk-nag's finding about the objects of a bucket."""
    named = name["Fn::ImportValue"] if isinstance(name, Mapping) else name
    return f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::{named}{_within(prefix)}]"


def _within(prefix: str) -> str:
    return f"/{prefix}/*" if prefix else "/*"
