"""Checks a resource's resolved properties against what CloudFormation publishes of its type, before its handler runs.

CloudFormation reads a template's scalars leniently (``"8"`` is 8, ``"true"`` is true, 8 is ``"8"``) and takes a
document's JSON text for the document. What is left is refused in the words of the validator that it published, which
shows no value that could be a secret: of a wrong value it names the keyword alone.

Source: aws-cloudformation/cloudformation-resource-schema, Validator and ValidationException; CloudFormation API
reference, StackEvent, ``DetailedStatus``. That a read-only property is refused: aws-cloudformation/cloudformation-cli,
contract test of handler_create; its words are the rehearsal's own.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from rehearsal.handlers.base import VALIDATION_FAILED, Properties, Resource, ResourceError
from rehearsal.stack import Stack
from trnstack.advice.impact import schemas as published
from trnstack.advice.impact.schemas import ABSENT

_BRANCHES = ("anyOf", "oneOf", "allOf")
_JAVA_NAMES = {
    "array": "JSONArray",
    "boolean": "Boolean",
    "integer": "Integer",
    "null": "Null",
    "number": "Number",
    "object": "JSONObject",
    "string": "String",
}
_SIZES = {
    "minLength": "expected minLength: {limit}, actual: {size}",
    "maxLength": "expected maxLength: {limit}, actual: {size}",
    "minItems": "expected minimum item count: {limit}, found: {size}",
    "maxItems": "expected maximum item count: {limit}, found: {size}",
    "minProperties": "minimum size: [{limit}], found: [{size}]",
    "maxProperties": "maximum size: [{limit}], found: [{size}]",
}
_INTEGER, _NUMBER = re.compile(r"[+-]?\d+"), re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUTH = {"true": True, "false": False}


def check_properties(stack: Stack, resource: Resource, verb: str, properties: Properties) -> None:
    """Refuses to create or update a resource with properties that its type's schema does not allow.

    A type that the stack's region does not publish, such as a custom resource, is not looked at.

    Raises:
        ResourceError: The properties are not valid; the message says all that is wrong, a line each.
    """
    name = published.index(stack.region).get(resource.type)
    if verb == "DELETE" or name is None:
        return
    document = published.document(name)
    problems = tuple(dict.fromkeys(_problems(validator_for(name), typed(properties, document, document))))
    if problems:
        words = "\n".join(problems)
        message = f"Properties validation failed for resource {resource.logical_id} with message: {words}"
        raise ResourceError(VALIDATION_FAILED, message)
    read_only = published.published(resource.type, name).read_only
    given = [path for path in read_only if _given(published.at(properties, path))]
    if given:
        names = ", ".join("/".join(("#", *path)) for path in given)
        raise ResourceError("InvalidRequest", f"Read-only properties can't be set: {names}")


@cache
def validator_for(name: str) -> Draft7Validator:
    """Gives the validator of a type, by its schema's file."""
    validator: Draft7Validator = _Validator(published.document(name))
    return validator


def typed(value: Any, node: Mapping[str, Any], document: Mapping[str, Any]) -> Any:
    """Gives a value with its scalars in the types that a schema asks for, wherever they can be read so.

    Args:
        value: Resolved properties, or a part of them.
        node: What the schema says of the value.
        document: The whole schema, whose definitions the node may name.
    """
    node = _followed(node, document)
    branches = [_followed(branch, document) for name in _BRANCHES for branch in node.get(name, ())]
    if not isinstance(value, dict | list):
        return _scalar(value, _types(node) or frozenset().union(*map(_types, branches)), node)
    for branch in branches:
        value = typed(value, branch, document)
    if isinstance(value, list):
        items = node.get("items", {})
        return [typed(part, items, document) for part in value] if isinstance(items, dict) else value
    return {key: typed(part, _member(node, key), document) for key, part in value.items()}


def _problems(validator: Draft7Validator, properties: Properties) -> Iterator[str]:
    for error in validator.iter_errors(properties):
        yield from _worded(validator, error)


def _worded(validator: Draft7Validator, error: ValidationError) -> Iterator[str]:
    """Yields the lines that the published validator has for an error and for what caused it."""
    at = "/".join(("#", *map(str, error.absolute_path)))
    for words in _words(validator, error):
        yield f"{at}: {words}"
    for cause in error.context or ():
        yield from _worded(validator, cause)


def _words(validator: Draft7Validator, error: ValidationError) -> Iterator[str]:
    keyword = str(error.validator)
    limit: Any = error.validator_value
    found: Any = error.instance
    if keyword == "required":
        yield from (f"required key [{name}] not found" for name in limit if name not in found)
    elif keyword == "additionalProperties":
        yield from (f"extraneous key [{name}] is not permitted" for name in found if not _known(error.schema, name))
    elif keyword == "type" and isinstance(limit, str):
        yield f"expected type: {_JAVA_NAMES[limit]}, found: {_found(validator, found)}"
    elif keyword in {"type", "anyOf"}:
        yield f"#: no subschema matched out of the total {len(limit)} subschemas"
    elif keyword == "oneOf":
        matched = sum(validator.evolve(schema=branch).is_valid(found) for branch in limit)
        yield f"#: {matched} subschemas matched instead of one"
    elif keyword == "uniqueItems":
        yield "array items are not unique"
    elif keyword in _SIZES:
        yield _SIZES[keyword].format(limit=limit, size=len(found))
    else:
        yield f"failed validation constraint for keyword [{keyword}]"


def _found(validator: Draft7Validator, value: Any) -> str:
    """Names the type of a value as Java's JSON library does."""
    return next(_JAVA_NAMES[name] for name in ("integer", *sorted(_JAVA_NAMES)) if validator.is_type(value, name))


def _known(schema: Any, name: str) -> bool:
    patterns = schema.get("patternProperties", {})
    return name in schema.get("properties", {}) or any(matches(pattern, name) is not False for pattern in patterns)


def _member(node: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Gives what a schema says of a member: by its name, by a pattern of names, or of all others."""
    known: Mapping[str, Any] | None = node.get("properties", {}).get(key)
    if known is not None:
        return known
    by_pattern = node.get("patternProperties", {}).items()
    member = next((part for pattern, part in by_pattern if matches(pattern, key)), node.get("additionalProperties"))
    return member if isinstance(member, dict) else {}


def _followed(node: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Gives the definition that a node stands for; every reference within the schemas is to a definition."""
    while "$ref" in node:
        node = document["definitions"][node["$ref"].removeprefix("#/definitions/")]
    return node


def _types(node: Mapping[str, Any]) -> frozenset[str]:
    types = node.get("type", ())
    return frozenset([types] if isinstance(types, str) else types)


def _scalar(value: Any, types: frozenset[str], node: Mapping[str, Any]) -> Any:
    """Reads a scalar as one of the types that are asked for; one that can't be read so stays as it is."""
    if isinstance(value, str):
        return value if "string" in types else _read(value.strip(), types, node)
    if "string" in types and not types & {"boolean" if isinstance(value, bool) else "number", "integer"}:
        return str(value).lower() if isinstance(value, bool) else str(value)
    return value


def _read(text: str, types: frozenset[str], node: Mapping[str, Any]) -> Any:
    if "boolean" in types and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if types & {"integer", "number"} and _INTEGER.fullmatch(text):
        return int(text)
    if "number" in types and _NUMBER.fullmatch(text):
        return float(text)
    if "object" in types and "properties" not in node:
        return _document(text)
    return text


def _document(text: str) -> Any:
    """Reads the JSON text of a document, such as a policy."""
    try:
        document = json.loads(text)
    except (RecursionError, ValueError):
        return text
    return document if isinstance(document, dict) else text


def _given(found: Any) -> bool:
    """Says whether anything stands at a path, of which ``at`` gives a list where the path goes through one."""
    return any(map(_given, found)) if isinstance(found, list) else found is not ABSENT


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None


def matches(pattern: str, text: str) -> bool | None:
    r"""Says whether a pattern is found in a text; None where only Java can tell, as with ``\p{L}``."""
    compiled = _compiled(pattern)
    return None if compiled is None else compiled.search(text) is not None


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and matches(pattern, instance) is False:
        yield ValidationError(pattern)


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    for pattern, schema in patterns.items():
        for name, value in instance.items() if isinstance(instance, dict) else ():
            if matches(pattern, name):
                yield from validator.descend(value, schema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    others = [name for name in instance if not _known(schema, name)] if isinstance(instance, dict) else []
    if allowed is False and others:
        yield ValidationError(", ".join(others))
    elif isinstance(allowed, dict):
        for name in others:
            yield from validator.descend(instance[name], allowed, path=name)


#: Draft 7 but for the keywords with patterns, which may be such as Python can't read.
_Validator: Any = extend(  # type: ignore[no-untyped-call]  # typeshed leaves it open
    Draft7Validator,
    {"pattern": _pattern, "patternProperties": _pattern_properties, "additionalProperties": _additional_properties},
)
