"""Buckets and their policies: S3 sets each of a bucket's properties by a call of its own."""

from typing import Any

from rehearsal.handlers.api import changes
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone, found
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.s3_copies import check_copies, check_versions
from rehearsal.handlers.s3_names import bucket_attributes
from rehearsal.handlers.s3_settings import SETTINGS, canned_acl
from rehearsal.handlers.tags import wanted_tags
from rehearsal.overlays.s3_public import PUBLIC_ACLS

_NAME = NameRule("BucketName", 63, lower=True)
_AT_CREATION = ("BucketName", "ObjectLockEnabled")
_PRIVATE = ("Private", None)


class Bucket:
    """A bucket; a property without a row in the settings is refused by name."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the bucket and sets its properties."""
        _check(resource.properties)
        client, name = scope.client("s3"), _NAME.name(scope, resource)
        parameters: dict[str, Any] = {"Bucket": name}
        if scope.region != "us-east-1":
            parameters["CreateBucketConfiguration"] = {"LocationConstraint": scope.region}
        elif found(client, "GetBucketLocation", {"Bucket": name}) is not None:
            # In us-east-1 S3 answers whoever owns the bucket as if it had just been made.
            raise ResourceError("AlreadyExists", f"{name} already exists")
        if "ObjectLockEnabled" in resource.properties:
            parameters["ObjectLockEnabledForBucket"] = resource.properties["ObjectLockEnabled"]
        call_fitted(client, "CreateBucket", {**parameters, **_access_at_creation(resource.properties)})
        resource.physical_id = name
        resource.attributes |= bucket_attributes(name, partition=scope.partition, region=scope.region)
        wanted = changes({}, resource.properties)
        if not _is_listed_later(resource.properties):
            wanted.pop("AccessControl", None)
        self._apply(scope, resource, resource.properties, wanted)

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sets the properties that differ."""
        _check(properties)
        changed = changes(resource.properties, properties)
        was, now = (_is_locked(side) for side in (resource.properties, properties))
        if was and not now:
            raise ResourceError("InvalidBucketState", "Object Lock can't be disabled on a bucket that has it")
        if "AccessControl" in changed and changed["AccessControl"] in _PRIVATE:
            self._withdraw(scope, resource, properties)
            del changed["AccessControl"]
        self._apply(scope, resource, properties, changed)
        if now and not was and "ObjectLockConfiguration" not in changed:
            lock = {"Bucket": resource.physical_id, "ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}}
            call(scope.client("s3"), "PutObjectLockConfiguration", lock)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the bucket; S3 refuses where objects or versions are left in it."""
        if resource.physical_id is not None:
            call_unless_gone(scope.client("s3"), "DeleteBucket", {"Bucket": resource.physical_id})

    @staticmethod
    def _withdraw(scope: Scope, resource: Resource, properties: Properties) -> None:
        """Takes back what a list granted, before ownership changes; where lists are off, nothing is granted."""
        if _has_lists(resource.properties):
            acl = {"Bucket": resource.physical_id, "ACL": "private"}
            call(scope.client("s3"), "PutBucketAcl", acl)
        resource.took(properties, "AccessControl")

    def _apply(self, scope: Scope, resource: Resource, properties: Properties, changed: Properties) -> None:
        client, bucket = scope.client("s3"), str(resource.physical_id)
        if properties.get("ReplicationConfiguration"):
            check_versions(properties)
        if changed.get("ReplicationConfiguration"):
            check_copies(client, properties, account=scope.account)
        for name, setting in SETTINGS.items():
            if name in changed:
                setting.apply(client, bucket, _meant(name, changed[name], bucket))
                resource.took(properties, name)
        tags = wanted_tags(scope, resource, properties)  # S3's API takes no tag that begins with "aws:"
        own = {key: value for key, value in tags.items() if not key.startswith("aws:")}
        if own:
            call_fitted(client, "PutBucketTagging", {"Bucket": bucket, "Tagging": {"TagSet": own}})
        elif "Tags" in changed:
            call(client, "DeleteBucketTagging", {"Bucket": bucket})


def _meant(name: str, value: Any, bucket: str) -> Any:
    """Gives a property with what it means where it does not say it: a bucket's access logs go into itself.

    Source: CloudFormation user guide, AWS::S3::Bucket LoggingConfiguration, ``DestinationBucketName``.
    """
    return {"DestinationBucketName": bucket, **value} if name == "LoggingConfiguration" and value else value


def _access_at_creation(properties: Properties) -> Properties:
    """Gives the parameters of CreateBucket that say who may do what.

    A list has to come with the ownership that allows it.

    Source: S3 API reference, CreateBucket, ``ACL``; that CloudFormation sends the list at creation is read off the code
    that users get, ``InvalidBucketAclWithObjectOwnership``, which PutBucketAcl does not give.
    """
    name = properties.get("AccessControl")
    if name in _PRIVATE or _is_listed_later(properties):
        return {}
    owners = _owners(properties)
    return {"ACL": canned_acl(str(name)), **({"ObjectOwnership": owners[0]} if owners else {})}


def _is_listed_later(properties: Properties) -> bool:
    """Says whether a list is put when the bucket stands: a public one, if the template says which of those is blocked.

    Source: S3 API reference, CreateBucket, ``ACL``: S3 refuses a public list at creation.
    """
    public = canned_acl(str(properties.get("AccessControl"))) in PUBLIC_ACLS
    return public and "PublicAccessBlockConfiguration" in properties


def _has_lists(properties: Properties) -> bool:
    """Says whether a bucket's access control lists are on."""
    return any(owner in ("ObjectWriter", "BucketOwnerPreferred") for owner in _owners(properties))


def _owners(properties: Properties) -> list[str]:
    rules = (properties.get("OwnershipControls") or {}).get("Rules") or []
    return [rule["ObjectOwnership"] for rule in rules if "ObjectOwnership" in rule]


def _is_locked(properties: Properties) -> bool:
    """Says whether a bucket has object lock, which stays once it is on.

    Source: S3 user guide, "Configuring S3 Object Lock"; which code CloudFormation shows is not published.
    """
    return str(properties.get("ObjectLockEnabled")).lower() == "true"


def _check(properties: Properties) -> None:
    unknown = sorted(set(properties) - {*SETTINGS, *_AT_CREATION, "Tags"})
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
