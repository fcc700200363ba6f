"""Which way leads there without losing what a change would lose, or be refused for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from trnstack.advice.impact import way_steps, way_volumes
from trnstack.advice.impact.adopted import Adopted
from trnstack.advice.impact.expiry import LINK
from trnstack.advice.impact.links import Link, links
from trnstack.advice.impact.lustre import FILE_SYSTEM
from trnstack.advice.impact.model import Action, Impact, ResourceChange, Way
from trnstack.advice.impact.schemas import ABSENT, at
from trnstack.advice.impact.symbols import Reference
from trnstack.advice.impact.values import Values
from trnstack.advice.impact.way_steps import Steps

_BUCKET, _KEY, _LOGS = "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Logs::LogGroup"
_RATE = "LustreConfiguration.PerUnitStorageThroughput"


@dataclass(frozen=True, slots=True)
class _Case:
    """What is chosen by.

    Attributes:
        change: The change.
        region: Where the old side is.
        properties: The old properties of its resource.
        links: The old side's links to it, where it is a file system.
        adopted: What the new side goes on using of what leaves its stack.
        relinks: Whether any link is made, or made anew.
    """

    change: ResourceChange
    region: str
    properties: Any
    links: tuple[Link, ...]
    adopted: Adopted
    relinks: bool


def ways(changes: Iterable[ResourceChange], old: Values, adopted: Adopted) -> Iterator[Way]:
    """Yields how to keep what changes would lose; where there are two ways, the one that fits best comes first.

    Args:
        changes: All changes, with what of them is refused.
        old: The old side.
        adopted: What the new side goes on using of what leaves its stack.
    """
    told = list(changes)
    yield from _left(told, old)
    linked = links(old)
    relinks = any(change.type == LINK and change.action in (Action.ADD, Action.REPLACE) for change in told)
    for change in told:
        if not change.stack_goes and (change.action is not Action.ADD or change.type == LINK):
            case = _case(change, old, linked, adopted, relinks=relinks)
            for steps in _ways(case, old):
                yield Way(
                    stack=change.stack,
                    logical_id=change.logical_id,
                    steps=steps.texts,
                    source=steps.source,
                    object=change.object,
                )


def _case(change: ResourceChange, old: Values, linked: tuple[Link, ...], adopted: Adopted, *, relinks: bool) -> _Case:
    stack = old.side.stacks.get(change.stack)
    resource = old.resources(stack).get(change.logical_id, {}) if stack else {}
    properties = old.of(resource.get("Properties"), stack) if stack else {}
    mine = Reference(change.stack, change.logical_id)
    own = tuple(link for link in linked if link.file_system in (mine, change.logical_id))
    return _Case(change, old.side.region, properties, own, adopted, relinks)


def _ways(case: _Case, old: Values) -> Iterator[Steps]:
    change = case.change
    if change.action is Action.LEAVE:
        yield way_steps.named_no_more(case.region, change, case.links)
    elif change.type == LINK or (change.type == FILE_SYSTEM and change.action is Action.UPDATE):
        yield from _refused(case)
    elif change.refused_by_kubernetes:
        yield way_volumes.volume(change, case.properties)
    elif change.impact is Impact.LOSES_DATA and change.action in (Action.REPLACE, Action.DELETE):
        yield from _lost(case, old)


def _refused(case: _Case) -> Iterator[Steps]:
    change = case.change
    backups = any(each.path.endswith("AutomaticBackupRetentionDays") for each in change.properties)
    if change.refused and change.type == LINK:
        yield way_steps.link(case.region, change)
    elif change.refused and backups and case.links:
        yield way_steps.backups(case.region, change, case.links)


def _lost(case: _Case, old: Values) -> Iterator[Steps]:
    change = case.change
    if change.type == FILE_SYSTEM:
        yield from _file_system(case)
    elif change.type == _BUCKET and not _is_log(old, Reference(change.stack, change.logical_id)):
        yield way_steps.bucket(case.region, change)
    elif change.type == _KEY:
        yield way_steps.key(change)
    elif change.type == _LOGS:
        yield way_steps.logs(case.region, change)


def _file_system(case: _Case) -> Iterator[Steps]:
    change = case.change
    if change.action is Action.DELETE:
        if case.adopted.file_systems:
            ids = case.adopted.file_systems
            yield way_steps.adopted(case.region, change, case.links, ids, relinks=case.relinks)
        else:
            yield way_steps.given_up(case.region, change, case.links)
        return
    causes = {each.path for each in change.properties if each.impact is Impact.REPLACES}
    (rate,) = [each.after for each in change.properties if each.path == _RATE] or [None]
    if causes == {_RATE} and rate and _takes_rates(case.properties):
        yield way_steps.rate(case.region, change, rate)
    yield way_steps.beside(case.region, change, case.links, relinks=case.relinks)


def _takes_rates(properties: Any) -> bool:
    """Says whether FSx itself changes the throughput for each TiB: of persistent SSD, and not with EFA.

    Source: FSx API reference, UpdateFileSystemLustreConfiguration: "Persistent SSD-based"; Terraform and Pulumi AWS
    provider, FSx Lustre file system, ``efa_enabled``: "prevents changes to per_unit_storage_throughput".
    """
    ssd = at(properties, ("StorageType",)) in (ABSENT, "SSD")
    return ssd and at(properties, ("LustreConfiguration", "EfaEnabled")) not in (True, "true")


def _is_log(old: Values, bucket: Reference) -> bool:
    """Says whether a bucket only holds what another one's access log says."""
    path = ("LoggingConfiguration", "DestinationBucketName")
    return any(
        at(old.of(resource.get("Properties"), stack), path) == bucket
        for stack in old.side.stacks.values()
        for resource in old.resources(stack).values()
        if resource.get("Type") == _BUCKET
    )


def _left(changes: list[ResourceChange], old: Values) -> Iterator[Way]:
    """Yields the way for an environment whose every stack is left, since its name, region or account is another."""
    stacks = {change.stack for change in changes if change.stack_goes}
    lost = [change for change in changes if change.stack_goes and change.impact is Impact.LOSES_DATA]
    if not lost or stacks != set(old.side.stacks):
        return
    moved = any(change.place not in ("", old.side.region) for change in changes)
    system = next((change for change in lost if change.type == FILE_SYSTEM), None)
    mine = Reference(system.stack, system.logical_id) if system else None
    own = tuple(link for link in links(old) if link.file_system == mine)
    steps = way_steps.elsewhere(old.side.region, system, own, moved=moved)
    yield Way(stack="the old environment", logical_id="", steps=steps.texts, source=steps.source)
