"""What IAM refuses of an identity's policy: its grammar, its actions and resources, the values of its conditions.

Source: badmintoncryer/cdk-preflight, rules/iam, pf-iam-policy-*, pf-iam-identity-policy-no-principal, ``meta.yaml``:
words and codes of deploys and calls of September 2026. In which order IAM looks: moto, iam/policy_validation.py, whose
tests were run against IAM; where the principal comes in it is not published.
"""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rehearsal.overlays.arns import parsed
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_resources import UnparsableError, resource_problem
from rehearsal.overlays.policy_grammar import (
    EFFECTS,
    PAIRS,
    STATEMENT_ELEMENTS,
    TOP_ELEMENTS,
    VERSIONS,
    are_conditions,
    base_operator,
    conditions,
    has,
    read,
    values,
)
from rehearsal.overlays.trust import listed

Document = Mapping[str, Any]

_SYNTAX, _LEGACY = "Syntax errors in policy.", "The policy failed legacy parsing"
_SID, _VENDOR = re.compile(r"[0-9A-Za-z]*"), re.compile(r"[a-zA-Z0-9.-]+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DATE = re.compile(
    r"-?\d+(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?:T(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})"
    r"(?::(?P<second>\d{1,2})(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?",
    re.IGNORECASE,
)
_MOST = {"month": 12, "day": 31, "hour": 23, "minute": 59, "second": 59}
#: The least that parts of a date may be; hours, minutes and seconds begin at 0.
_LEAST = {"month": 1, "day": 1}


def check_identity(text: str, *, partition: str, managed: bool = False) -> None:
    """Refuses the document of a policy that is written into an identity or attached to it.

    Args:
        text: The document, as JSON.
        partition: The partition of the account.
        managed: Whether it is a managed policy, whose version must be the newer one.

    Raises:
        OverlayError: IAM's ``MalformedPolicyDocument``.

    Source: wercker/step-s3sync pull request 25 and Meteor-Community-Packages/Meteor-CollectionFS issue 630, of the
    version; IAM user guide, "IAM JSON policy elements: Version": without it a policy is of 2008-10-17.
    """
    document = _read(text)
    statements: list[Document] = listed(document["Statement"])
    if managed and document.get("Version") != VERSIONS[0]:
        raise malformed("Policy document must be version 2012-10-17 or greater.")
    if any(has(one, "Principal") for one in statements):
        raise malformed("Policy document should not specify a principal.")
    if not all(map(_is_parsable, statements)):
        raise malformed(_LEGACY)
    try:
        resource = next(_resource_problems(statements, partition), None)
    except UnparsableError as error:
        raise malformed(_LEGACY) from error
    problem = next(_sid_problems(statements), None) or _without_actions(statements) or resource
    problem = problem or next(_action_problems(statements), None) or _without_resources(statements)
    if problem is not None:
        raise malformed(problem)


def malformed(message: str) -> OverlayError:
    """Gives IAM's refusal of a document."""
    return OverlayError("MalformedPolicyDocument", message)


def _read(text: str) -> Document:
    """Reads a document whose grammar is right as far as IAM's first look goes."""
    try:
        document = read(text)
    except ValueError as error:
        raise malformed(_SYNTAX) from error
    if not isinstance(document, Mapping) or not TOP_ELEMENTS.issuperset(document):
        raise malformed(_SYNTAX)
    if document.get("Version", VERSIONS[0]) not in VERSIONS or not isinstance(document.get("Id", ""), str):
        raise malformed(_SYNTAX)
    statements = listed(document.get("Statement", []))
    if not statements or not all(map(_is_statement, statements)):
        raise malformed(_SYNTAX)
    return document


def _is_statement(statement: Any) -> bool:
    if not isinstance(statement, Mapping) or not STATEMENT_ELEMENTS.issuperset(statement):
        return False
    if any(set(pair) <= set(statement) for pair in PAIRS):
        return False
    effect, sid = statement.get("Effect"), statement.get("Sid", "")
    texts = [*values(statement, "Action"), *values(statement, "Resource")]
    return (
        isinstance(effect, str)
        and effect.capitalize() in EFFECTS
        and isinstance(sid, str)
        and all(one is None or isinstance(one, str) for one in texts)
        and are_conditions(statement.get("Condition", {}))
    )


def _is_parsable(statement: Document) -> bool:
    """Says whether IAM's older parser can read a statement, which knows upper case from lower."""
    return statement["Effect"] in EFFECTS and all(
        _holds(base_operator(operator) or "", str(one))
        for operator, _, wanted in conditions(statement)
        for one in wanted
    )


def _holds(operator: str, value: str) -> bool:
    judge = next((judge for beginning, judge in _JUDGES.items() if operator.startswith(beginning)), None)
    return judge is None or judge(value)


def _is_date(value: str) -> bool:
    found = _DATE.fullmatch(value)
    parts = {} if found is None else {name: int(part) for name, part in found.groupdict().items() if part}
    return found is not None and all(_LEAST.get(name, 0) <= part <= _MOST[name] for name, part in parts.items())


def _is_network(value: str) -> bool:
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return False
    return True


def _is_arn(value: str) -> bool:
    return value == "*" or parsed(value) is not None


#: What the values of conditions must be, by the beginning of the operator.
_JUDGES: Mapping[str, Callable[[str], bool]] = {
    "Numeric": lambda value: _NUMBER.fullmatch(value) is not None,
    "Date": _is_date,
    "IpAddress": _is_network,
    "NotIpAddress": _is_network,
    "Arn": _is_arn,
}


def _sid_problems(statements: list[Document]) -> Iterator[str]:
    sids = [str(one["Sid"]) for one in statements if one.get("Sid")]
    if any(not _SID.fullmatch(sid) for sid in sids):
        yield (
            "Statement IDs (SID) must be alpha-numeric. Check that your input satisfies the regular expression "
            f"{_SID.pattern}"
        )
    if any(times > 1 for times in Counter(sids).values()):
        yield "Statement IDs (SID) in a single policy must be unique."


def _without_actions(statements: list[Document]) -> str | None:
    missing = any(not values(one, "Action") for one in statements)
    return "Policy statement must contain actions." if missing else None


def _without_resources(statements: list[Document]) -> str | None:
    missing = any(not values(one, "Resource") for one in statements)
    return "Policy statement must contain resources." if missing else None


def _resource_problems(statements: list[Document], partition: str) -> Iterator[str]:
    for statement in statements:
        for resource in values(statement, "Resource"):
            problem = None if resource is None else resource_problem(resource, partition)
            if problem is not None:
                yield problem


def _action_problems(statements: list[Document]) -> Iterator[str]:
    for action in (action for statement in statements for action in values(statement, "Action")):
        vendor, colon, operation = str(action).partition(":")
        if not colon and action != "*":
            yield "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
        elif ":" in operation:
            yield "Actions/Condition can contain only one colon."
        elif colon and ("*" in vendor or "?" in vendor):
            yield "Action vendors (e.g., aws, ec2, etc.) must not contain wildcards."
        elif colon and not _VENDOR.fullmatch(vendor):
            yield f"Vendor {vendor} is not valid"
