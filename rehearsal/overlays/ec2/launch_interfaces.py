"""What EC2 refuses of the network interfaces that an instance is to start with.

Source: EC2 user guide, "Elastic Fabric Adapter", limitations (one EFA to a network card) and "Maximize network
bandwidth" (no EFA-only interface as the primary one); EC2 API reference, LaunchTemplateInstanceNetworkInterface-
SpecificationRequest. AWS's words and codes as people quote them: aws/aws-sdk-ruby 662 (groups in both places),
zalando-incubator/kubernetes-on-aws 8733 (public address), hashicorp/packer 2242 (no device index), aws-parallelcluster
5984 (no primary one), cilium/cilium 15877 (too many), eksctl-io/eksctl 7520 (device index), devopsacademyau/academy 277
(no EFA). Not confirmed: the codes of the last four and of what follows from the guide alone, and its words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rehearsal.overlays.ec2.instance_limits import Limits
from rehearsal.overlays.ec2.refusal import Refusal

_TYPES = ("interface", "efa", "efa-only")
_EFA = ("efa", "efa-only")
_PRIMARY = (0, 0)


def interface_refusals(data: Mapping[str, Any], instance_type: str, limits: Limits | None) -> Iterator[Refusal]:
    """Yields what is refused of a launch template's interfaces; of an unknown type, what no type allows.

    Args:
        data: The launch template's data, by EC2's API names.
        instance_type: The type of the instance.
        limits: What the type allows; None where that is not known.
    """
    interfaces: Sequence[Mapping[str, Any]] = data.get("NetworkInterfaces") or ()
    if not interfaces:
        return
    if data.get("SecurityGroupIds") or data.get("SecurityGroups"):
        yield Refusal(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level security groups may not be specified on the same request",
        )
    if len(interfaces) > 1 and any(_is_true(one.get("AssociatePublicIpAddress")) for one in interfaces):
        yield Refusal(
            "InvalidParameterCombination",
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple network "
            "interfaces",
        )
    for found in dict.fromkeys(_type(one) for one in interfaces):
        if found not in _TYPES:
            message = f"Value ({found}) for parameter interfaceType is invalid. Valid values: {', '.join(_TYPES)}"
            yield Refusal("InvalidParameterValue", message)
    yield from _places(interfaces)
    if limits is not None:
        yield from _beyond(interfaces, instance_type, limits)
        yield from _efa(interfaces, instance_type, limits)


def _places(interfaces: Sequence[Mapping[str, Any]]) -> Iterator[Refusal]:
    """Yields what is wrong with where interfaces sit, whatever the type."""
    if any(one.get("DeviceIndex") is None for one in interfaces):
        yield Refusal("InvalidParameterValue", "Each network interface requires a device index.")
        return
    places = Counter(map(_place, interfaces))
    for (card, device), times in places.items():
        if times > 1:
            message = f"{times} network interfaces have device index {device} on network card {card}"
            yield Refusal("InvalidParameterValue", message)
    if _PRIMARY not in places:
        yield Refusal(
            "InvalidParameterCombination",
            "When specifying network interfaces, you must include a device at index 0 and network card at index 0.",
        )
    if any(_place(one) == _PRIMARY and _type(one) == "efa-only" for one in interfaces):
        message = "An EFA-only network interface can't be the primary network interface"
        yield Refusal("InvalidParameterCombination", message)


def _beyond(interfaces: Sequence[Mapping[str, Any]], instance_type: str, limits: Limits) -> Iterator[Refusal]:
    """Yields interfaces that the type has no room for."""
    most = sum(limits.interfaces_per_card)
    if len(interfaces) > most:
        message = f"Interface count {len(interfaces)} exceeds the limit for {instance_type}"
        yield Refusal("AttachmentLimitExceeded", message)
    cards = len(limits.interfaces_per_card)
    for card, device in map(_place, interfaces):
        if card >= cards:
            message = f"Network card index {card} is not valid for {instance_type}, which has {cards} network card(s)"
            yield Refusal("InvalidParameterValue", message)
        elif device >= limits.interfaces_per_card[card]:
            room = limits.interfaces_per_card[card]
            message = (
                f"The specified number '{device}' for the device index exceeds the maximum number of network "
                f"interfaces supported by the network card at network card index {card}. The maximum devices for this "
                f"network card is {room}. Specify a number from 0 to {room - 1}, and try again."
            )
            yield Refusal("InvalidParameterValue", message)


def _efa(interfaces: Sequence[Mapping[str, Any]], instance_type: str, limits: Limits) -> Iterator[Refusal]:
    cards = Counter(_place(one)[0] for one in interfaces if _type(one) in _EFA)
    if cards and not limits.efa_interfaces:
        message = f"{instance_type} instances do not support Elastic Fabric Adapters."
        yield Refusal("InvalidParameterCombination", message)
        return
    for card, times in cards.items():
        if times > 1:
            message = f"Network card {card} takes one EFA interface, and {times} are specified"
            yield Refusal("InvalidParameterCombination", message)
    if cards.total() > limits.efa_interfaces:
        message = f"{instance_type} takes {limits.efa_interfaces} EFA interfaces, and {cards.total()} are specified"
        yield Refusal("AttachmentLimitExceeded", message)


def _place(interface: Mapping[str, Any]) -> tuple[int, int]:
    return int(interface.get("NetworkCardIndex") or 0), int(interface.get("DeviceIndex") or 0)


def _type(interface: Mapping[str, Any]) -> str:
    return str(interface.get("InterfaceType") or "interface")


def _is_true(value: Any) -> bool:
    return str(value).lower() == "true"
