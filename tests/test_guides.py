"""The pages for newcomers say what the toolkit does now: stacks, counts and commands."""

import json
import re

import yaml

from tests.conftest import GOLDEN, ROOT
from trnstack.cli.diff import FAILED
from trnstack.cli.job import MISSED
from trnstack.plan.repair import REPLACED_REASONS

README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST_JOB = (ROOT / "docs" / "first-job.md").read_text(encoding="utf-8")
KUBERNETES = (ROOT / "docs" / "kubernetes.md").read_text(encoding="utf-8")
EXAMPLE = "llama3-8b-trn1"
_COUNT = re.compile(r"^ {13}(llama3-8b-\S+) +(\d+) resources? ", re.MULTILINE)


def resources() -> dict[str, int]:
    """Returns how many resources each stack of the example has, by its golden templates."""
    return {
        file.name.removesuffix(".template.json"): len(json.loads(file.read_text(encoding="utf-8"))["Resources"])
        for file in (GOLDEN / EXAMPLE).glob("*.template.json")
    }


def printed(start: str, end: str) -> str:
    """Returns a part of what the rehearsal prints, by what it begins with and what comes after it."""
    return README.split(f"\nRehearsal of {EXAMPLE}.yaml")[1].split(start)[1].split(end)[0]


class TestRehearsalInReadme:
    def test_deploy(self):
        """Every stack is deployed, with as many resources as it has, and so many charts as there are."""
        found = _COUNT.findall(printed("cdk deploy --all", "What stands"))

        assert {name: int(count) for name, count in found} == resources()
        assert len(found) == len(resources())

    def test_destroy(self):
        """What is taken down are the stacks without data, with as many resources as they were deployed with."""
        destroyed = printed("Taking it down", "\n```").split("cdk destroy ")[1:]
        found = {name: int(count) for part in destroyed for name, count in _COUNT.findall(part.split("cdk deploy")[0])}
        refused = {part.split(":")[0] for part in destroyed if "refused" in part.splitlines()[0]}

        assert found == {name: count for name, count in resources().items() if name not in refused}
        assert refused == {"llama3-8b-network", "llama3-8b-storage"}

    def test_charts(self):
        """The charts that stand are those of the lock, in its versions."""
        lock = json.loads((ROOT / "environments" / f"{EXAMPLE}.lock.json").read_text(encoding="utf-8"))
        found = re.findall(
            r"^│  │  [├└]─ (\S+) +(v?[\d.]+) +namespace", printed("├─ charts", "node groups"), re.MULTILINE
        )

        assert dict(found) == {name: pin["version"] for name, pin in lock["charts"].items()}


class TestCommandsInReadme:
    def test_exit_codes(self):
        """Every status with which a command ends is explained."""
        (text,) = re.findall(r"^Exit codes: .*?\n\n", README, re.MULTILINE | re.DOTALL)

        assert {int(code) for code in re.findall(r"\b\d\b", text)} == {0, 1, 2, FAILED, MISSED}

    def test_start(self):
        """A job is started by what starts it a second time too, as in the guide that follows."""
        (start,) = re.findall(r"^start\(\) \{ (.*); \}$", FIRST_JOB, re.MULTILINE)

        assert f"--kind smoke | {start}\n" in README
        assert "kubectl create" not in README

    def test_one_name(self):
        """The steps to one's own account speak of one environment."""
        steps = README.split("## To your own account")[1].split("## Commands")[0]

        assert "mine-cluster" in steps
        assert "llama3-8b" not in steps


class TestFirstJob:
    def test_way_in(self):
        """The guide leads its own example, whose endpoint is private and which names no network, to the cluster."""
        environment = yaml.safe_load((ROOT / "environments" / f"{EXAMPLE}.yaml").read_text(encoding="utf-8"))
        template = json.loads((GOLDEN / EXAMPLE / "llama3-8b-cluster.template.json").read_text(encoding="utf-8"))
        first = FIRST_JOB.split("## 2. ")[0]

        assert "client_cidrs" not in environment.get("network", {})
        assert environment["eks"].get("endpoint_access", "private") == "private"
        assert all(f"`{output}`" in first for output in ("KubeconfigCommand", "TunnelCommand"))
        assert template["Outputs"]["KubeconfigCommand"]["Value"] in first
        assert "localPortNumber=8443" in template["Outputs"]["TunnelCommand"]["Value"]
        assert "--server https://127.0.0.1:8443 --tls-server-name" in first

    def test_order(self):
        """An account is bootstrapped after its lock is there, and before the first deploy."""
        places = [FIRST_JOB.index(f"\n{command} ") for command in ("trnstack lock", "cdk bootstrap", "cdk deploy")]

        assert places == sorted(places)


class TestSourcesOfAlarms:
    TABLE = KUBERNETES.split("## Where trouble shows")[1].split("\n## ")[0]

    def test_devices(self):
        """Each reason for which a node is replaced is among them."""
        assert all(f"`{reason}`" in self.TABLE for reason in REPLACED_REASONS)

    def test_every_part(self):
        """Devices, nodes, queues and checkpoints have theirs, and the page names where it is from."""
        for word in (
            "AcceleratedHardwareReady",
            "health.issues",
            "kueue_pending_workloads",
            "AgeOfOldestQueuedMessage",
        ):
            assert word in self.TABLE
        assert "\nSource: " in self.TABLE
