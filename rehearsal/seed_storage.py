"""Puts buckets and a file system that stand already into the embedded AWS, under the very names and ids given.

They are given as JSON beside the network of ``rehearsal.seed``::

    {"buckets": [{"name": "some-datasets", "region": "us-east-2", "versioned": false, "locked": false}],
     "file_system": {"file_system_id": "fs-…", "mount_name": "abcdefgh", "security_group_id": "sg-…",
                     "subnet_id": "subnet-…", "storage_gib": 4800}}
"""

from collections.abc import Mapping
from typing import Any

from moto.ec2.models import ec2_backends
from moto.ec2.models.security_groups import SecurityGroup
from moto.fsx.models import fsx_backends
from moto.s3.models import s3_backends

from rehearsal.overlays.fsx import LustreFileSystem
from rehearsal.overlays.interfaces import place_interface

_PARTITION = "aws"


def seed_bucket(facts: Mapping[str, Any], *, account: str) -> None:
    """Puts a bucket into the AWS of this process.

    Args:
        facts: ``name``, ``region``, and whether it is ``versioned`` and ``locked``.
        account: The account that owns it.
    """
    bucket = s3_backends[account][_PARTITION].create_bucket(facts["name"], facts["region"])
    bucket.versioning_status = "Enabled" if facts["versioned"] else None
    bucket.object_lock_enabled = facts["locked"]


def seed_file_system(facts: Mapping[str, Any], *, account: str, region: str) -> None:
    """Puts a Lustre file system with its security group and interface into the AWS of this process.

    Args:
        facts: ``file_system_id``, ``mount_name``, ``security_group_id``, ``subnet_id`` and ``storage_gib``.
        account: The account that owns it.
        region: The region that it is in.
    """
    network: Any = ec2_backends[account][region]
    subnet = network.get_subnet(facts["subnet_id"])
    group_id, file_system_id = facts["security_group_id"], facts["file_system_id"]
    group = SecurityGroup(network, group_id, "earlier-lustre", "the Lustre file system", vpc_id=subnet.vpc_id)  # type: ignore[abstract]
    network.groups[subnet.vpc_id][group_id] = group
    backend = fsx_backends[account][region]
    request = {
        "FileSystemType": "LUSTRE",
        "FileSystemTypeVersion": "2.15",
        "StorageCapacity": facts["storage_gib"],
        "SubnetIds": [facts["subnet_id"]],
        "SecurityGroupIds": [group_id],
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2"},
    }
    file_system = LustreFileSystem(backend=backend, request=request)
    file_system.resource_arn = file_system.resource_arn.replace(file_system.file_system_id, file_system_id)
    file_system.file_system_id = file_system_id
    file_system.lustre_configuration["MountName"] = facts["mount_name"]
    description = f"Created by Amazon FSx for file system {file_system_id}"
    interface_id = place_interface(network, subnet, description=description, security_group_ids=[group_id])
    file_system.interface_ids.append(interface_id)
    backend.file_systems[file_system_id] = file_system
