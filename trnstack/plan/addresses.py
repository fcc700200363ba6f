"""What takes addresses of which subnet, at its most."""

from collections.abc import Iterator
from dataclasses import dataclass

from trnstack.catalog.effective import known_instance_type_of
from trnstack.layout.addresses import GIB_PER_FILE_SERVER, file_system_addresses, metadata_servers
from trnstack.layout.lustre import TIERING_STEP_MBPS
from trnstack.layout.subnets import Subnet
from trnstack.plan.building import build_place, groups_by_recipe
from trnstack.plan.endpoints import interface_endpoints
from trnstack.plan.model import AddressUse
from trnstack.plan.nodes import addresses_of, control_plane_zone_ids, system_addresses_of, zone_of
from trnstack.plan.vpc import subnets_of
from trnstack.spec import Environment
from trnstack.spec.storage import Lustre

#: The control plane's interfaces, those of functions in the VPC, and the interface endpoints, one each in every system
#: subnet, at the very most.
_CONTROL_PLANE_AND_ENDPOINTS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetUse:
    """A subnet with all that takes its addresses.

    Attributes:
        subnets: The subnet under each of its names; an existing one may serve two roles.
        uses: What takes its addresses.
    """

    subnets: tuple[Subnet, ...]
    uses: tuple[AddressUse, ...]

    @property
    def taken(self) -> int:
        """How many addresses are taken at most."""
        return sum(use.addresses for use in self.uses)

    @property
    def free(self) -> int:
        """How many addresses are left at least; negative where there are too few."""
        return self.subnets[0].addresses - self.taken


def address_uses(environment: Environment) -> Iterator[AddressUse]:
    """Yields everything that takes addresses, in the order of the subnets.

    Raises:
        ValueError: A range is not a network, or the VPC's can't be divided.
    """
    for subnet in subnets_of(environment):
        if subnet.role == "nodes":
            yield from _of_nodes(environment, subnet)
        elif subnet.role == "system":
            yield from _of_system(environment, subnet)
        elif subnet.availability_zone_id in environment.availability_zone_ids[: environment.network.nat_gateways]:
            yield AddressUse(subnet=subnet.name, user="NAT gateway", addresses=1, arithmetic="its own")


def subnet_uses(environment: Environment) -> tuple[SubnetUse, ...]:
    """Returns every subnet with what takes its addresses; a subnet with two roles comes once, with both roles' uses.

    Raises:
        ValueError: A range is not a network, or the VPC's can't be divided.
    """
    by_range: dict[str, list[Subnet]] = {}
    for subnet in subnets_of(environment):
        by_range.setdefault(subnet.cidr, []).append(subnet)
    uses = tuple(address_uses(environment))
    return tuple(
        SubnetUse(
            subnets=tuple(subnets), uses=tuple(use for use in uses if use.subnet in {each.name for each in subnets})
        )
        for subnets in by_range.values()
    )


def _of_nodes(environment: Environment, subnet: Subnet) -> Iterator[AddressUse]:
    zone_id = subnet.availability_zone_id
    for group in environment.node_groups:
        instance_type = known_instance_type_of(group)
        if instance_type and zone_of(environment, group) == zone_id:
            taken = addresses_of(group, instance_type)
            yield AddressUse(
                subnet=subnet.name,
                user=f"node group {group.name}",
                addresses=taken.total,
                arithmetic=taken.arithmetic,
            )
    for recipe, groups in groups_by_recipe(environment).items():
        if build_place(environment, groups).zone_id == zone_id:
            arithmetic = "the instance that builds it, then the one that tests it"
            yield AddressUse(subnet=subnet.name, user=f"building {recipe}", addresses=1, arithmetic=arithmetic)
    lustre = environment.storage.lustre
    if lustre and lustre.existing_file_system is None and zone_id == environment.availability_zone_ids[0]:
        yield _of_file_system(subnet.name, lustre)


def _of_file_system(subnet_name: str, lustre: Lustre) -> AddressUse:
    of, unit, whole = GIB_PER_FILE_SERVER, "GiB", lustre.storage_gib
    if lustre.storage_type == "INTELLIGENT_TIERING":
        of, unit, whole = TIERING_STEP_MBPS, "MB/s", lustre.throughput_capacity_mbps or 0
    iops = lustre.metadata_iops
    return AddressUse(
        subnet=subnet_name,
        user="file system",
        addresses=file_system_addresses(whole, per_server=of, metadata_iops=iops),
        arithmetic=f"a server for every {of:,} of {whole:,} {unit}, {metadata_servers(iops)} for metadata",
    )


def _of_system(environment: Environment, subnet: Subnet) -> Iterator[AddressUse]:
    if subnet.availability_zone_id not in control_plane_zone_ids(environment):
        endpoints = len(interface_endpoints(environment))
        if endpoints:
            yield AddressUse(subnet=subnet.name, user="endpoints", addresses=endpoints, arithmetic="1 each")
        return
    nodes = system_addresses_of(environment)
    yield AddressUse(subnet=subnet.name, user="system nodes", addresses=nodes.total, arithmetic=nodes.arithmetic)
    yield AddressUse(
        subnet=subnet.name,
        user="control plane and endpoints",
        addresses=_CONTROL_PLANE_AND_ENDPOINTS,
        arithmetic="set aside",
    )
