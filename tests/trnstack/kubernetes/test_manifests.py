"""The cluster's objects: Kubernetes would take them, in their order, and they say what the plan says."""

import re
from collections import Counter

import pytest
import yaml

from trnstack.environment import plan_file
from trnstack.kubernetes.manifests import manifests
from trnstack.kubernetes.marks import OUTPUTS
from trnstack.kubernetes.validation import problems
from trnstack.layout.taints import kubernetes_effect

from .conftest import ENVIRONMENTS
from .test_runtimes import ULTRASERVER

SAO_PAULO = {"region": "sa-east-1", "availability_zone_ids": ["sae1-az1", "sae1-az2"]}


def objects(plan):
    return [each for manifest in manifests(plan) for each in manifest.objects]


def by_kind(plan, kind):
    return {each["metadata"]["name"]: each for each in objects(plan) if each["kind"] == kind}


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def quantity(text):
    """Returns a quantity as a number, of bytes in MiB."""
    number, unit = re.fullmatch(r"([0-9]+)(m|Mi|Gi|)", text).groups()
    return int(number) * {"m": 1 / 1000, "Mi": 1, "Gi": 1024, "": 1}[unit]


class TestManifests:
    def test_are_what_kubernetes_takes(self, each):
        """Every object is as its schema says, at the environment's own version of Kubernetes."""
        plan, _ = each

        assert problems(objects(plan), plan.cluster.kubernetes_version) == []

    def test_order(self, each):
        """What a manifest stands on is a release, or a manifest before it; names are unique."""
        plan, _ = each
        known = [release.name for release in plan.kubernetes.releases]
        for manifest in manifests(plan):
            assert manifest.objects
            assert set(manifest.after) <= set(known)
            known.append(manifest.name)

        assert max(Counter(known).values()) == 1

    def test_removal(self, each):
        """In the other direction the namespace goes after all that is in it, and before what its jobs hold."""
        plan, _ = each
        before = {manifest.name: manifest.after for manifest in manifests(plan)}
        inside = {m.name for m in manifests(plan) for each in m.objects if "namespace" in each["metadata"]}

        assert {"local-queue", "jobs"} <= inside
        assert all("namespace" in before[name] for name in inside)
        assert {"queue", "runtimes", "kueue", "kubeflow-trainer"} <= set(before["namespace"])

    def test_namespaces_exist(self, each):
        """Every object stands in the jobs' namespace or in none."""
        plan, _ = each
        namespaces = {each["metadata"].get("namespace", plan.kubernetes.namespace) for each in objects(plan)}

        assert namespaces == {plan.kubernetes.namespace}

    def test_marks_are_told_by_outputs(self, each):
        """Every mark is one that an output of the storage stack stands for."""
        plan, _ = each
        marks = {mark for text in texts(objects(plan)) for mark in re.findall(r"@@[^@]*@@", text)}

        assert marks <= OUTPUTS.keys()

    @pytest.mark.parametrize("kubernetes", [{"kueue": False}, {"kubeflow_trainer": False}])
    def test_without(self, planned, kubernetes):
        """Without Kueue or Trainer there is none of what only they would know."""
        plan = planned(kubernetes=kubernetes)
        group = "kueue" if "kueue" in kubernetes else "trainer"

        assert not [each for each in objects(plan) if each["apiVersion"].startswith(group)]
        assert problems(objects(plan), plan.cluster.kubernetes_version) == []


class TestQueue:
    def test_quotas_are_what_nodes_hold(self, each):
        """The queue hands out what all nodes hold when there are as many as can be, and nothing else."""
        plan, _ = each
        (found,) = by_kind(plan, "ClusterQueue").values()
        (resources,) = found["spec"]["resourceGroups"]
        quotas = {
            flavor["name"]: {each["name"]: quantity(each["nominalQuota"]) for each in flavor["resources"]}
            for flavor in resources["flavors"]
        }
        flavor_names = {flavor.node_group: flavor.name for flavor in plan.kubernetes.queue.flavors}
        for group in plan.node_groups:
            nodes = group.scaling.maximum
            efa = sum(interface.is_efa for interface in group.launch_template.interfaces)
            held = quotas[flavor_names[group.name]]
            assert held["aws.amazon.com/neuron"] == group.neuron_devices * nodes
            assert held["aws.amazon.com/neuroncore"] == group.neuron_cores * nodes
            assert held.get("vpc.amazonaws.com/efa", 0) == efa * nodes
            assert held.get("hugepages-2Mi", 0) == (10_256 * nodes if efa else 0)

        assert list(quotas) == [flavor_names[group.name] for group in plan.node_groups]
        for flavor in resources["flavors"]:
            assert [each["name"] for each in flavor["resources"]] == resources["coveredResources"]

    def test_a_whole_node_fits(self, each):
        """What a pod asks that has a node to itself is a part of what the queue has of its nodes."""
        plan, _ = each
        flavors = {flavor.node_group: flavor for flavor in plan.kubernetes.queue.flavors}
        for fleet in plan.kubernetes.fleets:
            for name, asked in fleet.whole_node.items():
                assert quantity(asked) * fleet.nodes <= quantity(flavors[fleet.name].quotas[name])

    def test_flavors_are_node_groups(self, each):
        """K8S-07: A flavor's labels are its nodes' and nobody else's; its taints are theirs in Kubernetes' spelling."""
        plan, _ = each
        flavors = by_kind(plan, "ResourceFlavor")
        flavor_names = {flavor.node_group: flavor.name for flavor in plan.kubernetes.queue.flavors}
        for group in plan.node_groups:
            spec = flavors[flavor_names[group.name]]["spec"]
            labels = spec["nodeLabels"].items()
            matching = [other.name for other in plan.node_groups if labels <= other.labels.items()]
            assert matching == [group.name]
            assert not labels <= plan.cluster.system_nodes.labels.items()
            assert spec.get("nodeTaints", []) == [
                {"key": each.key, "value": each.value, "effect": kubernetes_effect(each.effect)}
                for each in group.taints
            ]

    def test_topologies(self, each):
        """Each flavor's topology exists, ends at the node, and asks for no label that our own nodes lack."""
        plan, _ = each
        topologies = by_kind(plan, "Topology")
        for group, flavor in zip(plan.node_groups, plan.kubernetes.queue.flavors, strict=True):
            levels = [level["nodeLabel"] for level in topologies[flavor.topology]["spec"]["levels"]]
            assert levels == list(flavor.levels)
            assert levels[-1] == "kubernetes.io/hostname"
            assert all(label in group.labels for label in levels if label.startswith("trnstack/"))

    @pytest.mark.parametrize(
        ("sections", "levels"),
        [
            ({}, 4),
            ({**SAO_PAULO, "node_group": {"instance_type": "trn2.3xlarge", "node_count": 1}}, 1),
        ],
    )
    def test_layers_where_they_are_told(self, planned, sections, levels):
        """Nodes of a type of which EC2 tells no layers are placed one by one: none of them has the label."""
        (flavor,) = planned(**sections).kubernetes.queue.flavors

        assert len(flavor.levels) == levels

    def test_another_topology_is_another_flavor(self, planned):
        """K8S-07: A flavor's topology can't be changed, so its name tells which one it is by, unless the network's."""
        by_layers = planned(**{**ULTRASERVER, "node_group": {**ULTRASERVER["node_group"], "ultraserver": None}})
        nodes = planned(**SAO_PAULO, node_group={"instance_type": "trn2.3xlarge", "node_count": 1})
        for plan, name in (
            (by_layers, "trn1"),
            (planned(**ULTRASERVER), "trn1.ultraserver"),
            (nodes, "trn1.nodes"),
        ):
            assert list(by_kind(plan, "ResourceFlavor")) == [name]
            (group,) = by_kind(plan, "ClusterQueue")["training"]["spec"]["resourceGroups"]
            assert [flavor["name"] for flavor in group["flavors"]] == [name]
            assert problems(objects(plan), plan.cluster.kubernetes_version) == []

    def test_tolerations_can_change(self, planned):
        """A flavor adds no tolerations, which beside a topology could never be changed again."""
        assert all("tolerations" not in each["spec"] for each in by_kind(planned(), "ResourceFlavor").values())

    def test_a_stopped_queue_stays_stopped(self, planned):
        """Who holds the queue by hand, as before a block's end, finds it held after the next deploy."""
        plan = planned()

        assert "stopPolicy" not in by_kind(plan, "LocalQueue")["training"]["spec"]
        assert "stopPolicy" not in by_kind(plan, "ClusterQueue")["training"]["spec"]

    def test_priorities(self, planned):
        """Both kinds of priority classes have the same names and values; only the queue ends work for other work."""
        plan = planned()
        pods, workloads = by_kind(plan, "PriorityClass"), by_kind(plan, "WorkloadPriorityClass")

        assert {name: each["value"] for name, each in pods.items()} == dict(plan.kubernetes.priorities)
        assert {name: each["value"] for name, each in workloads.items()} == dict(plan.kubernetes.priorities)
        assert {each["preemptionPolicy"] for each in pods.values()} == {"Never"}


class TestStorage:
    def test_new_file_system(self, planned):
        """The volume is the file system, which no deletion in the cluster touches, mounted as FSx's guide does it."""
        volume = by_kind(planned(lustre={}), "PersistentVolume")["lustre"]

        assert volume["spec"] == {
            "capacity": {"storage": "4800Gi"},
            "volumeMode": "Filesystem",
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "mountOptions": ["relatime", "flock"],
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": "training",
                "name": "lustre",
            },
            "csi": {
                "driver": "fsx.csi.aws.com",
                "volumeHandle": "@@FILE_SYSTEM_ID@@",
                "volumeAttributes": {
                    "dnsname": "@@FILE_SYSTEM_DNS_NAME@@",
                    "mountname": "@@FILE_SYSTEM_MOUNT_NAME@@",
                },
            },
        }

    def test_adopted_file_system(self, planned):
        """Of an adopted one everything is known, but for its size."""
        existing = {
            "file_system_id": "fs-0123456789abcdef0",
            "mount_name": "12345678",
            "security_group_id": "sg-0123456789abcdef0",
        }
        volume = by_kind(planned(lustre={"existing_file_system": existing}), "PersistentVolume")["lustre"]

        assert volume["spec"]["capacity"] == {"storage": "1Gi"}
        assert volume["spec"]["csi"]["volumeAttributes"] == {
            "dnsname": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com",
            "mountname": "12345678",
        }

    def test_growing(self, planned):
        """A file system that grows changes its volume alone: what a claim asks for can never be changed."""
        small, large = (planned(lustre={"storage_gib": gib}) for gib in (4800, 9600))

        assert by_kind(large, "PersistentVolume")["lustre"]["spec"]["capacity"] == {"storage": "9600Gi"}
        assert by_kind(small, "PersistentVolume") != by_kind(large, "PersistentVolume")
        assert by_kind(small, "PersistentVolumeClaim") == by_kind(large, "PersistentVolumeClaim")

    def test_claims_take_their_volumes(self, each):
        """A claim takes the volume that is kept for it, and asks for nothing that it does not have."""
        plan, _ = each
        volumes, claims = by_kind(plan, "PersistentVolume"), by_kind(plan, "PersistentVolumeClaim")

        assert volumes.keys() == claims.keys()
        for name, claim in claims.items():
            assert claim["spec"]["volumeName"] == name
            asked, there = claim["spec"]["resources"]["requests"], volumes[name]["spec"]["capacity"]
            assert quantity(asked["storage"]) <= quantity(there["storage"])
            assert volumes[name]["spec"]["claimRef"]["name"] == name

    def test_bucket(self, planned):
        """With Mountpoint for S3 the bucket is files, of the prefixes that jobs may use."""
        link = {"file_system_path": "/checkpoints", "bucket": "checkpoints", "prefix": "runs"}
        whole = by_kind(planned(kubernetes={"s3_csi": True}), "PersistentVolume")["checkpoints"]
        part = by_kind(
            planned(kubernetes={"s3_csi": True}, lustre={"data_repository_associations": [link]}), "PersistentVolume"
        )["checkpoints"]

        assert whole["spec"]["csi"]["volumeAttributes"] == {
            "authenticationSource": "pod",
            "bucketName": "@@CHECKPOINT_BUCKET@@",
        }
        assert not [each for each in whole["spec"]["mountOptions"] if each.startswith("prefix")]
        assert "prefix runs/" in part["spec"]["mountOptions"]

    def test_none(self, planned):
        """Without both there is nothing to mount."""
        assert not by_kind(planned(), "PersistentVolume")


class TestAccess:
    def may(self, plan, name):
        (role,) = [each for each in objects(plan) if each["kind"] == "Role" and each["metadata"]["name"] == name]
        return {(resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]}

    def test_nobody_reads_secrets(self, planned):
        """No role names secrets, or everything."""
        plan = planned()
        rules = [rule for each in objects(plan) if each["kind"].endswith("Role") for rule in each["rules"]]

        assert rules
        assert not [
            rule for rule in rules if {"secrets", "*"} & {*rule["resources"], *rule["verbs"], *rule["apiGroups"]}
        ]

    def test_viewers_look(self, planned):
        """Viewers change nothing."""
        assert {verb for _, verb in self.may(planned(), "trnstack-viewer")} == {"get", "list", "watch"}

    def test_trainers_run_jobs(self, planned):
        """Trainers start and end jobs, and read what pods print."""
        found = self.may(planned(), "trnstack-trainer")

        assert {("jobs", "create"), ("trainjobs", "delete"), ("pods/log", "get"), ("workloads", "list")} <= found
        assert ("localqueues", "update") not in found

    def test_groups(self, planned):
        """The groups are those that access entries put roles into, and nobody's change is for the whole cluster."""
        plan = planned()
        bound = {
            each["metadata"]["name"]: [subject["name"] for subject in each["subjects"]]
            for each in objects(plan)
            if each["kind"].endswith("Binding")
        }

        assert bound == {
            "trnstack-trainer": ["trnstack:trainers"],
            "trnstack-viewer": ["trnstack:viewers"],
            "trnstack-cluster-viewer": ["trnstack:trainers", "trnstack:viewers"],
        }


class TestSurroundings:
    def test_namespace(self, planned):
        """Pods are held to the standard of the cluster's own version."""
        labels = by_kind(planned(), "Namespace")["training"]["metadata"]["labels"]

        assert labels["pod-security.kubernetes.io/enforce"] == "baseline"
        assert labels["pod-security.kubernetes.io/enforce-version"] == "v1.35"

    def test_config_map(self, each):
        """The config map is what the plan says that jobs get, as text."""
        plan, _ = each
        data = by_kind(plan, "ConfigMap")["trnstack"]["data"]

        assert data == plan.kubernetes.job_environment
        assert all(isinstance(value, str) for value in data.values())


class TestGolden:
    @pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
    def test_are_the_golden_ones(self, file, golden):
        """Nothing in the objects changes unseen."""
        documents = [dict(each) for each in objects(plan_file(file))]

        golden(f"{file.stem}/kubernetes.yaml", yaml.safe_dump_all(plain(documents), sort_keys=False, width=120))


def plain(value):
    """Returns mappings and sequences as YAML writes them, without anchors for what stands twice."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value
