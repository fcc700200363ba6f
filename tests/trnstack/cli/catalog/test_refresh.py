"""``trnstack catalog refresh``: what it asks, what it prints, and its exit codes."""

import copy
import json
from pathlib import Path

import pytest
from moto import mock_aws

import trnstack
from account.catalog import Reading, ask, ec2_clients
from account.refusals import AccountError
from trnstack.catalog import INSTANCE_TYPES
from trnstack.cli.catalog.refresh import literal, report

REGIONS = sorted({region for row in INSTANCE_TYPES.values() for region in row.availability_zone_ids})


@pytest.fixture
def keys(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


@pytest.fixture(scope="module")
def known_reading():
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        return ask(ec2_clients(["ap-south-2", "us-east-2"]), told=lambda _: None)


@pytest.fixture
def changed(known_reading):
    """EC2's answers with a size, a zone, a new type and a trap changed."""
    answers = copy.deepcopy(known_reading.answers)
    ohio = answers["us-east-2"]
    ohio.records["trn1.32xlarge"]["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"] = 16
    ohio.zone_ids["trn2.48xlarge"] = ("use2-az3",)
    ohio.zone_ids["trn3.48xlarge"] = ("use2-az1",)
    devices = answers["ap-south-2"].records["trn2.48xlarge"]["NeuronInfo"]["NeuronDevices"]
    devices[0]["MemoryInfo"]["SizeInMiB"] = 98304
    return Reading(answers=answers, refused={})


class TestCommand:
    @pytest.mark.usefixtures("keys")
    def test_nothing_changed(self, run):
        """As EC2 is, the catalog stands: exit code 0, progress on stderr, one line on stdout; all its regions asked."""
        with mock_aws():
            answer = run("catalog", "refresh")

        assert (answer.code, answer.stdout) == (0, f"Nothing has changed in {len(REGIONS)} regions\n")
        assert {line.split()[3].rstrip(":") for line in answer.stderr.splitlines()} == set(REGIONS)

    @pytest.mark.usefixtures("keys")
    def test_chosen_regions(self, run):
        """Regions may be named, one with no Trainium among them, and only they are asked."""
        with mock_aws():
            answer = run("catalog", "refresh", "--region", "us-east-2", "--region", "eu-west-1", "--json")

        data = json.loads(answer.stdout)
        assert (answer.code, data["asked"], data["edits"]) == (0, ["eu-west-1", "us-east-2"], [])

    def test_unknown_region(self, run):
        """A misspelt region is answered before anybody is asked."""
        answer = run("catalog", "refresh", "--region", "us-eats-2")

        assert (answer.code, answer.stdout) == (2, "")
        assert "did you mean 'us-east-2'?" in answer.stderr

    def test_no_credentials(self, run):
        """Without credentials the reason is said once for all regions, with what to do, and nothing else."""
        answer = run("catalog", "refresh")

        assert (answer.code, answer.stdout) == (2, "")
        assert answer.stderr.count("there are no AWS credentials") == 1
        assert "hint: sign in" in answer.stderr

    def test_unknown_profile(self, run, monkeypatch):
        """A profile that does not exist is a sentence too."""
        monkeypatch.setenv("AWS_PROFILE", "nobody")
        answer = run("catalog", "refresh")

        assert answer.code == 2
        assert answer.stderr.startswith("AWS's configuration can't be used: the config profile (nobody)")


class TestReport:
    def test_changes(self, changed, capsys):
        """Each edit names file and line, what stands there and what EC2 says; new types and traps are told apart."""
        assert report(changed, as_json=False) == 1

        out = capsys.readouterr().out
        catalog = Path(trnstack.__file__).parent / "catalog" / "instance_types.py"
        lines = catalog.read_text(encoding="utf-8").splitlines()
        where = [line for line in out.splitlines() if "instance_types.py:" in line]
        assert [int(line.split(":")[1]) for line in where]
        assert "efa_interfaces=8" in lines[int(where[0].split(":")[1]) - 1]
        assert '"us-east-2"' in lines[int(where[1].split(":")[1]) - 1]
        assert "trn1.32xlarge: efa_interfaces\n    8 -> 16   (in us-east-2)" in out
        assert '("use2-az1", "use2-az2", "use2-az3") -> ("use2-az3",)   (in us-east-2)' in out
        assert "In no row yet\n  trn3.48xlarge\n    us-east-2: use2-az1" in out
        assert "NeuronInfo.NeuronDevices[].MemoryInfo.SizeInMiB\n    524288 -> 98304   (in ap-south-2)" in out
        assert out.endswith(
            "2 edits to make, 1 unknown type, 1 field to look at, from 2 regions; no file was changed\n"
        )

    def test_changes_nothing(self, changed, capsys):
        """No file of the catalog is touched."""
        folder = Path(trnstack.__file__).parent / "catalog"
        before = {path: path.read_bytes() for path in folder.glob("*.py")}
        report(changed, as_json=False)

        assert {path: path.read_bytes() for path in folder.glob("*.py")} == before
        assert capsys.readouterr().err == ""

    def test_json(self, changed, capsys):
        """JSON holds the same, with file and line of each edit."""
        assert report(changed, as_json=True) == 1

        data = json.loads(capsys.readouterr().out)
        first, second = data["edits"]
        assert (first["name"], first["field"], first["old"], first["new"]) == ("trn1.32xlarge", "efa_interfaces", 8, 16)
        assert first["file"].endswith("trnstack/catalog/instance_types.py")
        assert second["field"] == "availability_zone_ids[us-east-2]"
        assert second["line"] > first["line"] > 0
        assert data["unknown_types"] == [
            {"name": "trn3.48xlarge", "availability_zone_ids": {"us-east-2": ["use2-az1"]}}
        ]
        assert [(each["old"], each["new"]) for each in data["never_trusted"]] == [(524288, 98304)]

    def test_refused_region(self, known_reading, capsys):
        """A region without answer makes the exit code 2, and the others' answers are printed all the same."""
        refused = {"ap-southeast-4": AccountError("ap-southeast-4 is not enabled in the account", "enable it")}
        reading = Reading(answers=known_reading.answers, refused=refused)

        assert report(reading, as_json=False) == 2
        captured = capsys.readouterr()
        assert captured.out == "Nothing has changed in 2 regions\n"
        assert captured.err == "ap-southeast-4 is not enabled in the account\n  hint: enable it\n"

    def test_refused_in_json(self, known_reading, capsys):
        """JSON says which regions gave no answer, and why."""
        refused = {"us-west-2": AccountError("why", "what to do")}

        assert report(Reading(answers=known_reading.answers, refused=refused), as_json=True) == 2
        captured = capsys.readouterr()
        assert json.loads(captured.out)["refused"] == [{"region": "us-west-2", "message": "why", "hint": "what to do"}]
        assert "why (asked in us-west-2)" in captured.err


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "nothing"), ("a", '"a"'), (("a",), '("a",)'), (("a", "b"), '("a", "b")'), (200.0, "200.0"), (8, "8")],
)
def test_literal(value, text):
    """A value is spelled as a row spells it, so that it can be copied."""
    assert literal(value) == text
