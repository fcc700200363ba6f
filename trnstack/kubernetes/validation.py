"""Whether Kubernetes would take objects: their schemas, and what the API server looks at beside them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import CHECKS
from trnstack.kubernetes.schemas import schema_problems


def problems(objects: Iterable[Mapping[str, Any]], kubernetes_version: str) -> list[str]:
    """Returns what is wrong with objects, each as ``KIND NAME: path: what is wrong``; nothing where all would be taken.

    Built-in kinds are checked by the schemas of the version, custom ones by ours; a kind that neither has is a problem.
    An object that is as its schema says is checked for what the API server, or the webhook of its kind, demands beside.

    Args:
        objects: Objects as they are written to a manifest.
        kubernetes_version: The minor version of the API server, such as ``1.35``.

    Raises:
        ValueError: There are no schemas of that version.
    """
    found: list[str] = []
    seen: set[tuple[str, str, str, str]] = set()
    for each in objects:
        told = [f"{path}: {what}" for path, what in _problems(each, kubernetes_version)]
        kind, name = each.get("kind", "object"), _metadata(each).get("name", "without a name")
        key = (str(each.get("apiVersion")), str(kind), str(_metadata(each).get("namespace", "")), str(name))
        if key in seen:
            told.append("metadata.name: there are two of them")
        seen.add(key)
        found += [f"{kind} {name}: {text}" for text in told]
    return found


def _problems(found: Mapping[str, Any], kubernetes_version: str) -> Iterator[tuple[str, str]]:
    missing = [key for key in ("apiVersion", "kind", "metadata") if not found.get(key)]
    if missing:
        yield "the object", f"{', '.join(missing)} is missing"
        return
    wrong = list(schema_problems(found, kubernetes_version))
    yield from wrong or (problem for check in CHECKS for problem in check(found))


def _metadata(found: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = found.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}
