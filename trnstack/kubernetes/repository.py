"""What runs in the cluster as files of a repository, from which Argo CD or Flux applies it."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

from ami.chart_files import Chart
from trnstack.kubernetes.manifests import Manifest, manifests
from trnstack.kubernetes.marks import OUTPUTS
from trnstack.plan.model import Plan, ReleasePlan

#: Argo CD applies what has a lower number first. Charts have none, which counts as 0.
#: Source: Argo CD documentation, "Sync Phases and Waves".
_WAVE = "argocd.argoproj.io/sync-wave"
_README = "README.md"
#: The forms of what stands in the places of marks: each is one word, and nothing else in a manifest.
_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


class OutputsError(ValueError):
    """The outputs of a deploy lack what a manifest needs. The message is for a person."""


def marks_in_use(plan: Plan) -> tuple[str, ...]:
    """Returns the marks that an environment's manifests have."""
    text = json.dumps([manifest.objects for manifest in manifests(plan)])
    return tuple(mark for mark in OUTPUTS if mark in text)


def values_of_marks(plan: Plan, outputs: Any) -> dict[str, str]:
    """Returns what stands in the places of the marks that are in use.

    Args:
        plan: The plan.
        outputs: What ``cdk deploy --outputs-file`` wrote: outputs by stack.

    Raises:
        OutputsError: They are of no such form, or lack one.
    """
    stack = f"{plan.name}-storage"
    found = outputs.get(stack) if isinstance(outputs, Mapping) else None
    if not isinstance(found, Mapping):
        raise OutputsError(f"has no outputs of {stack}")
    values = {}
    for mark in marks_in_use(plan):
        key = OUTPUTS[mark]
        value = found.get(key)
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise OutputsError(f"{'lacks' if value is None else 'has a strange'} {key} of {stack}")
        values[mark] = value
    return values


def files(plan: Plan, charts: Mapping[str, Chart], values: Mapping[str, str]) -> dict[str, bytes]:
    """Returns the files by their paths; the same plan, charts and values give the same bytes.

    Args:
        plan: The plan.
        charts: The charts by the names of their releases.
        values: What stands in the places of marks.
    """
    return dict(_files(plan, charts, values))


def _files(plan: Plan, charts: Mapping[str, Chart], values: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for release in plan.kubernetes.releases:
        for path, content in charts[release.name].files.items():
            yield f"charts/{release.chart}/{path}", content
        yield f"values/{release.name}.yaml", _yaml(release.values).encode()
    names = []
    for number, manifest in enumerate(manifests(plan), start=1):
        names.append(f"{number:02}-{manifest.name}.yaml")
        yield f"manifests/{names[-1]}", _manifest(manifest, number, values).encode()
    # In the order of the list, and not by kinds, which know nothing of what a queue stands on.
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "sortOptions": {"order": "fifo"},
        "resources": names,
    }
    yield "manifests/kustomization.yaml", _yaml(kustomization).encode()
    yield _README, _readme(plan, names).encode()


def _manifest(manifest: Manifest, wave: int, values: Mapping[str, str]) -> str:
    text = "---\n".join(_yaml(_in_wave(each, wave)) for each in manifest.objects)
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _in_wave(each: Mapping[str, Any], wave: int) -> Mapping[str, Any]:
    metadata = each["metadata"]
    annotations = {**metadata.get("annotations", {}), _WAVE: str(wave)}
    return {**each, "metadata": {**metadata, "annotations": annotations}}


class _Dumper(yaml.SafeDumper):
    """Writes what is there twice twice, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the base class's signature
        return True


def _yaml(value: Any) -> str:
    text: str = yaml.dump(_plain(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def _plain(value: Any) -> Any:
    """Returns a value in lists and dictionaries alone, which is what YAML writes without tags."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _readme(plan: Plan, names: list[str]) -> str:
    """Returns what says how Argo CD, Flux and people apply the files.

    Of Argo CD, that it takes over by force whatever a chart declares, the keys that a controller fills in a Secret as
    well. Of Flux, that it takes a chart of a repository for a new one only with a new version, calls the release by
    namespace and name, and leaves resource definitions as they are, unless it is told otherwise.

    Source: argoproj/argo-cd at 03070f7, docs/user-guide/sync-options.md, "Server-Side Apply", "Respect ignore
    differences configs", and diffing.md; fluxcd/source-controller at 0a7f66b, docs/spec/v1/helmcharts.md, "Reconcile
    strategy"; fluxcd/helm-controller at 04ab6f1, docs/spec/v2/helmreleases.md, "Release name", "Upgrade configuration";
    Helm documentation, "Custom Resource Definitions".
    """
    releases = plan.kubernetes.releases
    waits = {name for release in releases for name in release.after}
    waits |= {name for manifest in manifests(plan) for name in manifest.after}
    rows = "\n".join(f"| {release.name} | {release.version} | {release.namespace} |" for release in releases)
    commands = "\n".join(line for release in releases for line in _by_hand(release, waits=release.name in waits))
    others = ", ".join(f"`charts/{release.chart}/{path}`" for release in releases for path in release.left_out)
    applied = "\n".join(f"kubectl apply -f {PurePosixPath('manifests') / name}" for name in names)
    return _TEXT.format(
        name=plan.name,
        kubernetes_version=plan.cluster.kubernetes_version,
        namespace=plan.kubernetes.namespace,
        rows=rows,
        but=f", but for {others}: what a controller writes itself is not declared there" if others else "",
        commands=commands,
        applied=applied,
    )


def _by_hand(release: ReleasePlan, *, waits: bool) -> Iterator[str]:
    for folder in release.definitions:  # which Helm makes once, and owns then
        yield f"kubectl apply --server-side --force-conflicts -f {PurePosixPath('charts') / release.chart / folder}"
    options = f"--namespace {release.namespace} --create-namespace --values values/{release.name}.yaml"
    yield f"helm upgrade --install {release.name} charts/{release.chart} {options}{' --wait' if waits else ''}"


_TEXT = """\
# {name}: what runs in the cluster

Rendered by `trnstack kubernetes render` for Kubernetes {kubernetes_version}. Change the environment file and render
again; a file that was edited here is not overwritten.

| chart | version | namespace |
|---|---|---|
{rows}

`charts/` holds the charts as their authors published them{but}. `values/` holds what differs from their defaults,
`manifests/` the objects, numbered in the order in which they can be applied. What stands on a chart comes after it: its
pods must be ready, since they check what is applied.

## Argo CD

An Application for each chart: `path: charts/NAME`, `helm.releaseName: NAME`, the namespace above,
`helm.valueFiles: [../../values/NAME.yaml]`, and

```yaml
ignoreDifferences:
  - kind: Secret
    jsonPointers: [/data]
syncPolicy:
  syncOptions: [CreateNamespace=true, ServerSideApply=true, RespectIgnoreDifferences=true]
```

since controllers write the certificates of their webhooks into Secrets, and a sync goes over them by force. One more
for `manifests`, whose objects carry sync waves. Give the Applications of the charts lower sync waves than that one, in
an Application that holds them all. Don't prune the namespace {namespace}: every job in it would go.

## Flux

A GitRepository for this repository; for each chart a HelmRelease with

```yaml
releaseName: NAME
targetNamespace: the namespace above
chart:
  spec:
    chart: ./charts/NAME
    valuesFiles: [./values/NAME.yaml]
    reconcileStrategy: Revision
install:
  createNamespace: true
upgrade:
  crds: CreateReplace
```

with paths from the top of the repository. Without `Revision` a change of values would wait for the chart's next
version, without `releaseName` the release would be called by its namespace too, and without `CreateReplace` a chart's
resource definitions would stay as they were. A Kustomization for `./manifests`, with `wait: true`, that comes after the
HelmReleases: put it into a Kustomization whose `dependsOn` names the one that holds them.

## By hand

```sh
{commands}
{applied}
```
"""
