"""What runs in the cluster, deployed from golden templates, is as the plan and the lock have it."""

import copy
import json
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from ami.lock import path_for, read
from rehearsal.story.kubernetes import kubernetes_differently
from rehearsal.tree import tree
from tests.rehearsal.story.conftest import GOLDEN, ROOT, inside
from trnstack.kubernetes.manifests import manifests

#: 32 trn1.32xlarge, and an UltraServer of four trn2u.48xlarge.
PUBLISHED = ("llama3-8b-trn1", "ultraserver-trn2u")


#: What was found is plain data, so that one deploy does for all tests that only look at it.
_FOUND = {}


@pytest.fixture
def standing(planned, deployed):
    """Returns the plan of an environment, and what was found when it stood."""

    def stand(name):
        plan = planned(name)
        if name not in _FOUND:
            _FOUND[name] = deployed(plan, name)
        return plan, _FOUND[name]

    return stand


class TestPublishedClusters:
    @pytest.mark.parametrize("name", PUBLISHED)
    def test_as_locked(self, standing, name):
        """Add-ons, charts and objects are applied, and their versions are the lock's."""
        plan, found = standing(name)
        (cluster,) = found.clusters
        lock = read(path_for(ROOT / "environments" / f"{name}.yaml"))

        assert {each.name: each.version for each in cluster.addons} == dict(lock.add_ons)
        assert {each.chart: each.version for each in cluster.releases} == {
            chart: pin.version for chart, pin in lock.charts.items()
        }
        assert not [each.unrendered for each in cluster.releases if each.unrendered]
        planned = {(each["kind"], each["metadata"]["name"]) for one in manifests(plan) for each in one.objects}
        assert planned <= {(each.kind, each.name) for each in cluster.objects}
        assert list(kubernetes_differently(plan, cluster)) == []

    @pytest.mark.parametrize("name", PUBLISHED)
    def test_in_the_tree(self, standing, name):
        """The tree shows charts with their versions, and objects by namespace."""
        plan, found = standing(name)
        lines = tree(found).splitlines()

        for release in plan.kubernetes.releases:
            assert any(release.name in line and release.version in line for line in lines)
        assert any(line.endswith("the cluster's") for line in lines)
        assert any("ConfigMap" in line and "trnstack" in line for line in lines)

    def test_volume_of_the_file_system(self, standing):
        """The volume is the file system that the storage stack made, by what it left in the parameter store."""
        _, found = standing("llama3-8b-trn1")
        (cluster,), (file_system,) = found.clusters, found.file_systems
        volume = next(each for each in cluster.objects if each.kind == "PersistentVolume")

        assert volume.content["spec"]["csi"]["volumeHandle"] == file_system.file_system_id
        assert volume.content["spec"]["csi"]["volumeAttributes"]["mountname"] == file_system.mount_name


class TestOtherThanPlanned:
    @pytest.fixture
    def cluster(self, standing):
        plan, found = standing("llama3-8b-trn1")
        return plan, found.clusters[0]

    def test_release(self, cluster):
        """A release in another version, one that is missing and one too many are told."""
        plan, found = cluster
        first, *others = found.releases
        strange = replace(first, name="strange")
        changed = replace(found, releases=(replace(first, version="0"), *others[1:], strange))
        told = "\n".join(kubernetes_differently(plan, changed))

        assert f"release {first.name} is {first.chart} 0 {first.namespace}, not" in told
        assert f"there is no release {others[0].name}" in told
        assert "release strange stands, and was not planned" in told

    @pytest.mark.parametrize(
        ("image", "sentence"),
        [
            ("example.com/x:1", "starts example.com/x:1, which is pinned by no digest"),
            (f"example.com/x:1@sha256:{'1' * 64}", "which the lock does not pin"),
        ],
    )
    def test_image(self, cluster, image, sentence):
        """An image without a digest, or of another one than the lock's, is told."""
        plan, found = cluster
        first, *others = found.releases
        changed = replace(found, releases=(replace(first, images=(image,)), *others))

        assert any(sentence in each for each in kubernetes_differently(plan, changed))

    def test_objects(self, cluster):
        """An object that is missing, one that is otherwise and one too many are told."""
        plan, found = cluster
        config, volume = (next(e for e in found.objects if e.kind == k) for k in ("ConfigMap", "PersistentVolume"))
        emptied = copy.deepcopy(volume.content)
        emptied["spec"]["csi"]["volumeHandle"] = "@@FILE_SYSTEM_ID@@"
        kept = tuple(each for each in found.objects if each.kind not in {config.kind, volume.kind})
        changed = (*kept, replace(volume, content=emptied), replace(config, name="strange"))
        told = list(kubernetes_differently(plan, replace(found, objects=changed)))

        assert f"there is no ConfigMap {config.name}" in told
        assert f"PersistentVolume {volume.name} is not as planned" in told
        assert "ConfigMap strange stands, and was not planned" in told

    def test_delivered_by_others(self, cluster):
        """With a repository that delivers what runs in the cluster, nothing of it stands."""
        plan, found = cluster
        plan = replace(plan, kubernetes=replace(plan.kubernetes, stack=None))

        assert "release kueue stands, though nothing was to apply it" in list(kubernetes_differently(plan, found))


class TestUpdates:
    NAME = "llama3-8b-trn1"

    @pytest.fixture
    def stack(self, planned, deployed, services):
        """Returns what deploys the template once more after a change of it, and what tells what is in the cluster."""
        plan = planned(self.NAME)
        found = deployed(plan, self.NAME)
        cloudformation = services.transport.client("cloudformation", "123456789012", plan.region)
        name = plan.kubernetes.stack
        text = (GOLDEN / self.NAME / f"{name}.template.json").read_text()

        def update(change):
            template = json.loads(text)
            change(template["Resources"])
            cloudformation.update_stack(
                StackName=name, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_NAMED_IAM"]
            )
            (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
            return stack["StackStatus"]

        endpoint = services.transport.client("eks", "123456789012", plan.region).describe_cluster(
            name=found.clusters[0].name
        )
        return update, lambda: inside(endpoint["cluster"]["endpoint"])

    def test_value(self, stack):
        """A changed value upgrades its release in place, and no other."""
        update, contents = stack

        def change(resources):
            properties = next(
                each["Properties"] for each in resources.values() if each["Properties"].get("Release") == "kueue"
            )
            values = json.loads(properties["Values"])
            values["controllerManager"]["manager"]["logLevel"] = 5
            properties["Values"] = json.dumps(values)

        assert update(change) == "UPDATE_COMPLETE"
        assert {each["name"]: each["revision"] for each in contents()["releases"]} == {
            "aws-efa-k8s-device-plugin": 1,
            "kubeflow-trainer": 1,
            "kueue": 2,
            "neuron-helm-chart": 1,
        }
        manager = next(
            each["content"]
            for each in contents()["objects"]
            if each["content"]["metadata"]["name"] == "kueue-controller-manager"
            and each["content"]["kind"] == "Deployment"
        )
        assert "--zap-log-level=5" in manager["spec"]["template"]["spec"]["containers"][0]["args"]

    def test_invalid_value(self, stack):
        """A value from which no valid object comes is refused, and the release stays as it was."""
        update, contents = stack
        before = contents()

        def change(resources):
            properties = next(
                each["Properties"] for each in resources.values() if each["Properties"].get("Release") == "kueue"
            )
            properties["Values"] = json.dumps({"controllerManager": {"replicas": "two"}})

        assert update(change) == "UPDATE_ROLLBACK_COMPLETE"
        assert contents()["objects"] == before["objects"]

    def test_invalid_manifest(self, stack):
        """An object that is not valid is refused, and the stack goes back."""
        update, contents = stack
        before = contents()["objects"]

        def change(resources):
            properties = next(each["Properties"] for name, each in resources.items() if "ClusterQueue" in name)
            (queue,) = json.loads(properties["Manifest"])
            queue["spec"]["queueingStrategy"] = "Whatever"
            properties["Manifest"] = json.dumps([queue])

        assert update(change) == "UPDATE_ROLLBACK_COMPLETE"
        assert contents()["objects"] == before


def test_parameter_is_missing(planned, services):
    """A stack whose parameter is not in the parameter store is refused in front of everything else."""
    plan = planned("llama3-8b-trn1")
    services.reset()
    body = (GOLDEN / "llama3-8b-trn1" / f"{plan.kubernetes.stack}.template.json").read_text()
    cloudformation = services.transport.client("cloudformation", "123456789012", plan.region)

    with pytest.raises(ClientError, match=r"Unable to fetch parameters \[/trnstack/llama3-8b/file-system-id, "):
        cloudformation.create_stack(StackName="x", TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"])
