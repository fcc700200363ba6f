"""Says in which deploy a change of what runs in the cluster reaches it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trnstack.advice.group_steps import Step, deleted, deploy, tags_of
from trnstack.advice.impact.objects import source_of
from trnstack.kubernetes.manifests import manifests
from trnstack.kubernetes.marks import FILE_SYSTEM_DNS_NAME, FILE_SYSTEM_ID, FILE_SYSTEM_MOUNT_NAME
from trnstack.kubernetes.objects.runtimes import stopped
from trnstack.plan.model import LustrePlan, Plan

#: How many objects a step names.
_NAMED = 6
#: What of a file system that is made can't change while it stands.
FIXED = (
    "deployment_type",
    "storage_type",
    "file_system_type_version",
    "throughput_mbps_per_tib",
    "drive_cache",
    "efa_enabled",
    "own_key",
)


def in_the_cluster(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the step of the stack of charts and objects; it follows the control plane, and no node waits for it."""
    stack = new.kubernetes.stack
    if stack is None:
        return
    if old.kubernetes.stack is None:
        what = ("charts and objects in the cluster",)
        yield Step(stack=stack, command=deploy(stack, " --no-rollback"), changes=what, reason=_ADOPTS)
        return
    changes = (*_tools(old, new), *_releases(old, new), *_objects(old, new))
    changes = changes or (("its tags",) if tags_of(old, stack) != tags_of(new, stack) else ())
    if changes:
        volumes = _other_volumes(old, new)
        if volumes:
            yield make_room(stack, new.kubernetes.namespace, volumes)
        yield Step(stack=stack, command=deploy(stack), changes=changes, reason=_stops(old, new))


#: Source: aws-cdk-lib 2.275, custom-resource-handlers/dist/aws-eks-v2/kubectl-handler (``kubectl apply`` on creation,
#: ``kubectl delete`` on deletion); helm/helm, pkg/action/validate.go.
_ADOPTS = (
    "objects that stand in the cluster under the same names become this stack's, and a rollback would delete them, the "
    "namespace with every job in it: end the jobs first, and repeat the same command if it fails. Charts that Helm did "
    "not install are made its own before (docs/kubernetes.md)"
)


def _stops(old: Plan, new: Plan) -> str:
    """Returns which running jobs the deploy stops; empty where it stops none."""
    told = list(stopped(old, new))
    return f"Kueue stops {'; '.join(told)}. They go on from their newest checkpoint" if told else ""


def _other_volumes(old: Plan, new: Plan) -> tuple[str, ...]:
    """Returns the volumes that are mounted from something else than before, under their names."""
    before, after = _by_name(old), _by_name(new, moved=another_file_system(old, new))
    found = (name for name in after if name in before and source_of(before[name]) != source_of(after[name]))
    return tuple(name.rpartition(" ")[2] for name in found)


def make_room(stack: str, namespace: str, volumes: Sequence[str]) -> Step:
    """Returns the step by hand that comes before the deploy which puts other volumes in the places of those that stand.

    Source: see ``trnstack.advice.impact.objects``; Kubernetes documentation, "Persistent Volumes": with ``Retain``,
    what a volume is mounted from stays as it is; "Storage Object in Use Protection": a deletion waits for pods.

    Args:
        stack: The stack of the deploy.
        namespace: Where the claims are.
        volumes: The volumes' names, which their claims have too.
    """
    names = " ".join(volumes)
    claims = f"kubectl --namespace {namespace} delete persistentvolumeclaim {names}"
    command = f"{claims} && kubectl delete persistentvolume {names}"
    goes = tuple(f"the volume {name} and its claim go, and what they are mounted from stays" for name in volumes)
    reason = "Kubernetes changes no volume's source: end the jobs that mount it first, or the command waits for them"
    return Step(stack=stack, command=command, changes=goes, reason=reason)


def another_file_system(old: Plan, new: Plan) -> bool:
    """Says whether the storage stack makes another file system in the place of the one that it made.

    Source: the rows of ``AWS::FSx::FileSystem`` in ``impact_overlay.yaml``, and its schema's createOnlyProperties.
    """
    before, after = old.storage.lustre, new.storage.lustre
    if not isinstance(before, LustrePlan) or not isinstance(after, LustrePlan):
        return False
    return any(getattr(before, name) != getattr(after, name) for name in FIXED) or _place(old) != _place(new)


def _place(plan: Plan) -> tuple[str, ...]:
    """Returns where the file system stands: its VPC, and its subnet there."""
    lustre, vpc = plan.storage.lustre, plan.network.existing_vpc
    assert isinstance(lustre, LustrePlan)  # noqa: S101 - asked of one that is made
    if vpc is not None:
        return vpc.vpc_id, vpc.subnet_id(lustre.subnet)
    (subnet,) = (each for each in plan.network.subnets if each.name == lustre.subnet)
    return plan.network.vpc_cidr, subnet.cidr, subnet.availability_zone_id


def delivery_gone(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the step that takes the stack of charts and objects away, where a repository delivers them from now on."""
    stack = old.kubernetes.stack
    if stack and new.kubernetes.stack is None:
        namespace = old.kubernetes.namespace
        goes = (f"charts, queues and the namespace {namespace} go, with every job in it",)
        more = "; end the jobs first, and have the repository applied afterwards"
        yield deleted(old.region, stack, goes, more=more)


def _tools(old: Plan, new: Plan) -> Iterator[str]:
    before, after = old.cluster.kubernetes_version, new.cluster.kubernetes_version
    if before != after:
        yield f"kubectl: {before} -> {after}"
    if old.cluster.subnets != new.cluster.subnets:
        yield "the subnets of the function that works in the cluster"
    if old.cluster.log_retention_days != new.cluster.log_retention_days:
        yield "how long its logs are kept"


def _releases(old: Plan, new: Plan) -> Iterator[str]:
    before, after = ({release.name: release for release in plan.kubernetes.releases} for plan in (old, new))
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        if was is None or now is None or was.version != now.version:
            yield f"chart {name}: {was.version if was else 'none'} -> {now.version if now else 'none'}"
        elif was.archive_digest != now.archive_digest:
            yield f"chart {name}: another archive of {now.version}"
        else:
            yield f"chart {name}: its values"


def _objects(old: Plan, new: Plan) -> Iterator[str]:
    before, after = _by_name(old), _by_name(new, moved=another_file_system(old, new))
    changed = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    for name in changed[:_NAMED]:
        yield name if name in before and name in after else f"{name} {'is new' if name in after else 'goes'}"
    if changed[_NAMED:]:
        yield f"{len(changed) - _NAMED} more objects"


def _by_name(plan: Plan, *, moved: bool = False) -> dict[str, Mapping[str, Any]]:
    """Returns the objects in the cluster by kind and name.

    Args:
        plan: The plan.
        moved: Whether its file system is another one than before, so that its marks stand for something else.
    """
    return {
        f"{each['kind']} {each['metadata']['name']}": _moved(each) if moved else each
        for manifest in manifests(plan)
        for each in manifest.objects
    }


def _moved(value: Any) -> Any:
    """Returns an object with other marks in the place of those of the file system."""
    if isinstance(value, Mapping):
        return {key: _moved(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_moved(member) for member in value)
    if isinstance(value, str):
        for mark in (FILE_SYSTEM_ID, FILE_SYSTEM_DNS_NAME, FILE_SYSTEM_MOUNT_NAME):
            value = value.replace(mark, f"{mark} (new)")
    return value
