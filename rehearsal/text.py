"""Reads a template's text, JSON or YAML with CloudFormation's short function tags, into plain data."""

import json
from typing import Any

import yaml

from trnstack.advice.impact.text import TemplateLoader

Document = dict[str, Any]


class TemplateError(Exception):
    """A template, its parameters or its functions are refused; the message is CloudFormation's own."""


def read(body: str) -> Document:
    """Reads a template's text.

    Raises:
        TemplateError: It is neither JSON nor YAML, or no object.
    """
    if body.lstrip().startswith("{"):
        try:
            document = json.loads(body)
        except json.JSONDecodeError as error:
            place = f"(line {error.lineno}, column {error.colno})"
            raise TemplateError(f"Template format error: JSON not well-formed. {place}") from error
    else:
        document = _read_yaml(body)
    if not isinstance(document, dict):
        raise TemplateError("Template format error: unsupported structure.")
    return document


def _read_yaml(body: str) -> Any:
    try:
        return yaml.load(body, TemplateLoader)  # noqa: S506  (TemplateLoader is a SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise TemplateError(f"Template format error: YAML not well-formed.{place}") from error
    except yaml.YAMLError as error:
        raise TemplateError(f"Template format error: YAML not well-formed. {error}") from error
