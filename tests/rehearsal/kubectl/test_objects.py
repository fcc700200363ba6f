"""Objects of a resource: taken by the cluster's API server, or refused in the words of kubectl."""

import json

import pytest

from rehearsal.handlers.base import ResourceError

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "training"}}


def config_map(name="trnstack", namespace="training", **data: str):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def volume(handle="fs-1"):
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "lustre"},
        "spec": {
            "capacity": {"storage": "1200Gi"},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": handle},
        },
    }


def claim():
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "lustre", "namespace": "training"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": "lustre",
            "resources": {"requests": {"storage": "1200Gi"}},
        },
    }


def names(server):
    return {(key.kind, key.namespace, key.name) for key in server.objects}


class TestCreation:
    def test_objects_in_their_order(self, provider, inside):
        """A namespace and what is in it can be in one manifest; the resource gets an id of its own."""
        made = provider.objects(NAMESPACE, config_map(A="1"))

        assert {("Namespace", "", "training"), ("ConfigMap", "training", "trnstack")} <= names(inside())
        assert made.physical_id == "Objects-create-1"

    def test_namespace_is_missing(self, provider):
        """An object of a namespace that is not there is refused."""
        with pytest.raises(ResourceError, match=r'\(NotFound\): namespaces "training" not found'):
            provider.objects(config_map())

    def test_unknown_kind(self, provider):
        """A kind whose definition is not there is refused as kubectl refuses it."""
        queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": {}}

        with pytest.raises(ResourceError, match='no matches for kind "ClusterQueue" in version'):
            provider.objects(queue)

    def test_invalid(self, provider):
        """An object that is not as the cluster's minor has it is refused, with the place and what is wrong there."""
        wrong = {**config_map(namespace="default"), "dta": {}}

        with pytest.raises(ResourceError, match=r'ConfigMap "trnstack" is invalid: .*there is no field dta'):
            provider.objects(wrong)

    def test_it_is_there(self, provider):
        """What is created must not be there; with Overwrite it may."""
        with pytest.raises(ResourceError, match=r'\(AlreadyExists\): namespaces "default" already exists'):
            provider.objects({**NAMESPACE, "metadata": {"name": "default"}})
        provider.objects({**NAMESPACE, "metadata": {"name": "default"}}, Overwrite=True)

    @pytest.mark.parametrize("text", ["[", "{]"])
    def test_manifest_is_no_json(self, provider, make, text):
        """A manifest that is no JSON is refused."""
        with pytest.raises(ResourceError, match="Manifest: JSONDecodeError"):
            make("Custom::AWSCDK-EKS-KubernetesResource", **provider.properties(Manifest=text))

    def test_unknown_property(self, provider):
        """A property that the function would leave out in silence is refused by its name."""
        with pytest.raises(ResourceError, match="does not read the property Overwrte"):
            provider.objects(NAMESPACE, Overwrte=True)


class TestUpdate:
    def test_applied(self, provider, inside, change):
        """A changed object is applied."""
        made = provider.objects(NAMESPACE, config_map(A="1"))
        change(made, Manifest=json.dumps([NAMESPACE, config_map(A="2")]))

        stored = next(each for key, each in inside().objects.items() if key.name == "trnstack")
        assert stored.content["data"] == {"A": "2"}

    @pytest.mark.parametrize(
        ("label", "left"), [(None, {"old", "new"}), ("aws.cdk.eks/prune-1", {"new"})], ids=["left behind", "pruned"]
    )
    def test_removed_from_the_manifest(self, provider, inside, change, label, left):
        """What is no longer in the manifest stays, unless a label tells kubectl what to look for."""

        def labelled(name):
            made = config_map(name)
            return {**made, "metadata": {**made["metadata"], "labels": {"aws.cdk.eks/prune-1": ""}}}

        made = provider.objects(NAMESPACE, labelled("old"), PruneLabel=label)
        change(made, Manifest=json.dumps([NAMESPACE, labelled("new")]))

        assert {key.name for key in inside().objects if key.kind == "ConfigMap"} == left

    @pytest.mark.parametrize(
        ("before", "after", "says"),
        [
            (volume(), volume("fs-2"), "spec.persistentvolumesource is immutable after creation"),
            (
                claim(),
                {**claim(), "spec": {**claim()["spec"], "volumeName": "other"}},
                "spec is immutable after creation except resources.requests",
            ),
        ],
        ids=["volume", "claim"],
    )
    def test_immutable(self, provider, change, before, after, says):
        """A change of what can't change is refused as the API server refuses it."""
        made = provider.objects(NAMESPACE, before)

        with pytest.raises(ResourceError, match=f"is invalid: spec.*{says}"):
            change(made, Manifest=json.dumps([NAMESPACE, after]))

    def test_larger_claim(self, provider, change):
        """A claim without a storage class may not ask for more, since nothing would make the volume larger."""
        made = provider.objects(NAMESPACE, claim())
        larger = {**claim(), "spec": {**claim()["spec"], "resources": {"requests": {"storage": "2400Gi"}}}}

        with pytest.raises(ResourceError, match="only dynamically provisioned pvc can be resized"):
            change(made, Manifest=json.dumps([NAMESPACE, larger]))

    def test_another_function(self, provider, change):
        """Another function can't take a resource over."""
        made = provider.objects(NAMESPACE)

        with pytest.raises(ResourceError, match="Modifying service token is not allowed"):
            change(made, ServiceToken=provider.handler.attributes["Arn"])


class TestDeletion:
    def test_gone(self, provider, inside, drop):
        """A namespace goes with all that is in it."""
        made = provider.objects(NAMESPACE)
        provider.objects(config_map(), logical_id="Map")
        drop(made)

        assert not {key for key in inside().objects if key.namespace == "training"}

    def test_gone_before(self, provider, inside, drop):
        """What is gone already is no failure."""
        made = provider.objects(NAMESPACE)
        inside().delete(inside().key_of(NAMESPACE))
        drop(made)

    def test_still_used(self, provider, drop):
        """A volume that a claim uses stays, and kubectl waits for it until the function's time is over."""
        made = provider.objects(volume())
        provider.objects(NAMESPACE, claim(), logical_id="Claim")

        with pytest.raises(ResourceError, match="timed out after 900 seconds: PersistentVolume lustre waits for"):
            drop(made)
