"""What IAM, S3 and KMS share of the grammar of policies: elements, versions, condition operators and principals.

What each of them says to a mistake, and which mistakes it takes, differs: that stands beside each.

Source: IAM user guide, "Grammar of the IAM JSON policy language" and "IAM JSON policy elements: Condition operators".
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.overlays.trust import listed

VERSIONS = ("2012-10-17", "2008-10-17")
TOP_ELEMENTS = frozenset({"Version", "Id", "Statement"})
EFFECTS = ("Allow", "Deny")
#: Elements of a statement of which only one may be there.
PAIRS = (("Action", "NotAction"), ("Resource", "NotResource"), ("Principal", "NotPrincipal"))
STATEMENT_ELEMENTS = frozenset({"Sid", "Effect", "Condition", *(name for pair in PAIRS for name in pair)})

_ORDERS = ("Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals")
_OPERATORS = frozenset(
    {
        *(f"String{kind}" for kind in ("Equals", "NotEquals", "EqualsIgnoreCase", "NotEqualsIgnoreCase")),
        *("StringLike", "StringNotLike", "ArnEquals", "ArnNotEquals", "ArnLike", "ArnNotLike"),
        *(f"{kind}{order}" for kind in ("Numeric", "Date") for order in _ORDERS),
        *("Bool", "BinaryEquals", "IpAddress", "NotIpAddress"),
    }
)
_SET_PREFIX = re.compile(r"For(?:AllValues|AnyValue):")
#: A service's principal, in the partitions of which it is known under which names their services go.
_SERVICE = re.compile(r"[a-z0-9.-]+\.amazonaws\.com(?:\.cn)?")
_NAMED_PARTITIONS = ("aws", "aws-cn", "aws-us-gov")
#: An account: its number, which may have dashes. Source: IAM user guide, "AWS account principals".
_ACCOUNT = re.compile(r"\d{4}-?\d{4}-?\d{4}")
#: What a principal's ARN turns into when the principal is gone. Source: IAM user guide, "Unique identifiers".
_UNIQUE_ID = re.compile(r"A[A-Z0-9]{15,127}")
_PRINCIPAL_ARN = re.compile(
    r"arn:[a-z-]+:(?:iam::\d{12}:(?:root|(?:user|role)/[^*?\s]+)|sts::\d{12}:(?:assumed-role|federated-user)/[^*?\s]+)"
)


def read(text: str | bytes) -> Any:
    """Reads a document.

    Raises:
        ValueError: It is no JSON, or JSON within JSON further down than a policy can have.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("the document is nested too deeply") from error


def has(statement: Mapping[str, Any], element: str) -> bool:
    """Says whether a statement has an element or its negation, such as ``NotAction``."""
    return element in statement or f"Not{element}" in statement


def values(statement: Mapping[str, Any], element: str) -> list[Any]:
    """Gives what a statement says under an element and its negation."""
    return [*listed(statement.get(element, [])), *listed(statement.get(f"Not{element}", []))]


def base_operator(name: str) -> str | None:
    """Gives an operator without what may stand around it, such as ``StringLike``; None where there is none of the name.

    Source: also badmintoncryer/cdk-preflight, rules/iam, pf-iam-policy-condition-null-ifexists: ``Null`` takes
    no ``IfExists``.
    """
    plain = _SET_PREFIX.sub("", name, count=1)
    if plain == "Null":
        return plain
    plain = plain.removesuffix("IfExists")
    return plain if plain in _OPERATORS else None


def are_conditions(conditions: Any) -> bool:
    """Says whether what stands under ``Condition`` has its form: operators, keys, and what each is compared with."""
    return isinstance(conditions, Mapping) and all(
        isinstance(pairs, Mapping)
        and (base_operator(operator) is not None or not pairs)
        and all(isinstance(one, str | bool | int | float) for wanted in pairs.values() for one in listed(wanted))
        for operator, pairs in conditions.items()
    )


def conditions(statement: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """Yields a statement's conditions: operator, key and the values that it is compared with.

    What is not of their form is left out: not every service whose policies are read here looks at it.
    """
    told = statement.get("Condition")
    for operator, pairs in told.items() if isinstance(told, Mapping) else ():
        for key, wanted in pairs.items() if isinstance(pairs, Mapping) else ():
            yield operator, key, listed(wanted)


def principals(statement: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields whom a statement names, by kind and name; ``*`` alone is of the kind ``AWS``."""
    for element in ("Principal", "NotPrincipal"):
        named = statement.get(element, {})
        for kind, names in (named if isinstance(named, Mapping) else {"AWS": named}).items():
            for name in listed(names):
                yield kind, str(name)


def is_service(name: str, partition: str) -> bool:
    """Says whether a name has the form of a service's principal, in a partition whose forms are known."""
    return partition not in _NAMED_PARTITIONS or _SERVICE.fullmatch(name) is not None


def is_aws_principal(name: str) -> bool:
    """Says whether a name has the form of an AWS principal: anybody, an account, an ARN or a unique id."""
    forms = (_ACCOUNT, _PRINCIPAL_ARN, _UNIQUE_ID)
    return name == "*" or any(form.fullmatch(name) for form in forms)
