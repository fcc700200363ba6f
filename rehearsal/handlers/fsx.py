"""File systems and their data repository associations."""

from rehearsal.handlers.api import ApiHandler, Read, changes, not_updatable
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call
from rehearsal.handlers.tags import retag_by_arn

_CONFIGURATION = "LustreConfiguration"
_WITHOUT = {"AutomaticBackupRetentionDays": 0, "DataCompressionType": "NONE"}
"""What a member of the configuration is set to when it leaves the template, which is FSx's default."""


class FileSystem(ApiHandler):
    """A file system; an update passes on the members of its configuration that differ, as FSx takes no others."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Orders the file system and sees that it gets built.

        Raises:
            ResourceError: FSx could not build it; the words around FSx's own are not confirmed.

        Source: FSx API reference, FileSystem, ``Lifecycle`` and ``FailureDetails``; CloudFormation CLI user guide,
        "Resource type handler error codes", NotStabilized.
        """
        super().create(scope, resource)
        answer = call(scope.client("fsx"), "DescribeFileSystems", {"FileSystemIds": [resource.physical_id]})
        (made,) = answer["FileSystems"]
        if made.get("Lifecycle") == "FAILED":
            why = made.get("FailureDetails", {}).get("Message", "")
            raise ResourceError("NotStabilized", f"File system {resource.physical_id} is in FAILED state: {why}")

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Narrows the configuration to what differs; what left the template gets its default.

        Source: FSx API reference, UpdateFileSystemLustreConfiguration, ``AutomaticBackupRetentionDays`` (0 by default)
        and ``DataCompressionType`` (``NONE``). What CloudFormation sends for the others is not published.
        """
        if _CONFIGURATION in changed:
            old, new = resource.properties.get(_CONFIGURATION) or {}, changed[_CONFIGURATION] or {}
            differing = {
                name: _WITHOUT.get(name) if value is None else value for name, value in changes(old, new).items()
            }
            gone = [f"{_CONFIGURATION}.{name}" for name, value in differing.items() if value is None]
            if gone:
                raise not_updatable(resource, gone)
            super().apply(scope, resource, {**changed, _CONFIGURATION: differing})
            resource.took(changed, _CONFIGURATION)
        else:
            super().apply(scope, resource, changed)


HANDLERS: dict[str, Handler] = {
    "AWS::FSx::FileSystem": FileSystem(
        service="fsx",
        create_operation="CreateFileSystem",
        reference="FileSystem.FileSystemId",
        identity={"FileSystemId": "{Ref}"},
        update_operations=("UpdateFileSystem",),
        delete_operation="DeleteFileSystem",
        retag=retag_by_arn("{ResourceARN}"),
        read_back=Read(operation="DescribeFileSystems", parameters={"FileSystemIds": ["{Ref}"]}),
        attributes={
            "Id": "FileSystems.0.FileSystemId",
            "ResourceARN": "FileSystems.0.ResourceARN",
            "DNSName": "FileSystems.0.DNSName",
            "LustreMountName": "FileSystems.0.LustreConfiguration.MountName",
        },
    ),
    "AWS::FSx::DataRepositoryAssociation": ApiHandler(
        service="fsx",
        create_operation="CreateDataRepositoryAssociation",
        reference="Association.AssociationId",
        identity={"AssociationId": "{Ref}"},
        update_operations=("UpdateDataRepositoryAssociation",),
        delete_operation="DeleteDataRepositoryAssociation",
        retag=retag_by_arn("{ResourceARN}"),
        attributes={"AssociationId": "Association.AssociationId", "ResourceARN": "Association.ResourceARN"},
    ),
}
