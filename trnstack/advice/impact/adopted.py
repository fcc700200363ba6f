"""Finds what a stack gives up and the new side goes on using: a bucket by its name, a file system by its id.

A bucket's name is in its template, so the same bucket is known again. A file system's id is FSx's choice and in no
template: whether one that is named is the one that leaves its stack, only the account knows.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trnstack.advice.impact.fate import RETAINED, left, policy
from trnstack.advice.impact.model import ResourceChange, StackTemplate
from trnstack.advice.impact.symbols import Reference, Text, references
from trnstack.advice.impact.values import Values

_BUCKET, _LUSTRE = "AWS::S3::Bucket", "AWS::FSx::FileSystem"
#: The output that names the checkpoint bucket: a name alone where no stack made it.
_CHECKPOINTS = "CheckpointBucket"
_FILE_SYSTEM = re.compile(r"\bfs-[0-9a-f]{8,40}\b")
_ACCOUNT = {"Ref": "AWS::AccountId"}
#: What may stand around a bucket's name: in an ARN, an URL, or nothing.
_NOT_OF_A_NAME = (r"(?<![a-z0-9.-])", r"(?![a-z0-9.-])")

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Adopted:
    """What is given up by a stack and used on.

    Attributes:
        names: The buckets that the new side names, by that name.
        kept: By stack and logical id, those buckets and what they need that is retained with them.
        file_systems: The ids of file systems that the new side names and the old one does not.
        dropped: What no stack made, that the old side names and the new one does not.
    """

    names: Mapping[str, Reference] = field(default_factory=dict)
    kept: frozenset[Place] = frozenset()
    file_systems: tuple[str, ...] = ()
    dropped: tuple[ResourceChange, ...] = ()


def adopted(old: Values, new: Values) -> Adopted:
    """Returns what the new side goes on using of what leaves its stack."""
    before, after = _text(old), _text(new)
    named = tuple(dict.fromkeys(each for each in _FILE_SYSTEM.findall(after) if each not in before))
    names: dict[str, Reference] = {}
    for (stack, logical_id), resource in _leaving(old, new):
        if resource.get("Type") == _BUCKET:
            pattern = _pattern(_properties(old, stack, resource).get("BucketName"))
            found = pattern.search(after) if pattern else None
            if found and not _made_anew(new, found.group()):
                names[found.group()] = Reference(stack, logical_id)
    kept = frozenset(_kept(old, new, names.values()))
    return Adopted(names=names, kept=kept, file_systems=named, dropped=tuple(_dropped(old, new, after)))


def _dropped(old: Values, new: Values, after: str) -> Iterator[ResourceChange]:
    """Yields what stacks that stay name no more: file systems by their ids, the checkpoint bucket by its output."""
    for stack in old.side.stacks.values():
        if stack.name not in new.side.stacks:
            continue
        for name in dict.fromkeys(_FILE_SYSTEM.findall(_text_of(stack))):
            if name not in after:
                yield left(stack.name, name, _LUSTRE)
        was, now = (_output(side, side.side.stacks[stack.name], _CHECKPOINTS) for side in (old, new))
        if isinstance(was, str) and now != was:
            yield left(stack.name, was, _BUCKET)


def _output(values: Values, stack: StackTemplate, key: str) -> Any:
    outputs = stack.template.get("Outputs")
    output = outputs.get(key) if isinstance(outputs, Mapping) else None
    return values.of(output.get("Value"), stack) if isinstance(output, Mapping) else None


def _kept(old: Values, new: Values, buckets: Iterable[Reference]) -> Iterator[Place]:
    """Yields buckets with what they refer to, such as their access log, and what refers to them, such as policies."""
    places = {(each.stack, each.logical_id) for each in buckets}
    leaving = dict(_leaving(old, new)) if places else {}
    refers = {place: _targets(old, place[0], resource) for place, resource in leaving.items()}
    for place in tuple(places):
        places |= refers.get(place, set()) & leaving.keys()
    yield from places
    yield from (place for place, targets in refers.items() if targets & places and place not in places)


def _leaving(old: Values, new: Values) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yields the resources that leave a stack which stays, and are retained."""
    for name, stack in old.side.stacks.items():
        after = new.side.stacks.get(name)
        stays = new.resources(after) if after else None
        for logical_id, resource in old.resources(stack).items() if stays is not None else ():
            if logical_id not in (stays or {}) and policy(resource, "DeletionPolicy") in RETAINED:
                yield (name, logical_id), resource


def _targets(values: Values, stack: str, resource: Mapping[str, Any]) -> set[Place]:
    made = values.of(resource.get("Properties"), values.side.stacks[stack])
    return {(each.stack, each.logical_id) for each in references(made)}


def _made_anew(new: Values, name: str) -> bool:
    """Says whether the new side makes a bucket of a name, under another logical id."""
    for stack in new.side.stacks.values():
        for resource in new.resources(stack).values():
            if resource.get("Type") == _BUCKET:
                pattern = _pattern(_properties(new, stack.name, resource).get("BucketName"))
                if pattern and pattern.fullmatch(name):
                    return True
    return False


def _pattern(name: Any) -> re.Pattern[str] | None:
    """Returns what a bucket's name looks like; None where more than the account's number is not known of it."""
    parts = name.parts if isinstance(name, Text) else (name,)
    if not all(isinstance(part, str) or part == _ACCOUNT for part in parts):
        return None
    before, after = _NOT_OF_A_NAME
    return re.compile(before + "".join(re.escape(p) if isinstance(p, str) else r"\d{12}" for p in parts) + after)


def _properties(values: Values, stack: str, resource: Mapping[str, Any]) -> Mapping[str, Any]:
    made = values.of(resource.get("Properties"), values.side.stacks[stack])
    return made if isinstance(made, Mapping) else {}


def _text(values: Values) -> str:
    """Returns the templates as text, in which names are looked for."""
    return "\n".join(map(_text_of, values.side.stacks.values()))


def _text_of(stack: StackTemplate) -> str:
    return json.dumps([stack.template.get(part) for part in ("Resources", "Outputs")], default=str)
