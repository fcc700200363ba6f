"""Tells what an update would change before it is made, as a change set does."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.engine import removal
from rehearsal.engine.changes import ALWAYS, CONDITIONALLY, NEVER, Change, Detail, Preview
from rehearsal.engine.order import dependencies, in_order
from rehearsal.engine.outputs import outputs
from rehearsal.engine.surroundings import MissingExportError
from rehearsal.handlers.base import Properties, Resource
from rehearsal.masking import Secrets, secrets
from rehearsal.schemas import Schema, Schemas, same
from rehearsal.stack import Deployment, Record, Stack
from rehearsal.templates.references import Reference, references
from rehearsal.templates.resolve import NO_VALUE, Resolver
from rehearsal.templates.template import ResourceSpec, TemplateError

LATER = "{{changeSet:KNOWN_AFTER_APPLY}}"
TRUE, CONDITIONAL, FALSE = "True", "Conditional", "False"
POLICIES = (
    ("DeletionPolicy", "deletion_policy"),
    ("UpdateReplacePolicy", "update_replace_policy"),
    ("Metadata", "metadata"),
)


class Anything(Mapping[str, Any]):
    """The attributes of a resource that is not there yet: each of them is known later."""

    def __getitem__(self, key: str) -> str:
        return LATER

    def __contains__(self, key: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(slots=True)
class Previewer:
    """Works a preview out.

    Attributes:
        stack: The stack as it stands.
        deployment: What it would be asked to be.
        schemas: The resource types of its region.
        resolver: Gives the new template's resolver over the resources it is handed.
    """

    stack: Stack
    deployment: Deployment
    schemas: Schemas
    resolver: Callable[[Mapping[str, Resource]], Resolver]
    _seen: dict[str, Resource] = field(default_factory=dict)
    _modified: dict[str, str] = field(default_factory=dict)

    def preview(self) -> Preview:
        """Tells what would change.

        Raises:
            MissingExportError: The template imports what no stack exports.
        """
        resolver = self.resolver(self._seen)
        graph = dependencies(resolver)
        changes = [
            change
            for name in in_order(graph)
            if (change := self._change(resolver, resolver.template.resources[name])) is not None
        ]
        gone = [record for name, record in self.stack.records.items() if name not in graph and record.exists]
        changes += [
            Change("Remove", record.spec, record.resource.physical_id, policy=removal.leaving(record))
            for record in gone
        ]
        same_tags = self.deployment.tags == self.stack.deployment.tags
        is_empty = not changes and same_tags and not self._outputs_change(resolver)
        return Preview(tuple(changes), is_empty)

    def _change(self, resolver: Resolver, spec: ResourceSpec) -> Change | None:
        record = self.stack.records.get(spec.logical_id)
        after = {name: self._value(resolver, source) for name, source in spec.properties.items()}
        after = {name: value for name, value in after.items() if value is not NO_VALUE}
        if record is None or not record.exists:
            self._seen[spec.logical_id] = _unknown(spec)
            return Change("Add", spec, after=after, hidden=self._hidden)
        self._seen[spec.logical_id] = record.resource
        details = tuple(self._details(resolver, record, spec, after))
        if not details:
            return None
        replacement = _replacement(details)
        self._modified[spec.logical_id] = replacement
        if replacement == TRUE:
            self._seen[spec.logical_id] = _unknown(spec)
        return Change(
            action="Modify",
            spec=spec,
            physical_id=record.resource.physical_id,
            replacement=replacement,
            policy=f"ReplaceAnd{spec.update_replace_policy or removal.DELETE}" if replacement == TRUE else None,
            details=details,
            before=record.resource.properties,
            after=after,
            was=record.spec,
            hidden=self._hidden,
        )

    @property
    def _hidden(self) -> Secrets:
        return secrets(self.deployment.parameters, self.stack.deployment.parameters)

    def _value(self, resolver: Resolver, source: Any) -> Any:
        try:
            return resolver.value(source)
        except MissingExportError:
            raise
        except TemplateError:
            return LATER  # a function can't work on a value that is not known yet

    def _details(self, resolver: Resolver, record: Record, spec: ResourceSpec, after: Properties) -> Iterator[Detail]:
        schema = self.schemas.get(spec.type)
        before = record.resource.properties
        for name in dict.fromkeys([*before, *after]):
            causes = list(self._causes(spec.properties.get(name), resolver))
            yield from (_dynamic(name, cause, schema) for cause in causes)
            if not same(before.get(name), after.get(name)) and not causes:
                yield self._static(name, spec.properties.get(name), before, after, schema)
        if record.status == "UPDATE_FAILED":
            yield Detail("Properties")
        if schema is not None and self.deployment.tags != self.stack.deployment.tags:
            if schema.replaced_by_tags:
                yield Detail("Tags", recreation=ALWAYS)
            elif schema.tag_property:
                yield Detail("Tags")
        for attribute, member in POLICIES:
            if getattr(spec, member) != getattr(record.spec, member):
                yield Detail(attribute)

    def _causes(self, source: Any, resolver: Resolver) -> Iterator[Reference]:
        for reference in references(source, resolver.condition):
            replacement = self._modified.get(reference.target)
            if replacement is not None and (reference.attribute is not None or replacement != FALSE):
                yield reference

    def _static(self, name: str, source: Any, before: Properties, after: Properties, schema: Schema | None) -> Detail:
        old, new = ({name: side[name]} if name in side else {} for side in (before, after))
        changed = [reference.target for reference in references(source) if self._parameter_changed(reference.target)]
        return Detail(
            attribute="Properties",
            name=name,
            recreation=_recreation(schema, old, new),
            source="ParameterReference" if changed else "DirectModification",
            cause=changed[0] if changed else None,
        )

    def _parameter_changed(self, name: str) -> bool:
        old, new = self.stack.deployment.parameters.get(name), self.deployment.parameters.get(name)
        return old is not None and new is not None and old.value != new.value

    def _outputs_change(self, resolver: Resolver) -> bool:
        try:
            return outputs(resolver) != self.stack.outputs
        except MissingExportError:
            raise
        except TemplateError:
            return True


def _recreation(schema: Schema | None, old: Properties, new: Properties) -> str:
    if schema is not None and schema.replaced_by(old, new):
        return ALWAYS
    return CONDITIONALLY if schema is not None and schema.perhaps_replaced_by(old, new) else NEVER


def _dynamic(name: str, cause: Reference, schema: Schema | None) -> Detail:
    paths = [] if schema is None else [path for path in schema.create_only if path[0] == name]
    recreation = ALWAYS if (name,) in paths else CONDITIONALLY if paths else NEVER
    if cause.attribute is None:
        return Detail("Properties", name, recreation, dynamic=True, source="ResourceReference", cause=cause.target)
    attribute = f"{cause.target}.{cause.attribute}"
    return Detail("Properties", name, recreation, dynamic=True, source="ResourceAttribute", cause=attribute)


def _replacement(details: tuple[Detail, ...]) -> str:
    if any(detail.recreation == ALWAYS and not detail.dynamic for detail in details):
        return TRUE
    return CONDITIONAL if any(detail.recreation != NEVER for detail in details) else FALSE


def _unknown(spec: ResourceSpec) -> Resource:
    return Resource(spec.logical_id, spec.type, {}, physical_id=LATER, attributes=Anything())  # type: ignore[arg-type]
