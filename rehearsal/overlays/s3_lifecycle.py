"""What S3 refuses of a bucket's lifecycle rules.

That an object had to be thirty days old before it might move to an infrequent-access class is no longer so.

Source: badmintoncryer/cdk-preflight, rules/s3/pf-s3-lifecycle-days-order, -rule-id-duplicate and -expiration-positive,
deploys of September 2026; S3 user guide, "Transitioning objects using Amazon S3 Lifecycle"; users who quote the code.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import listed

_INFREQUENT = ("STANDARD_IA", "ONEZONE_IA")
_ARCHIVES = ("GLACIER", "DEEP_ARCHIVE")
#: Days that an object stays in an infrequent-access class before a rule moves it on.
_DAYS_IN_INFREQUENT = 30


def check_lifecycle(rules: Sequence[Mapping[str, Any]]) -> None:
    """Refuses rules of one name, and a rule whose days are not in order.

    Args:
        rules: The rules as S3's API writes them in XML, each a mapping of element names.

    Raises:
        OverlayError: S3's ``InvalidArgument``.
    """
    names = Counter(rule["ID"] for rule in rules if rule.get("ID"))
    if any(times > 1 for times in names.values()):
        raise _invalid("Rule ID must be unique. Found same ID for more than one rule")
    for rule in rules:
        for problem in _problems(rule):
            raise _invalid(problem)


def _problems(rule: Mapping[str, Any]) -> Iterator[str]:
    moves = [(move["StorageClass"], int(move["Days"])) for move in listed(rule.get("Transition", [])) if "Days" in move]
    for kind, days in moves:
        for later, then in moves:
            if kind in _INFREQUENT and later in _ARCHIVES and then < days + _DAYS_IN_INFREQUENT:
                yield (
                    f"'Days' in the 'Transition' action for StorageClass '{later}' must be {_DAYS_IN_INFREQUENT} days "
                    f"more than the 'Transition' action for StorageClass '{kind}'"
                )
    expiration = (rule.get("Expiration") or {}).get("Days")
    if expiration is None:
        return
    if int(expiration) < 1:
        yield "'Days' for Expiration action must be a positive integer"
    if any(int(expiration) <= days for _, days in moves):
        prefix = _prefix(rule)
        yield (
            f"'Days' in the Expiration action for filter '(prefix={prefix})' must be greater than 'Days' in the "
            "Transition action"
        )


def _prefix(rule: Mapping[str, Any]) -> str:
    chosen = rule.get("Filter") or {}
    return str(chosen.get("Prefix") or (chosen.get("And") or {}).get("Prefix") or rule.get("Prefix") or "")


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidArgument", message)
