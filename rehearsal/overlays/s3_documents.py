"""Reads the documents in requests to S3, so that whoever looks at one finds in it what the API has there.

What S3 refuses here is what no SDK sends and a person's own XML may have: text where elements belong, words where a
number does, an element that must be there and is not.

Source: botocore, data/s3, the shape of what each operation takes; S3 API reference, "Error responses", MalformedXML.
"""

import functools
import re
from collections.abc import Mapping
from typing import Any
from xml.parsers.expat import ExpatError

import xmltodict  # type: ignore[import-untyped]

from rehearsal.overlays.s3_settings import malformed_xml
from rehearsal.overlays.trust import listed
from rehearsal.sessions import core_session

_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")


def read_document(operation: str, body: bytes) -> dict[str, Any]:
    """Reads a request's document.

    Args:
        operation: The operation by the API's name, such as ``PutBucketVersioning``.
        body: The request's body.

    Returns:
        The members by their elements' names: structures as mappings, repeated elements as lists, all else as text.
        An empty element is an empty structure or an empty text; elements that the API doesn't have are left out.

    Raises:
        OverlayError: S3's ``MalformedXML``.
    """
    shape = _shape(operation)
    try:
        root = xmltodict.parse(body)[shape.serialization["name"]]
    except (ExpatError, KeyError, ValueError) as error:
        raise malformed_xml() from error
    return _structure(shape, root)


@functools.cache
def _shape(operation: str) -> Any:
    """Gives botocore's shape of an operation's document; to find it takes a hundredth of a second."""
    taken: Any = core_session().get_service_model("s3").operation_model(operation).input_shape
    return taken.members[taken.serialization["payload"]]


def _structure(shape: Any, value: Any) -> dict[str, Any]:
    given = {} if value is None else value
    if not isinstance(given, Mapping) or "#text" in given:
        raise malformed_xml()
    read: dict[str, Any] = {}
    for member, inner in shape.members.items():
        name = inner.serialization.get("name", member)
        if name in given:
            read[name] = _value(inner, given[name])
        elif member in shape.required_members and not inner.serialization.get("xmlAttribute"):
            raise malformed_xml()
    return read


def _value(shape: Any, value: Any) -> Any:
    if shape.type_name == "structure":
        return _structure(shape, value)
    if shape.type_name == "list":
        if shape.serialization.get("flattened"):
            return [_value(shape.member, one) for one in listed(value)]
        name = shape.member.serialization.get("name", "member")
        if value is not None and not isinstance(value, Mapping):
            raise malformed_xml()
        return [_value(shape.member, one) for one in listed((value or {}).get(name, []))]
    text = "" if value is None else value
    is_number = shape.type_name in ("integer", "long")
    if not isinstance(text, str) or (is_number and not _NUMBER.fullmatch(text)):
        raise malformed_xml()
    return text
