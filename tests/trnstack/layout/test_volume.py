"""The Kubernetes objects by which pods mount the file system, held to their shape by hand."""

import pytest
import yaml

from trnstack.layout.volume import Mount, dns_name, manifest

#: CloudFormation publishes no limit for an output's value, and 4,096 bytes for a parameter's.
#: Source: CloudFormation user guide, "Understand CloudFormation quotas".
MAXIMUM_BYTES = 4_096
LONG_ID = "fs-0a1b2c3d4e5f60718"


def objects(**changes):
    """Returns the objects of a file system by their kinds."""
    known = {
        "storage_gib": 4800,
        "file_system_id": LONG_ID,
        "dns_name": f"{LONG_ID}.fsx.us-east-2.amazonaws.com",
        "mount_name": "abcdefgh",
    }
    found = list(yaml.safe_load_all(manifest(Mount(**{**known, **changes}), namespace="training")))
    assert all(each["apiVersion"] == "v1" for each in found)
    return {each["kind"]: each for each in found}


class TestManifest:
    def test_order(self):
        """The namespace comes before the claim that stands in it, and nothing else is there."""
        assert list(objects()) == ["Namespace", "PersistentVolume", "PersistentVolumeClaim"]

    def test_volume(self):
        """The volume is the file system, which no deletion in the cluster touches, mounted as FSx's guide does it."""
        volume = objects()["PersistentVolume"]

        assert volume["metadata"] == {"name": "lustre"}, "a volume stands in no namespace"
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
                "volumeHandle": LONG_ID,
                "volumeAttributes": {
                    "dnsname": f"{LONG_ID}.fsx.us-east-2.amazonaws.com",
                    "mountname": "abcdefgh",
                },
            },
        }

    def test_claim_and_volume_name_each_other(self):
        """The claim takes this volume and no other, and asks for nothing that it does not have."""
        found = objects()
        volume, claim = found["PersistentVolume"], found["PersistentVolumeClaim"]

        assert claim["metadata"] == {"namespace": "training", "name": "lustre"}
        assert found["Namespace"]["metadata"] == {"name": "training"}
        assert {key: volume["spec"]["claimRef"][key] for key in claim["metadata"]} == claim["metadata"]
        assert claim["spec"] == {
            "accessModes": volume["spec"]["accessModes"],
            "storageClassName": volume["spec"]["storageClassName"],
            "volumeName": volume["metadata"]["name"],
            "resources": {"requests": volume["spec"]["capacity"]},
        }

    @pytest.mark.parametrize("mount_name", ["23456723", "2e345672", "null2222", "true"])
    def test_names_stay_text(self, mount_name):
        """A mount name that YAML would read as a number or a truth stays what it is."""
        assert objects(mount_name=mount_name)["PersistentVolume"]["spec"]["csi"]["volumeAttributes"]["mountname"] == (
            mount_name
        )

    def test_unknown_size(self):
        """Of a file system without a size volume and claim still ask for the same."""
        found = objects(storage_gib=None)

        assert found["PersistentVolume"]["spec"]["capacity"] == {"storage": "1Gi"}
        assert found["PersistentVolumeClaim"]["spec"]["resources"]["requests"] == {"storage": "1Gi"}

    def test_fits_an_output(self):
        """The text is far below what a value of CloudFormation may be, with the longest names."""
        mount = Mount(
            storage_gib=10**7, file_system_id=LONG_ID, dns_name=dns_name(LONG_ID, "ap-southeast-4"), mount_name="a" * 8
        )

        assert len(manifest(mount, namespace="training").encode()) < MAXIMUM_BYTES / 2


def test_dns_name():
    """A file system that stands already is reached under its id and region."""
    assert dns_name("fs-1", "us-east-2") == "fs-1.fsx.us-east-2.amazonaws.com"
