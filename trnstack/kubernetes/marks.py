"""Marks in manifests for what only a deploy can tell; the stack, or a stack's outputs, give what stands in their place.

They are no syntax of YAML's, of CloudFormation's or of Helm's.
"""

from collections.abc import Mapping

CHECKPOINT_BUCKET = "@@CHECKPOINT_BUCKET@@"
FILE_SYSTEM_ID, FILE_SYSTEM_DNS_NAME, FILE_SYSTEM_MOUNT_NAME = (
    "@@FILE_SYSTEM_ID@@",
    "@@FILE_SYSTEM_DNS_NAME@@",
    "@@FILE_SYSTEM_MOUNT_NAME@@",
)

#: The output of the storage stack that tells what stands in the place of a mark.
OUTPUTS: Mapping[str, str] = {
    CHECKPOINT_BUCKET: "CheckpointBucket",
    FILE_SYSTEM_ID: "FileSystemId",
    FILE_SYSTEM_DNS_NAME: "FileSystemDnsName",
    FILE_SYSTEM_MOUNT_NAME: "FileSystemMountName",
}
