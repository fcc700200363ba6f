"""Reads buckets and file systems."""

from collections.abc import Callable
from typing import Any

from rehearsal.drift.api import ApiReader, spelled, tag_list, unless_gone
from rehearsal.engine.drift import Reader
from rehearsal.handlers.base import Properties, Resource, Scope
from rehearsal.handlers.calls import call
from rehearsal.handlers.s3_lifecycle import lifecycle_rules

Told = Callable[[Any, dict[str, Any]], Any]


def _encryption(expected: Any, answer: dict[str, Any]) -> Any:
    rules = answer.get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    told = [{"ServerSideEncryptionByDefault": rule.get("ApplyServerSideEncryptionByDefault"), **rule} for rule in rules]
    return spelled(expected, {"ServerSideEncryptionConfiguration": told})


def _lifecycle(expected: Any, answer: dict[str, Any]) -> Any:
    """Gives the template's rules where they stand as S3 tells them, and S3's own where they don't."""
    told = {rule.get("ID"): rule for rule in answer.get("Rules", [])}
    asked = {rule.get("Id"): rule for rule in expected.get("Rules", [])}
    wanted = {rule.get("ID"): rule for rule in lifecycle_rules(expected)["Rules"]}
    return {
        "Rules": [
            asked[name] if name in asked and spelled(wanted[name], rule) == _numbers(wanted[name]) else _named(rule)
            for name, rule in told.items()
        ]
    }


def _named(rule: dict[str, Any]) -> dict[str, Any]:
    return {"Id": rule.pop("ID", None), **rule}


def _numbers(value: Any) -> Any:
    """Gives S3's form of a rule with numbers as numbers, which templates may write as texts."""
    if isinstance(value, dict):
        return {name: _numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    return int(value) if isinstance(value, str) and value.isdigit() else value


_SETTINGS: dict[str, tuple[str, Told]] = {
    "BucketEncryption": ("GetBucketEncryption", _encryption),
    "LifecycleConfiguration": ("GetBucketLifecycleConfiguration", _lifecycle),
    "PublicAccessBlockConfiguration": (
        "GetPublicAccessBlock",
        lambda expected, answer: spelled(expected, answer.get("PublicAccessBlockConfiguration", {}), whole=True),
    ),
    "VersioningConfiguration": (
        "GetBucketVersioning",
        lambda _, answer: {"Status": answer.get("Status", "Suspended")},
    ),
}


def read_bucket(scope: Scope, resource: Resource) -> Properties | None:
    """Reads those of a bucket's settings that its template gives, each by a call of its own."""
    client, bucket = scope.client("s3"), {"Bucket": resource.physical_id}
    if unless_gone(lambda: call(client, "GetBucketLocation", bucket)) is None:
        return None
    told: Properties = {}
    for name, (operation, read) in _SETTINGS.items():
        if name in resource.properties:
            answer = _setting(client, operation, bucket)
            told[name] = read(resource.properties[name], answer)
    told["Tags"] = tag_list(_setting(client, "GetBucketTagging", bucket).get("TagSet", []))
    return told


def _setting(client: Any, operation: str, bucket: dict[str, Any]) -> dict[str, Any]:
    """Gives a setting; nothing where the bucket has none."""
    return unless_gone(lambda: call(client, operation, bucket)) or {}


READERS: dict[str, Reader] = {
    "AWS::FSx::FileSystem": ApiReader(
        service="fsx",
        operation="DescribeFileSystems",
        parameters={"FileSystemIds": ["{Ref}"]},
        at="FileSystems.0",
    ),
    "AWS::S3::Bucket": read_bucket,
}
