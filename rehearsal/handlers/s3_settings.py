"""How each property of a bucket is set: a table over S3's operations."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.handlers.base import Properties
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.s3_lifecycle import lifecycle_rules, smallest_moved
from rehearsal.handlers.s3_notifications import notifications
from rehearsal.handlers.s3_website import website


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How one property of a bucket is set.

    Attributes:
        put: The operation that sets it.
        member: The operation's parameter that takes the value.
        remove: The operation that takes it away; empty where ``absent`` is put instead.
        absent: The value that stands for no value.
        convert: Turns the property into the API's form, before names and scalars are fitted.
        beside: Gives further parameters of the operation that the property has in it.
        renamed: The API's names, by property path from ``member``; see ``rehearsal.fit.fit``.
    """

    put: str
    member: str
    remove: str = ""
    absent: Any = None
    convert: Callable[[Any], Any] = lambda value: value
    beside: Callable[[Any], Properties] = lambda _: {}
    renamed: Mapping[str, str] = field(default_factory=dict)

    def apply(self, client: Any, bucket: str, value: Any) -> None:
        """Puts the value, or takes it away where it is None."""
        if value is None and self.remove:
            call(client, self.remove, {"Bucket": bucket})
            return
        given = (
            {self.member: self.absent} if value is None else {self.member: self.convert(value), **self.beside(value)}
        )
        call_fitted(client, self.put, {"Bucket": bucket, **given}, self.renamed)


def canned_acl(name: str) -> str:
    """Gives the API's name of a canned access control list, such as ``log-delivery-write``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


def _logging(value: Properties) -> Properties:
    names = {"DestinationBucketName": "TargetBucket", "LogFilePrefix": "TargetPrefix"}
    target = {names.get(name, name): part for name, part in value.items()}
    return {"LoggingEnabled": {"TargetPrefix": "", **target}}


_ENCRYPTION, _CORS, _COPIES = "ServerSideEncryptionConfiguration", "CORSConfiguration", "ReplicationConfiguration"
#: The order is that in which they are set: versions before what needs them.
SETTINGS = {
    "OwnershipControls": Setting(
        put="PutBucketOwnershipControls", member="OwnershipControls", remove="DeleteBucketOwnershipControls"
    ),
    "PublicAccessBlockConfiguration": Setting(
        put="PutPublicAccessBlock", member="PublicAccessBlockConfiguration", remove="DeletePublicAccessBlock"
    ),
    "AccessControl": Setting(put="PutBucketAcl", member="ACL", absent="private", convert=canned_acl),
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
        beside=smallest_moved,
    ),
    "LoggingConfiguration": Setting(put="PutBucketLogging", member="BucketLoggingStatus", absent={}, convert=_logging),
    "CorsConfiguration": Setting(
        put="PutBucketCors",
        member=_CORS,
        remove="DeleteBucketCors",
        renamed={
            f"{_CORS}.CorsRules": "CORSRules",
            f"{_CORS}.CorsRules.Id": "ID",
            f"{_CORS}.CorsRules.MaxAge": "MaxAgeSeconds",
            f"{_CORS}.CorsRules.ExposedHeaders": "ExposeHeaders",
        },
    ),
    "AccelerateConfiguration": Setting(
        put="PutBucketAccelerateConfiguration",
        member="AccelerateConfiguration",
        absent={"Status": "Suspended"},
        renamed={"AccelerateConfiguration.AccelerationStatus": "Status"},
    ),
    "NotificationConfiguration": Setting(
        put="PutBucketNotificationConfiguration", member="NotificationConfiguration", absent={}, convert=notifications
    ),
    "WebsiteConfiguration": Setting(
        put="PutBucketWebsite", member="WebsiteConfiguration", remove="DeleteBucketWebsite", convert=website
    ),
    "ReplicationConfiguration": Setting(
        put="PutBucketReplication",
        member=_COPIES,
        remove="DeleteBucketReplication",
        renamed={f"{_COPIES}.Rules.Filter.TagFilter": "Tag", f"{_COPIES}.Rules.Filter.And.TagFilters": "Tags"},
    ),
    "ObjectLockConfiguration": Setting(
        put="PutObjectLockConfiguration", member="ObjectLockConfiguration", absent={"ObjectLockEnabled": "Enabled"}
    ),
}
