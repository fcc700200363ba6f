"""``trnstack catalog``: the tables, one type in full, and JSON."""

import dataclasses
import json
import subprocess
import sys

import pytest

from trnstack.catalog import CHIPS, INSTANCE_TYPES, KUBERNETES_VERSIONS, ULTRASERVERS, InstanceType
from trnstack.catalog.traps import NEVER_TRUSTED


@pytest.fixture
def sections(run):
    """The sections of what the command prints, by their headings."""

    def call(*arguments):
        answer = run("catalog", *arguments)
        assert (answer.code, answer.stderr) == (0, "")
        parts = (section.splitlines() for section in answer.stdout.rstrip("\n").split("\n\n"))
        return {first: rest for first, *rest in parts}

    return call


class TestTables:
    def test_every_row_is_there(self, sections):
        """Each type stands in every table of types, each chip, UltraServer and Kubernetes version in its own."""
        found = sections()

        for heading in ("Instance types", "Network", "Capacity"):
            assert {line.split()[0] for line in found[heading]} >= set(INSTANCE_TYPES)
        assert {line.split()[0] for line in found["Chips"]} >= set(CHIPS)
        assert {line.split()[0] for line in found["UltraServers"]} >= set(ULTRASERVERS)
        assert {line.split()[0] for line in found["Kubernetes versions on EKS"]} >= set(KUBERNETES_VERSIONS)
        for row in INSTANCE_TYPES.values():
            for region, zone_ids in row.availability_zone_ids.items():
                wanted = f"{region} {', '.join(zone_ids)}"
                assert any(" ".join(line.split()).endswith(wanted) for line in found["Availability zones"])

    @pytest.mark.parametrize("arguments", [(), ("--sources",), *((name,) for name in INSTANCE_TYPES)], ids=str)
    def test_width(self, run, arguments):
        """Nothing is wider than 100 columns, and no line ends in blanks or holds a colour where none is seen."""
        for line in run("catalog", *arguments).stdout.splitlines():
            assert len(line) <= 100
            assert line == line.rstrip()
            assert "\033" not in line

    def test_device_memory_and_cores(self, sections):
        """The figures that the API gets wrong are the hardware's: 96 GiB a chip, 128 cores of which jobs see 64."""
        (line,) = (line for line in sections()["Instance types"] if "trn2.48xlarge" in line)

        assert line.split()[:8] == ["trn2.48xlarge", "trainium2", "16", "128", "64", "1,536", "192", "2,048"]

    def test_bandwidths_that_disagree(self, sections):
        """Where the cards' bandwidth is not the advertised one, both are there; where it is, it is said once."""
        lines = {line.split()[0]: line.split() for line in sections()["Network"]}

        assert lines["trn2.3xlarge"][5:7] == ["200", "50"]
        assert lines["trn2.48xlarge"][5:7] == ["3,200", "same"]

    def test_prices(self, sections):
        """A list price stands beside the day on which it was read; where AWS publishes none, none is invented."""
        capacity = sections()["Capacity"]
        prices = {line.split()[0]: line.split()[-1] for line in capacity}

        assert (prices["trn1.32xlarge"], prices["trn2.48xlarge"]) == ("21.5", "none")
        assert "2026-07-20" in capacity[-1]

    def test_traps_are_told_with_their_rows(self, sections):
        """A row of which the API is wrong bears a number, under which it is said what is wrong."""
        found = sections()
        notes = " ".join(" ".join(found["What the EC2 API gets wrong"]).split())

        for trap in NEVER_TRUSTED:
            assert trap.reason in notes
        marked = {
            line.split()[0] for table in ("Instance types", "Network") for line in found[table] if line[-1:].isdigit()
        }
        assert marked & set(INSTANCE_TYPES) >= {name for trap in NEVER_TRUSTED for name in trap.types}
        assert not [line for line in found["Instance types"] if "trn1" in line and line.split()[-1] != "GB"]

    def test_sources(self, sections):
        """On demand every row's source is there, with the day on which it was read."""
        text = " ".join(" ".join(sections("--sources")["Sources"]).split())

        for row in (*INSTANCE_TYPES.values(), *CHIPS.values(), *ULTRASERVERS.values(), *KUBERNETES_VERSIONS.values()):
            assert f"{row.fact.source}; read on {row.fact.read_on}" in text
        assert "Sources" not in sections()

    def test_what_is_unconfirmed_says_so(self, sections):
        """A support date that AWS's own documentation was not read for is marked."""
        marked = {line.split()[0] for line in sections()["Kubernetes versions on EKS"] if "unconfirmed" in line}

        assert marked == {
            minor for minor, row in KUBERNETES_VERSIONS.items() if row.fact.source.startswith("Unconfirmed")
        }


class TestOneType:
    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    def test_is_told_in_full(self, sections, name):
        """One type's page has its zones, its ways to be had, its own traps, and where all of it comes from."""
        found = sections(name)
        page = " ".join(" ".join(found[name]).split())
        row = INSTANCE_TYPES[name]

        assert f"{row.neuron_devices} x {row.chip}" in page
        assert all(zone_id in page for zone_ids in row.availability_zone_ids.values() for zone_id in zone_ids)
        assert ", ".join(row.usage_classes) in page
        assert ("What the EC2 API gets wrong" in found) == any(name in trap.types for trap in NEVER_TRUSTED)
        assert "Sources" in found

    def test_show_may_be_left_out(self, run):
        """The name alone is enough, and the word show changes nothing."""
        assert run("catalog", "trn2.48xlarge") == run("catalog", "show", "trn2.48xlarge")

    def test_misspelt(self, run):
        """A misspelt name is answered with the one that was meant, on stderr, as wrong usage."""
        answer = run("catalog", "trn2.48xlrge")

        assert (answer.code, answer.stdout) == (2, "")
        assert answer.stderr == "unknown instance type 'trn2.48xlrge'\n  hint: did you mean 'trn2.48xlarge'?\n"

    def test_nothing_alike(self, run):
        """A name that is like none is answered with all of them."""
        assert "use one of trn1.2xlarge, trn1.32xlarge" in run("catalog", "p5.48xlarge").stderr

    def test_trn3(self, run):
        """A trn3 name is no slip: AWS has published none, and the environment file states what is known of it."""
        answer = run("catalog", "trn3.48xlarge")

        assert answer.code == 2
        assert "instance_facts" in answer.stderr


class TestJson:
    def test_everything(self, run):
        """JSON holds all rows with all fields and sources, and what follows from them."""
        data = json.loads(run("catalog", "--json").stdout)

        assert [row["name"] for row in data["instance_types"]] == list(INSTANCE_TYPES)
        assert [row["name"] for row in data["chips"]] == list(CHIPS)
        assert [row["name"] for row in data["ultraservers"]] == list(ULTRASERVERS)
        assert [row["minor"] for row in data["kubernetes_versions"]] == list(KUBERNETES_VERSIONS)
        assert len(data["never_trusted"]) == len(NEVER_TRUSTED)
        for row in data["instance_types"]:
            assert set(row) >= {field.name for field in dataclasses.fields(InstanceType)}
            assert row["fact"]["read_on"] == "2026-11-30"
        (trn2,) = (row for row in data["instance_types"] if row["name"] == "trn2.48xlarge")
        assert (trn2["physical_cores"], trn2["logical_cores"], trn2["device_memory_gib"]) == (128, 64, 1536)
        assert data["list_prices"]["read_on"] == "2026-07-20"

    def test_one_type(self, run):
        """One type's JSON has its chip in full, and its own traps alone."""
        data = json.loads(run("catalog", "trn2u.48xlarge", "--json").stdout)

        assert (data["name"], data["chip"]["memory_gib"]) == ("trn2u.48xlarge", 96)
        assert [trap["field"] for trap in data["never_trusted"]] == ["NeuronInfo"]


@pytest.mark.cli
def test_loads_no_client_of_aws():
    """Showing the catalog loads neither AWS's clients nor CDK: only refresh asks anybody."""
    script = (
        "import sys; from trnstack.cli import main; code = main(['catalog', 'trn1.2xlarge']); "
        "print(code, *sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, *modules = done.stderr.split()

    assert code == "0"
    assert not set(modules) & {"boto3", "botocore", "moto", "aws_cdk", "account", "rehearsal", "stacks", "infra"}
