"""The two spellings of a taint's effect."""

from typing import get_args

import pytest

from trnstack.layout.taints import kubernetes_effect
from trnstack.spec.node_groups import Taint


@pytest.mark.parametrize(
    ("effect", "expected"),
    [("NO_SCHEDULE", "NoSchedule"), ("NO_EXECUTE", "NoExecute"), ("PREFER_NO_SCHEDULE", "PreferNoSchedule")],
)
def test_spelling(effect, expected):
    """K8S-07: EKS's effects have Kubernetes' spelling where pods and people meet them."""
    assert kubernetes_effect(effect) == expected


def test_every_effect_of_the_format():
    """K8S-07: Every effect that the environment file takes has one, each its own."""
    effects = get_args(Taint.model_fields["effect"].annotation)

    assert len({kubernetes_effect(effect) for effect in effects}) == len(effects) == 3


def test_unknown():
    """K8S-07: Kubernetes' own spelling is none of EKS's."""
    with pytest.raises(KeyError):
        kubernetes_effect("NoSchedule")
