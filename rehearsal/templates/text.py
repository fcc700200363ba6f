"""Reads a template's text, JSON or YAML with CloudFormation's short function tags, into plain data."""

import json
from typing import Any

import yaml

from trnstack.advice.impact.text import TemplateLoader

Document = dict[str, Any]


class TemplateError(Exception):
    """A template, its parameters or its functions are refused; the message is CloudFormation's own."""


class NotModelledError(TemplateError):
    """A template asks for what AWS has and only the rehearsal lacks; the message is the rehearsal's own."""


def read(body: str) -> Document:
    """Reads a template's text.

    Raises:
        TemplateError: It is neither JSON nor YAML, no object, deeper than people write, or has a key that is a number.
    """
    try:
        document = _read(body)
        _check_keys(document, "")
    except RecursionError as error:
        raise TemplateError("Template format error: the template is nested too deeply, or within itself.") from error
    if not isinstance(document, dict):
        raise TemplateError("Template format error: unsupported structure.")
    return document


def _read(body: str) -> Any:
    if body.lstrip().startswith("{"):
        try:
            return json.loads(body)
        except json.JSONDecodeError as error:
            place = f"(line {error.lineno}, column {error.colno})"
            raise TemplateError(f"Template format error: JSON not well-formed. {place}") from error
    return _read_yaml(body)


def _check_keys(value: Any, path: str) -> None:
    """Refuses keys that YAML reads as numbers, as an account's id is without quotes."""
    if isinstance(value, dict):
        for key, member in value.items():
            if isinstance(key, int | float) and not isinstance(key, bool):
                where = f"[{path or '/'}]"
                raise TemplateError(
                    f"Template format error: {where} map keys must be strings; received numeric [{key}]"
                )
            _check_keys(member, f"{path}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            _check_keys(member, f"{path}/{index}")


def _read_yaml(body: str) -> Any:
    try:
        return yaml.load(body, TemplateLoader)  # noqa: S506  (TemplateLoader is a SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise TemplateError(f"Template format error: YAML not well-formed.{place}") from error
    except yaml.YAMLError as error:
        raise TemplateError(f"Template format error: YAML not well-formed. {error}") from error
