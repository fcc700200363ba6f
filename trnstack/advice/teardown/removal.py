"""The separate way that takes network and storage too. Each step says what is lost by it."""

from collections.abc import Iterator

from trnstack.advice.teardown.asking import FILE_SYSTEM, aws, file_system, variable
from trnstack.advice.teardown.before import flush
from trnstack.advice.teardown.model import Step
from trnstack.plan.model import BucketPlan, LustrePlan, Plan

_BUCKET, _LOG, _VPC = "BUCKET", "ACCESS_LOG", "VPC"
_KEYS = {"DATA_KEY": "ExportDataKeyArn", "SECRETS_KEY": "ExportSecretsKeyArn"}
#: Source: KMS API reference, ScheduleKeyDeletion: 7 to 30 days.
_PENDING_DAYS = 30
_ADOPT = (
    ". A later environment takes them by storage.checkpoints.existing_bucket and storage.lustre.existing_file_system; "
    "a new one of this name would find the bucket's name taken"
)


def removal(plan: Plan) -> Iterator[Step]:
    """Yields the steps, for an environment whose nodes and cluster are gone.

    A file system has its interface in a subnet and a security group of the network, which EC2 does not delete while it
    is there; so storage goes before the network, and keys last, since what they encrypted is lost with them.
    """
    checkpoints, lustre = plan.storage.checkpoints, plan.storage.lustre
    bucket = checkpoints if isinstance(checkpoints, BucketPlan) else None
    made = lustre if isinstance(lustre, LustrePlan) else None
    yield _ids(plan, bucket, made)
    if lustre:
        yield flush(plan)
    if bucket and not bucket.retain:
        yield _empty(plan, bucket)
    yield _storage(plan, bucket, made)
    if made and made.retain:
        yield _file_system(plan)
    yield _network(plan)
    if bucket and bucket.retain:
        yield _empty(plan, bucket)
        yield _buckets(plan, bucket)
    # What is adopted may be encrypted with a key of ours, from when it was ours.
    if bucket and (made or lustre is None):
        yield _keys(plan)
    if plan.images:
        yield _images(plan)


def _ids(plan: Plan, bucket: BucketPlan | None, made: LustrePlan | None) -> Step:
    of_file_system = [file_system(plan)] if made else []
    of_buckets = []
    if bucket:
        log = aws(plan.region, "s3api get-bucket-logging", f"--bucket ${_BUCKET}", query="LoggingEnabled.TargetBucket")
        of_buckets = [variable(plan, _BUCKET, "CheckpointBucket"), f"{_LOG}=$({log})"]
    keys = [variable(plan, name, output) for name, output in _KEYS.items()]
    return Step(
        title="note what only the stack's outputs tell",
        commands=(*of_file_system, *of_buckets, *keys),
        consequence="nothing changes; the steps below use these variables, and with the stack its outputs are gone",
    )


def _storage(plan: Plan, bucket: BucketPlan | None, made: LustrePlan | None) -> Step:
    goes, stays = ["the links between folders and buckets", "the keys' aliases"], ["both keys"]
    if made:
        (stays if made.retain else goes).insert(0, "the file system")
    if bucket:
        (stays if bucket.retain else goes).insert(0, "the checkpoint bucket and its access log")
    kept = any(each and each.retain for each in (made, bucket))
    lost = " What was on the file system is lost at once." if made and not made.retain else ""
    return Step(
        title="delete the storage stack",
        commands=_unprotected(plan, f"{plan.name}-storage"),
        consequence=f"gone: {', '.join(goes)}.{lost} What stays belongs to no stack from then on: {', '.join(stays)}"
        f"{_ADOPT if kept else ''}",
    )


def _file_system(plan: Plan) -> Step:
    """Source: FSx API reference, DeleteFileSystem: no final backup unless it is asked for."""
    asked = aws(
        plan.region,
        "fsx describe-file-systems",
        f"--file-system-ids ${FILE_SYSTEM}",
        query="'FileSystems[0].Lifecycle'",
    )
    return Step(
        title="delete the file system",
        commands=(aws(plan.region, "fsx delete-file-system", f"--file-system-id ${FILE_SYSTEM}"), asked),
        consequence="everything on it that is in no bucket is lost, for good, and FSx takes no backup of it. It is "
        "gone when the second command answers FileSystemNotFound",
    )


def _network(plan: Plan) -> Step:
    existing = plan.network.existing_vpc
    goes = "its security groups and endpoints; the VPC is yours and stays" if existing else "the VPC with all in it"
    there = aws(
        plan.region,
        "ec2 describe-network-interfaces",
        f"--filters Name=vpc-id,Values={existing.vpc_id if existing else f'${_VPC}'}",
        query="'NetworkInterfaces[].[NetworkInterfaceId,Description]'",
    )
    vpc = () if existing else (variable(plan, _VPC, "VpcId", "network"),)
    return Step(
        title="delete the network stack",
        commands=(*vpc, there, *_unprotected(plan, f"{plan.name}-network")),
        consequence=f"gone: {goes}. It fails while a file system, a load balancer or anything else of its own stands "
        "in it: describe-network-interfaces names what has an address there",
    )


def _empty(plan: Plan, bucket: BucketPlan) -> Step:
    lock, copies = bucket.object_lock, bucket.replication
    by_whom = "whoever may bypass governance" if lock and lock.mode == "GOVERNANCE" else "nobody"
    after = "a day" if lock and lock.days == 1 else f"{lock.days} days" if lock else ""
    locked = f" Locked versions can be deleted after {after}, before that by {by_whom}." if lock else ""
    copied = f" The copies in {copies.bucket_name} stay." if copies else ""
    versions = (
        "--query '{Objects: [Versions, DeleteMarkers][].{Key: Key, VersionId: VersionId}}' --output json"
        " > versions.json"
    )
    # The access log of a bucket that stands fills up again: it is emptied here only for a stack that deletes both.
    log = () if bucket.retain else (_empty_log(plan),)
    return Step(
        title="empty the bucket",
        commands=(
            aws(plan.region, "s3api list-object-versions", f"--bucket ${_BUCKET} --max-items 1000", versions),
            aws(
                plan.region,
                "s3api delete-objects",
                f"--bucket ${_BUCKET} --delete file://versions.json",
                query="Errors",
            ),
            *log,
        ),
        consequence="every checkpoint is lost, for good. The first two delete a thousand versions at a time: again and "
        f"again, until versions.json has no Objects; or Empty in the S3 console.{locked}{copied}",
    )


def _buckets(plan: Plan, bucket: BucketPlan) -> Step:
    role = ". The role that copied objects stays, and costs nothing: delete it in IAM" if bucket.replication else ""
    bucket_goes, log_goes = (aws(plan.region, "s3api delete-bucket", f"--bucket ${name}") for name in (_BUCKET, _LOG))
    return Step(
        title="delete the buckets",
        commands=(bucket_goes, _empty_log(plan), log_goes),
        consequence="their names are free, for anybody. Entries of the access log come in for some hours more: while "
        f"it is not empty, the last two again{role}",
    )


def _empty_log(plan: Plan) -> str:
    return aws(plan.region, f"s3 rm --recursive s3://${_LOG}")


def _keys(plan: Plan) -> Step:
    window = f"--pending-window-in-days {_PENDING_DAYS}"
    return Step(
        title="schedule the keys' deletion",
        commands=tuple(aws(plan.region, "kms schedule-key-deletion", f"--key-id ${name}", window) for name in _KEYS),
        consequence=f"after {_PENDING_DAYS} days nothing that they encrypted can be read, wherever it is: objects, "
        "file systems, backups, copies elsewhere. Until then aws kms cancel-key-deletion takes it back",
    )


def _images(plan: Plan) -> Step:
    return Step(
        title="deregister the custom images",
        commands=tuple(
            aws(
                place.region,
                "ec2 describe-images --owners self",
                f"--filters 'Name=name,Values={image.name}-*'",
                query="'Images[].ImageId'",
            )
            for image in plan.images
            for place in image.regions
        ),
        consequence="for each id, in its region: aws ec2 deregister-image --delete-associated-snapshots --image-id ID. "
        "Other environments and accounts can start no nodes from it any more",
    )


def _unprotected(plan: Plan, stack: str) -> tuple[str, str]:
    """Returns the commands that delete a stack with termination protection."""
    lift = "cloudformation update-termination-protection --no-enable-termination-protection"
    return aws(plan.region, lift, f"--stack-name {stack}"), f"cdk destroy {stack} --exclusively"
