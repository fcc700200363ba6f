"""The JSON Schema agrees with the reader: on every example, and on every bad one that a schema can tell."""

import copy
import json
from pathlib import Path

import jsonschema
import pytest

from trnstack.findings import InvalidEnvironmentError
from trnstack.source import Source, parse
from trnstack.spec.load import load
from trnstack.spec.schema import environment_schema

#: A file in which every section is written.
GOOD = """\
schema_version: 1
name: demo
region: us-east-2
availability_zone_ids: [use2-az3, use2-az1]
account: "111122223333"
tags: {team: research}
network: {vpc_cidr: 10.0.0.0/16, interface_endpoints: [sts]}
eks: {admin_role_arns: ["arn:aws:iam::111122223333:role/admin"], system_node_group: {min_count: 2}}
neuron: {sdk: "2.30.0", framework: pytorch, environment: {NEURON_RT_LOG_LEVEL: INFO}}
node_groups:
  - name: trn1
    instance_type: trn1.32xlarge
    node_count: 2
    labels: {team: a}
    taints: [{key: a, effect: NO_SCHEDULE}]
    capacity:
      type: capacity_block
      capacity_reservation_id: cr-0123456789abcdef0
      instance_count: 1
      availability_zone_id: use2-az3
      starts_at: 2027-03-01T11:30:00Z
      ends_at: 2027-03-08T11:30:00Z
storage:
  checkpoints: {encryption: kms}
  datasets: [{name: c4, bucket_name: some-bucket}]
  lustre: {storage_gib: 4800, data_repository_associations: [{file_system_path: /a}]}
training:
  model: {parameters_billion: 8.03, layers: 32, hidden_size: 4096, attention_heads: 32, sequence_length: 8192}
  global_batch_size: 1024
  parallelism: {tensor: 32, data: auto}
kubernetes: {delivery: cdk}
observability: {log_retention_days: 90}
budget: {monthly_usd: 80000}
"""
ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "environments").glob("*.yaml"))
GROUP = ("node_groups", 0)
LUSTRE = ("storage", "lustre")
#: What is put where in the good file.
BAD = [
    (("schema_version",), 2),
    (("schema_version",), "1"),
    (("name",), "a" * 40),
    (("name",), "Demo"),
    (("name",), None),
    (("regoin",), "us-east-2"),
    (("region",), "us-east-2a"),
    (("availability_zone_ids",), ["use2-az3"]),
    (("availability_zone_ids",), "use2-az3"),
    (("availability_zone_ids",), ["us-east-2a", "us-east-2b"]),
    (("account",), 111122223333),
    (("account",), "1111-2222-3333"),
    (("tags",), {"team!": "a"}),
    (("tags",), {"team": 1}),
    (("network",), None),
    (("network", "vpc_cidr"), "10.0.0.0"),
    (("network", "nat_gateways"), 7),
    (("network", "nat_gateways"), True),
    (("network", "interface_endpoints"), "none"),
    (("network", "existing_vpc"), {"vpc_id": "vpc-0123456789abcdef0"}),
    (("eks",), {}),
    (("eks", "kubernetes_version"), 1.35),
    (("eks", "support_type"), "standard"),
    (("eks", "endpoint_access"), "public"),
    (("eks", "admin_role_arns"), []),
    (("eks", "admin_role_arns"), ["arn:aws:iam::111122223333:user/me"]),
    (("eks", "control_plane_logs"), ["apis"]),
    (("eks", "deletion_protection"), "yes"),
    (("eks", "system_node_group", "min_count"), 0),
    (("neuron", "sdk"), 2.3),
    (("neuron", "framework"), "tensorflow"),
    (("neuron", "environment"), {"PATH": "/bin"}),
    (("neuron", "compiler_flags"), [""]),
    (("node_groups",), []),
    ((*GROUP, "instance_type"), "trn1"),
    ((*GROUP, "node_count"), -1),
    ((*GROUP, "node_count"), 2.5),
    ((*GROUP, "node_cuont"), 2),
    ((*GROUP, "efa"), "on"),
    ((*GROUP, "labels"), {"a b": "c"}),
    ((*GROUP, "labels"), {"a": "b c"}),
    ((*GROUP, "taints", 0, "effect"), "NoSchedule"),
    ((*GROUP, "capacity"), "spot"),
    ((*GROUP, "capacity"), {"type": "reserved"}),
    ((*GROUP, "capacity"), {}),
    ((*GROUP, "capacity", "starts_at"), "2027-03-01"),
    ((*GROUP, "capacity", "starts_at"), "2027-03-01T11:30:00"),
    ((*GROUP, "capacity", "capacity_reservation_id"), "cr-1"),
    ((*GROUP, "image"), {"type": "custom"}),
    ((*GROUP, "local_storage"), "raid1"),
    ((*GROUP, "root_volume_gib"), 10),
    ((*GROUP, "logical_neuroncore_config"), 3),
    (("storage", "checkpoints", "removal_policy"), "keep"),
    (("storage", "checkpoints", "infrequent_access_after_days"), 7),
    (("storage", "datasets", 0, "bucket_name"), "Some_Bucket"),
    ((*LUSTRE, "deployment_type"), "PERSISTENT_3"),
    ((*LUSTRE, "mount_path"), "fsx"),
    ((*LUSTRE, "data_repository_associations", 0, "auto_import"), ["RENAMED"]),
    (("training", "model", "layers"), 0),
    (("training", "model", "parameters_billion"), 0),
    (("training", "parallelism", "zero_stage"), 4),
    (("training", "parallelism", "data"), "all"),
    (("training", "activation_checkpointing"), True),
    (("kubernetes", "delivery"), "helm"),
    (("kubernetes", "neuron_scheduler"), "on"),
    (("observability", "log_retention_days"), 91),
    (("observability", "alarm_emails"), ["nobody"]),
    (("budget", "monthly_usd"), "80000"),
    (("budget", "idle_action"), "stop"),
]


@pytest.fixture(scope="module")
def validator():
    schema = environment_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def as_json(data):
    """Returns a file's data as JSON has it: a list for a tuple, a text for a time."""
    return json.loads(json.dumps(data, default=lambda time: f"{time:%Y-%m-%dT%H:%M:%SZ}"))


def changed(data, path, value):
    """Returns a copy of the data, lists for tuples, with one value in another's place."""
    data = copy.deepcopy(data)
    here = data
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return data


def tupled(value):
    if isinstance(value, dict):
        return {key: tupled(each) for key, each in value.items()}
    return tuple(map(tupled, value)) if isinstance(value, list | tuple) else value


class TestAgreement:
    @pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
    def test_examples(self, validator, file):
        """Every environment that comes with the project fits the schema."""
        validator.validate(as_json(parse(file.read_text(), file.name).data))

    def test_every_section(self, validator):
        """A file in which every section is written is read, and fits the schema."""
        data = parse(GOOD, "x.yaml").data

        load(Source("x.yaml", data))
        validator.validate(as_json(data))

    @pytest.mark.parametrize(("path", "value"), BAD, ids=[f"{path}={value}" for path, value in BAD])
    def test_bad_examples(self, validator, path, value):
        """What the reader refuses for its form, the schema refuses, so an editor shows it while it is typed."""
        data = changed(as_json(parse(GOOD, "x.yaml").data), path, value)

        with pytest.raises(InvalidEnvironmentError):
            load(Source("x.yaml", tupled(data)))
        assert not validator.is_valid(data)

    def test_missing_keys(self, validator):
        """What must be said is required."""
        data = as_json(parse(GOOD, "x.yaml").data)
        for key in environment_schema()["required"]:
            assert not validator.is_valid({name: value for name, value in data.items() if name != key})


def sections():
    schema = environment_schema()
    return {"Environment": schema, **schema["$defs"]}


@pytest.mark.parametrize(("name", "section"), sections().items(), ids=sections())
class TestWords:
    def test_section(self, name, section):
        """Every section says what it is."""
        assert section["description"].endswith("."), name

    def test_every_field(self, name, section):
        """Every field says what it is, in a line that an editor can show, and has its default where there is one."""
        for field, schema in section["properties"].items():
            text = schema.get("description", "")
            assert text, f"{name}.{field}"
            assert len(text) <= 120
            assert not text.endswith("."), f"{name}.{field}"
            assert (field in section.get("required", ())) != ("default" in schema), f"{name}.{field}"

    def test_nothing_else_is_allowed(self, name, section):
        """An unknown key is refused in every section."""
        assert section["additionalProperties"] is False, name
