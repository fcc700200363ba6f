"""Fits CloudFormation properties to the parameters of the API operation that takes them.

CloudFormation spells most properties as the service's API spells its parameters, but for case (``SubnetIds`` and
``subnetIds``), for tags (a list of ``Key`` and ``Value``, or a map), for documents (an object, or its JSON text) and
for scalars, which a template may give as text. The operation's own input shape says which form the API wants.

Source: CloudFormation user guide, template reference; botocore's service models.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.model import Shape

from rehearsal.handlers.base import NOT_MODELLED, Properties, ResourceError

_TRUTH = {"true": True, "false": False}


def fit(shape: Shape, properties: Properties, renamed: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Gives the API parameters that say what the properties say.

    Args:
        shape: The operation's input shape, or a structure within it.
        properties: Resolved properties, by their CloudFormation names.
        renamed: The API's name of each property that has another one, by property path. Paths name the properties from
            the top, joined by dots, without list positions: ``Rules.NoncurrentDays``.

    Raises:
        ResourceError: A property is unknown to the shape, or its value can't take the form that the shape wants.
    """
    return _Fitting(renamed or {}).structure(shape, properties, "")


@dataclass(frozen=True, slots=True)
class _Fitting:
    renamed: Mapping[str, str]

    def value(self, shape: Shape, value: Any, path: str) -> Any:
        nested = {"structure": self.structure, "list": self.list, "map": self.map}.get(shape.type_name)
        if nested is not None:
            return nested(shape, value, path)
        scalar = _SCALARS.get(shape.type_name)
        return value if scalar is None else scalar(value, path)

    def structure(self, shape: Shape, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _mistyped(path, "an object", value)
        members = {name.lower(): name for name in shape.members}
        fitted = {}
        for key, part in value.items():
            inner = f"{path}.{key}" if path else key
            name = members.get(self.renamed.get(inner, key).lower())
            if name is None:
                raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property {inner}")
            fitted[name] = self.value(shape.members[name], part, inner)
        return fitted

    def list(self, shape: Shape, value: Any, path: str) -> list[Any]:
        key, content = _tag_members(shape.member)
        if isinstance(value, dict) and key:
            return [{key: name, content: _text(part, path)} for name, part in value.items()]
        parts = value if isinstance(value, list) else [value]
        if key and key != "Key":
            return [{key: _text(part["Key"], path), content: _text(part["Value"], path)} for part in parts]
        return [self.value(shape.member, part, path) for part in parts]

    def map(self, shape: Shape, value: Any, path: str) -> dict[str, Any]:
        if isinstance(value, list) and all(isinstance(part, dict) and {"Key", "Value"} == set(part) for part in value):
            value = {part["Key"]: part["Value"] for part in value}
        if not isinstance(value, dict):
            raise _mistyped(path, "an object", value)
        return {str(key): self.value(shape.value, part, f"{path}.{key}") for key, part in value.items()}


def _tag_members(shape: Shape) -> tuple[str, str]:
    """Names the two members of a tag's shape, or gives two empty names for a shape that is no tag."""
    if shape.type_name == "structure":
        for key, content in (("Key", "Value"), ("key", "value"), ("TagKey", "TagValue")):
            if set(shape.members) == {key, content}:
                return key, content
    return "", ""


def _text(value: Any, path: str) -> str:
    """Gives text; a document, which may be given as an object, becomes its JSON text wherever it stands."""
    del path
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _truth(value: Any, path: str) -> bool:
    truth = _TRUTH.get(str(value).lower())
    if truth is None:
        raise _mistyped(path, "a boolean", value)
    return truth


def _integer(value: Any, path: str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise _mistyped(path, "an integer", value) from error


def _number(value: Any, path: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise _mistyped(path, "a number", value) from error


def _mistyped(path: str, wanted: str, value: Any) -> ResourceError:
    return ResourceError("ValidationError", f"Value of property {path} must be {wanted}, not {value!r}")


_SCALARS: Mapping[str, Callable[[Any, str], Any]] = {
    "string": _text,
    "boolean": _truth,
    "integer": _integer,
    "long": _integer,
    "float": _number,
    "double": _number,
}
