"""FSx for Lustre: mount names, network interfaces, updates and data repository associations."""

import hashlib
import json
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, unix_time
from moto.ec2.models import ec2_backends
from moto.fsx.models import FileSystem
from moto.logs.models import logs_backends
from moto.moto_api._internal import mock_random

from rehearsal.faults.marks import file_system_failure
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.fsx_associations import Associations
from rehearsal.overlays.fsx_checks import (
    check_backup,
    check_efa_groups,
    check_log,
    check_lustre,
    check_ports,
)
from rehearsal.overlays.fsx_tasks import export_task, tasks
from rehearsal.overlays.fsx_updates import check_update
from rehearsal.overlays.interfaces import place_interface, remove_interfaces
from rehearsal.overlays.model import check_request

_UPDATABLE = ("StorageCapacity", "StorageType", "FileSystemTypeVersion", "NetworkType")
_NO_MOUNT_NAME = "SCRATCH_1"


class LustreFileSystem(FileSystem):
    """A file system that answers all that FSx does.

    Attributes:
        associations: Its data repository associations as FSx's API answers them, by id.
        tasks: Its data repository tasks likewise.
        failure: Why it could not be built; None where it was.
    """

    def __init__(self, *, backend: Any, request: dict[str, Any]) -> None:
        super().__init__(
            account_id=backend.account_id,
            region_name=backend.region_name,
            file_system_type=request["FileSystemType"],
            storage_capacity=request.get("StorageCapacity", 0),
            storage_type=request.get("StorageType", "SSD"),
            subnet_ids=request["SubnetIds"],
            security_group_ids=request.get("SecurityGroupIds", []),
            tags=None,
            kms_key_id=request.get("KmsKeyId"),
            windows_configuration=request.get("WindowsConfiguration"),
            lustre_configuration=None,
            ontap_configuration=request.get("OntapConfiguration"),
            open_zfs_configuration=request.get("OpenZFSConfiguration"),
            backend=backend,
        )
        # moto draws the id from the machine's own entropy, which no seed reaches.
        self.file_system_id = f"fs-{mock_random.get_random_hex(17)}"
        self.dns_name = f"{self.file_system_id}.fsx.{backend.region_name}.amazonaws.com"
        self.resource_arn = f"{self.resource_arn.rpartition('/')[0]}/{self.file_system_id}"
        backend.tagger.tag_resource(self.resource_arn, request.get("Tags", []))
        self.file_system_type_version = request.get("FileSystemTypeVersion")
        self.network_type = request.get("NetworkType")
        self.created = unix_time()
        self.associations: dict[str, dict[str, Any]] = {}
        self.tasks: dict[str, dict[str, Any]] = {}
        self.interface_ids: list[str] = []
        self.failure = file_system_failure()
        self.lustre_configuration: dict[str, Any] = dict(request.get("LustreConfiguration", {}))
        self.lustre_configuration["MountName"] = self._mount_name()

    def to_dict(self) -> dict[str, Any]:
        """Gives the file system as FSx's API answers it."""
        subnet = ec2_backends[self.backend.account_id][self.backend.region_name].get_subnet(self.subnet_ids[0])
        answer = {
            **super().to_dict(),
            "OwnerId": self.backend.account_id,
            "CreationTime": self.created,
            "Lifecycle": "FAILED" if self.failure else "AVAILABLE",
            "FailureDetails": {"Message": self.failure} if self.failure else None,
            "VpcId": subnet.vpc_id,
            "NetworkInterfaceIds": self.interface_ids,
            "FileSystemTypeVersion": self.file_system_type_version,
            "NetworkType": self.network_type,
        }
        answer.pop("SecurityGroupIds", None)
        return {name: value for name, value in answer.items() if value is not None}

    def _mount_name(self) -> str:
        """Gives the name under which clients mount: ``fsx`` for scratch 1, else eight characters.

        Source: FSx API reference, LustreFileSystemConfiguration, ``MountName``.
        """
        if self.lustre_configuration.get("DeploymentType", _NO_MOUNT_NAME) == _NO_MOUNT_NAME:
            return "fsx"
        digits = hashlib.sha256(self.file_system_id.encode()).digest()
        return "".join("abcdefghijklmnopqrstuvwxyz234567"[digit % 32] for digit in digits[:8])


class Response(Associations):
    """FSx's API for Lustre; the other kinds of file systems stay moto's."""

    def create_file_system(self) -> Any:
        """Answers CreateFileSystem, and puts the file system's interface into its subnet."""
        request = json.loads(self.body)
        if request["FileSystemType"] != "LUSTRE":
            return super().create_file_system()
        check_request("fsx", "CreateFileSystem", request, code="BadRequest")
        network: Any = ec2_backends[self.current_account][self.region]
        check_lustre(request)
        self._check_network(network, request)
        check_ports(network, request)
        check_efa_groups(network, request)
        check_log(logs_backends[self.current_account][self.region], request)
        file_system = LustreFileSystem(backend=self.fsx_backend, request=request)
        interface_id = place_interface(
            network,
            network.get_subnet(request["SubnetIds"][0]),
            description=f"Created by Amazon FSx for file system {file_system.file_system_id}",
            security_group_ids=request.get("SecurityGroupIds", []),
        )
        file_system.interface_ids.append(interface_id)
        self.fsx_backend.file_systems[file_system.file_system_id] = file_system
        return ActionResult({"FileSystem": file_system.to_dict()})

    def describe_file_systems(self) -> str:
        """Answers DescribeFileSystems; an unknown id is an error."""
        for file_system_id in json.loads(self.body).get("FileSystemIds", []):
            self.file_system(file_system_id)
        answer: str = super().describe_file_systems()
        return answer

    def update_file_system(self) -> ActionResult:
        """Answers UpdateFileSystem; capacity only grows."""
        request = json.loads(self.body)
        check_request("fsx", "UpdateFileSystem", request, code="BadRequest")
        file_system = self.file_system(request["FileSystemId"])
        capacity = request.get("StorageCapacity", file_system.storage_capacity)
        if "StorageCapacity" in request and capacity <= file_system.storage_capacity:
            message = f"StorageCapacity must be greater than the current {file_system.storage_capacity} GiB"
            raise OverlayError("BadRequest", message)
        check_update(file_system, request)
        for name in _UPDATABLE:
            if name in request:
                setattr(file_system, camelcase_to_underscores(name), request[name])
        file_system.lustre_configuration.update(request.get("LustreConfiguration", {}))
        return ActionResult({"FileSystem": file_system.to_dict()})

    def delete_file_system(self) -> str:
        """Answers DeleteFileSystem; the interfaces go with the file system, and a last backup is taken if asked for."""
        request = json.loads(self.body)
        file_system = self.file_system(request["FileSystemId"])
        if request.get("LustreConfiguration", {}).get("SkipFinalBackup", True) is False:
            check_backup(file_system)
            self.fsx_backend.create_backup(file_system.file_system_id, None, None, None)
        answer: str = super().delete_file_system()
        network = ec2_backends[self.current_account][self.region]
        remove_interfaces(network, getattr(file_system, "interface_ids", []))
        return answer

    def create_data_repository_task(self) -> ActionResult:
        """Answers CreateDataRepositoryTask."""
        request = json.loads(self.body)
        file_system = self.file_system(request["FileSystemId"])
        task = export_task(file_system, request)
        file_system.tasks[task["TaskId"]] = task
        return ActionResult({"DataRepositoryTask": task})

    def describe_data_repository_tasks(self) -> ActionResult:
        """Answers DescribeDataRepositoryTasks, by ids."""
        known = tasks(self.fsx_backend.file_systems.values(), json.loads(self.body).get("TaskIds"))
        return ActionResult({"DataRepositoryTasks": known})

    def _check_network(self, network: Any, request: dict[str, Any]) -> None:
        if len(request["SubnetIds"]) != 1:
            raise OverlayError("InvalidNetworkSettings", "A file system for Lustre has exactly one subnet")
        known = {subnet_id for subnets in network.subnets.values() for subnet_id in subnets}
        if request["SubnetIds"][0] not in known:
            message = f"The subnet ID '{request['SubnetIds'][0]}' does not exist"
            raise OverlayError("InvalidNetworkSettings", message)
        for group_id in request.get("SecurityGroupIds", []):
            if network.get_security_group_from_id(group_id) is None:
                message = f"The security group ID '{group_id}' does not exist"
                raise OverlayError("InvalidNetworkSettings", message)
