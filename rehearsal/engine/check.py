"""Checks what a template says of its resources, before any of them is touched."""

from rehearsal.engine.mentions import check_known, check_present
from rehearsal.engine.order import dependencies, in_order
from rehearsal.engine.outputs import check_outputs
from rehearsal.engine.step import HandlerTable
from rehearsal.history import STACK_TYPE
from rehearsal.schemas import Schemas
from rehearsal.templates import foreseen
from rehearsal.templates.conditions import check_rules
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import NotModelledError, ResourceSpec, Template, TemplateError

CUSTOM = "Custom::"
IAM, NAMED_IAM = "CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"


def check(resolver: Resolver, schemas: Schemas, handler_for: HandlerTable) -> None:
    """Checks a template's types, references, policies and rules, and computes what can be computed already.

    Raises:
        NotModelledError: Resources are of types that only the rehearsal lacks; all of them are told at once.
        TemplateError: What CloudFormation would refuse the request for.
    """
    template = resolver.template
    check_written(template, schemas, handler_for)
    for name in template.section("Conditions"):
        resolver.condition(name)
    check_rules(template, resolver.value, resolver.condition)
    check_present(resolver)
    in_order(dependencies(resolver))
    present = [spec for name, spec in template.resources.items() if resolver.present(name)]
    for spec in present:
        foreseen.check(resolver, spec.properties)
    check_outputs(resolver)
    _check_models(present, handler_for)


def check_written(template: Template, schemas: Schemas, handler_for: HandlerTable) -> None:
    """Checks what can be checked of a template without its parameters' values, as ``ValidateTemplate`` does.

    Raises:
        TemplateError: What CloudFormation would refuse the template for.

    Source: that a type and a reference are looked at there, too: floci-io/floci issue 2967, aws/aws-cli issue 7226.
    """
    _check_types(template, schemas, handler_for)
    check_known(template, schemas)
    for spec in template.resources.values():
        _check_policies(spec, schemas)


def check_update(old: Template, new: Template) -> None:
    """Refuses an update that gives a resource another type.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    changed = [
        name for name, spec in new.resources.items() if name in old.resources and old.resources[name].type != spec.type
    ]
    if changed:
        raise TemplateError(
            "Update of resource type is not permitted. The new template modifies resource type of the following "
            f"resources: [{', '.join(changed)}]"
        )


def capabilities(template: Template, schemas: Schemas) -> dict[str, str]:
    """Gives the capability that the caller must acknowledge for each resource type that needs one."""
    needed: dict[str, str] = {}
    for spec in template.resources.values():
        schema = schemas.get(spec.type)
        if schema is not None and schema.capability_property is not None:
            named = schema.capability_property in spec.properties
            needed[spec.type] = NAMED_IAM if named else needed.get(spec.type, IAM)
    return needed


def _check_types(template: Template, schemas: Schemas, handler_for: HandlerTable) -> None:
    unknown = {
        spec.type
        for spec in template.resources.values()
        if not spec.type.startswith(CUSTOM) and schemas.get(spec.type) is None and handler_for(spec.type) is None
    }
    if unknown:
        raise TemplateError(f"Template format error: Unrecognized resource types: [{', '.join(sorted(unknown))}]")


def _check_models(present: list[ResourceSpec], handler_for: HandlerTable) -> None:
    """Refuses resources of types that the rehearsal can't make, before any other resource is made for nothing."""
    lacking: dict[str, list[str]] = {}
    for spec in present:
        if spec.type != STACK_TYPE and handler_for(spec.type) is None:
            lacking.setdefault(spec.type, []).append(spec.logical_id)
    if lacking:
        found = ", ".join(f"{name} ({', '.join(ids)})" for name, ids in sorted(lacking.items()))
        raise NotModelledError(
            f"The rehearsal does not model {found}: rehearse without them, or add models as CONTRIBUTING.md says"
        )


def _check_policies(spec: ResourceSpec, schemas: Schemas) -> None:
    if "Snapshot" not in {spec.deletion_policy, spec.update_replace_policy}:
        return
    schema = schemas.get(spec.type)
    if schema is None or not schema.snapshots:
        raise TemplateError(f"Template error: resource type {spec.type} does not support deletion policy Snapshot")
