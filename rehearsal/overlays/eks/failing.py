"""Node groups whose nodes can't work: EKS takes the request, and tells afterwards what came of it.

Source: EKS API reference, NodegroupHealth, Issue, Update, ErrorDetail; AWS re:Post, "Resolve managed node group update
failures", for the words of a failed update. That a new size for which no node starts fails as an update of the version
does is not confirmed.
"""

from collections.abc import Sequence
from typing import Any

from rehearsal.faults.marks import Issue
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord, new_update

NODES_NEVER_JOINED = "NodeCreationFailure"


class NodesFailure(Exception):  # noqa: N818  (what failed are the nodes)
    """Nodes don't start, or start and are of no use.

    Attributes:
        issue: What EKS says of them.
        nodes: The ids of the instances that started all the same.
    """

    def __init__(self, issue: Issue, nodes: Sequence[str] = ()) -> None:
        super().__init__(f"{issue.code}: {issue.message}")
        self.issue = issue
        self.nodes = list(nodes)


def fail_creation(group: NodegroupRecord, failure: NodesFailure) -> None:
    """Lets a new node group stand as one that failed, with the instances that started."""
    group.nodes = failure.nodes
    group.status = "CREATE_FAILED"
    about = _about(group, failure)
    issue = {"code": failure.issue.code, "message": failure.issue.message, "resourceIds": about}
    group.health = {"issues": [issue]}


def failed_update(cluster: ClusterRecord, group: NodegroupRecord, kind: str, failure: NodesFailure) -> dict[str, Any]:
    """Notes an update that failed and left the node group as it was; gives it as the request's answer."""
    message = f"Couldn't proceed with upgrade process as new nodes are not joining node group {group.nodegroup_name}"
    if not failure.issue.starts:
        message = failure.issue.message
    about = _about(group, failure)
    answer = new_update(cluster, kind, {})
    error = {"errorCode": NODES_NEVER_JOINED, "errorMessage": message, "resourceIds": about}
    cluster.updates[answer["id"]].update(status="Failed", errors=[error])
    return answer


def _about(group: NodegroupRecord, failure: NodesFailure) -> list[str]:
    """Gives what an issue is about: the instances, or the Auto Scaling group that started none."""
    groups: Any = group.resources["autoScalingGroups"]
    return failure.nodes or [one["name"] for one in groups]
