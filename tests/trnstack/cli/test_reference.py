"""``trnstack rules`` and ``trnstack schema``."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

import trnstack
from trnstack import source
from trnstack.rules import DATED_RULES, RULES
from trnstack.rules.pins import LOCK_RULES
from trnstack.rules.preflight import PREFLIGHT_CHECKS
from trnstack.rules.reading import READING_CHECKS

ROOT = Path(__file__).parents[3]
ENVIRONMENTS = sorted((ROOT / "environments").glob("*.yaml"))
PAGE, SCHEMA = ROOT / "docs" / "rules.md", ROOT / "docs" / "environment.schema.json"


def _plain(file: Path) -> dict:
    """Returns a file's data as JSON has it."""
    return json.loads(json.dumps(source.read(file).data, default=str))


class TestRules:
    def test_json_has_every_rule_with_everything(self, run):
        """Each check of reading and each rule appears once, in order, with code, proposition, reason and source."""
        rows = json.loads(run("rules", "--json").stdout)

        names = [check.rule for check in READING_CHECKS]
        names += [rule.__name__.replace("_", " ") for rule in (*RULES, *LOCK_RULES, *DATED_RULES)]
        coded = [row for row in rows if row["code"]]
        assert [row["rule"] for row in coded] == names
        assert len({row["code"] for row in coded}) == len(coded)
        assert all(list(row) == ["code", "rule", "why", "source", "subject", "checked"] for row in rows)
        assert all(text for row in coded for text in row.values())

    def test_json_says_when(self, run):
        """Rules that need a time say so, and so does what only the account can answer, which has no code."""
        rows = json.loads(run("rules", "--json").stdout)

        assert [row["rule"] for row in rows if row["checked"] == "with --at TIME"] == [
            rule.__name__.replace("_", " ") for rule in DATED_RULES
        ]
        left = [row for row in rows if row["checked"] == "by preflight, not yet built"]
        assert [row["rule"] for row in left] == [check.rule for check in PREFLIGHT_CHECKS]
        assert not any(row["code"] for row in left)
        assert all(row["why"] and row["source"] for row in left)

    def test_text_is_aligned(self, run):
        """Below a rule's code stand only blanks, so that codes can be looked up by eye."""
        answer = run("rules")

        assert answer.code == 0
        for row in answer.stdout.strip().split("\n\n"):
            first, *rest = row.splitlines()
            code, _, proposition = first.partition("  ")
            assert proposition
            assert rest
            assert all(line.startswith(" " * (len(code) + 2)) for line in rest)

    def test_page_is_current(self, run):
        """docs/rules.md is what the rules say."""
        assert PAGE.read_text() == run("rules", "--markdown").stdout, (
            "docs/rules.md is stale: trnstack rules --markdown > docs/rules.md"
        )

    def test_one_form_at_a_time(self, run):
        """Two forms at once are wrong usage."""
        assert run("rules", "--markdown", "--json").code == 2


class TestSchema:
    @pytest.fixture
    def validator(self, run) -> jsonschema.Draft202012Validator:
        schema = json.loads(run("schema").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        return jsonschema.Draft202012Validator(schema)

    @pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
    def test_accepts_every_environment(self, validator, file):
        """An editor with the schema finds nothing wrong with the files that trnstack accepts."""
        validator.validate(_plain(file))

    @pytest.mark.parametrize(
        "change",
        [{"regoin": "us-east-2"}, {"name": "a" * 40}, {"schema_version": 2}, {"account": 111122223333}],
        ids=lambda change: next(iter(change)),
    )
    def test_refuses_what_the_format_refuses(self, validator, change):
        """An editor shows unknown keys and values of the wrong form."""
        assert not validator.is_valid({**_plain(ENVIRONMENTS[0]), **change})

    def test_says_what_it_is(self, validator):
        """The schema names its own version, has no address of its own, and tells what may be left out."""
        schema = validator.schema

        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert "$id" not in schema
        assert schema["required"] == [
            "schema_version",
            "name",
            "region",
            "availability_zone_ids",
            "eks",
            "neuron",
            "node_groups",
        ]
        assert schema["$defs"]["Lustre"]["properties"]["storage_gib"]["default"] == 4800

    def test_copy_is_current(self, run):
        """The copy that editors read, by the line with which an environment starts, is what the reader takes."""
        assert SCHEMA.read_text() == run("schema").stdout, (
            "docs/environment.schema.json is stale: trnstack schema > docs/environment.schema.json"
        )

    def test_is_stable(self, run):
        """The same program prints the same schema."""
        assert run("schema").stdout == run("schema").stdout


class TestReadingChecks:
    def test_every_code_of_reading_is_listed(self):
        """A code that reading reports can be looked up, and no code is listed that nothing reports."""
        package = Path(trnstack.__file__).parent
        files = [
            *(package / "source").glob("*.py"),
            package / "environment.py",
            package / "charts.py",
            package / "suppressions.py",
            package / "spec" / "load.py",
        ]
        reported = {code for file in files for code in re.findall(r'"((?:SPEC|IMG)\d{3})"', file.read_text("utf-8"))}

        assert {check.code for check in READING_CHECKS} == reported
