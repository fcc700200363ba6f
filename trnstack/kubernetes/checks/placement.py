"""Where pods may run: node selectors, tolerations, affinities, spreading."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trnstack.kubernetes.checks import forms

_MOST_WEIGHT = 100
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

Problems = Iterator[tuple[str, str]]


def placement_problems(path: str, spec: Mapping[str, Any]) -> Problems:
    """Yields what is wrong with where a pod may run.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go: ValidateTolerations, validateAffinity,
    ValidateNodeSelectorRequirement, validateTopologySpreadConstraints.
    """
    for key, value in (spec.get("nodeSelector") or {}).items():
        if not forms.is_key(key) or not forms.is_label_value(value or ""):
            yield f"{path}.nodeSelector", f"no node can have the label {key}={value}"
    yield from toleration_problems(f"{path}.tolerations", spec.get("tolerations") or ())
    affinity = spec.get("affinity") or {}
    yield from _node_affinity(f"{path}.affinity.nodeAffinity", affinity.get("nodeAffinity") or {})
    for kind in ("podAffinity", "podAntiAffinity"):
        yield from _pod_affinity(f"{path}.affinity.{kind}", affinity.get(kind) or {})
    for index, spread in enumerate(spec.get("topologySpreadConstraints") or ()):
        if spread["maxSkew"] < 1 or not forms.is_key(spread["topologyKey"]):
            yield f"{path}.topologySpreadConstraints[{index}]", "it needs a maxSkew above 0 and a label's key"


def toleration_problems(path: str, tolerations: Any) -> Problems:
    """Yields what is wrong with tolerations, of a pod or of a flavor of Kueue's."""
    for index, toleration in enumerate(tolerations):
        where, key = f"{path}[{index}]", toleration.get("key")
        exists = toleration.get("operator") == "Exists"
        if key and not forms.is_key(key):
            yield f"{where}.key", f"'{key}' is not a taint's key"
        if not key and not exists:
            yield where, "without a key its operator must be Exists"
        if exists and toleration.get("value"):
            yield f"{where}.value", "with the operator Exists there is none"
        if not forms.is_label_value(toleration.get("value") or ""):
            yield f"{where}.value", f"'{toleration['value']}' is not a taint's value"
        if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
            yield f"{where}.tolerationSeconds", "only the effect NoExecute has it"


def _node_affinity(path: str, affinity: Mapping[str, Any]) -> Problems:
    required = affinity.get(_REQUIRED)
    if required is not None:
        terms = required.get("nodeSelectorTerms") or ()
        if not terms:
            yield f"{path}.{_REQUIRED}", "without terms it matches no node"
        for index, term in enumerate(terms):
            yield from _term(f"{path}.{_REQUIRED}.nodeSelectorTerms[{index}]", term)
    for index, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{index}]"
        yield from _weight(where, preferred)
        yield from _term(f"{where}.preference", preferred.get("preference") or {})


def _term(path: str, term: Mapping[str, Any]) -> Problems:
    for field in ("matchExpressions", "matchFields"):
        for index, demand in enumerate(term.get(field) or ()):
            where, operator = f"{path}.{field}[{index}]", demand["operator"]
            values: Sequence[str] = demand.get("values") or ()
            if not forms.is_key(demand["key"]):
                yield f"{where}.key", f"'{demand['key']}' is not a label's key"
            if operator in {"In", "NotIn"} and not values:
                yield f"{where}.values", f"the operator {operator} needs some"
            if operator in {"Exists", "DoesNotExist"} and values:
                yield f"{where}.values", f"the operator {operator} has none"
            if operator in {"Gt", "Lt"} and (len(values) != 1 or not values[0].lstrip("-").isdigit()):
                yield f"{where}.values", f"the operator {operator} needs one whole number"


def _pod_affinity(path: str, affinity: Mapping[str, Any]) -> Problems:
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        yield from _topology_key(f"{path}.{_REQUIRED}[{index}]", term)
    for index, preferred in enumerate(affinity.get(_PREFERRED) or ()):
        where = f"{path}.{_PREFERRED}[{index}]"
        yield from _weight(where, preferred)
        yield from _topology_key(f"{where}.podAffinityTerm", preferred.get("podAffinityTerm") or {})


def _topology_key(path: str, term: Mapping[str, Any]) -> Problems:
    if not forms.is_key(term.get("topologyKey") or ""):
        yield f"{path}.topologyKey", "it is not a label's key"


def _weight(path: str, preferred: Mapping[str, Any]) -> Problems:
    if not 1 <= preferred["weight"] <= _MOST_WEIGHT:
        yield f"{path}.weight", f"{preferred['weight']} is not between 1 and {_MOST_WEIGHT}"
