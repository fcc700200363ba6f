"""Checks what a template says of its resources, before any of them is touched."""

from collections.abc import Iterator
from typing import Any

from rehearsal.conditions import check_rules
from rehearsal.engine.order import dependencies, in_order
from rehearsal.engine.step import HandlerTable
from rehearsal.references import references
from rehearsal.resolve import Resolver
from rehearsal.schemas import Schemas
from rehearsal.template import ResourceSpec, Template, TemplateError

CUSTOM = "Custom::"
IAM, NAMED_IAM = "CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"
PSEUDO = frozenset(
    {
        "AWS::AccountId",
        "AWS::NoValue",
        "AWS::NotificationARNs",
        "AWS::Partition",
        "AWS::Region",
        "AWS::StackId",
        "AWS::StackName",
        "AWS::URLSuffix",
    }
)


def check(resolver: Resolver, schemas: Schemas, handler_for: HandlerTable) -> None:
    """Checks a template's types, references, attributes, policies and rules.

    Raises:
        TemplateError: What CloudFormation would refuse the request for.
    """
    template = resolver.template
    _check_types(template, schemas, handler_for)
    _check_references(template, schemas)
    for spec in template.resources.values():
        _check_policies(spec, schemas)
    for name in template.section("Conditions"):
        resolver.condition(name)
    in_order(dependencies(resolver))
    check_rules(template, resolver.value, resolver.condition)


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


def _check_references(template: Template, schemas: Schemas) -> None:
    names = PSEUDO | template.resources.keys() | template.section("Parameters").keys()
    for block, part in _parts(template):
        found = list(references(part))
        unknown = sorted({reference.target for reference in found} - names)
        if unknown:
            raise TemplateError(
                f"Template format error: Unresolved resource dependencies [{', '.join(unknown)}] "
                f"in the {block} block of the template"
            )
        for reference in found:
            if reference.attribute:
                _check_attribute(reference.target, reference.attribute, template, schemas)


def _parts(template: Template) -> Iterator[tuple[str, Any]]:
    for spec in template.resources.values():
        yield "Resources", spec.properties
        yield "Resources", [{"Ref": name} for name in spec.depends_on]
    yield "Outputs", template.section("Outputs")


def _check_attribute(name: str, attribute: str, template: Template, schemas: Schemas) -> None:
    if name not in template.resources:
        raise TemplateError(f"Template error: instance of Fn::GetAtt references undefined resource {name}")
    schema = schemas.get(template.resources[name].type)
    if schema is not None and not schema.offers(attribute):
        raise TemplateError(
            f"Template error: resource {name} does not support attribute type {attribute} in Fn::GetAtt"
        )


def _check_policies(spec: ResourceSpec, schemas: Schemas) -> None:
    if "Snapshot" not in {spec.deletion_policy, spec.update_replace_policy}:
        return
    schema = schemas.get(spec.type)
    if schema is None or not schema.snapshots:
        raise TemplateError(f"Template error: resource type {spec.type} does not support deletion policy Snapshot")
