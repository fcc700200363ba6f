"""FSx for Lustre's data repository associations, which link folders of a file system to buckets."""

import hashlib
import json
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import unix_time
from moto.fsx.responses import FSxResponse
from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.fsx_checks import check_paths
from rehearsal.overlays.model import check_request


class Associations(FSxResponse):
    """FSx's operations on data repository associations."""

    def create_data_repository_association(self) -> ActionResult:
        """Answers CreateDataRepositoryAssociation; two of one file system can't share a folder or a prefix.

        Source: FSx API reference, CreateDataRepositoryAssociation, ``FileSystemPath``; FSx for Lustre user guide,
        "Linking your file system to an S3 bucket".
        """
        request = json.loads(self.body)
        file_system = self.file_system(request["FileSystemId"])
        check_request("fsx", "CreateDataRepositoryAssociation", request, code="BadRequest")
        path = check_paths(request)
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
        del self.file_system(association["FileSystemId"]).associations[request["AssociationId"]]
        answer = {"AssociationId": request["AssociationId"], "Lifecycle": "DELETING"}
        return ActionResult({**answer, "DeleteDataInFileSystem": request.get("DeleteDataInFileSystem", False)})

    def file_system(self, file_system_id: str) -> Any:
        """Gives moto's record of a file system, or says that there is none."""
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
