"""KMS's key policies, which moto takes whatever they say.

Source: KMS API reference, CreateKey and PutKeyPolicy, ``Policy`` and ``BypassPolicyLockoutSafetyCheck``. AWS's words
and code as people quote them: aws-solutions/innovation-sandbox-on-aws 31 (locked out), unknown principals in
awslabs/minimum-viable-dataspace-on-aws 5, and badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-policy-statement,
``meta.yaml``.
"""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from moto.iam.models import iam_backends
from moto.kms.responses import KmsResponse

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, listed, statements

_SYMMETRIC = "SYMMETRIC_DEFAULT"
#: The kind of key whose pair is made in no time.
_QUICK = "ECC_NIST_P256"
_CHANGES_POLICY = "kms:putkeypolicy"
_SERVICE_ROLES = ":role/aws-service-role/"


class Response(KmsResponse):
    """KMS's API, which looks at key policies."""

    def create_key(self) -> str:
        """Answers CreateKey."""
        self._check_policy()
        asked = {self._get_param("KeySpec"), self._get_param("CustomerMasterKeySpec")}
        return self._symmetric() if asked <= {None, _SYMMETRIC} else str(super().create_key())

    def put_key_policy(self) -> str:
        """Answers PutKeyPolicy."""
        self._check_policy()
        return str(super().put_key_policy())

    def _symmetric(self) -> str:
        """Makes a symmetric key; for that too moto makes an RSA pair, a tenth of a second's work that nothing uses."""
        key = self.kms_backend.create_key(
            self._get_param("Policy"),
            self._get_param("KeyUsage"),
            _QUICK,
            self._get_param("Description"),
            self._get_param("Tags"),
            self._get_param("MultiRegion"),
            self._get_param("Origin") or "AWS_KMS",
        )
        key.key_spec = _SYMMETRIC
        return json.dumps(key.to_dict())

    def _check_policy(self) -> None:
        """Refuses a policy that names nobody, names somebody who is not there, or lets nobody here change it again."""
        policy = self._get_param("Policy")
        if not policy:
            return
        found = list(statements(policy))
        if not all(one.get("Principal") for one in found):
            raise _malformed("Policy contains a statement with no principal.")
        if not all(map(self._is_there, (name for one in found for name in _principals(one)))):
            raise _malformed("Policy contains a statement with one or more invalid principals.")
        bypass = str(self._get_param("BypassPolicyLockoutSafetyCheck")).lower() == "true"
        if not bypass and not any(map(self._lets_change, found)):
            raise _malformed("The new key policy will not allow you to update the key policy in the future.")

    def _lets_change(self, statement: Mapping[str, Any]) -> bool:
        """Says whether a statement lets somebody of this account change the policy, whatever its conditions are."""
        if statement.get("Effect") != "Allow":
            return False
        if "NotAction" in statement:
            changes = not _names_change(statement["NotAction"])
        else:
            changes = _names_change(statement.get("Action", []))
        account = self.current_account
        return changes and any(name in {"*", account} or f":{account}:" in name for name in _principals(statement))

    def _is_there(self, name: str) -> bool:
        """Says whether a principal is there; of other accounts, and of accounts that are somebody's, it is taken so."""
        of_account = f":iam::{self.current_account}:"
        if of_account not in name or _SERVICE_ROLES in name or not knows_all_of(self.current_account):
            return True
        backend = iam_backends[self.current_account][self.partition]
        if ":role/" in name:
            return any(role.arn == name for role in backend.roles.values())
        if ":user/" in name:
            return any(user.arn == name for user in backend.users.values())
        return True


def _principals(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yields whom a statement is about, of AWS's accounts; services are none of an account's principals."""
    principal = statement.get("Principal", {})
    named = principal.get("AWS", []) if isinstance(principal, Mapping) else principal
    yield from map(str, listed(named))


def _names_change(actions: Any) -> bool:
    return any(fnmatchcase(_CHANGES_POLICY, str(pattern).lower()) for pattern in listed(actions))


def _malformed(message: str) -> OverlayError:
    return OverlayError("MalformedPolicyDocumentException", message)
