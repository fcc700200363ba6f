"""What IAM refuses of the resources in an identity's policy.

Source: badmintoncryer/cdk-preflight, rules/iam, pf-iam-policy-resource-format, -arn-segments, -global-service-arn,
-partition and -service-wildcard, ``meta.yaml``, deploys and calls of September 2026; moto, iam/policy_validation.py,
whose tests were run against IAM, for the paths of IAM's own resources and for what is filled up with ``*``. The first
words of the sentence about account ids are not published.
"""

import re

#: What is in S3 and has a region in its ARN. Source: Service Authorization Reference, "Amazon S3", resource types.
_REGIONAL_IN_S3 = ("accesspoint/", "access-grants/", "job/", "storage-lens/", "storage-lens-group/")
_IN_IAM = (
    "user/",
    "federated-user/",
    "role/",
    "group/",
    "instance-profile/",
    "mfa/",
    "server-certificate/",
    "policy/",
    "sms-mfa/",
    "saml-provider/",
    "oidc-provider/",
    "report/",
    "access-report/",
)
#: What IAM's sentence leaves out and IAM takes. Source: AWS-managed policies, as moto has them, that name them.
_SINCE = ("role-template/", "root")
_GLOBAL = ("route53", "s3")
_WILD = re.compile(r"[*?]")
#: Colons of a whole ARN: six parts, of which the last may have more.
_COLONS, _PARTS_AFTER_PARTITION = 5, 4


class UnparsableError(Exception):
    """A resource that IAM's older parser can't read, of which it says no more."""


def resource_problem(resource: str, partition: str) -> str | None:
    """Gives IAM's sentence on a resource; None where it takes it.

    Args:
        resource: The resource as the policy has it.
        partition: The partition of the account.

    Raises:
        UnparsableError: IAM says only that it can't read the policy.
    """
    if resource == "*":
        return None
    if ":" not in resource:
        return f'Resource {resource} must be in ARN format or "*".'
    first, arn_partition, *rest = resource.split(":", _COLONS)
    service, region, account, path = [*rest, *["*"] * (_PARTS_AFTER_PARTITION - len(rest))]
    if arn_partition not in ("*", partition):
        whole = ":".join(("arn", arn_partition, service or "*", region, account, path))
        return f'Partition "{arn_partition}" is not valid for resource "{whole}".'
    if not rest or _WILD.search(service):
        return "Resource vendor must be fully qualified and cannot contain regexes."
    if not service or ("::" in resource and resource.count(":") < _COLONS):
        raise UnparsableError
    return _misplaced(f"{first}:{arn_partition}:{service}:{region}:{account}:{path}")


def _misplaced(resource: str) -> str | None:
    """Gives IAM's sentence on a region, an account or a path that a service's resources don't have."""
    _, _, service, region, account, path = resource.split(":", _COLONS)
    in_region = region and not _WILD.search(region)
    if service == "iam":
        if in_region:
            return f"IAM resource {resource} cannot contain region information."
        literal = _WILD.split(path, maxsplit=1)[0]
        if not any(
            literal.startswith(one) or (literal != path and one.startswith(literal)) for one in (*_IN_IAM, *_SINCE)
        ):
            return f'IAM resource path must either be "*" or start with {", ".join(_IN_IAM)}.'
    elif service in _GLOBAL and not path.startswith(_REGIONAL_IN_S3):
        if in_region:
            return f"Resource {resource} can not contain region information."
        if service == "s3" and not region and account.isdigit():
            return f"Resource {resource} cannot contain an account id."
    return None
