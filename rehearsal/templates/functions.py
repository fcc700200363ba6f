"""Computes the intrinsic functions that need nothing but their arguments, which come resolved."""

import base64
import ipaddress
import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

from rehearsal.templates.template import TemplateError

MAX_CIDR_BLOCKS = 256


def text(value: Any, function: str) -> str:
    """Writes a scalar as CloudFormation does when it becomes part of a text.

    Raises:
        TemplateError: The value is a list or an object.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    found = json.dumps(value, default=lambda _: "AWS::NoValue")
    raise TemplateError(f"Template error: every value in {function} must be a string, not {found}")


def join(arguments: Any) -> str:
    """Joins a list of texts: ``[delimiter, [text, ...]]``."""
    match arguments:
        case [str(delimiter), list(items)]:
            return delimiter.join(text(item, "Fn::Join") for item in items)
    raise TemplateError(
        "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of "
        "strings to be joined or a function that returns a list of strings (such as Fn::GetAZs) to be joined."
    )


def split(arguments: Any) -> list[str]:
    """Splits a text: ``[delimiter, text]``."""
    match arguments:
        case [str(delimiter), str(source)] if delimiter:
            return source.split(delimiter)
    raise TemplateError(
        "Template error: every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be "
        "split or a function that returns a string to be split."
    )


def select(arguments: Any) -> Any:
    """Takes one member of a list: ``[index, [value, ...]]``."""
    match arguments:
        case [str() | int() as index, list(items)] if str(index).isdecimal():
            if int(index) < len(items):
                return items[int(index)]
            raise TemplateError(f"Template error: Fn::Select cannot select nonexistent value at index {index}")
    raise TemplateError(
        "Template error: Fn::Select requires a list argument with two elements: an integer index and a list"
    )


def find_in_map(mappings: Mapping[str, Any], arguments: Any) -> Any:
    """Looks a value up: ``[map, key, second key]``, and at will ``{"DefaultValue": value}`` as the fourth."""
    match arguments:
        case [str(name), str() | int() as key, str() | int() as second, *rest]:
            found = mappings.get(name, {}).get(str(key), {}).get(str(second))
            if found is not None:
                return found
            if rest and isinstance(rest[0], dict) and "DefaultValue" in rest[0]:
                return rest[0]["DefaultValue"]
            raise TemplateError(f"Template error: Unable to get mapping for {name}::{key}::{second}")
    raise TemplateError(
        "Template error: every Fn::FindInMap object requires three parameters, the map name, map key and the attribute "
        "for return value"
    )


def encode(argument: Any) -> str:
    """Encodes a text in Base64."""
    if not isinstance(argument, str):
        raise TemplateError("Template error: every Fn::Base64 object must have a String-typed value.")
    return base64.b64encode(argument.encode()).decode()


def cidr(arguments: Any) -> list[str]:
    """Cuts a block of addresses into equal parts: ``[block, count, host bits]``, of which the bits are 8 by default."""
    refusal = TemplateError(f"Template error: Fn::Cidr can't cut {json.dumps(arguments)}")
    match arguments:
        case [str(block), str() | int() as given, *rest]:
            try:
                count, bits = int(given), int(rest[0] if rest else 8)
                network = ipaddress.ip_network(block, strict=False)
            except (TypeError, ValueError) as error:
                raise refusal from error
            prefix = network.max_prefixlen - bits
            fits = network.prefixlen <= prefix <= network.max_prefixlen and 1 <= count <= MAX_CIDR_BLOCKS
            if fits and 2 ** (prefix - network.prefixlen) >= count:
                return [str(part) for part in islice(network.subnets(new_prefix=prefix), count)]
    raise refusal


def length(argument: Any) -> int:
    """Counts the members of a list."""
    if not isinstance(argument, list):
        raise TemplateError("Template error: Fn::Length requires a list or a function that returns a list")
    return len(argument)


def to_json(argument: Any) -> str:
    """Writes an object or a list as JSON text."""
    if not isinstance(argument, dict | list):
        raise TemplateError("Template error: Fn::ToJsonString requires an object or a list")
    return json.dumps(argument, separators=(",", ":"))
