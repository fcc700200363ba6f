"""KMS: its key policies, which moto takes whatever they say, and keys that are made in no time.

Source: KMS API reference, CreateKey and PutKeyPolicy; what is refused has its sources where it is checked.
"""

import json

from moto.kms.responses import KmsResponse

from rehearsal.overlays.kms_policies import check_key_policy

_SYMMETRIC = "SYMMETRIC_DEFAULT"
#: The kind of key whose pair is made in no time.
_QUICK = "ECC_NIST_P256"


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
        policy = self._get_param("Policy")
        if policy:
            bypass = str(self._get_param("BypassPolicyLockoutSafetyCheck")).lower() == "true"
            check_key_policy(policy, account=self.current_account, partition=self.partition, bypass=bypass)
