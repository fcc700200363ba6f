import datetime as dt
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from trnstack.findings import InvalidEnvironmentError, Severity, dotted, render, to_json
from trnstack.rules import check
from trnstack.source import Source, parse
from trnstack.spec import Environment
from trnstack.spec.load import load
from trnstack.spec.wording import ADVICE, ALLOWED

BASE = """\
schema_version: 1
name: demo
region: us-east-2
availability_zone_ids: [use2-az3, use2-az1]
eks:
  kubernetes_version: "1.35"
  admin_role_arns: [arn:aws:iam::111122223333:role/ml-platform-admin]
neuron:
  sdk: "2.30.0"
  framework: pytorch
node_groups:
  - name: trn1
    instance_type: trn1.32xlarge
    node_count: 2
"""
ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


def environment_of(text):
    return load(parse(text, "x.yaml"))


def refusals(text):
    """Returns the findings with which a text is refused."""
    with pytest.raises(InvalidEnvironmentError) as caught:
        environment_of(text)
    return caught.value.findings


def changed(old, new):
    assert BASE.count(old) == 1
    return BASE.replace(old, new)


class TestValid:
    def test_minimal(self):
        """The smallest file is an environment, whose other values are the format's defaults."""
        environment = environment_of(BASE)

        assert environment.network.vpc_cidr == "10.0.0.0/16"
        assert environment.eks.endpoint_access == "private"
        assert environment.node_groups[0].capacity.type == "on_demand"
        assert environment.storage.lustre is None

    @pytest.mark.parametrize("path", ENVIRONMENTS, ids=[path.name for path in ENVIRONMENTS])
    def test_shipped_environments(self, path):
        """The project's own environments are read without an error."""
        from trnstack.source import read

        assert not [finding for finding in check(load(read(path))) if finding.severity is Severity.ERROR]

    def test_defaults_are_valid(self):
        """What a person may leave out may also be written out: the format's defaults pass its own validation."""
        environment = environment_of(BASE)

        assert Environment.model_validate(environment.model_dump(exclude_unset=False)) == environment

    def test_capacity_block_times(self):
        """Times are read with their zone."""
        block = (
            "capacity: {type: capacity_block, capacity_reservation_id: cr-0123456789abcdef0, instance_count: 2, "
            "availability_zone_id: use2-az3, starts_at: 2027-03-01T11:30:00Z, ends_at: 2027-03-08T11:30:00+00:00}"
        )
        capacity = environment_of(BASE + f"    {block}\n").node_groups[0].capacity

        assert (capacity.ends_at - capacity.starts_at).days == 7


#: One slip each: text to replace, replacement, line, path, code, what the message has, what the hint has.
SLIPS = [
    ("node_count: 2", "node_cout: 2", 14, "node_groups[0].node_cout", "SPEC005", "node_cout", "'node_count'"),
    ("sdk:", "zzz: 1\n  sdk:", 9, "neuron.zzz", "SPEC005", "zzz", "known keys: sdk, framework"),
    ("region: us-east-2\n", "", 1, "region", "SPEC006", "key 'region' is missing", "add region: ..."),
    ("  framework: pytorch\n", "", 8, "neuron.framework", "SPEC006", "missing in neuron", "add framework"),
    ('"1.35"', "1.30", 6, "eks.kubernetes_version", "SPEC007", "1.30 is not a text", 'write it in quotes: "1.30"'),
    ('"1.35"', '"1.5"', 6, "eks.kubernetes_version", "SPEC008", "'1.5' is not a minor version", ""),
    ('"1.35"', "1.3", 6, "eks.kubernetes_version", "SPEC007", "1.3 is not a text", "write a minor version in quotes"),
    ('"2.30.0"', "2.30", 9, "neuron.sdk", "SPEC007", "2.30 is not a text", 'write it in full, in quotes: "2.30.0"'),
    ('"2.30.0"', '"2.31"', 9, "neuron.sdk", "SPEC008", "'2.31' is not a Neuron SDK", 'in full, in quotes: "2.31.1"'),
    ('"2.30.0"', "2.99", 9, "neuron.sdk", "SPEC007", "2.99 is not a text", "see the releases with: trnstack releases"),
    ("name: demo", "name: demo\naccount: 111122223333", 3, "account", "SPEC007", "111122223333", '"111122223333"'),
    ("name: demo", "name: demo\naccount: 011122223333", 3, "account", "SPEC007", "011122223333", '"011122223333"'),
    (
        "name: demo",
        'name: demo\naccount: "1111-2222-3333"',
        3,
        "account",
        "SPEC008",
        "twelve digits",
        "without hyphens",
    ),
    ("name: demo", f"name: {'llama-' * 6}x", 2, "name", "SPEC008", "2 to 32 lower-case", "for example llama-llama-"),
    ("name: demo", "name: Llama 3", 2, "name", "SPEC008", "'Llama 3'", "for example llama-3"),
    ("name: demo", "name: 42", 2, "name", "SPEC007", "42 is not a text", "write 2 to 32 lower-case letters"),
    ("name: demo", "name: [demo]", 2, "name", "SPEC007", "a list is not a text", ""),
    ("name: demo", "name:", 2, "name", "SPEC007", "nothing (null) is not a text", ""),
    ("use2-az1", "us-east-2a", 4, "availability_zone_ids[1]", "SPEC008", "us-east-2a", "describe-availability-zones"),
    (
        "[use2-az3, use2-az1]",
        "use2-az3",
        4,
        "availability_zone_ids",
        "SPEC007",
        "is not a list",
        "write a list: [use2-az3]",
    ),
    ("[use2-az3, use2-az1]", "[use2-az3]", 4, "availability_zone_ids", "SPEC008", "a list of at least 2", ""),
    (
        "node_count: 2",
        'node_count: "2"',
        14,
        "node_groups[0].node_count",
        "SPEC007",
        "the text '2'",
        "without quotes: 2",
    ),
    ("node_count: 2", "node_count: 2.5", 14, "node_groups[0].node_count", "SPEC007", "2.5 is not a whole number", ""),
    ("node_count: 2", "node_count: true", 14, "node_groups[0].node_count", "SPEC007", "is not a whole number", ""),
    ("node_count: 2", "node_count: -1", 14, "node_groups[0].node_count", "SPEC008", "-1 is not at least 0", ""),
    ("node_count: 2", "node_count: 0x7fffffff", 14, "node_groups[0].node_count", "SPEC008", "at most 10000", ""),
    (
        "node_count: 2",
        "node_count: 2\n    node_repair: yes",
        15,
        "node_groups[0].node_repair",
        "SPEC007",
        "'yes'",
        "write true",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    node_repair: off",
        15,
        "node_groups[0].node_repair",
        "SPEC007",
        "'off'",
        "write false",
    ),
    (
        "node_count: 2",
        'node_count: 2\n    node_repair: "true"',
        15,
        "node_groups[0].node_repair",
        "SPEC007",
        "'true'",
        "without quotes",
    ),
    ("node_count: 2", "node_count: 2\n    efa: ture", 15, "node_groups[0].efa", "SPEC008", "auto or true or false", ""),
    (
        "node_count: 2",
        "node_count: 2\n    capacity: spot",
        15,
        "node_groups[0].capacity",
        "SPEC007",
        "the text 'spot'",
        "its keys",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    capacity: {}",
        15,
        "node_groups[0].capacity.type",
        "SPEC006",
        "'type' is missing",
        "add type",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    capacity: {type: on-demand}",
        15,
        "node_groups[0].capacity.type",
        "SPEC008",
        "'on-demand' is not one of on_demand, spot",
        "did you mean 'on_demand'?",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    capacity: {type: spot, price: 1}",
        15,
        "node_groups[0].capacity.price",
        "SPEC005",
        "unknown key 'price'",
        "",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    labels: {'-x': y}",
        15,
        "node_groups[0].labels.-x",
        "SPEC008",
        "key '-x' is not a Kubernetes label key",
        "",
    ),
    (
        "node_count: 2",
        "node_count: 2\n    taints: [{key: x, effect: NoSchedule}]",
        15,
        "node_groups[0].taints[0].effect",
        "SPEC008",
        "NO_SCHEDULE",
        "did you mean 'NO_SCHEDULE'?",
    ),
    ("pytorch", "PyTorch", 10, "neuron.framework", "SPEC008", "one of pytorch, jax", "did you mean 'pytorch'?"),
    ("schema_version: 1", "schema_version: 2", 1, "schema_version", "SPEC008", "2 is not 1", ""),
    ("neuron:\n", "network:\nneuron:\n", 8, "network", "SPEC007", "nothing (null) is not a mapping", "or remove it"),
    (
        "neuron:\n",
        "network: {vpc_cidr: 10.0.0.0}\nneuron:\n",
        8,
        "network.vpc_cidr",
        "SPEC008",
        "an IPv4 range, such as 10.0.0.0/16",
        "",
    ),
    (
        "neuron:\n",
        "storage: {lustre: {storage_gib: 1.2}}\nneuron:\n",
        8,
        "storage.lustre.storage_gib",
        "SPEC007",
        "1.2",
        "",
    ),
    (
        "neuron:\n",
        "storage: {lustre: {deployment_type: persistent_2}}\nneuron:\n",
        8,
        "storage.lustre.deployment_type",
        "SPEC008",
        "persistent_2",
        "did you mean 'PERSISTENT_2'?",
    ),
]


class TestSlips:
    @pytest.mark.parametrize(
        ("old", "new", "line", "path", "code", "message", "hint"),
        SLIPS,
        ids=[f"{slip[3]}-{number}" for number, slip in enumerate(SLIPS)],
    )
    def test_one_finding(self, old, new, line, path, code, message, hint):
        """One slip is one finding, at its line, with the value as it was written, what is allowed, and what to do."""
        (finding,) = refusals(changed(old, new))

        assert finding.line == line
        assert dotted(finding.path) == path
        assert finding.code == code
        assert message in finding.message
        assert hint in finding.hint
        assert bool(finding.hint) == bool(hint) or not hint

    def test_forty_at_once(self):
        """Forty slips are forty findings, in the order of the file, each at its own line."""
        groups = "".join(
            f"  - name: trn{number}\n    instance_type: trn1.32xlarge\n    node_cout: 2\n    node_repair: maybe\n"
            for number in range(2, 22)
        )
        found = refusals(BASE + groups)
        lines = [finding.line for finding in found]

        assert len(found) == 40
        assert lines == sorted(lines)
        assert len(set(lines)) == 40
        assert {finding.code for finding in found} == {"SPEC005", "SPEC007"}

    def test_wrong_entries_do_not_make_a_list_short(self):
        """A list with a wrong entry is not called too short as well."""
        (finding,) = refusals(changed("[use2-az3, use2-az1]", "[use2-az3, 7]"))

        assert finding.path == ("availability_zone_ids", 1)

    def test_long_values_are_cut(self):
        """A value of a thousand characters does not fill the screen."""
        (finding,) = refusals(changed("name: demo", f"name: {'x' * 1000}"))

        assert len(finding.message) < 250
        assert "…" in finding.message

    def test_misspelt_required_key(self):
        """A misspelt key that is needed is both missing and unknown, and the hint brings the two together."""
        missing, unknown = sorted(
            refusals(changed("name: demo\n", "nam: demo\n")), key=lambda each: each.code == "SPEC005"
        )

        assert missing.message == "key 'name' is missing"
        assert unknown.hint == "did you mean 'name'?"

    @pytest.mark.parametrize("text", [r"a\e[2Jb", r"\u2028", r"\x7f", r"\ud800", r"a\tb"])
    @pytest.mark.parametrize("place", ['name: "{}"', 'name: demo\n"{}": 1'])
    def test_nothing_moves_the_cursor(self, text, place):
        """Nothing that a file holds, in a value or a key, can move a terminal's cursor or break the output."""
        found = refusals(changed("name: demo", place.format(text)))

        assert all(line.isprintable() for line in render(found).split("\n"))
        assert to_json(found).encode()

    def test_naive_times(self):
        """CAP-04: a time without its zone would be hours off; the hint is the time in UTC."""
        times = "starts_at: 2027-03-01T11:30:00, ends_at: 2027-03-08"
        capacity = f"{{type: capacity_block, instance_count: 2, availability_zone_id: use2-az3, {times}}}"
        found = refusals(BASE + f"    capacity: {capacity}\n")

        assert [finding.hint for finding in found] == ["write 2027-03-01T11:30:00Z", "write 2027-03-08T11:30:00Z"]


def patterns(schema):
    """Yields every regular expression of a JSON Schema."""
    if isinstance(schema, dict):
        yield from [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
        yield from schema.get("patternProperties", {})
        schema = list(schema.values())
    for value in schema if isinstance(schema, list) else ():
        yield from patterns(value)


class TestWording:
    def test_every_pattern_is_worded(self):
        """No regular expression is ever shown: each text type of the format says in words what it allows."""
        assert set(patterns(Environment.model_json_schema())) <= set(ALLOWED)

    def test_advice_is_about_known_types(self):
        """Advice is kept for types that exist."""
        assert set(ADVICE) <= set(ALLOWED)


def outcome(text):
    """Returns an environment, or the findings with which a text is refused; any other exception is a bug."""
    try:
        return environment_of(text)
    except InvalidEnvironmentError as error:
        return error.findings


def located(text):
    """Returns all findings of a text, those of the rules among them."""
    result = outcome(text)
    if not isinstance(result, Environment):
        return result
    source = parse(text, "x.yaml")
    return [source.locate(finding) for finding in check(result)]


#: Any plain data, as a file may hold it where the format wants something else.
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.datetimes()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(data, path=()):
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, tuple) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def replaced(data, path, value):
    if not path:
        return value
    key, *rest = path
    if isinstance(data, dict):
        return {**data, key: replaced(data[key], rest, value)}
    return tuple(replaced(each, rest, value) if index == key else each for index, each in enumerate(data))


FULL = parse(
    BASE
    + """\
tags: {team: research}
network: {client_cidrs: [10.200.0.0/16], interface_endpoints: [sts]}
storage:
  datasets: [{name: c4, bucket_name: some-bucket}]
  lustre: {data_repository_associations: [{file_system_path: /a}]}
training:
  model: {parameters_billion: 8.03, layers: 32, hidden_size: 4096, attention_heads: 32, sequence_length: 8192}
  global_batch_size: 1024
budget: {monthly_usd: 80000}
""",
    "x.yaml",
).data
PLACES = [path for path in places(FULL) if path]


class TestProperties:
    @given(path=st.sampled_from(PLACES), value=VALUES)
    @settings(max_examples=300, deadline=None)
    def test_any_value_anywhere(self, path, value):
        """Whatever stands in whatever place, reading and checking end with an environment or with findings."""
        source = Source("x.yaml", replaced(FULL, path, value))
        try:
            environment = load(source)
        except InvalidEnvironmentError as error:
            findings = error.findings
        else:
            findings = check(environment)

        assert all(line.isprintable() for line in render(findings).split("\n"))
        assert to_json(findings).encode()

    @given(
        cuts=st.lists(
            st.tuples(
                st.integers(0, 400),
                st.integers(0, 12),
                st.sampled_from(["", "\t", ": ", "- ", "{", "]", "'", "\n", "~", "9", "&a ", "*a"]),
            ),
            max_size=4,
        )
    )
    @settings(max_examples=300, deadline=None)
    def test_mutated_text(self, cuts):
        """A file that was damaged somewhere is read or refused, and every finding has its line."""
        text = BASE
        for start, length, piece in cuts:
            text = text[:start] + piece + text[start + length :]

        assert all(finding.line >= 1 and finding.file == "x.yaml" for finding in located(text))

    @given(st.dictionaries(st.text(max_size=10), SCALARS, max_size=5))
    @settings(max_examples=100, deadline=None)
    def test_unknown_keys(self, more):
        """Any key that the format does not know is named."""
        known = set(Environment.model_fields)
        data = {**FULL, **{key: value for key, value in more.items() if key not in known}}
        result = None
        try:
            load(Source("x.yaml", data))
        except InvalidEnvironmentError as error:
            result = {finding.path[0] for finding in error.findings}

        assert result == ({key for key in more if key not in known} or None)


def _moment(time: dt.datetime) -> str:
    return time.replace(tzinfo=None).isoformat()


class TestAgainstAnotherReader:
    @pytest.mark.parametrize("path", ENVIRONMENTS, ids=[path.name for path in ENVIRONMENTS])
    def test_same_data(self, path):
        """What is read of the project's environments is what YAML 1.2 means by them."""
        text = path.read_text(encoding="utf-8")

        ours, theirs = parse(text, "x.yaml").data, YAML(typ="safe", pure=True).load(text)
        # json compares lists with tuples, and knows no times: theirs have lost the zone that they were read with.
        assert json.dumps(ours, default=_moment) == json.dumps(theirs, default=_moment)
