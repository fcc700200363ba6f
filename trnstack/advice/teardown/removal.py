"""The separate way that takes network and storage too. Each step says what is lost by it.

No stack's deletion takes data with it: where the file says so, that is undone first. Otherwise a bucket that is not
empty, an access log that fills up again and links that carry deletions would decide what fails and what is lost.
"""

from collections.abc import Iterator

from ami.pins import ENVIRONMENT_TAG
from trnstack.advice.teardown.asking import FILE_SYSTEM, aws, each, file_system, variable
from trnstack.advice.teardown.buckets import LOG, buckets, empty
from trnstack.advice.teardown.export import BUCKET, exporting, flush, last_export
from trnstack.advice.teardown.model import Edit, Step
from trnstack.plan.model import BucketPlan, LustrePlan, Plan

_VPC, _GROUPS = "VPC", "SECURITY_GROUPS"
_KEYS = {"DATA_KEY": "ExportDataKeyArn", "SECRETS_KEY": "ExportSecretsKeyArn"}
#: Source: KMS API reference, ScheduleKeyDeletion: 7 to 30 days.
_PENDING_DAYS = 30


def removal(plan: Plan) -> Iterator[Step]:
    """Yields the steps, for an environment whose nodes and cluster are gone.

    A file system has its interface in a subnet and a security group of the network, which EC2 does not delete while it
    is there; so storage goes before the network, and keys last, since what they encrypted is lost with them. The bucket
    is emptied when no link carries that to the file system any more.
    """
    checkpoints, lustre = plan.storage.checkpoints, plan.storage.lustre
    bucket = checkpoints if isinstance(checkpoints, BucketPlan) else None
    made = lustre if isinstance(lustre, LustrePlan) else None
    yield _ids(plan, bucket, made)
    if not all(each.retain for each in (bucket, made) if each):
        yield _outlive(plan, bucket, made)
    if exporting(plan):
        yield last_export(plan, made) if made else flush(plan)
    yield _storage(plan, bucket, made)
    if made:
        yield _file_system(plan, made)
    yield _network(plan)
    if bucket:
        yield empty(plan, bucket)
        yield buckets(plan, bucket)
    # What is adopted may be encrypted with a key of ours, from when it was ours.
    if bucket and (made or lustre is None):
        yield _keys(plan)
    if plan.images:
        yield _images(plan)


def _ids(plan: Plan, bucket: BucketPlan | None, made: LustrePlan | None) -> Step:
    of_file_system = [file_system(plan)] if made else []
    needed = bucket or (made and exporting(plan))
    of_buckets = [variable(plan, BUCKET, "CheckpointBucket")] if needed else []
    if bucket:
        log = aws(plan.region, "s3api get-bucket-logging", f"--bucket ${BUCKET}", query="LoggingEnabled.TargetBucket")
        of_buckets.append(f"{LOG}=$({log})")
    keys = [variable(plan, name, output) for name, output in _KEYS.items()]
    return Step(
        title="note what only the stack's outputs tell",
        commands=(*of_file_system, *of_buckets, *keys),
        consequence="nothing changes; the steps below use these variables, and with the stack its outputs are gone",
    )


def _outlive(plan: Plan, bucket: BucketPlan | None, made: LustrePlan | None) -> Step:
    """Returns how what the file marks as destroyed outlives its stack after all.

    Source: CloudFormation API reference, ResourceChange, ``Scope``: DeletionPolicy is one. Issues aws/aws-cdk 11521 and
    aws-cloudformation/cloudformation-coverage-roadmap 1543 tell of deploys, up to 2023, that left a policy as it was
    where nothing else changed; so the template that stands is looked at.
    """
    parts = {"storage.checkpoints": bucket, "storage.lustre": made}
    edits = [Edit(path=f"{path}.removal_policy", value="retain") for path, it in parts.items() if it and not it.retain]
    kinds = " || ".join(f"Type=='AWS::{kind}'" for kind in ("S3::Bucket", "FSx::FileSystem"))
    stack = f"{plan.name}-storage"
    policies = aws(
        plan.region,
        "cloudformation get-template",
        f"--stack-name {stack}",
        query=f'"TemplateBody.Resources.* | [?{kinds}].[Type,DeletionPolicy]"',
    )
    return Step(
        title="keep data when the storage stack goes",
        edits=tuple(edits),
        commands=(f"cdk deploy {stack} --exclusively", policies),
        consequence="nothing is deleted. Each says Retain or RetainExceptOnCreate, or the steps below lose it with its "
        "stack: where one says Delete, CloudFormation saw no change; deploy once more, with a new tag in the same edit",
    )


def _storage(plan: Plan, bucket: BucketPlan | None, made: LustrePlan | None) -> Step:
    lustre = plan.storage.lustre
    goes = ["the keys' aliases"]
    if lustre and lustre.associations:
        goes.insert(0, "the links between folders and buckets")
    if made and made.log_retention_days is not None:
        goes.append("the log of exports")
    stays, adopted_by = ["both keys"], []
    if made:
        stays.insert(0, "the file system")
        adopted_by.append("storage.lustre.existing_file_system")
    if bucket:
        stays.insert(0, "the checkpoint bucket and its access log")
        adopted_by.insert(0, "storage.checkpoints.existing_bucket")
    adopt = f". A later environment takes them by {' and '.join(adopted_by)}" if adopted_by else ""
    taken = "; a new one of this name would find the bucket's name taken" if bucket else ""
    return Step(
        title="delete the storage stack",
        commands=_unprotected(plan, f"{plan.name}-storage"),
        consequence=f"gone: {', '.join(goes)}. What stays belongs to no stack from then on: {', '.join(stays)}"
        f"{adopt}{taken}",
    )


def _file_system(plan: Plan, made: LustrePlan) -> Step:
    """Source: FSx API reference, DeleteFileSystem: automatic backups go too, and there is a final one if asked for."""
    asked = aws(
        plan.region,
        "fsx describe-file-systems",
        f"--file-system-ids ${FILE_SYSTEM}",
        query="'FileSystems[0].Lifecycle'",
    )
    backed_up = has_last_backup(made)
    backup = " --lustre-configuration SkipFinalBackup=false" if backed_up else ""
    lost = (
        "FSx takes a last backup, which stays and costs until you delete it (leave --lustre-configuration out for "
        "none); everything else of it is lost, for good"
        if backed_up
        else f"everything on it that is in no bucket is lost, for good; FSx takes no backup of it{_why_none(made)}"
    )
    daily = ", its daily backups too" if made.automatic_backup_retention_days else ""
    return Step(
        title="delete the file system",
        commands=(aws(plan.region, "fsx delete-file-system", f"--file-system-id ${FILE_SYSTEM}{backup}"), asked),
        consequence=f"{lost}{daily}. It is gone when the second command answers FileSystemNotFound",
    )


def has_last_backup(made: LustrePlan) -> bool:
    """Tells whether FSx takes a backup of the file system when it is deleted.

    Source: FSx API reference, CreateBackup: of persistent ones that are not linked; FSx for Lustre user guide, "Lustre
    root squash": not supported for backups.
    """
    return made.deployment_type.startswith("PERSISTENT") and not made.associations and made.root_squash is None


def _why_none(made: LustrePlan) -> str:
    if made.deployment_type.startswith("PERSISTENT") and not made.associations:
        return " while root squash is on (RootSquash=0:0 turns it off)"
    return ""


def _network(plan: Plan) -> Step:
    """Returns how the network goes, and what keeps it from going.

    Source: aws/amazon-vpc-cni-k8s, README, "ENI tags related to Allocation"; EC2 API reference, NetworkInterface.
    """
    existing, region, stack = plan.network.existing_vpc, plan.region, f"{plan.name}-network"
    if existing:
        goes = "its security groups and endpoints; the VPC is yours and stays"
        groups = "\"join(',', StackResources[?ResourceType=='AWS::EC2::SecurityGroup'].PhysicalResourceId)\""
        resources = aws(region, "cloudformation describe-stack-resources", f"--stack-name {stack}", query=groups)
        noted, within = f"{_GROUPS}=$({resources})", f"Name=group-id,Values=${_GROUPS}"
    else:
        goes = "the VPC with all in it"
        noted, within = variable(plan, _VPC, "VpcId", "network"), f"Name=vpc-id,Values=${_VPC}"
    left = aws(
        region,
        "ec2 describe-network-interfaces",
        f"--filters {within} Name=status,Values=available Name=tag:cluster.k8s.amazonaws.com/name"
        f",Values={plan.cluster.name}",
        query="'NetworkInterfaces[].NetworkInterfaceId'",
    )
    deleted = aws(region, "ec2 delete-network-interface", "--network-interface-id $INTERFACE")
    there = aws(
        region,
        "ec2 describe-network-interfaces",
        f"--filters {within}",
        query="'NetworkInterfaces[].[NetworkInterfaceId,Status,RequesterId,Description]'",
    )
    return Step(
        title="delete the network stack",
        commands=(noted, each("INTERFACE", left, deleted), there, *_unprotected(plan, stack)),
        consequence=f"gone: {goes}. The second deletes interfaces that nodes left and nothing uses. Of those listed "
        "then, the ones for NAT gateways and VPC endpoints go with the stack; any other keeps it from going: a file "
        "system, a load balancer, or something else of its own, which goes first",
    )


def _keys(plan: Plan) -> Step:
    window = f"--pending-window-in-days {_PENDING_DAYS}"
    return Step(
        title="schedule the keys' deletion",
        commands=tuple(aws(plan.region, "kms schedule-key-deletion", f"--key-id ${name}", window) for name in _KEYS),
        consequence=f"after {_PENDING_DAYS} days nothing that they encrypted can be read, wherever it is: objects, "
        "file systems, backups, copies elsewhere. Until then aws kms cancel-key-deletion takes it back",
    )


def _images(plan: Plan) -> Step:
    """Returns how the AMIs go: by the environment's tag, since their names hold what is in them, which changes."""
    regions = dict.fromkeys(place.region for image in plan.images for place in image.regions)
    images = f"--filters Name=tag:{ENVIRONMENT_TAG},Values={plan.name}"
    return Step(
        title="deregister the custom images",
        commands=tuple(
            aws(region, "ec2 describe-images --owners self", images, query="'Images[].[ImageId,Name]'")
            for region in regions
        ),
        consequence="for each id, in its region: aws ec2 deregister-image --delete-associated-snapshots --image-id ID. "
        "Other environments and accounts can start no nodes from it any more",
    )


def _unprotected(plan: Plan, stack: str) -> tuple[str, str]:
    """Returns the commands that delete a stack with termination protection."""
    lift = "cloudformation update-termination-protection --no-enable-termination-protection"
    return aws(plan.region, lift, f"--stack-name {stack}"), f"cdk destroy {stack} --exclusively"
