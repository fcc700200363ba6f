"""What EC2 refuses of a launch template when an instance is started from it.

CreateLaunchTemplate answers most of it as a warning; whoever starts instances by the template is told no, which is why
a node group fails and its launch template stands. EKS looks before it makes a node group, and says what EC2 says.

Source: EC2 API reference, CreateLaunchTemplate, ``Warning``; RequestLaunchTemplateData (16 KB of user data, hop limits
of 1 to 64); EC2 user guide, "Capacity Blocks for ML" (no placement groups). AWS's words and codes as people quote them:
eksctl-io/eksctl 7520 (EKS), dstackai/dstack 2872 (placement), awslabs/ec2-spot-workshops 154 (zones),
badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-launch-template-name and pf-ec2-instance-requirements-exclusive,
``meta.yaml`` (what is refused at once). Not confirmed: the code and words beside a capacity block and of the hop limit.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rehearsal.overlays.ec2.instance_limits import Limits, is_zone_of, limits_of, offering_zone_ids
from rehearsal.overlays.ec2.launch_interfaces import interface_refusals
from rehearsal.overlays.ec2.refusal import Refusal
from rehearsal.overlays.ec2.volumes import volume_refusals
from trnstack.layout.user_data import MAXIMUM_BYTES

__all__ = ["Refusal", "immediate_refusals", "refusals"]

_MOST_HOPS = 64
_NAME = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")
_NO_STRATEGIES: Mapping[str, str] = MappingProxyType({})


def refusals(
    data: Mapping[str, Any],
    instance_type: str,
    *,
    zone_ids: Sequence[str] = (),
    region: str,
    strategies: Mapping[str, str] = _NO_STRATEGIES,
) -> Iterator[Refusal]:
    """Yields what RunInstances refuses of a launch template's data.

    Args:
        data: The data, by EC2's API names.
        instance_type: The type of the instance, the template's or else the caller's.
        zone_ids: The zones of the subnets in which it may start; without any, the region alone is looked at.
        region: The region.
        strategies: The strategy of each placement group that is known, by the group's name.
    """
    limits = limits_of(instance_type)
    yield from _offered(instance_type, zone_ids, region)
    yield from interface_refusals(data, instance_type, limits)
    yield from _placement(data.get("Placement") or {}, data, instance_type, limits, strategies)
    yield from _user_data(data)
    hops = (data.get("MetadataOptions") or {}).get("HttpPutResponseHopLimit")
    if hops is not None and not 1 <= int(hops) <= _MOST_HOPS:
        message = (
            f"Value ({hops}) for parameter httpPutResponseHopLimit is invalid. It must be between 1 and {_MOST_HOPS}"
        )
        yield Refusal("InvalidParameterValue", message)
    yield from volume_refusals(data)


def immediate_refusals(data: Mapping[str, Any], name: str | None = None) -> Iterator[Refusal]:
    """Yields what CreateLaunchTemplate refuses already.

    Args:
        data: The launch template's data, by EC2's API names.
        name: The template's name; None for a new version of one that stands.
    """
    if name is not None and not _NAME.fullmatch(name):
        message = (
            "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the "
            "following characters: - ( ) . / _."
        )
        yield Refusal("InvalidLaunchTemplateName.MalformedException", message)
    if data.get("InstanceType") and data.get("InstanceRequirements"):
        message = "Either the instance type or the instance requirements can be specified in the request, but not both."
        yield Refusal("InvalidParameterCombination", message)
    yield from _tags(data)
    yield from _user_data(data)


def _tags(data: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yields what is refused of the tags of what instances are made with.

    Source: getmoto/moto, ec2/responses/_base_response.py and exceptions.py, for RunInstances (no tags, no type);
    ansible-collections/community.aws pull request 1419 (no type). Not confirmed: the words about a key, and that
    CreateLaunchTemplate refuses and not only RunInstances.
    """
    for specification in data.get("TagSpecifications") or ():
        tags = specification.get("Tags") or ()
        if not specification.get("ResourceType"):
            yield Refusal("InvalidParameter", "Tag specification resource type must have a value")
        if not tags:
            yield Refusal("InvalidParameterValue", "Tag specification must have at least one tag")
        if any(not tag.get("Key") for tag in tags):
            yield Refusal("MissingParameter", "The request must contain the parameter Tag.Key")


def _user_data(data: Mapping[str, Any]) -> Iterator[Refusal]:
    """Yields what is refused of user data.

    Source: github-aws-runners/terraform-aws-github-runner 3700; hashicorp/terraform-provider-aws 49234.
    """
    text = str(data.get("UserData") or "")
    try:
        size = len(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        yield Refusal("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
        return
    if size > MAXIMUM_BYTES:
        yield Refusal("InvalidUserData.Malformed", f"User data is limited to {MAXIMUM_BYTES} bytes")


def _offered(instance_type: str, zone_ids: Sequence[str], region: str) -> Iterator[Refusal]:
    offering = offering_zone_ids(instance_type, region)
    if offering is None:
        return
    if not offering:
        message = (
            f"The requested configuration is currently not supported: {region} does not offer {instance_type}. "
            "Please check the documentation for supported configurations."
        )
        yield Refusal("Unsupported", message)
        return
    for zone_id in dict.fromkeys(zone_ids):
        if zone_id not in offering and is_zone_of(zone_id, region):
            message = (
                f"Your requested instance type ({instance_type}) is not supported in your requested Availability Zone "
                f"({zone_id}). Please retry your request by not specifying an Availability Zone or choosing "
                f"{', '.join(sorted(offering))}."
            )
            yield Refusal("Unsupported", message)


def _placement(
    placement: Mapping[str, Any],
    data: Mapping[str, Any],
    instance_type: str,
    limits: Limits | None,
    strategies: Mapping[str, str],
) -> Iterator[Refusal]:
    group = placement.get("GroupName")
    if not group and not placement.get("GroupId"):
        return
    if (data.get("InstanceMarketOptions") or {}).get("MarketType") == "capacity-block":
        message = "A placement group can't be specified with a Capacity Block, which has a placement of its own"
        yield Refusal("InvalidParameterCombination", message)
    if strategies.get(group or "") == "cluster" and limits is not None and not limits.cluster_placement:
        message = (
            f"Cluster placement groups are not supported by the '{instance_type}' instance type. Specify a supported "
            "instance type or change the placement group strategy, and try again."
        )
        yield Refusal("InvalidParameterCombination", message)
