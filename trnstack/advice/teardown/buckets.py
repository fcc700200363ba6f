"""How the checkpoint bucket and its access log go, when they belong to no stack any more."""

from trnstack.advice.teardown.asking import aws
from trnstack.advice.teardown.export import BUCKET
from trnstack.advice.teardown.model import Step
from trnstack.plan.model import BucketPlan, Plan

#: The shell variable that holds the name of the bucket with the access log.
LOG = "ACCESS_LOG"
#: How many versions a request lists, and deletes at most.
_A_REQUEST = 1000


def empty(plan: Plan, bucket: BucketPlan) -> Step:
    """Returns how every version of every object goes.

    A page of the list is what one request deletes. ``--max-items`` would not do: the AWS CLI counts versions by it, and
    lets the delete markers of the same pages through as well.

    Source: S3 API reference, ListObjectVersions, ``MaxKeys``, and DeleteObjects: up to 1,000 keys.
    """
    lock, copies, lustre = bucket.object_lock, bucket.replication, plan.storage.lustre
    by_whom = "whoever may bypass governance" if lock and lock.mode == "GOVERNANCE" else "nobody"
    after = "a day" if lock and lock.days == 1 else f"{lock.days} days" if lock else ""
    locked = f" Locked versions can be deleted after {after}, before that by {by_whom}." if lock else ""
    copied = f" The copies in {copies.bucket_name} stay." if copies else ""
    linked = any(link.bucket_name is None for link in (lustre.associations if lustre else ()))
    unread = " So are files of a file system that stands, if it never read them, or released them." if linked else ""
    versions = (
        "--query '{Objects: [Versions, DeleteMarkers][].{Key: Key, VersionId: VersionId}}' --output json"
        " > versions.json"
    )
    page = f"--bucket ${BUCKET} --no-paginate --max-keys {_A_REQUEST}"
    return Step(
        title="empty the bucket",
        commands=(
            aws(plan.region, "s3api list-object-versions", page, versions),
            aws(
                plan.region,
                "s3api delete-objects",
                f"--bucket ${BUCKET} --delete file://versions.json",
                query="Errors",
            ),
        ),
        consequence=f"every checkpoint is lost, for good.{unread} The two delete a thousand versions at a time: again "
        f"and again, until versions.json has no Objects; or Empty in the S3 console.{locked}{copied}",
    )


def buckets(plan: Plan, bucket: BucketPlan) -> Step:
    """Returns how both buckets go: the log's after the one that it is about, which writes to it until then."""
    role = ". The role that copied objects stays, and costs nothing: delete it in IAM" if bucket.replication else ""
    bucket_goes, log_goes = (aws(plan.region, "s3api delete-bucket", f"--bucket ${name}") for name in (BUCKET, LOG))
    return Step(
        title="delete the buckets",
        commands=(bucket_goes, aws(plan.region, f"s3 rm --recursive s3://${LOG}"), log_goes),
        consequence="their names are free, for anybody. Entries of the access log come in for some hours more: while "
        f"it is not empty, the last two again{role}",
    )
