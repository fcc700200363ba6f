"""What EKS refuses of the instances that a node group would start: their types, and the launch template.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-nodegroup-*,
``meta.yaml``, deploys of 2026-09-25.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moto.ec2.models.instance_types import INSTANCE_TYPES as EC2_TYPES

from rehearsal.faults.marks import Issue
from rehearsal.overlays.ec2.instance_limits import is_no_size, offering_zone_ids
from rehearsal.overlays.ec2.launch_references import reference_refusals
from rehearsal.overlays.ec2.launch_templates import refusals
from rehearsal.overlays.errors import OverlayError

_ARCHITECTURES = {"ARM_64": "arm64", "x86_64": "x86_64"}
#: A key that the instance metadata service can show. EKS's own for the autoscaler is none.
_SHOWN = re.compile(r"[0-9a-zA-Z\-_+=,.@:]{1,255}")
_AUTOSCALER = "k8s.io/cluster-autoscaler/enabled"


def check_types(instance_types: Iterable[str]) -> None:
    """Refuses sizes that their family does not come in; of a family that nobody here knows nothing is said.

    Source: terraform-aws-modules/terraform-aws-eks issue 1279, which quotes code and words, of a type
    that a region lacked.
    """
    missing = [one for one in instance_types if is_no_size(one)]
    if missing:
        raise _invalid(f"The following supplied instance types do not exist: [{', '.join(missing)}]")


def check_metadata_tags(template: Mapping[str, Any], cluster: str) -> None:
    """Refuses that instances see their tags as metadata, in which the keys of EKS's own have no place.

    Source: terraform-aws-modules/terraform-aws-eks issue 1785 and eksctl-io/eksctl issues 7948 and 8446, which quote
    the words; kubernetes-sigs/cluster-api-provider-aws issue 4995, the code. Which key EKS names first is unconfirmed.
    """
    if (template.get("MetadataOptions") or {}).get("InstanceMetadataTags") != "enabled":
        return
    given = [
        tag["Key"]
        for specification in template.get("TagSpecifications") or ()
        for tag in specification.get("Tags") or ()
        if specification.get("ResourceType") == "instance"
    ]
    keys = [*given, f"kubernetes.io/cluster/{cluster}", _AUTOSCALER]
    wrong = next(key for key in keys if not _SHOWN.fullmatch(key))
    message = (
        f"'{wrong}' is not a valid tag key. Tag keys must match pattern ([0-9a-zA-Z\\-_+=,.@:]{{1,255}}), and must not "
        "be a reserved name ('.', '..', '_index')"
    )
    raise OverlayError("InvalidRequestException", message)


def check_architecture(ami_type: str | None, instance_types: Iterable[str]) -> None:
    """Refuses an AMI that the instance types can't run; of a type that nobody here knows nothing is said.

    Source: eksctl-io/eksctl issue 7754 and HHS/simpler-grants-gov pull request 12404, which quote code and words.
    """
    wanted = next((one for part, one in _ARCHITECTURES.items() if part in (ami_type or "")), None)
    wrong = [one for one in instance_types if wanted and _architectures(one) and wanted not in _architectures(one)]
    if wrong:
        raise _invalid(f"[{', '.join(wrong)}] is not a valid instance type for requested amiType {ami_type}")


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
    network: Any,
    template: Mapping[str, Any],
    instance_types: Iterable[str],
    *,
    subnets: Sequence[Any],
    image_id: str,
    strategies: Mapping[str, str],
) -> Issue | None:
    """Refuses nodes that EC2 would not start, and gives what becomes of those that it doesn't know; None of the others.

    EKS tries a launch before it makes a node group, whether or not it wants nodes yet, and says what EC2 says; but of a
    type that the region lacks it learns afterwards.

    Args:
        network: moto's EC2 backend of the account and region.
        template: The launch template's data, by EC2's API names.
        instance_types: The types, of which each may be started.
        subnets: moto's records of the group's subnets.
        image_id: The AMI, the template's or EKS's.
        strategies: The strategy of each placement group, by its name.

    Raises:
        OverlayError: EC2 would refuse the launch.

    Source: aws-ia/terraform-aws-eks-blueprints issue 363, awslabs/ec2-spot-workshops issue 154 and eksctl-io/eksctl
    issue 6461, of what EC2 says (``InvalidRequestException``); terraform-aws-modules/terraform-aws-eks issue 3648, of a
    type that the region lacks.
    """
    zone_ids, region = [subnet.availability_zone_id for subnet in subnets], network.region_name
    for instance_type in instance_types:
        if offering_zone_ids(instance_type, region) == frozenset():
            message = f"The specified instance type {instance_type} is not valid"
            return Issue("Ec2LaunchTemplateInvalidConfiguration", message)
        for refusal in refusals(template, instance_type, zone_ids=zone_ids, region=region, strategies=strategies):
            raise OverlayError("InvalidRequestException", refusal.message)
    for refusal in reference_refusals(network, template, subnets, image_id):
        raise OverlayError("InvalidRequestException", refusal.message)
    return None


def _architectures(instance_type: str) -> list[str]:
    """Gives what processors of a type run, as EC2's data have it; nothing for a type that they lack."""
    known: list[str] = EC2_TYPES.get(instance_type, {}).get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    return known


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
