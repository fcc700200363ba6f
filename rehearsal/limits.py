"""How large templates, and the values that come with them, may be.

Source: CloudFormation user guide, "Understand CloudFormation quotas". The words for the numbers of members and for the
description are quoted in serverless-plugin-split-stacks 159 and zalando-stups/senza 319, those for a parameter's
default in mup-aws-beanstalk 42; CloudFormation's words for the other sizes are unconfirmed.
"""

from collections.abc import Mapping
from typing import Any

from rehearsal.templates.text import Document, TemplateError

MAX_BODY_BYTES = 51_200
MAX_URL_BYTES = 1_000_000
MAX_MEMBERS: Mapping[str, int] = {"Resources": 500, "Outputs": 200, "Parameters": 200, "Mappings": 200}
MAX_MAPPING_ATTRIBUTES = 200
MAX_NAME_CHARACTERS = 255
MAX_DESCRIPTION_BYTES = 1_024
MAX_PARAMETER_BYTES = 4_096
MAX_OPERATIONS = 2_500
"""Of all nested stacks of one root together, in one operation."""


def check_sizes(document: Document) -> None:
    """Refuses a template with too many members, or with names and descriptions that are too long.

    Raises:
        TemplateError: The first that is over its limit.
    """
    for section, most in MAX_MEMBERS.items():
        members = document.get(section, {})
        if len(members) > most:
            words = f"Number of {section.lower()}, {len(members)}, is greater than maximum allowed, {most}"
            raise TemplateError(f"Template format error: {words}")
        for name in members:
            if len(str(name)) > MAX_NAME_CHARACTERS:
                words = f"{section[:-1]} name {name} is longer than {MAX_NAME_CHARACTERS} characters"
                raise TemplateError(f"Template format error: {words}")
    _check_description("'Description'", document)
    for name, mapping in document.get("Mappings", {}).items():
        if isinstance(mapping, dict) and len(mapping) > MAX_MAPPING_ATTRIBUTES:
            words = f"attributes of mapping {name}, {len(mapping)}, is greater than maximum allowed"
            raise TemplateError(f"Template format error: Number of {words}, {MAX_MAPPING_ATTRIBUTES}")
    for name, output in document.get("Outputs", {}).items():
        _check_description(f"Output '{name}' description", output)
    for name, parameter in document.get("Parameters", {}).items():
        default = parameter.get("Default") if isinstance(parameter, dict) else None
        if default is not None and _bytes(default) > MAX_PARAMETER_BYTES:
            words = f"Parameter '{name}' default value '[****]' length is greater than {MAX_PARAMETER_BYTES}."
            raise TemplateError(f"Template format error: {words}")


def check_value(name: str, text: str) -> None:
    """Refuses a parameter's value that is too long.

    Raises:
        TemplateError: It has more than 4,096 bytes.
    """
    if _bytes(text) > MAX_PARAMETER_BYTES:
        raise TemplateError(f"Parameter '{name}' must contain at most {MAX_PARAMETER_BYTES} bytes")


def _check_description(what: str, holder: Any) -> None:
    description = holder.get("Description") if isinstance(holder, dict) else None
    if description is not None and _bytes(description) > MAX_DESCRIPTION_BYTES:
        raise TemplateError(f"Template format error: {what} length is greater than {MAX_DESCRIPTION_BYTES}.")


def _bytes(text: Any) -> int:
    return len(str(text).encode())
