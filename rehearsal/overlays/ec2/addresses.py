"""How many addresses a subnet has left."""

import ipaddress
from typing import Any

from rehearsal.overlays.errors import OverlayError
from trnstack.layout.subnets import RESERVED_ADDRESSES


def free_addresses(network: Any, subnet: Any) -> int:
    """Counts the addresses that no interface in a subnet has.

    Args:
        network: moto's EC2 backend of the account and region.
        subnet: moto's record of the subnet.
    """
    taken = sum(len(eni.private_ip_addresses) for eni in network.enis.values() if eni.subnet.id == subnet.id)
    return ipaddress.ip_network(subnet.cidr_block).num_addresses - RESERVED_ADDRESSES - taken


def check_free_address(network: Any, subnet_id: str, purpose: str) -> None:
    """Refuses to put another interface into a subnet that is full; an unknown subnet is left to whoever asks for it.

    Raises:
        OverlayError: The subnet has no address left.

    Source: EC2 API reference, "Error codes", InsufficientFreeAddressesInSubnet, and NatGateway, ``FailureMessage``.
    """
    subnet = next((one for zone in network.subnets.values() for one in zone.values() if one.id == subnet_id), None)
    if subnet is not None and free_addresses(network, subnet) < 1:
        message = f"Subnet has insufficient free addresses to create {purpose}"
        raise OverlayError("InsufficientFreeAddressesInSubnet", message)
