"""The cluster's part of ``trnstack plan``."""

import pytest

from ami import offline
from trnstack.cli.plan_kubernetes import sections
from trnstack.plan import lock_inputs, plan


@pytest.fixture
def shown(environment):
    """Returns the sections' lines of the builder's environment by their titles, without the space that aligns them."""

    def build(**chosen: object) -> dict[str, list[str]]:
        made = environment(**chosen)
        found = sections(plan(made, offline.lock(lock_inputs(made))).kubernetes)
        return {title: [" ".join(line.split()) for line in lines] for title, *lines in found}

    return build


class TestSections:
    def test_charts(self, shown):
        """Charts are shown with version, namespace and archive, under the stack that applies them."""
        lines = shown()["In the cluster (demo-kubernetes)"]

        assert "kueue 0.19.2 namespace kueue-system charts/kueue-0.19.2.tgz" in lines

    def test_gitops(self, shown):
        """Without a stack it is said that none applies them."""
        assert "In the cluster (rendered for a repository, by no stack)" in shown(kubernetes={"delivery": "gitops"})

    def test_jobs(self, shown):
        """Where jobs run, what they may ask of a node and what they are told, by names that are known already."""
        lines = shown(lustre={}, kubernetes={"s3_csi": True})["Jobs"]

        assert "run in namespace training, as service account trainer" in lines
        assert "runtimes trnstack-torch" in lines
        assert "part of a node by scheduler my-scheduler" in lines
        assert "file system at /fsx, by its claim" in lines
        assert "bucket as files claim checkpoints" in lines
        assert "TRNSTACK_CHECKPOINT_BUCKET=<CheckpointBucket>" in lines
        assert any(
            line.startswith("a node of trn1 aws.amazon.com/neuron 16, vpc.amazonaws.com/efa 8") for line in lines
        )

    def test_nothing_to_choose(self, shown):
        """What is not there is said."""
        lines = shown(
            kubernetes={"kubeflow_trainer": False}, node_group={"instance_type": "trn1.2xlarge", "node_count": 1}
        )["Jobs"]

        assert "runtimes none" in lines
        assert "part of a node no choice of it" in lines

    def test_queue(self, shown):
        """The queue's name, priorities and what it hands out."""
        lines = shown()["Queue"]

        assert "name training in namespace training" in lines
        assert "priorities training-low 100, training-normal 1,000, training-high 10,000" in lines
        assert any(line.startswith("node group trn1 aws.amazon.com/neuron 32,") for line in lines)

    def test_no_queue(self, shown):
        """Without Kueue there is no queue to show."""
        assert "Queue" not in shown(kubernetes={"kueue": False})
