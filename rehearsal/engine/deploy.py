"""Brings a stack's resources to what its template asks for: makes, changes and replaces them in order."""

from dataclasses import dataclass, replace

from rehearsal.engine.order import dependencies, in_order
from rehearsal.engine.step import Steps
from rehearsal.handlers.base import Properties, Resource
from rehearsal.resolve import Resolver
from rehearsal.schemas import Schema, Schemas, same
from rehearsal.stack import Record, Stack
from rehearsal.template import ResourceSpec, TemplateError

NO_REPLACEMENT = "Replacement type updates not supported on stack with disable-rollback."
REPLACING = "Requested update requires the creation of a new physical resource; hence creating one."


@dataclass(frozen=True, slots=True)
class Deploy:
    """One run over the resources of a stack's new template.

    Attributes:
        steps: What performs the operations.
        stack: The stack, whose ``deployment`` is the new one already.
        resolver: Resolves the new template's values against the stack's resources.
        schemas: The resource types of the stack's region.
        tags_changed: Whether the stack's own tags are others than before.
        may_replace: Whether resources may be replaced, which CloudFormation does only where it can roll back.
    """

    steps: Steps
    stack: Stack
    resolver: Resolver
    schemas: Schemas
    tags_changed: bool
    may_replace: bool = True

    def run(self) -> None:
        """Brings every resource to what the template asks for, each after those that it depends on.

        Raises:
            StepError: A resource failed; those after it were not touched.
        """
        graph = dependencies(self.resolver)
        for name in in_order(graph):
            self._bring(self.resolver.template.resources[name], graph[name])

    def _bring(self, spec: ResourceSpec, needs: frozenset[str]) -> None:
        record = self.stack.records.get(spec.logical_id)
        if record is None or not record.exists:
            self._create(spec, needs)
        elif record.status == "CREATE_FAILED":
            self._supersede(record, None)
            self._create(spec, needs)
        else:
            self._update(record, spec, needs)

    def _create(self, spec: ResourceSpec, needs: frozenset[str]) -> None:
        record = Record(spec, Resource(spec.logical_id, spec.type, {}), needs)
        self.stack.records[spec.logical_id] = record
        self.steps.step(self.stack, record, "CREATE", lambda: self._make(record))

    def _make(self, record: Record) -> None:
        record.resource.properties = self._properties(record.spec)
        self.steps.create(self.stack, record.resource)

    def _properties(self, spec: ResourceSpec) -> Properties:
        properties: Properties = self.resolver.value(spec.properties)
        return properties

    def _update(self, record: Record, spec: ResourceSpec, needs: frozenset[str]) -> None:
        try:
            properties = self._properties(spec)
        except TemplateError as error:
            self._refuse(record, error)
        schema = self.schemas.get(spec.type)
        if schema is not None and schema.replaced_by(record.resource.properties, properties):
            if not self.may_replace:
                self._refuse(record, TemplateError(NO_REPLACEMENT))
            self._replace(record, spec, needs)
            return
        if self._differs(record, properties, schema):
            self._change(record, properties)
        record.spec, record.dependencies = spec, needs

    def _refuse(self, record: Record, error: TemplateError) -> None:
        def act() -> None:
            raise error

        self.steps.step(self.stack, record, "UPDATE", act)

    def _differs(self, record: Record, properties: Properties, schema: Schema | None) -> bool:
        if record.status == "UPDATE_FAILED" or not same(record.resource.properties, properties):
            return True
        return self.tags_changed and schema is not None and schema.tag_property is not None

    def _change(self, record: Record, properties: Properties) -> None:
        self.steps.step(
            self.stack, record, "UPDATE", lambda: self.steps.update(self.stack, record.resource, properties)
        )

    def _replace(self, record: Record, spec: ResourceSpec, needs: frozenset[str]) -> None:
        """Makes the new resource; the old one awaits its removal, which the new template's policy decides."""
        successor = Record(spec, Resource(spec.logical_id, spec.type, {}), needs)
        self._supersede(record, spec.update_replace_policy)
        self.stack.records[spec.logical_id] = successor
        self.steps.step(
            self.stack, record, "UPDATE", lambda: self._make(successor), reason=REPLACING, successor=successor
        )

    def _supersede(self, record: Record, policy: str | None) -> None:
        spec = replace(record.spec, update_replace_policy=policy)
        self.stack.superseded.append(Record(spec, record.resource, record.dependencies, record.status))
