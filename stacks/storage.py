"""``NAME-storage``: keys, checkpoint bucket and file system. Nothing in it is lost by deleting a stack."""

from aws_cdk import Stack
from constructs import Construct

from infra.bucket import CheckpointBucket
from infra.file_system import FileSystem
from infra.key import Key, fsx_link_statements
from infra.resource import export, imported, output
from stacks.base import stack_options
from trnstack.plan import Plan
from trnstack.plan.model import LustrePlan


class StorageStack(Stack):
    """Holds everything that outlives a cluster.

    Exports ``CheckpointBucket``, ``DataKeyArn`` and ``SecretsKeyArn``, whatever the environment holds.
    """

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-storage"
        super().__init__(scope, name, **stack_options(plan, name))
        data_key = Key(
            self,
            "DataKey",
            alias=f"{plan.name}-data",
            description=f"{plan.name}: checkpoints and file system",
            statements=fsx_link_statements(plan.region),
        )
        secrets_key = Key(
            self, "SecretsKey", alias=f"{plan.name}-secrets", description=f"{plan.name}: Kubernetes secrets"
        )
        bucket = CheckpointBucket(self, "Checkpoints", bucket=plan.storage.checkpoints, key_arn=data_key.arn)
        export(self, "CheckpointBucket", bucket.name)
        export(self, "DataKeyArn", data_key.arn)
        export(self, "SecretsKeyArn", secrets_key.arn)
        output(self, "CheckpointBucket", bucket.name, "The bucket that holds checkpoints")
        if plan.storage.lustre is not None:
            self._file_system(plan, plan.storage.lustre, bucket, data_key)

    def _file_system(self, plan: Plan, lustre: LustrePlan, bucket: CheckpointBucket, key: Key) -> None:
        network = f"{plan.name}-network"
        file_system = FileSystem(
            self,
            "Lustre",
            name=plan.name,
            lustre=lustre,
            subnet_id=imported(network, f"Subnet-{lustre.subnet}"),
            security_group_id=imported(network, "LustreSecurityGroup"),
            key_arn=key.arn,
            bucket_name=bucket.name,
            bucket_policy=bucket.policy,
        )
        output(self, "FileSystemId", file_system.file_system_id, "The Lustre file system")
        output(self, "FileSystemMountName", file_system.mount_name, "The name under which it is mounted")
