"""What is more than IAM's quotas allow, and names and paths that it does not take.

The quotas are those that an account has from the start. Words and codes were read off AWS where nothing else is said:
badmintoncryer/cdk-preflight, rules/iam, pf-iam-inline-policy-size, -managed-policy-count, -name-format and
-path-service-role-reserved, ``meta.yaml``, deploys and calls of September 2026; kubernetes/kops issue 12558, of a
role's own policies; hashicorp/terraform-provider-aws and others who quote "Cannot exceed quota for PolicySize: 6144".
"""

import re
from collections.abc import Collection, Iterable

from rehearsal.overlays.errors import OverlayError
from trnstack.layout.role_policies import MOST_CHARACTERS

#: Characters without white space. Source: IAM user guide, "IAM and AWS STS quotas".
_INLINE_SIZE = {"role": MOST_CHARACTERS, "group": 5120, "user": 2048}
_MANAGED_SIZE = 6144
#: Source: as above; Service Quotas, as cdk-preflight read them: 20, 10 and 10.
_ATTACHED = {"role": 20, "group": 10, "user": 10}
_NAME = re.compile(r"[\w+=,.@-]+", re.ASCII)
_RESERVED_PATH = "/aws-service-role"


def size(document: str) -> int:
    """Counts a document's characters as IAM does, without white space."""
    return len(re.sub(r"\s", "", document))


def check_inline(kind: str, name: str, documents: Iterable[str]) -> None:
    """Refuses more than an identity may have written into it, all its policies taken together.

    Args:
        kind: What it is: ``role``, ``group`` or ``user``.
        name: Its name.
        documents: All its policies, as JSON, the new one among them.
    """
    most = _INLINE_SIZE[kind]
    if sum(map(size, documents)) > most:
        raise _exceeded(f"Maximum policy size of {most} bytes exceeded for {kind} {name}")


def check_managed(document: str) -> None:
    """Refuses a managed policy that is too long."""
    if size(document) > _MANAGED_SIZE:
        raise _exceeded(f"Cannot exceed quota for PolicySize: {_MANAGED_SIZE}")


def check_attachments(kind: str, there: Collection[str], arn: str) -> None:
    """Refuses one managed policy too many on a ``role``, a ``group`` or a ``user``."""
    most = _ATTACHED[kind]
    if arn not in there and len(there) >= most:
        raise _exceeded(f"Cannot exceed quota for PoliciesPer{kind.capitalize()}: {most}")


def check_name(parameter: str, name: str) -> None:
    """Refuses a name with other characters than IAM takes.

    Args:
        parameter: The parameter that has the name, as IAM calls it: ``roleName``.
        name: The name.
    """
    if not _NAME.fullmatch(name):
        words = "It must contain only alphanumeric characters and/or the following: +=,.@_-"
        raise OverlayError("ValidationError", f"The specified value for {parameter} is invalid. {words}")


def check_path(path: str) -> None:
    """Refuses a path that is kept for the roles that services make for themselves."""
    if path.startswith(_RESERVED_PATH):
        words = f"Paths beginning with '{_RESERVED_PATH}' are reserved for AWS Service Linked Roles"
        raise OverlayError("InvalidInput", words)


def _exceeded(message: str) -> OverlayError:
    return OverlayError("LimitExceeded", message)
