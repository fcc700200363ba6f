"""What the groups of people may do: trainers run jobs in their namespace, viewers look, and neither reads secrets."""

from trnstack.kubernetes.names import TRAINERS_GROUP, VIEWERS_GROUP
from trnstack.kubernetes.objects import Object
from trnstack.plan.model import Plan

_LOOK = ["get", "list", "watch"]
_RUN = [*_LOOK, "create", "update", "patch", "delete", "deletecollection"]
_API = "rbac.authorization.k8s.io"
_JOBS = [("batch", ["jobs"]), ("trainer.kubeflow.org", ["trainjobs"])]
_SEEN = [
    ("", ["events", "persistentvolumeclaims", "pods", "pods/log"]),
    ("events.k8s.io", ["events"]),
    ("jobset.x-k8s.io", ["jobsets"]),
    ("kueue.x-k8s.io", ["localqueues", "workloads"]),
    ("trainer.kubeflow.org", ["trainingruntimes"]),
]
#: What jobs are made with beside themselves: scripts, and the name by which pods find each other.
_PARTS = [("", ["configmaps", "services"])]
#: What has no namespace and says why a job waits.
_CLUSTER = [
    ("", ["namespaces", "nodes", "persistentvolumes"]),
    ("kueue.x-k8s.io", ["clusterqueues", "resourceflavors", "topologies", "workloadpriorityclasses"]),
    ("scheduling.k8s.io", ["priorityclasses"]),
    ("trainer.kubeflow.org", ["clustertrainingruntimes"]),
]
_TRAINER, _VIEWER, _CLUSTER_VIEWER = "trnstack-trainer", "trnstack-viewer", "trnstack-cluster-viewer"


def access(plan: Plan) -> tuple[Object, ...]:
    """Returns roles and bindings of the two groups that access entries put IAM roles into.

    Trainers may run a command in a pod of theirs: they could as well start a job with it.

    Source: Kubernetes documentation, "Using RBAC Authorization"; EKS user guide, "Create access entries", Kubernetes
    groups.
    """
    namespace = plan.kubernetes.namespace
    run = [*_rules([*_JOBS, *_PARTS], _RUN), *_rules(_SEEN, _LOOK)]
    run += [*_rules([("", ["pods"])], ["delete"]), *_rules([("", ["pods/exec"])], ["create", "get"])]
    return (
        _role("Role", _TRAINER, run, namespace),
        _role("Role", _VIEWER, _rules([*_JOBS, *_PARTS, *_SEEN], _LOOK), namespace),
        _role("ClusterRole", _CLUSTER_VIEWER, _rules(_CLUSTER, _LOOK)),
        _binding("Role", _TRAINER, [TRAINERS_GROUP], namespace),
        _binding("Role", _VIEWER, [VIEWERS_GROUP], namespace),
        _binding("ClusterRole", _CLUSTER_VIEWER, [TRAINERS_GROUP, VIEWERS_GROUP]),
    )


def _rules(resources: list[tuple[str, list[str]]], verbs: list[str]) -> list[Object]:
    return [{"apiGroups": [group], "resources": names, "verbs": verbs} for group, names in resources]


def _role(kind: str, name: str, rules: list[Object], namespace: str | None = None) -> Object:
    return {"apiVersion": f"{_API}/v1", "kind": kind, "metadata": _metadata(name, namespace), "rules": rules}


def _binding(kind: str, name: str, groups: list[str], namespace: str | None = None) -> Object:
    return {
        "apiVersion": f"{_API}/v1",
        "kind": f"{kind}Binding",
        "metadata": _metadata(name, namespace),
        "roleRef": {"apiGroup": _API, "kind": kind, "name": name},
        "subjects": [{"apiGroup": _API, "kind": "Group", "name": group} for group in groups],
    }


def _metadata(name: str, namespace: str | None) -> dict[str, str]:
    return {"name": name, **({"namespace": namespace} if namespace else {})}
