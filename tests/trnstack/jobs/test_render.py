"""What jobs are for each environment: what they ask for, where they run, and that Kubernetes would take them."""

import re
from dataclasses import replace
from functools import cache

import pytest

from tests.trnstack.jobs.conftest import ENVIRONMENTS, Planned, planned
from trnstack.jobs.render import PEER_GONE, TOLD_TO_END
from trnstack.jobs.request import ALWAYS, FRAMEWORKS, KINDS
from trnstack.jobs.shape import script
from trnstack.kubernetes.objects.runtimes import runtime
from trnstack.kubernetes.validation import problems

#: Neuron devices and EFA interfaces of a node, by the EC2 API.
HARDWARE = {"trn1.2xlarge": (1, 0), "trn1.32xlarge": (16, 8), "trn2.48xlarge": (16, 16), "trn2u.48xlarge": (16, 16)}


#: Optimum is in no container of AWS, so a job names one.
OPTIMUM_IMAGE = "registry.example/optimum@sha256:" + 64 * "0"
#: What each framework runs, beside what every one does.
EACH, TRAINS = {"smoke", "checkpoint-io", "profile"}, {"train", "precompile"}
RUNS = {
    "pytorch": {*EACH, *TRAINS, "collectives"},
    "lightning": {*EACH, *TRAINS},
    "jax": {*EACH, "train", "collectives"},
    "optimum": EACH,
    "nki": EACH,
}
#: What each container carries; any has the Python that the checkpoint benchmark is made of.
CARRIES = {"pytorch": {"pytorch", "lightning", "nki"}, "jax": {"jax", "nki"}}


def fits(name, kind, framework):
    """Tells whether an environment must have a job, by what its sections and its container give it."""
    environment = planned(name).environment
    carried = framework in {*CARRIES[environment.neuron.framework], "optimum"} or kind == "checkpoint-io"
    return kind in RUNS[framework] and carried and (environment.training is not None or kind not in TRAINS)


def asked(group, kind, framework):
    image = {"image": OPTIMUM_IMAGE} if framework == "optimum" else {}
    return {"node_group": group, "kind": kind, "framework": framework, **image}


ALL = [
    (name, group.name, kind, framework)
    for name in ENVIRONMENTS
    for group in planned(name).environment.node_groups
    for kind in KINDS
    for framework in FRAMEWORKS
]
EVERY = [case for case in ALL if fits(case[0], *case[2:])]
every = pytest.mark.parametrize(("name", "group", "kind", "framework"), EVERY)


@cache
def rendered(name, group, kind, framework):
    return planned(name).objects(**asked(group, kind, framework))


def pod_of(objects):
    """Returns the pod of a Job, or what a TrainJob has in its place: the same keys, gathered from where they are."""
    if "Job" in objects:
        return objects["Job"]["spec"]["template"]["spec"]
    spec = objects["TrainJob"]["spec"]
    (job,) = spec["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pod, trainer = job["template"]["spec"]["template"]["spec"], spec["trainer"]
    (container,) = pod["containers"]
    whole = {
        **container,
        "env": trainer["env"],
        "resources": trainer["resourcesPerNode"],
        "command": trainer["command"],
        "image": trainer["image"],
    }
    return {**pod, "containers": [whole]}


def variables(objects):
    return {each["name"]: each["value"] for each in pod_of(objects)["containers"][0]["env"]}


def requests(objects):
    return pod_of(objects)["containers"][0]["resources"]["requests"]


class TestEveryEnvironment:
    def test_what_fits(self):
        """Every kind that fits is had, for each framework and node group, and none besides."""
        had = [case for case in ALL if not planned(case[0]).codes(**asked(*case[1:]))]

        assert had == EVERY
        assert {case[2] for case in EVERY} == set(KINDS)
        assert {case[3] for case in EVERY} == set(FRAMEWORKS)

    @every
    def test_kubernetes_takes_it(self, name, group, kind, framework):
        """Every kind that fits renders, and the API server of the environment's version would take it."""
        found = planned(name)
        objects = rendered(name, group, kind, framework)

        assert problems(objects.values(), found.plan.cluster.kubernetes_version) == []

    @every
    def test_devices(self, name, group, kind, framework):
        """K8S-04: A pod asks for exactly what its node has of devices and interfaces, and for no cores beside them."""
        found = planned(name)
        objects = rendered(name, group, kind, framework)
        (of,) = [each for each in found.environment.node_groups if each.name == group]
        devices, interfaces = HARDWARE[of.instance_type]
        resources = pod_of(objects)["containers"][0]["resources"]

        assert resources["requests"] == resources["limits"]
        assert resources["requests"]["aws.amazon.com/neuron"] == str(devices)
        assert resources["requests"].get("vpc.amazonaws.com/efa") == (str(interfaces) if interfaces else None)
        assert "aws.amazon.com/neuroncore" not in resources["requests"]

    @every
    def test_huge_pages(self, name, group, kind, framework):
        """HOST-02: A pod with EFA asks for huge pages, and one without tells libfabric to use none."""
        objects = rendered(name, group, kind, framework)
        asked = requests(objects)

        if "vpc.amazonaws.com/efa" in asked:
            assert asked["hugepages-2Mi"] == "5120Mi"
            assert "FI_EFA_USE_HUGE_PAGE" not in variables(objects)
        else:
            assert "hugepages-2Mi" not in asked
            assert variables(objects)["FI_EFA_USE_HUGE_PAGE"] == "0"

    @every
    def test_shared_memory(self, name, group, kind, framework):
        """HOST-03: Shared memory is of a size of its own, in memory, and a part of what the pod may use."""
        objects = rendered(name, group, kind, framework)
        pod = pod_of(objects)
        volume = next(each for each in pod["volumes"] if each["name"] == "shared-memory")
        gib = int(volume["emptyDir"]["sizeLimit"].removesuffix("Gi"))

        assert volume["emptyDir"]["medium"] == "Memory"
        assert 1 <= gib < int(requests(objects)["memory"].removesuffix("Gi"))
        if "Job" in objects:  # the runtime of a TrainJob mounts it
            mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
            assert mounts["shared-memory"] == "/dev/shm"  # noqa: S108 - a mount

    @every
    def test_place(self, name, group, kind, framework):
        """A pod selects its node group, tolerates each of its taints, and its job is in the queue."""
        found = planned(name)
        objects = rendered(name, group, kind, framework)
        (fleet,) = [each for each in found.plan.kubernetes.fleets if each.name == group]
        pod = pod_of(objects)
        job = objects.get("Job") or objects["TrainJob"]

        assert pod["nodeSelector"] == dict(fleet.node_labels)
        assert {each["key"] for each in pod["tolerations"]} == {taint.key for taint in fleet.taints}
        labels = dict(job["metadata"]["labels"])
        assert re.fullmatch(r"[0-9a-f]{12}", labels.pop("trnstack/render"))
        assert labels == {
            "kueue.x-k8s.io/queue-name": "training",
            "kueue.x-k8s.io/priority-class": "training-normal" if kind in ("train", "precompile") else "training-low",
        }

    @every
    def test_image(self, name, group, kind, framework):
        """A container is named by its digest, in a TrainJob too: its runtime's is that of the latest deploy."""
        assert re.search(
            r"@sha256:[0-9a-f]{64}$", pod_of(rendered(name, group, kind, framework))["containers"][0]["image"]
        )

    @every
    def test_scripts(self, name, group, kind, framework):
        """What the command starts is among the files, whole."""
        objects = rendered(name, group, kind, framework)
        _, start, _, program = pod_of(objects)["containers"][0]["command"]
        data = objects["ConfigMap"]["data"]

        assert start == "/trnstack/start.py"
        assert {*ALWAYS, program} <= set(data)
        for file, text in data.items():
            if file.endswith(".py"):
                compile(text, file, "exec")


class TestPartOfANode:
    @pytest.mark.parametrize("devices", [1, 4, 8])
    def test_devices(self, devices):
        """A part of a node has its part of cores and memory, no EFA, and neighbouring devices by the scheduler."""
        objects = planned("llama3-8b-trn1").objects(kind="smoke", devices=devices)
        whole = planned("llama3-8b-trn1").plan.kubernetes.fleets[0].whole_node

        asked = requests(objects)
        assert asked["aws.amazon.com/neuron"] == str(devices)
        assert asked["cpu"] == str(int(whole["cpu"]) * devices // 16)
        assert "vpc.amazonaws.com/efa" not in asked
        assert pod_of(objects)["schedulerName"] == "my-scheduler"
        assert variables(objects)["TRNSTACK_CORES"] == str(2 * devices)

    def test_whole(self):
        """A whole node needs no choice of devices."""
        assert "schedulerName" not in pod_of(planned("llama3-8b-trn1").objects(kind="smoke"))


class TestSeveralNodes:
    def test_names(self):
        """Pods of a job find each other by its service, and the first by its number."""
        objects = planned("llama3-8b-trn1").objects(kind="collectives", name="ring")

        assert objects["Job"]["spec"]["completions"] == objects["Job"]["spec"]["parallelism"] == 32
        assert (
            objects["Job"]["spec"]["template"]["spec"]["subdomain"] == objects["Service"]["metadata"]["name"] == "ring"
        )
        assert objects["Service"]["spec"]["publishNotReadyAddresses"] is True
        assert variables(objects)["TRNSTACK_MASTER"] == "ring-0.ring"

    def test_near(self):
        """They are wanted as near to each other as the network has room."""
        metadata = planned("llama3-8b-trn1").objects(kind="collectives")["Job"]["spec"]["template"]["metadata"]

        assert metadata["annotations"] == {
            "kueue.x-k8s.io/podset-preferred-topology": "topology.k8s.aws/network-node-layer-3"
        }

    def test_ultraserver(self):
        """Pods on an UltraServer are kept on it, and told how many instances work as one."""
        objects = planned("ultraserver-trn2u").objects(kind="collectives")

        annotations = objects["Job"]["spec"]["template"]["metadata"]["annotations"]
        assert annotations == {"kueue.x-k8s.io/podset-required-topology": "trnstack/ultraserver"}
        assert objects["Job"]["spec"]["completions"] == 4
        assert variables(objects)["TRNSTACK_ULTRASERVER"] == "4"
        assert variables(objects)["NEURON_LOGICAL_NC_CONFIG"] == "2"

    @pytest.mark.parametrize("nodes", [1, 2, 3, 4])
    def test_ultraserver_file_system(self, nodes):
        """The file system is measured from any of an UltraServer's instances, which need not work as one for it."""
        objects = planned("ultraserver-trn2u").objects(kind="checkpoint-io", nodes=nodes)

        assert "TRNSTACK_ULTRASERVER" not in variables(objects)
        assert "metadata" not in objects["Job"]["spec"]["template"]

    def test_ultraserver_training(self):
        """So is a training job, whose runtime Trainer has."""
        objects = planned("ultraserver-trn2u").objects(kind="train")
        (job,) = objects["TrainJob"]["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"][
            "replicatedJobs"
        ]

        annotations = job["template"]["spec"]["template"]["metadata"]["annotations"]
        assert annotations == {"kueue.x-k8s.io/podset-required-topology": "trnstack/ultraserver"}
        assert variables(objects)["TRNSTACK_ULTRASERVER"] == "4"

    def test_one(self):
        """A job on one node has neither service nor distance."""
        objects = planned("llama3-8b-trn1").objects(kind="smoke")

        assert set(objects) == {"ConfigMap", "Job"}
        assert "metadata" not in objects["Job"]["spec"]["template"]


class TestTraining:
    def test_published_cluster(self):
        """Llama-3-8B on 32 trn1.32xlarge is what the published result was measured with."""
        objects = planned("llama3-8b-trn1").objects(kind="train")
        told = objects["ConfigMap"]["data"]["training.json"]

        assert objects["TrainJob"]["spec"]["runtimeRef"]["name"] == "trnstack-torch"
        assert objects["TrainJob"]["spec"]["trainer"]["numNodes"] == 32
        assert objects["TrainJob"]["spec"]["trainer"]["numProcPerNode"] == 32
        for line in ('"tensor": 32', '"global_batch_size": 1024', '"sequence_length": 8192', '"zero_stage": 1'):
            assert line in told

    def test_jax(self, changed):
        """JAX trains on its own runtime, with scripts of its own, one process a pod."""
        neuron = planned("llama3-8b-trn1").environment.neuron.model_copy(update={"framework": "jax"})
        jax = changed("llama3-8b-trn1", neuron=neuron)
        objects = jax.objects(kind="train")

        assert objects["TrainJob"]["spec"]["runtimeRef"]["name"] == "trnstack-jax"
        assert {"pretrain_jax.py", "jax_pods.py", "jax_checkpoints.py"} <= set(objects["ConfigMap"]["data"])
        assert problems(objects.values(), jax.plan.cluster.kubernetes_version) == []

    def test_jax_on_its_own(self, changed):
        """JAX's own environment trains as soon as it says what: without a file system on one node, by the bucket."""
        training = planned("llama2-7b-trn1").environment.training
        degrees = training.parallelism.model_copy(update={"tensor": 32})
        jax = changed("jax-trn1", training=training.model_copy(update={"parallelism": degrees}))
        objects = jax.objects(kind="train")

        assert objects["TrainJob"]["spec"]["runtimeRef"]["name"] == "trnstack-jax"
        assert objects["TrainJob"]["spec"]["trainer"]["numNodes"] == 1
        assert problems(objects.values(), jax.plan.cluster.kubernetes_version) == []

    def test_other_group(self, changed):
        """A job on another group than the first says so to the runtime, which is the first group's."""
        source = planned("llama3-8b-trn1").environment
        sample = planned("trn2-eks-sample").environment
        training = source.training.model_copy(
            update={"parallelism": source.training.parallelism.model_copy(update={"tensor": 16})}
        )
        both = changed("trn2-eks-sample", training=training, node_groups=sample.node_groups)
        pod = pod_of(both.objects(kind="train", node_group="trn2u", nodes=1))

        assert pod["nodeSelector"] == {"trnstack/node-group": "trn2u"}

    def test_says_all_itself(self):
        """What differs by node group a job says itself, and its runtime says none of it: Trainer would add the two.

        Trn1 has no choice of logical cores, so nothing may group them there.
        """
        trn1, trn2 = planned("llama3-8b-trn1"), planned("llama3-8b-trn2")
        fleets = (replace(trn2.plan.kubernetes.fleets[0], name="other"), *trn1.plan.kubernetes.fleets)
        plan = replace(trn1.plan, kubernetes=replace(trn1.plan.kubernetes, fleets=fleets))
        objects = Planned(trn1.environment, plan).objects(kind="train", node_group="trn1")
        (given,) = runtime(plan, "trnstack-torch")["spec"]["template"]["spec"]["replicatedJobs"]
        container = given["template"]["spec"]["template"]["spec"]["containers"][0]

        assert requests(objects) == dict(fleets[1].whole_node)
        assert "NEURON_LOGICAL_NC_CONFIG" not in variables(objects)
        assert "resources" not in container
        assert "env" not in container
        assert variables(trn2.objects(kind="train"))["NEURON_LOGICAL_NC_CONFIG"] == "2"

    def test_no_trainer(self, changed):
        """Without Kubeflow Trainer it is a plain job, which starts again as often."""
        environment = planned("llama3-8b-trn1").environment
        without = changed(
            "llama3-8b-trn1", kubernetes=environment.kubernetes.model_copy(update={"kubeflow_trainer": False})
        )
        objects = without.objects(kind="train")

        assert set(objects) == {"ConfigMap", "Service", "Job"}
        assert objects["Job"]["spec"]["backoffLimit"] == 320
        # A lost pod takes the others with it, which come back together; none of their ends is a failure.
        ends = [rule["onExitCodes"] for rule in objects["Job"]["spec"]["podFailurePolicy"]["rules"][1:]]
        assert ends == [{"containerName": "node", "operator": "In", "values": [75, 143]}]
        assert problems(objects.values(), without.plan.cluster.kubernetes_version) == []

    def test_no_queue(self, changed):
        """Without the queue a job has its priority from Kubernetes, and no label that nothing reads."""
        environment = planned("llama3-8b-trn1").environment
        without = changed("llama3-8b-trn1", kubernetes=environment.kubernetes.model_copy(update={"kueue": False}))
        job = without.objects(kind="smoke")["Job"]

        assert list(job["metadata"]["labels"]) == ["trnstack/render"]
        assert job["spec"]["template"]["spec"]["priorityClassName"] == "training-low"

    def test_no_file_system(self):
        """On one node without a file system checkpoints go to the bucket."""
        objects = planned("llama3-8b-trn2").objects(kind="train")

        assert objects["TrainJob"]["spec"]["trainer"]["numNodes"] == 1
        assert variables(objects)["TRNSTACK_KEEPS_CHECKPOINTS"] == "1"

    def test_compiling(self):
        """Compiling beforehand takes as many nodes as training, since collectives are compiled for their number."""
        objects = planned("llama3-8b-trn1").objects(kind="precompile")

        assert objects["Job"]["spec"]["completions"] == 32
        assert variables(objects)["TRNSTACK_WRAPPER"] == "neuron_parallel_compile"

    def test_grace(self, changed):
        """A training pod may finish a checkpoint that it has begun; a TrainJob's by its runtime: Kueue drops it."""
        found = planned("llama3-8b-trn1")
        kubernetes = found.environment.kubernetes.model_copy(update={"kubeflow_trainer": False})
        plain = changed("llama3-8b-trn1", kubernetes=kubernetes).objects(kind="train")
        (given,) = runtime(found.plan, "trnstack-torch")["spec"]["template"]["spec"]["replicatedJobs"]

        seconds = pod_of(plain)["terminationGracePeriodSeconds"]
        assert seconds > 2 * found.plan.training.write.seconds
        assert given["template"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == seconds
        assert "terminationGracePeriodSeconds" not in pod_of(found.objects(kind="train"))


class TestAgain:
    def test_digest(self):
        """All objects of a job tell which render they are of, and another render is another."""
        found = planned("llama3-8b-trn1")

        def digests(**asked):
            return {each["metadata"]["labels"]["trnstack/render"] for each in found.objects(**asked).values()}

        assert len(digests(kind="collectives")) == 1
        assert digests(kind="collectives") == digests(kind="collectives")
        assert digests(kind="collectives") != digests(kind="collectives", nodes=2)
        assert digests(kind="train") != digests(kind="train", data="/fsx/tokens")

    @pytest.mark.parametrize("kind", ["smoke", "train"])
    def test_scripts_stay(self, kind):
        """The scripts of a job that runs can't be replaced under it."""
        assert planned("llama3-8b-trn1").objects(kind=kind)["ConfigMap"]["immutable"] is True

    def test_what_marks_ends(self):
        """The ends that are no failures are those by which the pods' scripts tell them."""
        text = script("trnstack_program.py")

        assert f"TOLD_TO_END, PEER_GONE = {TOLD_TO_END}, {PEER_GONE}" in text


def test_a_name_that_yaml_takes_for_a_truth():
    """A job may be named on or null."""
    assert planned("dev-trn1").objects(kind="smoke", name="on")["Job"]["metadata"]["name"] == "on"


def test_checkpoint_size():
    """The benchmark writes as much as a checkpoint of the run has."""
    found = planned("llama3-8b-trn1")

    assert variables(found.objects(kind="checkpoint-io"))["TRNSTACK_CHECKPOINT_BYTES"] == str(
        found.plan.training.checkpoint.total_bytes
    )


class TestWithoutAFileSystem:
    NAME = "llama3-8b-trn2"

    def test_captures(self):
        """A profile's captures lie on the node's disk, and go from there to the bucket."""
        told = variables(planned(self.NAME).objects(kind="profile", name="look"))

        assert told["NEURON_RT_INSPECT_OUTPUT_DIR"] == told["TRNSTACK_CAPTURES"] == "/scratch/profiles/look"

    def test_captures_beside_a_file_system(self):
        """Where there is a file system they are on it, and nothing is copied."""
        told = variables(planned("llama3-8b-trn1").objects(kind="profile", name="look"))

        assert told["NEURON_RT_INSPECT_OUTPUT_DIR"] == "/fsx/profiles/look"
        assert "TRNSTACK_CAPTURES" not in told

    @pytest.mark.parametrize(
        ("name", "nodes", "script"),
        [
            (NAME, 1, "checkpoint_io_bucket.py"),
            ("trn2-eks-sample", 1, "checkpoint_io_bucket.py"),
            ("jax-trn1", 1, "checkpoint_io_bucket.py"),
            ("llama3-8b-trn1", 32, "checkpoint_io.py"),
        ],
    )
    def test_checkpoint_io(self, name, nodes, script):
        """The way into the bucket is measured from one node, which is as many as train without a file system."""
        objects = planned(name).objects(kind="checkpoint-io")

        assert objects["Job"]["spec"]["completions"] == nodes
        assert pod_of(objects)["containers"][0]["command"][-1] == script
        assert "checkpoint_io.py" in objects["ConfigMap"]["data"]
