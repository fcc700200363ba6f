"""What custom resources put into the cluster: how people call it, and what Kubernetes refuses to change of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trnstack.advice.impact.leaves import Leaf
from trnstack.advice.impact.model import OBJECTS
from trnstack.advice.impact.schemas import at
from trnstack.advice.impact.symbols import Reference, Text, references, shown

Moves = Callable[[Reference], bool]
Object = Mapping[str, Any]

_RELEASE = "Custom::AWSCDK-EKS-HelmChart"
_VOLUME, _CLAIM = "PersistentVolume", "PersistentVolumeClaim"
_IMMUTABLE = "kubernetes/kubernetes, pkg/apis/core/validation"
#: How many objects of one resource are named.
_NAMED = 2


def called(kind: str, properties: Any) -> str:
    """Returns what people call what a custom resource puts into the cluster; empty of other resources.

    Args:
        kind: The resource's type.
        properties: Its properties, worked out.
    """
    if not isinstance(properties, Mapping):
        return ""
    if kind == _RELEASE:
        return f"release {shown(properties['Release'])}" if "Release" in properties else ""
    names = [_name(each) for each in objects(properties)] if kind == OBJECTS else []
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def objects(properties: Any, mark: Callable[[Any], str] = shown) -> tuple[Object, ...]:
    """Returns the objects of a custom resource; none where its manifest is not known well enough to be read.

    Args:
        properties: Its properties, worked out.
        mark: What stands in the place of a part that CloudFormation fills in.
    """
    manifest = properties.get("Manifest") if isinstance(properties, Mapping) else None
    parts = manifest.parts if isinstance(manifest, Text) else (manifest,)
    text = "".join(part if isinstance(part, str) else json.dumps(mark(part))[1:-1] for part in parts)
    try:
        found = json.loads(text)
    except ValueError:
        return ()
    members = found if isinstance(found, list) else [found]
    return tuple(each for each in members if isinstance(each, Mapping) and isinstance(each.get("metadata"), Mapping))


def differing(kind: str, leaf: Leaf) -> tuple[Any, Any]:
    """Returns what a leaf was and is that changes by what it refers to: of a manifest, only that."""
    if kind != OBJECTS:
        return leaf.before, leaf.after
    told = ", ".join(dict.fromkeys(str(Reference(each.stack, each.logical_id)) for each in leaf.through))
    return told, told


def refusals(kind: str, old: Any, new: Any, moves: Moves) -> Iterator[str]:
    """Yields what Kubernetes refuses of a change; what it refuses goes through once the object was deleted.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go, ValidatePersistentVolumeUpdate: source and
    volume mode are immutable; ValidatePersistentVolumeClaimUpdate: of a claim's spec all but what it requests is.

    Args:
        kind: The resource's type.
        old: Its properties before, worked out.
        new: Its properties after.
        moves: Says whether what a reference stands for changes.
    """
    if kind != OBJECTS:
        return
    before = {_name(each): each for each in objects(old, _written)}
    after = objects(new, lambda part: f"{_written(part)}{' (new)' if any(map(moves, references(part))) else ''}")
    for each in after:
        was = before.get(_name(each))
        if was is None or _fixed(was) == _fixed(each):
            continue
        if each["kind"] == _CLAIM:
            what, where = "nothing of a claim but what it requests", "ValidatePersistentVolumeClaimUpdate"
        else:
            what, where = "no volume's source", "ValidatePersistentVolumeUpdate"
        goes = "it goes first, with what is bound to it, when no pod uses it"
        yield f"{_perhaps(was, each)}Kubernetes changes {what}: {goes} ({_IMMUTABLE}, {where})"


def bound(properties: Any) -> tuple[str, str, str]:
    """Returns the namespace and the name of the claim, and the name of the volume, of which one is in a resource."""
    (found,) = objects(properties)[:1] or ({"kind": _CLAIM, "metadata": {}},)
    mine = found["metadata"]
    if found["kind"] == _CLAIM:
        return str(mine.get("namespace", "")), str(mine.get("name", "")), str(at(found, ("spec", "volumeName")))
    claim = at(found, ("spec", "claimRef"))
    claim = claim if isinstance(claim, Mapping) else {}
    return str(claim.get("namespace", "")), str(claim.get("name", "")), str(mine.get("name", ""))


def source_of(volume: Object) -> Any:
    """Returns what a volume is mounted from, which can't change; None of what is no volume."""
    return at(volume, ("spec", "csi")) if volume.get("kind") == _VOLUME else None


def _fixed(found: Object) -> Any:
    """Returns what of an object can't change while it stands; None where nothing is known of its kind."""
    spec = found.get("spec")
    if found.get("kind") == _VOLUME:
        return source_of(found), at(found, ("spec", "volumeMode"))
    if found.get("kind") == _CLAIM and isinstance(spec, Mapping):
        return {key: value for key, value in spec.items() if key != "resources"}
    return None


def _perhaps(was: Object, now: Object) -> str:
    """Returns under which condition nothing changes: a file system is named by its id, that was made, or is."""
    names = [str(at(source_of(each), ("volumeHandle",))) for each in (was, now)]
    made = [name for name in names if name.startswith("${")]
    return f"unless {' is '.join(reversed(names))}, " if len(made) == 1 else ""


def _name(found: Object) -> str:
    return f"{found.get('kind', 'object')} {found['metadata'].get('name', 'without a name')}"


def _written(part: Any) -> str:
    """Returns a reference as it is written, with its stack only where that tells it from another."""
    return f"{part} of {part.stack}" if isinstance(part, Reference) else shown(part)
