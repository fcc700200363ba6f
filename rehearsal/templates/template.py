"""Checks the shape of a template as CloudFormation does before it makes anything.

Source: the words for ``DependsOn`` are quoted in carriagereturn.nl, "Conditional Dependency in Cloudformation", and
in cloudonaut, "Optional DependsOn with CloudFormation"; for a resource that is no object in
aws-samples/cfn101-workshop. That a resource may have a description, though no page of the guide says so: aws/aws-cdk
pull request 10522, shalupov/idea-cloudformation issue 117 (CodeStar's own templates) and aws-cloudformation/cfn-lint
issue 2641.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.templates import sections, shapes, transforms
from rehearsal.templates.arguments import call
from rehearsal.templates.text import Document, NotModelledError, TemplateError, read
from rehearsal.templates.transforms import LANGUAGE_EXTENSIONS

__all__ = ["LANGUAGE_EXTENSIONS", "Document", "NotModelledError", "ResourceSpec", "Template", "TemplateError", "parse"]

RESOURCE_ATTRIBUTES = frozenset(
    {
        "Condition",
        "CreationPolicy",
        "DeletionPolicy",
        "DependsOn",
        "Description",
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
        return transforms.names(self.document)


NOTHING = Template(body="", document={"Resources": {}}, resources={})


def parse(body: str) -> Template:
    """Reads a template and checks its shape, and that of every function in it.

    Args:
        body: The text of the template, JSON or YAML.

    Raises:
        TemplateError: It is not well-formed, or a section or a function is not what CloudFormation accepts.
    """
    document = read(body)
    sections.check(document)
    is_extended = LANGUAGE_EXTENSIONS in transforms.names(document)
    resources = {
        name: _resource(name, member, is_extended=is_extended) for name, member in document["Resources"].items()
    }
    shapes.check(document)
    return Template(body=body, document=document, resources=resources)


def _resource(name: str, member: Any, *, is_extended: bool) -> ResourceSpec:
    where = f"Template format error: [/Resources/{name}]"
    if not isinstance(member, dict):
        raise TemplateError(f"{where} resource definition is malformed")
    if not isinstance(member.get("Type"), str):
        raise TemplateError(f"{where} Every Resources object must contain a Type member.")
    for attribute in member:
        if attribute not in RESOURCE_ATTRIBUTES:
            raise TemplateError(f"Invalid template resource property '{attribute}'")
    if not isinstance(member.get("Properties", {}), dict):
        raise TemplateError(f"{where} Properties member must be an object.")
    depends_on = member.get("DependsOn", [])
    depends_on = [depends_on] if isinstance(depends_on, str) else depends_on
    if not isinstance(depends_on, list):
        raise TemplateError("Template format error: DependsOn must be a string or list of strings.")
    if not all(isinstance(name, str) for name in depends_on):
        raise TemplateError("Template format error: Every DependsOn value must be a string.")
    if not isinstance(member.get("Condition", ""), str):
        raise TemplateError(f"{where} Every Condition member must be a string.")
    return ResourceSpec(
        logical_id=name,
        type=member["Type"],
        properties=member.get("Properties", {}),
        depends_on=tuple(depends_on),
        condition=member.get("Condition"),
        deletion_policy=_policy(name, "DeletionPolicy", member, DELETION_POLICIES, is_extended=is_extended),
        update_replace_policy=_policy(name, "UpdateReplacePolicy", member, REPLACE_POLICIES, is_extended=is_extended),
        metadata=member.get("Metadata", {}),
    )


def _policy(name: str, attribute: str, member: Document, allowed: frozenset[str], *, is_extended: bool) -> str | None:
    policy: Any = member.get(attribute)
    if is_extended and call(policy) is not None:
        raise NotModelledError(f"The rehearsal does not model functions within {attribute} ({name}): write it out")
    if policy is not None and not isinstance(policy, str):
        raise TemplateError(f"Template format error: Every {attribute} member must be a string.")
    if policy is not None and policy not in allowed:
        raise TemplateError(f"Template format error: Unrecognized {attribute} {policy} for resource {name}")
    return policy
