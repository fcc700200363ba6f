"""What the parts of a container demand of each other: ports, variables, mounts, resources, probes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.resources import resource_problems

_MOST_PORT = 65_535
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
#: ASCII from the blank to the tilde.
_PRINTABLE = range(0x20, 0x7F)

Problems = Iterator[tuple[str, str]]


def container_problems(path: str, container: Mapping[str, Any], volumes: set[str], *, whole: bool) -> Problems:
    """Yields what is wrong with a container.

    Args:
        path: Where it is described.
        container: Its description.
        volumes: The names of its pod's volumes.
        whole: Whether it must have an image by itself.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go: validateContainerCommon, ValidateEnv,
    ValidateVolumeMounts, validateContainerPorts, validateProbe.
    """
    if not forms.is_label(container["name"]):
        yield f"{path}.name", f"'{container['name']}' is no name of a container"
    image = container.get("image") or ""
    if (whole and not image) or image != image.strip():
        yield f"{path}.image", "it is missing" if not image else "there are blanks around it"
    yield from _ports(f"{path}.ports", container.get("ports") or ())
    yield from variable_problems(f"{path}.env", container.get("env") or ())
    for index, source in enumerate(container.get("envFrom") or ()):
        if sum(source.get(key) is not None for key in ("configMapRef", "secretRef")) != 1:
            yield f"{path}.envFrom[{index}]", "it needs either configMapRef or secretRef"
    yield from mount_problems(f"{path}.volumeMounts", container.get("volumeMounts") or (), volumes)
    yield from resource_problems(f"{path}.resources", container.get("resources") or {})
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe and sum(probe.get(key) is not None for key in _HANDLERS) != 1:
            yield f"{path}.{name}", f"it needs one of {', '.join(_HANDLERS)}"
        if probe and name != "readinessProbe" and (probe.get("successThreshold") or 1) != 1:
            yield f"{path}.{name}.successThreshold", "it must be 1"
    security = container.get("securityContext") or {}
    if security.get("privileged") and security.get("allowPrivilegeEscalation") is False:
        yield f"{path}.securityContext", "a privileged container may gain privileges"


def variable_problems(path: str, variables: Any) -> Problems:
    """Yields what is wrong with environment variables."""
    yield from _twice(path, [variable["name"] for variable in variables])
    for index, variable in enumerate(variables):
        name, source = variable["name"], variable.get("valueFrom")
        if not name or "=" in name or any(ord(character) not in _PRINTABLE for character in name):
            yield f"{path}[{index}].name", f"'{name}' is no name of a variable"
        if source is not None and variable.get("value"):
            yield f"{path}[{index}]", "it has both a value and a source"
        if source is not None and sum(each is not None for each in source.values()) != 1:
            yield f"{path}[{index}].valueFrom", "it needs one source"


def mount_problems(path: str, mounts: Any, volumes: set[str]) -> Problems:
    """Yields what is wrong with the places at which volumes are mounted."""
    yield from _twice(path, [mount["mountPath"] for mount in mounts])
    for index, mount in enumerate(mounts):
        where = f"{path}[{index}]"
        if mount["name"] not in volumes:
            yield f"{where}.name", f"there is no volume '{mount['name']}'"
        if not mount["mountPath"] or ":" in mount["mountPath"]:
            yield f"{where}.mountPath", f"'{mount['mountPath']}' is no place to mount at"
        below = mount.get("subPath") or ""
        if below.startswith("/") or ".." in below.split("/"):
            yield f"{where}.subPath", f"'{below}' leads out of the volume"


def _ports(path: str, ports: Any) -> Problems:
    yield from _twice(path, [port["name"] for port in ports if port.get("name")])
    hosts = [(port["hostPort"], port.get("protocol") or "TCP", port.get("hostIP")) for port in ports if _host(port)]
    if len(hosts) != len(set(hosts)):
        yield path, "two have the same port of the node"
    for index, port in enumerate(ports):
        if port.get("name") and not forms.is_port_name(port["name"]):
            yield f"{path}[{index}].name", f"'{port['name']}' is no name of a port"
        for key in ("containerPort", "hostPort"):
            if port.get(key) is not None and not 1 <= port[key] <= _MOST_PORT:
                yield f"{path}[{index}].{key}", f"{port[key]} is no port"


def _host(port: Mapping[str, Any]) -> bool:
    return port.get("hostPort") is not None


def _twice(path: str, names: list[str]) -> Problems:
    for name, count in Counter(names).items():
        if count > 1:
            yield path, f"'{name}' is given {count} times"
