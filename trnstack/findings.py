"""What is wrong with an environment, and the one place where that is put into words for people and machines."""

import difflib
import enum
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Where in the data something stands: keys and list positions from the top, such as ``("node_groups", 0, "name")``.
Path = tuple[str | int, ...]

#: Nothing that is meant for a key or a choice is longer, and comparing grows with the length.
_LONGEST_GUESSED = 100


class Severity(enum.StrEnum):
    """How much a finding matters: an error stops everything, a warning asks for a decision, a note only tells."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, or worth knowing, about an environment.

    Attributes:
        code: The rule's code, such as ``EFA001``; never reused for another rule.
        path: Where it is in the data.
        message: What is wrong, in lower case without a full stop, with the value and what is allowed.
        hint: The change to make, in the same form; empty where there is none.
        severity: How much it matters.
        file: The file as the person named it; empty until the finding is located.
        line: The line in it, from 1; 0 where no line is known.
        column: The column in that line, from 1; 0 where none is known.
        suppressed: The reason with which a comment in the file silences it; empty as a rule, and always for an error.
    """

    code: str
    path: Path
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    file: str = ""
    line: int = 0
    column: int = 0
    suppressed: str = ""


class InvalidEnvironmentError(Exception):
    """An environment can't be used; carries every finding, not the first one.

    Attributes:
        findings: All findings, at least one of them an error.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(render(findings))
        self.findings = tuple(findings)


def has_errors(findings: Iterable[Finding]) -> bool:
    """Tells whether one of the findings forbids to go on."""
    return any(finding.severity is Severity.ERROR for finding in findings)


def did_you_mean(value: str, choices: Iterable[str], *, likeness: float = 0.6) -> str:
    """Returns ``did you mean '...'?`` with the choice that is most like the value; empty where none is like it."""
    if len(value) > _LONGEST_GUESSED:
        return ""
    by_lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(value.lower(), by_lower, n=1, cutoff=likeness)
    return f"did you mean '{by_lower[close[0]]}'?" if close else ""


def dotted(path: Path) -> str:
    """Returns a path as people read it, such as ``node_groups[0].capacity.type``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def render(findings: Iterable[Finding]) -> str:
    """Returns findings as text, one line each with its hint on the next, in the order in which they are given.

    ``environments/x.yaml:8:20: node_groups[0].instance_type: CAT001 unknown instance type 'trn2.48xlrge'``

    What a comment in the file silences is left out.
    """
    lines = []
    for finding in findings:
        if finding.suppressed:
            continue
        place = (str(number) for number in (finding.line, finding.column) if number)
        where = ":".join([finding.file, *place])
        start = ": ".join(part for part in (where, dotted(finding.path)) if part)
        label = "" if finding.severity is Severity.ERROR else f"{finding.severity}: "
        lines.append(f"{start}: {finding.code} {label}{finding.message}")
        if finding.hint:
            lines.append(f"  hint: {finding.hint}")
    return "\n".join(map(_printable, lines))


def _printable(line: str) -> str:
    """Returns a line in which nothing that a file holds can move a terminal's cursor or break the output."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)


def to_json(findings: Iterable[Finding]) -> str:
    """Returns findings as a JSON list of objects with file, line, column, path, code, severity, message and hint.

    One that a comment in the file silences has its reason as ``suppressed`` besides.
    """
    rows = [
        {
            "file": finding.file,
            "line": finding.line,
            "column": finding.column,
            "path": dotted(finding.path),
            "code": finding.code,
            "severity": str(finding.severity),
            "message": finding.message,
            "hint": finding.hint,
            **({"suppressed": finding.suppressed} if finding.suppressed else {}),
        }
        for finding in findings
    ]
    return as_json(rows)


def as_json(value: object) -> str:
    """Returns a value as JSON that is valid UTF-8, whatever texts it holds."""
    # A lone half of a surrogate pair, which YAML can spell, is no UTF-8; its escape is the same value to JSON.
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")


def summary(findings: Sequence[Finding]) -> str:
    """Returns a count such as ``2 errors, 1 warning, 3 ignored``, or ``no findings``."""
    shown = [finding for finding in findings if not finding.suppressed]
    counts = [(kind, sum(finding.severity is kind for finding in shown)) for kind in Severity]
    parts = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts if count] or ["no findings"]
    ignored = len(findings) - len(shown)
    return ", ".join([*parts, f"{ignored} ignored"] if ignored else parts)
