"""What IAM refuses of a role's trust: nobody, somebody who is not there, something else than taking the role.

Source: badmintoncryer/cdk-preflight, rules/iam, pf-iam-trust-policy-*, ``meta.yaml``, deploys and calls of September
2026; opstrace/opstrace issue 88 and hashicorp/terraform-provider-aws issue 8905, of a principal that is not there;
hashicorp/terraform issue 1882 and terraform-aws-modules/terraform-aws-iam issue 47, of nobody; aws/aws-cdk issue 18564,
of the size. That trust of a wrong grammar is answered as an identity's policy of the same is inferred.
"""

from collections.abc import Mapping
from typing import Any

from moto.iam.models import iam_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_documents import malformed
from rehearsal.overlays.iam_quotas import size
from rehearsal.overlays.policy_grammar import (
    EFFECTS,
    STATEMENT_ELEMENTS,
    TOP_ELEMENTS,
    VERSIONS,
    are_conditions,
    has,
    is_aws_principal,
    is_service,
    principals,
    read,
)
from rehearsal.overlays.trust import knows_all_of, listed

#: Characters without white space. Source: IAM user guide, "IAM and AWS STS quotas".
_MOST_CHARACTERS = 2048
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
_COGNITO = "cognito-identity.amazonaws.com"
#: Source: IAM user guide, "AWS JSON policy elements: Principal".
_KINDS = ("AWS", "CanonicalUser", "Federated", "Service")


def check_trust(document: str, *, account: str, partition: str) -> None:
    """Refuses a trust policy by which nobody, or nobody who is there, could take the role.

    Args:
        document: The policy, as JSON.
        account: The account of the role.
        partition: Its partition.

    Raises:
        OverlayError: IAM's ``MalformedPolicyDocument`` or ``LimitExceeded``.
    """
    for statement in _read(document):
        if has(statement, "Resource"):
            raise malformed("Has prohibited field Resource")
        if not _ACTIONS.issuperset(map(str, listed(statement.get("Action", [])))):
            raise malformed("AssumeRole policy may only specify STS AssumeRole actions.")
        if not has(statement, "Principal"):
            raise malformed("AssumeRole policy must contain principals.")
        _check_principals(statement, account, partition)
    if size(document) > _MOST_CHARACTERS:
        raise OverlayError("LimitExceeded", f"Cannot exceed quota for ACLSizePerRole: {_MOST_CHARACTERS}")


def _read(text: str) -> list[Mapping[str, Any]]:
    """Reads the statements of a document of the right grammar.

    Source: localstack/localstack, tests/aws/services/iam/test_iam.snapshot.json, of what is no JSON.
    """
    try:
        document = read(text)
    except ValueError as error:
        raise malformed("This policy contains invalid Json") from error
    statements = listed(document.get("Statement", [])) if isinstance(document, Mapping) else []
    if not statements or not TOP_ELEMENTS.issuperset(document) or not all(map(_is_statement, statements)):
        raise malformed("Syntax errors in policy.")
    if document.get("Version", VERSIONS[0]) not in VERSIONS:
        raise malformed("Syntax errors in policy.")
    return statements


def _is_statement(statement: Any) -> bool:
    return (
        isinstance(statement, Mapping)
        and STATEMENT_ELEMENTS.issuperset(statement)
        and statement.get("Effect") in EFFECTS
        and has(statement, "Action")
        and are_conditions(statement.get("Condition", {}))
    )


def _check_principals(statement: Mapping[str, Any], account: str, partition: str) -> None:
    if statement.get("Principal") == "*":
        raise malformed('AssumeRolepolicy contained an invalid principal: "STAR":"*".')
    named = list(principals(statement))
    if not named:
        raise malformed(
            "Invalid principal in policy: com.amazon.balsa.error.InvalidPolicyException: The passed in policy has a "
            "statement with no principals!"
        )
    for kind, name in named:
        if not _may_be_trusted(kind, name, account, partition):
            raise malformed(f'Invalid principal in policy: "{kind.upper()}":"{name}"')
        if (kind, name) == ("Federated", _COGNITO) and not statement.get("Condition"):
            raise malformed("A condition block must be present for the Cognito provider")


def _may_be_trusted(kind: str, name: str, account: str, partition: str) -> bool:
    """Says whether a principal may be named; of what is in an account that somebody has, only its form is looked at."""
    if kind == "Service":
        return is_service(name, partition)
    if kind != "AWS":
        return kind in _KINDS
    return is_aws_principal(name) and is_there(name, account=account, partition=partition)


def is_there(arn: str, *, account: str, partition: str) -> bool:
    """Says whether an account has a role or a user, or the role of a session, where that can be told."""
    if f"::{account}:" not in arn or not knows_all_of(account):
        return True
    _, _, _, _, _, path = arn.split(":", 5)
    backend: Any = iam_backends[account][partition]
    if path.startswith("assumed-role/"):
        return path.split("/")[1] in {role.name for role in backend.roles.values()}
    if not path.startswith(("role/", "user/")):
        return True
    return arn in {one.arn for one in (*backend.roles.values(), *backend.users.values())}
