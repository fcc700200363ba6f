"""Validation: what Kubernetes takes passes, and each thing that it refuses is told with its place."""

import copy

import pytest

from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.schemas import custom_schemas
from trnstack.kubernetes.validation import problems

VERSIONS = list(KUBERNETES_VERSIONS)
RESOURCES = {"aws.amazon.com/neuron": 16, "vpc.amazonaws.com/efa": 8, "hugepages-2Mi": "5120Mi", "memory": "400Gi"}
POD = {
    "restartPolicy": "Never",
    "serviceAccountName": "trainer",
    "tolerations": [{"key": "aws.amazon.com/neuron", "operator": "Exists", "effect": "NoSchedule"}],
    "nodeSelector": {"trnstack/neuron": "true"},
    "containers": [
        {
            "name": "node",
            "image": "registry.example.com/training:1.0",
            "ports": [{"name": "rank0", "containerPort": 41000}],
            "env": [{"name": "FI_PROVIDER", "value": "efa"}],
            "envFrom": [{"configMapRef": {"name": "trnstack"}}],
            "resources": {"limits": RESOURCES, "requests": RESOURCES},
            "volumeMounts": [{"name": "shm", "mountPath": "/shm"}, {"name": "data", "mountPath": "/data"}],
        }
    ],
    "volumes": [
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "100Gi"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "lustre"}},
    ],
}
INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimit": 0}


def made(kind, api_version="v1", *, name="demo", **fields):
    """Returns an object."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def job(pod=POD, *, name="demo", **spec):
    """Returns a job of pods."""
    return made("Job", "batch/v1", name=name, spec={**spec, "template": {"spec": copy.deepcopy(pod)}})


def pod_with(**container):
    """Returns a pod whose only container has other fields."""
    return {**POD, "containers": [{**POD["containers"][0], **container}]}


def queue(**spec):
    """Returns a queue with one flavor."""
    return made(
        "ClusterQueue",
        "kueue.x-k8s.io/v1beta2",
        spec={
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "training"}},
            "resourceGroups": [
                {
                    "coveredResources": ["aws.amazon.com/neuron", "cpu"],
                    "flavors": [
                        {
                            "name": "trn1",
                            "resources": [
                                {"name": "aws.amazon.com/neuron", "nominalQuota": 32},
                                {"name": "cpu", "nominalQuota": "250"},
                            ],
                        }
                    ],
                }
            ],
            **spec,
        },
    )


def flavor(**spec):
    """Returns a flavor."""
    fields = {"nodeLabels": {"trnstack/node-group": "trn1"}, "topologyName": "trnstack", **spec}
    return made("ResourceFlavor", "kueue.x-k8s.io/v1beta2", spec=fields)


def topology(*labels):
    """Returns a topology of levels."""
    levels = [{"nodeLabel": label} for label in labels]
    return made("Topology", "kueue.x-k8s.io/v1beta2", spec={"levels": levels})


def runtime(pod=POD, *, policy=None, replicas=1, labels=None, **spec):
    """Returns a runtime of Trainer's."""
    template = {
        "metadata": {"labels": labels or {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
        "spec": {"template": {"spec": copy.deepcopy(pod)}},
    }
    jobs = [{"name": "node", "replicas": replicas, "template": template}]
    return made(
        "ClusterTrainingRuntime",
        "trainer.kubeflow.org/v1alpha1",
        spec={
            "mlPolicy": policy or {"numNodes": 1, "torch": {}},
            "template": {"spec": {"replicatedJobs": jobs, **spec}},
        },
    )


def train_job(*, name="demo", trainer=None, **spec):
    """Returns a job of Trainer's."""
    fields = {"runtimeRef": {"name": "trnstack-torch"}, "trainer": trainer or {"numNodes": 2}, **spec}
    return made("TrainJob", "trainer.kubeflow.org/v1alpha1", name=name, spec=fields)


def job_set(*jobs, name="demo", **spec):
    """Returns a set of jobs."""
    return made("JobSet", "jobset.x-k8s.io/v1alpha2", name=name, spec={"replicatedJobs": list(jobs), **spec})


def replicated(name="workers", **spec):
    """Returns one of a set's jobs."""
    return {"name": name, "template": {"spec": {**INDEXED, **spec, "template": {"spec": copy.deepcopy(POD)}}}}


def daemon_set(*, labels=None, selector=None, pod=POD):
    """Returns a DaemonSet."""
    spec = {**copy.deepcopy(pod), "restartPolicy": "Always"}
    template = {"metadata": {"labels": labels or {"app": "x"}}, "spec": spec}
    return made(
        "DaemonSet", "apps/v1", spec={"selector": selector or {"matchLabels": {"app": "x"}}, "template": template}
    )


GOOD = [
    made("Namespace", name="training"),
    made("ServiceAccount", name="trainer"),
    made("ConfigMap", name="trnstack", data={"TRNSTACK_ENVIRONMENT": "demo"}),
    made("Service", name="demo", spec={"clusterIP": "None", "selector": {"job-name": "demo"}}),
    job(),
    job(name="indexed", **INDEXED),
    job(
        name="retries",
        podReplacementPolicy="Failed",
        podFailurePolicy={"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2]}}]},
    ),
    daemon_set(),
    made(
        "PersistentVolume",
        name="lustre",
        spec={
            "accessModes": ["ReadWriteMany"],
            "capacity": {"storage": "1200Gi"},
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "@@FILE_SYSTEM_ID@@"},
        },
    ),
    made(
        "PersistentVolumeClaim",
        name="lustre",
        spec={
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1200Gi"}},
            "storageClassName": "",
        },
    ),
    made("PriorityClass", "scheduling.k8s.io/v1", name="training-low", value=100),
    made(
        "Role",
        "rbac.authorization.k8s.io/v1",
        name="trnstack:trainers",
        rules=[{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["get"]}],
    ),
    made(
        "RoleBinding",
        "rbac.authorization.k8s.io/v1",
        name="trnstack:trainers",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "trnstack:trainers"},
        subjects=[{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "trnstack:trainers"}],
    ),
    topology("topology.k8s.aws/network-node-layer-1", "kubernetes.io/hostname"),
    flavor(),
    queue(),
    made("LocalQueue", "kueue.x-k8s.io/v1beta2", spec={"clusterQueue": "training"}),
    made("WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2", name="training-low", value=100, description="first to go"),
    runtime(),
    runtime({key: value for key, value in POD.items() if key != "restartPolicy"}) | {"metadata": {"name": "other"}},
    train_job(trainer={"numNodes": 2, "env": [{"name": "A", "value": "b"}], "resourcesPerNode": {"limits": RESOURCES}}),
    job_set(replicated(), failurePolicy={"maxRestarts": 3}),
]


@pytest.mark.parametrize("version", VERSIONS)
def test_good(version):
    """Objects as an environment has them are taken by every version."""
    assert problems(GOOD, version) == []


def test_unknown_version():
    """A version without schemas is a mistake of the caller's, and told with those that there are."""
    with pytest.raises(ValueError, match=r"no schemas of Kubernetes 1\.99, only of .*1\.35"):
        problems(GOOD, "1.99")


class TestKinds:
    @pytest.mark.parametrize(
        ("api_version", "kind"),
        [
            ("kueue.x-k8s.io/v1beta1", "Topology"),
            ("kueue.x-k8s.io/v1beta2", "Cohort"),
            ("example.com/v1", "Job"),
            ("batch/v2", "Job"),
            ("v1", "Jobb"),
            ("v1", "Status"),
        ],
    )
    def test_unknown(self, api_version, kind):
        """A kind that nobody has a schema of never passes, nor one in another group or version."""
        (found,) = problems([made(kind, api_version)], "1.35")

        assert found == f"{kind} demo: kind: neither Kubernetes 1.35 nor a chart has a kind {kind} of {api_version}"

    def test_of_a_version(self):
        """A kind that a version does not have yet is unknown there, and known later."""
        claim = made("ResourceClaimTemplate", "resource.k8s.io/v1", spec={"spec": {"devices": {}}})

        assert "neither Kubernetes 1.32 nor" in problems([claim], "1.32")[0]
        assert problems([claim], "1.35") == []

    @pytest.mark.parametrize("missing", ["apiVersion", "kind", "metadata"])
    def test_incomplete(self, missing):
        """What says not what it is, is told so."""
        (found,) = problems([{key: value for key, value in job().items() if key != missing}], "1.35")

        assert found.endswith(f"the object: {missing} is missing")

    def test_twice(self):
        """Two objects of one kind, namespace and name are one too many; of different kinds they are not."""
        assert problems([made("Namespace"), made("ServiceAccount")], "1.35") == []
        assert problems([made("Namespace")] * 2, "1.35") == ["Namespace demo: metadata.name: there are two of them"]

    def test_custom(self):
        """The custom kinds are those that the environment's charts bring."""
        assert {kind for _, kind in custom_schemas()} == {
            *("Topology", "ResourceFlavor", "ClusterQueue", "LocalQueue", "WorkloadPriorityClass"),
            *("TrainJob", "ClusterTrainingRuntime", "JobSet"),
        }


BAD = [
    # Schemas.
    (job(complectionMode="Indexed"), "spec: there is no field complectionMode"),
    (job(completionMode="indexed"), "spec.completionMode: 'indexed' is not one of NonIndexed, Indexed"),
    (job(backoffLimit="3"), "spec.backoffLimit: '3' is not a whole number"),
    (job({**POD, "containers": [{"image": "x"}]}), "spec.template.spec.containers[0]: name is missing"),
    (job({**POD, "restartPolicy": "Sometimes"}), "spec.template.spec.restartPolicy: 'Sometimes' is not one of"),
    (
        job({**POD, "tolerations": [{"key": "a", "operator": "Exists", "effect": "NO_SCHEDULE"}]}),
        "spec.template.spec.tolerations[0].effect: 'NO_SCHEDULE' is not one of",
    ),
    # Names and words.
    (made("Namespace", name="Training"), "metadata.name: 'Training' is not at most 63 characters"),
    (made("Namespace", name="a.b"), "metadata.name: 'a.b' is not at most 63 characters"),
    (made("Service", name="1demo", spec={"clusterIP": "None"}), "metadata.name: '1demo' is not"),
    ({**made("ConfigMap"), "metadata": {}}, "the object: metadata is missing"),
    ({**made("ConfigMap"), "metadata": {"labels": {}}}, "metadata.name: it is missing"),
    ({**made("ConfigMap"), "metadata": {"name": "a", "namespace": "a.b"}}, "metadata.namespace: 'a.b' is not"),
    ({**made("ConfigMap"), "metadata": {"name": "a", "labels": {"k": "a b"}}}, "metadata.labels.k: 'a b' is not"),
    ({**made("ConfigMap"), "metadata": {"name": "a", "labels": {"-k": ""}}}, "metadata.labels: '-k' is not"),
    ({**made("ConfigMap"), "metadata": {"name": "a", "annotations": {"k k": ""}}}, "metadata.annotations: 'k k'"),
    (
        {**made("ConfigMap"), "metadata": {"name": "a", "annotations": {"k": "x" * 262_144}}},
        "metadata.annotations: 262,145 bytes are more than 262,144",
    ),
    (job(name="x" * 64), "metadata.name: 64 characters are more than 63"),
    (job(name="x" * 62, **INDEXED), "metadata.name: its last pod would have the host name"),
    # Workloads.
    (daemon_set(labels={"app": "y"}), "spec.selector: its own pods lack the label app=x"),
    (daemon_set(selector={"matchLabels": {}}), "spec.selector: it selects every pod"),
    (
        daemon_set(selector={"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}),
        "spec.selector: its own pods have not what it demands of the label app",
    ),
    (
        job({**POD, "restartPolicy": "Always"}),
        "spec.template.spec.restartPolicy: pods of a job need Never or OnFailure",
    ),
    (runtime({**POD, "restartPolicy": "Always"}), "restartPolicy: pods of a job need Never or OnFailure"),
    (
        job({key: value for key, value in POD.items() if key != "restartPolicy"}),
        "pods of a job need Never or OnFailure",
    ),
    # Jobs.
    (job(completionMode="Indexed"), "spec.completions: an Indexed job needs them"),
    (job(backoffLimitPerIndex=1), "spec.backoffLimitPerIndex: only an Indexed job has it"),
    (job(backoffLimit=-1), "spec.backoffLimit: -1 is below 0"),
    (job(activeDeadlineSeconds=0), "spec.activeDeadlineSeconds: 0 is below 1"),
    (job(selector={"matchLabels": {"a": "b"}}), "spec.selector: Kubernetes makes it itself"),
    (job(maxFailedIndexes=1), "spec.maxFailedIndexes: it needs backoffLimitPerIndex"),
    (
        job({**POD, "restartPolicy": "OnFailure"}, podFailurePolicy={"rules": []}),
        "spec.podFailurePolicy: it needs pods with restartPolicy: Never",
    ),
    (
        job(podFailurePolicy={"rules": [{"action": "FailJob"}]}),
        "spec.podFailurePolicy.rules[0]: it needs either onExitCodes or onPodConditions",
    ),
    (
        job(podFailurePolicy={"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [0]}}]}),
        "spec.podFailurePolicy.rules[0].onExitCodes.values: 0 is no failure",
    ),
    (
        job(
            podFailurePolicy={"rules": [{"action": "FailIndex", "onPodConditions": [{"type": "A", "status": "True"}]}]}
        ),
        "spec.podFailurePolicy.rules[0].action: FailIndex needs backoffLimitPerIndex",
    ),
    # Pods.
    (job({**POD, "volumes": POD["volumes"][:1]}), "volumeMounts[1].name: there is no volume 'data'"),
    (job({**POD, "volumes": [*POD["volumes"], POD["volumes"][0]]}), "volumes: 'shm' is given 2 times"),
    (job({**POD, "volumes": [*POD["volumes"], {"name": "x"}]}), "volumes[2]: it needs one source, and has none"),
    (job({**POD, "containers": POD["containers"] * 2}), "containers: 'node' is given 2 times"),
    (job({**POD, "serviceAccountName": "A B"}), "spec.template.spec.serviceAccountName: 'A B' is no name"),
    (job({**POD, "tolerations": [{"effect": "NoSchedule"}]}), "tolerations[0]: without a key its operator must be"),
    (
        job({**POD, "tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]}),
        "tolerations[0].value: with the operator Exists there is none",
    ),
    (job({**POD, "nodeSelector": {"a": "b c"}}), "nodeSelector: no node can have the label a=b c"),
    (
        job({**POD, "volumes": [*POD["volumes"], {"name": "huge", "emptyDir": {"medium": "Hugepages"}}]}),
        "volumes[2].emptyDir.medium: 'Hugepages' is none of",
    ),
    (
        job(
            {**pod_with(resources={}), "volumes": [*POD["volumes"], {"name": "h", "emptyDir": {"medium": "HugePages"}}]}
        ),
        "volumes[2].emptyDir.medium: no container of the pod asks for huge pages",
    ),
    # Containers.
    (job(pod_with(name="Node")), "containers[0].name: 'Node' is no name of a container"),
    (job(pod_with(image="")), "containers[0].image: it is missing"),
    (job(pod_with(ports=[{"containerPort": 70_000}])), "ports[0].containerPort: 70000 is no port"),
    (job(pod_with(ports=[{"containerPort": 1, "name": "x"}] * 2)), "ports: 'x' is given 2 times"),
    (
        job(pod_with(ports=[{"containerPort": 1, "name": "a-name-too-long-"}])),
        "ports[0].name: 'a-name-too-long-' is no",
    ),
    (job(pod_with(env=[{"name": "A=B", "value": "x"}])), "env[0].name: 'A=B' is no name of a variable"),
    (job(pod_with(env=[{"name": "A", "value": "x"}] * 2)), "env: 'A' is given 2 times"),
    (job(pod_with(envFrom=[{}])), "envFrom[0]: it needs either configMapRef or secretRef"),
    (
        job(pod_with(volumeMounts=[{"name": "shm", "mountPath": "/a"}, {"name": "data", "mountPath": "/a"}])),
        "volumeMounts: '/a' is given 2 times",
    ),
    # Resources.
    (job(pod_with(resources={"limits": {"memory": "1 Gi"}})), "limits.memory: '1 Gi' is no quantity"),
    (job(pod_with(resources={"limits": {"memory": "-1"}})), "limits.memory: '-1' is no quantity"),
    (job(pod_with(resources={"limits": {"gpu": 1}})), "limits.gpu: there is no such resource"),
    (job(pod_with(resources={"limits": {"aws.amazon.com/neuron": 0.5}})), "neuron: devices are whole"),
    (
        job(pod_with(resources={"requests": {"aws.amazon.com/neuron": 1}})),
        "resources.limits: aws.amazon.com/neuron has to be there too",
    ),
    (
        job(pod_with(resources={"requests": {"vpc.amazonaws.com/efa": 1}, "limits": {"vpc.amazonaws.com/efa": 8}})),
        "requests.vpc.amazonaws.com/efa: 1 is not the limit of 8",
    ),
    (
        job(pod_with(resources={"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}})),
        "requests.memory: 2Gi is more than the limit of 1Gi",
    ),
    (
        job(pod_with(resources={"limits": {"hugepages-2Mi": "5120Mi"}})),
        "resources: huge pages need a request for cpu or memory beside them",
    ),
    (
        job(pod_with(resources={"limits": {"hugepages-2Mi": "3Mi", "cpu": 1}})),
        "limits.hugepages-2Mi: it is not a whole number of pages",
    ),
    # Other kinds.
    (made("Service", spec={"ports": [{"port": 1}, {"port": 2}]}), "spec.ports: of several, each needs a name"),
    (made("Service", spec={}), "spec.ports: there is none"),
    (made("Service", spec={"ports": [{"port": 80, "targetPort": "HTTP"}]}), "targetPort: 'HTTP' is no port"),
    (made("ConfigMap", data={"a b": "c"}), "data: 'a b' is not at most 253"),
    (made("ConfigMap", data={"a": "x" * 1_048_577}), "data: 1,048,577 bytes are more than 1,048,576"),
    (made("ConfigMap", binaryData={"a": "no base64"}), "data.a: it is not base64"),
    (
        made("PersistentVolume", spec={"accessModes": ["ReadWriteMany"], "capacity": {"storage": "1Gi"}}),
        "spec: it needs one source, and has none",
    ),
    (
        made("PersistentVolume", spec={"accessModes": ["RWX"], "capacity": {"storage": "1Gi"}, "csi": None}),
        "spec.accessModes[0]: 'RWX' is not one of",
    ),
    (
        made("PersistentVolumeClaim", spec={"accessModes": ["ReadWriteMany"]}),
        "spec.resources.requests: it needs a storage",
    ),
    (made("PriorityClass", "scheduling.k8s.io/v1", value=2_000_000_000), "value: 2,000,000,000 is more than"),
    (
        made("Role", "rbac.authorization.k8s.io/v1", rules=[{"verbs": ["get"], "resources": ["jobs"]}]),
        "rules[0]: it needs apiGroups and resources",
    ),
    (
        made(
            "RoleBinding",
            "rbac.authorization.k8s.io/v1",
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "x"},
            subjects=[{"kind": "ServiceAccount", "name": "x"}],
        ),
        "subjects[0].namespace: a ServiceAccount has one",
    ),
    # Kueue.
    (topology("kubernetes.io/hostname", "a"), "spec.levels: kubernetes.io/hostname can only be the last"),
    (topology("a", "a"), "spec.levels: two are the same"),
    (topology(), "spec.levels: 0 are fewer than 1"),
    (topology(*(f"l{number}" for number in range(17))), "spec.levels: 17 are more than 16"),
    (topology("a b"), "spec.levels[0].nodeLabel: 'a b' has not the form"),
    (flavor(nodeLabels={}), "spec.nodeLabels: with a topologyName there must be one"),
    (flavor(nodeLabels={f"l{number}": "" for number in range(9)}), "spec.nodeLabels: 9 are more than 8"),
    (flavor(nodeTaints=[{"key": "a", "effect": "NO_SCHEDULE"}]), "nodeTaints[0].effect: 'NO_SCHEDULE' is not one of"),
    (flavor(tolerations=[{"operator": "Equal"}]), "spec.tolerations[0]: without a key its operator must be Exists"),
    (queue(stopPolicy="Stop"), "spec.stopPolicy: 'Stop' is not one of None, Hold, HoldAndDrain"),
    (queue(cohort="a"), "spec: there is no field cohort"),
    (
        queue(resourceGroups=queue()["spec"]["resourceGroups"] * 2),
        "spec.resourceGroups: the flavor 'trn1' is in 2 places",
    ),
    (
        queue(
            resourceGroups=[
                {
                    "coveredResources": ["cpu", "memory"],
                    "flavors": [{"name": "a", "resources": [{"name": "cpu", "nominalQuota": 1}]}],
                }
            ]
        ),
        "flavors[0].resources: they are not the coveredResources, in their order",
    ),
    (
        queue(
            resourceGroups=[
                {
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "a", "resources": [{"name": "cpu", "nominalQuota": 1, "borrowingLimit": 1}]}],
                }
            ]
        ),
        "resources[0].borrowingLimit: it needs a cohortName",
    ),
    (
        queue(preemption={"borrowWithinCohort": {"policy": "LowerPriority"}}),
        "spec.preemption: borrowWithinCohort needs a reclaimWithinCohort",
    ),
    (
        queue(flavorFungibility={"whenCanBorrow": "TryNextFlavor", "preference": "BorrowingOverPreemption"}),
        "spec.flavorFungibility.preference: both others must be TryNextFlavor",
    ),
    (made("WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2"), "the object: value is missing"),
    # Trainer and JobSet.
    (runtime(policy={"torch": {}, "jax": {}}), "spec.mlPolicy: only one framework can be there"),
    (runtime(policy={"mpi": {}}), "spec.mlPolicy: there is no field mpi"),
    (runtime(replicas=2), "replicatedJobs[0].replicas: it must be 1"),
    (runtime(pod_with(name="other")), "replicatedJobs[0]: it needs a container node"),
    (runtime(pod_with(imagePullPolicy="never")), "imagePullPolicy: 'never' is not one of"),
    (train_job(name="1demo"), "metadata.name: it is not at most 63 characters"),
    (train_job(trainer={"numNodes": 0}), "spec.trainer.numNodes"),
    (
        train_job(trainer={"env": [{"name": "PET_NNODES", "value": "1"}]}),
        "spec.trainer.env: PET_NNODES is set by Trainer",
    ),
    (train_job(managedBy="me"), "spec.managedBy: 'me' is not one of"),
    (
        train_job(trainer={"resourcesPerNode": {"requests": {"aws.amazon.com/neuron": 3}}}),
        "resourcesPerNode.limits: aws.amazon.com/neuron has to be there too",
    ),
    (job_set(replicated(), replicated()), "spec.replicatedJobs: two have the same name"),
    (job_set(replicated(), name="x" * 50), "spec.replicatedJobs[0].name: its pods would be named"),
    (
        job_set({**replicated(), "dependsOn": [{"name": "other", "status": "Ready"}]}),
        "replicatedJobs[0].dependsOn: 'other' is none of those before it",
    ),
    (
        job_set(replicated(), successPolicy={"operator": "All", "targetReplicatedJobs": ["other"]}),
        "spec.successPolicy: there is no replicated job 'other'",
    ),
]


@pytest.mark.parametrize(("found", "told"), BAD, ids=[told[:60] for _, told in BAD])
def test_bad(found, told):
    """What Kubernetes, or the webhook of a kind, refuses is told with its place and what is wrong."""
    said = problems([found], "1.35")

    assert any(told in each for each in said), said
    assert all(len(each) < 400 for each in said)


@pytest.mark.parametrize(
    ("annotations", "told"),
    [
        ({"podset-required-topology": "a", "podset-preferred-topology": "a"}, "there is more than one of Kueue's"),
        ({"podset-required-topology": "a b"}, "'a b' is not a label's key"),
        ({"podset-slice-size": "4"}, "come together"),
        ({"podset-slice-size": "0", "podset-slice-required-topology": "a"}, "'0' is not a number above 0"),
        ({"podset-unconstrained-topology": "yes"}, "'yes' is neither true nor false"),
    ],
)
def test_annotations_of_kueue(annotations, told):
    """Kueue's annotations of pods are looked at in jobs of every kind."""
    metadata = {"annotations": {f"kueue.x-k8s.io/{key}": value for key, value in annotations.items()}}
    plain, member = job(), replicated()
    plain["spec"]["template"]["metadata"] = metadata
    member["template"]["spec"]["template"]["metadata"] = metadata

    assert [told in each for each in problems([plain, job_set(member)], "1.35")] == [True, True]


@pytest.mark.parametrize("value", [{"k": "topology.k8s.aws/network-node-layer-1"}, {}])
def test_annotations_of_kueue_that_fit(value):
    """One of Kueue's annotations is taken, and none as well."""
    fits = job()
    fits["spec"]["template"]["metadata"] = {"annotations": {"kueue.x-k8s.io/podset-preferred-topology": "a", **value}}

    assert problems([fits], "1.35") == []


class TestForms:
    @pytest.mark.parametrize(
        ("text", "amount"),
        [
            ("1", 1),
            (3, 3),
            ("100m", 0.1),
            ("5120Mi", 5120 * 2**20),
            ("1.5Gi", 1.5 * 2**30),
            ("2k", 2000),
            ("1e3", 1000),
        ],
    )
    def test_quantity(self, text, amount):
        """Quantities count as Kubernetes counts them."""
        assert float(forms.quantity(text)) == pytest.approx(amount)

    @pytest.mark.parametrize("text", ["", "Gi", "1 Gi", "1gi", "1KB", "ten", "0x10", "1e"])
    def test_no_quantity(self, text):
        """Other texts are none; an E alone is a unit, an e is not."""
        assert forms.quantity(text) is None

    def test_no_endless_quantity(self):
        """A power of ten that nobody can hold is not counted out."""
        assert forms.quantity("1e999999999") is not None

    @pytest.mark.parametrize(
        ("text", "fits"),
        [("a/b", True), ("a.b/C_d.e", True), ("/b", False), ("A/b", False), ("a/", False), ("a/b/c", False)],
    )
    def test_key(self, text, fits):
        """A label's key is a name, perhaps with a domain before it."""
        assert forms.is_key(text) is fits


class TestTrainerModels:
    """The models that Kubeflow Trainer publishes are another description of its kinds; ours agree with them."""

    @pytest.mark.parametrize(
        ("found", "model"),
        [
            (runtime(), "TrainerV1alpha1ClusterTrainingRuntime"),
            (
                train_job(trainer={"numNodes": 2, "resourcesPerNode": {"limits": {"cpu": "1"}}}),
                "TrainerV1alpha1TrainJob",
            ),
        ],
    )
    def test_same(self, found, model):
        """What ours take, theirs read and write without a loss."""
        from kubeflow_trainer_api import models

        read = getattr(models, model).from_dict(found)

        assert set(read.to_dict()["spec"]) >= set(found["spec"])
