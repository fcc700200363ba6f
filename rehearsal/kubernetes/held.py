"""What keeps an object from going while something uses it: its finalizer, which a controller takes away afterwards.

``kubectl delete`` waits for that, so that a deletion in the wrong order ends with the time that it has.

Source: Kubernetes documentation, "Persistent Volumes", "Storage Object in Use Protection"; kubernetes-sigs/kueue at
v0.19.2, pkg/controller/core/resourceflavor_controller.go and pkg/controller/tas/topology_controller.go.
"""

from collections.abc import Iterable, Iterator

from rehearsal.kubernetes.kinds import Object


def holders(held: Object, objects: Iterable[Object]) -> Iterator[Object]:
    """Yields the objects that keep another one from going."""
    user, name = _USERS.get(held["kind"]), held["metadata"]["name"]
    if user:
        yield from (each for each in objects if each["kind"] == user and name in set(_used(each)))


#: By the kind of what is used, the kind of those that use it.
_USERS = {
    "PersistentVolume": "PersistentVolumeClaim",
    "ResourceFlavor": "ClusterQueue",
    "Topology": "ResourceFlavor",
}


def _used(user: Object) -> Iterator[str]:
    """Yields the names of what an object uses."""
    spec = user.get("spec") or {}
    match user["kind"]:
        case "PersistentVolumeClaim":
            yield spec.get("volumeName", "")
        case "ClusterQueue":
            yield from (flavor["name"] for group in spec.get("resourceGroups", ()) for flavor in group["flavors"])
        case "ResourceFlavor":
            yield spec.get("topologyName", "")
