import dataclasses
import json

import pytest

from trnstack.findings import (
    Finding,
    InvalidEnvironmentError,
    Severity,
    did_you_mean,
    dotted,
    has_errors,
    render,
    summary,
    to_json,
)

ERROR = Finding(
    code="CAT001",
    path=("node_groups", 0, "instance_type"),
    message="unknown instance type 'trn2.48xlrge'",
    hint="did you mean 'trn2.48xlarge'?",
    file="environments/bad.yaml",
    line=8,
    column=5,
)
WARNING = Finding(code="EKS007", severity=Severity.WARNING, path=("eks",), message="no audit log")
NOTE = Finding(
    code="SPEC094", severity=Severity.NOTE, path=(), message="not built yet: kueue (the cluster stands without)"
)


class TestDotted:
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ((), ""),
            (("region",), "region"),
            (("node_groups", 0, "capacity", "type"), "node_groups[0].capacity.type"),
            (("a", 1, 2, "b"), "a[1][2].b"),
            (("tags", "aws:x"), "tags.aws:x"),
        ],
    )
    def test_form(self, path, text):
        """Keys are joined by dots, positions stand in brackets."""
        assert dotted(path) == text


class TestRender:
    def test_error_with_hint(self):
        """An error is one line with place, path, code and message, and its hint on the next."""
        assert render([ERROR]) == (
            "environments/bad.yaml:8:5: node_groups[0].instance_type: CAT001 unknown instance type 'trn2.48xlrge'\n"
            "  hint: did you mean 'trn2.48xlarge'?"
        )

    def test_severity(self):
        """Only what is no error says what it is."""
        assert render([WARNING]) == "eks: EKS007 warning: no audit log"

    def test_no_line(self):
        """A file that can't be read has no line, and none is made up."""
        finding = Finding(code="SPEC001", path=(), message="no such file", file="x.yaml")
        assert render([finding]) == "x.yaml: SPEC001 no such file"

    def test_suppressed(self):
        """What a comment silences is not shown to people."""
        assert render([dataclasses.replace(WARNING, suppressed="by design"), ERROR]) == render([ERROR])

    def test_order(self):
        """Findings come in the order in which they are given."""
        assert render([WARNING, ERROR]).index("EKS007") < render([WARNING, ERROR]).index("CAT001")

    def test_nothing(self):
        """Nothing is rendered as nothing."""
        assert render([]) == ""


class TestToJson:
    def test_fields(self):
        """A machine gets every field under its name, the path as people read it."""
        assert json.loads(to_json([ERROR])) == [
            {
                "file": "environments/bad.yaml",
                "line": 8,
                "column": 5,
                "path": "node_groups[0].instance_type",
                "code": "CAT001",
                "severity": "error",
                "message": "unknown instance type 'trn2.48xlrge'",
                "hint": "did you mean 'trn2.48xlarge'?",
            }
        ]

    def test_suppressed(self):
        """What a comment silences stays in the list, with the reason."""
        (row,) = json.loads(to_json([dataclasses.replace(WARNING, suppressed="by design")]))

        assert row["suppressed"] == "by design"

    def test_nothing(self):
        """No findings are an empty list, not nothing."""
        assert json.loads(to_json([])) == []

    def test_text_of_any_language(self):
        """Text stays readable."""
        assert "größer" in to_json([Finding(code="SPEC008", path=(), message="größer")])


class TestSummary:
    @pytest.mark.parametrize(
        ("findings", "text"),
        [
            ([], "no findings"),
            ([ERROR], "1 error"),
            ([ERROR, ERROR, WARNING], "2 errors, 1 warning"),
            ([NOTE, WARNING, NOTE], "1 warning, 2 notes"),
            ([NOTE, dataclasses.replace(WARNING, suppressed="by design")], "1 note, 1 ignored"),
            ([dataclasses.replace(WARNING, suppressed="by design")], "no findings, 1 ignored"),
        ],
    )
    def test_counts(self, findings, text):
        """The gravest come first, and what is absent is not counted."""
        assert summary(findings) == text


class TestHasErrors:
    @pytest.mark.parametrize(
        ("findings", "answer"), [([], False), ([WARNING, NOTE], False), ([NOTE, ERROR], True), ([ERROR], True)]
    )
    def test_answer(self, findings, answer):
        """Warnings and notes stop nothing."""
        assert has_errors(findings) is answer


class TestInvalidEnvironmentError:
    def test_carries_everything(self):
        """The exception has all findings, and reads like them."""
        error = InvalidEnvironmentError([ERROR, WARNING])

        assert error.findings == (ERROR, WARNING)
        assert str(error) == render([ERROR, WARNING])


class TestDidYouMean:
    @pytest.mark.parametrize(
        ("value", "choices", "hint"),
        [
            ("on-demand", ["on_demand", "spot"], "did you mean 'on_demand'?"),
            ("ssd", ["SSD", "HDD"], "did you mean 'SSD'?"),
            ("zzz", ["SSD", "HDD"], ""),
            ("x", [], ""),
            ("x" * 1000, ["x" * 1001], ""),
        ],
    )
    def test_hint(self, value, choices, hint):
        """Case does not matter, and far-fetched guesses are not made."""
        assert did_you_mean(value, choices) == hint

    def test_likeness(self):
        """A stricter likeness makes fewer guesses."""
        assert did_you_mean("p5.48xlarge", ["trn2.48xlarge"])
        assert not did_you_mean("p5.48xlarge", ["trn2.48xlarge"], likeness=0.9)
