"""STS: a role is assumed only where it exists and trusts the caller's account; moto lets anyone assume any name.

The CDK CLI looks at this to tell whether its credentials are good for a stack's account.
"""

from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from moto.core.common_types import TYPE_RESPONSE
from moto.core.responses import ActionResult
from moto.iam.models import iam_backends
from moto.sts.responses import TokenResponse

from rehearsal.overlays.arns import parsed
from rehearsal.overlays.policy_grammar import principals
from rehearsal.overlays.trust import statements

#: Every service can answer this error, so STS's model of its own errors lacks it, and moto could not write it down.
_DENIED = (
    '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
    "<Code>AccessDenied</Code><Message>{message}</Message></Error><RequestId>made anew</RequestId></ErrorResponse>"
)


class Response(TokenResponse):
    """STS's API."""

    def assume_role(self) -> ActionResult | TYPE_RESPONSE:  # type: ignore[override]
        """Answers AssumeRole.

        Source: STS API reference, AssumeRole; IAM user guide, "Troubleshoot IAM roles", for the words.
        """
        arn = str(self._get_param("RoleArn"))
        caller = self.current_account
        if not any(self._trusts(role, caller) for role in self._roles(arn) if role.arn == arn):
            user = f"arn:{self.partition}:iam::{caller}:root"
            message = f"User: {user} is not authorized to perform: sts:AssumeRole on resource: {arn}"
            return 403, {"status": 403, "Content-Type": "text/xml"}, _DENIED.format(message=escape(message))
        return super().assume_role()

    def _roles(self, arn: str) -> Iterator[Any]:
        named = parsed(arn)
        account = self.current_account if named is None else named.account
        yield from iam_backends[account][self.partition].roles.values()

    @staticmethod
    def _trusts(role: Any, account: str) -> bool:
        named = [
            name
            for statement in statements(role.assume_role_policy_document)
            for kind, name in principals(statement)
            if kind == "AWS" and "Principal" in statement
        ]
        return any(name == "*" or account in name.split(":") for name in named)
