"""Decides which quotas of EC2 an environment needs, in vCPUs, and what it needs of Lambda's."""

from collections.abc import Iterator

from trnstack.catalog import INSTANCE_TYPES, SYSTEM_INSTANCE_TYPES
from trnstack.catalog.effective import instance_type_of
from trnstack.plan.building import build_place, groups_by_recipe
from trnstack.plan.model import Decision
from trnstack.plan.model.capacity import QuotaPlan, QuotaUse
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityReservation

#: Source: Service Quotas, EC2: "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances".
STANDARD_QUOTA = "L-1216C47A"
#: How many charts and objects in the cluster are worked on at once; each needs two functions for as long as it takes.
AT_ONCE = 4
_NAMES = {
    "L-2C3B7624": "Running On-Demand Trn instances",
    "L-6B0D517C": "All Trn Spot Instance Requests",
    STANDARD_QUOTA: "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
}


def quotas(environment: Environment) -> tuple[QuotaPlan, ...]:
    """Returns what the environment needs of each quota at its largest; none that it does not touch.

    Source: Service Quotas, EC2; EC2 user guide, "Reserve compute capacity with EC2 On-Demand Capacity Reservations":
    reservations count toward the On-Demand quota whether they are used or not. The guide names limits of their own for
    Capacity Blocks, and no vCPU quota that they count against.
    """
    uses: dict[str, list[QuotaUse]] = {}
    for code, use in _uses(environment):
        if use.count:
            uses.setdefault(code, []).append(use)
    return tuple(
        QuotaPlan(
            code=code,
            name=_NAMES[code],
            vcpus=sum(use.count * use.vcpus_each for use in uses[code]),
            uses=tuple(uses[code]),
        )
        for code in _NAMES
        if code in uses
    )


def quota_decisions(environment: Environment) -> Iterator[Decision]:
    """Yields what counts against no quota of EC2's, or against one in a way that may surprise; and Lambda's.

    Source: Lambda developer guide, "Lambda quotas": concurrent executions are 1,000 a region, fewer in new accounts,
    raised on request; 10 is what such accounts report. Service Quotas, Lambda: L-B99A9384.
    """
    if environment.kubernetes.delivery == "cdk":
        reason = (
            f"CDK's two functions work on {AT_ONCE} charts or objects in the cluster at once; they count in Lambda's "
            "quota of concurrent executions (L-B99A9384), of which a new account may have no more than 10"
        )
        yield Decision(path="kubernetes.delivery", value=f"{2 * AT_ONCE} functions at once", reason=reason)
    for index, group in enumerate(environment.node_groups):
        path = f"node_groups[{index}].quota"
        if group.capacity.type == "capacity_block":
            reason = "blocks have limits of their own: 64 instances in one, 256 in all blocks of an organization"
            yield Decision(path=path, value="not counted", reason=reason)
        elif group.capacity.type == "capacity_reservation":
            reason = "an On-Demand reservation counts in full, used or not; nodes that start in it count no second time"
            yield Decision(path=path, value="the reservation's", reason=reason)


def _uses(environment: Environment) -> Iterator[tuple[str, QuotaUse]]:
    reserved: set[str] = set()
    for group in environment.node_groups:
        instance_type, capacity = instance_type_of(group), group.capacity
        user, count, code = f"node group {group.name}", group.largest_count, instance_type.on_demand_quota_code
        if capacity.type == "capacity_block":
            continue
        if capacity.type == "spot":
            code = instance_type.spot_quota_code
        if isinstance(capacity, CapacityReservation):
            name = capacity.capacity_reservation_id or capacity.capacity_reservation_resource_group_arn or ""
            if name in reserved:
                continue
            reserved.add(name)
            user, count = f"reservation {name}", capacity.instance_count
        yield code, QuotaUse(user=user, count=count, vcpus_each=instance_type.vcpu_quota_units)
    for recipe, groups in groups_by_recipe(environment).items():
        row = INSTANCE_TYPES.get(build_place(environment, groups).instance_type) or instance_type_of(groups[0])
        # The instance that tests an image starts when the one that built it is gone.
        yield row.on_demand_quota_code, QuotaUse(user=f"building {recipe}", count=1, vcpus_each=row.vcpu_quota_units)
    system = environment.eks.system_node_group
    known = SYSTEM_INSTANCE_TYPES.get(system.instance_type)
    if known:
        yield STANDARD_QUOTA, QuotaUse(user="system nodes", count=system.max_count, vcpus_each=known.vcpus)
