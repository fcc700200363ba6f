"""What each stack of a plan makes that takes time, and what each of these waits for."""

from collections.abc import Iterator
from dataclasses import dataclass

from trnstack.catalog.creation_times import Duration, duration
from trnstack.plan.model import LustrePlan, NodeGroupPlan, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Creation:
    """Something that a stack makes.

    Attributes:
        name: What the others of its stack know it by.
        what: What it is, in words.
        duration: How long it takes.
        after: The names of those that must be there before it.
    """

    name: str
    what: str
    duration: Duration
    after: tuple[str, ...] = ()


def creations(plan: Plan, stack: str) -> tuple[Creation, ...]:
    """Returns what a stack makes, each after what it waits for.

    Args:
        plan: The plan.
        stack: The name of one of its stacks.
    """
    part = stack.removeprefix(f"{plan.name}-")
    makes = {"network": _network, "storage": _storage, "images": _images, "cluster": _cluster}.get(part)
    if makes is not None:
        return tuple(makes(plan))
    if stack == plan.kubernetes.stack:
        return tuple(_kubernetes(plan))
    return tuple(_nodes(next(group for group in plan.node_groups if group.stack == stack)))


def _others(name: str, count: int, *after: str) -> Iterator[Creation]:
    """Yields resources of no account, each after the one before; the last one has the name that was asked for."""
    for number in range(1, count + 1):
        mine = name if number == count else f"{name} {number}"
        yield Creation(name=mine, what=name, duration=duration("other"), after=after)
        after = (mine,)


def _network(plan: Plan) -> Iterator[Creation]:
    """Yields a new VPC with its way out, and endpoints; of a VPC that stands, groups and endpoints alone."""
    network, below = plan.network, tuple[str, ...]()
    if network.existing_vpc is None:
        yield Creation(name="VPC", what="VPC", duration=duration("vpc"))
        yield from _others("subnets", 2, "VPC")
        yield from _others("way out", 3, "VPC")  # the internet gateway, the route to it, an address
        for zone in network.nat_gateway_zone_ids:
            name = f"NAT gateway {zone}"
            yield Creation(
                name=name, what=f"NAT gateway in {zone}", duration=duration("nat_gateway"), after=("subnets", "way out")
            )
        nat_gateways = tuple(f"NAT gateway {zone}" for zone in network.nat_gateway_zone_ids)
        yield from _others("routes", 1, *(nat_gateways or ("subnets",)))
        yield Creation(
            name="s3", what="gateway endpoint of S3", duration=duration("gateway_endpoint"), after=("subnets",)
        )
        below = ("VPC",)
    yield from _others("security groups", 2, *below)
    for endpoint in network.interface_endpoints:
        yield Creation(
            name=endpoint.service,
            what=f"interface endpoint of {endpoint.service}",
            duration=duration("interface_endpoint"),
            after=("security groups",),
        )


def _storage(plan: Plan) -> Iterator[Creation]:
    yield Creation(name="keys", what="KMS keys", duration=duration("kms_key"))
    yield from _others("buckets", 2, "keys")
    lustre = plan.storage.lustre
    before: tuple[str, ...] = ("buckets",)
    if isinstance(lustre, LustrePlan):
        what = f"FSx for Lustre file system, {lustre.deployment_type}"
        yield Creation(name="file system", what=what, duration=duration("lustre"), after=("keys",))
        before = (*before, "file system")
    for link in lustre.associations if lustre else ():
        yield Creation(
            name=link.file_system_path,
            what=f"data repository association of {link.file_system_path}",
            duration=duration("association"),
            after=before,
        )
        before = (link.file_system_path,)  # the stack makes them one after another


def _images(plan: Plan) -> Iterator[Creation]:
    for image in plan.images:
        yield from _others(f"recipe {image.recipe}", 3)
        yield Creation(
            name=image.name,
            what=f"custom image {image.recipe}",
            duration=duration("image"),
            after=(f"recipe {image.recipe}",),
        )


def _cluster(plan: Plan) -> Iterator[Creation]:
    yield from _others("roles", 1)
    yield Creation(name="control plane", what="EKS control plane", duration=duration("control_plane"), after=("roles",))
    early = [add_on.name for add_on in plan.cluster.add_ons if add_on.before_nodes]
    late = [add_on.name for add_on in plan.cluster.add_ons if not add_on.before_nodes]
    yield from (_add_on(name, "control plane") for name in early)
    yield Creation(
        name="system nodes", what="system nodes", duration=duration("node_group"), after=("control plane", *early)
    )
    yield from (_add_on(name, "system nodes") for name in late)


def _add_on(name: str, after: str) -> Creation:
    return Creation(name=name, what=f"add-on {name}", duration=duration("add_on"), after=(after,))


def _kubernetes(plan: Plan) -> Iterator[Creation]:
    """Yields the charts in their order, after the functions that install them."""
    yield from _others("functions", 7)
    for release in plan.kubernetes.releases:
        yield Creation(
            name=release.name,
            what=f"chart {release.name}",
            duration=duration("chart"),
            after=("functions", *release.after),
        )
    yield from _others("objects", _objects(plan), "functions", *(release.name for release in plan.kubernetes.releases))


def _objects(plan: Plan) -> int:
    """Counts the objects that the stack makes one after another: namespace, account, access; queue; runtimes."""
    queue = plan.kubernetes.queue
    return 6 + bool(plan.kubernetes.runtimes) + (4 + len(queue.flavors) if queue else 0)


def _nodes(group: NodeGroupPlan) -> Iterator[Creation]:
    wanted = group.scaling.desired
    nodes = f"{wanted} x {group.launch_template.instance_type}" if wanted else "no nodes"
    yield from _others("launch template", 1)
    yield Creation(
        name=group.name,
        what=f"node group {group.name}, {nodes}",
        duration=duration("accelerated_node_group" if wanted else "empty_node_group"),
        after=("launch template",),
    )
