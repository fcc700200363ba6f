"""What an unquoted scalar means."""

import datetime as dt
import re
from typing import Any

_INTEGER = re.compile(r"[-+]?[0-9]+")
_PREFIXED_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{1,2}:\d{2}:\d{2}(\.\d+)?\s*(Z|[-+]\d{1,2}(:?\d{2})?)?")
_MAXIMUM_DIGITS = 40


def plain(text: str) -> Any:
    """Returns the value of an unquoted scalar.

    Source: YAML 1.2.2, section 10.3.2 (core schema), and the timestamp type of YAML 1.1, which the format's dates use.
    """
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    return _number(text) if text[0] in "+-.0123456789" else text


def _number(text: str) -> Any:
    if _SPECIAL_FLOAT.fullmatch(text):
        return float(text.replace(".", "", 1).lower())
    if _TIMESTAMP.fullmatch(text):
        return _timestamp(text)
    if len(text) > _MAXIMUM_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _PREFIXED_INTEGER.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


def _timestamp(text: str) -> dt.datetime | str:
    try:
        return dt.datetime.fromisoformat(text.replace(" ", "T", 1))
    except ValueError:
        return text
