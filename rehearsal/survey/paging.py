"""Reads lists that AWS gives a page at a time."""

from typing import Any


def every(client: Any, operation: str, member: str, **parameters: Any) -> list[Any]:
    """Gives a list operation's whole list, however many pages it takes."""
    pages = client.get_paginator(operation).paginate(**parameters)
    return [item for page in pages for item in page.get(member, [])]


def name_of(resource: dict[str, Any]) -> str:
    """Gives the ``Name`` tag of an EC2 resource, or nothing."""
    return next((tag["Value"] for tag in resource.get("Tags", []) if tag["Key"] == "Name"), "")
