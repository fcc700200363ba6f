"""Checks the sections of a template for their shape: what may stand in each, and how its members may be called.

Source: CloudFormation user guide, "CloudFormation template sections"; cfn-lint, data/schemas/other, for the
characters of names. The words are recorded from AWS in localstack/localstack, tests/aws/services/cloudformation
(api/test_validations, api/test_stacks and engine/test_mappings, the ``.snapshot.json`` beside each), or quoted: a
mapping's attribute in a note on ``x86-64``, an export's name in aws/aws-cdk issue 5845, an output's value
and its description by users of CreateStack, a malformed resource in aws-samples/cfn101-workshop. That parameters and
resources share their names: cfn-lint, rule E3007. Unconfirmed are the words for that, for a mapping's and a condition's
name, for a mapping's key, for an output's unknown member, and for what is no object where one belongs.
"""

import re
from collections.abc import Iterator
from typing import Any

from rehearsal.limits import check_sizes
from rehearsal.templates import declarations, transforms
from rehearsal.templates.text import Document, NotModelledError, TemplateError

VERSION = "2010-09-09"
SECTIONS = frozenset(
    {
        "AWSTemplateFormatVersion",
        "Conditions",
        "Description",
        "Hooks",
        "Mappings",
        "Metadata",
        "Outputs",
        "Parameters",
        "Resources",
        "Rules",
        "Transform",
    }
)
EXPORT_NAME = re.compile(r"[A-Za-z0-9:-]+")
_SCALARS = frozenset({"AWSTemplateFormatVersion", "Description", "Transform", "Metadata"})
_OUTPUT = frozenset({"Condition", "Description", "Export", "Value"})
_NAMED = (("Resources", "Resource"), ("Parameters", "Parameter"), ("Outputs", "Output"), ("Mappings", "Mapping"))
_NAME, _CONDITION_NAME, _MAPPING_KEY = (
    re.compile(text) for text in (r"[A-Za-z0-9]+", r"[A-Za-z0-9&_]+", r"[A-Za-z0-9.-]+")
)


def check(document: Document) -> None:
    """Checks the sections of a template.

    Raises:
        NotModelledError: The template asks for a transform that only the rehearsal lacks.
        TemplateError: A section is not what CloudFormation accepts.
    """
    unknown = sorted(str(name) for name in document if name not in SECTIONS)
    if unknown:
        raise TemplateError(f"Invalid template property or properties [{', '.join(unknown)}]")
    for path in _nulls(document):
        raise TemplateError(f"[{path}] 'null' values are not allowed in templates")
    if document.get("AWSTemplateFormatVersion", VERSION) != VERSION:
        raise TemplateError("Template format error: unsupported value for AWSTemplateFormatVersion.")
    _check_description(document)
    for section in sorted(SECTIONS - _SCALARS):
        if not isinstance(document.get(section, {}), dict):
            raise TemplateError(f"Template format error: Any {section} member must be an object.")
    if not document.get("Resources"):
        raise TemplateError("Template format error: At least one Resources member must be defined.")
    check_sizes(document)
    _check_loops(document)
    transforms.check(document)
    _check_names(document)
    _check_mappings(document.get("Mappings", {}))
    declarations.check(document.get("Parameters", {}))
    _check_rules(document.get("Rules", {}))
    _check_outputs(document.get("Outputs", {}))


def _nulls(document: Document) -> Iterator[str]:
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if value is None:
            yield path
        elif isinstance(value, dict):
            waiting.extend((f"{path}/{key}", member) for key, member in value.items())
        elif isinstance(value, list):
            waiting.extend((f"{path}/{index}", member) for index, member in enumerate(value))


def _check_description(holder: Document) -> None:
    if not isinstance(holder.get("Description", ""), str):
        raise TemplateError("Template format error: Every Description member must be a string.")


def _check_loops(document: Document) -> None:
    looped = next(transforms.loops(document), None)
    if looped is None:
        return
    if transforms.LANGUAGE_EXTENSIONS in transforms.names(document):
        raise NotModelledError(
            f"The rehearsal does not model {transforms.FOR_EACH} of the transform {transforms.LANGUAGE_EXTENSIONS} "
            f"({looped}): write its members out"
        )
    raise TemplateError(f"Template format error: [{looped}] resource definition is malformed")


def _check_names(document: Document) -> None:
    for section, kind in _NAMED:
        for name in document.get(section, {}):
            if not _NAME.fullmatch(str(name)):
                raise TemplateError(f"Template format error: {kind} name {name} is non alphanumeric.")
    for name in document.get("Conditions", {}):
        if not _CONDITION_NAME.fullmatch(str(name)):
            raise TemplateError(f"Template format error: Condition name {name} is non alphanumeric.")
    common = [name for name in document["Resources"] if name in document.get("Parameters", {})]
    if common:
        words = f"all resources and parameters must have unique names. Common name(s):[{', '.join(common)}]"
        raise TemplateError(f"Template error: {words}")


def _check_mappings(mappings: Document) -> None:
    for name, mapping in mappings.items():
        if not isinstance(mapping, dict):
            raise TemplateError(f"Template format error: Every Mappings member {name} must be a map")
        for key, attributes in mapping.items():
            if not _MAPPING_KEY.fullmatch(str(key)):
                words = "must be non-empty and can contain only alphanumerics, '-' or '.'"
                raise TemplateError(f"Template format error: Mappings element name '{key}' {words}")
            if not isinstance(attributes, dict):
                raise TemplateError(f"Template format error: Every Mappings member {key} must be a map")
            for attribute, value in attributes.items():
                _check_mapped(str(attribute), value)


def _check_mapped(attribute: str, value: Any) -> None:
    if not _NAME.fullmatch(attribute):
        words = f"Mappings attribute name '{attribute}' must contain only alphanumeric characters."
        raise TemplateError(f"Template format error: {words}")
    if not isinstance(value, str | int | float | list):
        raise TemplateError("Template format error: Every Mappings attribute must be a String or a List.")


def _check_rules(rules: Document) -> None:
    for name, rule in rules.items():
        assertions = rule.get("Assertions", []) if isinstance(rule, dict) else None
        if not isinstance(assertions, list) or not all(isinstance(one, dict) and "Assert" in one for one in assertions):
            raise TemplateError(f"Template format error: [/Rules/{name}] Every rule must be an object with Assertions.")


def _check_outputs(outputs: Document) -> None:
    for name, output in outputs.items():
        if not isinstance(output, dict) or "Value" not in output:
            raise TemplateError("Template format error: Every Outputs member must contain a Value object")
        for member in output:
            if member not in _OUTPUT:
                raise TemplateError(f"Invalid template output property '{member}'")
        _check_description(output)
        if not isinstance(output.get("Condition", ""), str):
            raise TemplateError(f"Template format error: [/Outputs/{name}] Every Condition member must be a string.")
        if isinstance(output["Value"], list):
            raise not_text(name, "and not a List")
        export = output.get("Export", {"Name": "-"})
        given = export.get("Name") if isinstance(export, dict) and export.keys() == {"Name"} else ""
        if not isinstance(given, dict):
            check_export_name(name, given)


def check_export_name(output: str, name: Any) -> None:
    """Refuses the name of an export that CloudFormation can't give.

    Raises:
        TemplateError: It is no text, is empty, or has other characters than letters, digits, colons and hyphens.
    """
    if not isinstance(name, str) or not EXPORT_NAME.fullmatch(name):
        raise TemplateError(
            f"Template format error: Output {output} is malformed. The Name field of every Export member must be "
            "specified and consist only of alphanumeric characters, colons, or hyphens."
        )


def not_text(output: str, rest: str = "") -> TemplateError:
    """Gives the refusal of an output whose value is no text.

    Args:
        output: Its name.
        rest: What the value is instead, where that is written: ``and not a List``.
    """
    words = " ".join(filter(None, ("The Value field of every Outputs member must evaluate to a String", rest)))
    return TemplateError(f"Template format error: {words}. Output {output} does not.")
