"""The Kubernetes objects by which pods mount the file system: namespace, volume and claim, as one YAML text."""

from dataclasses import dataclass

#: The name of the volume and of the claim, which jobs rely on before anything is deployed.
VOLUME = "lustre"
#: What is asked for where the size is not known: Kubernetes compares claim and volume, neither with the file system.
#: Source: Kubernetes documentation, "Persistent Volumes", Capacity and Binding.
UNKNOWN_GIB = 1

# In quotes what FSx chooses: a mount name may be all digits. `Retain` and no storage class, so that neither the end of
# the claim nor a default class of the cluster does anything to the file system; `claimRef`, so that no other claim
# takes the volume.
_TEXT = """\
apiVersion: v1
kind: Namespace
metadata:
  name: {namespace}
---
apiVersion: v1
kind: PersistentVolume
metadata:
  name: {volume}
spec:
  capacity:
    storage: {storage_gib}Gi
  volumeMode: Filesystem
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: ""
  mountOptions: [relatime, flock]
  claimRef:
    apiVersion: v1
    kind: PersistentVolumeClaim
    namespace: {namespace}
    name: {volume}
  csi:
    driver: fsx.csi.aws.com
    volumeHandle: "{file_system_id}"
    volumeAttributes:
      dnsname: "{dns_name}"
      mountname: "{mount_name}"
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  namespace: {namespace}
  name: {volume}
spec:
  accessModes: [ReadWriteMany]
  storageClassName: ""
  volumeName: {volume}
  resources:
    requests:
      storage: {storage_gib}Gi
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """What a pod needs to know of a file system.

    Attributes:
        storage_gib: Its size; None where it grows with what it holds, or is not known.
        file_system_id: Its id; like the next two, text, or what stands for it until CloudFormation knows it.
        dns_name: The name under which it is reached.
        mount_name: The name under which it is mounted.
    """

    storage_gib: int | None
    file_system_id: str
    dns_name: str
    mount_name: str


def manifest(mount: Mount, *, namespace: str) -> str:
    """Returns the objects, for ``kubectl apply``; the claim is in the namespace of the jobs.

    Source: kubernetes-sigs/aws-fsx-csi-driver, examples/kubernetes/static_provisioning; mount options: FSx for Lustre
    user guide, "Mounting from an Amazon Elastic Compute Cloud instance".
    """
    return _TEXT.format(
        volume=VOLUME,
        namespace=namespace,
        storage_gib=UNKNOWN_GIB if mount.storage_gib is None else mount.storage_gib,
        file_system_id=mount.file_system_id,
        dns_name=mount.dns_name,
        mount_name=mount.mount_name,
    )


def dns_name(file_system_id: str, region: str) -> str:
    """Returns the name under which a file system is reached that stands already.

    Source: FSx API reference, FileSystem, ``DNSName``; CloudFormation gives it for those that it makes.
    """
    return f"{file_system_id}.fsx.{region}.amazonaws.com"
