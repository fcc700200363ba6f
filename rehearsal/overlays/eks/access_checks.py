"""What EKS refuses of access entries: who they are for, and what they may say.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-accessentry-*,
``meta.yaml``, deploys and calls of 2026-09-25.
"""

import re
from collections.abc import Mapping
from typing import Any

from moto.iam.models import iam_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of

_POLICY_PREFIX = ":eks::aws:cluster-access-policy/"
_RESERVED_PREFIXES = ("system:", "eks:", "aws:", "amazon:", "iam:")
_STANDARD = "STANDARD"
_NODE_TYPES = ("EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "EC2")
#: Source: EKS API reference, CreateAccessEntry, ``type``; the words about another one are unconfirmed.
_TYPES = (_STANDARD, *_NODE_TYPES, "HYPERPOD_LINUX")
_PRINCIPAL = re.compile(r"arn:[a-z-]+:iam::(\d{12}):(role|user)/(.+)")
#: The types of which it is known that EKS takes neither groups nor a user name.
_NODES = ("EC2_LINUX", "EC2_WINDOWS")


def check_entry(request: Mapping[str, Any]) -> None:
    """Refuses groups and user names that are EKS's own, and those of an entry for nodes.

    Source: terraform-aws-modules/terraform-aws-eks issue 2915, of ``system:masters``;
    aws-ia/terraform-aws-eks-blueprints pull request 1920, of a user name.
    """
    kind = request.get("type", _STANDARD)
    if kind not in _TYPES:
        raise _invalid(f"The specified type is invalid: {kind}. Valid values are {', '.join(_TYPES)}")
    for member in ("kubernetesGroups", "username"):
        if kind in _NODES and request.get(member):
            what = f'setting {member} is not allowed when the type is "{kind}"'
            raise _invalid(f"The specified {member} is invalid: {what}")
    for group in request.get("kubernetesGroups", []):
        for prefix in _RESERVED_PREFIXES:
            if group.startswith(prefix):
                raise _invalid(f"The kubernetes group name {group} is invalid, it cannot start with {prefix}")
    for prefix in _RESERVED_PREFIXES:
        if request.get("username", "").startswith(prefix):
            raise _invalid(f"The username must not begin with {prefix}")


def check_principal(arn: str, kind: str, *, account: str, partition: str) -> None:
    """Refuses what is no role or user, those that an account of nobody's doesn't have, and nodes that are another's.

    Args:
        arn: The principal.
        kind: The entry's type.
        account: The cluster's account.
        partition: Its partition.

    Source: terraform-aws-modules/terraform-aws-eks issue 2969, of a role that is not there; EKS user guide, "Create
    access entries": a role or user of IAM, not a group or a session. The words about those are unconfirmed.
    """
    named = _PRINCIPAL.fullmatch(arn)
    if named is None:
        raise _invalid("The specified principalArn is invalid: invalid principal.")
    owner, what, name = named.groups()
    if kind != _STANDARD and what != "role":
        raise _invalid(f"AccessEntry principalArn must be IAM role when using types [{', '.join(_NODE_TYPES)}]")
    if kind != _STANDARD and owner != account:
        raise _invalid(
            "AccessEntry principalArn must be from the same account as the cluster when using types "
            f"[{', '.join(_NODE_TYPES)}]"
        )
    backend: Any = iam_backends[account][partition]
    there = {one.arn for one in (*backend.roles.values(), *backend.users.values())}
    missing = owner == account and knows_all_of(account) and arn not in there
    if missing or (what == "role" and name.startswith("aws-service-role/")):
        raise _invalid("The specified principalArn is invalid: invalid principal.")


def check_policy(request: Mapping[str, Any], kind: str) -> None:
    """Refuses what is no access policy, one for an entry of nodes, and a scope that does not say where.

    Args:
        request: What AssociateAccessPolicy is asked for.
        kind: The entry's type.
    """
    if _POLICY_PREFIX not in request["policyArn"]:
        raise _invalid(f"The policyArn parameter format is not valid: {request['policyArn']}")
    if kind != _STANDARD:
        message = 'This operation can only be performed on Access Entries with a type of "STANDARD"'
        raise OverlayError("InvalidRequestException", message)
    scope = request["accessScope"]
    if scope.get("type") == "namespace" and not scope.get("namespaces"):
        raise _invalid("At least 1 namespace must be provided if the type is set as namespace")
    if scope.get("type") == "cluster" and scope.get("namespaces"):
        raise _invalid("accessScope should not include namespaces if the type is not set as namespace")


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
