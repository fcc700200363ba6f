"""How a fault reaches the services that play it out: as a mark on the request that they answer.

A refusal needs no service's help. Nodes that don't start and file systems that can't be built are taken on first and
fail afterwards, so that what answers CreateNodegroup and CreateFileSystem has to know.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flask import has_request_context, request

LAUNCHES = "rehearsal.launches"
FILE_SYSTEM = "rehearsal.file_system"


@dataclass(frozen=True, slots=True)
class Launch:
    """What a node group is about to start.

    Attributes:
        group: The node group's name.
        instance_type: The type of its instances.
        zones: The names and the ids of the zones of its subnets.
        reservation: The id of the capacity reservation that its launch template names; None without one.
        market: What is bought: ``On-Demand``, ``Spot`` or ``Capacity Block``.
    """

    group: str
    instance_type: str
    zones: tuple[str, ...]
    reservation: str | None = None
    market: str = "On-Demand"


@dataclass(frozen=True, slots=True)
class Issue:
    """Why a node group's nodes can't work, as EKS tells it.

    Attributes:
        code: The code of the node group's health issue.
        message: What it says.
        starts: Whether instances start all the same, and are of no use.
    """

    code: str
    message: str
    starts: bool = False


Launches = Callable[[Launch], Issue | None]


def launch_issue(launch: Launch) -> Issue | None:
    """Gives what is wrong with starting nodes now; None where nothing is."""
    launches: Launches | None = request.environ.get(LAUNCHES) if has_request_context() else None
    return launches(launch) if launches else None


def file_system_failure() -> str | None:
    """Gives why the file system that is being asked for can't be built; None where it can."""
    failure: str | None = request.environ.get(FILE_SYSTEM) if has_request_context() else None
    return failure
