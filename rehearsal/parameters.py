"""Gives a template's parameters their values, and refuses those that CloudFormation would refuse."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rehearsal.limits import check_value
from rehearsal.template import Document, Template, TemplateError

SSM_VALUE = re.compile(r"AWS::SSM::Parameter::Value<(.+)>")
HIDDEN = "****"
PLAIN_TYPES = frozenset({"String", "Number", "CommaDelimitedList", "List<Number>"})


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller says of one parameter: its value, or that the stack's previous value is to be kept."""

    value: str | None = None
    use_previous: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its value.

    Attributes:
        name: Its name in the template.
        text: The value as it was given; of a Systems Manager type, the name of the stored parameter.
        value: What ``Ref`` gives: text, or a list of texts.
        resolved: The text that Systems Manager keeps under ``text``; None for other types.
        no_echo: Whether the value is hidden in answers.
    """

    name: str
    text: str
    value: str | list[str]
    resolved: str | None = None
    no_echo: bool = False

    def described(self) -> Document:
        """Gives the parameter as ``DescribeStacks`` shows it."""
        shown = {"ParameterKey": self.name, "ParameterValue": HIDDEN if self.no_echo else self.text}
        return shown if self.resolved is None else {**shown, "ResolvedValue": self.resolved}


Parameters = Mapping[str, Parameter]


def parameters(
    template: Template, given: Mapping[str, Given], previous: Parameters, stored: Callable[[str], str | None]
) -> Parameters:
    """Gives every parameter of a template its value.

    Args:
        template: The template.
        given: What the caller says, by parameter name.
        previous: The values that the stack has now.
        stored: Reads a Systems Manager parameter; None when there is none of that name.

    Raises:
        TemplateError: A value is missing, is of no parameter of the template, or is not allowed.
    """
    declared = template.section("Parameters")
    strangers = sorted(set(given) - set(declared))
    if strangers:
        raise TemplateError(f"Parameters: [{', '.join(strangers)}] do not exist in the template")
    texts = {name: _text(name, declaration, given.get(name), previous) for name, declaration in declared.items()}
    missing = sorted(name for name, text in texts.items() if text is None)
    if missing:
        raise TemplateError(f"Parameters: [{', '.join(missing)}] must have values")
    return {name: _parameter(name, declared[name], str(text), stored) for name, text in texts.items()}


def _text(name: str, declaration: Any, given: Given | None, previous: Parameters) -> str | None:
    if not isinstance(declaration, dict) or not isinstance(declaration.get("Type"), str):
        where = f"Template format error: [/Parameters/{name}]"
        raise TemplateError(f"{where} Every Parameters object must contain a Type member.")
    _check_declaration(name, declaration)
    if given is not None and given.use_previous:
        if name not in previous:
            raise TemplateError(
                f"Invalid input for parameter key {name}. "
                "Cannot specify usePreviousValue as true for a parameter key not in the previous template"
            )
        return previous[name].text
    if given is not None and given.value is not None:
        check_value(name, given.value)
        return given.value
    default = declaration.get("Default")
    return None if default is None else _written(default)


def _check_declaration(name: str, declaration: Document) -> None:
    """Refuses bounds that are no numbers, and lists where a text belongs."""
    where = f"Template format error: [/Parameters/{name}]"
    if not isinstance(declaration.get("Default", ""), str | int | float):
        raise TemplateError(f"{where} Every Default member must be a string.")
    if not isinstance(declaration.get("AllowedValues", []), list):
        raise TemplateError(f"{where} Every AllowedValues member must be a list.")
    if not isinstance(declaration.get("AllowedPattern", ""), str):
        raise TemplateError(f"{where} Every AllowedPattern member must be a string.")
    for bound, number in (("MinLength", int), ("MaxLength", int), ("MinValue", float), ("MaxValue", float)):
        try:
            number(declaration.get(bound, 0))
        except (TypeError, ValueError) as error:
            raise TemplateError(f"{where} Every {bound} member must be a number.") from error


def _written(default: Any) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _parameter(name: str, declaration: Document, text: str, stored: Callable[[str], str | None]) -> Parameter:
    declared_type = declaration["Type"]
    in_store = SSM_VALUE.fullmatch(declared_type)
    value_type = in_store[1] if in_store else declared_type
    if not in_store and declared_type not in PLAIN_TYPES and not re.fullmatch(r"(List<)?AWS::[\w:]+>?", declared_type):
        raise TemplateError(f"Template format error: Unrecognized parameter type: {declared_type}")
    _check(name, declaration, text)
    resolved = _from_store(text, stored) if in_store else None
    content = text if resolved is None else resolved
    return Parameter(
        name=name,
        text=text,
        value=_items(content) if value_type.startswith("List<") or value_type == "CommaDelimitedList" else content,
        resolved=resolved,
        no_echo=str(declaration.get("NoEcho", False)).lower() == "true",
    )


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _from_store(name: str, stored: Callable[[str], str | None]) -> str:
    text = stored(name)
    if text is None:
        raise TemplateError(f"Unable to fetch parameters [{name}] from parameter store for this account.")
    return text


def _check(name: str, declaration: Document, text: str) -> None:
    for refusal in (_refused_choice, _refused_text, _refused_number):
        words = refusal(declaration, text)
        if words is not None:
            constraint = declaration.get("ConstraintDescription")
            if constraint:
                raise TemplateError(f"Parameter {name} failed to satisfy constraint: {constraint}")
            raise TemplateError(f"Parameter '{name}' {words}")


def _refused_choice(declaration: Document, text: str) -> str | None:
    allowed = [_written(value) for value in declaration.get("AllowedValues", [text])]
    chosen = _items(text) if declaration["Type"] in {"CommaDelimitedList", "List<Number>"} else [text]
    if any(choice not in allowed and text not in allowed for choice in chosen):
        return f"must be one of AllowedValues [{', '.join(allowed)}]"
    return None


def _refused_text(declaration: Document, text: str) -> str | None:
    pattern = declaration.get("AllowedPattern")
    if pattern is not None and not _matches(pattern, text):
        return f"must match pattern {pattern}"
    if len(text) < int(declaration.get("MinLength", 0)):
        return f"must contain at least {declaration['MinLength']} characters"
    if len(text) > int(declaration.get("MaxLength", len(text))):
        return f"must contain at most {declaration['MaxLength']} characters"
    return None


def _matches(pattern: str, text: str) -> bool:
    """Says whether a text matches; patterns are Java's, and one that only Java reads is left to AWS."""
    try:
        return bool(re.fullmatch(pattern, text))
    except re.error:
        return True


def _refused_number(declaration: Document, text: str) -> str | None:
    if declaration["Type"] not in {"Number", "List<Number>"}:
        return None
    for item in _items(text):
        try:
            number = float(item)
        except ValueError:
            return "must be a number"
        if number < float(declaration.get("MinValue", number)):
            return f"must be a number not less than {declaration['MinValue']}"
        if number > float(declaration.get("MaxValue", number)):
            return f"must be a number not greater than {declaration['MaxValue']}"
    return None
