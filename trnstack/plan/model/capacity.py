"""The part of the plan that tells how capacity is had: schedules of Capacity Blocks, and quotas."""

from dataclasses import dataclass
from typing import Literal

#: What an event carries that tells a block's end, so that rules of the default event bus can match it.
EVENT_SOURCE = "trnstack"
EVENT_DETAIL_TYPE = "Capacity block is ending"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePlan:
    """One thing that EventBridge Scheduler does once.

    Attributes:
        name: Its name in the node group's schedule group.
        at: When, in UTC, as a schedule expression has it: without a suffix.
        target: ``nodes`` (the node group's size), ``topic`` (people, by SNS) or ``events`` (programs, by EventBridge).
        desired_size: The node group's size from then on; None for the other targets.
        input: What the target gets: the call's parameters or the event's detail as JSON, or the message.
        reason: Why at that time.
    """

    name: str
    at: str
    target: Literal["nodes", "topic", "events"]
    desired_size: int | None
    input: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """A Capacity Block and what happens at its times.

    Attributes:
        capacity_reservation_id: None where a resource group's ARN names the block, which has no metrics of its own.
        node_count: The nodes that start in it.
        unused_instances: The instances of the block that no node group of the environment asks for.
        schedules: In the order of their times.
        scale_up_command: What starts the nodes by hand.
        notice_emails: Who is told by e-mail when the block is ending, idle, or a schedule fails.
    """

    capacity_reservation_id: str | None
    node_count: int
    unused_instances: int
    schedules: tuple[SchedulePlan, ...]
    scale_up_command: str
    notice_emails: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUse:
    """What counts against a quota.

    Attributes:
        user: Such as ``node group trn1``.
        count: Instances at most.
        vcpus_each: What each of them counts.
    """

    user: str
    count: int
    vcpus_each: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaPlan:
    """A quota of the account in the region, and what of it the environment needs.

    Attributes:
        code, name: As Service Quotas has them, service ``ec2``.
        vcpus: The sum of the uses.
    """

    code: str
    name: str
    vcpus: int
    uses: tuple[QuotaUse, ...]
