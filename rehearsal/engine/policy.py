"""Stack policies: which resources an update may change, replace or remove.

Once a stack has a policy with statements, an update may do nothing that no statement allows, and a denial outweighs
what is allowed. A policy holds during updates alone: the way back, and the deletion of the stack, are free of it.

Source: CloudFormation user guide, "Prevent updates to stack resources": a condition is by ``StringEquals`` or, with
wild cards, by ``StringLike``. That one with both asks for both, as in IAM, is unconfirmed. The reasons, ``{}`` as a
policy that restricts nothing, and the words of refused policies are what AWS answered in tests and logs that others
published (localstack/localstack, ``test_stack_policies``; Kotaimen/awscfncli, README; sparkleformation/sfn 238). That
the number in a denial counts the denying statements from 1 is read from the quoted reasons; it is unconfirmed, as are
the words for a removal.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from glob import escape
from typing import Any

from rehearsal.engine.step import StepError
from rehearsal.stack import Record, Stack
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import TemplateError

MODIFY, REPLACE, DELETE = "Update:Modify", "Update:Replace", "Update:Delete"
ACTIONS = frozenset({MODIFY, REPLACE, DELETE, "Update:*"})
OPERATORS = frozenset({"StringEquals", "StringLike"})
PREFIX = "LogicalResourceId/"
LONGEST_BYTES = 16_384

NOT_ALLOWED = "Action not allowed by stack policy"


class PolicyError(TemplateError):
    """A text is no stack policy, or names what the stack does not have."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a policy.

    Attributes:
        denies: Whether it denies, instead of allowing.
        actions: Patterns of actions.
        excludes_actions: Whether it is about all actions but those (``NotAction``).
        resources: Patterns of ``LogicalResourceId/NAME``; none matches nothing.
        excludes_resources: Whether it is about all resources but those (``NotResource``).
        types: Patterns of resource types, of which the resource has to match one in each group.
    """

    denies: bool
    actions: tuple[str, ...]
    excludes_actions: bool
    resources: tuple[str, ...]
    excludes_resources: bool
    types: tuple[tuple[str, ...], ...] = ()

    def covers(self, action: str, record: Record) -> bool:
        """Says whether the statement is about an action on a resource."""
        if _matches(action, self.actions) == self.excludes_actions:
            return False
        if _matches(PREFIX + record.logical_id, self.resources) == self.excludes_resources:
            return False
        return all(_matches(record.resource.type, group) for group in self.types)


@dataclass(frozen=True, slots=True)
class Policy:
    """A stack policy.

    Attributes:
        statements: Its statements; without any, it restricts nothing.
    """

    statements: tuple[Statement, ...] = ()

    def check(self, action: str, record: Record) -> None:
        """Refuses what the policy denies or does not allow.

        Args:
            action: ``Update:Modify``, ``Update:Replace`` or ``Update:Delete``.
            record: The resource.

        Raises:
            TemplateError: The resource's status reason, in CloudFormation's words.
        """
        covering = [statement for statement in self.statements if statement.covers(action, record)]
        denials = [statement for statement in covering if statement.denies]
        if denials:
            reasons = " ".join(
                f"Statement [#{number}] does not allow [{', '.join(one.actions)}] "
                f"for resource [{', '.join(one.resources)}];"
                for number, one in enumerate(denials, start=1)
            )
            raise TemplateError(f"Action denied by stack policy: {reasons}")
        if self.statements and not covering:
            raise TemplateError(NOT_ALLOWED)

    def check_names(self, present: Collection[str], *, words: str = "stack policy") -> None:
        """Refuses a policy that names a resource which its stack has not.

        Args:
            present: The logical ids of the template's resources whose conditions hold.
            words: What the policy is called in the refusal.

        Raises:
            PolicyError: In CloudFormation's words.
        """
        for statement in self.statements:
            for resource in statement.resources:
                name = resource.removeprefix(PREFIX)
                if name != resource and "*" not in name and name not in present:
                    raise PolicyError(
                        f"Error validating {words}: Unknown logical id '{resource}' in statement {{}} - stack policies "
                        "can only be applied to logical ids referenced in the template"
                    )


UNRESTRICTED = Policy()


def check(stack: Stack, action: str, record: Record) -> None:
    """Fails the resource of an update for which its stack's policy does not allow an action.

    Raises:
        StepError: The policy in force denies the action, or no statement of it allows it.
    """
    try:
        parse(stack.policy_in_force).check(action, record)
    except TemplateError as refusal:
        stack.mark(record, "UPDATE_FAILED", str(refusal))
        raise StepError(record.logical_id, "UPDATE") from refusal


def check_removals(stack: Stack, resolver: Resolver) -> None:
    """Fails an update that would remove a resource which its stack's policy protects, before anything is touched.

    Raises:
        StepError: The policy in force denies the removal, or no statement of it allows it.
    """
    template = resolver.template
    for name, record in stack.records.items():
        if record.exists and not (name in template.resources and resolver.present(name)):
            check(stack, DELETE, record)


@cache
def parse(text: str | None) -> Policy:
    """Reads a policy; without a text, nothing is restricted.

    Raises:
        PolicyError: The text is no policy.
    """
    if text is None:
        return UNRESTRICTED
    try:
        document = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise _invalid() from error
    if not isinstance(document, dict):
        raise _invalid()
    return Policy(tuple(_statement(one) for one in _listed(document.get("Statement", []))))


def _statement(source: Any) -> Statement:
    """Reads a statement: its effect, its principal, which is always everybody, and what it is about."""
    if not isinstance(source, dict) or source.get("Effect") not in ("Allow", "Deny") or source.get("Principal") != "*":
        raise _invalid()
    actions, excludes_actions = _either(source, "Action")
    resources, excludes_resources = _either(source, "Resource")
    if not actions or not ACTIONS.issuperset(actions):
        raise _invalid()
    return Statement(
        denies=source["Effect"] == "Deny",
        actions=actions,
        excludes_actions=excludes_actions,
        resources=resources,
        excludes_resources=excludes_resources,
        types=tuple(_types(source.get("Condition", {}))),
    )


def _either(source: Mapping[str, Any], name: str) -> tuple[tuple[str, ...], bool]:
    """Reads a member or, in its place, the one that names what is left out."""
    excludes = f"Not{name}" in source
    if excludes and name in source:
        raise _invalid()
    values = _listed(source.get(f"Not{name}" if excludes else name, []))
    if not all(isinstance(value, str) for value in values):
        raise _invalid()
    return tuple(values), excludes


def _types(condition: Any) -> Iterator[tuple[str, ...]]:
    """Yields the patterns of each operator of a condition; of ``StringEquals`` they have no wildcards."""
    if not isinstance(condition, dict) or not OPERATORS.issuperset(condition):
        raise _invalid()
    for operator, operand in condition.items():
        if not isinstance(operand, dict) or set(operand) != {"ResourceType"}:
            raise _invalid()
        names = _listed(operand["ResourceType"])
        if not all(isinstance(name, str) for name in names):
            raise _invalid()
        yield tuple(name if operator == "StringLike" else escape(name) for name in names)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _matches(text: str, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _invalid() -> PolicyError:
    return PolicyError("Error validating stack policy: Invalid stack policy")
