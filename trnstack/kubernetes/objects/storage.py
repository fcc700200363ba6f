"""The volumes and claims by which pods mount the file system, and see the checkpoint bucket as files."""

from typing import Any

from trnstack.kubernetes.marks import (
    CHECKPOINT_BUCKET,
    FILE_SYSTEM_DNS_NAME,
    FILE_SYSTEM_ID,
    FILE_SYSTEM_MOUNT_NAME,
)
from trnstack.kubernetes.names import VOLUME, VOLUME_HANDLE
from trnstack.kubernetes.objects import Object
from trnstack.layout.volume import dns_name
from trnstack.plan.model import ExistingLustrePlan, LustrePlan, Plan

#: What every claim asks for, and what a volume has where its size is not known or means nothing. Kubernetes compares
#: claim and volume with each other and neither with what is mounted; and the request of a claim without a storage class
#: can never be changed, while file systems grow.
#: Source: Kubernetes documentation, "Persistent Volumes", Capacity and Binding; kubernetes/kubernetes,
#: plugin/pkg/admission/storage/persistentvolume/resize.
_REQUEST = "1Gi"


def storage(plan: Plan) -> tuple[Object, ...]:
    """Returns the volumes and claims; none without a file system and without Mountpoint for S3."""
    return (*_file_system(plan), *_bucket(plan))


def _file_system(plan: Plan) -> tuple[Object, ...]:
    """Returns the file system's volume and claim.

    What FSx chooses stays text: a mount name may be all digits.

    Source: kubernetes-sigs/aws-fsx-csi-driver, examples/kubernetes/static_provisioning; mount options: FSx for Lustre
    user guide, "Mounting from an Amazon Elastic Compute Cloud instance".
    """
    lustre, namespace = plan.storage.lustre, plan.kubernetes.namespace
    if lustre is None:
        return ()
    size = f"{lustre.storage_gib}Gi" if isinstance(lustre, LustrePlan) and lustre.storage_gib else _REQUEST
    file_system_id, name, mount_name = _where(lustre, plan.region)
    source = {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": file_system_id,
        "volumeAttributes": {"dnsname": name, "mountname": mount_name},
    }
    return _pair(VOLUME, namespace, size=size, mount_options=["relatime", "flock"], source=source)


def _where(lustre: LustrePlan | ExistingLustrePlan, region: str) -> tuple[str, str, str]:
    """Returns a file system's id, its name in DNS, and the name under which it is mounted."""
    if isinstance(lustre, LustrePlan):
        return FILE_SYSTEM_ID, FILE_SYSTEM_DNS_NAME, FILE_SYSTEM_MOUNT_NAME
    return lustre.file_system_id, dns_name(lustre.file_system_id, region), lustre.mount_name


def _bucket(plan: Plan) -> tuple[Object, ...]:
    """Returns a volume and a claim for each part of the checkpoint bucket that jobs may use.

    Checkpoints that are kept for a while are removed by the job, so it may delete; a file can't be changed, only
    written anew.

    Source: awslabs/mountpoint-s3-csi-driver, docs/CONFIGURATION.md, and #458 (EKS Pod Identity of pods, since version
    2); awslabs/mountpoint-s3, doc/CONFIGURATION.md.
    """
    found: list[Object] = []
    for name, prefix in plan.kubernetes.bucket_claims.items():
        options = ["allow-delete", "allow-overwrite", f"region {plan.region}"]
        source = {
            "driver": "s3.csi.aws.com",
            "volumeHandle": f"{plan.name}-{name}",
            # With the rights of the pod's own service account, so that the driver needs none, and reaches no more.
            "volumeAttributes": {"authenticationSource": "pod", "bucketName": CHECKPOINT_BUCKET},
        }
        options += [f"prefix {prefix}/"] if prefix else []
        found += _pair(name, plan.kubernetes.namespace, size=_REQUEST, mount_options=options, source=source)
    return tuple(found)


def _pair(
    name: str, namespace: str, *, size: str, mount_options: list[str], source: dict[str, Any]
) -> tuple[Object, Object]:
    """Returns a volume of some size, and the one claim that takes all of it.

    ``Retain`` and no storage class, so that neither the claim's end nor a default class of the cluster does anything to
    what holds the data.
    """
    access = ["ReadWriteMany"]
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": size},
            "volumeMode": "Filesystem",
            "accessModes": access,
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "mountOptions": mount_options,
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": namespace,
                "name": name,
            },
            "csi": source,
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        # With what it is mounted from, so that a claim that was deleted with its volume is made anew with it.
        "metadata": {"namespace": namespace, "name": name, "annotations": {VOLUME_HANDLE: source["volumeHandle"]}},
        "spec": {
            "accessModes": access,
            "storageClassName": "",
            "volumeName": name,
            "resources": {"requests": {"storage": _REQUEST}},
        },
    }
    return volume, claim
