"""What a container may ask of its node."""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from trnstack.kubernetes.checks import forms

_STANDARD = {"cpu", "memory", "ephemeral-storage"}
_HUGE_PAGES = "hugepages-"
_OWN_DOMAINS = re.compile(r"(^|\.)kubernetes\.io$")

Problems = Iterator[tuple[str, str]]


def resource_problems(path: str, resources: Mapping[str, Any]) -> Problems:
    """Yields what is wrong with requests and limits.

    Devices and huge pages can't be shared out twice: their request is their limit, devices are whole, huge pages are
    whole pages, and a container with huge pages asks for CPU or memory as well.

    Source: kubernetes/kubernetes, pkg/apis/core/validation/validation.go: ValidateContainerResourceRequirements,
    validateResourceQuantityHugePageValue; Kubernetes documentation, "Manage HugePages" and "Device Plugins".
    """
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    amounts: dict[tuple[str, str], Fraction] = {}
    for kind, asked in (("limits", limits), ("requests", requests)):
        for name, value in asked.items():
            where, amount = f"{path}.{kind}.{name}", forms.quantity("" if value is None else value)
            if amount is None or amount < 0:
                yield where, f"'{value}' is no quantity"
                continue
            amounts[kind, name] = amount
            yield from _name(where, name, amount)
    for name in requests:
        low, high = amounts.get(("requests", name)), amounts.get(("limits", name))
        if _shared(name):
            if low is not None and high is not None and low > high:
                yield f"{path}.requests.{name}", f"{requests[name]} is more than the limit of {limits[name]}"
        elif name not in limits:
            yield f"{path}.limits", f"{name} has to be there too, and the same as its request"
        elif low != high:
            yield f"{path}.requests.{name}", f"{requests[name]} is not the limit of {limits[name]}"
    names = {*limits, *requests}
    if any(name.startswith(_HUGE_PAGES) for name in names) and not names & {"cpu", "memory"}:
        yield path, "huge pages need a request for cpu or memory beside them"


def _shared(name: str) -> bool:
    """Tells whether nodes may promise more of a resource than they have."""
    return name in _STANDARD


def _name(where: str, name: str, amount: Fraction) -> Problems:
    domain, slash, _ = name.rpartition("/")
    if name.startswith(_HUGE_PAGES):
        size = forms.quantity(name.removeprefix(_HUGE_PAGES) or "x")
        if not size or amount % size:
            yield where, "it is not a whole number of pages"
    elif not slash and name not in _STANDARD:
        yield where, "there is no such resource"
    elif slash and (not forms.is_key(name) or _OWN_DOMAINS.search(domain)):
        yield where, "it is not a name for a device"
    elif slash and amount.denominator != 1:
        yield where, "devices are whole"
