"""What a fault would meet in templates: the names that may stand behind its ``@``, and whether one of them does."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.faults.table import Fault, FaultError, Place, closest

Templates = Mapping[str, Mapping[str, Any]]

NODE_GROUP, FILE_SYSTEM = "AWS::EKS::Nodegroup", "AWS::FSx::FileSystem"
_TYPES = {Place.NODES: NODE_GROUP, Place.FILE_SYSTEMS: FILE_SYSTEM}
_ZONE = re.compile(r"[a-z]{2}(-[a-z]+)+-\d[a-z]|[a-z]+\d-az\d+")
_ACCELERATED = re.compile(r"(trn|inf|p|g|dl)\d+[a-z0-9-]*\..+")
_BY_RESERVATION = frozenset({"reservation-not-active", "reservation-ended"})


def is_accelerated(instance_type: str) -> bool:
    """Says whether an instance type is one of those that are scarce: with Neuron devices or GPUs."""
    return bool(_ACCELERATED.fullmatch(instance_type))


def needs_reservation(fault: Fault) -> bool:
    """Says whether a fault concerns only nodes that start in a capacity reservation."""
    return fault.name in _BY_RESERVATION


def check(fault: Fault, templates: Templates) -> None:
    """Refuses a fault that would meet nothing, or that might mean two things.

    Args:
        fault: The fault.
        templates: The templates that are to be deployed, by the names of their stacks.

    Raises:
        FaultError: Says which names there are.
    """
    place = fault.kind.place
    if place is Place.SERVICES or (place is Place.ACTIONS and ":" in str(fault.where) and "::" not in str(fault.where)):
        return
    if place is Place.COMMAND:
        check_name(fault, dict.fromkeys(templates, 1))
        return
    resources = list(_resources(templates, _TYPES.get(place)))
    if not resources:
        raise FaultError(f"{fault} meets nothing: the environment has no {place.value}")
    known: dict[str, int] = {}
    for stack, logical_id, resource in resources:
        for name in {stack, resource["Type"], f"{stack}/{logical_id}"}:
            known.setdefault(name, 1)
        known[logical_id] = known.get(logical_id, 0) + 1
        own = _own_name(resource)
        if own:
            known[own] = known.get(own, 0) + 1
    launches = list(_launches(templates)) if place is Place.NODES else []
    known.update({name: 1 for names in launches for name in names if name})
    if fault.where is None:
        _check_default(fault, launches, known)
    elif not (place is Place.NODES and _ZONE.fullmatch(fault.where)):
        check_name(fault, known, [f"{stack}/{name}" for stack, name, _ in resources if name == fault.where])


def _check_default(fault: Fault, launches: list[tuple[str, str]], known: Mapping[str, int]) -> None:
    if fault.kind.place is not Place.NODES:
        return
    reserved = needs_reservation(fault)
    met = any(reservation if reserved else is_accelerated(instance_type) for instance_type, reservation in launches)
    if not met:
        raise FaultError(
            f"{fault} meets nothing: it strikes {fault.kind.without}\n  hint: name one of {_listed(known)}"
        )


def check_name(fault: Fault, known: Mapping[str, int], full: list[str] | None = None) -> None:
    """Refuses a fault whose ``@`` names nothing, or two things.

    Args:
        fault: The fault.
        known: How many things there are of each name that may stand behind the ``@``.
        full: How to write those of which there are several.

    Raises:
        FaultError: Says which names there are.
    """
    if fault.where is None:
        return
    if fault.where not in known:
        near = closest(fault.where, known)
        raise FaultError(f"{fault.name} can't find {fault.where!r}{near}\n  hint: it can meet {_listed(known)}")
    if known[fault.where] > 1:
        which = f"; write {' or '.join(full)}" if full else ""
        raise FaultError(f"{fault.where!r} is there {known[fault.where]} times{which}")


def _listed(known: Mapping[str, int]) -> str:
    return ", ".join(sorted(name for name in known if "/" not in name))


def _resources(templates: Templates, wanted: str | None) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for stack, template in templates.items():
        for logical_id, resource in template.get("Resources", {}).items():
            if wanted is None or resource["Type"] == wanted:
                yield stack, logical_id, resource


def _own_name(resource: Mapping[str, Any]) -> str | None:
    """Gives the name that a resource's properties give it, where they say it outright."""
    kind = str(resource["Type"]).rpartition("::")[2]
    properties = resource.get("Properties", {})
    name = properties.get(f"{kind}Name", properties.get("Name"))
    return name if isinstance(name, str) else None


def _launches(templates: Templates) -> Iterator[tuple[str, str]]:
    """Yields the instance type and the reservation of every launch template and node group, where they are said."""
    for _, _, template in _resources(templates, "AWS::EC2::LaunchTemplate"):
        data = template.get("Properties", {}).get("LaunchTemplateData", {})
        target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
        kind, reservation = data.get("InstanceType"), target.get("CapacityReservationId")
        yield kind if isinstance(kind, str) else "", reservation if isinstance(reservation, str) else ""
    for _, _, group in _resources(templates, NODE_GROUP):
        for kind in group.get("Properties", {}).get("InstanceTypes") or ():
            if isinstance(kind, str):
                yield kind, ""
