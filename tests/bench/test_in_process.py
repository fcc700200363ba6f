"""What the benchmarks of the embedded AWS are made of: templates of node groups, edits, a measure of the machine."""

import json

import pytest

from bench import deploys, in_process
from bench.environments import FILE
from bench.measure import ROOT, BenchError
from bench.node_groups import template


class TestTemplate:
    def test_node_groups(self):
        """There are as many node groups as were asked for, and the largest fits into a stack."""
        types = [each["Type"] for each in json.loads(template(400))["Resources"].values()]

        assert types.count("AWS::EKS::Nodegroup") == 400
        assert len(types) <= 500


class TestEdit:
    def test_of_the_example(self):
        """The edit is one line more of the environment."""
        text = (ROOT / FILE).read_text(encoding="utf-8")

        assert deploys._edited(text).splitlines() != text.splitlines()
        assert len(deploys._edited(text).splitlines()) == len(text.splitlines()) + 1

    def test_another_file(self):
        """An example that was changed is told, and not measured without its edit."""
        with pytest.raises(BenchError, match="has changed"):
            deploys._edited("name: other\n")


class TestMemory:
    def test_of_this_process(self):
        """Memory is that of this process alone, in MiB."""
        found = in_process._resident_mib()

        assert found is None or 10 < found < 100_000
