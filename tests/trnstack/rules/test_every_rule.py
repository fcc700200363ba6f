"""What holds of all rules alike, so that a new one can't be added without its tests, its source and its form."""

import ast
import datetime as dt
import inspect
import re
from pathlib import Path

import pytest

from trnstack import rules
from trnstack.rules import DATED_RULES, RULES, check
from trnstack.rules.pins import LOCK_RULES

HERE = Path(__file__).parent
EVERY_RULE = (*RULES, *LOCK_RULES, *DATED_RULES)
NAMES = [rule.__name__ for rule in EVERY_RULE]
PREFIXES = {"CAT", "EFA", "NET", "CAP", "FSX", "BKT", "IMG", "NEU", "EKS", "K8S", "STO", "TRN", "COST", "SPEC"}
#: An ordinary word with a capital; names such as FSx, EKS or INTELLIGENT_TIERING have more than one.
CAPITALISED = re.compile(r"[A-Z]([a-z]|\s|$)(?!\w*[A-Z])")


def code_of(rule):
    return inspect.getdoc(rule).partition(":")[0]


def texts(function, name):
    """Returns the starts and ends of every literal text that a function gives to ``message`` or ``hint``."""
    tree = ast.parse(inspect.getsource(function))
    values = [word.value for word in ast.walk(tree) if isinstance(word, ast.keyword) and word.arg == name]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            values += [node.value]
    for value in values:
        parts = value.values if isinstance(value, ast.JoinedStr) else [value]
        if isinstance(parts[0], ast.Constant):
            yield "start", parts[0].value
        if isinstance(parts[-1], ast.Constant):
            yield "end", parts[-1].value


@pytest.mark.parametrize("rule", EVERY_RULE, ids=NAMES)
class TestEveryRule:
    def test_has_tests(self, rule):
        """A rule has a class of tests with its name, in the file that mirrors its module, for passing and failing."""
        module = rule.__module__.rpartition(".")[2]
        text = (HERE / f"test_{module}.py").read_text(encoding="utf-8")
        tree = ast.parse(text)
        name = "Test" + "".join(word.capitalize() for word in rule.__name__.split("_"))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]

        assert classes, f"tests/trnstack/rules/test_{module}.py has no class {name}"
        source = ast.get_source_segment(text, classes[0])
        assert "assert not list(" in source or "(not findings)" in source or "bool(findings)" in source, (
            "nothing passes"
        )
        assert "(finding,) =" in source or "for finding in findings" in source or "first, second =" in source, (
            "nothing fails"
        )

    def test_docstring(self, rule):
        """A rule's docstring starts with its code and ends with where the fact comes from."""
        text = inspect.getdoc(rule)
        code = re.match(r"([A-Z0-9]+?)(\d{3}): [A-Z]", text)

        assert code, text
        assert code[1] in PREFIXES
        assert re.search(r"\n\nSource: [^\n]+(\n[^\n]+)?\.?$", text), "the last paragraph is the source"

    def test_length(self, rule):
        """A rule is read at a glance."""
        lines = [line for line in inspect.getsource(rule).splitlines() if line.strip()]
        code = len(lines) - len(inspect.getdoc(rule).splitlines())

        assert code <= 36, f"{rule.__name__} has {code} lines of code"

    def test_is_listed_by_its_module(self, rule):
        """A rule stands in the RULES of the module in which it is written."""
        assert rule in inspect.getmodule(rule).RULES

    @pytest.mark.parametrize("name", ["message", "hint"])
    def test_wording(self, rule, name):
        """Messages and hints begin in lower case and end without a full stop."""
        for place, text in texts(rule, name):
            if place == "start":
                assert not CAPITALISED.match(text), text
            else:
                assert not text.rstrip().endswith("."), text


class TestRules:
    def test_codes_are_unique(self):
        """A code means one rule, for ever."""
        codes = [code_of(rule) for rule in EVERY_RULE]
        assert len(set(codes)) == len(codes)

    def test_every_function_is_listed(self):
        """No rule is written and forgotten: what has a code is in RULES."""
        for path in sorted(Path(rules.__file__).parent.glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and re.match(r"[A-Z0-9]+\d{3}:", ast.get_docstring(node) or ""):
                    assert node.name in NAMES, f"{path.name}: {node.name}"

    def test_codes_in_findings_are_the_rules_own(self):
        """A rule yields findings of its own code only."""
        for rule in EVERY_RULE:
            written = set(re.findall(r'code="([A-Z0-9]+\d{3})"', inspect.getsource(rule)))
            assert written <= {code_of(rule)}, rule.__name__


class TestCheck:
    def test_minimal_environment(self, environment):
        """The smallest environment has no finding at all."""
        assert not check(environment())

    def test_time(self, environment):
        """The rules that need a time are called when there is one, and only then."""
        late = dt.datetime(2035, 1, 1, tzinfo=dt.UTC)

        assert [finding.code for finding in check(environment(), at=late)] == ["EKS051"]

    def test_all_at_once(self, environment):
        """Everything that is wrong is told at once, in the order of the rules, errors and warnings alike."""
        found = check(
            environment(
                availability_zone_ids=["use2-az3", "use2-az3", "use1-az1"],
                network={"vpc_cidr": "8.8.8.0/24", "nat_gateways": 6, "interface_endpoints": ["s3"]},
                eks={"kubernetes_version": "1.10", "endpoint_access": "public_and_private", "control_plane_logs": []},
                neuron={"precision": "fp32", "environment": {"FI_PROVIDER": "tcp"}},
                node_group={"instance_type": "trn1n.32xlarge", "efa": False, "taints": [], "node_count": None},
                lustre={"storage_gib": 3000, "mount_path": "/etc"},
                checkpoints={"removal_policy": "destroy"},
                budget={"notify_at_percent": [90, 50]},
            )
        )
        order = [code_of(rule) for rule in RULES]
        positions = [order.index(finding.code) for finding in found]

        assert len({finding.code for finding in found}) >= 17
        assert positions == sorted(positions)
        for finding in found:
            assert not CAPITALISED.match(finding.message), finding.message
            assert not finding.message.endswith("."), finding.message

    def test_nothing_is_changed(self, environment):
        """Checking twice finds the same."""
        once = environment(lustre={"storage_gib": 1})
        assert check(once) == check(once)
