"""What IAM refuses of policy documents: trust in nobody, and what is more than its quotas allow.

The quotas are those that an account has from the start. Words and codes were read off AWS where nothing else is said:
badmintoncryer/cdk-preflight, rules/iam, ``meta.yaml``, deploys and calls of September 2026.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from moto.iam.models import iam_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, listed

#: Characters without white space. Source: IAM user guide, "IAM and AWS STS quotas".
_TRUST_SIZE, _ROLE_POLICIES_SIZE, _MANAGED_SIZE = 2048, 10_240, 6144
#: Source: as above; "Cannot exceed quota for PoliciesPerRole: 20" of an account whose quota nobody had raised.
_POLICIES_PER_ROLE = 20
_ACTIONS = frozenset(
    {
        "sts:AssumeRole",
        "sts:AssumeRoleWithSAML",
        "sts:AssumeRoleWithWebIdentity",
        "sts:SetContext",
        "sts:SetSourceIdentity",
        "sts:TagSession",
    }
)
_SERVICE = re.compile(r"[a-z0-9.-]+\.amazonaws\.com(?:\.cn)?")

_IAM_ARN = re.compile(r"arn:[a-z-]+:iam::(\d{12}):(?:root|(?:user|role)/[^*?]+)")
#: Partitions of which it is known under which names their services go.
_NAMED_PARTITIONS = ("aws", "aws-cn", "aws-us-gov")


def check_trust(document: str, *, account: str, partition: str) -> None:
    """Refuses a trust policy by which nobody, or nobody who is there, could take the role.

    Args:
        document: The policy, as JSON.
        account: The account of the role.
        partition: Its partition.

    Raises:
        OverlayError: IAM's ``MalformedPolicyDocument`` or ``LimitExceeded``.

    Source: also opstrace/opstrace issue 88 and hashicorp/terraform-provider-aws issue 8905, of a principal that is not
    there; aws/aws-cdk issue 18564, of the size.
    """
    for statement in _statements(document):
        if "Resource" in statement or "NotResource" in statement:
            raise _malformed("Has prohibited field Resource")
        foreign = [one for one in listed(statement.get("Action", [])) if one not in _ACTIONS | {"sts:*", "*"}]
        if foreign:
            raise _malformed("AssumeRole policy may only specify STS AssumeRole actions.")
        for kind, name in _principals(statement):
            if not _may_be_trusted(kind, name, account=account, partition=partition):
                raise _malformed(f'Invalid principal in policy: "{kind.upper()}":"{name}"')
    if _size(document) > _TRUST_SIZE:
        raise _exceeded(f"Cannot exceed quota for ACLSizePerRole: {_TRUST_SIZE}")


def check_inline(kind: str, name: str, documents: Iterable[str]) -> None:
    """Refuses more than an identity may have written into it, all its policies taken together.

    Args:
        kind: What it is: ``role``.
        name: Its name.
        documents: All its policies, as JSON, the new one among them.

    Source: kubernetes/kops issue 12558.
    """
    if sum(map(_size, documents)) > _ROLE_POLICIES_SIZE:
        raise _exceeded(f"Maximum policy size of {_ROLE_POLICIES_SIZE} bytes exceeded for {kind} {name}")


def check_managed(document: str) -> None:
    """Refuses a managed policy that is too long.

    Source: hashicorp/terraform-provider-aws and others who quote "Cannot exceed quota for PolicySize: 6144".
    """
    if _size(document) > _MANAGED_SIZE:
        raise _exceeded(f"Cannot exceed quota for PolicySize: {_MANAGED_SIZE}")


def check_attachments(there: Collection[str], arn: str) -> None:
    """Refuses one managed policy too many on a role."""
    if arn not in there and len(there) >= _POLICIES_PER_ROLE:
        raise _exceeded(f"Cannot exceed quota for PoliciesPerRole: {_POLICIES_PER_ROLE}")


def _statements(document: str) -> list[Mapping[str, Any]]:
    try:
        read = json.loads(document)
    except ValueError as error:
        raise _malformed("This policy contains invalid Json") from error
    statements: list[Mapping[str, Any]] = listed(read.get("Statement", [])) if isinstance(read, dict) else []
    if not statements:
        raise _malformed("Syntax errors in policy.")
    return statements


def _principals(statement: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    principal = statement.get("Principal", {})
    if principal == "*":
        raise _malformed('AssumeRolepolicy contained an invalid principal: "STAR":"*".')
    for kind, names in principal.items():
        for name in listed(names):
            yield kind, str(name)


def _may_be_trusted(kind: str, name: str, *, account: str, partition: str) -> bool:
    """Says whether a principal may be named; of what is in an account that somebody has, only its form is looked at."""
    if kind == "Service":
        return partition not in _NAMED_PARTITIONS or bool(_SERVICE.fullmatch(name))
    if kind != "AWS" or not name.startswith("arn:") or ":iam::" not in name:
        return True
    found = _IAM_ARN.fullmatch(name)
    if found is None:
        return False
    if found[1] != account or not knows_all_of(account) or name.endswith(":root"):
        return True
    backend: Any = iam_backends[account][partition]
    return name in {one.arn for one in (*backend.roles.values(), *backend.users.values())}


def _size(document: str) -> int:
    return len(re.sub(r"\s", "", document))


def _malformed(message: str) -> OverlayError:
    return OverlayError("MalformedPolicyDocument", message)


def _exceeded(message: str) -> OverlayError:
    return OverlayError("LimitExceeded", message)
