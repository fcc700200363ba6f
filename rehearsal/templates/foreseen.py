"""Works out, before anything is made, the values that depend on parameters and mappings alone.

CloudFormation computes them when it is asked, and refuses the request where it can't; what depends on resources, on
exports, on zones or on stored values is left until the resource is made, and so is ``Fn::Cidr``.

Source: localstack/localstack, tests/aws/services/cloudformation/engine/test_mappings.snapshot.json (recorded from
AWS: a key given by a parameter that the mapping does not have ends CreateChangeSet); aws-cloudformation-templates
issue 271 (so it does in the branch of Fn::If that is not taken); cfn-language-discussion issue 113 (a resource whose
condition is false is left alone). That a zone's index is looked at only when the subnet is made: users' logs of
CREATE_FAILED subnets. Where Fn::Cidr is computed is unconfirmed.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from rehearsal.templates.arguments import VARIABLE, call
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.text import TemplateError

_LATER = frozenset({"Fn::Cidr", "Fn::GetAZs", "Fn::GetAtt", "Fn::ImportValue"})
_REFERENCE = "{{resolve:"


class Known(IntEnum):
    """How much of a value is known before anything is made; the greater, the less."""

    WRITTEN = 0
    COMPUTED = 1
    LATER = 2


def check(resolver: Resolver, value: Any) -> Known:
    """Computes every function within a value that can be computed now, in both branches of a choice.

    Args:
        resolver: Resolves values against the template's parameters and mappings.
        value: A part of the template.

    Returns:
        How much of the value is known.

    Raises:
        TemplateError: A function can't be computed, in CloudFormation's words.
    """
    known = _look(resolver, value)
    if known is Known.COMPUTED:
        _compute(resolver, value)
    return known


def _look(resolver: Resolver, value: Any) -> Known:
    """Says how much of a value is known; of one that is known later, it computes the parts that are known now."""
    called = call(value)
    if called is not None:
        return _function(resolver, *called)
    if isinstance(value, dict):
        return _all(resolver, list(value.values()))
    if isinstance(value, list):
        return _all(resolver, value)
    return Known.LATER if isinstance(value, str) and _REFERENCE in value else Known.WRITTEN


def _function(resolver: Resolver, name: str, argument: Any) -> Known:
    if name == "Ref":
        return _named(resolver, argument)
    if name == "Fn::If":
        return max(Known.COMPUTED, *(check(resolver, branch) for branch in argument[1:]))
    if name == "Fn::GetAtt":
        return Known.LATER
    given = _look(resolver, argument)
    known = max(given, *(_named(resolver, one) for one in _variables(name, argument)))
    if name == "Fn::ImportValue" and known is Known.LATER:
        words = "the attribute in Fn::ImportValue must not depend on any resources, imported values, or Fn::GetAZs"
        raise TemplateError(f"Template error: {words}")
    known = Known.LATER if name in _LATER else max(known, Known.COMPUTED)
    if known is Known.LATER and given is Known.COMPUTED:
        _compute(resolver, argument)
    return known


def _all(resolver: Resolver, members: list[Any]) -> Known:
    found = [_look(resolver, member) for member in members]
    known = max(found, default=Known.WRITTEN)
    if known is Known.LATER:
        for member, part in zip(members, found, strict=True):
            if part is Known.COMPUTED:
                _compute(resolver, member)
    return known


def _compute(resolver: Resolver, value: Any) -> None:
    """Computes a value; a choice has had its branches computed, and is no more than one of them."""
    called = call(value)
    if called is None or called[0] != "Fn::If":
        resolver.value(value)


def _named(resolver: Resolver, name: Any) -> Known:
    given = resolver.parameters.get(name)
    is_later = name in resolver.template.resources or (given is not None and _REFERENCE in str(given.value))
    return Known.LATER if is_later else Known.COMPUTED


def _variables(name: str, argument: Any) -> Iterator[str]:
    yield "AWS::NoValue"
    if name == "Fn::Sub":
        pattern, own = (argument, {}) if isinstance(argument, str) else argument
        for variable in VARIABLE.findall(pattern):
            if not variable.startswith("!") and variable.strip() not in own:
                yield variable.strip().partition(".")[0]
