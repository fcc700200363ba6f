"""The environment file's form as a JSON Schema, for editors and other programs."""

import json
from typing import Any

from trnstack.spec import Environment

#: What pydantic knows of a time and JSON Schema's ``format`` does not enforce: it has a zone.
_TIME = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[-+]\d{2}:?\d{2})$"


def environment_schema() -> dict[str, Any]:
    """Returns the JSON Schema of the environment file, version 1, in a stable order.

    What stands in it is the form alone. What values must be to each other is said by rules.

    Source: JSON Schema, draft 2020-12.
    """
    generated = Environment.model_json_schema()
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trnstack environment, version 1",
        "description": generated["description"],
    }
    definitions = generated.pop("$defs")
    schema = {**head, **{key: value for key, value in generated.items() if key not in head}, "$defs": definitions}
    _tighten(schema)
    return schema


def schema_text() -> str:
    """Returns the schema as text; docs/environment.schema.json is this."""
    return json.dumps(environment_schema(), indent=2, ensure_ascii=False) + "\n"


def _tighten(node: Any) -> None:
    """Adds what pydantic leaves out: keys of free choice have a form too, and times a zone."""
    if isinstance(node, list):
        for each in node:
            _tighten(each)
    elif isinstance(node, dict):
        if "patternProperties" in node:
            node["additionalProperties"] = False
        if node.get("format") == "date-time":
            node["pattern"] = _TIME
        for each in node.values():
            _tighten(each)
