"""Kubeflow Trainer's runtime: it leads jobs to their nodes, starts them again, and lets running ones be."""

import dataclasses
import runpy

import pytest

from ami import offline
from tests.trnstack.jobs.conftest import SCRIPTS
from tests.trnstack.jobs.conftest import planned as planned_file
from trnstack import plan as planning
from trnstack.kubernetes.manifests import manifests
from trnstack.kubernetes.objects.runtimes import stopped
from trnstack.layout.taints import kubernetes_effect

ULTRASERVER = {
    "region": "ap-south-2",
    "availability_zone_ids": ["aps2-az1", "aps2-az2"],
    "node_group": {
        "instance_type": "trn2u.48xlarge",
        "node_count": 4,
        "ultraserver": {"config": 4},
        "capacity": {
            "type": "capacity_reservation",
            "capacity_reservation_id": "cr-0123456789abcdef0",
            "instance_count": 4,
            "availability_zone_id": "aps2-az1",
        },
    },
}


def runtime_of(plan):
    (found,) = [
        each for manifest in manifests(plan) for each in manifest.objects if each["kind"] == "ClusterTrainingRuntime"
    ]
    return found


def job_of(runtime):
    (job,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    return job["template"]["spec"]


def pod_of(plan):
    return job_of(runtime_of(plan))["template"]


class TestRuntime:
    def test_container(self, each):
        """Its container is the pinned one, and the same whatever group a job is on: it asks for nothing by itself."""
        plan, lock = each
        (container,) = pod_of(plan)["spec"]["containers"]

        assert container["image"] == f"{plan.pins.container_image}@{lock.neuron.container.digest}"
        assert container["envFrom"] == [{"configMapRef": {"name": "trnstack"}}]
        assert not {"env", "resources"} & container.keys()

    def test_reaches_its_nodes(self, each):
        """K8S-07: Its pods select the first group and tolerate every group's taints."""
        plan, _ = each
        spec = pod_of(plan)["spec"]
        tolerated = {(each["key"], each["value"], each["effect"]) for each in spec["tolerations"]}

        assert spec["nodeSelector"].items() <= plan.node_groups[0].labels.items()
        for group in plan.node_groups:
            taints = {(each.key, each.value, kubernetes_effect(each.effect)) for each in group.taints}
            assert taints <= tolerated

    def test_shared_memory(self, each):
        """HOST-03: ``/dev/shm`` is memory, of the size that the first group's pods have."""
        plan, _ = each
        spec = pod_of(plan)["spec"]
        (volume,) = [each for each in spec["volumes"] if "emptyDir" in each]
        (mount,) = [each for each in spec["containers"][0]["volumeMounts"] if each["mountPath"] == "/dev/shm"]  # noqa: S108

        assert volume["emptyDir"] == {"medium": "Memory", "sizeLimit": plan.kubernetes.fleets[0].shared_memory}
        assert mount["name"] == volume["name"]

    def test_one_ultraserver(self, planned):
        """Pods of an UltraServer's group are kept to one; others are wanted near to each other."""
        ultraserver = pod_of(planned(**ULTRASERVER))["metadata"]["annotations"]
        near = pod_of(planned())["metadata"]["annotations"]

        assert ultraserver == {"kueue.x-k8s.io/podset-required-topology": "trnstack/ultraserver"}
        assert near == {"kueue.x-k8s.io/podset-preferred-topology": "topology.k8s.aws/network-node-layer-3"}

    def test_without_a_container(self, environment):
        """A release without a container for the framework has no runtime."""
        made = environment()
        lock = offline.lock(planning.lock_inputs(made))
        without = dataclasses.replace(lock, neuron=dataclasses.replace(lock.neuron, container=None))

        assert planning.plan(made, without).kubernetes.runtimes == ()

    def test_framework(self, planned):
        """The runtime is the framework's, by Trainer's own policy for it."""
        runtime = runtime_of(planned(neuron={"framework": "jax"}))

        assert runtime["metadata"]["name"] == "trnstack-jax"
        assert runtime["spec"]["mlPolicy"] == {"numNodes": 1, "jax": {}}


class TestStartingAgain:
    def action(self, runtime, *, exit_code, conditions=()):
        """Returns what JobSet does when a pod has ended so: what the Job controller makes of it, by JobSet's rules."""
        spec, policy = job_of(runtime), runtime["spec"]["template"]["spec"]["failurePolicy"]
        reason = "BackoffLimitExceeded"
        assert spec["backoffLimit"] == 0
        for rule in spec["podFailurePolicy"]["rules"]:
            marks = {each["type"] for each in rule.get("onPodConditions", ()) if each["status"] == "True"}
            codes = rule.get("onExitCodes", {"values": ()})
            if marks & set(conditions) or exit_code in codes["values"]:
                assert rule["action"] == "FailJob"
                reason = "PodFailurePolicy"
        for rule in policy["rules"]:
            if reason in rule["onJobFailureReasons"]:
                return rule["action"]
        return "RestartJobSet"

    @pytest.mark.parametrize("code", [143, 137])
    def test_evicted(self, planned, code):
        """A node group's update evicts a pod on each node: none of them counts, even where its time ran out."""
        found = self.action(runtime_of(planned()), exit_code=code, conditions=["DisruptionTarget"])

        assert found == "RestartJobSetAndIgnoreMaxRestarts"

    @pytest.mark.parametrize("end", ["TOLD_TO_END", "PEER_GONE"])
    def test_ended_with_it(self, planned, end):
        """Those that end together with an evicted pod, or because it is gone, count as little."""
        code = runpy.run_path(str(SCRIPTS / "trnstack_program.py"))[end]

        assert self.action(runtime_of(planned()), exit_code=code) == "RestartJobSetAndIgnoreMaxRestarts"

    @pytest.mark.parametrize("code", [1, 137, 139])
    def test_broken(self, planned, code):
        """A pod that fails by itself starts the set again, and is counted to an end."""
        runtime = runtime_of(planned())

        assert self.action(runtime, exit_code=code) == "RestartJobSet"
        assert 0 < runtime["spec"]["template"]["spec"]["failurePolicy"]["maxRestarts"] < 100

    def test_grace(self):
        """A pod may finish a checkpoint that it has begun and write a last one, whatever Kueue leaves of its job."""
        plan = planned_file("llama3-8b-trn1").plan

        assert pod_of(plan)["spec"]["terminationGracePeriodSeconds"] >= 60 + 2 * int(plan.training.write.seconds)

    def test_grace_without_training(self, planned):
        """Where nothing says how large a checkpoint is, it is what a spot node has."""
        assert pod_of(planned())["spec"]["terminationGracePeriodSeconds"] == 120


def compared(runtime, train_job):
    """Returns what Kueue compares of a running job with what it admitted: the containers, after the job's own words.

    Source: kubernetes-sigs/kueue at v0.19.2 with kubeflow/trainer 2.2.1: lists of what has a key are merged by it.
    """
    container = dict(job_of(runtime)["template"]["spec"]["containers"][0])
    trainer = train_job["spec"]["trainer"]
    (patch,) = train_job["spec"]["runtimePatches"]
    (job,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    (own,) = job["template"]["spec"]["template"]["spec"]["containers"]
    mounts = {each["mountPath"]: each for each in (*container["volumeMounts"], *own["volumeMounts"])}
    variables = {each["name"]: each for each in (*container.get("env", ()), *trainer["env"])}
    given = {"image": trainer["image"]} if "image" in trainer else {}
    if "resourcesPerNode" in trainer:
        given["resources"] = trainer["resourcesPerNode"]
    return {
        **container,
        **given,
        "command": trainer["command"],
        "volumeMounts": list(mounts.values()),
        "env": list(variables.values()),
    }


class TestRunningJobs:
    @pytest.fixture
    def found(self):
        """A plan with training, and the training job that runs by it."""
        source = planned_file("llama3-8b-trn1")
        return source.plan, source.objects(kind="train")["TrainJob"]

    def changed(self, plan, **parts):
        return dataclasses.replace(plan, kubernetes=dataclasses.replace(plan.kubernetes, **parts))

    def after(self, plan, case):
        (fleet,) = plan.kubernetes.fleets
        match case:
            case "upgraded lock":
                pins = dataclasses.replace(plan.pins, container_image="other:2", container_digest="sha256:" + "1" * 64)
                return dataclasses.replace(plan, pins=pins)
            case "less room":
                smaller = dataclasses.replace(fleet, whole_node={**fleet.whole_node, "cpu": "64"}, shared_memory="9Gi")
                return self.changed(plan, fleets=(smaller,))
            case "another first group":
                first = dataclasses.replace(
                    fleet,
                    name="trn2",
                    node_labels={"trnstack/node-group": "trn2"},
                    logical_neuroncore_config=2,
                    whole_node={"aws.amazon.com/neuron": "1"},
                )
                return self.changed(plan, fleets=(first, fleet))
            case "another queue":
                return self.changed(plan, queue=dataclasses.replace(plan.kubernetes.queue, flavors=()))
        raise LookupError(case)

    @pytest.mark.parametrize("case", ["upgraded lock", "less room", "another first group", "another queue"])
    def test_go_on(self, found, case):
        """A deploy that changes the lock, pods' room or groups leaves a job's containers what Kueue admitted."""
        plan, job = found
        later = self.after(plan, case)
        before, after = runtime_of(plan), runtime_of(later)

        assert before != after
        assert compared(before, job) == compared(after, job)

    def test_told_of_those_without_an_image(self, found):
        """Who leaves the image to the runtime is stopped by another one, and is told before."""
        plan, _ = found
        (told,) = stopped(plan, self.after(plan, "upgraded lock"))

        assert "trnstack-torch" in told
        assert "name no image" in told

    def test_told_of_another_mount(self, found):
        """Another place of the file system changes every job's containers."""
        plan, job = found
        later = self.changed(plan, mount_path="/elsewhere")
        (told,) = stopped(plan, later)

        assert compared(runtime_of(plan), job) != compared(runtime_of(later), job)
        assert told.startswith("every running training job")

    @pytest.mark.parametrize("case", ["less room", "another first group", "another queue"])
    def test_nothing_to_tell(self, found, case):
        """What stops no job is not told, nor is anything where nothing changes."""
        plan, _ = found

        assert list(stopped(plan, plan)) == []
        assert list(stopped(plan, self.after(plan, case))) == []

    def test_nothing_to_tell_without_a_queue(self, found):
        """Trainer keeps what a job began with; only the queue looks at the runtime again."""
        plan, _ = found
        without = self.changed(plan, queue=None)

        assert list(stopped(without, self.after(without, "upgraded lock"))) == []
