"""Buckets and their policies: S3 sets each of a bucket's properties by a call of its own."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.handlers.api import changes
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone, found
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.s3_copies import check_copies
from rehearsal.handlers.s3_lifecycle import lifecycle_rules
from rehearsal.handlers.tags import wanted_tags

_NAME = NameRule("BucketName", 63, lower=True)
_AT_CREATION = ("BucketName", "ObjectLockEnabled")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How one property of a bucket is set.

    Attributes:
        put: The operation that sets it.
        member: The operation's parameter that takes the value.
        remove: The operation that takes it away; empty where ``absent`` is put instead.
        absent: The value that stands for no value.
        convert: Turns the property into the API's form, before names and scalars are fitted.
        renamed: The API's names, by property path from ``member``; see ``rehearsal.fit.fit``.
    """

    put: str
    member: str
    remove: str = ""
    absent: Any = None
    convert: Callable[[Any], Any] = lambda value: value
    renamed: Mapping[str, str] = field(default_factory=dict)

    def apply(self, client: Any, bucket: str, value: Any) -> None:
        """Puts the value, or takes it away where it is None."""
        if value is None and self.remove:
            call(client, self.remove, {"Bucket": bucket})
            return
        given = self.absent if value is None else self.convert(value)
        call_fitted(client, self.put, {"Bucket": bucket, self.member: given}, self.renamed)


def _canned_acl(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _logging(value: Properties) -> Properties:
    names = {"DestinationBucketName": "TargetBucket", "LogFilePrefix": "TargetPrefix"}
    target = {names.get(name, name): part for name, part in value.items()}
    return {"LoggingEnabled": {"TargetPrefix": "", **target}}


def _event_bridge(value: Properties) -> Properties:
    if set(value) != {"EventBridgeConfiguration"}:
        raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property NotificationConfiguration: {value}")
    return {"EventBridgeConfiguration": {}}


_ENCRYPTION = "ServerSideEncryptionConfiguration"
_SETTINGS = {
    "OwnershipControls": Setting(
        put="PutBucketOwnershipControls", member="OwnershipControls", remove="DeleteBucketOwnershipControls"
    ),
    "PublicAccessBlockConfiguration": Setting(
        put="PutPublicAccessBlock", member="PublicAccessBlockConfiguration", remove="DeletePublicAccessBlock"
    ),
    "AccessControl": Setting(put="PutBucketAcl", member="ACL", absent="private", convert=_canned_acl),
    "VersioningConfiguration": Setting(
        put="PutBucketVersioning", member="VersioningConfiguration", absent={"Status": "Suspended"}
    ),
    "BucketEncryption": Setting(
        put="PutBucketEncryption",
        member=_ENCRYPTION,
        remove="DeleteBucketEncryption",
        renamed={
            f"{_ENCRYPTION}.{_ENCRYPTION}": "Rules",
            f"{_ENCRYPTION}.{_ENCRYPTION}.ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault",
        },
    ),
    "LifecycleConfiguration": Setting(
        put="PutBucketLifecycleConfiguration",
        member="LifecycleConfiguration",
        remove="DeleteBucketLifecycle",
        convert=lifecycle_rules,
    ),
    "LoggingConfiguration": Setting(put="PutBucketLogging", member="BucketLoggingStatus", absent={}, convert=_logging),
    "CorsConfiguration": Setting(
        put="PutBucketCors",
        member="CORSConfiguration",
        remove="DeleteBucketCors",
        renamed={
            "CORSConfiguration.CorsRules": "CORSRules",
            **{
                f"CORSConfiguration.CorsRules.{name}": api
                for name, api in {
                    "Id": "ID",
                    "MaxAge": "MaxAgeSeconds",
                    "ExposedHeaders": "ExposeHeaders",
                }.items()
            },
        },
    ),
    "AccelerateConfiguration": Setting(
        put="PutBucketAccelerateConfiguration",
        member="AccelerateConfiguration",
        absent={"Status": "Suspended"},
        renamed={"AccelerateConfiguration.AccelerationStatus": "Status"},
    ),
    "NotificationConfiguration": Setting(
        put="PutBucketNotificationConfiguration",
        member="NotificationConfiguration",
        absent={},
        convert=_event_bridge,
    ),
    "ReplicationConfiguration": Setting(
        put="PutBucketReplication",
        member="ReplicationConfiguration",
        remove="DeleteBucketReplication",
        renamed={
            "ReplicationConfiguration.Rules.Filter.TagFilter": "Tag",
            "ReplicationConfiguration.Rules.Filter.And.TagFilters": "Tags",
        },
    ),
    "ObjectLockConfiguration": Setting(put="PutObjectLockConfiguration", member="ObjectLockConfiguration"),
}


class Bucket:
    """A bucket; a property without a row in the settings is refused by name."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the bucket and sets its properties."""
        _check(resource.properties)
        client, name = scope.client("s3"), _NAME.name(scope, resource)
        parameters: dict[str, Any] = {"Bucket": name}
        if scope.region != "us-east-1":
            parameters["CreateBucketConfiguration"] = {"LocationConstraint": scope.region}
        if "ObjectLockEnabled" in resource.properties:
            parameters["ObjectLockEnabledForBucket"] = resource.properties["ObjectLockEnabled"]
        call_fitted(client, "CreateBucket", parameters)
        resource.physical_id = name
        suffix = f"{scope.region}.amazonaws.com"
        resource.attributes |= {
            "Arn": f"arn:{scope.partition}:s3:::{name}",
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.{suffix}",
            "DualStackDomainName": f"{name}.s3.dualstack.{suffix}",
        }
        self._apply(scope, resource, resource.properties, changes({}, resource.properties))

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sets the properties that differ."""
        _check(properties)
        changed = changes(resource.properties, properties)
        was, now = (_is_locked(side) for side in (resource.properties, properties))
        if was and not now:
            raise ResourceError("InvalidBucketState", "Object Lock can't be disabled on a bucket that has it")
        self._apply(scope, resource, properties, changed)
        if now and not was and "ObjectLockConfiguration" not in changed:
            lock = {"Bucket": resource.physical_id, "ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}}
            call(scope.client("s3"), "PutObjectLockConfiguration", lock)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the bucket; S3 refuses where objects or versions are left in it."""
        if resource.physical_id is not None:
            call_unless_gone(scope.client("s3"), "DeleteBucket", {"Bucket": resource.physical_id})

    def _apply(self, scope: Scope, resource: Resource, properties: Properties, changed: Properties) -> None:
        client, bucket = scope.client("s3"), str(resource.physical_id)
        if changed.get("ReplicationConfiguration"):
            check_copies(client, properties)
        for name, setting in _SETTINGS.items():
            if name in changed:
                setting.apply(client, bucket, changed[name])
        tags = wanted_tags(scope, resource, properties)  # S3's API takes no tag that begins with "aws:"
        own = {key: value for key, value in tags.items() if not key.startswith("aws:")}
        if own:
            call_fitted(client, "PutBucketTagging", {"Bucket": bucket, "Tagging": {"TagSet": own}})
        elif "Tags" in changed:
            call(client, "DeleteBucketTagging", {"Bucket": bucket})


def _is_locked(properties: Properties) -> bool:
    """Says whether a bucket has object lock, which stays once it is on.

    Source: S3 user guide, "Configuring S3 Object Lock"; which code CloudFormation shows is not published.
    """
    return str(properties.get("ObjectLockEnabled")).lower() == "true"


def _check(properties: Properties) -> None:
    unknown = sorted(set(properties) - {*_SETTINGS, *_AT_CREATION, "Tags"})
    if unknown:
        raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property {unknown[0]}")


class BucketPolicy:
    """A bucket's policy; ``Ref`` gives the bucket, which identifies it."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Puts the policy, where the bucket has none.

        Source: serverless/serverless issue 6923 and brefphp/bref issue 1620, for words and code.
        """
        bucket = resource.properties["Bucket"]
        if found(scope.client("s3"), "GetBucketPolicy", {"Bucket": bucket}) is not None:
            raise ResourceError("AlreadyExists", f"The bucket policy already exists on bucket {bucket}.")
        self._put(scope, resource.properties)
        resource.physical_id = resource.properties["Bucket"]

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Puts the new policy over the old one."""
        del resource
        self._put(scope, properties)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Takes the policy away."""
        if resource.physical_id is not None:
            call_unless_gone(scope.client("s3"), "DeleteBucketPolicy", {"Bucket": resource.physical_id})

    @staticmethod
    def _put(scope: Scope, properties: Properties) -> None:
        renamed = {"PolicyDocument": "Policy"}
        call_fitted(scope.client("s3"), "PutBucketPolicy", properties, renamed)


HANDLERS: dict[str, Handler] = {"AWS::S3::Bucket": Bucket(), "AWS::S3::BucketPolicy": BucketPolicy()}
