"""Starts and ends what a managed node group consists of: instances with every network interface of their template.

moto's RunInstances starts an instance with one interface of a launch template, and its interfaces know no network card,
so the further interfaces are attached here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moto.core.types import Base64EncodedString
from moto.ec2.models.elastic_network_interfaces import Attachment, NetworkInterface

from rehearsal.overlays.ec2.addresses import free_addresses
from rehearsal.overlays.state import state_of

#: The types for which moto wants the input and output operations, which its RunInstances does not hand on.
_PROVISIONED = ("io1", "io2")
_WITHOUT_ADDRESS = "efa-only"
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
    reserved = _reserved(backend, order)
    subnets = [backend.get_subnet(subnet_id) for subnet_id in order.subnet_ids]
    wanted = sum(1 for one in order.interfaces if one.get("InterfaceType") != _WITHOUT_ADDRESS)
    free = {subnet.id: free_addresses(backend, subnet) for subnet in subnets}
    started: list[str] = []
    for number in range(count):
        usable = [subnet for subnet in subnets if free[subnet.id] >= wanted]
        if not usable:
            end_nodes(backend, started)
            message = f"Subnets {', '.join(order.subnet_ids)} don't have enough free addresses for {count} nodes"
            raise NodesError("InsufficientFreeAddresses", message)
        subnet = usable[number % len(usable)]
        free[subnet.id] -= wanted
        started.append(_start(backend, order, subnet, is_first=not started))
    if reserved is not None:
        reserved.extend(started)
    return started


def end_nodes(backend: Any, instance_ids: Sequence[str]) -> None:
    """Terminates nodes; their interfaces go with them."""
    if instance_ids:
        backend.terminate_instances(list(instance_ids))


def _reserved(backend: Any, order: NodeOrder) -> list[str] | None:
    """Gives the list of the instances in the capacity reservation that the template names, if it names one."""
    target = order.template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    named = target.get("CapacityReservationId")
    held = state_of(backend.account_id, backend.region_name).reserved_instances
    return held.setdefault(named, []) if named else None


def _start(backend: Any, order: NodeOrder, subnet: Any, *, is_first: bool) -> str:
    primary, *further = order.interfaces
    user_data = order.template.get("UserData")
    reservation = backend.run_instances(
        order.image_id,
        1,
        Base64EncodedString(str(user_data)) if user_data else None,
        [],
        instance_type=order.instance_type,
        is_instance_type_default=not is_first,  # moto looks through a thousand types whether there is this one
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
    _set_performance(backend, instance, order)
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
        mappings = [_plain(one) for one in order.template["BlockDeviceMappings"] if one.get("Ebs")]
        optional["block_device_mappings"] = mappings  # moto makes volumes, which an instance's own disk is not
    if order.spot:
        optional["instance_market_options"] = {"MarketType": "spot"}
    return optional


def _plain(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Gives a volume that moto's RunInstances can make; ``_set_performance`` gives it what is left out."""
    volume = mapping.get("Ebs", {})
    if volume.get("VolumeType") not in _PROVISIONED:
        return dict(mapping)
    return {**mapping, "Ebs": {name: value for name, value in volume.items() if name != "VolumeType"}}


def _set_performance(backend: Any, instance: Any, order: NodeOrder) -> None:
    """Gives a node's volumes their type, and with it what a template says of their operations and throughput."""
    for mapping in order.template.get("BlockDeviceMappings") or []:
        device = instance.block_device_mapping.get(mapping["DeviceName"])
        if device is None or "Ebs" not in mapping:
            continue
        wanted, volume = mapping["Ebs"], backend.volumes[device.volume_id]
        volume.volume_type = wanted.get("VolumeType", volume.volume_type)
        volume.iops = wanted.get("Iops", volume.iops)
        volume.throughput = wanted.get("Throughput", volume.throughput)
