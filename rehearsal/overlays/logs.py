"""CloudWatch Logs: the key of a log group that stands already."""

import json
from typing import Any

from moto.core.responses import EmptyResult
from moto.logs.responses import LogsResponse

from rehearsal.overlays.errors import OverlayError


class Response(LogsResponse):
    """CloudWatch Logs' API with the association of keys."""

    def associate_kms_key(self) -> EmptyResult:
        """Answers AssociateKmsKey for a log group."""
        body = json.loads(self.body)
        self._group(body["logGroupName"]).kms_key_id = body["kmsKeyId"]
        return EmptyResult()

    def disassociate_kms_key(self) -> EmptyResult:
        """Answers DisassociateKmsKey for a log group."""
        self._group(json.loads(self.body)["logGroupName"]).kms_key_id = None
        return EmptyResult()

    def _group(self, name: str) -> Any:
        group = self.logs_backend.groups.get(name)
        if group is None:
            raise OverlayError("ResourceNotFoundException", "The specified log group does not exist.")
        return group
