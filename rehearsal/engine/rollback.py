"""Leads a stack back to how it was when it was last at rest."""

from collections.abc import Collection, Generator
from dataclasses import dataclass
from functools import partial

from rehearsal.durations import seconds
from rehearsal.engine import removal
from rehearsal.engine.order import in_order
from rehearsal.engine.runner import OnFailure, Runner
from rehearsal.engine.step import Job, Steps
from rehearsal.stack import Kept, Record, Stack

CLEANUP_FAILED = "One or more resources could not be deleted."


@dataclass(frozen=True, slots=True)
class Rollback:
    """One way back.

    Attributes:
        steps: What performs the operations.
        stack: The stack.
        retain_except_on_create: Whether new resources with the policy ``Retain`` are deleted too.
        skipped: The logical ids of resources that are taken as rolled back without being touched.
    """

    steps: Steps
    stack: Stack
    retain_except_on_create: bool = False
    skipped: Collection[str] = ()

    def undo_creation(self) -> None:
        """Removes everything that the creation of a stack in ``ROLLBACK_IN_PROGRESS`` made."""
        stack = self.stack
        failed = removal.remove_all(self.steps, stack, self._fates([*stack.records.values(), *stack.superseded]))
        if not failed:
            stack.superseded.clear()
        stack.outputs, stack.imports = (), frozenset()
        if failed:
            stack.advance("ROLLBACK_FAILED", f"The following resource(s) failed to delete: [{', '.join(failed)}]. ")
        else:
            stack.advance("ROLLBACK_COMPLETE")

    def undo_update(self) -> None:
        """Changes the resources of a stack in ``UPDATE_ROLLBACK_IN_PROGRESS`` back, and removes those that are new."""
        stack = self.stack
        stack.deployment = stack.settled.deployment
        kept = stack.settled.records
        graph = {name: one.dependencies & kept.keys() for name, one in kept.items()}
        jobs = {name: partial(self._restore, name, kept[name]) for name in in_order(graph)}
        runner = Runner(jobs, graph, OnFailure.GO_ON)
        runner.run()
        if runner.failures:
            failed = [failure.logical_id for failure in runner.failures]
            words = f"The following resource(s) failed to update: [{', '.join(failed)}]. "
            stack.move("UPDATE_ROLLBACK_FAILED", words)
            return
        stack.move("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
        left = self._clean_up()
        stack.imports, stack.outputs = stack.settled.imports, stack.settled.outputs
        stack.settle()
        stack.move("UPDATE_ROLLBACK_COMPLETE", CLEANUP_FAILED if left else None)

    def _restore(self, name: str, kept: Kept) -> Job:
        record = self.stack.records[name]
        if record.resource is not kept.resource:
            record = yield from self._bring_back(record, kept)
        changed = record.resource.properties is not kept.properties
        if name in self.skipped:
            record.resource.properties = kept.properties
            self.stack.mark(record, "UPDATE_COMPLETE", "Resource was skipped during the rollback")
        elif changed or record.status == "UPDATE_FAILED":
            takes = partial(seconds, record.resource.type, "UPDATE", record.resource.properties, kept.properties)
            back = record
            yield from self.steps.step(
                self.stack, back, "UPDATE", lambda: self.steps.change(self.stack, back, kept.properties), takes=takes
            )
        record.spec, record.dependencies = kept.spec, kept.dependencies

    def _bring_back(self, newer: Record, kept: Kept) -> Generator[float, None, Record]:
        """Puts a replaced resource in its place again; the newer one awaits its removal."""
        stack = self.stack
        old = next(record for record in stack.superseded if record.resource is kept.resource)
        stack.superseded.remove(old)
        stack.superseded.append(newer)
        restored = Record(kept.spec, kept.resource, kept.dependencies)
        stack.records[kept.spec.logical_id] = restored
        yield from self.steps.step(stack, newer, "UPDATE", lambda: None, successor=restored, takes=lambda: 0.0)
        return restored

    def _clean_up(self) -> list[str]:
        stack = self.stack
        new = [record for name, record in stack.records.items() if name not in stack.settled.records]
        fates = [*self._fates(new), *((record, removal.DELETE) for record in stack.superseded)]
        failed = removal.remove_all(self.steps, stack, fates)
        for record in new:
            del stack.records[record.logical_id]
        stack.superseded.clear()
        return failed

    def _fates(self, records: Collection[Record]) -> list[tuple[Record, str]]:
        return [
            (record, removal.undone(record, retain_except_on_create=self.retain_except_on_create)) for record in records
        ]
