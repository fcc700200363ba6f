"""Compares two environments resource by resource, and puts together what that means."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from trnstack.advice.impact import links, refusals
from trnstack.advice.impact.adopted import Adopted, adopted
from trnstack.advice.impact.comparison import Comparison
from trnstack.advice.impact.fate import given_up
from trnstack.advice.impact.leaves import leaves
from trnstack.advice.impact.model import Action, Report, ResourceChange, Side, StackRefusal
from trnstack.advice.impact.outputs import outputs
from trnstack.advice.impact.values import Values
from trnstack.advice.impact.ways import ways


def compare(old: Side, new: Side) -> Report:
    """Returns what differs between two environments, and what each difference does.

    Args:
        old: What is deployed, or was.
        new: What is to be deployed.

    Raises:
        LookupError: The region's resource schemas are not there.
    """
    if old.region != new.region or (old.account and new.account and old.account != new.account):
        return _apart(old, new)
    account = new.account or old.account
    before, after = Values(old, account), Values(new, account)
    used = adopted(before, after) if old.stacks != new.stacks else Adopted()
    before.known_as = after.known_as = used.names
    return _report(Comparison(before, after), used)


def _apart(old: Side, new: Side) -> Report:
    """Returns what differs between environments in two regions or accounts: everything."""
    places = f"{old.region}{f' of {old.account}' if old.account else ''} and {new.region}"
    note = f"two places, {places}: what stands in the first is left behind, and everything in the second is new"
    left, made = (
        _report(Comparison(Values(one, one.account), Values(other, other.account)), Adopted())
        for one, other in (
            (old, Side(region=old.region, account=None, stacks={})),
            (Side(region=new.region, account=None, stacks={}), new),
        )
    )
    changes = tuple(
        replace(change, place=side.region) for report, side in ((left, old), (made, new)) for change in report.changes
    )
    return Report(
        changes=changes,
        ways=tuple(ways(changes, Values(old, old.account), Adopted())),
        notes=(note, *left.notes, *made.notes),
    )


def _report(found: Comparison, used: Adopted) -> Report:
    old, new = found.old.side, found.new.side
    if old.stacks == new.stacks:
        return Report(notes=tuple(_notes(found)))
    changes: list[ResourceChange] = []
    stacks = dict.fromkeys((*new.stacks, *old.stacks))
    for name in stacks:
        if name in new.left_alone:
            continue
        was, now = old.stacks.get(name), new.stacks.get(name)
        ids = dict.fromkeys((*(found.new.resources(now) if now else ()), *(found.old.resources(was) if was else ())))
        changes += [made for each in ids if (made := found.change(name, each)) is not None]
    kept = (given_up(each) if (each.stack, each.logical_id) in used.kept else each for each in changes)
    linked = links.with_refusals(_with_moves(found, list(kept)), found.old, found.new, found.moves)
    told = tuple(sorted((*linked, *used.dropped), key=lambda change: list(stacks).index(change.stack)))
    return Report(
        changes=told,
        refusals=tuple(_refusals(found)),
        ways=tuple(ways(told, found.old, used)),
        notes=(*_of_names(found), *_of_file_systems(told, used), *outputs(found.old, found.new), *_notes(found)),
    )


def _with_moves(found: Comparison, changes: list[ResourceChange]) -> Iterator[ResourceChange]:
    """Yields the changes; of a resource that only moved to another logical id, the new one with what that means."""
    gone = [change for change in changes if change.action is Action.DELETE]
    for change in changes:
        if change.action is Action.ADD:
            properties = _properties(found.new, change)
            before = [(each, _properties(found.old, each)) for each in gone if each.type == change.type]
            yield refusals.with_moves(change, properties, before)
        else:
            yield change


def _properties(values: Values, change: ResourceChange) -> Mapping[str, Any]:
    stack = values.side.stacks[change.stack]
    properties = values.of(values.resources(stack)[change.logical_id].get("Properties", {}), stack)
    return properties if isinstance(properties, Mapping) else {}


def _refusals(found: Comparison) -> Iterator[StackRefusal]:
    """Yields the stacks that would change or drop an export which another stack imports.

    Source: CloudFormation template reference, Fn::ImportValue: an output that another stack imports can be neither
    modified nor deleted.
    """
    for name, (stack, _) in found.old.exports.items():
        users = refusals.importers(found.old, name)
        if not users or stack.name not in found.new.side.stacks:
            continue
        if name not in found.new.exports:
            yield StackRefusal(stack=stack.name, reason=refusals.export_gone(name, users))
        elif any(leaves(found.old.exported(name), found.new.exported(name), found.moves)):
            yield StackRefusal(stack=stack.name, reason=refusals.export_changed(name, users))


def _of_names(found: Comparison) -> Iterator[str]:
    old, new = found.old.side.stacks, found.new.side.stacks
    if old and new and not old.keys() & new.keys():
        yield "two environments, of other names: what stands of the first is left as it is, all of the second is new"


def _of_file_systems(changes: Iterable[ResourceChange], used: Adopted) -> Iterator[str]:
    """Yields that a file system's id is in no template, where one is given up and one is named."""
    gone = [each for each in changes if each.action is Action.DELETE and each.type == "AWS::FSx::FileSystem"]
    for change in gone if used.file_systems else ():
        names = " or ".join(used.file_systems)
        yield (
            f"whether {change.logical_id}, which leaves {change.stack}, is {names}, only the account knows: if it is, "
            "nothing is lost, and its way without loss says in which deploys"
        )


def _notes(found: Comparison) -> Iterator[str]:
    for side, word in ((found.old.side, "old"), (found.new.side, "new")):
        for stack in side.stacks.values():
            if not isinstance(stack.template.get("Resources"), Mapping):
                yield f"the {word} template of {stack.name} has no resources: it was edited by hand, or is none"
            if stack.template.get("Transform"):
                made = stack.template["Transform"]
                yield f"the {word} template of {stack.name} is transformed by {made}: what that makes is not known"
