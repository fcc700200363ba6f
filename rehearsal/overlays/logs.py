"""CloudWatch Logs: the key of a log group, which CloudWatch Logs must be allowed to use.

Source: CloudWatch Logs API reference, CreateLogGroup, AssociateKmsKey and DisassociateKmsKey; CloudWatch Logs user
guide, "Encrypt log data in CloudWatch Logs using AWS Key Management Service": the policy that a key needs;
hashicorp/terraform-provider-aws issue 29282, which quotes code and words.
"""

import json
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from moto.core.responses import EmptyResult
from moto.kms.models import kms_backends
from moto.logs.responses import LogsResponse

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.policy_grammar import conditions, principals
from rehearsal.overlays.trust import knows_all_of, statements

_KEY = re.compile(r"arn:[a-z-]+:kms:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):key/(?P<id>.+)")
_CONTEXT = "kms:encryptioncontext:aws:logs:arn"
_MATCHING = ("ArnLike", "ArnEquals", "StringLike", "StringEquals")


class Response(LogsResponse):
    """CloudWatch Logs' API with the association of keys."""

    def create_log_group(self) -> str:
        """Answers CreateLogGroup."""
        asked = json.loads(self.body)
        self._check_key(asked["logGroupName"], asked.get("kmsKeyId", ""))
        return str(super().create_log_group())

    def associate_kms_key(self) -> EmptyResult:
        """Answers AssociateKmsKey for a log group."""
        asked = json.loads(self.body)
        group = self._group(asked["logGroupName"])
        self._check_key(asked["logGroupName"], asked["kmsKeyId"])
        group.kms_key_id = asked["kmsKeyId"]
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

    def _check_key(self, group: str, key: str) -> None:
        """Refuses a key that is not there, or whose policy does not let CloudWatch Logs use it for the group."""
        named = _KEY.fullmatch(key)
        if named is None or not knows_all_of(named["account"]):
            return
        arn = f"arn:{self.partition}:logs:{self.region}:{self.current_account}:log-group:{group}"
        found: Any = kms_backends[named["account"]][named["region"]].keys.get(named["id"])
        if found is None or not any(_lets_use(one, self.region, arn) for one in statements(found.policy)):
            words = f"The specified KMS key does not exist or is not allowed to be used with Arn '{arn}'"
            raise OverlayError("AccessDeniedException", words)


def _lets_use(statement: Mapping[str, Any], region: str, arn: str) -> bool:
    """Says whether a statement of a key's policy lets CloudWatch Logs use the key for a log group."""
    services = {"*", f"logs.{region}.amazonaws.com", f"logs.{region}.amazonaws.com.cn", "logs.amazonaws.com"}
    return (
        statement.get("Effect") == "Allow"
        and any(name in services for _, name in principals(statement))
        and all(
            any(fnmatchcase(arn, str(pattern)) for pattern in wanted)
            for operator, key, wanted in conditions(statement)
            if key.lower() == _CONTEXT and operator in _MATCHING
        )
    )
