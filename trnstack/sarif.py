"""Findings in SARIF 2.1.0, which code-review tools read.

Source: OASIS Standard, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.13 to 3.52.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from trnstack.findings import Finding, as_json, dotted
from trnstack.rules.reference import Checked, Description, descriptions

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_WORD = re.compile(r"[A-Za-z0-9]+")
#: The name ends with the version of how the fingerprint is made, as SARIF asks (3.27.17).
_FINGERPRINT = "trnstackFinding/v1"


def to_sarif(findings: Sequence[Finding], *, version: str) -> str:
    """Returns findings as a SARIF log of one run.

    Args:
        findings: The findings of all files; those that a comment silences are marked as suppressed.
        version: trnstack's own version.
    """
    checks = [each for each in descriptions() if each.code]
    places = {each.code: index for index, each in enumerate(checks)}
    seen: Counter[tuple[str, str, str]] = Counter()
    run = {
        "tool": {"driver": {"name": "trnstack", "semanticVersion": version, "rules": [_rule(each) for each in checks]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, places, seen) for finding in findings],
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(check: Description) -> dict[str, Any]:
    when = "" if check.checked is Checked.ALWAYS else f"\n\nChecked {check.checked}."
    return {
        "id": check.code,
        "name": "".join(word.capitalize() for word in _WORD.findall(check.rule.replace("'", ""))),
        "shortDescription": {"text": f"{check.rule[0].upper()}{check.rule[1:]}."},
        "fullDescription": {"text": check.why},
        "help": {"text": f"{check.why}\n\nSource: {check.source}{when}"},
        "properties": {"tags": [check.subject]},
    }


def _result(finding: Finding, places: dict[str, int], seen: Counter[tuple[str, str, str]]) -> dict[str, Any]:
    path = dotted(finding.path)
    hint = f"\nHint: {finding.hint}" if finding.hint else ""
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": str(finding.severity),
        "message": {"text": f"{path}: {finding.message}{hint}" if path else f"{finding.message}{hint}"},
        "locations": [_location(finding, path)],
        "partialFingerprints": {_FINGERPRINT: _fingerprint((finding.code, _uri(finding.file), path), seen)},
    }
    if finding.suppressed:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.suppressed}]
    return result


def _location(finding: Finding, path: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line:
        physical["region"] = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
    location: dict[str, Any] = {"physicalLocation": physical}
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": path}]
    return location


def _uri(file: str) -> str:
    """Returns a file's URI: relative where the person named it so, which is how review tools find it again."""
    path = PurePath(file)
    text = quote(os.fsencode(path.as_posix()))
    if path.is_absolute():
        return f"file://{'' if text.startswith('/') else '/'}{text}"
    # A first step with a colon would be read as a scheme; quote has replaced it.
    return text


def _fingerprint(identity: tuple[str, str, str], seen: Counter[tuple[str, str, str]]) -> str:
    """Returns what a finding is known by when lines move: its code, file and path, and its place among equals."""
    seen[identity] += 1
    text = "\0".join((*identity, str(seen[identity])))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
