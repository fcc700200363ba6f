"""The function that works in the cluster: it signs in, and runs ``helm`` or ``kubectl``."""

from typing import Any

from rehearsal.kubectl import apply, release
from rehearsal.kubectl.reach import check_api_server, check_way
from rehearsal.kubectl.world import Event, FunctionError, Invocation

#: What is in its code.
FILES = frozenset({"index.py", "apply/__init__.py", "helm/__init__.py"})
#: What it does for each type of resource.
_TYPES = {
    "Custom::AWSCDK-EKS-KubernetesResource": apply.answer,
    "Custom::AWSCDK-EKS-HelmChart": release.answer,
}
_ADMINISTRATOR = "AmazonEKSClusterAdminPolicy"


def answer(event: Event, invocation: Invocation) -> Event:
    """Does what an event asks for in the cluster that it names.

    Raises:
        FunctionError: It can't get there, may not do it, or what it was given is refused.
    """
    act = _TYPES.get(event["ResourceType"])
    if act is None:
        raise FunctionError(f"unknown resource type {event['ResourceType']}")
    name = event["ResourceProperties"].get("ClusterName")
    if name is None:
        raise FunctionError("KeyError: 'ClusterName'")
    check_way(invocation, {"eks": "ask EKS for the cluster", "sts": "sign in", "s3": "read charts"})
    cluster = invocation.clusters.clusters.get(name)
    if cluster is None:
        raise FunctionError(f"An error occurred (ResourceNotFoundException): No cluster found for name: {name}.")
    check_api_server(invocation, cluster)
    _sign_in(invocation, cluster)
    return act(event, invocation, cluster)


def _sign_in(invocation: Invocation, cluster: Any) -> None:
    """Refuses a role that the cluster does not know, or that may not define what charts define.

    Source: EKS user guide, "Grant IAM users access to Kubernetes with EKS access entries" and "Review access policy
    permissions": roles and kinds of one's own are the cluster administrator's alone.
    """
    role = invocation.function.role
    if role not in cluster.access_entries:
        raise FunctionError(
            "error: You must be logged in to the server (the server has asked for the client to provide credentials)"
        )
    policies = cluster.access_policies[role]
    if not any(
        arn.endswith(f"/{_ADMINISTRATOR}") and one["accessScope"]["type"] == "cluster" for arn, one in policies.items()
    ):
        raise FunctionError(
            f'Error from server (Forbidden): User "{role}" cannot create resources at the cluster scope'
        )
