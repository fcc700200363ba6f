"""Renders what a survey finds in a cluster."""

from collections.abc import Sequence

from rehearsal.survey.kubernetes_records import HelmRelease, KubernetesObject
from rehearsal.templates.branches import Branch, joined

_NO_NAMESPACE = "the cluster's"


def release_branches(releases: Sequence[HelmRelease]) -> list[Branch]:
    """Gives each release with its chart and its version, and the images that it starts."""
    return [_release(each) for each in releases]


def _release(release: HelmRelease) -> Branch:
    counted = f"{release.objects} object{'' if release.objects == 1 else 's'}"
    line = joined(
        f"namespace {release.namespace}",
        f"revision {release.revision}",
        f"NOT RENDERED: {release.unrendered}" if release.unrendered else counted,
    )
    chart = release.version if release.chart == release.name else f"{release.chart} {release.version}"
    return Branch((release.name, chart, line), tuple(Branch((image,)) for image in release.images))


def object_branches(objects: Sequence[KubernetesObject]) -> list[Branch]:
    """Gives the objects of each namespace, kind by kind, and first those that are in none."""
    places = dict.fromkeys(sorted(each.namespace for each in objects))
    return [
        Branch(
            (place or _NO_NAMESPACE,),
            tuple(_kind(kind, here) for kind, here in _by_kind([each for each in objects if each.namespace == place])),
        )
        for place in places
    ]


def _kind(kind: str, here: Sequence[KubernetesObject]) -> Branch:
    return Branch((kind, ", ".join(each.name for each in here)))


def _by_kind(objects: Sequence[KubernetesObject]) -> list[tuple[str, list[KubernetesObject]]]:
    kinds = dict.fromkeys(each.kind for each in objects)
    return [(kind, [each for each in objects if each.kind == kind]) for kind in kinds]
