"""Services, config maps, volumes, permissions and priorities."""

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms

#: A config map's or secret's data, in bytes: the API server takes no more.
_MOST_DATA = 1024 * 1024
_DATA_KEY = re.compile(r"[-._A-Za-z0-9]{1,253}")
_MOST_PORT = 65_535
_HIGHEST_PRIORITY = 1_000_000_000
_VOLUME_FIELDS = {
    *("accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"),
    *("storageClassName", "volumeMode", "volumeAttributesClassName"),
}
_RBAC_GROUP = "rbac.authorization.k8s.io"

Problems = Iterator[tuple[str, str]]


def problems(found: Mapping[str, Any]) -> Problems:
    """Yields what is wrong with objects of these kinds.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go: ValidateService, ValidateConfigMap,
    ValidateSecret, ValidatePersistentVolume, ValidatePersistentVolumeClaimSpec; pkg/apis/rbac/validation,
    pkg/apis/scheduling/validation.
    """
    match found["kind"]:
        case "Service":
            yield from _service(found["spec"])
        case "ConfigMap" | "Secret":
            yield from _data(found)
        case "PersistentVolume":
            yield from _volume(found["spec"])
        case "PersistentVolumeClaim":
            yield from _claim(found["spec"])
        case "Role" | "ClusterRole":
            yield from _rules(found)
        case "RoleBinding" | "ClusterRoleBinding":
            yield from _binding(found)
        case "PriorityClass":
            yield from _priority(found)


def _service(spec: Mapping[str, Any]) -> Problems:
    ports = spec.get("ports") or ()
    if not ports and spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName":
        yield "spec.ports", "there is none"
    if len(ports) > 1 and not all(port.get("name") for port in ports):
        yield "spec.ports", "of several, each needs a name"
    for name, count in Counter(port.get("name") for port in ports).items():
        if name and count > 1:
            yield "spec.ports", f"'{name}' is given {count} times"
    for index, port in enumerate(ports):
        target = port.get("targetPort")
        if not 1 <= port["port"] <= _MOST_PORT:
            yield f"spec.ports[{index}].port", f"{port['port']} is no port"
        if (isinstance(target, int) and not 1 <= target <= _MOST_PORT) or (
            isinstance(target, str) and not forms.is_port_name(target)
        ):
            yield f"spec.ports[{index}].targetPort", f"'{target}' is no port, and no name of one"


def _data(found: Mapping[str, Any]) -> Problems:
    secret = found["kind"] == "Secret"
    plain, binary = found.get("stringData" if secret else "data") or {}, found.get("data" if secret else "binaryData")
    size = 0
    for key, value in [*plain.items(), *(binary or {}).items()]:
        if not _DATA_KEY.fullmatch(key) or key in {".", ".."}:
            yield "data", f"'{key}' is not at most 253 of letters, digits, -, _ and ."
        size += len((value or "").encode())
    for key in {*plain} & {*(binary or {})} if not secret else ():
        yield "data", f"'{key}' is given twice"
    for key, value in (binary or {}).items():
        try:
            size -= len(value or "") - len(base64.b64decode(value or "", validate=True))
        except binascii.Error:
            yield f"data.{key}", "it is not base64"
    if size > _MOST_DATA:
        yield "data", f"{size:,} bytes are more than {_MOST_DATA:,}"


def _volume(spec: Mapping[str, Any]) -> Problems:
    if not spec.get("accessModes"):
        yield "spec.accessModes", "there is none"
    yield from _storage("spec.capacity", spec.get("capacity") or {})
    sources = sorted(key for key, value in spec.items() if key not in _VOLUME_FIELDS and value is not None)
    if len(sources) != 1:
        yield "spec", f"it needs one source, and has {', '.join(sources) or 'none'}"


def _claim(spec: Mapping[str, Any]) -> Problems:
    if not spec.get("accessModes"):
        yield "spec.accessModes", "there is none"
    yield from _storage("spec.resources.requests", (spec.get("resources") or {}).get("requests") or {})


def _storage(path: str, held: Mapping[str, Any]) -> Problems:
    amount = forms.quantity(held.get("storage") or "")
    if amount is None or amount <= 0:
        yield path, "it needs a storage above 0"


def _rules(found: Mapping[str, Any]) -> Problems:
    for index, rule in enumerate(found.get("rules") or ()):
        where, urls = f"rules[{index}]", rule.get("nonResourceURLs")
        if not rule.get("verbs"):
            yield f"{where}.verbs", "there is none"
        if urls and (found["kind"] == "Role" or rule.get("resources")):
            yield f"{where}.nonResourceURLs", "they stand alone, and in a ClusterRole"
        if not urls and not (rule.get("apiGroups") and rule.get("resources")):
            yield where, "it needs apiGroups and resources"


def _binding(found: Mapping[str, Any]) -> Problems:
    if not found["roleRef"].get("name"):
        yield "roleRef.name", "it is missing"
    if found["kind"] == "ClusterRoleBinding" and found["roleRef"]["kind"] == "Role":
        yield "roleRef.kind", "a Role is of one namespace"
    for index, subject in enumerate(found.get("subjects") or ()):
        where, account = f"subjects[{index}]", subject["kind"] == "ServiceAccount"
        if account and not subject.get("namespace"):
            yield f"{where}.namespace", "a ServiceAccount has one"
        if (subject.get("apiGroup") or "") not in ({""} if account else {"", _RBAC_GROUP}):
            yield f"{where}.apiGroup", f"'{subject['apiGroup']}' is not that of a {subject['kind']}"


def _priority(found: Mapping[str, Any]) -> Problems:
    if found["metadata"]["name"].startswith("system-"):
        yield "metadata.name", "the prefix system- is Kubernetes' own"
    if found["value"] > _HIGHEST_PRIORITY:
        yield "value", f"{found['value']:,} is more than {_HIGHEST_PRIORITY:,}"
