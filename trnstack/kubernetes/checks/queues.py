"""Kueue: what its kinds demand beside their schemas, and its annotations of pods."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.placement import toleration_problems
from trnstack.kubernetes.checks.templates import templates

_HOSTNAME = "kubernetes.io/hostname"
_MOST_IN_ALL, _MOST_PAIRS = 256, 512
_REQUIRED, _PREFERRED, _UNCONSTRAINED = (
    f"kueue.x-k8s.io/podset-{word}-topology" for word in ("required", "preferred", "unconstrained")
)
_SLICE, _SLICE_SIZE = "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-size"

Problems = Iterator[tuple[str, str]]


def problems(found: Mapping[str, Any]) -> Problems:
    """Yields what Kueue refuses.

    Source: kubernetes-sigs/kueue at v0.19.2, the CEL rules in apis/kueue/v1beta2; pkg/webhooks/clusterqueue_webhook.go;
    pkg/controller/jobframework/tas_validation.go (annotations).
    """
    if str(found["apiVersion"]).startswith("kueue.x-k8s.io/"):
        spec = found.get("spec") or {}
        match found["kind"]:
            case "Topology":
                yield from _topology(spec["levels"])
            case "ResourceFlavor":
                yield from _flavor(spec)
            case "ClusterQueue":
                yield from _cluster_queue(spec)
    for path, template in templates(found):
        yield from _annotations(path, (template.get("metadata") or {}).get("annotations") or {})


def _topology(levels: Any) -> Problems:
    labels = [level["nodeLabel"] for level in levels]
    if len(set(labels)) != len(labels):
        yield "spec.levels", "two are the same"
    if _HOSTNAME in labels[:-1]:
        yield "spec.levels", f"{_HOSTNAME} can only be the last"


def _flavor(spec: Mapping[str, Any]) -> Problems:
    if spec.get("topologyName") and not spec.get("nodeLabels"):
        yield "spec.nodeLabels", "with a topologyName there must be one"
    for key, value in (spec.get("nodeLabels") or {}).items():
        if not forms.is_key(key) or not forms.is_label_value(value):
            yield "spec.nodeLabels", f"no node can have the label {key}={value}"
    yield from toleration_problems("spec.tolerations", spec.get("tolerations") or ())


def _cluster_queue(spec: Mapping[str, Any]) -> Problems:
    groups = spec.get("resourceGroups") or ()
    covered = [name for group in groups for name in group["coveredResources"]]
    flavors = [flavor["name"] for group in groups for flavor in group["flavors"]]
    for what, names in (("resource", covered), ("flavor", flavors)):
        for name, count in Counter(names).items():
            if count > 1:
                yield "spec.resourceGroups", f"the {what} '{name}' is in {count} places"
        if len(names) > _MOST_IN_ALL:
            yield "spec.resourceGroups", f"{len(names)} {what}s are more than {_MOST_IN_ALL}"
    for index, group in enumerate(groups):
        yield from _group(f"spec.resourceGroups[{index}]", group, cohort=bool(spec.get("cohortName")))
    fungibility = spec.get("flavorFungibility") or {}
    tries = {fungibility.get("whenCanBorrow"), fungibility.get("whenCanPreempt")}
    if fungibility.get("preference") and tries != {"TryNextFlavor"}:
        yield "spec.flavorFungibility.preference", "both others must be TryNextFlavor"
    preemption = spec.get("preemption") or {}
    borrows = (preemption.get("borrowWithinCohort") or {}).get("policy", "Never")
    if preemption.get("reclaimWithinCohort", "Never") == "Never" and borrows != "Never":
        yield "spec.preemption", "borrowWithinCohort needs a reclaimWithinCohort"
    for index, check in enumerate((spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or ()):
        for name in set(check.get("onFlavors") or ()) - set(flavors):
            yield f"spec.admissionChecksStrategy.admissionChecks[{index}]", f"there is no flavor '{name}'"


def _group(path: str, group: Mapping[str, Any], *, cohort: bool) -> Problems:
    pairs = sum(len(flavor["resources"]) for flavor in group["flavors"])
    if pairs > _MOST_PAIRS:
        yield path, f"{pairs} quotas are more than {_MOST_PAIRS}"
    for index, flavor in enumerate(group["flavors"]):
        where = f"{path}.flavors[{index}]"
        if [quota["name"] for quota in flavor["resources"]] != list(group["coveredResources"]):
            yield f"{where}.resources", "they are not the coveredResources, in their order"
        for position, quota in enumerate(flavor["resources"]):
            limits = [key for key in ("borrowingLimit", "lendingLimit") if quota.get(key) is not None]
            for key in limits if not cohort else ():
                yield f"{where}.resources[{position}].{key}", "it needs a cohortName"
            lent, held = forms.quantity(quota.get("lendingLimit") or 0), forms.quantity(quota["nominalQuota"])
            if lent is not None and held is not None and lent > held:
                yield f"{where}.resources[{position}].lendingLimit", "it is more than the quota"


def _annotations(path: str, annotations: Mapping[str, str]) -> Problems:
    where = f"{path}.metadata.annotations"
    if sum(key in annotations for key in (_REQUIRED, _PREFERRED, _UNCONSTRAINED)) > 1:
        yield where, "there is more than one of Kueue's for a topology"
    for key in (_REQUIRED, _PREFERRED, _SLICE):
        if key in annotations and not forms.is_key(annotations[key]):
            yield f"{where}.{key}", f"'{annotations[key]}' is not a label's key"
    if annotations.get(_UNCONSTRAINED, "true") not in {"true", "false"}:
        yield f"{where}.{_UNCONSTRAINED}", f"'{annotations[_UNCONSTRAINED]}' is neither true nor false"
    if (_SLICE in annotations) != (_SLICE_SIZE in annotations):
        yield where, f"{_SLICE} and {_SLICE_SIZE} come together"
    size = annotations.get(_SLICE_SIZE, "1")
    if not size.isdigit() or int(size) < 1:
        yield f"{where}.{_SLICE_SIZE}", f"'{size}' is not a number above 0"
