"""Network interfaces that a service puts into its customer's subnets."""

from collections.abc import Iterable
from typing import Any


def place_interface(network: Any, subnet: Any, *, description: str, security_group_ids: list[str]) -> str:
    """Puts an interface into a subnet and gives its id; it gets the next address, as instances do.

    Args:
        network: moto's EC2 backend of the account and region.
        subnet: moto's record of the subnet.
        description: What the service writes on its interfaces.
        security_group_ids: Its security groups; without any, the VPC's default group.
    """
    address = subnet.get_available_subnet_ip(None)
    interface = network.create_network_interface(subnet, address, group_ids=security_group_ids, description=description)
    return str(interface.id)


def remove_interfaces(network: Any, interface_ids: Iterable[str]) -> None:
    """Takes interfaces out of their subnets, whose addresses are free again."""
    for interface_id in interface_ids:
        network.get_network_interface(interface_id).delete()
