"""Which Kubernetes version a rehearsal moves to, and whether it notices nodes that go first."""

import pytest

from rehearsal.story.upgrading import next_minor, wrong_order, wrong_way
from trnstack.advice.steps import Step
from trnstack.catalog.kubernetes_versions import KUBECTL_VERSIONS, KUBERNETES_VERSIONS

KNOWN = ("1.33", "1.34", "1.35")


@pytest.mark.parametrize(
    ("minor", "kubectl", "following"),
    [("1.33", KNOWN, "1.34"), ("1.34", KNOWN[:2], None), ("1.35", KNOWN, None)],
)
def test_next_minor(minor, kubectl, following):
    """It is the next one, where EKS is known to have it and there is a kubectl of it."""
    assert next_minor(minor, KNOWN, kubectl) == following


def test_newest_of_the_tables():
    """From the newest minor of the tables there is none to move to, and to it there is one."""
    *_, before, newest = KUBERNETES_VERSIONS

    assert next_minor(newest, tuple(KUBERNETES_VERSIONS), KUBECTL_VERSIONS) is None
    assert next_minor(before, tuple(KUBERNETES_VERSIONS), KUBECTL_VERSIONS) == newest


def step(stack):
    return Step(stack=stack, command=f"cdk deploy {stack}", changes=("x",))


@pytest.mark.parametrize(
    ("stacks", "sentences"),
    [
        (["x-cluster", "x-kubernetes", "x-nodes-a"], []),
        (["x-network", "x-cluster", "x-nodes-a"], []),
        (["x-nodes-a", "x-cluster"], ["nodes would move before the control plane"]),
        (["x-nodes-a"], ["no step moves the control plane"]),
    ],
)
def test_wrong_way(stacks, sentences):
    """Steps that would move nodes first are noticed before anything is deployed."""
    assert list(wrong_way([step(stack) for stack in stacks], "x-cluster")) == sentences


def event(kind, status, operation="2"):
    return {
        "ResourceType": f"AWS::EKS::{kind}",
        "ResourceStatus": status,
        "OperationId": operation,
        "LogicalResourceId": kind,
    }


def test_wrong_order():
    """System nodes that move before the control plane has moved are noticed; what an older operation did is not."""
    cluster = [event("Cluster", "UPDATE_IN_PROGRESS"), event("Cluster", "UPDATE_COMPLETE")]
    nodes = [event("Nodegroup", "UPDATE_IN_PROGRESS"), event("Nodegroup", "UPDATE_COMPLETE")]
    older = [event("Nodegroup", "UPDATE_IN_PROGRESS", "1")]

    assert list(wrong_order([*older, *cluster, *nodes][::-1])) == []
    assert list(wrong_order([*nodes, *cluster][::-1])) == ["nodes of Nodegroup moved before the control plane"]
    assert list(wrong_order([cluster[0], *nodes, cluster[1]][::-1])) == [
        "nodes of Nodegroup moved before the control plane"
    ]
