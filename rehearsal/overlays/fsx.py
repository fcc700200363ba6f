"""FSx for Lustre: mount names, network interfaces, updates and data repository associations."""

import hashlib
import json
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores, unix_time
from moto.ec2.models import ec2_backends
from moto.fsx.models import FileSystem
from moto.fsx.responses import FSxResponse
from moto.logs.models import logs_backends
from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.fsx_checks import check_backup, check_efa_groups, check_log, check_lustre
from rehearsal.overlays.fsx_tasks import export_task, tasks
from rehearsal.overlays.interfaces import place_interface, remove_interfaces

_UPDATABLE = ("StorageCapacity", "StorageType", "FileSystemTypeVersion", "NetworkType")
_NO_MOUNT_NAME = "SCRATCH_1"


class LustreFileSystem(FileSystem):
    """A file system that answers all that FSx does.

    Attributes:
        associations: Its data repository associations as FSx's API answers them, by id.
        tasks: Its data repository tasks likewise.
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
            tags=request.get("Tags"),
            kms_key_id=request.get("KmsKeyId"),
            windows_configuration=request.get("WindowsConfiguration"),
            lustre_configuration=None,
            ontap_configuration=request.get("OntapConfiguration"),
            open_zfs_configuration=request.get("OpenZFSConfiguration"),
            backend=backend,
        )
        self.file_system_type_version = request.get("FileSystemTypeVersion")
        self.network_type = request.get("NetworkType")
        self.created = unix_time()
        self.associations: dict[str, dict[str, Any]] = {}
        self.tasks: dict[str, dict[str, Any]] = {}
        self.interface_ids: list[str] = []
        self.lustre_configuration: dict[str, Any] = dict(request.get("LustreConfiguration", {}))
        self.lustre_configuration["MountName"] = self._mount_name()

    def to_dict(self) -> dict[str, Any]:
        """Gives the file system as FSx's API answers it."""
        subnet = ec2_backends[self.backend.account_id][self.backend.region_name].get_subnet(self.subnet_ids[0])
        answer = {
            **super().to_dict(),
            "OwnerId": self.backend.account_id,
            "CreationTime": self.created,
            "Lifecycle": "AVAILABLE",
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


class Response(FSxResponse):
    """FSx's API for Lustre; the other kinds of file systems stay moto's."""

    def create_file_system(self) -> Any:
        """Answers CreateFileSystem, and puts the file system's interface into its subnet."""
        request = json.loads(self.body)
        if request["FileSystemType"] != "LUSTRE":
            return super().create_file_system()
        network: Any = ec2_backends[self.current_account][self.region]
        check_lustre(request)
        self._check_network(network, request)
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
            self._file_system(file_system_id)
        answer: str = super().describe_file_systems()
        return answer

    def update_file_system(self) -> ActionResult:
        """Answers UpdateFileSystem; capacity only grows."""
        request = json.loads(self.body)
        file_system = self._file_system(request["FileSystemId"])
        capacity = request.get("StorageCapacity", file_system.storage_capacity)
        if "StorageCapacity" in request and capacity <= file_system.storage_capacity:
            message = f"StorageCapacity must be greater than the current {file_system.storage_capacity} GiB"
            raise OverlayError("BadRequest", message)
        for name in _UPDATABLE:
            if name in request:
                setattr(file_system, camelcase_to_underscores(name), request[name])
        file_system.lustre_configuration.update(request.get("LustreConfiguration", {}))
        return ActionResult({"FileSystem": file_system.to_dict()})

    def delete_file_system(self) -> str:
        """Answers DeleteFileSystem; the interfaces go with the file system, and a last backup is taken if asked for."""
        request = json.loads(self.body)
        file_system = self._file_system(request["FileSystemId"])
        if request.get("LustreConfiguration", {}).get("SkipFinalBackup", True) is False:
            check_backup(file_system)
            self.fsx_backend.create_backup(file_system.file_system_id, None, None, None)
        answer: str = super().delete_file_system()
        network = ec2_backends[self.current_account][self.region]
        remove_interfaces(network, getattr(file_system, "interface_ids", []))
        return answer

    def create_data_repository_association(self) -> ActionResult:
        """Answers CreateDataRepositoryAssociation; two of one file system can't share a folder or a prefix.

        Source: FSx API reference, CreateDataRepositoryAssociation, ``FileSystemPath``; FSx for Lustre user guide,
        "Linking your file system to an S3 bucket".
        """
        request = json.loads(self.body)
        file_system = self._file_system(request["FileSystemId"])
        path = request.get("FileSystemPath", "/")
        _check_link(file_system, request["DataRepositoryPath"])
        for name, mine in (("FileSystemPath", path), ("DataRepositoryPath", request["DataRepositoryPath"])):
            if any(_overlap(mine, other[name]) for other in file_system.associations.values()):
                message = f"{name} {mine} overlaps with that of another data repository association"
                raise OverlayError("BadRequest", message)
        digest = hashlib.sha256(f"{file_system.file_system_id} {path}".encode()).hexdigest()
        association_id = f"dra-{digest[:17]}"
        given = {name: value for name, value in request.items() if name != "ClientRequestToken"}
        file_system.associations[association_id] = {
            "ImportedFileChunkSize": 1024,
            "BatchImportMetaDataOnCreate": False,
            **given,
            "FileSystemPath": path,
            "AssociationId": association_id,
            "ResourceARN": file_system.resource_arn.replace(
                f"file-system/{file_system.file_system_id}",
                f"association/{file_system.file_system_id}/{association_id}",
            ),
            "Lifecycle": "AVAILABLE",
            "CreationTime": unix_time(),
        }
        return ActionResult({"Association": file_system.associations[association_id]})

    def describe_data_repository_associations(self) -> ActionResult:
        """Answers DescribeDataRepositoryAssociations, by ids or by the filter ``file-system-id``."""
        request = json.loads(self.body)
        ids = request.get("AssociationIds", [])
        filters = {one["Name"]: one["Values"] for one in request.get("Filters", [])}
        wanted = [self._association(association_id) for association_id in ids] if ids else self._associations()
        file_systems = filters.get("file-system-id")
        if file_systems is not None:
            wanted = [association for association in wanted if association["FileSystemId"] in file_systems]
        return ActionResult({"Associations": wanted})

    def update_data_repository_association(self) -> ActionResult:
        """Answers UpdateDataRepositoryAssociation."""
        request = json.loads(self.body)
        association = self._association(request["AssociationId"])
        association.update({name: request[name] for name in ("ImportedFileChunkSize", "S3") if name in request})
        return ActionResult({"Association": association})

    def delete_data_repository_association(self) -> ActionResult:
        """Answers DeleteDataRepositoryAssociation."""
        request = json.loads(self.body)
        association = self._association(request["AssociationId"])
        del self._file_system(association["FileSystemId"]).associations[request["AssociationId"]]
        answer = {"AssociationId": request["AssociationId"], "Lifecycle": "DELETING"}
        return ActionResult({**answer, "DeleteDataInFileSystem": request.get("DeleteDataInFileSystem", False)})

    def create_data_repository_task(self) -> ActionResult:
        """Answers CreateDataRepositoryTask."""
        request = json.loads(self.body)
        file_system = self._file_system(request["FileSystemId"])
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

    def _file_system(self, file_system_id: str) -> Any:
        file_system = self.fsx_backend.file_systems.get(file_system_id)
        if file_system is None:
            raise OverlayError("FileSystemNotFound", f"File system '{file_system_id}' does not exist.")
        return file_system

    def _associations(self) -> list[dict[str, Any]]:
        file_systems = self.fsx_backend.file_systems.values()
        return [one for file_system in file_systems for one in getattr(file_system, "associations", {}).values()]

    def _association(self, association_id: str) -> dict[str, Any]:
        for association in self._associations():
            if association["AssociationId"] == association_id:
                return association
        message = f"Data repository association '{association_id}' does not exist."
        raise OverlayError("DataRepositoryAssociationNotFound", message)


def _check_link(file_system: Any, repository: str) -> None:
    """Refuses a link to a bucket that is not there, and of a file system that can have none.

    Source: FSx for Lustre user guide, "Using data repositories".
    """
    lustre = file_system.lustre_configuration
    if file_system.storage_type == "INTELLIGENT_TIERING" or lustre.get("DeploymentType") == "SCRATCH_1":
        raise OverlayError("BadRequest", "The file system does not support data repository associations")
    if lustre.get("AutomaticBackupRetentionDays"):
        raise OverlayError("BadRequest", "A file system with automatic backups can't be linked to a data repository")
    if repository.removeprefix("s3://").partition("/")[0] not in s3_backends.bucket_accounts:
        raise OverlayError("BadRequest", "Amazon FSx is unable to validate access to the S3 bucket.")


def _overlap(path: str, other: str) -> bool:
    """Says whether one of two paths lies within the other."""
    one, two = f"{path.rstrip('/')}/", f"{other.rstrip('/')}/"
    return one.startswith(two) or two.startswith(one)
