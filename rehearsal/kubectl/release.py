"""Charts: what ``helm upgrade --install`` and ``helm uninstall`` do with the chart of a resource."""

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rehearsal.kubectl.chart import Chart, read_chart
from rehearsal.kubectl.helm import HelmError, NoHelmError, Rendered, helm_of, render
from rehearsal.kubectl.properties import given, known, read_json
from rehearsal.kubectl.world import Event, FunctionError, Invocation
from rehearsal.kubernetes import ApiServer, ApiServerError, Key, Release
from rehearsal.kubernetes.kinds import DEFINITION, Object
from rehearsal.kubernetes.pods import Nodes, images, unplaced, waiting
from rehearsal.kubernetes.written import certificates

_PROPERTIES = (
    "ClusterName",
    "Release",
    "Chart",
    "ChartAssetURL",
    "Version",
    "Wait",
    "Atomic",
    "Timeout",
    "Namespace",
    "CreateNamespace",
    "Repository",
    "Values",
    "SkipCrds",
)
#: Source: Helm documentation, "Charts"; Helm takes DNS names of at most 53 characters as names of releases.
_NAME = re.compile(r"(?=.{1,53}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_DURATION = re.compile(r"(\d+(\.\d+)?(h|m|s|ms))+")
_HOOK = "helm.sh/hook"
_INSTALL = "Unable to continue with install"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a release is to be.

    Attributes:
        namespace, name: Where it is installed, and what it is called.
        values: The values for its chart.
        waits: Whether it stands only once its deployments are ready.
        makes_namespace: Whether its namespace is made where it is not there.
    """

    namespace: str
    name: str
    values: Mapping[str, Any]
    waits: bool
    makes_namespace: bool


def answer(event: Event, invocation: Invocation, cluster: Any) -> Event:
    """Installs, upgrades or uninstalls a release.

    Raises:
        FunctionError: With the words of ``helm``.
    """
    properties = known(event["ResourceProperties"], _PROPERTIES)
    server: ApiServer = cluster.kubernetes
    wish = _wish(properties)
    if event["RequestType"] == "Delete":
        _uninstall(server, (wish.namespace, wish.name))
        return {}
    chart = read_chart(invocation, _chart_url(properties))
    with _undone_on_failure(server):
        try:
            _install(wish, chart, server, invocation, _nodes(cluster))
        except ApiServerError as error:
            raise FunctionError(f"Error: failed to create resource: {error.message}") from error
    return {}


def _wish(properties: Mapping[str, Any]) -> Wish:
    """Reads what is asked for.

    The function's code takes every text for true, ``false`` as well, as CloudFormation gives it nothing but texts.
    """
    name, namespace = given(properties, "Release"), properties.get("Namespace", "default")
    if not _NAME.fullmatch(name):
        raise FunctionError(f"Error: release name is invalid: {name}")
    if not _NAMESPACE.fullmatch(namespace):
        raise FunctionError(f'Error: create: failed to create: Namespace "{namespace}" is invalid: metadata.name')
    if not _DURATION.fullmatch(properties.get("Timeout", "5m")):
        raise FunctionError(f'Error: invalid argument "{properties["Timeout"]}" for "--timeout" flag')
    values = read_json(properties.get("Values", "{}"), "Values")
    if not isinstance(values, dict):
        raise FunctionError("Error: failed to parse values.yaml: the values are no mapping")
    return Wish(
        namespace=namespace,
        name=name,
        values=values,
        waits=bool(properties.get("Wait")),
        makes_namespace=bool(properties.get("CreateNamespace")),
    )


def _chart_url(properties: Mapping[str, Any]) -> str:
    """Gives where the chart is; the rehearsal has no network, so it takes one from a bucket alone."""
    url = properties.get("ChartAssetURL")
    if url is None:
        named = properties.get("Chart") or properties.get("Repository") or "none"
        raise FunctionError(f"the rehearsal takes charts as assets (ChartAssetURL) and downloads none: {named}")
    both = next((name for name in ("Chart", "Repository", "Version") if name in properties), None)
    if both:
        raise FunctionError(f"AssertionError: {both} and ChartAssetURL")
    return str(url)


def _install(wish: Wish, chart: Chart, server: ApiServer, invocation: Invocation, nodes: list[Nodes]) -> None:
    owner = (wish.namespace, wish.name)
    if wish.makes_namespace and not server.has_namespace(wish.namespace):
        server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": wish.namespace}})
    if not server.has_namespace(wish.namespace):
        raise FunctionError(f'Error: create: failed to create: namespaces "{wish.namespace}" not found')
    old = server.releases.get(owner)
    try:
        rendered, unrendered = _rendered(wish, chart, server.minor(), invocation), ""
    except NoHelmError as error:
        rendered, unrendered = Rendered((), (), on_server=False), str(error)
    except HelmError as error:
        raise FunctionError(str(error)) from error
    if not unrendered:
        _apply(owner, rendered, server, is_new=old is None)
        if wish.waits:
            _wait(wish.namespace, rendered, server, nodes)
        if rendered.on_server:
            for written in certificates(rendered.objects):
                for key in _named(server, written.kind, written.name, wish.namespace):
                    server.write(key, written.fields, written.by)
    server.releases[owner] = Release(
        name=wish.name,
        namespace=wish.namespace,
        chart=chart.name,
        version=chart.version,
        revision=old.revision + 1 if old else 1,
        values_hash=hashlib.sha256(json.dumps(wish.values, sort_keys=True).encode()).hexdigest(),
        images=images(rendered.objects),
        unrendered=unrendered,
    )


def _wait(namespace: str, rendered: Rendered, server: ApiServer, nodes: list[Nodes]) -> None:
    late = ", ".join(unplaced(rendered.objects, nodes))
    if late:
        raise FunctionError(f"Error: context deadline exceeded: not ready, as no node takes its pods: {late}")
    late = ", ".join(waiting(rendered.objects, lambda kind, name: bool(_named(server, kind, name, namespace))))
    if late:
        raise FunctionError(f"Error: context deadline exceeded: not ready, as what its pods mount is not there: {late}")


def _named(server: ApiServer, kind: str, name: str, namespace: str) -> list[Key]:
    """Gives the object of a kind and name in a namespace or in none, in a list that is empty where there is none."""
    return [key for key in server.objects if (key.kind, key.name) == (kind, name) and key.namespace in {"", namespace}]


def _rendered(wish: Wish, chart: Chart, minor: str, invocation: Invocation) -> Rendered:
    layers = [invocation.lambdas.layers_versions_by_arn(layer["Arn"]) for layer in invocation.function.layers]
    helm = helm_of({layer.code_digest: layer.code_bytes for layer in layers})
    if helm is None:
        raise FunctionError("FileNotFoundError: [Errno 2] No such file or directory: 'helm'")
    with tempfile.TemporaryDirectory(prefix="trnstack-chart-") as name:
        folder = Path(name) / "chart"
        chart.unpack(folder)
        return render(helm, folder, release=wish.name, namespace=wish.namespace, values=wish.values, minor=minor)


def _apply(owner: tuple[str, str], rendered: Rendered, server: ApiServer, *, is_new: bool) -> None:
    """Makes a release's objects, and lets those go that its last revision had and this one has not.

    Helm makes the definitions of the folders ``crds`` once, with the first revision, and only those that are not there.
    It looks up the kinds of all other objects before it makes the first of them.

    Source: Helm documentation, "Custom Resource Definitions" and "Chart Hooks".
    """
    namespace = owner[0]
    for definition in rendered.definitions if is_new else ():
        if server.key_of(definition) not in server.objects:
            server.apply(definition)
    for each in rendered.objects:
        try:
            key = server.key_of(each, namespace)
        except ApiServerError as error:
            message = error.message.replace("\n", ", ")
            raise FunctionError(
                f"Error: unable to build kubernetes objects from release manifest: {message}"
            ) from error
        _check_owner(key, owner, server)
        if rendered.on_server:
            _check_fields(key, each, server)
    kept = set()
    for each in rendered.objects:
        if _HOOK in (each["metadata"].get("annotations") or {}):
            server.check(each)
        else:
            kept.add(server.apply(each, namespace, owner))
    for key in [key for key, stored in server.objects.items() if stored.release == owner and key not in kept]:
        server.delete(key)


def _check_owner(key: Key, owner: tuple[str, str], server: ApiServer) -> None:
    """Refuses to take over what is there and of another release, or of none.

    Source: Helm, pkg/action/validate.go.
    """
    stored = server.objects.get(key)
    if stored and stored.release != owner:
        raise FunctionError(
            f'Error: {_INSTALL}: {key.kind} "{key.name}" in namespace "{key.namespace}" exists and cannot be imported '
            f"into the current release: invalid ownership metadata"
        )


def _check_fields(key: Key, found: Object, server: ApiServer) -> None:
    """Refuses what a controller has written since: ``helm`` of the function is given no ``--force-conflicts``.

    Source: aws-cdk-lib, aws-eks-v2/kubectl-handler/helm; Helm, pkg/kube/client.go.
    """
    conflicts = server.conflicts(key, found)
    if conflicts:
        count = f"{len(conflicts)} conflict{'s' if conflicts[1:] else ''}"
        raise FunctionError(
            f"Error: UPGRADE FAILED: conflict occurred while applying object {key.namespace}/{key.name}, "
            f"Kind={key.kind}: Apply failed with {count}: {', '.join(conflicts)}"
        )


def _uninstall(server: ApiServer, owner: tuple[str, str]) -> None:
    """Lets a release go with its objects; one that is not there is no failure of the function's.

    Definitions that go take the objects of their kinds with them. Where there are such objects the rehearsal refuses:
    on AWS the function would tell of nothing, and they would stay behind for ever, half deleted, since what takes their
    finalizers away is gone.
    """
    if owner not in server.releases:
        return
    own = {key: stored.content for key, stored in server.objects.items() if stored.release == owner}
    left = sorted(_left(server, owner, own))
    if left:
        raise FunctionError(
            f"release {owner[1]} would take the definitions of what is still there, and with them what tends it: "
            f"{', '.join(left)}; those objects have to go first"
        )
    for key in own:
        server.objects.pop(key, None)
    del server.releases[owner]


def _left(server: ApiServer, owner: tuple[str, str], own: Mapping[Key, Object]) -> Iterator[str]:
    """Yields the objects of a release's kinds that are not the release's own."""
    for key, definition in own.items():
        if key.kind == DEFINITION[1]:
            for other, stored in server.of_kinds(definition):
                if stored.release != owner:
                    yield f"{other.kind} {other.name}"


@contextmanager
def _undone_on_failure(server: ApiServer) -> Iterator[None]:
    """Leaves everything as it was where a release fails, as Helm does it for one that is to be whole or not at all."""
    objects, releases = dict(server.objects), dict(server.releases)
    try:
        yield
    except FunctionError:
        server.objects, server.releases = objects, releases
        raise


def _nodes(cluster: Any) -> list[Nodes]:
    """Gives the nodes of a cluster, by its node groups."""
    return [
        Nodes(group.scaling_config["desiredSize"], group.labels or {}, group.taints or [])
        for group in cluster.nodegroups.values()
    ]
