"""The templates in full: what changes in a template is read in a review, however it came about."""

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "golden"
_WIDTH = 118


def pretty(value: Any, *, indent: int = 0, room: int = 0) -> str:
    """Returns JSON in which everything that fits on a line has one line.

    Args:
        value: What is written.
        indent: How far the lines after the first are set in.
        room: The columns of the first line that are taken already.
    """
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(flat) + room + indent <= _WIDTH:
        return flat
    inner = indent + 2
    if isinstance(value, list):
        lines = [pretty(each, indent=inner) for each in value]
    else:
        keys = {key: f"{json.dumps(key, ensure_ascii=False)}: " for key in value}
        lines = [f"{keys[key]}{pretty(each, indent=inner, room=len(keys[key]) + 1)}" for key, each in value.items()]
    pad, opening, closing = " " * inner, *("[]" if isinstance(value, list) else "{}")
    return f"{opening}\n{pad}" + f",\n{pad}".join(lines) + f"\n{' ' * indent}{closing}"


def own(template: dict[str, Any]) -> dict[str, Any]:
    """Returns a template without the parameter and the rule by which CDK checks its bootstrap stack."""
    parameters = {key: made for key, made in template["Parameters"].items() if key != "BootstrapVersion"}
    sections = {section: content for section, content in template.items() if section not in {"Parameters", "Rules"}}
    return {**sections, **({"Parameters": parameters} if parameters else {})}


class TestTemplates:
    def test_are_the_golden_ones(self, templates, environment_name, golden):
        """Nothing in a template changes unseen."""
        for stack, template in templates[environment_name].items():
            golden(f"{environment_name}/{stack}.template.json", pretty(own(template)) + "\n")

    def test_have_nothing_beside_what_golden_files_show(self, every):
        """Golden files leave out CDK's bootstrap check and nothing else."""
        for template in every.values():
            assert "BootstrapVersion" in template["Parameters"]
            assert list(template["Rules"]) == ["CheckBootstrapVersion"]

    def test_golden_files_belong_to_a_stack(self, templates):
        """A golden file whose stack is gone is gone too."""
        expected = {f"{name}/{stack}.template.json" for name, stacks in templates.items() for stack in stacks}

        assert {str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/*.template.json")} == expected

    def test_golden_files_are_json(self):
        """The layout that makes golden files short keeps their content."""
        sample = {"empty": {}, "list": ["x" * 60, {"y" * 50: ["ü", None, 1.5, True]}], "text": 'a "b"\n'}

        assert json.loads(pretty(sample)) == sample
