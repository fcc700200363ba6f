"""``trnstack plan``."""

import json

import pytest

from trnstack.environment import plan_file
from trnstack.plan import to_json


class TestText:
    def test_has_every_section_in_order(self, run, locked):
        """The text goes from what is to be built to why."""
        answer = run("plan", locked)
        titles = [line for line in answer.stdout.splitlines() if line and not line.startswith(" ")]

        assert answer.code == 0
        assert titles == [
            "Environment llama3-8b",
            "Stacks, in the order in which they are deployed",
            "First deploy: an estimate, by what third parties measured and AWS documents, from the least to the most",
            "Network",
            "Cluster llama3-8b",
            "Add-ons",
            "Node group trn1",
            "Quotas that the environment needs at its largest, in vCPUs",
            "Storage",
            "Checkpoints",
            "In the cluster (llama3-8b-kubernetes)",
            "Jobs",
            "Queue",
            "Tags",
            "Decisions",
            "Not built yet: on by default, and not there",
        ]

    @pytest.mark.parametrize(
        "line",
        [
            "  region              us-east-2",
            "  1  llama3-8b-network     VPC, subnets, endpoints and security groups",
            "  nodes-use2-az3   10.0.32.0/19  use2-az3      8,187            584",
            "  one stack after another  49 min (24 to 125)",
            "    10 min (8 to 16)    cluster     EKS control plane",
            "  API endpoint         private",
            "  nodes             32 x trn1.32xlarge in use2-az3",
            "  EFA               8 interfaces, 800 Gbit/s a node",
            "  L-2C3B7624  Running On-Demand Trn instances  ",
            "  each node offers  16 Neuron devices, 32 NeuronCores",
            "  taints            aws.amazon.com/neuron=present:NoSchedule",
            "  placement group   the stack's own",
            "    throughput       1,200 MB/s (250 MB/s per TiB)",
            "    association      /fsx/checkpoints <-> s3://llama3-8b-checkpoints-ACCOUNT-us-east-2/",
            "    on deletion      retained with its data",
            "  team                  research",
            "  node_groups[0].efa: 8 EFA interfaces",
        ],
    )
    def test_shows(self, run, locked, line):
        """What people ask of a plan stands in it, in columns."""
        assert line in [shown[: len(line)] for shown in run("plan", locked).stdout.splitlines()]

    def test_has_no_trailing_blanks(self, run, locked):
        """Aligned columns leave nothing behind a line's last word."""
        assert all(line == line.rstrip() for line in run("plan", locked).stdout.splitlines())

    def test_findings_that_are_no_errors_go_to_stderr(self, run, example):
        """A warning is told beside the plan, not in it."""
        file = example(("node_count: 32", "node_count: 32\n    efa: false"))
        run("lock", "--offline", file)

        answer = run("plan", file)

        assert answer.code == 0
        assert "EFA002 warning: " in answer.stderr
        assert "EFA002" not in answer.stdout

    def test_what_is_lost_cannot_be_overlooked(self, run, example):
        """Storage that is deleted with its stack is shown as such."""
        file = example(("  lustre:\n", "  lustre:\n    removal_policy: destroy\n"))
        run("lock", "--offline", file)

        assert "    on deletion      DELETED WITH ITS DATA" in run("plan", file).stdout

    def test_a_fleet_that_may_grow(self, run, example):
        """A group with a smallest and a largest size shows both."""
        file = example(("node_count: 32", "min_count: 2\n    max_count: 32"))
        run("lock", "--offline", file)

        assert "  nodes             2 to 32 x trn1.32xlarge in use2-az3" in run("plan", file).stdout

    def test_without_file_system(self, run, example):
        """An environment without Lustre says so."""
        text = example().read_text()
        lustre = text[text.index("storage:") : text.index("training:")]
        file = example((lustre, ""))
        run("lock", "--offline", file)

        assert "  file system        none" in run("plan", file).stdout


class TestNotBuilt:
    #: Everything that is on by default and not there.
    OFF = "kubernetes: {cloudwatch_observability: false}"

    def test_what_is_on_by_default_is_listed(self, run, locked):
        """What check has no finding for, since nobody asked for it, is told by the plan."""
        last = run("plan", locked).stdout.partition("Not built yet: ")[2]

        assert "  kubernetes.cloudwatch_observability " in last
        assert "  observability.checkpoint_freshness_intervals " in last

    def test_what_is_off_is_not(self, run, example):
        """What a file switches off is not missed."""
        file = example(("neuron:\n", f"{self.OFF}\nneuron:\n"))
        run("lock", "--offline", file)

        last = run("plan", file).stdout.partition("Not built yet: ")[2]

        assert "kubernetes." not in last
        assert "observability." in last


class TestJson:
    def test_is_the_plan_and_its_time(self, run, locked):
        """Programs get the plan that templates are made from, and how long its first deploy takes."""
        answer = run("plan", "--json", locked)
        data = json.loads(answer.stdout)
        first_deploy = data.pop("first_deploy")

        assert (answer.code, answer.stderr) == (0, "")
        assert data == json.loads(to_json(plan_file(locked)))
        assert data["plan_version"] == 1
        assert [stack["name"] for stack in first_deploy["stacks"]] == [stack["name"] for stack in data["stacks"]]
        assert first_deploy["one_after_another"]["low"] < first_deploy["one_after_another"]["likely"]


class TestErrors:
    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_leave_stdout_empty(self, run, example, options):
        """Without a plan nothing can be mistaken for one: findings go to stderr and the exit code is 1."""
        answer = run("plan", *options, example(("trn1.32xlarge\n", "trn1.32xlrge\n")))

        assert (answer.code, answer.stdout) == (1, "")
        assert "CAT001" in answer.stderr
        assert answer.stderr.splitlines()[-1].startswith("1 error")

    def test_missing_lock(self, run, example):
        """Nothing is planned without pins."""
        answer = run("plan", example())

        assert answer.code == 1
        assert "IMG001" in answer.stderr
