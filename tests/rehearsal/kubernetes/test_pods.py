"""Whether there are nodes for a deployment's pods, and which images objects start."""

import pytest

from rehearsal.kubernetes.pods import Nodes, images, unplaced

TAINT = {"key": "aws.amazon.com/neuron", "value": "present", "effect": "NO_SCHEDULE"}


def deployment(**pod: object):
    return {
        "kind": "Deployment",
        "metadata": {"name": "one"},
        "spec": {"template": {"spec": {"containers": [], **pod}}},
    }


class TestUnplaced:
    @pytest.mark.parametrize(
        ("toleration", "placed"),
        [
            (None, False),
            ({"operator": "Exists"}, True),
            ({"key": "aws.amazon.com/neuron", "operator": "Exists"}, True),
            ({"key": "other", "operator": "Exists"}, False),
            ({"key": "aws.amazon.com/neuron", "value": "present", "effect": "NoSchedule"}, True),
            ({"key": "aws.amazon.com/neuron", "value": "absent"}, False),
            ({"operator": "Exists", "effect": "NoExecute"}, False),
        ],
    )
    def test_taints(self, toleration, placed):
        """A taint keeps away the pods that do not tolerate it, by key, value and effect."""
        pod = deployment(tolerations=[toleration] if toleration else [])

        assert (list(unplaced([pod], [Nodes(1, {}, [TAINT])])) == []) is placed

    def test_preference(self):
        """A taint that is a preference keeps nobody away."""
        assert not list(unplaced([deployment()], [Nodes(1, {}, [{**TAINT, "effect": "PREFER_NO_SCHEDULE"}])]))

    @pytest.mark.parametrize(("count", "labels"), [(0, {"role": "system"}), (1, {"role": "other"}), (1, {})])
    def test_selector(self, count, labels):
        """Pods go to nodes that are there, with the labels that they ask for."""
        pod = deployment(nodeSelector={"role": "system", "kubernetes.io/os": "linux"})

        assert list(unplaced([pod], [Nodes(count, labels, [])])) == ["Deployment/one"]
        assert not list(unplaced([pod], [Nodes(1, {"role": "system"}, [])]))

    def test_daemon_set(self):
        """A DaemonSet wants no pod where there is no node for it."""
        assert not list(unplaced([{**deployment(), "kind": "DaemonSet"}], []))


def test_images():
    """Images are those of all containers, also of jobs in jobs, each once."""
    pod = {"initContainers": [{"image": "b"}], "containers": [{"image": "a"}, {"image": "b"}]}
    cron = {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "c"}]}}}}}
    objects = [
        {"kind": "DaemonSet", "spec": {"template": {"spec": pod}}},
        {"kind": "CronJob", "spec": cron},
        {"kind": "Pod", "spec": {"containers": [{"image": "d"}]}},
        {"kind": "ConfigMap"},
    ]

    assert images(objects) == ("a", "b", "c", "d")
