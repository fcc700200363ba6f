"""In which deploy a change reaches what runs in the cluster."""

from dataclasses import replace

import pytest

from tests.trnstack.kubernetes.test_runtimes import ULTRASERVER
from trnstack.advice.cluster_steps import FIXED, another_file_system
from trnstack.advice.steps import is_one_deploy, steps

GITOPS = {"delivery": "gitops"}


def of_the_cluster(old, new):
    """Returns the step of the stack of charts and objects, which there must be."""
    (step,) = (step for step in steps(old, new) if step.stack == "demo-kubernetes")
    return step


def with_release(plan, name, **changes):
    releases = tuple(replace(each, **changes) if each.name == name else each for each in plan.kubernetes.releases)
    return replace(plan, kubernetes=replace(plan.kubernetes, releases=releases))


class TestInTheCluster:
    def test_chart(self, planned):
        """Another version of a chart is one deploy of the stack, which no node waits for."""
        (step,) = steps(planned(), with_release(planned(), "kueue", version="0.20.0"))

        assert step.command == "cdk deploy demo-kubernetes -c environment=FILE"
        assert step.changes == ("chart kueue: 0.19.2 -> 0.20.0",)
        assert is_one_deploy([step])

    def test_archive(self, planned):
        """Another archive of the same version is said to be one."""
        step = of_the_cluster(planned(), with_release(planned(), "kueue", archive_digest=f"sha256:{'0' * 64}"))

        assert step.changes == ("chart kueue: another archive of 0.19.2",)

    def test_values(self, planned):
        """So are other values."""
        assert of_the_cluster(planned(), with_release(planned(), "kueue", values={})).changes == (
            "chart kueue: its values",
        )

    def test_stops_jobs(self, planned):
        """An upgraded container stops the jobs that leave it to the runtime; that is told with the deploy."""
        pins = replace(planned().pins, container_digest=f"sha256:{'1' * 64}")

        assert "that name no image" in of_the_cluster(planned(), replace(planned(), pins=pins)).reason
        assert of_the_cluster(planned(), with_release(planned(), "kueue", values={})).reason == ""

    def test_node_count(self, planned):
        """More nodes are a larger quota, which the queue hears of before they come."""
        found = steps(planned(), planned(node_group={"node_count": 3}))

        assert [step.stack for step in found] == ["demo-kubernetes", "demo-nodes-trn1"]
        assert found[0].changes == ("ClusterQueue training",)

    def test_node_group(self, planned):
        """A node group that goes takes its flavor along, under its name."""
        changes = of_the_cluster(planned(), planned(node_group={"name": "other"})).changes

        assert {"ResourceFlavor trn1 goes", "ResourceFlavor other is new", "ClusterQueue training"} <= set(changes)

    def test_topology(self, planned):
        """A node group that is placed in another way gets another flavor, whose topology can't be changed."""
        by_layers = {**ULTRASERVER, "node_group": {**ULTRASERVER["node_group"], "ultraserver": None}}
        changes = of_the_cluster(planned(**ULTRASERVER), planned(**by_layers)).changes

        assert {"ResourceFlavor trn1.ultraserver goes", "ResourceFlavor trn1 is new"} <= set(changes)

    def test_kubernetes_version(self, planned):
        """A new Kubernetes version brings its kubectl, after the control plane has moved."""
        found = steps(planned(), planned(eks={"kubernetes_version": "1.36"}))

        assert [step.stack for step in found][:2] == ["demo-cluster", "demo-kubernetes"]
        assert "kubectl: 1.35 -> 1.36" in found[1].changes

    def test_many_objects(self, planned):
        """A step names a few objects, and how many more there are."""
        bare = planned(kubernetes={"kueue": False, "kubeflow_trainer": False})

        assert of_the_cluster(bare, planned()).changes[-1].endswith(" more objects")

    def test_tags(self, planned):
        """The stack carries the environment's tags."""
        assert of_the_cluster(planned(), planned(tags={"team": "a"})).changes == ("its tags",)

    def test_to_gitops(self, planned):
        """Who turns to a repository takes the stack away last, and is told what goes with it."""
        step = of_the_cluster(planned(), planned(kubernetes=GITOPS))

        assert step.command == "aws cloudformation delete-stack --region us-east-2 --stack-name demo-kubernetes"
        assert step.changes == ("charts, queues and the namespace training go, with every job in it",)
        assert "end the jobs first" in step.reason

    def test_from_gitops(self, planned):
        """Who comes from a repository gets the stack, which takes over what stands under its names."""
        step = of_the_cluster(planned(kubernetes=GITOPS), planned())

        assert "become this stack's" in step.reason
        assert not is_one_deploy([step])

    def test_first_deploy_is_not_rolled_back(self, planned):
        """A rollback would delete what the stack has just taken over, jobs with their namespace: it is left out."""
        step = of_the_cluster(planned(kubernetes=GITOPS), planned())

        assert step.command == "cdk deploy demo-kubernetes --no-rollback -c environment=FILE"
        assert "end the jobs first" in step.reason
        assert "Charts that Helm did not install" in step.reason

    def test_gitops(self, planned):
        """Without the stack there is no step of it."""
        old, new = planned(kubernetes=GITOPS), planned(kubernetes=GITOPS, node_group={"node_count": 3})

        assert [step.stack for step in steps(old, new)] == ["demo-nodes-trn1"]


class TestAnotherFileSystem:
    """The volume and claim of a file system in whose place another one comes read the same, and are not."""

    @pytest.mark.parametrize(
        "edit",
        [
            {"lustre": {"throughput_mbps_per_tib": 500}},
            {"lustre": {"deployment_type": "PERSISTENT_1", "throughput_mbps_per_tib": 100}},
            {"network": {"vpc_cidr": "10.8.0.0/16"}},
        ],
    )
    def test_replaced(self, planned, edit):
        """What replaces the file system brings a deploy of the volume, and before it a step by hand."""
        found = steps(planned(lustre={}), planned(**{"lustre": {}, **edit}))
        by_hand, deploy = (step for step in found if step.stack == "demo-kubernetes")

        assert by_hand.command == (
            "kubectl --namespace training delete persistentvolumeclaim lustre && kubectl delete persistentvolume lustre"
        )
        assert "the volume lustre and its claim go" in by_hand.changes[0]
        assert "end the jobs" in by_hand.reason
        assert {"PersistentVolume lustre", "PersistentVolumeClaim lustre"} <= set(deploy.changes)
        assert deploy.command == "cdk deploy demo-kubernetes -c environment=FILE"
        assert not is_one_deploy(found)

    @pytest.mark.parametrize("name", FIXED)
    def test_each_property(self, planned, name):
        """Each property that FSx or CloudFormation does not change in place counts, alone."""
        plan = planned(lustre={})
        lustre = replace(plan.storage.lustre, **{name: "another"})
        other = replace(plan, storage=replace(plan.storage, lustre=lustre))

        assert another_file_system(plan, other)
        assert not another_file_system(plan, plan)

    @pytest.mark.parametrize(
        "edit", [{"storage_gib": 4800}, {"data_compression": "NONE"}, {"removal_policy": "destroy"}]
    )
    def test_updated(self, planned, edit):
        """What is changed in place leaves the volume's source."""
        assert not any("kubectl" in step.command for step in steps(planned(lustre={}), planned(lustre=edit)))

    def test_by_gitops(self, planned):
        """Without the stack there is no step of it."""
        old, new = (planned(kubernetes=GITOPS, lustre={"throughput_mbps_per_tib": rate}) for rate in (250, 500))

        assert [step.stack for step in steps(old, new)] == ["demo-storage"]

    def test_adopted(self, planned):
        """So does a file system that is named by its id, in the place of one that is made."""
        existing = {
            "file_system_id": "fs-0a1b2c3d4e5f60718",
            "mount_name": "abcdefgh",
            "security_group_id": "sg-0c00000000000001a",
        }
        found = steps(planned(lustre={}), planned(lustre={"existing_file_system": existing}))

        assert any(step.command.startswith("kubectl ") for step in found)
        assert not another_file_system(planned(lustre={}), planned(lustre={"existing_file_system": existing}))
