"""What custom resources put into the cluster: by which names, and what Kubernetes refuses of a change."""

import json

import pytest

from trnstack.advice.impact import Action, Impact, compare
from trnstack.advice.impact.model import OBJECTS
from trnstack.advice.impact.objects import called, objects, refusals
from trnstack.advice.impact.symbols import Reference, Text

from .conftest import only

STORAGE, KUBERNETES, FILE_SYSTEM = "llama3-8b-storage", "llama3-8b-kubernetes", "AWS::FSx::FileSystem"
ADOPTED = "fs-0123456789abcdef0"
MADE = Reference("storage", "FileSystem")


def manifest(*found):
    """Returns the properties of a resource with these objects."""
    return {"Manifest": json.dumps(found)}


def volume(handle, kind="PersistentVolume", **spec):
    """Returns the properties of a resource with a volume, or a claim, that is mounted from something."""
    made = {"kind": kind, "metadata": {"name": "lustre"}, "spec": {"csi": {"volumeHandle": "@"}, **spec}}
    before, after = json.dumps([made]).split("@")
    return {"Manifest": Text((before, handle, after))}


@pytest.fixture
def pair(golden_side):
    """An environment twice: the second is for the test to edit."""
    return golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")


def by_object(report):
    return {change.object: change for change in report.changes}


class TestCalled:
    @pytest.mark.parametrize(
        ("kind", "properties", "name"),
        [
            (OBJECTS, manifest({"kind": "Role", "metadata": {"name": "a"}}), "Role a"),
            (OBJECTS, volume(MADE), "PersistentVolume lustre"),
            (OBJECTS, volume({"Ref": "Id", "Default": "/a"}), "PersistentVolume lustre"),
            (
                OBJECTS,
                manifest(*({"kind": "Role", "metadata": {"name": each}} for each in "abc")),
                "Role a, Role b and 1 more",
            ),
            (OBJECTS, {"Manifest": "["}, ""),
            (OBJECTS, {"Manifest": MADE}, ""),
            (OBJECTS, {}, ""),
            (OBJECTS, None, ""),
            ("Custom::AWSCDK-EKS-HelmChart", {"Release": "kueue"}, "release kueue"),
            ("Custom::AWSCDK-EKS-HelmChart", {}, ""),
            ("AWS::S3::Bucket", manifest({"kind": "Role", "metadata": {"name": "a"}}), ""),
        ],
    )
    def test_name(self, kind, properties, name):
        """Kind and name of an object, a chart's release; nothing of what is not in the cluster or can't be read."""
        assert called(kind, properties) == name

    def test_every_one(self, golden_side):
        """All that the stack of charts and objects puts into the cluster has a name of its own."""
        side = golden_side("llama3-8b-trn1")
        empty = type(side)(region=side.region, account=side.account, stacks={})
        names = [each.called for each in compare(empty, side).changes if each.type.startswith("Custom::")]

        assert names
        assert len(set(names)) == len(names)
        assert all(" " in name for name in names)

    def test_marks(self):
        """What CloudFormation fills in is a text like any other, whatever it holds."""
        (found,) = objects(volume({"Ref": 'a"b'}))

        assert found["spec"]["csi"]["volumeHandle"] == '${a"b}'


class TestReplacedFileSystem:
    def test_volume(self, pair):
        """Through the parameter store the volume is mounted from the new file system, which Kubernetes refuses."""
        only(pair[1], STORAGE, FILE_SYSTEM)[1]["KmsKeyId"] = "another"
        report = compare(*pair)
        found = by_object(report)
        mine, claim = found["PersistentVolume lustre"], found["PersistentVolumeClaim lustre"]

        assert (mine.stack, mine.action, mine.impact) == (KUBERNETES, Action.UPDATE, Impact.IN_PLACE)
        assert mine.refused_by_kubernetes
        assert "ValidatePersistentVolumeUpdate" in mine.refused[0]
        assert mine.properties[0].reason.count("is replaced") == 1
        assert mine.properties[0].after == "${LustreFileSystem4AFDAE78} (new)"
        assert claim.refused == ()  # only what it says of its volume changes
        (way,) = [way for way in report.ways if way.object == "PersistentVolume lustre"]
        commands = "\n".join(way.steps).splitlines()
        assert commands.index("kubectl --namespace training delete persistentvolumeclaim lustre") < commands.index(
            "kubectl delete persistentvolume lustre"
        )
        assert commands[-1] == f"cdk deploy {KUBERNETES} -c environment=FILE"

    def test_beside_another_change(self, pair):
        """A manifest that reads otherwise too, as with another size, hides nothing."""
        properties = only(pair[1], STORAGE, FILE_SYSTEM)[1]
        properties["KmsKeyId"] = "another"
        for made in pair[1].stacks[KUBERNETES].template["Resources"].values():
            parts = made["Properties"].get("Manifest", "")
            if isinstance(parts, dict):
                texts = parts["Fn::Join"][1]
                texts[:] = [each.replace("4800Gi", "9600Gi") if isinstance(each, str) else each for each in texts]

        assert "9600Gi" in by_object(compare(*pair))["PersistentVolume lustre"].properties[0].after
        assert by_object(compare(*pair))["PersistentVolume lustre"].refused_by_kubernetes

    def test_update(self, pair):
        """A file system that grows is the same, and so is its volume."""
        only(pair[1], STORAGE, FILE_SYSTEM)[1]["StorageCapacity"] = 9600

        assert [change.type for change in compare(*pair).changes] == [FILE_SYSTEM]


class TestRefusals:
    def found(self, old, new, *, moves=False):
        return list(refusals(OBJECTS, old, new, lambda _: moves))

    def test_source(self):
        """Another source is refused, as is one of the same name that moves; the same one is not."""
        assert self.found(volume("a"), volume("b"))[0].startswith("Kubernetes changes no volume's source")
        assert self.found(volume(MADE), volume(MADE), moves=True)
        assert not self.found(volume(MADE), volume(MADE))

    def test_other_fields(self):
        """Size and mount options of a volume are no source; its mode is as fixed as that."""
        assert not self.found(volume("a", capacity={"storage": "1Gi"}), volume("a", capacity={"storage": "2Gi"}))
        assert self.found(volume("a", volumeMode="Block"), volume("a", volumeMode="Filesystem"))

    def test_adopted(self):
        """A file system that is named by its id from now on may be the one that it was."""
        assert self.found(volume(MADE), volume(ADOPTED))[0].startswith(
            f"unless {ADOPTED} is ${{FileSystem}} of storage, "
        )
        assert self.found(volume(ADOPTED), volume(MADE))[0].startswith("unless ${FileSystem} of storage is ")

    def test_claim(self):
        """Of a claim no more than its request changes."""
        kind = "PersistentVolumeClaim"

        assert "ValidatePersistentVolumeClaimUpdate" in self.found(volume("a", kind), volume("b", kind))[0]
        assert not self.found(volume("a", kind, resources={"a": 1}), volume("a", kind, resources={"a": 2}))

    def test_others(self):
        """Of another kind, an object that is new, or another type, nothing is said."""
        assert not self.found(volume("a", "Other"), volume("b", "Other"))
        assert not self.found(manifest(), volume("b"))
        assert not list(refusals("AWS::S3::Bucket", volume("a"), volume("b"), lambda _: True))
