"""Starts and ends what a managed node group consists of: instances with every network interface of their template.

moto's RunInstances starts an instance with one interface of a launch template, and its interfaces know no network card,
so the further interfaces are attached here.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moto.core.types import Base64EncodedString
from moto.ec2.models.elastic_network_interfaces import Attachment, NetworkInterface

_WITHOUT_ADDRESS = "efa-only"
_RESERVED_ADDRESSES = 5
_PLACEHOLDER = "0.0.0.0"  # noqa: S104 - never an address: moto wants one before it can be taken away


class NodesError(Exception):
    """Nodes can't be started.

    Attributes:
        code: The code of the node group's health issue.
        message: What is wrong.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class NodeEni(NetworkInterface):
    """A network interface on any of its instance's network cards.

    Attributes:
        network_card_index: The network card that it sits on.
    """

    network_card_index = 0

    @property
    def attachment(self) -> Attachment | None:
        """How it is attached, with the network card that moto's own interfaces leave at 0."""
        attachment = super().attachment
        if attachment is not None:
            attachment.network_card_index = self.network_card_index
        return attachment

    @property
    def group_set(self) -> Any:
        """Its own security groups, to which moto would add its instance's."""
        return self._group_set


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """What every node of a group is started from.

    Attributes:
        template: The launch template's data, by EC2's API names.
        subnet_ids: The group's subnets; nodes are spread over them in turn.
        image_id: The AMI.
        instance_type: The instance type.
        security_group_ids: The groups of interfaces for which the template names none.
        tags: The tags of each instance, beside those of the template's tag specifications.
        spot: Whether nodes are spot instances.
    """

    template: Mapping[str, Any]
    subnet_ids: Sequence[str]
    image_id: str
    instance_type: str
    security_group_ids: Sequence[str]
    tags: Mapping[str, str] = field(default_factory=dict)
    spot: bool = False

    @property
    def interfaces(self) -> list[Mapping[str, Any]]:
        """The interfaces of each node, the primary one first; a template without any means one ordinary one."""
        given = list(self.template.get("NetworkInterfaces") or [{}])
        return sorted(given, key=lambda one: (int(one.get("NetworkCardIndex", 0)), int(one.get("DeviceIndex", 0))))

    def groups_of(self, interface: Mapping[str, Any]) -> list[str]:
        """Gives an interface's security groups: its own, or the template's, or the cluster's."""
        return list(interface.get("Groups") or self.template.get("SecurityGroupIds") or self.security_group_ids)


def start_nodes(backend: Any, order: NodeOrder, count: int) -> list[str]:
    """Starts nodes and gives the ids of their instances.

    Args:
        backend: moto's EC2 backend of the account and region.
        order: What each node is started from.
        count: How many nodes are wanted.

    Raises:
        NodesError: The subnets have too few free addresses, or none for another node.
    """
    subnets = [backend.get_subnet(subnet_id) for subnet_id in order.subnet_ids]
    wanted = sum(1 for one in order.interfaces if one.get("InterfaceType") != _WITHOUT_ADDRESS)
    free = {subnet.id: _free_addresses(backend, subnet) for subnet in subnets}
    started: list[str] = []
    for number in range(count):
        usable = [subnet for subnet in subnets if free[subnet.id] >= wanted]
        if not usable:
            end_nodes(backend, started)
            message = f"Subnets {', '.join(order.subnet_ids)} don't have enough free addresses for {count} nodes"
            raise NodesError("InsufficientFreeAddresses", message)
        subnet = usable[number % len(usable)]
        free[subnet.id] -= wanted
        started.append(_start(backend, order, subnet))
    return started


def end_nodes(backend: Any, instance_ids: Sequence[str]) -> None:
    """Terminates nodes; their interfaces go with them."""
    if instance_ids:
        backend.terminate_instances(list(instance_ids))


def _start(backend: Any, order: NodeOrder, subnet: Any) -> str:
    primary, *further = order.interfaces
    user_data = order.template.get("UserData")
    reservation = backend.run_instances(
        order.image_id,
        1,
        Base64EncodedString(str(user_data)) if user_data else None,
        [],
        instance_type=order.instance_type,
        is_instance_type_default=False,
        region_name=backend.region_name,
        subnet_id=subnet.id,
        key_name=order.template.get("KeyName"),
        nics=[{"DeviceIndex": 0, "Groups": order.groups_of(primary), "DeleteOnTermination": True}],
        tags=_tags(order),
        metadata_options=order.template.get("MetadataOptions", {}),
        monitoring_state="enabled" if order.template.get("Monitoring", {}).get("Enabled") else "disabled",
        ebs_optimized=order.template.get("EbsOptimized", False),
        **_optional(order),
    )
    (instance,) = reservation.instances
    placement = order.template.get("Placement", {})
    instance.placement.group_name = placement.get("GroupName", "")
    instance.placement.tenancy = placement.get("Tenancy", "default")
    instance.security_groups = list(instance.nics[0].group_set)
    instance.nics[0].interface_type = primary.get("InterfaceType", "interface")
    for interface in further:
        _attach(backend, instance, subnet, interface, order.groups_of(interface))
    return str(instance.id)


def _attach(
    backend: Any, instance: Any, subnet: Any, interface: Mapping[str, Any], security_group_ids: list[str]
) -> None:
    """Makes one of a node's further interfaces; an EFA-only one has no address."""
    card, device = int(interface.get("NetworkCardIndex", 0)), int(interface.get("DeviceIndex", 0))
    without = interface.get("InterfaceType") == _WITHOUT_ADDRESS
    eni = NodeEni(  # type: ignore[abstract]  # what moto leaves abstract is its CloudFormation's, and unused
        backend,
        subnet,
        _PLACEHOLDER if without else subnet.get_available_subnet_ip(instance),
        group_ids=security_group_ids,
        description=interface.get("Description"),
        delete_on_termination=True,
    )
    if without:
        vars(eni).update(private_ip_address=None, private_dns_name=None, private_ip_addresses=[])
    eni.interface_type = interface.get("InterfaceType", "interface")
    eni.network_card_index = card
    backend.enis[eni.id] = eni
    instance.attach_eni(eni, max(instance.nics) + 1)  # moto keys interfaces by device index, which cards share
    eni.device_index = device


def _free_addresses(backend: Any, subnet: Any) -> int:
    """Counts the addresses that no interface in the subnet has; the first four and the last are AWS's."""
    taken = sum(len(eni.private_ip_addresses) for eni in backend.enis.values() if eni.subnet.id == subnet.id)
    return ipaddress.ip_network(subnet.cidr_block).num_addresses - _RESERVED_ADDRESSES - taken


def _tags(order: NodeOrder) -> dict[str, dict[str, str]]:
    """Gives instance and volume tags: the template's tag specifications, then the group's own for instances."""
    tags: dict[str, dict[str, str]] = {"instance": {}, "volume": {}}
    for specification in order.template.get("TagSpecifications") or []:
        pairs = {tag["Key"]: tag["Value"] for tag in specification.get("Tags", [])}
        tags.setdefault(specification["ResourceType"], {}).update(pairs)
    tags["instance"].update(order.tags)
    return tags


def _optional(order: NodeOrder) -> dict[str, Any]:
    """Gives what moto must not be told of at all where the template says nothing."""
    optional: dict[str, Any] = {}
    if order.template.get("BlockDeviceMappings"):
        optional["block_device_mappings"] = order.template["BlockDeviceMappings"]
    if order.spot:
        optional["instance_market_options"] = {"MarketType": "spot"}
    return optional
