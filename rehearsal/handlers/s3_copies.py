"""What AWS refuses of a bucket's replication, which moto takes as it comes.

Source: S3 user guide, "Requirements and considerations for replication", "Using Object Lock with S3 Replication";
badmintoncryer/cdk-preflight, rules/s3, pf-s3-replication-*, ``meta.yaml``, deploys of September 2026, which tell words
and no codes: those of rules are not confirmed. Metrics without Replication Time Control are taken: CloudFormation user
guide, AWS::S3::Bucket Metrics, which no longer asks for it as AWS::S3::Bucket ReplicationTime asks for metrics.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rehearsal.handlers.base import Properties, ResourceError
from rehearsal.handlers.calls import found
from rehearsal.overlays.trust import knows_all_of

_GUIDE = "Please refer to S3 Developer Guide for more information."


def check_versions(properties: Properties) -> None:
    """Refuses replication from a bucket without versions, as CloudFormation does before it asks S3.

    Raises:
        ResourceError: In CloudFormation's words.
    """
    if properties.get("VersioningConfiguration", {}).get("Status") != "Enabled":
        words = "VersioningConfiguration Status must be 'Enabled' to specify ReplicationConfiguration"
        raise _invalid(f"Invalid request provided: {words}")


def check_copies(client: Any, properties: Properties, *, account: str) -> None:
    """Refuses rules that don't go together, and replication to a bucket that can't take it.

    Of a bucket in an account that somebody has nothing is said where the rehearsal was not told of it.

    Args:
        client: A boto3 client of S3.
        properties: The properties of the bucket.
        account: Its account, which is the destination's too unless the rule names another.

    Raises:
        ResourceError: As S3 answers.
    """
    rules: list[Properties] = properties["ReplicationConfiguration"]["Rules"]
    priorities = Counter(int(rule["Priority"]) for rule in rules if "Priority" in rule)
    for priority, times in priorities.items():
        if times > 1:
            raise _invalid(f"Found duplicate priority {priority}.")
    for rule in rules:
        for problem in _problems(rule):
            raise _invalid(problem)
        is_locked = bool(properties.get("ObjectLockConfiguration"))
        _check_destination(client, rule, locked=is_locked, owner=str(rule["Destination"].get("Account", account)))


def _problems(rule: Properties) -> Iterator[str]:
    chosen, destination = rule.get("Filter"), rule["Destination"]
    if chosen is not None and "Priority" not in rule:
        yield f"Priority must be specified for this version of Cross Region Replication configuration schema. {_GUIDE}"
    tagged = chosen and ("TagFilter" in chosen or "TagFilters" in (chosen.get("And") or {}))
    if tagged and (rule.get("DeleteMarkerReplication") or {}).get("Status") == "Enabled":
        yield f"Delete marker replication is not supported if any Tag filter is specified. {_GUIDE}"
    if "ReplicationTime" in destination and "Metrics" not in destination:
        yield "Replication destination must contain both ReplicationTime and Metrics or neither."
    encrypted = "SseKmsEncryptedObjects" in (rule.get("SourceSelectionCriteria") or {})
    if encrypted and not (destination.get("EncryptionConfiguration") or {}).get("ReplicaKmsKeyID"):
        yield "ReplicaKmsKeyID must be specified if SseKmsEncryptedObjects tag is present."
    if not str(destination["Bucket"]).startswith("arn:"):
        yield "Invalid bucket ARN"


def _check_destination(client: Any, rule: Properties, *, locked: bool, owner: str) -> None:
    bucket = str(rule["Destination"]["Bucket"]).rpartition(":")[2]
    versions = found(client, "GetBucketVersioning", {"Bucket": bucket})
    if versions is None:
        if knows_all_of(owner):
            raise _invalid("Destination bucket must exist.")
        return
    if versions.get("Status") != "Enabled":
        raise _invalid("Destination bucket must have versioning enabled.")
    if locked and found(client, "GetObjectLockConfiguration", {"Bucket": bucket}) is None:
        raise _invalid("Destination bucket must have Object Lock enabled.")


def _invalid(message: str) -> ResourceError:
    return ResourceError("InvalidRequest", message)
