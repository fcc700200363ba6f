"""Which calls a role's policies allow, as far as that can be told from the names of the calls.

Source: IAM user guide, "Policy evaluation logic": what no policy allows is denied, and what one denies is. On which
resources, and under which conditions, a statement allows a call is not looked at, and nor are the policies of AWS that
the embedded AWS has not been given: the answer is a refusal only where it is certain.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rehearsal.overlays.trust import listed, statements


def allows(role: Any, action: str) -> bool:
    """Says whether a role may call an operation on anything at all.

    Args:
        role: moto's record of the role.
        action: The call as IAM names it, such as ``eks:UpdateNodegroupConfig``.
    """
    documents = list(_documents(role))
    if None in documents:
        return True
    told = [one for document in documents if document is not None for one in statements(document)]
    about = [one for one in told if _is_about(one, action)]
    denied = any(one.get("Effect") == "Deny" and not one.get("Condition") and _is_of_all(one) for one in about)
    return not denied and any(one.get("Effect") == "Allow" for one in about)


def _documents(role: Any) -> Iterator[str | Mapping[str, Any] | None]:
    """Yields the documents of a role's policies, its own and the attached ones; None for one that is not known."""
    yield from role.policies.values()
    for policy in role.managed_policies.values():
        yield getattr(policy, "document", None)


def _is_about(statement: Mapping[str, Any], action: str) -> bool:
    if "NotAction" in statement:
        return not _is_named(statement["NotAction"], action)
    return _is_named(statement.get("Action", []), action)


def _is_named(patterns: Any, action: str) -> bool:
    return any(fnmatchcase(action.lower(), str(pattern).lower()) for pattern in listed(patterns))


def _is_of_all(statement: Mapping[str, Any]) -> bool:
    return "*" in listed(statement.get("Resource", []))
