"""Checks what a template's values refer to: that it is there, exists under its condition, and has the attribute.

Source: the words are recorded from AWS in localstack/localstack, tests/aws/services/cloudformation
(engine/test_references and engine/test_conditions, the ``.snapshot.json`` beside each), those for outputs without
the prefix of the others; of Fn::GetAtt and Fn::Sub they are quoted in gabehollombe-aws/step-functions-workshop pull
request 18 and in logs of Fn::Sub. That ``DependsOn`` may not name a resource whose condition is false:
aws-cloudformation/cfn-lint, rule E3005, and cloudonaut, "Optional DependsOn with CloudFormation". That metadata
refers to resources, too: the same. Of a type that is not in CloudFormation's registry an unknown attribute ends the
request: cloudtools/stacker_blueprints pull request 46; one of the registry's is asked for it when it is made, see
``rehearsal.templates.resolve``.
"""

from collections.abc import Iterator
from typing import Any

from rehearsal.schemas import Schemas
from rehearsal.templates.references import Reference, references
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import ResourceSpec, Template, TemplateError

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


def check_known(template: Template, schemas: Schemas) -> None:
    """Refuses what refers to nothing in the template, in every branch.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    names = PSEUDO | template.resources.keys() | template.section("Parameters").keys()
    unknown: set[str] = set()
    for spec in template.resources.values():
        unknown.update(name for name in spec.depends_on if name not in template.resources)
        unknown.update(_unknown(_of(spec), names, template, schemas))
    if unknown:
        raise _unresolved(unknown)
    unknown.update(_unknown(references(template.section("Outputs")), names, template, schemas))
    if unknown:
        raise _unresolved_outputs(unknown)


def check_present(resolver: Resolver) -> None:
    """Refuses what refers, in the branches that are taken, to a resource that its condition leaves out.

    Raises:
        TemplateError: In CloudFormation's words.
    """
    template = resolver.template
    absent = {name for name in template.resources if not resolver.present(name)}
    if not absent:
        return
    specs = [spec for name, spec in template.resources.items() if name not in absent]
    mentioned = {
        one.target for spec in specs for one in references([spec.properties, spec.metadata], resolver.condition)
    }
    missing = (mentioned | {name for spec in specs for name in spec.depends_on}) & absent
    if missing:
        raise _unresolved(missing)
    outputs = [
        output
        for output in template.section("Outputs").values()
        if "Condition" not in output or resolver.condition(output["Condition"])
    ]
    missing = {one.target for one in references(outputs, resolver.condition)} & absent
    if missing:
        raise _unresolved_outputs(missing)


def _of(spec: ResourceSpec) -> Iterator[Reference]:
    yield from references(spec.properties)
    yield from references(spec.metadata)


def _unknown(found: Iterator[Reference], names: frozenset[Any], template: Template, schemas: Schemas) -> Iterator[str]:
    """Gives the names that are unknown; an attribute of what is no resource, or has none of it, is refused at once."""
    for one in found:
        if one.attribute is None:
            if one.target not in names:
                yield one.target
        elif one.target not in template.resources:
            raise _no_resource(one)
        elif one.attribute:
            _check_attribute(one.target, one.attribute, template, schemas)


def _check_attribute(name: str, attribute: str, template: Template, schemas: Schemas) -> None:
    schema = schemas.get(template.resources[name].type)
    if schema is not None and not schema.in_registry and not schema.offers(attribute):
        words = f"resource {name} does not support attribute type {attribute} in Fn::GetAtt"
        raise TemplateError(f"Template error: {words}")


def _no_resource(found: Reference) -> TemplateError:
    if found.function == "Fn::Sub":
        words = f"instance of Fn::Sub references invalid resource attribute {found.target}.{found.attribute}"
    else:
        words = f"instance of Fn::GetAtt references undefined resource {found.target}"
    return TemplateError(f"Template error: {words}")


def _unresolved(names: set[str]) -> TemplateError:
    words = f"Unresolved resource dependencies [{', '.join(sorted(names))}] in the Resources block of the template"
    return TemplateError(f"Template format error: {words}")


def _unresolved_outputs(names: set[str]) -> TemplateError:
    return TemplateError(
        f"Unresolved resource dependencies [{', '.join(sorted(names))}] in the Outputs block of the template"
    )
