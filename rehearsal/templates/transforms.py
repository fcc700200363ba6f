"""Tells transforms that only the rehearsal lacks from those that nobody has.

Amazon hosts a few transforms, of which the rehearsal has a part of one; whoever names one of the others is told so
in the rehearsal's own words. Macros are made by ``AWS::CloudFormation::Macro``, which the rehearsal makes none of,
so any other name is one that CloudFormation finds no transform for.

Source: CloudFormation template reference, "Transforms reference" and "AWS::LanguageExtensions transform"; that a
name must be text: localstack/localstack, tests/aws/services/cloudformation/test_template_engine.snapshot.json
(recorded from AWS), ``test_error_pass_macro_as_reference``. The words for a macro that is not there are unconfirmed.
"""

from collections.abc import Iterator
from typing import Any

from rehearsal.templates.text import Document, NotModelledError, TemplateError

LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"
HOSTED = frozenset(
    {
        "AWS::CodeDeployBlueGreen",
        "AWS::Include",
        "AWS::SecretsManager-2020-07-23",
        "AWS::SecretsManager-2024-09-16",
        "AWS::Serverless-2016-10-31",
        "AWS::ServiceCatalog",
    }
)
FOR_EACH = "Fn::ForEach"


def names(document: Document) -> tuple[str, ...]:
    """Gives the names of the transforms that a template declares for all of itself.

    Raises:
        TemplateError: The section is not of the shape that CloudFormation reads.
    """
    declared = document.get("Transform", [])
    if not isinstance(declared, str | dict | list):
        raise TemplateError("Template format error: Transform section must be a string, an object or a list.")
    return tuple(_name(one) for one in (declared if isinstance(declared, list) else [declared]))


def check(document: Document) -> None:
    """Refuses the transforms that can't be applied to a template.

    Raises:
        NotModelledError: AWS has one that the rehearsal has not.
        TemplateError: AWS has none of that name.
    """
    for name in names(document):
        if name != LANGUAGE_EXTENSIONS:
            refuse(name)


def refuse(definition: Any) -> None:
    """Refuses a transform, given by its name or by its definition in the template.

    Raises:
        TemplateError: Always; see ``check``.
    """
    name = _name(definition)
    if name in HOSTED or name == LANGUAGE_EXTENSIONS:
        raise NotModelledError(
            f"The rehearsal does not model the transform {name}: rehearse the template that it makes, which "
            "GetTemplate gives as Processed"
        )
    raise TemplateError(f"No transform named {name} found.")


def loops(document: Document) -> Iterator[str]:
    """Gives the keys by which a template's members are to be repeated, in its order."""
    for section in ("Conditions", "Resources", "Outputs"):
        members = document.get(section)
        if isinstance(members, dict):
            yield from (f"/{section}/{key}" for key in members if str(key).startswith(FOR_EACH))


def _name(definition: Any) -> str:
    name = definition.get("Name") if isinstance(definition, dict) else definition
    if not isinstance(name, str):
        raise TemplateError("Key Name of transform definition must be a string.")
    return name
