"""What S3 refuses of a bucket's lifecycle rules.

That an object had to be thirty days old before it might move to an infrequent-access class is no longer so.

Source: badmintoncryer/cdk-preflight, rules/s3, pf-s3-lifecycle-*, ``meta.yaml``, deploys of September 2026; S3 user
guide, "Transitioning objects using Amazon S3 Lifecycle"; codes: localstack/localstack, tests/aws/services/s3/
test_s3.snapshot.json, noobaa/noobaa-core issue 8870 and users who quote them; of two classes alike, of days and dates
in one rule and of sizes the code is not published; go-to-k/cdkd pull request 1426, of versions that are not current.
That S3's schema wants a class of each transition is unconfirmed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.s3_settings import malformed_xml
from rehearsal.overlays.trust import listed

#: Classes in the order in which objects may move; those of one rank may not move to each other's.
_RANKS = {"STANDARD_IA": 0, "INTELLIGENT_TIERING": 1, "ONEZONE_IA": 2, "GLACIER_IR": 2, "GLACIER": 3, "DEEP_ARCHIVE": 4}
#: Days that an object stays in a class before a rule moves it on to an archive.
_DAYS_IN_CLASS = {"STANDARD_IA": 30, "ONEZONE_IA": 30, "GLACIER_IR": 90}
_MOVES = ("Transition", "NoncurrentVersionTransition")
_ARCHIVES = ("GLACIER", "DEEP_ARCHIVE")
_MIDNIGHT = ("T00:00:00Z", "T00:00:00.000Z", "T00:00:00+00:00")

Rule = Mapping[str, Any]


def check_lifecycle(rules: Sequence[Rule]) -> None:
    """Refuses rules of one name, and a rule whose days are not in order or whose parts don't go together.

    Args:
        rules: The rules as ``s3_documents`` reads them, each a mapping of element names.

    Raises:
        OverlayError: S3's ``InvalidArgument``, ``InvalidRequest`` or ``MalformedXML``.
    """
    names = Counter(rule["ID"] for rule in rules if rule.get("ID"))
    if any(times > 1 for times in names.values()):
        raise OverlayError("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule")
    for rule in rules:
        expiration = rule.get("Expiration") or {}
        if str(expiration.get("ExpiredObjectDeleteMarker")).lower() == "true" and len(expiration) > 1:
            raise malformed_xml()
        if any("StorageClass" not in move for name in _MOVES for move in rule.get(name, ())):
            raise malformed_xml()
        for problem in _filter_problems(rule):
            raise OverlayError("InvalidRequest", problem)
        for problem in _unlike(rule):
            raise OverlayError("InvalidRequest", problem)
        for problem in _day_problems(rule):
            raise OverlayError("InvalidArgument", problem)


def _filter_problems(rule: Rule) -> Iterator[str]:
    chosen = _chosen(rule)
    tags = [str(tag.get("Key")) for tag in listed(chosen.get("Tag", []))]
    if any(times > 1 for times in Counter(tags).values()):
        yield "Duplicate Tag Keys are not allowed."
    more, less = (chosen.get(f"ObjectSize{which}Than") for which in ("Greater", "Less"))
    if more and less and int(more) >= int(less):
        yield "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'."
    if "AbortIncompleteMultipartUpload" in rule:
        if tags:
            yield "AbortIncompleteMultipartUpload cannot be specified with Tags."
        if more or less:
            yield "AbortIncompleteMultipartUpload cannot be specified with Object Size."


def _unlike(rule: Rule) -> Iterator[str]:
    """Yields what is wrong with a rule that mixes what may not be mixed, or repeats what may not be repeated."""
    moves = listed(rule.get("Transition", []))
    classes = Counter(move.get("StorageClass") for move in moves)
    if any(times > 1 for times in classes.values()):
        yield f"'StorageClass' must be different for 'Transition' actions in same 'Rule' with {_for_filter(rule)}"
    told = {unit for action in (*moves, rule.get("Expiration") or {}) for unit in ("Date", "Days") if unit in action}
    if len(told) > 1:
        yield (
            "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule for "
            f"{_for_filter(rule)}"
        )


def _day_problems(rule: Rule) -> Iterator[str]:
    moves, expiration = listed(rule.get("Transition", [])), rule.get("Expiration") or {}
    if any("Date" in action and not str(action["Date"]).endswith(_MIDNIGHT) for action in (*moves, expiration)):
        yield "'Date' must be at midnight GMT"
    days = {move["StorageClass"]: int(move["Days"]) for move in moves if "Days" in move}
    for earlier, later in permutations(days, 2):
        yield from _order_problems(rule, earlier, later, days)
    if "Days" in expiration:
        if int(expiration["Days"]) < 1:
            yield "'Days' for Expiration action must be a positive integer"
        if any(int(expiration["Days"]) <= then for then in days.values()):
            yield (
                f"'Days' in the Expiration action for {_for_filter(rule)} must be greater than 'Days' in the "
                "Transition action"
            )
    yield from _old_version_problems(rule)
    abort = rule.get("AbortIncompleteMultipartUpload") or {}
    if int(abort.get("DaysAfterInitiation", 1)) < 1:
        yield "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer"


def _order_problems(rule: Rule, earlier: str, later: str, days: Mapping[str, int]) -> Iterator[str]:
    """Yields what is wrong with two moves, of which the second goes to the later class."""
    if _RANKS.get(earlier, 0) >= _RANKS.get(later, 0):
        return
    first = f"'Days' in the 'Transition' action for StorageClass '{later}'"
    last = f"'Transition' action for StorageClass '{earlier}'"
    if days[later] <= days[earlier]:
        yield f"{first} for {_for_filter(rule)} must be greater than 'Days' in the {last}"
    least = _DAYS_IN_CLASS.get(earlier, 0) if later in _ARCHIVES else 0
    if days[later] < days[earlier] + least:
        long = f"{first} for {_for_filter(rule)} must be {least} days more than '{_for_filter(rule)}' in the {last}"
        yield long if earlier == "GLACIER_IR" else f"{first} must be {least} days more than the {last}"


def _old_version_problems(rule: Rule) -> Iterator[str]:
    expiration = rule.get("NoncurrentVersionExpiration") or {}
    if "NoncurrentDays" not in expiration:
        return
    gone = int(expiration["NoncurrentDays"])
    if gone < 1:
        yield "'NoncurrentDays' for NoncurrentVersionExpiration action must be a positive integer"
    moves = listed(rule.get("NoncurrentVersionTransition", []))
    if any(gone <= int(move.get("NoncurrentDays", 0)) for move in moves):
        yield (
            "'NoncurrentDays' in the NoncurrentVersionExpiration action must be greater than 'NoncurrentDays' in the "
            "NoncurrentVersionTransition action"
        )


def _chosen(rule: Rule) -> Rule:
    """Gives what a rule's filter asks for, whether it is one thing or several."""
    chosen = rule.get("Filter") or {}
    return chosen.get("And") or chosen


def _for_filter(rule: Rule) -> str:
    return f"filter '(prefix={_chosen(rule).get('Prefix') or rule.get('Prefix') or ''})'"
