"""What the fields of a job demand of each other."""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.templates import job_specs

_MOST_INDEXED = 100_000
_MOST_RULES = 20
_MOST_EXIT_CODES = 255
_NOT_NEGATIVE = ("parallelism", "completions", "backoffLimit", "backoffLimitPerIndex", "ttlSecondsAfterFinished")

Problems = Iterator[tuple[str, str]]


def problems(found: Mapping[str, Any]) -> Problems:
    """Yields what the fields of a job, or of the jobs of a set, lack.

    Source: kubernetes/kubernetes, pkg/apis/batch/validation/validation.go: ValidateJob, validateJobSpec,
    validatePodFailurePolicy, validateSuccessPolicy.
    """
    for path, spec in job_specs(found):
        indexed = spec.get("completionMode") == "Indexed"
        for field in _NOT_NEGATIVE:
            if (spec.get(field) or 0) < 0:
                yield f"{path}.{field}", f"{spec[field]} is below 0"
        if spec.get("activeDeadlineSeconds") is not None and spec["activeDeadlineSeconds"] < 1:
            yield f"{path}.activeDeadlineSeconds", f"{spec['activeDeadlineSeconds']} is below 1"
        if spec.get("selector") and not spec.get("manualSelector"):
            yield f"{path}.selector", "Kubernetes makes it itself"
        yield from _indexed(path, spec, indexed=indexed)
        yield from _pod_failure_policy(path, spec)
    if found["kind"] == "Job" and found["spec"].get("completionMode") == "Indexed" and found["spec"].get("completions"):
        hostname = f"{found['metadata'].get('name')}-{found['spec']['completions'] - 1}"
        if not forms.is_label(hostname):
            yield "metadata.name", f"its last pod would have the host name '{hostname}', which is none"


def _indexed(path: str, spec: Mapping[str, Any], *, indexed: bool) -> Problems:
    # Of a set's jobs or of a runtime's, whoever makes the job fills in how many there are.
    own = path == "spec"
    if indexed and own and spec.get("completions") is None:
        yield f"{path}.completions", "an Indexed job needs them"
    if indexed and (spec.get("parallelism") or 0) > _MOST_INDEXED:
        yield f"{path}.parallelism", f"{spec['parallelism']:,} are more than {_MOST_INDEXED:,}"
    for field in ("backoffLimitPerIndex", "successPolicy"):
        if spec.get(field) is not None and not indexed:
            yield f"{path}.{field}", "only an Indexed job has it"
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield f"{path}.maxFailedIndexes", "it needs backoffLimitPerIndex"


def _pod_failure_policy(path: str, spec: Mapping[str, Any]) -> Problems:
    policy = spec.get("podFailurePolicy")
    if not policy:
        return
    pod = (spec.get("template") or {}).get("spec") or {}
    if pod.get("restartPolicy") != "Never":
        yield f"{path}.podFailurePolicy", "it needs pods with restartPolicy: Never"
    if spec.get("podReplacementPolicy") == "TerminatingOrFailed":
        yield f"{path}.podReplacementPolicy", "beside a podFailurePolicy it must be Failed"
    names = {each["name"] for key in ("containers", "initContainers") for each in pod.get(key) or ()}
    rules = policy.get("rules") or ()
    if len(rules) > _MOST_RULES:
        yield f"{path}.podFailurePolicy.rules", f"{len(rules)} are more than {_MOST_RULES}"
    for index, rule in enumerate(rules):
        where = f"{path}.podFailurePolicy.rules[{index}]"
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
        if bool(codes) == bool(conditions):
            yield where, "it needs either onExitCodes or onPodConditions"
        if rule["action"] == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield f"{where}.action", "FailIndex needs backoffLimitPerIndex"
        if codes:
            yield from _exit_codes(f"{where}.onExitCodes", codes, names)


def _exit_codes(where: str, codes: Mapping[str, Any], names: set[str]) -> Problems:
    values = codes.get("values") or ()
    if not values or list(values) != sorted(set(values)):
        yield f"{where}.values", "they must be given, rising, each once"
    if len(values) > _MOST_EXIT_CODES:
        yield f"{where}.values", f"{len(values)} are more than {_MOST_EXIT_CODES}"
    if codes["operator"] == "In" and 0 in values:
        yield f"{where}.values", "0 is no failure"
    if codes.get("containerName") and codes["containerName"] not in names:
        yield f"{where}.containerName", f"there is no container '{codes['containerName']}'"
