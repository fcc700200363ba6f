"""Whom a role trusts."""

import json
from typing import Any


def trusts_service(role: Any, service: str) -> bool:
    """Says whether a service, such as ``lambda.amazonaws.com``, may take a role, given as moto's record of it."""
    document = role.assume_role_policy_document
    statements = (json.loads(document) if isinstance(document, str) else document)["Statement"]
    for statement in statements if isinstance(statements, list) else [statements]:
        principal = statement.get("Principal", {})
        named = principal.get("Service", []) if isinstance(principal, dict) else principal
        if statement["Effect"] == "Allow" and service in ([named] if isinstance(named, str) else named):
            return True
    return False
