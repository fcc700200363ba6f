"""File systems and their data repository associations."""

from rehearsal.handlers.api import ApiHandler, Read, changes
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.tags import retag_by_arn

_CONFIGURATION = "LustreConfiguration"


class FileSystem(ApiHandler):
    """A file system; an update passes on the members of its configuration that differ, as FSx takes no others."""

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Narrows the configuration to what differs."""
        if _CONFIGURATION in changed:
            old, new = resource.properties.get(_CONFIGURATION) or {}, changed[_CONFIGURATION] or {}
            changed = {**changed, _CONFIGURATION: changes(old, new)}
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
