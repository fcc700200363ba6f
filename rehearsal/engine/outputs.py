"""Computes a stack's outputs, and keeps exports that other stacks use from changing under them.

Source: the words for a value that is no text are quoted in CDK's and others' issues (``... and not a Map``); for the
name of an export in aws/aws-cdk issue 5845 and aws-cloudformation/cfn-lint issue 1632, for names that are given
twice in compose-x/ecs_composex issue 444; for an attribute that a type does not have they are recorded from AWS in
localstack/localstack, tests/aws/services/cloudformation/engine/test_attributes.snapshot.json, where the stack was
led back before any resource was made.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rehearsal.schemas import Schemas
from rehearsal.stack import Output, Stack
from rehearsal.templates import foreseen
from rehearsal.templates.arguments import call
from rehearsal.templates.references import references
from rehearsal.templates.resolve import NO_VALUE, Resolver
from rehearsal.templates.sections import check_export_name, not_text
from rehearsal.templates.template import TemplateError
from rehearsal.world import World

_LISTS = frozenset({"Fn::Cidr", "Fn::GetAZs", "Fn::Split"})


def check_outputs(resolver: Resolver) -> None:
    """Refuses outputs whose values can't become texts, and exports whose names can't be given.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    names: Counter[str] = Counter()
    for key, output in present_outputs(resolver):
        _check_text(resolver, key, output["Value"])
        if "Export" in output:
            names[_export_name(resolver, key, output["Export"]["Name"])] += 1
    twice = [name for name, times in names.items() if times > 1]
    if twice:
        words = f"The Outputs section contains duplicate Export names: [{', '.join(twice)}]."
        raise TemplateError(f"Template format error: {words} Specify a unique name for each export.")


def check_attributes(resolver: Resolver, schemas: Schemas) -> None:
    """Refuses outputs that ask for attributes that their resources' types do not have.

    Raises:
        TemplateError: In CloudFormation's words, by which it leads the stack back.
    """
    resources = resolver.template.resources
    for key, output in present_outputs(resolver):
        for found in references(output["Value"], resolver.condition):
            schema = schemas.get(resources[found.target].type) if found.target in resources else None
            if found.attribute and schema is not None and not schema.offers(found.attribute):
                words = f"Resource type {schema.type} does not support attribute {{{found.attribute}}}."
                raise TemplateError(f"[Error] /Outputs/{key}/Value/{found.function}: {words}")


def present_outputs(resolver: Resolver) -> Iterator[tuple[str, dict[str, Any]]]:
    """Gives the outputs that exist under their conditions, by their names, as the template has them."""
    for key, output in resolver.template.section("Outputs").items():
        if "Condition" not in output or resolver.condition(output["Condition"]):
            yield key, output


def _check_text(resolver: Resolver, key: str, value: Any) -> None:
    called = call(value)
    if called is not None and called[0] == "Fn::If":
        name, chosen, other = called[1]
        _check_text(resolver, key, chosen if resolver.condition(name) else other)
        return
    if called is None and isinstance(value, dict):
        raise not_text(key, "and not a Map")
    known = foreseen.check(resolver, value)
    is_list = called is not None and called[0] in _LISTS
    if is_list or (known is not foreseen.Known.LATER and not isinstance(resolver.value(value), str | int | float)):
        raise not_text(key)


def _export_name(resolver: Resolver, key: str, source: Any) -> str:
    if foreseen.check(resolver, source) is foreseen.Known.LATER:
        words = "The Name field of Export must not depend on any resources, imported values, or Fn::GetAZs."
        raise TemplateError(f"Template format error: Output {key} is malformed. {words}")
    name = resolver.value(source)
    check_export_name(key, name)
    return str(name)


def outputs(resolver: Resolver) -> tuple[Output, ...]:
    """Gives the outputs of a template whose resources are there.

    Raises:
        TemplateError: A value can't be resolved, or is no text.
    """
    found = []
    for key, output in present_outputs(resolver):
        value = resolver.value(output["Value"])
        if value is NO_VALUE or not isinstance(value, str | int | float):
            raise not_text(key)
        export = resolver.value(output["Export"]["Name"]) if "Export" in output else None
        text = str(value).lower() if isinstance(value, bool) else str(value)
        found.append(Output(key, text, output.get("Description"), export))
    return tuple(found)


def check_exports(world: World, stack: Stack, new: Sequence[Output]) -> None:
    """Refuses outputs that would change an export in use, or take a name that another stack exports.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    offered = {output.export: output.value for output in new if output.export is not None}
    taken = world.exports(stack.account, stack.region)
    for name in offered:
        if name in taken and taken[name].stack_id != stack.id:
            owner = taken[name].stack_id.split("/")[1]
            raise TemplateError(f"Export with name {name} is already exported by stack {owner}")
    for output in stack.outputs:
        if output.export is None or not (users := world.importers(output.export, stack.account, stack.region)):
            continue
        if output.export not in offered:
            raise TemplateError(in_use("Delete", output.export, users))
        if offered[output.export] != output.value:
            raise TemplateError(in_use("Update", output.export, users))


def in_use(verb: str, export: str, users: Sequence[str]) -> str:
    """Gives CloudFormation's words for an export that others use.

    Source: events of such stacks that teams have published, in aws/aws-cdk's issues and elsewhere; older ones read
    "Export ... cannot be deleted as it is in use by ...".

    Args:
        verb: What was to be done with it: ``Delete`` or ``Update``.
        export: Its name.
        users: The names of the stacks that use it.
    """
    return f"{verb} canceled. Cannot {verb.lower()} export {export} as it is in use by {listed(users)}."


def listed(names: Sequence[str]) -> str:
    """Writes names as CloudFormation lists them: ``A``, ``A and B``, ``A, B and C``."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])
