"""Brings a stack's resources to what its template asks for: makes, changes and replaces them in order."""

from dataclasses import dataclass, replace
from functools import partial

from rehearsal.durations import seconds
from rehearsal.engine.order import dependencies, in_order
from rehearsal.engine.policy import MODIFY, REPLACE, check
from rehearsal.engine.runner import OnFailure, Runner
from rehearsal.engine.step import Job, Steps, StepsError
from rehearsal.engine.watch import Watch
from rehearsal.handlers.base import Properties, Resource
from rehearsal.schemas import Schema, Schemas, same
from rehearsal.stack import Record, Stack
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import ResourceSpec, TemplateError

CUSTOM_NAMED = (
    "CloudFormation cannot update a stack when a custom-named resource requires replacing. "
    "Rename {} and update the stack again."
)
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
        watch: Says whether it may go on.
        tags_changed: Whether the stack's own tags are others than before.
        may_replace: Whether resources may be replaced, which CloudFormation does only where it can roll back.
        preserves: Whether a failure leaves what does not depend on it to go on, instead of leading back.
    """

    steps: Steps
    stack: Stack
    resolver: Resolver
    schemas: Schemas
    watch: Watch
    tags_changed: bool
    may_replace: bool = True
    preserves: bool = False

    def run(self) -> None:
        """Brings every resource to what the template asks for, side by side, each after those that it depends on.

        Raises:
            StepError: Resources failed; those that need them were not touched.
        """
        graph, specs = dependencies(self.resolver), self.resolver.template.resources
        jobs = {
            name: partial(self.watch.over, name, partial(self._bring, specs[name], graph[name]))
            for name in in_order(graph)
        }
        runner = Runner(jobs, graph, OnFailure.LEAVE_DEPENDENTS if self.preserves else OnFailure.CANCEL)
        runner.run()
        if runner.failures:
            raise StepsError(runner.failures)

    def _bring(self, spec: ResourceSpec, needs: frozenset[str]) -> Job:
        record = self.stack.records.get(spec.logical_id)
        if record is None or not record.exists:
            yield from self._create(spec, needs)
        elif record.status == "CREATE_FAILED":
            self._supersede(record, None)
            yield from self._create(spec, needs)
        else:
            yield from self._update(record, spec, needs)

    def _create(self, spec: ResourceSpec, needs: frozenset[str]) -> Job:
        record = Record(spec, Resource(spec.logical_id, spec.type, {}), needs)
        self.stack.records[spec.logical_id] = record
        yield from self.steps.step(self.stack, record, "CREATE", lambda: self._make(record))

    def _make(self, record: Record) -> None:
        record.resource.properties = self._properties(record.spec)
        self.steps.create(self.stack, record.resource)

    def _properties(self, spec: ResourceSpec) -> Properties:
        properties: Properties = self.resolver.value(spec.properties)
        return properties

    def _update(self, record: Record, spec: ResourceSpec, needs: frozenset[str]) -> Job:
        try:
            properties = self._properties(spec)
        except TemplateError as error:
            yield from self._refuse(record, error)
            return
        schema = self.schemas.get(spec.type)
        if schema is not None and self._replaces(record, properties, schema):
            if not self.may_replace:
                yield from self._refuse(record, TemplateError(NO_REPLACEMENT))
            name = schema.kept_name(record.resource.properties, properties)
            if name is not None:
                yield from self._refuse(record, TemplateError(CUSTOM_NAMED.format(name)))
            yield from self._replace(record, spec, needs)
            return
        if self._differs(record, properties, schema):
            yield from self._change(record, properties, spec.update_replace_policy)
        record.spec, record.dependencies = spec, needs

    def _refuse(self, record: Record, error: TemplateError) -> Job:
        def act() -> None:
            raise error

        yield from self.steps.step(self.stack, record, "UPDATE", act)

    def _replaces(self, record: Record, properties: Properties, schema: Schema) -> bool:
        by_tags = self.tags_changed and schema.replaced_by_tags
        return by_tags or schema.replaces(record.resource.properties, properties)

    def _differs(self, record: Record, properties: Properties, schema: Schema | None) -> bool:
        if record.status == "UPDATE_FAILED" or not same(record.resource.properties, properties):
            return True
        return self.tags_changed and schema is not None and schema.tag_property is not None

    def _change(self, record: Record, properties: Properties, policy: str | None) -> Job:
        check(self.stack, MODIFY, record)
        takes = partial(seconds, record.resource.type, "UPDATE", record.resource.properties, properties)
        yield from self.steps.step(
            self.stack,
            record,
            "UPDATE",
            lambda: self.steps.change(self.stack, record, properties, policy=policy),
            takes=takes,
        )

    def _replace(self, record: Record, spec: ResourceSpec, needs: frozenset[str]) -> Job:
        """Makes the new resource; the old one awaits its removal, which the new template's policy decides."""
        check(self.stack, REPLACE, record)
        successor = Record(spec, Resource(spec.logical_id, spec.type, {}), needs)
        self._supersede(record, spec.update_replace_policy)
        self.stack.records[spec.logical_id] = successor
        yield from self.steps.step(
            self.stack,
            record,
            "UPDATE",
            lambda: self._make(successor),
            reason=REPLACING,
            successor=successor,
            takes=lambda: seconds(spec.type, "CREATE", successor.resource.properties),
        )

    def _supersede(self, record: Record, policy: str | None) -> None:
        spec = replace(record.spec, update_replace_policy=policy)
        self.stack.superseded.append(Record(spec, record.resource, record.dependencies, record.status))
