"""Every field case of ``cases.yaml`` is kept by a test whose docstring begins with its id, or waits for a feature."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from trnstack.rules import RULES
from trnstack.rules.pins import LOCK_RULES
from trnstack.rules.reading import READING_CHECKS

TESTS = Path(__file__).parent
REGISTRY = yaml.safe_load((TESTS / "cases.yaml").read_text(encoding="utf-8"))
PAGE = TESTS.parent / "docs" / "cases.md"
CASES = {case: tuple(words) for cases in REGISTRY["areas"].values() for case, words in cases.items()}
#: The cases whose behaviour belongs to a feature that does not exist yet, by that feature.
WAITING: dict[str, str] = REGISTRY["waiting"]

_ID = r"[A-Z0-9]+-\d{2}"
#: ``EFA-02: ...``, or several: ``NRN-01, AMI-03: ...``; ``NET-03, for ...`` says of which part.
_IDS = re.compile(rf"({_ID}(?:, {_ID})*)[:,] ")
_CODE = re.compile(r"\b(?:CAT|EFA|NET|CAP|FSX|BKT|IMG|NEU|EKS|K8S|TRN|COST|SPEC)\d{3}\b")


def told(tree: ast.AST) -> Iterator[str]:
    """Yields the ids with which the docstrings of a file's tests, and of its classes of tests, begin."""
    for node in ast.walk(tree):
        is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        is_class = isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        if is_test or (is_class and any(isinstance(inner, ast.FunctionDef) for inner in node.body)):
            match = _IDS.match(ast.get_docstring(node) or "")
            yield from match[1].split(", ") if match else ()


def kept() -> dict[str, set[str]]:
    """Returns the files whose tests keep each case."""
    found: dict[str, set[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for case in told(ast.parse(file.read_text(encoding="utf-8"))):
            found.setdefault(case, set()).add(str(file.relative_to(TESTS)))
    return found


def page() -> str:
    """Returns docs/cases.md."""
    lines = [
        "# What went wrong for others, and what trnstack does about it",
        "",
        "Each case is one that people ran into who provision Trainium, EFA, FSx and EKS. A code is a rule of",
        "`trnstack check`, explained by `trnstack rules`; all else is how plans and templates are made. A test keeps",
        "each case that does not wait for a feature.",
    ]
    for area, cases in REGISTRY["areas"].items():
        lines += ["", f"## {area}", "", "| case | what went wrong | what trnstack does |", "|---|---|---|"]
        for case, (title, answer) in cases.items():
            lines.append(f"| {case} | {title} | {answer or f'nothing yet: it belongs to {WAITING[case]}'} |")
    return "\n".join(lines) + "\n"


class TestCases:
    def test_each_is_tested_or_waits(self):
        """A case without a test stands in ``waiting``, and no other case does."""
        untested = set(CASES) - set(kept())

        assert untested == set(WAITING), "a test's docstring begins with the case's id; or the case waits for a feature"

    def test_none_is_unknown(self):
        """An id in a test's docstring is a case of the registry: none is misspelt, none is left from before."""
        assert {case: files for case, files in kept().items() if case not in CASES} == {}

    def test_words(self):
        """Each case says what went wrong; what trnstack does is said of all but those that wait."""
        assert all(title for title, _ in CASES.values())
        assert {case for case, (_, answer) in CASES.items() if not answer} == set(WAITING)

    def test_codes(self):
        """A rule that a case names exists."""
        codes = {(rule.__doc__ or "").partition(":")[0] for rule in (*RULES, *LOCK_RULES)} | {
            check.code for check in READING_CHECKS
        }
        named = {code for _, answer in CASES.values() for code in _CODE.findall(answer)}

        assert named <= codes

    def test_no_case_twice(self):
        """A case stands in one area."""
        assert len(CASES) == sum(map(len, REGISTRY["areas"].values()))

    def test_page(self, request):
        """docs/cases.md is what the registry says; ``--update-golden`` brings it up to date."""
        if request.config.getoption("--update-golden"):
            PAGE.write_text(page(), encoding="utf-8")

        assert PAGE.read_text(encoding="utf-8") == page(), "stale: pytest tests/test_cases.py --update-golden"


class TestTold:
    def test_finds_ids_where_docstrings_begin(self):
        """Ids count at the start of a test's docstring, several of them too, and nowhere else."""
        tree = ast.parse(
            'class TestA:\n    """NET-03: a."""\n    def test_b(self):\n        """EFA-02, EFA-03: b."""\n'
            'def test_c():\n    """As in EFA-05: c."""\ndef helper():\n    """EFA-06: d."""\n'
            'class TestEmpty:\n    """EFA-07: e."""\n'
        )

        assert list(told(tree)) == ["NET-03", "EFA-02", "EFA-03"]
