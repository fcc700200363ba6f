"""Turns a file's data into an ``Environment``, or into findings that say in people's words what does not fit."""

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from trnstack.findings import Finding, InvalidEnvironmentError, Path, did_you_mean
from trnstack.source import Source
from trnstack.spec import Environment
from trnstack.spec.fields import fields_at, patterns_at
from trnstack.spec.wording import ADVICE, ALLOWED

_LONGEST_SHOWN = 60
#: Nobody reads more, and each takes its time to be worded.
_MOST_ERRORS = 1000
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMES, _MAPPINGS = {"datetime_type", "timezone_aware"}, {"dict_type", "model_type", "model_attributes_type"}
_TRUE, _FALSE = frozenset({"yes", "on", "y"}), frozenset({"no", "off", "n"})
_NUMBER_LIMITS = {"greater_than_equal": ("ge", "at least"), "greater_than": ("gt", "more than")}
_NUMBER_LIMITS |= {"less_than_equal": ("le", "at most"), "less_than": ("lt", "less than")}
_LENGTH_LIMITS = {"too_short": ("min_length", "at least"), "too_long": ("max_length", "at most")}
_TEXT_LIMITS = {"string_too_short": ("min_length", "at least"), "string_too_long": ("max_length", "at most")}
#: What a value must be, by pydantic's error type.
_KINDS = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "datetime_type": "a time in UTC, such as 2027-03-01T11:30:00Z",
    "timezone_aware": "a time with its zone, such as 2027-03-01T11:30:00Z",
}


def load(source: Source) -> Environment:
    """Returns the environment that a file describes.

    Raises:
        InvalidEnvironmentError: Keys are unknown or missing, or values have the wrong type or form; every one of them,
            in the order of the file. Codes SPEC005 to SPEC008.
    """
    try:
        return Environment.model_validate(source.data)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        findings = [source.locate(finding) for finding in _findings(errors[:_MOST_ERRORS], source)]
        findings.sort(key=lambda finding: (finding.line, finding.column))
        if len(errors) > _MOST_ERRORS:
            findings.append(source.locate(_left_out(len(errors) - _MOST_ERRORS)))
        raise InvalidEnvironmentError(findings) from None


def _left_out(count: int) -> Finding:
    message = f"{count:,} more values do not fit, and are not listed"
    return Finding(code="SPEC008", path=(), message=message, hint="correct those above first")


def _findings(errors: Sequence[ErrorDetails], source: Source) -> list[Finding]:
    cleaned = [(_real_path(error, source.data), error) for error in errors if not _is_echo(error)]
    return [
        _finding(path, [error for _, error in group], source)
        for path, group in groupby(cleaned, key=lambda pair: pair[0])
    ]


def _is_echo(error: ErrorDetails) -> bool:
    """Tells whether a list is called too short only because its entries are wrong, which is said already."""
    return error["type"] == "too_short" and len(error["input"]) >= error.get("ctx", {})["min_length"]


def _real_path(error: ErrorDetails, data: Any) -> Path:
    """Returns the path in the data: pydantic's own has the names of the union members that it tried in between."""
    path: list[str | int] = []
    here: Any = data
    steps = error["loc"]
    for position, step in enumerate(steps):
        named = isinstance(step, str) and isinstance(here, Mapping)
        if named and (step in here or (position == len(steps) - 1 and error["type"] == "missing")):
            path.append(step)
            here = here.get(str(step))
        elif isinstance(step, int) and isinstance(here, tuple) and step < len(here):
            path.append(step)
            here = here[step]
    return tuple(path)


def _finding(path: Path, errors: list[ErrorDetails], source: Source) -> Finding:
    error = errors[0]
    kind = error["type"]
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing":
        return _missing_key(path)
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        return _wrong_tag(path, error)
    key = " key" if "[key]" in error["loc"] else ""
    value = path[-1] if key else error["input"]
    shown = _shown(value, None if key else source.written.get(path))
    allowed = " or ".join(dict.fromkeys(_allowed(error) for error in errors))
    wrong_type = all(each["type"] in _KINDS for each in errors)
    if wrong_type and isinstance(value, str):
        shown = f"the text {shown}"
    return Finding(
        code="SPEC007" if wrong_type else "SPEC008",
        path=path,
        message=f"{key.strip()}{' ' if key else ''}{shown} is not {allowed}",
        hint=_hint(path, value, errors, source.written.get(path)),
    )


def _allowed(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "literal_error":
        choices = _choices(error)
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if kind == "string_pattern_mismatch":
        return ALLOWED[context["pattern"]]
    for limits, form in (
        (_NUMBER_LIMITS, "{} {}"),
        (_LENGTH_LIMITS, "a list of {} {}"),
        (_TEXT_LIMITS, "{} {} characters"),
    ):
        if kind in limits:
            name, words = limits[kind]
            return form.format(words, context[name])
    return f"allowed: it {error['msg'].removeprefix('Value error, ')}"


def _choices(error: ErrorDetails) -> list[str]:
    expected = str(error.get("ctx", {})["expected"])
    return [part.strip().strip("'") for part in expected.replace(" or ", ", ").split(",")]


def _hint(path: Path, value: Any, errors: list[ErrorDetails], written: str | None) -> str:
    kinds = {error["type"] for error in errors}
    if kinds & {"string_type", "string_pattern_mismatch"} and isinstance(value, int | float) and written is not None:
        return _hint_of_quotes(path, written)
    if "bool_type" in kinds and isinstance(value, str) and value.lower() in _TRUE | _FALSE:
        return f"write {'true' if value.lower() in _TRUE else 'false'}"
    if ("int_type" in kinds and isinstance(value, str) and value.isdigit()) or (
        "bool_type" in kinds and value in ("true", "false")
    ):
        return f"write it without quotes: {value}"
    if "tuple_type" in kinds and isinstance(value, str | int):
        return f"write a list: [{value}]"
    return _hint_of_form(value, errors, kinds)


def _hint_of_quotes(path: Path, written: str) -> str:
    """Returns what to write in place of a number: the same in quotes, where that would be taken."""
    patterns = patterns_at(path)
    if not patterns or any(re.search(pattern, written) for pattern in patterns):
        return f'write it in quotes: "{written}"'
    pattern = patterns[0]
    return (ADVICE[pattern](written) if pattern in ADVICE else "") or f"write {ALLOWED[pattern]}"


def _hint_of_form(value: Any, errors: list[ErrorDetails], kinds: set[str]) -> str:
    if kinds & _MAPPINGS:
        return "write its keys and their values, or remove it" if value is None else "write its keys and their values"
    if kinds & _TIMES and isinstance(value, dt.datetime):
        return f"write {value:%Y-%m-%dT%H:%M:%SZ}"
    if kinds & _TIMES and isinstance(value, str) and _DATE.fullmatch(value):
        return f"write {value}T11:30:00Z"
    if "string_pattern_mismatch" in kinds and isinstance(value, str):
        patterns = [error.get("ctx", {}).get("pattern", "") for error in errors]
        return next((ADVICE[pattern](value) for pattern in patterns if pattern in ADVICE), "")
    choices = [choice for error in errors if error["type"] == "literal_error" for choice in _choices(error)]
    return did_you_mean(value, choices) if isinstance(value, str) else ""


def _unknown_key(path: Path) -> Finding:
    known = fields_at(path[:-1])
    if path[-1] in known:
        message = f"key '{path[-1]}' belongs to another type than the one that is given here"
        return Finding(
            code="SPEC005", path=path, message=message, hint="remove it, or write the type that it belongs to"
        )
    hint = did_you_mean(str(path[-1]), known) or (f"known keys: {', '.join(known)}" if known else "")
    return Finding(code="SPEC005", path=path, message=f"unknown key '{path[-1]}'", hint=hint)


def _missing_key(path: Path) -> Finding:
    section = f"in {path[-2]}" if len(path) > 1 and isinstance(path[-2], str) else ""
    message = f"key '{path[-1]}' is missing {section}".rstrip()
    return Finding(code="SPEC006", path=path, message=message, hint=f"add {path[-1]}: ...")


def _wrong_tag(path: Path, error: ErrorDetails) -> Finding:
    context = error.get("ctx", {})
    field = str(context.get("discriminator", "'type'")).strip("'")
    if error["type"] == "union_tag_not_found":
        return _missing_key((*path, field))
    expected = [part.strip().strip("'") for part in str(context["expected_tags"]).split(",")]
    tag = str(context["tag"])
    hint = did_you_mean(tag, expected)
    return Finding(
        code="SPEC008", path=(*path, field), message=f"'{tag}' is not one of {', '.join(expected)}", hint=hint
    )


def _shown(value: Any, written: str | None) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, tuple):
        return "a list" if value else "an empty list"
    if value is None:
        return "nothing (null)"
    text = written if written is not None and not isinstance(value, str) else str(value)
    if isinstance(value, dt.datetime):
        text = written or value.isoformat()
    if len(text) > _LONGEST_SHOWN:
        text = text[: _LONGEST_SHOWN - 1] + "…"
    return f"'{json.dumps(text, ensure_ascii=False)[1:-1]}'" if isinstance(value, str) else text
