"""Comments by which a person silences a warning or a note, with the reason: ``# trnstack: ignore[NET003] ...``.

A comment stands on the line of what it silences, or alone on a line above it. An error can't be silenced. What is
silenced stays in the list of findings with its reason, and is left out only where people read.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from trnstack.findings import Finding, Severity, did_you_mean
from trnstack.source import Mark, Source

if TYPE_CHECKING:
    from trnstack.rules.reference import Checked

_IGNORE = re.compile(r"#\s*trnstack:\s*ignore\b(?:\s*\[(?P<codes>[^\]]*)\])?\s*:?\s*(?P<reason>.*)")
#: Far above what a person writes; what is beyond silences nothing, and is not told either.
_MOST = 1000
_FORM = "# trnstack: ignore[CODE] and the reason"
#: What to do about an ignore that silences nothing. Beside an error a rule may have nothing to go by, as where the
#: nodes that train are of an unknown type.
_IDLE = "remove {code} from the ignore"
_IDLE_BESIDE_ERRORS = "correct the errors first, which may hide it; where it stays idle, remove {code} from the ignore"


@dataclass(frozen=True, slots=True)
class _Ignore:
    """A comment that silences.

    Attributes:
        codes: What it silences.
        reason: Why; empty where the person did not say.
        mark: Where it stands.
        line: The line whose findings it silences.
    """

    codes: tuple[str, ...]
    reason: str
    mark: Mark
    line: int


def with_suppressions(findings: Sequence[Finding], source: Source, *, dated: bool, with_lock: bool) -> list[Finding]:
    """Returns the findings, those that a comment silences with its reason, and what is wrong with such comments.

    SPEC030: it has no code or no reason. SPEC031: a code is unknown. SPEC032: it stands at an error. SPEC033: it
    silences nothing.

    Args:
        findings: What was found in the file, located.
        source: The file.
        dated: Whether the rules that need a time were called; only then can a comment for one of them be idle.
        with_lock: The same of the rules that look at the lock.
    """
    ignores = list(islice(_ignores(source), _MOST))
    if not ignores:
        return list(findings)
    by_line: dict[int, list[Finding]] = {}
    for finding in findings:
        by_line.setdefault(finding.line, []).append(finding)
    called = _called(dated=dated, with_lock=with_lock)
    idle = _IDLE_BESIDE_ERRORS if any(_stops_rules(finding) for finding in findings) else _IDLE
    wrong = (each for ignore in ignores for each in _mistakes(ignore, by_line.get(ignore.line, ()), called, idle))
    located = [dataclasses.replace(finding, file=source.file) for finding in islice(wrong, _MOST)]
    reasons = {(ignore.line, code): ignore.reason for ignore in ignores if ignore.reason for code in ignore.codes}
    silenced = [_silenced(finding, reasons) for finding in findings]
    return sorted([*silenced, *located], key=lambda finding: (finding.line, finding.column))


def _silenced(finding: Finding, reasons: Mapping[tuple[int, str], str]) -> Finding:
    reason = reasons.get((finding.line, finding.code), "")
    if not reason or finding.severity is Severity.ERROR:
        return finding
    return dataclasses.replace(finding, suppressed=reason)


def _ignores(source: Source) -> Iterator[_Ignore]:
    for comment in source.comments:
        found = _IGNORE.search(comment.text)
        if found:
            codes = tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", found["codes"] or ""))))
            yield _Ignore(codes, found["reason"].strip(), comment.mark, comment.line)


def _called(*, dated: bool, with_lock: bool) -> "frozenset[Checked]":
    from trnstack.rules.reference import Checked  # noqa: PLC0415 - reads docstrings, for such comments alone

    made = {Checked.ALWAYS: True, Checked.AT_A_TIME: dated, Checked.WITH_LOCK: with_lock, Checked.PREFLIGHT: True}
    return frozenset(when for when, was_called in made.items() if was_called)


def _stops_rules(finding: Finding) -> bool:
    """Tells whether a finding may keep a rule from finding anything: an error that is not about the lock."""
    return finding.severity is Severity.ERROR and not finding.code.startswith("IMG")


def _mistakes(ignore: _Ignore, here: Sequence[Finding], called: "frozenset[Checked]", idle: str) -> Iterator[Finding]:
    from trnstack.rules.reference import codes  # noqa: PLC0415 - as above

    if not ignore.codes or not ignore.reason:
        what = "names no code" if not ignore.codes else "has no reason"
        yield _mistake("SPEC030", ignore, f"this ignore {what}", f"write {_FORM}")
    known = codes()
    for code in ignore.codes:
        matches = [finding for finding in here if finding.code == code]
        if code not in known:
            hint = did_you_mean(code, known) or "see the codes with: trnstack rules"
            yield _mistake("SPEC031", ignore, f"unknown code '{code}'", hint)
        elif any(finding.severity is Severity.ERROR for finding in matches):
            yield _mistake("SPEC032", ignore, f"an error can't be ignored: {code}", "correct it, and remove the ignore")
        elif not matches and known[code] in called:
            message = f"nothing to ignore: no {code} is found on line {ignore.line}"
            yield _mistake("SPEC033", ignore, message, idle.format(code=code), Severity.WARNING)


def _mistake(code: str, ignore: _Ignore, message: str, hint: str, severity: Severity = Severity.ERROR) -> Finding:
    place = ignore.mark
    return Finding(
        code=code, path=(), message=message, hint=hint, severity=severity, line=place.line, column=place.column
    )
