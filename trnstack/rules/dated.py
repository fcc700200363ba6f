"""What must hold on a day: blocks have not ended, Kubernetes versions are supported.

These rules are given a time, and are called only when a person names one (``trnstack check --at TIME``): nothing in
trnstack looks at the clock by itself. A lock's age is nobody's fault and is not judged.
"""

import datetime as dt
from collections.abc import Callable, Iterator

from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.findings import Finding, Path, Severity
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock

DatedRule = Callable[[Environment, dt.datetime], Iterator[Finding]]

#: EC2 starts to terminate a block's instances so long before its end.
_TERMINATION = dt.timedelta(minutes=30)
#: Time for a change window and a rolling update of a fleet.
_NOTICE = dt.timedelta(days=60)
#: A shorter time is told in hours.
_IN_DAYS_FROM = dt.timedelta(days=2)


def _blocks(environment: Environment) -> Iterator[tuple[Path, CapacityBlock]]:
    for index, group in enumerate(environment.node_groups):
        if isinstance(group.capacity, CapacityBlock):
            yield ("node_groups", index, "capacity"), group.capacity


def _moment(time: dt.datetime) -> str:
    return f"{time.astimezone(dt.UTC):%Y-%m-%dT%H:%MZ}"


def blocks_have_not_ended(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """CAP050: The capacity block has not ended: its nodes are gone, and none will start.

    Source: EC2 user guide, "Capacity Blocks for ML".
    """
    for path, block in _blocks(environment):
        if block.ends_at <= at:
            yield Finding(
                code="CAP050",
                path=(*path, "ends_at"),
                message=f"the block has ended: {_moment(block.ends_at)} is over at {_moment(at)}",
                hint="name another block, or remove the node group",
            )


def blocks_have_started(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """CAP051: The capacity block has started; before, its node group stands without nodes.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML".
    """
    for path, block in _blocks(environment):
        if at < block.starts_at < block.ends_at:
            yield Finding(
                code="CAP051",
                severity=Severity.NOTE,
                path=(*path, "starts_at"),
                message=f"the block starts at {_moment(block.starts_at)}, in {_span(block.starts_at - at)}",
                hint="nothing needs to change; nodes can't start before",
            )


def blocks_are_not_draining(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """CAP052: The capacity block is not in its last minutes, in which jobs are told to stop and nodes are terminated.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML": EC2 terminates instances from 30
    minutes before the end.
    """
    for path, block in _blocks(environment):
        terminates_at = block.ends_at - _TERMINATION
        drains_at = terminates_at - dt.timedelta(minutes=block.drain_minutes)
        if max(drains_at, block.starts_at) <= at < block.ends_at:
            yield Finding(
                code="CAP052",
                severity=Severity.NOTE,
                path=(*path, "drain_minutes"),
                message=f"the block drains since {_moment(drains_at)}; its nodes end from {_moment(terminates_at)} on",
                hint="start no job now; extend the block, or name the next one",
            )


def begun_blocks_are_not_waited_for(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """CAP053: No schedule is to start the nodes of a block that has begun: a new one for the past is refused.

    A stack that stands has its schedule already, and only a new or a changed one is refused (docs/adr/0004).

    Source: EventBridge Scheduler, CreateSchedule: ValidationException for ``at()`` times in the past, as in
    docs/adr/0004.
    """
    for path, block in _blocks(environment):
        if block.scale_up == "scheduled" and block.starts_at <= at < block.ends_at:
            yield Finding(
                code="CAP053",
                severity=Severity.WARNING,
                path=(*path, "starts_at"),
                message=f"the block has begun at {_moment(block.starts_at)}: a first deploy now would be refused",
                hint="if its stack does not stand yet, write scale_up: by_hand and run the stack's ScaleUpCommand",
            )


def standard_support_lasts(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """EKS050: Standard support of the Kubernetes version goes on for 60 days and more.

    When it ends, a cluster with support_type STANDARD is upgraded by AWS, on a day of AWS's choice; with EXTENDED it
    costs six times as much an hour instead.

    Source: EKS user guide, "Understand the Kubernetes version lifecycle on EKS"; Amazon EKS pricing.
    """
    version = KUBERNETES_VERSIONS.get(environment.eks.kubernetes_version)
    if version is None:
        return
    ends = _midnight(version.standard_support_ends)
    if at < ends - _NOTICE or at >= _midnight(version.extended_support_ends):
        return
    by_itself = environment.eks.support_type == "STANDARD"
    then = "AWS upgrades the cluster by itself" if by_itself else "the control plane costs more, by extended support"
    when = f"ended on {ends:%Y-%m-%d}" if ends <= at else f"ends on {ends:%Y-%m-%d}, in {_span(ends - at)}"
    yield Finding(
        code="EKS050",
        severity=Severity.WARNING,
        path=("eks", "kubernetes_version"),
        message=f"standard support of {version.minor} {when}: {then}",
        hint=_newer(at, version.minor),
    )


def extended_support_lasts(environment: Environment, at: dt.datetime) -> Iterator[Finding]:
    """EKS051: Extended support of the Kubernetes version has not ended: no cluster can be made with it after that.

    A cluster that stands is upgraded by AWS.

    Source: EKS user guide, "Understand the Kubernetes version lifecycle on EKS".
    """
    version = KUBERNETES_VERSIONS.get(environment.eks.kubernetes_version)
    if version and at >= _midnight(version.extended_support_ends):
        yield Finding(
            code="EKS051",
            path=("eks", "kubernetes_version"),
            message=f"all support of {version.minor} ended on {version.extended_support_ends:%Y-%m-%d}",
            hint=_newer(at, version.minor),
        )


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def _span(time: dt.timedelta) -> str:
    count, unit = (time.days, "day") if time >= _IN_DAYS_FROM else (int(time.total_seconds() // 3600), "hour")
    return f"{count} {unit}{'' if count == 1 else 's'}" if count else "less than an hour"


def _newer(at: dt.datetime, minor: str) -> str:
    """Returns the change to make: a newer version with standard support for a while, one minor version at a time."""
    known = list(KUBERNETES_VERSIONS.values())
    later = known[[each.minor for each in known].index(minor) + 1 :]
    lasting = [each.minor for each in later if at < _midnight(each.standard_support_ends) - _NOTICE]
    if not lasting:
        return "see the EKS user guide for newer versions: the catalog has none that lasts"
    return f'upgrade to "{lasting[0]}", one minor version at a time'


DATED_RULES: tuple[DatedRule, ...] = (
    blocks_have_not_ended,
    blocks_have_started,
    blocks_are_not_draining,
    begun_blocks_are_not_waited_for,
    standard_support_lasts,
    extended_support_lasts,
)
#: As in every module of rules.
RULES = DATED_RULES
