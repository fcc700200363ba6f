"""Computes a stack's outputs, and keeps exports that other stacks use from changing under them."""

from collections.abc import Sequence

from rehearsal.resolve import NO_VALUE, Resolver
from rehearsal.stack import Output, Stack
from rehearsal.template import TemplateError
from rehearsal.world import World


def outputs(resolver: Resolver) -> tuple[Output, ...]:
    """Gives the outputs of a template whose resources are there.

    Raises:
        TemplateError: A value can't be resolved, or is no text.
    """
    found = []
    for key, output in resolver.template.section("Outputs").items():
        if "Condition" in output and not resolver.condition(output["Condition"]):
            continue
        value = resolver.value(output["Value"])
        if value is NO_VALUE or not isinstance(value, str | int | float):
            raise TemplateError(
                "Template format error: The Value field of every Outputs member must evaluate to a String. "
                f"Output {key} does not"
            )
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
            raise TemplateError(f"Export {output.export} cannot be deleted as it is in use by {listed(users)}")
        if offered[output.export] != output.value:
            raise TemplateError(f"Export {output.export} cannot be updated as it is in use by {listed(users)}")


def listed(names: Sequence[str]) -> str:
    """Writes names as CloudFormation lists them: ``A``, ``A and B``, ``A, B and C``."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])
