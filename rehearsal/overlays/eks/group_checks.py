"""What EKS refuses of a node group's settings, and of the launch template that its nodes would start from.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-nodegroup-*,
``meta.yaml``, deploys of 2026-09-25.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES as EC2_TYPES

from rehearsal.faults.marks import Issue
from rehearsal.overlays.ec2.instance_limits import offering_zone_ids
from rehearsal.overlays.ec2.launch_templates import refusals
from rehearsal.overlays.errors import OverlayError

_RESERVED_PREFIXES = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
#: Nodes may be as many minors behind the control plane. Source: Kubernetes, "Version Skew Policy", kubelet.
_MOST_BEHIND = 3
_RELEASE = re.compile(r"(1\.\d+)\.\d+-\d{8}")
_ARCHITECTURES = {"ARM_64": "arm64", "x86_64": "x86_64"}


def check_settings(request: Mapping[str, Any]) -> None:
    """Refuses labels that are not the customer's to set, and settings that say a thing twice or not at all."""
    check_labels(request.get("labels", {}))
    check_update_config(request)
    template = request.get("launchTemplate", {"id": ""})
    if "id" in template and "name" in template:
        raise _invalid("Either provide launch template ID or launch template name in the request.")
    if "id" not in template and "name" not in template:
        raise _invalid("Either a launch template ID or a launch template name must be specified in the request.")
    if request.get("amiType") == "CUSTOM" and "launchTemplate" not in request:
        raise _invalid("Launch template details can't be null for Custom ami type node group")


def check_labels(labels: Iterable[str]) -> None:
    """Refuses labels that are not the customer's to set.

    Source: also eksctl-io/eksctl issue 4007.
    """
    if any(label.startswith(_RESERVED_PREFIXES) for label in labels):
        raise _invalid(f"Label cannot start with reserved prefixes [{', '.join(_RESERVED_PREFIXES)}]")


def check_scaling(scaling: Mapping[str, int]) -> None:
    """Refuses sizes that are not in order."""
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


def check_versions(cluster: str, version: str, release: str | None) -> None:
    """Refuses nodes that are newer than their cluster or too old for it, and a release of another minor.

    Of a release of the right minor it is not known here whether EKS has it.

    Args:
        cluster: The cluster's Kubernetes version.
        version: The node group's.
        release: The AMI's release; None for the newest.

    Source: eksctl-io/eksctl issue 7976, which quotes the words about the release.
    """
    newest = int(cluster.partition(".")[2])
    supported = [f"1.{minor}" for minor in range(newest, newest - _MOST_BEHIND - 1, -1)]
    if version not in supported:
        raise _invalid(
            f"Cluster Kubernetes version {cluster} supports the following Nodegroup Kubernetes versions: "
            f"[{', '.join(supported)}]"
        )
    found = _RELEASE.fullmatch(release or "")
    if found and found[1] != version:
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


def check_architecture(ami_type: str | None, instance_types: Iterable[str]) -> None:
    """Refuses an AMI that the instance types can't run; of a type that nobody here knows nothing is said.

    Source: eksctl-io/eksctl issue 7754 and HHS/simpler-grants-gov pull request 12404, which quote code and words.
    """
    wanted = next((one for part, one in _ARCHITECTURES.items() if part in (ami_type or "")), None)
    wrong = [one for one in instance_types if wanted and _architectures(one) and wanted not in _architectures(one)]
    if wrong:
        raise _invalid(f"[{', '.join(wrong)}] is not a valid instance type for requested amiType {ami_type}")


def check_subnets(subnets: Sequence[Any], vpc_id: str) -> None:
    """Refuses subnets, given as moto's records, that are not in the cluster's VPC."""
    if any(subnet.vpc_id != vpc_id for subnet in subnets):
        raise _invalid(f"Subnets specified must belong to the VPC: {vpc_id}")


def check_template(name: str, template: Mapping[str, Any]) -> None:
    """Refuses in a launch template what EKS decides itself.

    Args:
        name: The launch template's name.
        template: Its data, by EC2's API names.

    Source: EKS user guide, "Customize managed nodes with launch templates", the settings that are prohibited; the code
    and the words about the instance profile are quoted by users (vumdao/aws-eks-the-hard-way among them), those about
    shutdown and hibernation are unconfirmed.
    """
    if template.get("IamInstanceProfile"):
        raise _invalid(
            f"Launch template {name} should not specify an instance profile. The noderole in your request will be "
            "used to construct an instance profile."
        )
    if any(interface.get("SubnetId") for interface in template.get("NetworkInterfaces") or []):
        raise _invalid(
            "You must not specify a subnet in your launch template. All subnets must be specified in the API."
        )
    if template.get("InstanceInitiatedShutdownBehavior") or template.get("HibernationOptions", {}).get("Configured"):
        raise _invalid(f"Launch template {name} should not specify shutdown behavior or hibernation.")


def refused_launch(
    template: Mapping[str, Any],
    instance_types: Iterable[str],
    *,
    zone_ids: Sequence[str],
    region: str,
    strategies: Mapping[str, str],
) -> Issue | None:
    """Refuses nodes that EC2 would not start, and gives what becomes of those that it doesn't know; None of the others.

    EKS tries a launch before it makes a node group, whether or not it wants nodes yet, and says what EC2 says; but of a
    type that the region lacks it learns afterwards.

    Args:
        template: The launch template's data, by EC2's API names.
        instance_types: The types, of which each may be started.
        zone_ids: The zones of the group's subnets.
        region: The region.
        strategies: The strategy of each placement group, by its name.

    Raises:
        OverlayError: EC2 would refuse the launch.

    Source: aws-ia/terraform-aws-eks-blueprints issue 363, awslabs/ec2-spot-workshops issue 154 and eksctl-io/eksctl
    issue 6461, of what EC2 says (``InvalidRequestException``); terraform-aws-modules/terraform-aws-eks issue 3648, of a
    type that the region lacks.
    """
    for instance_type in instance_types:
        if offering_zone_ids(instance_type, region) == frozenset():
            message = f"The specified instance type {instance_type} is not valid"
            return Issue("Ec2LaunchTemplateInvalidConfiguration", message)
        for refusal in refusals(template, instance_type, zone_ids=zone_ids, region=region, strategies=strategies):
            raise OverlayError("InvalidRequestException", refusal.message)
    return None


def _architectures(instance_type: str) -> list[str]:
    """Gives what processors of a type run, as EC2's data have it; nothing for a type that they lack."""
    known: list[str] = EC2_TYPES.get(instance_type, {}).get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    return known


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
