"""What a plan says of every Trainium type of the catalog: none is forgotten in a list of its own somewhere."""

import ast
import re
from pathlib import Path

import pytest

import trnstack
from trnstack.catalog import INSTANCE_TYPES, ZONE_IDS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS

ROOT = Path(trnstack.__file__).parents[1]
#: Full-node requests of a worker: Neuron devices, NeuronCores as jobs see them, EFA interfaces.
WHOLE_NODES = {
    "trn1.2xlarge": (1, 2, 0),
    "trn1.32xlarge": (16, 32, 8),
    "trn1n.32xlarge": (16, 32, 16),
    "trn2.3xlarge": (1, 4, 1),
    "trn2.48xlarge": (16, 64, 16),
    "trn2u.48xlarge": (16, 64, 16),
}
_TYPE = re.compile(r"(?:trn|inf)\d[a-z]*\.\w+")


@pytest.fixture(params=INSTANCE_TYPES)
def group(planned, request):
    """The plan of a node group of each type, in a zone that offers it."""
    row = INSTANCE_TYPES[request.param]
    region, (zone_id, *_) = next(iter(row.availability_zone_ids.items()))
    other = next(each for each in ZONE_IDS[region] if each not in {zone_id, *NO_CONTROL_PLANE_ZONE_IDS})
    plan = planned(
        region=region,
        availability_zone_ids=[zone_id, other],
        node_group={"instance_type": row.name, "node_count": 1, "efa": "auto"},
    )
    return plan.node_groups[0]


class TestEveryType:
    def test_device_counts(self, group):
        """K8S-04: A whole node is what its type has: devices, logical cores at the chip's own setting, interfaces."""
        efa = sum(interface.is_efa for interface in group.launch_template.interfaces)

        assert (group.neuron_devices, group.neuron_cores, efa) == WHOLE_NODES[group.launch_template.instance_type]

    def test_is_a_neuron_node(self, group):
        """K8S-06: Each Trainium type of the catalog gets the Neuron image and the taint that Neuron's pods tolerate."""
        assert group.ami_type == "AL2023_x86_64_NEURON"
        assert [(taint.key, taint.effect) for taint in group.taints] == [("aws.amazon.com/neuron", "NO_SCHEDULE")]

    def test_efa_label(self, group):
        """K8S-02: Nodes are labelled for the EFA device plugin exactly where they have EFA interfaces."""
        efa = any(interface.is_efa for interface in group.launch_template.interfaces)

        assert (group.labels.get("trnstack/efa") == "true") == efa

    def test_all_are_told(self):
        """K8S-04: A type that is added to the catalog is added here too, with its counts."""
        assert set(WHOLE_NODES) == set(INSTANCE_TYPES)


def test_efa_label_without_efa(planned):
    """K8S-02: A type that could have EFA and does not use it is not labelled: the plugin would crash there."""
    (group,) = planned(node_group={"efa": False, "node_count": 1}).node_groups

    assert "trnstack/efa" not in group.labels


def test_logical_cores_of_the_setting(planned):
    """K8S-04: At one physical core to a logical one a trn2.48xlarge offers 128 instead of 64."""
    trn2 = {"instance_type": "trn2.48xlarge", "logical_neuroncore_config": 1}
    (group,) = planned(node_group=trn2).node_groups

    assert (group.neuron_devices, group.neuron_cores) == (16, 128)


@pytest.mark.parametrize("room", ["trnstack", "ami", "infra", "stacks", "rehearsal", "account"])
def test_no_list_of_types_beside_the_catalog(room):
    """K8S-06: No program text but the catalog's names a Trainium type, so none has a list from which one is missing."""
    files = [path for path in (ROOT / room).rglob("*.py") if "catalog" not in path.relative_to(ROOT / room).parts]
    texts = (
        (path.name, node.value)
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )

    assert not [text for text in texts if _TYPE.fullmatch(text[1])]
