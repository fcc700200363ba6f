"""Kubernetes' own schemas and ours of custom kinds, and what of an object is not as its schema says."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from referencing import Registry

Kind = tuple[str, str]
_GROUP_VERSION_KIND = "x-kubernetes-group-version-kind"
_HERE = Path(__file__).parent
#: A value that is told in a problem is cut here.
_LONGEST_VALUE = 80
#: JSON Schema's words for types, as a person writes them.
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


@functools.cache
def custom_schemas() -> Mapping[Kind, str]:
    """Returns the addresses of our schemas by apiVersion and kind."""
    return MappingProxyType(
        {
            (row["api_version"], row["kind"]): f"{table['$id']}#/$defs/{row['kind']}"
            for table in _custom_tables()
            for row in table["kinds"]
        }
    )


def schema_problems(found: Mapping[str, Any], kubernetes_version: str) -> Iterator[tuple[str, str]]:
    """Yields where an object is not as its schema says, and what is wrong there.

    Args:
        found: The object, with apiVersion and kind.
        kubernetes_version: The minor version of the API server, such as ``1.35``.

    Raises:
        ValueError: The schemas of that version are not among those that kubernetes-validate has.

    Source: kubernetes-validate, kubernetes-json-schema/vMINOR.0-local-strict: the OpenAPI description of each minor,
    closed for fields that it lacks.
    """
    kind = (found["apiVersion"], found["kind"])
    validator = _validator(kind, kubernetes_version)
    if validator is None:
        yield "kind", f"neither Kubernetes {kubernetes_version} nor a chart has a kind {kind[1]} of {kind[0]}"
        return
    for error in sorted(validator.iter_errors(found), key=lambda each: [str(part) for part in each.absolute_path]):
        for leaf in _leaves(error):
            yield path_of(leaf.absolute_path), _message(leaf)


def path_of(parts: Sequence[str | int]) -> str:
    """Returns a path as it is told: ``spec.template.spec.containers[0].image``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".") or "the object"


@functools.cache
def _validator(kind: Kind, kubernetes_version: str) -> "Validator | None":
    # Loading them takes a second that only a validation has.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    custom, registry = custom_schemas(), _registry(kubernetes_version)
    schema = {"$ref": custom[kind]} if kind in custom else _built_in_schema(kind, kubernetes_version)
    return None if schema is None else Draft202012Validator(schema, registry=registry)


def _built_in_schema(kind: Kind, kubernetes_version: str) -> dict[str, Any] | None:
    """Returns the reference to a built-in kind's definition; None where the version has no such kind."""
    group, _, version = kind[0].rpartition("/")
    definitions = _definitions(kubernetes_version)["$defs"]
    sought = {"group": group, "kind": kind[1], "version": version}
    name = next((name for name, each in definitions.items() if sought in each.get(_GROUP_VERSION_KIND, ())), None)
    # A kind without an object's metadata, such as Status, is none that is applied.
    metadata = definitions[name]["properties"].get("metadata", {}) if name else {}
    if not metadata.get("$ref", "").endswith(".ObjectMeta"):
        return None
    return {"$ref": f"{_definitions(kubernetes_version)['$id']}#/$defs/{name}"}


@functools.cache
def _definitions(kubernetes_version: str) -> dict[str, Any]:
    """Returns a version's definitions, with the words that their fields take."""
    from kubernetes_validate.utils import (  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
        all_versions,
        schema_contents,
    )

    if f"{kubernetes_version}.0" not in all_versions():
        have = ", ".join(version.removesuffix(".0") for version in all_versions())
        raise ValueError(f"there are no schemas of Kubernetes {kubernetes_version}, only of {have}")
    file = f"kubernetes-json-schema/v{kubernetes_version}.0-local-strict/_definitions.json"
    table: dict[str, Any] = schema_contents(file, kubernetes_version)
    for name, fields in _load(_HERE / "built_in.yaml").items():
        for field, words in fields.items():
            held = table["$defs"][name]["properties"][field]
            (held["items"] if held.get("items") else held)["enum"] = [*words, None]
    return table


@functools.cache
def _registry(kubernetes_version: str) -> "Registry[Any]":
    from referencing import Registry, Resource  # noqa: PLC0415 - as above

    tables = (_definitions(kubernetes_version), *_custom_tables())
    return Registry().with_resources((table["$id"], Resource.from_contents(table)) for table in tables)


@functools.cache
def _custom_tables() -> tuple[dict[str, Any], ...]:
    return tuple(_load(path) for path in sorted((_HERE / "custom_resources").glob("*.yaml")))


def _load(path: Path) -> dict[str, Any]:
    table: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return table


def _leaves(error: "ValidationError") -> Iterator["ValidationError"]:
    """Yields what is wrong in the end: a choice of forms, none of which fits, is told by the choice itself."""
    if error.validator in {"oneOf", "anyOf"} or not error.context:
        yield error
    else:
        for inner in error.context:
            yield from _leaves(inner)


def _message(error: "ValidationError") -> str:
    """Returns what is wrong in a sentence, instead of a copy of the whole value that jsonschema tells."""
    said: Any = error.validator_value
    held: Any = error.instance
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        unknown = sorted(str(key) for key in held if key not in error.schema.get("properties", {}))
        return f"there is no field {', '.join(unknown)}"
    sentence = _SENTENCES.get(str(error.validator))
    return sentence(said, held) if sentence else error.message[: 2 * _LONGEST_VALUE]


def _missing(said: Sequence[str], held: Mapping[str, Any]) -> str:
    return f"{', '.join(key for key in said if key not in held)} is missing"


def _type(said: str | Sequence[str], held: Any) -> str:
    types = [said] if isinstance(said, str) else [each for each in said if each != "null"]
    return f"{_short(held)} is not {' or '.join(_TYPES.get(each, each) for each in types)}"


def _choice(said: Sequence[Any], held: Any) -> str:
    return (
        f"{_short(held)} is not one of {', '.join(str(each) or 'an empty text' for each in said if each is not None)}"
    )


def _no_form(_said: Any, held: Any) -> str:
    return f"{_short(held)} has none of the forms that it may have"


def _too_many(said: int, held: Any) -> str:
    return f"{len(held)} are more than {said}"


def _too_few(said: int, held: Any) -> str:
    return f"{len(held)} are fewer than {said}"


#: What is said of a value, by the word of JSON Schema's that it does not keep.
_SENTENCES: Mapping[str, Callable[[Any, Any], str]] = {
    "required": _missing,
    "type": _type,
    "enum": _choice,
    "const": lambda said, held: f"{_short(held)} is not {said}",
    "pattern": lambda said, held: f"{_short(held)} has not the form {said}",
    **dict.fromkeys(("oneOf", "anyOf"), _no_form),
    **dict.fromkeys(("maxItems", "maxLength", "maxProperties"), _too_many),
    **dict.fromkeys(("minItems", "minLength", "minProperties"), _too_few),
}


def _short(value: Any) -> str:
    text = f"'{value}'" if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
