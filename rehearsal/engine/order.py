"""Orders resources so that each comes after those that it depends on."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from rehearsal.stack import Record
from rehearsal.templates.references import references
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import TemplateError

Dependencies = Mapping[str, frozenset[str]]


def dependencies(resolver: Resolver) -> Dependencies:
    """Gives the resources that each resource of a template depends on, among those that exist under their conditions.

    A resource depends on what its properties and its metadata refer to, in the taken branches of ``Fn::If``, and on its
    ``DependsOn``.

    Source: that metadata counts is what carriagereturn.nl, "Conditional Dependency in Cloudformation", and cloudonaut,
    "Optional DependsOn with CloudFormation", build upon.
    """
    present = {name for name in resolver.template.resources if resolver.present(name)}
    found = {}
    for name, spec in resolver.template.resources.items():
        if name in present:
            mentioned = {
                reference.target for reference in references([spec.properties, spec.metadata], resolver.condition)
            }
            found[name] = frozenset((mentioned | set(spec.depends_on)) & present)
    return found


def in_order(graph: Dependencies) -> tuple[str, ...]:
    """Gives the names with every dependency before its dependents, otherwise as they come.

    Raises:
        TemplateError: Some depend on each other in a circle.
    """
    try:
        return tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = ", ".join(sorted(set(error.args[1])))
        raise TemplateError(f"Circular dependency between resources: [{circle}]") from error


def dependents_first(records: Iterable[Record]) -> list[Record]:
    """Gives the records in the order in which they may be removed; two records may share a logical id."""
    remaining = list(records)
    names = {record.logical_id for record in remaining}
    position = {name: place for place, name in enumerate(in_order(_within(remaining, names)))}
    return sorted(remaining, key=lambda record: position[record.logical_id], reverse=True)


def _within(records: Iterable[Record], names: set[str]) -> Dependencies:
    graph: dict[str, frozenset[str]] = {}
    for record in records:
        mine = graph.get(record.logical_id, frozenset())
        graph[record.logical_id] = mine | (record.dependencies & names)
    return graph
