"""``NAME-storage``: keys, checkpoint bucket and file system. Nothing in it is lost by deleting a stack."""

from collections.abc import Mapping, Sequence

from aws_cdk import CfnResource, Stack
from constructs import Construct

from infra.bucket import CheckpointBucket
from infra.file_system import ExistingFileSystem, FileSystem
from infra.key import Key, fsx_link_statements
from infra.resource import Value, export, imported, output, resource
from stacks.base import file_system_parameter, stack_options
from trnstack.layout.volume import dns_name
from trnstack.plan import Plan
from trnstack.plan.model import BucketPlan, ExistingLustrePlan, LustrePlan

#: CloudFormation has no property for it. Source: FSx API reference, UpdateFileSystem.
_ROOT_SQUASH = (
    "aws fsx update-file-system --region {region} --file-system-id {file_system_id}"
    " --lustre-configuration 'RootSquashConfiguration={{RootSquash={root_squash}}}'"
)


class StorageStack(Stack):
    """Holds everything that outlives a cluster.

    Exports ``CheckpointBucket``, ``DataKeyArn`` and ``SecretsKeyArn``, whatever the environment holds or adopts.
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
        bucket_name, policies = self._checkpoints(plan, data_key)
        export(self, "CheckpointBucket", bucket_name)
        export(self, "DataKeyArn", data_key.arn)
        export(self, "SecretsKeyArn", secrets_key.arn)
        output(self, "CheckpointBucket", bucket_name, "The bucket that holds checkpoints")
        lustre = plan.storage.lustre
        if isinstance(lustre, LustrePlan):
            self._file_system(plan, lustre, bucket_name, policies, data_key)
        elif lustre is not None:
            self._existing_file_system(plan, lustre, bucket_name, policies)

    def _checkpoints(self, plan: Plan, key: Key) -> tuple[Value, list[CfnResource]]:
        """Returns the checkpoint bucket's name, and what must stand before FSx is linked to it."""
        checkpoints = plan.storage.checkpoints
        if not isinstance(checkpoints, BucketPlan):
            return checkpoints.name, []
        bucket = CheckpointBucket(self, "Checkpoints", bucket=checkpoints, key_arn=key.arn)
        return bucket.name, [bucket.policy]

    def _file_system(
        self, plan: Plan, lustre: LustrePlan, bucket_name: Value, policies: Sequence[CfnResource], key: Key
    ) -> None:
        network = f"{plan.name}-network"
        made = FileSystem(
            self,
            "Lustre",
            name=plan.name,
            lustre=lustre,
            subnet_id=imported(network, f"Subnet-{lustre.subnet}"),
            security_group_id=imported(network, "LustreSecurityGroup"),
            key_arn=key.arn,
            bucket_name=bucket_name,
            after=policies,
        )
        named = {"id": made.file_system_id, "dns-name": made.dns_name, "mount-name": made.mount_name}
        for what, value in named.items():
            # Not by exports: one that the Kubernetes stack imports could not be dropped with the file system.
            parameter = {"Name": file_system_parameter(plan.name, what), "Type": "String", "Value": value}
            resource(self, f"Lustre-{what}", "AWS::SSM::Parameter", parameter)
        self._outputs(plan, lustre.root_squash, named)

    def _existing_file_system(
        self, plan: Plan, lustre: ExistingLustrePlan, bucket_name: Value, policies: Sequence[CfnResource]
    ) -> None:
        ExistingFileSystem(
            self,
            "Lustre",
            associations=lustre.associations,
            file_system_id=lustre.file_system_id,
            bucket_name=bucket_name,
            after=policies,
        )
        named = {
            "id": lustre.file_system_id,
            "dns-name": dns_name(lustre.file_system_id, plan.region),
            "mount-name": lustre.mount_name,
        }
        self._outputs(plan, lustre.root_squash, named)

    def _outputs(self, plan: Plan, root_squash: str | None, named: Mapping[str, Value]) -> None:
        output(self, "FileSystemId", named["id"], "The Lustre file system")
        output(self, "FileSystemDnsName", named["dns-name"], "The name under which it is reached")
        output(self, "FileSystemMountName", named["mount-name"], "The name under which it is mounted")
        if root_squash:
            command = _ROOT_SQUASH.format(region=plan.region, file_system_id=named["id"], root_squash=root_squash)
            output(self, "RootSquashCommand", command, "Takes clients' root away its rights on the file system")
