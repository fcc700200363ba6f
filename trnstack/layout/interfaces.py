"""Which network interfaces a node starts with, on which card and device."""

from dataclasses import dataclass
from typing import Literal

from trnstack.catalog import InstanceType

InterfaceType = Literal["interface", "efa", "efa-only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """One network interface of a launch template.

    Attributes:
        network_card_index: The card, from 0.
        device_index: The device on that card: 0 on the first card, 1 on every other.
        interface_type: ``interface`` is ENA alone; ``efa`` is EFA with ENA and an address; ``efa-only`` has no address.
    """

    network_card_index: int
    device_index: int
    interface_type: InterfaceType

    @property
    def has_address(self) -> bool:
        """Tells whether the interface takes an IPv4 address from its subnet."""
        return self.interface_type != "efa-only"

    @property
    def is_efa(self) -> bool:
        """Tells whether the interface carries EFA traffic."""
        return self.interface_type != "interface"


def interfaces(instance_type: InstanceType, *, efa: bool) -> tuple[Interface, ...]:
    """Returns the interfaces of a node: one EFA on every card, or a plain one on the first card alone.

    The first card's interface is the node's primary one, so it carries the address; the others are ``efa-only``, which
    costs no address and leaves no extra interface for the operating system and the VPC CNI to race for.

    Source: EC2 user guide, Elastic Fabric Adapter, "Maximize network bandwidth": the primary interface is card 0,
    device 0, and may not be EFA-only. Its newest text prefers ENA at card 0, device 0 with EFA-only beside it, and
    device 0 on the other cards; this is the accepted older form, which leaves card 0's second interface to the VPC CNI.
    """
    if not efa:
        return (Interface(network_card_index=0, device_index=0, interface_type="interface"),)
    first = Interface(network_card_index=0, device_index=0, interface_type="efa")
    others = (
        Interface(network_card_index=card, device_index=1, interface_type="efa-only")
        for card in range(1, instance_type.efa_interfaces)
    )
    return (first, *others)
