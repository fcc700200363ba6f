"""Objects: what ``kubectl create``, ``apply`` and ``delete`` do with the manifest of a resource."""

from collections.abc import Mapping
from typing import Any

from rehearsal.kubectl.properties import given, known, read_json
from rehearsal.kubectl.world import Event, FunctionError, Invocation
from rehearsal.kubernetes import ApiServer, ApiServerError, Key

_PROPERTIES = ("ClusterName", "Manifest", "PruneLabel", "Overwrite", "SkipValidation")


def answer(event: Event, invocation: Invocation, cluster: Any) -> Event:
    """Creates, applies or deletes the objects of a manifest, one after the other as they stand in it.

    Those in front of one that is refused stay, as ``kubectl`` leaves them. A deletion that ``kubectl`` refuses is no
    failure of the function's, but for objects that something holds: those it would wait for until its time is over.

    Raises:
        FunctionError: With the words of ``kubectl``.
    """
    properties = known(event["ResourceProperties"], _PROPERTIES)
    objects = read_json(given(properties, "Manifest"), "Manifest")
    server: ApiServer = cluster.kubernetes
    if event["RequestType"] == "Delete":
        _delete(server, objects, invocation)
        return {}
    created = event["RequestType"] == "Create" and not _is_true(properties.get("Overwrite"))
    kept = set()
    for each in objects:
        try:
            kept.add(server.create(each) if created else server.apply(each))
        except ApiServerError as error:
            raise FunctionError(str(error)) from error
    if event["RequestType"] == "Update" and properties.get("PruneLabel"):
        _prune(server, properties["PruneLabel"], kept)
    return {}


def _delete(server: ApiServer, objects: list[Mapping[str, Any]], invocation: Invocation) -> None:
    for each in objects:
        try:
            server.delete(server.key_of(each))
        except ApiServerError as error:
            if error.reason == "Timeout":
                after = f"timed out after {invocation.function.timeout} seconds"
                raise FunctionError(f"{invocation.function.function_name} {after}: {error.message}") from error


def _prune(server: ApiServer, label: str, kept: set[Key]) -> None:
    """Deletes the objects with a label that were not applied."""
    for key, stored in list(server.objects.items()):
        if label in (stored.content["metadata"].get("labels") or {}) and key not in kept:
            server.delete(key)


def _is_true(text: Any) -> bool:
    """Says whether the function's code takes a text for true."""
    return str(text).lower() == "true"
