"""What every job finds in its namespace: the namespace itself, whom jobs run as, and what they are told."""

from trnstack.kubernetes.names import CONFIG_MAP
from trnstack.kubernetes.objects import Object
from trnstack.plan.model import Plan

#: What pods in the namespace may ask of a node: nothing that reaches around the container. Devices come by device
#: plugins and memory is locked by the node's own limit, so jobs need no more.
#: Source: Kubernetes documentation, "Pod Security Standards", Baseline.
_SECURITY_LEVEL = "baseline"


def namespace(plan: Plan) -> Object:
    """Returns the jobs' namespace, whose pods are held to what the cluster's version calls baseline."""
    version = f"v{plan.cluster.kubernetes_version}"
    labels = {
        f"pod-security.kubernetes.io/{mode}{suffix}": value
        for mode in ("enforce", "warn")
        for suffix, value in (("", _SECURITY_LEVEL), ("-version", version))
    }
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": plan.kubernetes.namespace, "labels": labels}}


def service_account(plan: Plan) -> Object:
    """Returns whom jobs run as. Its pods get AWS credentials by EKS Pod Identity, and none for Kubernetes' API.

    Source: EKS user guide, "Learn how EKS Pod Identity grants pods access to AWS services": a token of its own.
    """
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": plan.kubernetes.service_account, "namespace": plan.kubernetes.namespace},
        "automountServiceAccountToken": False,
    }


def config_map(plan: Plan) -> Object:
    """Returns what jobs are told, each key an environment variable."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": plan.kubernetes.namespace},
        "data": dict(plan.kubernetes.job_environment),
    }
