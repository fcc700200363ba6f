"""What every test of reading, checking and planning starts from: a small valid environment that a test changes."""

from collections.abc import Mapping
from typing import Any

import pytest

from trnstack.source import Source
from trnstack.spec import Environment
from trnstack.spec.load import load

NODE_GROUP: dict[str, Any] = {"name": "trn1", "instance_type": "trn1.32xlarge", "node_count": 2}
MINIMAL: dict[str, Any] = {
    "schema_version": 1,
    "name": "demo",
    "region": "us-east-2",
    "availability_zone_ids": ["use2-az3", "use2-az1"],
    "eks": {"admin_role_arns": ["arn:aws:iam::111122223333:role/ml-platform-admin"]},
    "neuron": {"sdk": "2.30.0", "framework": "pytorch"},
    "node_groups": [NODE_GROUP],
}
#: Sections that the minimal environment leaves out, and from what they start when a test names them.
OPTIONAL: dict[str, Any] = {
    "training": {
        "model": {
            "parameters_billion": 8.03,
            "layers": 32,
            "hidden_size": 4096,
            "attention_heads": 32,
            "sequence_length": 8192,
        },
        "global_batch_size": 1024,
        "parallelism": {"tensor": 32},
    },
    "budget": {"monthly_usd": 80_000},
}
#: Parts of a section that a test may name as if they were sections.
SHORT: dict[str, tuple[str, str]] = {
    "lustre": ("storage", "lustre"),
    "checkpoints": ("storage", "checkpoints"),
    "datasets": ("storage", "datasets"),
    "system_node_group": ("eks", "system_node_group"),
    "parallelism": ("training", "parallelism"),
}


def merged(base: Any, override: Any) -> Any:
    """Returns the base with the override laid over it: mappings key by key, anything else as a whole."""
    if not isinstance(base, Mapping) or not isinstance(override, Mapping):
        return override
    return {**base, **{key: merged(base.get(key), value) for key, value in override.items()}}


def frozen(value: Any) -> Any:
    """Returns the value as the reader delivers it, with tuples for lists."""
    if isinstance(value, Mapping):
        return {key: frozen(inner) for key, inner in value.items()}
    return tuple(frozen(inner) for inner in value) if isinstance(value, list | tuple) else value


def data_of(**sections: Any) -> dict[str, Any]:
    """Returns the minimal environment's data with sections laid over it.

    ``node_group`` changes the first node group, ``node_groups`` replaces them all, each laid over the minimal one. The
    names in ``SHORT`` stand for parts of a section.
    """
    data = dict(MINIMAL)
    groups = sections.pop("node_groups", None)
    if groups is not None:
        data["node_groups"] = [merged(NODE_GROUP, group) for group in groups]
    if "node_group" in sections:
        first, *others = data["node_groups"]
        data["node_groups"] = [merged(first, sections.pop("node_group")), *others]
    for name, override in sections.items():
        section, part = SHORT.get(name, (name, ""))
        start = data.get(section, OPTIONAL.get(section, {} if part else None))
        data[section] = merged(start, {part: override} if part else override)
    return frozen(data)


@pytest.fixture
def environment():
    """Returns a builder: ``environment(lustre={...})`` is the minimal valid environment with a file system."""

    def build(**sections: Any) -> Environment:
        return load(Source("test.yaml", data_of(**sections)))

    return build


@pytest.fixture
def data():
    """Returns the builder's data before validation, for tests of the validation itself."""
    return data_of
