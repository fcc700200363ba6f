"""Says what an upgrade of a chart takes that Helm does not do."""

import shlex
from collections.abc import Iterator

from trnstack.advice.group_steps import Step
from trnstack.plan.model import Plan, ReleasePlan


def definitions(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields a step for each chart of another version whose resource definitions Helm does not bring up to date.

    What is in a chart's folders ``crds`` Helm makes once. They are too large for the event of a custom resource, and as
    templates they would bring the record of the release near to the 1 MiB that a Secret may have, so that a person
    applies them. Where a repository delivers charts its own README says how.

    Source: Helm documentation, "Custom Resource Definitions"; Lambda quotas, "Invocation payload" of asynchronous
    calls; Kubernetes documentation, "Secrets", Size limit.
    """
    stack = new.kubernetes.stack
    if stack is None or old.kubernetes.stack is None:
        return
    before = {release.name: release for release in old.kubernetes.releases}
    for release in new.kubernetes.releases:
        was = before.get(release.name)
        if release.definitions and was is not None and was.version != release.version:
            changes = (f"resource definitions of chart {release.name}: {was.version} -> {release.version}",)
            yield Step(stack=stack, command=_apply(release), changes=changes, reason=_BY_HAND)


#: Helm owns the fields of what it has made, so that whoever else applies them has to take them over.
#: Source: Kubernetes documentation, "Server-Side Apply", Conflicts.
_TAKES_OVER = "kubectl apply --server-side --force-conflicts -f -"
_BY_HAND = (
    "Helm makes what is in a chart's folder crds once and never changes it: run it in the folder of FILE; jobs go on"
)


def _apply(release: ReleasePlan) -> str:
    folders = " ".join(shlex.quote(f"{release.chart}/{folder}") for folder in release.definitions)
    return f"tar -xzOf {shlex.quote(release.archive)} {folders} | {_TAKES_OVER}"
