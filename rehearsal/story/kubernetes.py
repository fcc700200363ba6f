"""What runs in the cluster of a rehearsal: whether it stands as planned, with the versions that the lock pins."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.kubernetes.kinds import DEFINITION
from rehearsal.survey.kubernetes_records import HelmRelease, KubernetesObject
from rehearsal.survey.records import Cluster
from trnstack.kubernetes import marks
from trnstack.kubernetes.manifests import manifests
from trnstack.plan import Plan
from trnstack.plan.model import ReleasePlan

_DIGEST = re.compile(r"@(sha256:[0-9a-f]{64})$")
_PINNED = re.compile(r"sha256:[0-9a-f]{64}")
_MARK = re.compile("|".join(re.escape(mark) for mark in marks.OUTPUTS))


def kubernetes_differently(plan: Plan, cluster: Cluster) -> Iterator[str]:
    """Yields a sentence for everything in the cluster that does not stand as the plan says.

    Where a repository delivers what runs in the cluster nothing of it stands.
    """
    if plan.kubernetes.stack is None:
        yield from (f"release {each.name} stands, though nothing was to apply it" for each in cluster.releases)
        return
    yield from _releases(plan, cluster)
    yield from _objects(plan, cluster)


def _releases(plan: Plan, cluster: Cluster) -> Iterator[str]:
    standing = {each.name: each for each in cluster.releases}
    for wanted in plan.kubernetes.releases:
        release = standing.pop(wanted.name, None)
        if release is None:
            yield f"there is no release {wanted.name}"
            continue
        found = (release.chart, release.version, release.namespace)
        if found != (wanted.chart, wanted.version, wanted.namespace):
            yield f"release {wanted.name} is {' '.join(found)}, not {wanted.chart} {wanted.version} {wanted.namespace}"
        yield from _images(wanted, release)
    yield from (f"release {name} stands, and was not planned" for name in standing)


def _images(wanted: ReleasePlan, release: HelmRelease) -> Iterator[str]:
    """Compares the images of a release with those that its values name: each is one of them, by its digest."""
    pinned = set(_PINNED.findall(json.dumps(dict(wanted.values))))
    for image in release.images:
        digest = _DIGEST.search(image)
        if digest is None:
            yield f"release {release.name} starts {image}, which is pinned by no digest"
        elif digest[1] not in pinned:
            yield f"release {release.name} starts {image}, which the lock does not pin"


def _objects(plan: Plan, cluster: Cluster) -> Iterator[str]:
    """Compares the objects with the manifests; for a mark something has to stand."""
    standing = {(each.kind, each.namespace, each.name): each for each in cluster.objects}
    for manifest in manifests(plan):
        for wanted in manifest.objects:
            metadata = wanted["metadata"]
            key = (wanted["kind"], metadata.get("namespace", ""), metadata["name"])
            found: KubernetesObject | None = standing.pop(key, None)
            if found is None:
                yield f"there is no {key[0]} {key[2]}"
            elif not _is_like(wanted, found.content):
                yield f"{key[0]} {key[2]} is not as planned"
    # Helm makes the namespaces of releases, and leaves behind the kinds that charts keep in their folders `crds`.
    spaces = {("Namespace", release.namespace) for release in plan.kubernetes.releases}
    left = (key for key in standing if key[0] != DEFINITION[1] and (key[0], key[2]) not in spaces)
    yield from (f"{kind} {name} stands, and was not planned" for kind, _, name in left)


def _is_like(wanted: Any, found: Any) -> bool:
    """Says whether a value is the wanted one, in which a mark is anything but itself and nothing."""
    if isinstance(wanted, Mapping):
        return (
            isinstance(found, Mapping)
            and wanted.keys() == found.keys()
            and all(_is_like(part, found[key]) for key, part in wanted.items())
        )
    if isinstance(wanted, list | tuple):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(_is_like, wanted, found))
    if isinstance(wanted, str) and _MARK.search(wanted):
        pattern = "[^@]+".join(re.escape(part) for part in _MARK.split(wanted))
        return isinstance(found, str) and re.fullmatch(pattern, found) is not None
    return bool(wanted == found)
