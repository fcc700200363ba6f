"""What EKS refuses of a node group's settings.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-nodegroup-*,
``meta.yaml``, deploys of 2026-09-25.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rehearsal.overlays.errors import OverlayError

_RESERVED_PREFIXES = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
#: Nodes may be as many minors behind the control plane. Source: Kubernetes, "Version Skew Policy", kubelet.
_MOST_BEHIND = 3
_RELEASE = re.compile(r"(1\.\d+)\.\d+-\d{8}")
_NAME, _LONGEST_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9-_]*"), 63
#: What Kubernetes takes for the name of a label or a taint, and for their values, where an empty one will do as well.
_QUALIFIED, _LONGEST_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"), 63
_CONSIST = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName', or 'my.name', or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?"
    "[A-Za-z0-9]')"
)
_NEWEST_WITH_AL2 = 32
#: What may be said of node repair as a number or as a share.
_REPAIR = ("maxUnhealthyNodeThreshold", "maxParallelNodesRepaired")


def check_settings(request: Mapping[str, Any]) -> None:
    """Refuses what is no name, what Kubernetes would not take, and settings that say a thing twice or not at all."""
    _check_name(request["nodegroupName"])
    check_labels(request.get("labels", {}))
    check_taints(request.get("taints", []))
    check_update_config(request)
    check_repair(request)
    template = request.get("launchTemplate", {"id": ""})
    if "id" in template and "name" in template:
        raise _invalid("Either provide launch template ID or launch template name in the request.")
    if "id" not in template and "name" not in template:
        raise _invalid("Either a launch template ID or a launch template name must be specified in the request.")
    if request.get("amiType") == "CUSTOM" and "launchTemplate" not in request:
        raise _invalid("Launch template details can't be null for Custom ami type node group")


def check_labels(labels: Mapping[str, str]) -> None:
    """Refuses labels that are not the customer's to set, and those that Kubernetes would not take.

    Source: also eksctl-io/eksctl issue 4007. The words about a value are made like those about a key.
    """
    if any(label.startswith(_RESERVED_PREFIXES) for label in labels):
        raise _invalid(f"Label cannot start with reserved prefixes [{', '.join(_RESERVED_PREFIXES)}]")
    for label, value in labels.items():
        for wrong in (label if not _is_qualified(label) else None, value if value and not _is_part(value) else None):
            if wrong is not None:
                raise _invalid(f"Invalid value: {wrong} : field {_CONSIST}")


def check_taints(taints: Sequence[Mapping[str, str]]) -> None:
    """Refuses taints that Kubernetes would not take."""
    for taint in taints:
        if not _is_qualified(taint.get("key", "")):
            raise _invalid(f"invalid taint spec: {taint.get('key')}, a qualified name {_CONSIST}")


def check_scaling(scaling: Mapping[str, int]) -> None:
    """Refuses sizes that are not in order; what EKS makes of sizes of which one is not told is not published."""
    missing = [name for name in ("minSize", "desiredSize", "maxSize") if name not in scaling]
    if missing:
        raise NotImplementedError(f"scalingConfig must say {missing[0]} beside the other sizes")
    smallest, wanted, largest = scaling["minSize"], scaling["desiredSize"], scaling["maxSize"]
    if smallest > wanted:
        raise _invalid(f"Minimum capacity {smallest} can't be greater than desired size {wanted}")
    if wanted > largest:
        raise _invalid(f"desired capacity {wanted} can't be greater than max size {largest}")


def check_update_config(request: Mapping[str, Any]) -> None:
    """Refuses a way of updating that says nothing, or a number and a share of nodes."""
    config = request.get("updateConfig")
    if config is None:
        return
    if not config:
        raise _invalid("UpdateConfig cannot be empty if set in the request.")
    if "maxUnavailable" in config and "maxUnavailablePercentage" in config:
        raise _invalid("Either provide max-unavailable or max-unavailable-percentage in the request.")


def check_at_a_time(update_config: Mapping[str, Any] | None, scaling: Mapping[str, int]) -> None:
    """Refuses an update that may take away more nodes than there can be.

    Source: hashicorp/terraform-provider-aws issue 26535 and pull request 26551, which quote code and words.
    """
    if (update_config or {}).get("maxUnavailable", 1) > scaling["maxSize"]:
        raise _invalid("max-unavailable must be within the range 1 and max size of the node group")


def check_repair(request: Mapping[str, Any]) -> None:
    """Refuses a number and a share of nodes to be repaired.

    EKS has the same words for how many nodes may be unhealthy; that it refuses that was measured as well.
    """
    config = request.get("nodeRepairConfig") or {}
    if any(f"{name}Count" in config and f"{name}Percentage" in config for name in _REPAIR):
        raise _invalid("Either provide max parallel nodes to repair count or percentage in the request.")


def check_versions(cluster: str, version: str, release: str | None, ami_type: str | None) -> None:
    """Refuses nodes that are newer than their cluster or too old for it, and a release that is none of their minor.

    Of a release of the right minor it is not known here whether EKS has it, nor how those of other systems than Amazon
    Linux are written.

    Args:
        cluster: The cluster's Kubernetes version.
        version: The node group's.
        release: The AMI's release; None for the newest.
        ami_type: The AMI's type; None where EKS chooses it.

    Source: eksctl-io/eksctl issue 7976, which quotes the words about the release; scylladb/scylla-cluster-tests issue
    12524, those about Amazon Linux 2.
    """
    newest = int(cluster.partition(".")[2])
    supported = [f"1.{minor}" for minor in range(newest, newest - _MOST_BEHIND - 1, -1)]
    if version not in supported:
        raise _invalid(
            f"Cluster Kubernetes version {cluster} supports the following Nodegroup Kubernetes versions: "
            f"[{', '.join(supported)}]"
        )
    kind = ami_type or ""
    if kind.startswith("AL2_") and int(version.partition(".")[2]) > _NEWEST_WITH_AL2:
        raise _invalid(f"AMI Type {kind} is only supported for kubernetes versions 1.{_NEWEST_WITH_AL2} or earlier")
    found = _RELEASE.fullmatch(release or "")
    is_none = release and not found and kind.startswith(("AL2_", "AL2023_"))
    if is_none or (found and found[1] != version):
        raise _invalid(f"Requested release version {release} is not valid for kubernetes version {version}.")


def check_forward(before: str | None, after: str | None) -> None:
    """Refuses an update of a node group to an earlier release.

    Source: EKS API reference, UpdateNodegroupVersion: no way back to an earlier Kubernetes version or AMI version; the
    words are not published.
    """
    was, now = (
        [int(part) for part in re.findall(r"\d+", one or "") if _RELEASE.fullmatch(one or "")]
        for one in (before, after)
    )
    if was and now and now < was:
        raise _invalid(f"Nodegroup release version {before} can't be rolled back to the earlier {after}")


def check_subnets(subnets: Sequence[Any], vpc_id: str) -> None:
    """Refuses subnets, given as moto's records, that are not in the cluster's VPC."""
    if any(subnet.vpc_id != vpc_id for subnet in subnets):
        raise _invalid(f"Subnets specified must belong to the VPC: {vpc_id}")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise _invalid(
            "The nodegroup name parameter contains invalid characters. It should conform to the regular expression "
            '"^[0-9A-Za-z][A-Za-z0-9-_]*"In other words, it should start with a number or letter, and can contain '
            "numbers, letters, dashes, and underscores."
        )
    if len(name) > _LONGEST_NAME:
        raise _invalid(f"nodeGroupName can't be longer than {_LONGEST_NAME} characters!")


def _is_qualified(key: str) -> bool:
    """Says whether a key is one of Kubernetes's: a name, before which a domain and a slash may stand."""
    domain, slash, name = key.rpartition("/")
    return _is_part(name) and "/" not in domain and bool(domain) is bool(slash)


def _is_part(text: str) -> bool:
    return len(text) <= _LONGEST_PART and _QUALIFIED.fullmatch(text) is not None


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
