"""Evaluates the functions of a template's ``Conditions`` and ``Rules``, which are either true or false."""

from collections.abc import Callable
from typing import Any

from rehearsal.templates.template import Template, TemplateError


def holds(test: Any, value: Callable[[Any], Any], condition: Callable[[str], bool]) -> bool:
    """Evaluates a condition function.

    Args:
        test: The function, such as ``{"Fn::Equals": [...]}``.
        value: Resolves an operand.
        condition: Says whether a named condition holds.

    Raises:
        TemplateError: It is no condition function, or its operands are not what it takes.
    """

    def inner(one: Any) -> bool:
        return holds(one, value, condition)

    match test:
        case {"Condition": str(name)}:
            return condition(name)
        case {"Fn::Not": [one]}:
            return not inner(one)
        case {"Fn::And": list(several)}:
            return all(map(inner, several))
        case {"Fn::Or": list(several)}:
            return any(map(inner, several))
    return _compares(test, value)


def _compares(test: Any, value: Callable[[Any], Any]) -> bool:
    match test:
        case {"Fn::Equals": [left, right]}:
            return _written(value(left)) == _written(value(right))
        case {"Fn::Contains": [members, member]}:
            return _written(value(member)) in _several(value(members))
        case {"Fn::EachMemberEquals": [members, member]}:
            return all(one == _written(value(member)) for one in _several(value(members)))
        case {"Fn::EachMemberIn": [members, allowed]}:
            return set(_several(value(members))) <= set(_several(value(allowed)))
    raise TemplateError(f"Template format error: {test} is not a condition that can be evaluated")


def check_rules(template: Template, value: Callable[[Any], Any], condition: Callable[[str], bool]) -> None:
    """Checks the assertions of a template's ``Rules`` against its parameters.

    Raises:
        TemplateError: An assertion does not hold; the message is its ``AssertDescription``.
    """
    for name, rule in template.section("Rules").items():
        if "RuleCondition" in rule and not holds(rule["RuleCondition"], value, condition):
            continue
        for assertion in rule.get("Assertions", []):
            if not holds(assertion["Assert"], value, condition):
                words = assertion.get("AssertDescription", "an assertion does not hold")
                raise TemplateError(f"Rule {name} failed to satisfy its assertions: {words}")


def _written(operand: Any) -> str:
    return str(operand).lower() if isinstance(operand, bool) else str(operand)


def _several(operand: Any) -> list[str]:
    if not isinstance(operand, list):
        raise TemplateError(f"Template error: a rule's function takes a list, not {operand}")
    return [_written(one) for one in operand]
