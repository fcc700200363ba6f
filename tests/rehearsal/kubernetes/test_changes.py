"""What an environment's file may change: the API server takes it of every object that stays."""

import pytest

from rehearsal.kubernetes.immutable import refusals
from tests.trnstack.conftest import data_of
from tests.trnstack.kubernetes.conftest import decided
from tests.trnstack.kubernetes.test_runtimes import ULTRASERVER
from trnstack.kubernetes.manifests import manifests
from trnstack.source import Source
from trnstack.spec.load import load

SAO_PAULO = {"region": "sa-east-1", "availability_zone_ids": ["sae1-az1", "sae1-az2"]}


def objects(sections):
    """Returns an environment's objects by what they are known by."""
    plan, _ = decided(load(Source("environment.yaml", data_of(**sections))))
    found = (each for manifest in manifests(plan) for each in manifest.objects)
    return {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]): each for each in found}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"lustre": {"storage_gib": 4800}}, {"lustre": {"storage_gib": 9600}}),
        (ULTRASERVER, {**ULTRASERVER, "node_group": {**ULTRASERVER["node_group"], "ultraserver": None}}),
        *(
            tuple({**SAO_PAULO, "node_group": {"instance_type": each, "node_count": 1}} for each in pair)
            for pair in (("trn2.3xlarge", "trn2.48xlarge"), ("trn2.48xlarge", "trn2.3xlarge"))
        ),
    ],
    ids=["a larger file system", "no UltraServer", "a larger type", "a smaller type"],
)
def test_changes(before, after):
    """No field of an object that stays under its name is changed where it can't be."""
    old, new = objects(before), objects(after)

    assert old != new
    assert [text for key in old.keys() & new.keys() for text in refusals(old[key], new[key])] == []
