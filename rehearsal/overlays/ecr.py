"""ECR: credentials that are valid today; moto's have ended in 2015."""

import datetime as dt
from typing import Any

from moto.core.responses import ActionResult
from moto.ecr.responses import ECRResponse

from rehearsal import clock

#: Source: ECR API reference, GetAuthorizationToken.
_VALID = dt.timedelta(hours=12)


class Response(ECRResponse):
    """ECR's API."""

    def get_authorization_token(self) -> ActionResult:
        """Answers GetAuthorizationToken."""
        answer: dict[str, Any] = super().get_authorization_token().result  # type: ignore[assignment]
        until = clock.now() + _VALID
        return ActionResult({"authorizationData": [{**one, "expiresAt": until} for one in answer["authorizationData"]]})
