"""What a template declares of its parameters: their types, and what their values may be.

A default has to satisfy what is declared beside it, whether or not it is used.

Source: CloudFormation user guide, "CloudFormation template Parameters syntax", its properties and general
requirements, and "CloudFormation-supplied parameter types"; cfn-lint,
data/schemas/other/parameters/configuration.json, for which property goes with which type. The words for a number are
recorded in localstack/localstack, test_change_set_parameters.snapshot.json, those for a pattern in
ministackorg/ministack pull request 1648; those for a property that does not go with its type, and for members of
``AllowedValues``, are unconfirmed.
"""

import re
from collections.abc import Iterator
from typing import Any

from rehearsal.templates.text import Document, TemplateError

SSM_VALUE = re.compile(r"AWS::SSM::Parameter::Value<(.+)>")
SSM_NAME = "AWS::SSM::Parameter::Name"
EXISTING = frozenset(
    {
        "AWS::EC2::AvailabilityZone::Name",
        "AWS::EC2::Image::Id",
        "AWS::EC2::Instance::Id",
        "AWS::EC2::KeyPair::KeyName",
        "AWS::EC2::SecurityGroup::GroupName",
        "AWS::EC2::SecurityGroup::Id",
        "AWS::EC2::Subnet::Id",
        "AWS::EC2::VPC::Id",
        "AWS::EC2::Volume::Id",
        "AWS::Route53::HostedZone::Id",
    }
)
"""The types whose values name what stands in the account."""

_LISTS = frozenset({"CommaDelimitedList", *(f"List<{one}>" for one in ("Number", "String", *EXISTING))})
_TYPES = frozenset({"Number", "String", SSM_NAME}) | EXISTING | _LISTS
_NUMBERS = frozenset({"Number", "List<Number>"})
_PROPERTIES = frozenset(
    {
        "AllowedPattern",
        "AllowedValues",
        "ConstraintDescription",
        "Default",
        "Description",
        "MaxLength",
        "MaxValue",
        "MinLength",
        "MinValue",
        "NoEcho",
        "Type",
    }
)
_OF_TEXTS = frozenset({"AllowedPattern", "MaxLength", "MinLength"})
_OF_NUMBERS = frozenset({"MaxValue", "MinValue"})


def check(declarations: Document) -> None:
    """Refuses parameters that are not declared as CloudFormation reads them.

    Raises:
        TemplateError: The first that is not.
    """
    for name, declaration in declarations.items():
        where = f"Template format error: [/Parameters/{name}]"
        if not isinstance(declaration, dict) or not isinstance(declaration.get("Type"), str):
            raise TemplateError(f"{where} Every Parameters object must contain a Type member.")
        for attribute in declaration:
            if attribute not in _PROPERTIES:
                raise TemplateError(f"Invalid template parameter property '{attribute}'")
        if value_type(declaration) not in _TYPES:
            raise TemplateError(f"Template format error: Unrecognized parameter type: {declaration['Type']}")
        _check_constraints(name, declaration, where)
        if "Default" in declaration:
            check_value(name, declaration, written(declaration["Default"]))


def value_type(declaration: Document) -> str:
    """Gives the type that a parameter's value has, which for one of Systems Manager is that of what is stored."""
    declared: str = declaration["Type"]
    in_store = SSM_VALUE.fullmatch(declared)
    return in_store[1] if in_store else declared


def is_list(declaration: Document) -> bool:
    """Says whether a parameter's value is a list."""
    return value_type(declaration) in _LISTS


def items(text: str) -> list[str]:
    """Gives the members of a list that is written with commas, without the blanks around them."""
    return [item.strip() for item in text.split(",")]


def written(scalar: Any) -> str:
    """Writes a scalar of a template as CloudFormation reads it."""
    return str(scalar).lower() if isinstance(scalar, bool) else str(scalar)


def check_value(name: str, declaration: Document, text: str) -> None:
    """Refuses a parameter's value that its declaration does not allow.

    Raises:
        TemplateError: In the declaration's own words, if it has some.
    """
    words = next(_refusals(declaration, text), None)
    if words is None:
        return
    constraint = declaration.get("ConstraintDescription")
    if constraint:
        raise TemplateError(f"Parameter {name} failed to satisfy constraint: {constraint}")
    raise TemplateError(f"Parameter '{name}' {words}")


def _check_constraints(name: str, declaration: Document, where: str) -> None:
    """Refuses bounds that are no numbers, lists where a text belongs, and what does not go with the type."""
    for text in ("Description", "ConstraintDescription", "AllowedPattern"):
        if not isinstance(declaration.get(text, ""), str):
            raise TemplateError(f"{where} Every {text} member must be a string.")
    if not isinstance(declaration.get("Default", ""), str | int | float):
        raise TemplateError(f"{where} Every Default member must be a string.")
    allowed = declaration.get("AllowedValues", [])
    if not isinstance(allowed, list):
        raise TemplateError(f"{where} Every AllowedValues member must be a list.")
    if not all(isinstance(one, str | int | float) for one in allowed):
        raise TemplateError(f"{where} Every AllowedValues value must be a string.")
    for bound, number in (("MinLength", int), ("MaxLength", int), ("MinValue", float), ("MaxValue", float)):
        try:
            number(declaration.get(bound, 0))
        except (TypeError, ValueError) as error:
            raise TemplateError(f"{where} Every {bound} member must be a number.") from error
    of_numbers = declaration["Type"] in _NUMBERS
    foreign = sorted((_OF_TEXTS if of_numbers else _OF_NUMBERS) & declaration.keys())
    if foreign:
        kind = "String" if of_numbers else "Number"
        raise TemplateError(f"Template error: Parameter '{name}' {foreign[0]} must be on a parameter of type {kind}")


def _refusals(declaration: Document, text: str) -> Iterator[str]:
    members = items(text) if declaration["Type"] in _LISTS else [text]
    if "AllowedValues" in declaration:
        allowed = [written(value) for value in declaration["AllowedValues"]]
        if text not in allowed and any(member not in allowed for member in members):
            yield f"must be one of AllowedValues [{', '.join(allowed)}]"
    pattern = declaration.get("AllowedPattern")
    if pattern is not None and not all(_matches(pattern, member) for member in members):
        yield f"must match pattern {pattern}"
    if len(text) < int(declaration.get("MinLength", 0)):
        yield f"must contain at least {declaration['MinLength']} characters"
    if len(text) > int(declaration.get("MaxLength", len(text))):
        yield f"must contain at most {declaration['MaxLength']} characters"
    if declaration["Type"] in _NUMBERS:
        for member in members:
            yield from _refused_number(declaration, member)


def _refused_number(declaration: Document, text: str) -> Iterator[str]:
    try:
        number = float(text)
    except ValueError:
        yield "must be a number."
        return
    if number < float(declaration.get("MinValue", number)):
        yield f"must be a number not less than {declaration['MinValue']}"
    if number > float(declaration.get("MaxValue", number)):
        yield f"must be a number not greater than {declaration['MaxValue']}"


def _matches(pattern: str, text: str) -> bool:
    """Says whether a text matches; patterns are Java's, and one that only Java reads is left to AWS."""
    try:
        return bool(re.fullmatch(pattern, text))
    except re.error:
        return True
