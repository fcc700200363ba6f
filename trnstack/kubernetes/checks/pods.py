"""What the parts of a pod demand of each other: containers, volumes, tolerations, affinities."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.containers import container_problems
from trnstack.kubernetes.checks.placement import placement_problems
from trnstack.kubernetes.checks.templates import pod_specs

_SUBDOMAINS = ("serviceAccountName", "priorityClassName", "schedulerName")
_HUGE_PAGES = "hugepages-"
Problems = Iterator[tuple[str, str]]


def problems(found: Mapping[str, Any]) -> Problems:
    """Yields what is wrong with the pods that an object describes.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go: ValidatePodSpec, ValidateVolumes,
    validateContainers.
    """
    # A runtime's pods may get their image from the job that is made of it.
    whole = found["kind"] != "ClusterTrainingRuntime"
    for path, spec in pod_specs(found):
        yield from _pod(path, spec, brought=frozenset(_brought(found)), whole=whole)


def _brought(found: Mapping[str, Any]) -> Iterator[str]:
    """Yields the volumes that are made of claims beside the template."""
    spec = found.get("spec") or {}
    if found["kind"] == "ClusterTrainingRuntime":
        spec = (spec.get("template") or {}).get("spec") or {}
    if found["kind"] == "StatefulSet":
        yield from (each["metadata"]["name"] for each in spec.get("volumeClaimTemplates") or ())
    for policy in spec.get("volumeClaimPolicies") or ():
        yield from (each["metadata"]["name"] for each in policy.get("templates") or ())


def _pod(path: str, spec: Mapping[str, Any], *, brought: frozenset[str], whole: bool) -> Problems:
    """Yields what is wrong with a pod, to which others bring volumes of the names ``brought``."""
    for field in _SUBDOMAINS:
        if spec.get(field) and not forms.is_subdomain(spec[field]):
            yield f"{path}.{field}", f"'{spec[field]}' is no name"
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield f"{path}.terminationGracePeriodSeconds", f"{spec['terminationGracePeriodSeconds']} is below 0"
    lists = [(key, index, each) for key in ("initContainers", "containers") for index, each in _items(spec, key)]
    if not spec.get("containers"):
        yield f"{path}.containers", "there is none"
    yield from _twice(f"{path}.containers", [each["name"] for _, _, each in lists])
    volumes = spec.get("volumes") or ()
    names = {volume["name"] for volume in volumes} | brought
    for key, index, container in lists:
        where = f"{path}.{key}[{index}]"
        yield from container_problems(where, container, names, whole=whole)
        yield from _host_ports(where, container, host_network=bool(spec.get("hostNetwork")))
    asks = any(_asks_for_huge_pages(container) for _, _, container in lists)
    yield from _volumes(path, volumes, asks_for_huge_pages=asks)
    yield from placement_problems(path, spec)


def _items(spec: Mapping[str, Any], key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    yield from enumerate(spec.get(key) or ())


def _asks_for_huge_pages(container: Mapping[str, Any]) -> bool:
    limits = (container.get("resources") or {}).get("limits") or {}
    return any(name.startswith(_HUGE_PAGES) for name in limits)


def _host_ports(where: str, container: Mapping[str, Any], *, host_network: bool) -> Problems:
    for index, port in enumerate(container.get("ports") or ()):
        if host_network and port.get("hostPort") not in {None, port["containerPort"]}:
            yield f"{where}.ports[{index}].hostPort", "with hostNetwork it must be the container's port"


def _volumes(path: str, volumes: Any, *, asks_for_huge_pages: bool) -> Problems:
    yield from _twice(f"{path}.volumes", [volume["name"] for volume in volumes])
    for index, volume in enumerate(volumes):
        where = f"{path}.volumes[{index}]"
        if not forms.is_label(volume["name"]):
            yield f"{where}.name", f"'{volume['name']}' is no name of a volume"
        sources = sorted(key for key, value in volume.items() if key != "name" and value is not None)
        if len(sources) != 1:
            yield where, f"it needs one source, and has {', '.join(sources) or 'none'}"
        yield from _empty_dir(where, volume.get("emptyDir") or {}, asks_for_huge_pages=asks_for_huge_pages)
        host_path = (volume.get("hostPath") or {}).get("path", "")
        if ".." in host_path.split("/"):
            yield f"{where}.hostPath.path", f"'{host_path}' leads upwards"


def _empty_dir(where: str, volume: Mapping[str, Any], *, asks_for_huge_pages: bool) -> Problems:
    medium, limit = volume.get("medium") or "", volume.get("sizeLimit")
    if medium not in {"", "Memory", "HugePages"} and not medium.startswith("HugePages-"):
        yield f"{where}.emptyDir.medium", f"'{medium}' is none of Memory, HugePages and HugePages-SIZE"
    if medium.startswith("HugePages") and not asks_for_huge_pages:
        yield f"{where}.emptyDir.medium", "no container of the pod asks for huge pages"
    amount = forms.quantity(0 if limit is None else limit)
    if amount is None or amount < 0:
        yield f"{where}.emptyDir.sizeLimit", f"'{limit}' is no quantity"


def _twice(path: str, names: list[str]) -> Problems:
    for name, count in Counter(names).items():
        if count > 1:
            yield path, f"'{name}' is given {count} times"
