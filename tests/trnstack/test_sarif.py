"""SARIF 2.1.0, member by member: no package that we use carries the standard's own schema."""

import dataclasses
import json

import pytest

from trnstack.findings import Finding, Severity
from trnstack.rules.reference import codes
from trnstack.sarif import to_sarif

ERROR = Finding(
    code="CAT001",
    path=("node_groups", 0, "instance_type"),
    message="unknown instance type 'trn2.48xlrge'",
    hint="did you mean 'trn2.48xlarge'?",
    file="environments/bad file.yaml",
    line=8,
    column=5,
)
WARNING = Finding(code="EKS007", severity=Severity.WARNING, path=("eks",), message="x", file="a.yaml", line=2)
NOTE = Finding(code="SPEC094", severity=Severity.NOTE, path=(), message="y", file="a.yaml", line=3, column=1)


def run_of(*findings):
    """Returns the one run of a log."""
    log = json.loads(to_sarif(findings, version="1.2.3"))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return run


class TestRun:
    def test_tool(self):
        """The tool has its name and version, and counts columns in characters, as we do."""
        run = run_of()
        driver = run["tool"]["driver"]

        assert (driver["name"], driver["semanticVersion"]) == ("trnstack", "1.2.3")
        assert run["columnKind"] == "unicodeCodePoints"
        assert run["results"] == []

    def test_every_rule(self):
        """Every code is a rule with an id, a name that is an identifier, and texts that say what holds and why."""
        rules = run_of()["tool"]["driver"]["rules"]

        assert [rule["id"] for rule in rules] == list(codes())
        for rule in rules:
            assert rule["name"].isalnum()
            assert rule["shortDescription"]["text"].endswith(".")
            assert rule["fullDescription"]["text"]
            assert "\n\nSource: " in rule["help"]["text"]
            assert "helpUri" not in rule

    def test_rule_index(self):
        """A result's index leads to its rule."""
        run = run_of(ERROR, WARNING, NOTE)
        rules = run["tool"]["driver"]["rules"]

        assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["CAT001", "EKS007", "SPEC094"]
        assert [result["ruleId"] for result in run["results"]] == ["CAT001", "EKS007", "SPEC094"]


class TestResult:
    def test_error(self):
        """A result has level, message with hint, and a place whose file is a relative URI."""
        (result,) = run_of(ERROR)["results"]

        assert result["level"] == "error"
        assert result["message"]["text"] == (
            "node_groups[0].instance_type: unknown instance type 'trn2.48xlrge'\nHint: did you mean 'trn2.48xlarge'?"
        )
        assert result["locations"] == [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "environments/bad%20file.yaml"},
                    "region": {"startLine": 8, "startColumn": 5},
                },
                "logicalLocations": [{"fullyQualifiedName": "node_groups[0].instance_type"}],
            }
        ]

    def test_levels(self):
        """Severities are SARIF's levels."""
        assert [result["level"] for result in run_of(ERROR, WARNING, NOTE)["results"]] == ["error", "warning", "note"]

    def test_no_place(self):
        """A file that can't be read has no region, since lines count from 1."""
        (result,) = run_of(Finding(code="SPEC001", path=(), message="no such file", file="x.yaml"))["results"]

        assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "x.yaml"}}}]

    def test_suppressed(self):
        """What a comment silences stays, marked as silenced in the source with its justification."""
        (result,) = run_of(dataclasses.replace(WARNING, suppressed="a test"))["results"]

        assert result["suppressions"] == [{"kind": "inSource", "justification": "a test"}]
        assert "suppressions" not in run_of(WARNING)["results"][0]

    @pytest.mark.parametrize(
        ("file", "uri"),
        [
            ("/tmp/x.yaml", "file:///tmp/x.yaml"),  # noqa: S108 - a name, no file
            ("a:b.yaml", "a%3Ab.yaml"),
            ("ü.yaml", "%C3%BC.yaml"),
            ("\udcff.yaml", "%FF.yaml"),
        ],
    )
    def test_uri(self, file, uri):
        """Any file's name becomes a valid URI."""
        (result,) = run_of(dataclasses.replace(NOTE, file=file))["results"]

        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


class TestFingerprint:
    def prints(self, *findings):
        return [next(iter(result["partialFingerprints"].values())) for result in run_of(*findings)["results"]]

    def test_same_when_lines_move(self):
        """An edit elsewhere in the file makes no new finding of an old one."""
        assert self.prints(ERROR) == self.prints(dataclasses.replace(ERROR, line=80, column=1, message="other words"))

    def test_tells_findings_apart(self):
        """Two findings have two fingerprints, even of one code at one path."""
        others = [dataclasses.replace(ERROR, file="y"), dataclasses.replace(ERROR, path=("name",)), WARNING, ERROR]

        assert len(set(self.prints(ERROR, *others))) == 5
