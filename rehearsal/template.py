"""Checks the shape of a template as CloudFormation does before it makes anything."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.limits import check_sizes
from rehearsal.text import Document, TemplateError, read

__all__ = ["Document", "ResourceSpec", "Template", "TemplateError", "parse"]

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
RESOURCE_ATTRIBUTES = frozenset(
    {
        "Condition",
        "CreationPolicy",
        "DeletionPolicy",
        "DependsOn",
        "Metadata",
        "Properties",
        "Type",
        "UpdatePolicy",
        "UpdateReplacePolicy",
        "Version",
    }
)
DELETION_POLICIES = frozenset({"Delete", "Retain", "RetainExceptOnCreate", "Snapshot"})
REPLACE_POLICIES = DELETION_POLICIES - {"RetainExceptOnCreate"}
LANGUAGE_EXTENSIONS = "AWS::LanguageExtensions"


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """One member of a template's ``Resources``, as it is written.

    Attributes:
        logical_id: Its name in the template.
        type: Its CloudFormation type.
        properties: Its properties, intrinsic functions and all.
        depends_on: The logical ids of ``DependsOn``.
        condition: The name of the condition under which it exists.
        deletion_policy: What becomes of it when it leaves the stack; None where the template says nothing.
        update_replace_policy: What becomes of the old one when it is replaced.
        metadata: Its metadata, which is not evaluated.
    """

    logical_id: str
    type: str
    properties: Document = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    condition: str | None = None
    deletion_policy: str | None = None
    update_replace_policy: str | None = None
    metadata: Document = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Template:
    """A template whose shape is right.

    Attributes:
        body: The text as it came, which ``GetTemplate`` gives back.
        document: The text as plain data; short YAML tags are written out (``!Ref x`` is ``{"Ref": "x"}``).
        resources: The members of ``Resources`` by logical id, in the template's order.
    """

    body: str
    document: Document
    resources: Mapping[str, ResourceSpec]

    def section(self, name: str) -> Document:
        """Gives a section of the template, empty where the template has none."""
        section: Document = self.document.get(name, {})
        return section

    @property
    def description(self) -> str | None:
        """The template's ``Description``."""
        return self.document.get("Description")

    @property
    def transforms(self) -> tuple[str, ...]:
        """The names of the template's transforms."""
        declared = self.document.get("Transform", [])
        return tuple([declared] if isinstance(declared, str) else declared)


NOTHING = Template(body="", document={"Resources": {}}, resources={})


def parse(body: str) -> Template:
    """Reads a template and checks its shape.

    Args:
        body: The text of the template, JSON or YAML.

    Raises:
        TemplateError: It is not well-formed, or a section is not what CloudFormation accepts.
    """
    document = read(body)
    _check_sections(document)
    resources = {name: _resource(name, member) for name, member in document["Resources"].items()}
    _check_outputs(document.get("Outputs", {}))
    return Template(body=body, document=document, resources=resources)


def _check_sections(document: Document) -> None:
    unknown = sorted(str(name) for name in document if name not in SECTIONS)
    if unknown:
        raise TemplateError(f"Invalid template property or properties [{', '.join(unknown)}]")
    for section in SECTIONS - {"AWSTemplateFormatVersion", "Description", "Transform", "Metadata"}:
        if section in document and not isinstance(document[section], dict):
            raise TemplateError(f"Template format error: {section} section must be an object.")
    if not document.get("Resources"):
        raise TemplateError("Template format error: At least one Resources member must be defined.")
    check_sizes(document)
    for path in _nulls(document, ""):
        raise TemplateError(f"Template format error: [{path}] 'null' values are not allowed in templates")
    _check_names(document)
    _check_mappings(document.get("Mappings", {}))
    _check_rules(document.get("Rules", {}))
    _check_transforms(document.get("Transform", []))


def _check_names(document: Document) -> None:
    for section, kind in (("Resources", "Resource"), ("Parameters", "Parameter"), ("Outputs", "Output")):
        for name in document.get(section, {}):
            if not re.fullmatch(r"[A-Za-z0-9]+", str(name)):
                raise TemplateError(f"Template format error: {kind} name {name} is non alphanumeric.")


def _check_mappings(mappings: Document) -> None:
    for name, mapping in mappings.items():
        for key, attributes in mapping.items() if isinstance(mapping, dict) else [("", None)]:
            if not isinstance(attributes, dict):
                where = f"[/Mappings/{name}/{key}]".replace("/]", "]")
                raise TemplateError(f"Template format error: {where} Every Mappings member must be a map.")
            if not all(isinstance(value, str | int | float | list) for value in attributes.values()):
                raise TemplateError("Template format error: Every Mappings attribute must be a String or a List.")


def _check_rules(rules: Document) -> None:
    for name, rule in rules.items():
        assertions = rule.get("Assertions", []) if isinstance(rule, dict) else None
        if not isinstance(assertions, list) or not all(isinstance(one, dict) and "Assert" in one for one in assertions):
            raise TemplateError(f"Template format error: [/Rules/{name}] Every rule must be an object with Assertions.")


def _check_transforms(declared: Any) -> None:
    if not isinstance(declared, str | dict | list):
        raise TemplateError("Template format error: Transform section must be a string, an object or a list.")
    for name in [declared] if isinstance(declared, str | dict) else declared:
        if name != LANGUAGE_EXTENSIONS:
            raise TemplateError(f"No transform named {name} found.")


def _nulls(value: Any, path: str) -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _nulls(member, f"{path}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _nulls(member, f"{path}/{index}")


def _resource(name: str, member: Any) -> ResourceSpec:
    where = f"Template format error: [/Resources/{name}]"
    if not isinstance(member, dict):
        raise TemplateError(f"{where} Every Resources object must be an object.")
    if not isinstance(member.get("Type"), str):
        raise TemplateError(f"{where} Every Resources object must contain a Type member.")
    for attribute in member:
        if attribute not in RESOURCE_ATTRIBUTES:
            raise TemplateError(f"Invalid template resource property '{attribute}'")
    if not isinstance(member.get("Properties", {}), dict):
        raise TemplateError(f"{where} Properties member must be an object.")
    depends_on = member.get("DependsOn", [])
    depends_on = [depends_on] if isinstance(depends_on, str) else depends_on
    if not isinstance(depends_on, list) or not all(isinstance(name, str) for name in depends_on):
        raise TemplateError(f"{where} Every DependsOn value must be a string.")
    if not isinstance(member.get("Condition", ""), str):
        raise TemplateError(f"{where} Every Condition member must be a string.")
    return ResourceSpec(
        logical_id=name,
        type=member["Type"],
        properties=member.get("Properties", {}),
        depends_on=tuple(depends_on),
        condition=member.get("Condition"),
        deletion_policy=_policy(name, "DeletionPolicy", member, DELETION_POLICIES),
        update_replace_policy=_policy(name, "UpdateReplacePolicy", member, REPLACE_POLICIES),
        metadata=member.get("Metadata", {}),
    )


def _policy(name: str, attribute: str, member: Document, allowed: frozenset[str]) -> str | None:
    policy: str | None = member.get(attribute)
    if policy is not None and not isinstance(policy, str):
        raise TemplateError(f"Template format error: Every {attribute} member must be a string.")
    if policy is not None and policy not in allowed:
        raise TemplateError(f"Template format error: Unrecognized {attribute} {policy} for resource {name}")
    return policy


def _check_outputs(outputs: Document) -> None:
    for name, output in outputs.items():
        where = f"Template format error: [/Outputs/{name}]"
        if not isinstance(output, dict) or "Value" not in output:
            raise TemplateError(f"{where} Every Outputs member must contain a Value object")
        if "Export" in output and not (isinstance(output["Export"], dict) and "Name" in output["Export"]):
            raise TemplateError(f"{where} Every Export object must contain a Name member")
