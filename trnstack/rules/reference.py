"""Every check in words, for ``trnstack rules``, docs/rules.md and code-review tools: one list, whoever shows it."""

import enum
import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from trnstack.rules import DATED_RULES, RULES
from trnstack.rules.pins import LOCK_RULES
from trnstack.rules.preflight import PREFLIGHT_CHECKS
from trnstack.rules.reading import READING_CHECKS

#: Subjects whose names are not written as ordinary words.
_NAMES = {
    "clients": "Clients of the API endpoint",
    "dated": "Dates",
    "efa": "EFA",
    "eks": "EKS",
    "existing_vpc": "Existing VPC",
    "private": "Private networks",
    "shape": "The file as a whole",
    "unbuilt": "Not built yet",
}


class Checked(enum.StrEnum):
    """When a check is made."""

    ALWAYS = "always"
    WITH_LOCK = "beside the lock"
    AT_A_TIME = "with --at TIME"
    PREFLIGHT = "by preflight, not yet built"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A check in words.

    Attributes:
        code: The code of its findings; empty while nothing makes the check.
        rule: What holds.
        why: What that means and why it matters; paragraphs are lines.
        source: What says so.
        subject: The heading under which it stands.
        checked: When it is checked.
    """

    code: str
    rule: str
    why: str
    source: str
    subject: str
    checked: Checked


def descriptions() -> tuple[Description, ...]:
    """Returns every check: of reading, the rules, those of the lock, those of a time, and what needs the account."""
    return (
        *_listed("Reading", READING_CHECKS, Checked.ALWAYS),
        *(_described(rule, Checked.ALWAYS) for rule in RULES),
        *(_described(rule, Checked.WITH_LOCK) for rule in LOCK_RULES),
        *(_described(rule, Checked.AT_A_TIME) for rule in DATED_RULES),
        *_listed("Left to preflight", PREFLIGHT_CHECKS, Checked.PREFLIGHT),
    )


@functools.cache
def codes() -> Mapping[str, Checked]:
    """Returns every code and when it is checked."""
    return MappingProxyType({each.code: each.checked for each in descriptions() if each.code})


def introduction(subject: str) -> str:
    """Returns the sentence that says what a subject's rules are about; empty for one that is no module of rules."""
    rules: tuple[Callable[..., Any], ...] = (*RULES, *LOCK_RULES, *DATED_RULES)
    for rule in rules:
        if _subject(rule) == subject:
            return joined((sys.modules[rule.__module__].__doc__ or "").partition("\n\n")[0])
    return ""


def _listed(subject: str, checks: tuple[Any, ...], checked: Checked) -> Iterator[Description]:
    for each in checks:
        code = getattr(each, "code", "")
        yield Description(code=code, rule=each.rule, why=each.why, source=each.source, subject=subject, checked=checked)


def _described(rule: Callable[..., Any], checked: Checked) -> Description:
    text, _, source = (inspect.getdoc(rule) or "").partition("Source:")
    code, _, why = text.partition(":")
    return Description(
        code=code.strip(),
        rule=rule.__name__.replace("_", " "),
        why=joined(why),
        source=joined(source),
        subject=_subject(rule),
        checked=checked,
    )


def _subject(rule: Callable[..., Any]) -> str:
    module = rule.__module__.rpartition(".")[2]
    return _NAMES.get(module, module.replace("_", " ").capitalize())


def joined(text: str) -> str:
    """Returns a docstring's paragraphs as one line each, without its markup for code."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.replace("``", "`").strip().split("\n\n"))
