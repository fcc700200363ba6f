"""Makes the faults happen: to the calls of services, and to what CloudFormation asks of them for one resource."""

import threading
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus

from flask import Response, request

from rehearsal import clock
from rehearsal.faults.calls import Call, call_of
from rehearsal.faults.launching import issue, refusal
from rehearsal.faults.marks import FILE_SYSTEM, LAUNCHES, Issue, Launch
from rehearsal.faults.names import is_accelerated, needs_reservation
from rehearsal.faults.refusals import Refusal, answer, denied, down, throttled
from rehearsal.faults.table import Fault, FaultError, Place
from rehearsal.handlers.base import Properties, Resource
from rehearsal.stack import Stack

_OUTAGE = timedelta(minutes=1)
_OUTAGE_CALLS = 5
_THROTTLED = frozenset({1, 4, 7})
#: FSx's words for this are not published; the API reference says only that it gives some.
_NOT_BUILT = "Insufficient capacity in the Availability Zone of the subnet to create the file system."
_NAMES = {"awslambda": "lambda"}
_NO_CALL = frozenset({"", "AssumeRole", "GetCallerIdentity"})


@dataclass(slots=True)
class _Active:
    """A fault with what has come of it.

    Attributes:
        fault: The fault.
        calls: How many calls it has looked at.
        refused: How many it has refused.
        began: The rehearsal's time of its first refusal; None before it.
    """

    fault: Fault
    calls: int = 0
    refused: int = 0
    began: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Asking:
    """The resource for which CloudFormation is calling.

    Attributes:
        names: Every name by which a person may mean it.
        verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
        account: The account's number.
        region: The region.
    """

    names: frozenset[str]
    verb: str
    account: str
    region: str


_ASKING: ContextVar[_Asking | None] = ContextVar("asking", default=None)


class Faults:
    """The faults of one embedded AWS, which may be set and lifted while it runs.

    ``before`` is a look of the engine's, called in the thread that then calls the services, and ``gate`` is asked
    before each service answers.
    """

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._lock = threading.Lock()
        self._active = [_Active(fault) for fault in faults]

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults that are in force, in the order in which they were set; an outage that is over is none."""
        with self._lock:
            self._active = [one for one in self._active if not _is_over(one)]
            return tuple(one.fault for one in self._active)

    def refused(self) -> dict[str, int]:
        """Gives how many calls each fault in force has refused or let fail, by the fault as a person writes it."""
        with self._lock:
            return {str(one.fault): one.refused for one in self._active}

    def add(self, fault: Fault) -> None:
        """Sets a fault; one that is in force already begins anew."""
        with self._lock:
            self._active = [*(one for one in self._active if one.fault != fault), _Active(fault)]

    def lift(self, fault: Fault | None = None) -> None:
        """Takes a fault back; all of them without one.

        Raises:
            FaultError: It is not in force.
        """
        with self._lock:
            if fault is not None and all(one.fault != fault for one in self._active):
                raise FaultError(f"{fault} is not in force")
            self._active = [one for one in self._active if fault is not None and one.fault != fault]

    def before(self, stack: Stack, resource: Resource, verb: str, properties: Properties) -> None:
        """Notes for which resource the calls that follow in this thread are; a ``Before`` of the engine."""
        kind = resource.type.rpartition("::")[2]
        own = (properties.get(f"{kind}Name"), properties.get("Name"), resource.physical_id)
        names = {stack.name, resource.logical_id, f"{stack.name}/{resource.logical_id}", resource.type}
        names |= {name for name in own if isinstance(name, str)}
        _ASKING.set(_Asking(frozenset(names), verb, stack.account, stack.region))

    def gate(self, service: str) -> Response | None:
        """Answers the request of the moment in the service's place, or marks it; None lets it pass.

        Args:
            service: moto's name of the service, which for Lambda is not boto3's.
        """
        service = _NAMES.get(service, service)
        if not self._active:
            return None
        call = call_of(service, request)
        with self._lock:
            for one in self._active:
                refused = self._refusal(one, call)
                if refused is not None:
                    one.refused += 1
                    return answer(service, refused)
                self._mark(one, call)
        return None

    def _refusal(self, one: _Active, call: Call) -> Refusal | None:
        fault = one.fault
        match fault.name:
            case "throttling":
                return throttled(call.service) if _throttles(one, call) else None
            case "api-down":
                return down(call.service) if call.service == fault.where and _is_down(one) else None
            case "access-denied":
                return _denied(call) if _denies(fault, call) else None
            case _:
                return _instance_refusal(fault, call)

    def _mark(self, one: _Active, call: Call) -> None:
        """Tells the service that answers of a fault that it plays out itself."""
        place, asking = one.fault.kind.place, _ASKING.get()
        names = asking.names if asking else frozenset[str]()
        if place is Place.NODES and call.service == "eks":
            earlier = request.environ.get(LAUNCHES)

            def launches(launch: Launch) -> Issue | None:
                if not _concerns(one.fault, launch, names):
                    return earlier(launch) if earlier else None
                one.refused += 1
                return issue(one.fault.name, launch)

            request.environ[LAUNCHES] = launches
        meant = one.fault.where is None or one.fault.where in names
        if place is Place.FILE_SYSTEMS and call.action == "fsx:CreateFileSystem" and meant:
            one.refused += 1
            request.environ[FILE_SYSTEM] = _NOT_BUILT


def _is_over(one: _Active) -> bool:
    """Says whether an outage has passed.

    A minute passes on the rehearsal's clock, and it passes for callers who try again: each refused call stands for the
    twelve seconds that an SDK waits before its next, so that one operation with all its attempts fails.

    Source: botocore, "Retries": five attempts, with up to 20 seconds between two of them. How long CloudFormation
    itself goes on trying is not published.
    """
    if one.fault.name != "api-down" or one.began is None:
        return False
    return one.refused >= _OUTAGE_CALLS or clock.now() - one.began >= _OUTAGE


def _is_down(one: _Active) -> bool:
    one.began = one.began or clock.now()
    return not _is_over(one)


def _throttles(one: _Active, call: Call) -> bool:
    """Says whether a call is one of the three in ten; counted, so that a rehearsal goes the same way each time.

    No two in a row are refused, so that whoever tries once more gets through.
    """
    if one.fault.where not in {None, call.service} or call.operation in _NO_CALL:
        return False
    one.calls += 1
    return one.calls % 10 in _THROTTLED


def _denies(fault: Fault, call: Call) -> bool:
    if fault.where == call.action:
        return True
    asking = _ASKING.get()
    return asking is not None and asking.verb != "DELETE" and fault.where in asking.names


def _denied(call: Call) -> Refusal:
    asking = _ASKING.get()
    if asking is None:
        who = "arn:aws:iam::123456789012:user/rehearsal"
    else:
        role = f"cdk-hnb659fds-cfn-exec-role-{asking.account}-{asking.region}"
        who = f"arn:aws:sts::{asking.account}:assumed-role/{role}/AWSCloudFormation"
    return denied(call.service, call.action, who=who, what="*")


def _concerns(fault: Fault, launch: Launch, names: frozenset[str]) -> bool:
    if needs_reservation(fault) and launch.reservation is None:
        return False
    if fault.where is None:
        return needs_reservation(fault) or is_accelerated(launch.instance_type)
    meant = {launch.group, launch.instance_type, *launch.zones, launch.reservation}
    return fault.where in meant | names


def _instance_refusal(fault: Fault, call: Call) -> Refusal | None:
    """Refuses to start single instances too, where EC2 would refuse those of a node group."""
    if fault.kind.place is not Place.NODES or call.action != "ec2:RunInstances" or fault.name == "nodes-unhealthy":
        return None
    kind = call.parameters.get("InstanceType", "")
    zone = call.parameters.get("Placement.AvailabilityZone", "")
    target = "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId"
    launch = Launch("", kind, (zone,) if zone else (), call.parameters.get(target))
    if not _concerns(fault, launch, frozenset()):
        return None
    code, words = refusal(fault.name, kind, zone)
    status = HTTPStatus.INTERNAL_SERVER_ERROR if code == "InsufficientInstanceCapacity" else HTTPStatus.BAD_REQUEST
    return Refusal(status, code, words)
