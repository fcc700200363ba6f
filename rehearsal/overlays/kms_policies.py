"""What KMS refuses of a key's policy.

Source: KMS API reference, CreateKey and PutKeyPolicy, ``Policy`` and ``BypassPolicyLockoutSafetyCheck``; KMS developer
guide, "Creating a key policy": an identifier may have spaces in it. AWS's words and code as people quote them:
aws-solutions/innovation-sandbox-on-aws 31 (locked out), awslabs/minimum-viable-dataspace-on-aws 5 (unknown principals),
ministryofjustice/analytical-platform 7691 (since August 2025 each statement needs an action and a resource), and
badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-policy-*, ``meta.yaml`` (no principal, characters) and ``rule.rego``
(no action, no resource). What is said to an unknown element, to a wrong effect, to conditions that are none and to a
wrong version is inferred from those.
"""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_trust import is_there
from rehearsal.overlays.policy_grammar import (
    EFFECTS,
    STATEMENT_ELEMENTS,
    TOP_ELEMENTS,
    VERSIONS,
    are_conditions,
    has,
    is_aws_principal,
    principals,
    read,
)
from rehearsal.overlays.trust import listed

_CHARACTERS = "[\\u0009\\u000A\\u000D\\u0020-\\u00FF]+"
_CHANGES_POLICY = "kms:putkeypolicy"
_SERVICE_ROLES = ":role/aws-service-role/"


def check_key_policy(policy: str, *, account: str, partition: str, bypass: bool) -> None:
    """Refuses a policy that names nobody, names somebody who is not there, or lets nobody here change it again.

    Args:
        policy: The policy, as JSON.
        account: The account of the key.
        partition: Its partition.
        bypass: Whether the caller takes it upon himself that nobody can change it again.

    Raises:
        OverlayError: KMS's ``MalformedPolicyDocumentException`` or ``ValidationException``.
    """
    if not re.fullmatch(_CHARACTERS, policy):
        words = (
            f"at 'policy' failed to satisfy constraint: Member must satisfy regular expression pattern: {_CHARACTERS}"
        )
        raise OverlayError("ValidationException", f"1 validation error detected: Value '{policy}' {words}")
    found = _read(policy)
    for statement in found:
        for problem in _problems(statement, account, partition):
            raise _malformed(problem)
    if not bypass and not any(_lets_change(statement, account) for statement in found):
        raise _malformed("The new key policy will not allow you to update the key policy in the future.")


def _read(text: str) -> list[Mapping[str, Any]]:
    try:
        document = read(text)
    except ValueError as error:
        raise _malformed("Policy document is not valid JSON.") from error
    if not isinstance(document, Mapping):
        raise _malformed("Policy document is not valid JSON.")
    for name in document:
        if name not in TOP_ELEMENTS:
            raise _malformed(f"Unknown field {name}")
    if document.get("Version", VERSIONS[0]) not in VERSIONS:
        raise _malformed("The policy must contain a valid version string")
    statements = listed(document.get("Statement", []))
    if not statements or not all(isinstance(one, Mapping) for one in statements):
        raise _malformed("Missing required field Statement")
    return statements


def _problems(statement: Mapping[str, Any], account: str, partition: str) -> Iterator[str]:
    yield from (f"Unknown field {name}" for name in statement if name not in STATEMENT_ELEMENTS)
    if statement.get("Effect") not in EFFECTS:
        yield f"Invalid effect: {statement['Effect']}" if "Effect" in statement else "Missing required field Effect"
    if not are_conditions(statement.get("Condition", {})):
        yield "Invalid condition"
    named = list(principals(statement))
    if not named:
        yield "Policy contains a statement with no principal."
    if not all(_may_be_named(kind, name, account, partition) for kind, name in named):
        yield "Policy contains a statement with one or more invalid principals."
    yield from (f"Missing required field {name}" for name in ("Action", "Resource") if not has(statement, name))


def _may_be_named(kind: str, name: str, account: str, partition: str) -> bool:
    """Says whether a principal may be named; roles that services make for themselves come when they are needed."""
    if kind != "AWS" or _SERVICE_ROLES in name:
        return True
    return is_aws_principal(name) and is_there(name, account=account, partition=partition)


def _lets_change(statement: Mapping[str, Any], account: str) -> bool:
    """Says whether a statement lets somebody of an account change the policy, whatever its conditions are."""
    if statement.get("Effect") != "Allow":
        return False
    if "NotAction" in statement:
        changes = not _names_change(statement["NotAction"])
    else:
        changes = _names_change(statement.get("Action", []))
    named = [name for kind, name in principals(statement) if kind == "AWS" and "Principal" in statement]
    return changes and any(name in {"*", account} or f":{account}:" in name for name in named)


def _names_change(actions: Any) -> bool:
    return any(fnmatchcase(_CHANGES_POLICY, str(pattern).lower()) for pattern in listed(actions))


def _malformed(message: str) -> OverlayError:
    return OverlayError("MalformedPolicyDocumentException", message)
