"""Whatever a file holds, checking it ends soon, without a traceback, and with findings that point into it."""

import datetime as dt
import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trnstack.environment import check_file
from trnstack.findings import render, to_json
from trnstack.sarif import to_sarif
from trnstack.source import MAXIMUM_BYTES, MAXIMUM_ENTRIES, parse

ENVIRONMENTS = [path.read_text() for path in sorted((Path(__file__).parents[2] / "environments").glob("*.yaml"))]
BASE = next(text for text in ENVIRONMENTS if "name: llama3-8b\n" in text)
HEAD, _, TAIL = BASE.partition("  - name: trn1\n    instance_type: trn1.32xlarge\n    node_count: 32\n")
AT = dt.datetime(2027, 3, 1, tzinfo=dt.UTC)
#: A guard against input that takes forever, in processor time, and no measure: alone, the worst of these takes 0.6 s,
#: but in a process that holds everything that the other tests made, a few times that.
MOST_SECONDS = 20.0
EXAMPLES = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def checked(folder, content):
    """Runs a file through everything that ``check`` does, in all its forms, and returns its findings."""
    file = folder / "x.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    started = time.process_time()
    findings = check_file(file, at=AT).findings
    text, rows, log = render(findings), json.loads(to_json(findings)), json.loads(to_sarif(findings, version="1"))
    taken = time.process_time() - started
    assert taken < MOST_SECONDS
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(rows) == len(log["runs"][0]["results"]) == len(findings)
    lines = max(len(file.read_bytes().splitlines()), 1)
    for finding in findings:
        assert finding.file == str(file)
        assert 0 <= finding.line <= lines
        assert finding.code
        assert finding.message
    return findings


#: Values that mean something to some reader of YAML, JSON, CIDRs, ARNs or times.
SCALARS = st.one_of(
    st.sampled_from(
        [
            *("", "~", "null", "yes", "true", "0", "-1", "1.30", "1e400", "-1e-400", ".nan", "-.inf", "9" * 39, "0x1F"),
            *("0o17", "011", "2027-03-01", "2027-03-01T11:30:00Z", "9999-12-31T23:59:59-23:59", "'", '"', "|", ">"),
            *("*a", "&a", "!!str 1", "! 1", "{", "[", "{}", "[]", "[[]]", "{a: }", "? ", "- ", "@", "`", "%", "#"),
            *("0.0.0.0/0", "10.0.0.0/33", "999.1.1.1/8", "10.0.0.0/0", "use2-az3", "arn:aws:iam::1:role/x", "auto"),
            *("arn:aws:iam::111122223333:role/a", "trn2u.48xlarge", "trn3.1xlarge", "m7i.large", "capacity_block"),
        ]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.text(max_size=20).map(json.dumps),
    st.text(max_size=20),
)


@st.composite
def mutated(draw):
    """An environment in which a few lines are dropped, doubled, moved, indented or given another value."""
    lines = draw(st.sampled_from(ENVIRONMENTS)).splitlines()
    for _ in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(lines) - 1))
        line = lines[place]
        key, colon, _ = line.partition(":")
        lines[place : place + 1] = draw(
            st.one_of(
                st.just([]),
                st.just([line, line]),
                st.just([f"  {line}"]),
                st.just([line.lstrip()]),
                SCALARS.map(lambda value, key=key, colon=colon: [f"{key}{colon} {value}"]),
                SCALARS.map(lambda value, line=line: [f"{line} {value}"]),
                SCALARS.map(lambda value, line=line: [line, value]),
                st.sampled_from(["# trnstack: ignore[CAT001, X] y", "  # trnstack: ignore[]"]).map(
                    lambda comment, line=line: [f"{line} {comment}", comment]
                ),
            )
        ) or [""]
    return "\n".join(lines)


def paths_in(value, path=()):
    """Yields the path of everything below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, tuple) else ()
    for step, inner in items:
        yield (*path, step)
        yield from paths_in(inner, (*path, step))


def with_value(value, path, new):
    """Returns a copy of data with another value in one place."""
    if not path:
        return new
    if isinstance(value, dict):
        return {key: with_value(each, path[1:], new) if key == path[0] else each for key, each in value.items()}
    return [with_value(each, path[1:], new) if index == path[0] else each for index, each in enumerate(value)]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(0, 10_000)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
DATA = [parse(text, "x.yaml").data for text in ENVIRONMENTS]
PLACES = [(data, path) for data in DATA for path in paths_in(data)]


class TestAnyInput:
    @given(mutated())
    @EXAMPLES
    def test_mutated_environments(self, tmp_path, text):
        """An environment with slips of every sort."""
        checked(tmp_path, text)

    @given(st.sampled_from(PLACES), JSON)
    @EXAMPLES
    def test_any_value_anywhere(self, tmp_path, place, value):
        """An environment with any value in any place; JSON is YAML."""
        data, path = place
        checked(tmp_path, json.dumps(with_value(data, path, value), default=str, ensure_ascii=False))

    @given(st.sampled_from(PLACES), st.integers(-5, 10_000_000) | st.floats(0, 1e8) | st.sampled_from([0, 1, 10**12]))
    @EXAMPLES
    def test_any_number_anywhere(self, tmp_path, place, value):
        """An environment with any number in any place, which the rules then reckon with."""
        data, path = place
        checked(tmp_path, json.dumps(with_value(data, path, value), default=str))

    @given(JSON)
    @EXAMPLES
    def test_random_yaml(self, tmp_path, value):
        """Any document is read or refused, and always has findings."""
        assert checked(tmp_path, json.dumps(value, ensure_ascii=False))

    @given(st.binary(max_size=300))
    @EXAMPLES
    def test_any_bytes(self, tmp_path, content):
        """So is what is no text at all."""
        assert checked(tmp_path, content)

    @given(st.text(st.characters(codec=None), min_size=1, max_size=3), st.sampled_from(["name", "region", "team"]))
    @EXAMPLES
    def test_every_character(self, tmp_path, text, key):
        """Characters of every class, halves of surrogate pairs among them, as a value and in a comment."""
        checked(tmp_path, f"# {text}\n{key}: {text}\n{BASE}")
        checked(tmp_path, f"{BASE}# {text}\ntags: {{a: {json.dumps(text)}}}\n")

    @pytest.mark.parametrize("point", [*range(0x20), 0x7F, 0x85, 0xA0, 0x200B, 0x202E, 0x2028, 0xFEFF, 0xFFFE, 0xE000])
    def test_control_characters(self, tmp_path, point):
        """Characters that a terminal or a reader might obey, one by one."""
        checked(tmp_path, BASE.replace("team: research", f"team: re{chr(point)}search"))


def repeated(unit, size=MAXIMUM_BYTES - 3000):
    return unit * (size // len(unit))


def groups(text):
    """An environment with as many node groups as a list may have."""
    return HEAD + "".join(text.replace("N", str(number)) for number in range(MAXIMUM_ENTRIES)) + TAIL


def lines(text, count=MAXIMUM_ENTRIES - 20):
    return "".join(text.replace("N", str(number)) for number in range(count))


def in_network(text):
    return BASE.replace("eks:\n", f"network:\n{text}eks:\n", 1)


RESERVED = "capacity_reservation_id: cr-0123456789abcdef0, instance_count: 1, availability_zone_id: use2-az3"
BLOCK = f"type: capacity_block, {RESERVED}, starts_at: 2027-03-01T11:30:00Z, ends_at: 2027-03-08T11:30:00Z"
GROUP = "  - {name: gN, instance_type: trn1.32xlarge, node_count: 1"
LARGE = {
    "10 MB": "a" * 10 * MAXIMUM_BYTES,
    "keys": "".join(f"k{number}: 1\n" for number in range(90_000)),
    "same key": repeated("a: 1\n"),
    "unknown keys": BASE + lines("nod_groupN: 1\n"),
    "unknown keys in groups": HEAD + ("  - {" + ", ".join(f"k{n}: 1" for n in range(45)) + "}\n") * 1000,
    "wrong values in groups": groups(GROUP + ", labels: {" + ", ".join(f"k{n}: 1" for n in range(40)) + "}}\n"),
    "groups": groups(GROUP + "}\n"),
    "same groups": groups(GROUP.replace("gN", "gg") + "}\n"),
    "groups in one reservation": groups(f"{GROUP}, capacity: {{type: capacity_reservation, {RESERVED}}}}}\n"),
    "groups in one block": groups(f"{GROUP}, capacity: {{{BLOCK}}}}}\n"),
    "empty groups": HEAD + "  - {}\n" * 1000,
    "same clients": in_network("  client_cidrs: [" + "172.16.0.0/16, " * 990 + "]\n"),
    "clients": in_network("  client_cidrs: [" + lines("10.1.N.0/32, ", 250) + "]\n"),
    "associations": BASE.replace(
        "      - {file_system_path: /checkpoints, bucket: checkpoints}\n", lines("      - {file_system_path: /cN/a}\n")
    ),
    "tags": BASE.replace("tags: {", "tags: {" + lines("aws:tN: x, ")),
    "labels": BASE.replace("node_count: 32\n", "node_count: 32\n    labels:\n" + lines("      lN: [x]\n")),
    "comments": BASE + repeated("#\n", 900_000),
    "ignores": BASE + repeated("# trnstack: ignore[NET003] x\n", 900_000),
    "codes to ignore": BASE + "# trnstack: ignore[" + lines("XN, ", 100_000) + "] x\n",
    "text": BASE.replace("name: llama3-8b\n", f"name: {'a' * 900_000}\n"),
    "key": BASE + "a" * 900_000 + ": 1\n",
    "number": BASE.replace("node_count: 32", f"node_count: {'9' * 900_000}"),
    "brackets": "a: " + "[" * 900_000,
    "blocks in blocks": repeated("- "),
    "questions": repeated("? "),
    "indentation": "".join(" " * depth + "a:\n" for depth in range(1300)),
    "anchors": "a: &a [" + "x, " * 900 + "]\n" + "".join(f"b{number}: *a\n" for number in range(900)),
    "bomb": "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
    "quotes": repeated("'"),
    "escapes": 'a: "' + repeated("\\x41") + '"',
    "line breaks": repeated("\r"),
    "documents": repeated("---\n"),
    "tabs": repeated("\t"),
}


class TestLargeInput:
    @pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
    def test_ends_soon(self, tmp_path, text):
        """What is as large, as deep or as often repeated as a file can hold takes seconds, not hours."""
        assert checked(tmp_path, text)

    @pytest.mark.parametrize("name", ["bomb", "anchors", "brackets", "10 MB", "keys"])
    def test_refused_as_a_whole(self, tmp_path, name):
        """What is beyond reason is one finding."""
        (finding,) = checked(tmp_path, LARGE[name])

        assert finding.code == "SPEC002"
        assert finding.hint

    def test_mistakes_beyond_count(self, tmp_path):
        """Of very many mistakes the first are told, and the number of the others."""
        findings = checked(tmp_path, LARGE["unknown keys in groups"])

        assert len(findings) == 1001
        assert "more values do not fit" in findings[-1].message
