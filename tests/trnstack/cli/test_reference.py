"""``trnstack rules`` and ``trnstack schema``."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

import trnstack
from trnstack import source
from trnstack.rules import RULES
from trnstack.rules.reading import READING_CHECKS

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


def _plain(file: Path) -> dict:
    """Returns a file's data as JSON has it."""
    return json.loads(json.dumps(source.read(file).data, default=str))


class TestRules:
    def test_json_has_every_rule_with_everything(self, run):
        """Each check of reading and each rule appears once, in order, with code, proposition, reason and source."""
        rows = json.loads(run("rules", "--json").stdout)

        names = [check.rule for check in READING_CHECKS] + [rule.__name__.replace("_", " ") for rule in RULES]
        assert [row["rule"] for row in rows] == names
        assert len({row["code"] for row in rows}) == len(rows)
        assert all(list(row) == ["code", "rule", "why", "source"] for row in rows)
        assert all(text for row in rows for text in row.values())

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

    def test_is_stable(self, run):
        """The same program prints the same schema."""
        assert run("schema").stdout == run("schema").stdout


class TestReadingChecks:
    def test_every_code_of_reading_is_listed(self):
        """A code that reading reports can be looked up, and no code is listed that nothing reports."""
        package = Path(trnstack.__file__).parent
        files = [package / "source.py", package / "environment.py", package / "spec" / "load.py"]
        reported = {code for file in files for code in re.findall(r'"((?:SPEC|IMG)\d{3})"', file.read_text("utf-8"))}

        assert {check.code for check in READING_CHECKS} == reported
