"""The faults by name: what each does, where it strikes, how long it lasts, and what a person sees of it."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class FaultError(ValueError):
    """A fault that there is none of; its message is a sentence for a person."""


class Place(Enum):
    """Where a fault strikes, which decides what may stand behind its ``@``."""

    NODES = "node group"
    FILE_SYSTEMS = "file system"
    ACTIONS = "action"
    SERVICES = "service"
    COMMAND = "stack"


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table.

    Attributes:
        name: What a person writes.
        does: What it does, in one line.
        place: Where it strikes.
        where: What may stand behind ``@``, in one line.
        without: Where it strikes without ``@``, in one line.
        default: What stands for a missing ``@``; None where the fault finds its place itself.
        lasts: Until when, in one line.
        code: The error code that a person sees; empty where nothing is refused.
        fails: Whether a deploy fails by it; the SDKs get over the others, or nothing is refused.
    """

    name: str
    does: str
    place: Place
    where: str
    without: str
    code: str
    default: str | None = None
    lasts: str = "until it is lifted"
    fails: bool = True


_NODES = "a node group's name, logical id or stack, an instance type, a zone"
_ACCELERATED = "every node group of an accelerated type (trn, inf, p, g)"
_RESERVED = "every node group whose launch template names a reservation"

_ROWS = (
    Kind(
        name="no-capacity",
        does="the zone has no capacity for the instance type: no node starts",
        place=Place.NODES,
        where=_NODES,
        without=_ACCELERATED,
        code="InsufficientInstanceCapacity",
    ),
    Kind(
        name="quota-zero",
        does="the account may run no vCPU of the instance type, as a new account may of Trn: no node starts",
        place=Place.NODES,
        where=_NODES,
        without=_ACCELERATED,
        code="VcpuLimitExceeded",
    ),
    Kind(
        name="reservation-not-active",
        does="the capacity reservation has not begun: no node starts in it",
        place=Place.NODES,
        where=f"{_NODES}, a reservation's id",
        without=_RESERVED,
        code="InvalidCapacityReservationState.PendingActivation",
    ),
    Kind(
        name="reservation-ended",
        does="the capacity reservation is over: no node starts in it",
        place=Place.NODES,
        where=f"{_NODES}, a reservation's id",
        without=_RESERVED,
        code="ReservationCapacityExceeded",
    ),
    Kind(
        name="nodes-unhealthy",
        does="nodes start and never join the cluster, and EKS gives the node group up",
        place=Place.NODES,
        where=_NODES,
        without=_ACCELERATED,
        code="NodeCreationFailure",
    ),
    Kind(
        name="fsx-creation-fails",
        does="FSx takes the order for a file system and can't build it",
        place=Place.FILE_SYSTEMS,
        where="a file system's logical id, type or stack",
        without="every new file system",
        code="NotStabilized",
    ),
    Kind(
        name="access-denied",
        does="IAM denies one action, or all that makes and changes one resource",
        place=Place.ACTIONS,
        where="an action such as eks:CreateNodegroup, or a resource's logical id, type or stack",
        without="eks:CreateCluster",
        default="eks:CreateCluster",
        code="AccessDenied",
    ),
    Kind(
        name="throttling",
        does="three calls in ten are throttled; SDKs try again, CloudFormation too",
        place=Place.SERVICES,
        where="a service such as ec2",
        without="every service",
        code="Throttling",
        fails=False,
    ),
    Kind(
        name="api-down",
        does="a service answers 503 to every call",
        place=Place.SERVICES,
        where="a service such as eks",
        without="eks",
        default="eks",
        lasts="a minute",
        code="ServiceUnavailable",
    ),
    Kind(
        name="cli-killed",
        does="the CDK CLI is killed half way; AWS goes on with what it was asked for",
        place=Place.COMMAND,
        where="a stack",
        without="the first stack with nodes",
        lasts="one deploy",
        code="",
    ),
)

#: The faults by name.
#:
#: Source: EC2's codes are those of the EC2 API reference, "Error codes for the Amazon EC2 API"; what EKS makes of them
#: is in ``rehearsal.faults.launching``, the codes of throttling and of denied access in ``rehearsal.faults.refusals``.
#: That a targeted reservation which is over answers ``ReservationCapacityExceeded`` is not confirmed: EC2 documents the
#: code for one without enough room, and none for one that has ended.
FAULTS = {kind.name: kind for kind in _ROWS}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that is to happen.

    Attributes:
        name: Its name in ``FAULTS``.
        where: What it concerns; None where it finds its place itself.
    """

    name: str
    where: str | None = None

    @property
    def kind(self) -> Kind:
        """Its row of the table."""
        return FAULTS[self.name]

    def __str__(self) -> str:
        """Writes it as ``parse`` reads it."""
        return self.name if self.where is None else f"{self.name}@{self.where}"


_ACTION = re.compile(r"(?P<service>[a-z][a-z0-9-]*):(?P<operation>[A-Z]\w*)")


def parse(text: str) -> Fault:
    """Reads ``NAME[@WHERE]``.

    Raises:
        FaultError: There is no fault of the name, or AWS has no such service or action; says what there is.
    """
    name, at, where = text.strip().partition("@")
    if name not in FAULTS:
        raise FaultError(f"there is no fault {name!r}{closest(name, FAULTS)}\n  hint: there are {', '.join(FAULTS)}")
    kind = FAULTS[name]
    if at and not where:
        raise FaultError(f"{text!r} names nothing behind the @; it takes {kind.where}")
    fault = Fault(name, where or kind.default)
    if fault.where is not None:
        _check_api(fault.kind, fault.where)
    return fault


def table(names: Iterable[str] = tuple(FAULTS)) -> str:
    """Gives the table for a person, a fault to three lines.

    Args:
        names: The faults that are to be in it; all of them without.
    """
    return "\n".join(
        f"  {kind.name:<24}{kind.does}\n"
        f"  {'':<24}@ {kind.where}\n"
        f"  {'':<24}without @: {kind.without}; lasts {kind.lasts}"
        for kind in (FAULTS[name] for name in names)
    )


def closest(name: str, known: Iterable[str]) -> str:
    """Gives the question that a misspelt name deserves, to follow on it; nothing where no name is near."""
    near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f", did you mean {near[0]!r}?" if near else ""


def _check_api(kind: Kind, where: str) -> None:
    """Refuses a service or an action that AWS does not have; a resource's name can be anything."""
    action = _ACTION.fullmatch(where) if kind.place is Place.ACTIONS else None
    service = action["service"] if action else where if kind.place is Place.SERVICES else None
    if service is None:
        return
    from rehearsal.sessions import core_session  # noqa: PLC0415  (names alone need no SDK, which takes long to load)

    session = core_session()
    services = session.get_available_services()
    if service not in services:
        raise FaultError(f"AWS has no service {service!r} as {kind.name} takes it{closest(service, services)}")
    if action:
        model = session.get_service_model(service)
        operations = model.operation_names
        if action["operation"] not in operations:
            near = closest(action["operation"], operations)
            raise FaultError(f"{service} has no action {action['operation']!r}{near}")
        successor = _successor(model, action["operation"])
        if successor is not None:
            raise FaultError(f"{where} is deprecated and is called {service}:{successor} now")


def _successor(model: Any, operation: str) -> str | None:
    """Gives the operation that a request for a deprecated one asks for, where another has its path; None without one.

    Args:
        model: The service's model of botocore.
        operation: The deprecated operation's name, or that of any other.
    """
    from rehearsal.faults.calls import path_of  # noqa: PLC0415  (see above)

    asked = model.operation_model(operation)
    if not asked.deprecated:
        return None
    others = (model.operation_model(name) for name in model.operation_names)
    wanted = (asked.http["method"], *path_of(asked))
    return next(
        (one.name for one in others if not one.deprecated and (one.http["method"], *path_of(one)) == wanted), None
    )
