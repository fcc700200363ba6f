"""Reads what jobs measured, and compares it with what the catalog says is possible."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trnstack.catalog.effective import known_instance_type_of
from trnstack.catalog.measured import ALL_REDUCE_GBPS
from trnstack.jobs.request import CHECKPOINT_IO, COLLECTIVES, SMOKE
from trnstack.layout.lustre import FileSystem
from trnstack.plan import Plan
from trnstack.plan.trainers import file_system_of, reach_mbps
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup

#: The mark that ``scripts/trnstack_pod.py`` puts into a result, and the only version of it.
MARK, VERSION = "trnstack-result", 1
#: The share of a published rate that must be reached; ours. The source says of itself that it is not up to date.
PUBLISHED_SHARE = 0.8
#: What each node must send where no rate is published, in Gbit/s: more than goes through a connection without EFA. It
#: says that EFA is in use, and not that it is fast.
#: Source: EC2 user guide, "Amazon EC2 instance network bandwidth": a flow of ENA Express has up to 25 Gbit/s.
NOT_TCP_GBPS = 25.0
#: The share of the file system's own baseline that a checkpoint must reach; ours.
FILE_SYSTEM_SHARE = 0.7
#: What sums of two FP32 numbers may be off by.
_SUM_ERROR = 1e-3
_LONGEST_LINE = 1_000_000


class ResultError(Exception):
    """What was given holds no result, or one that is not whole; the message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One figure of a result, judged.

    Attributes:
        job, kind: Of the result.
        time: When it was measured, in UTC; empty where the result does not say.
        what: What was measured.
        value, unit: How much it came to.
        possible: What the catalog says is possible; None where it says nothing.
        needed: The least that passes; None where nothing is asked.
        passed: Whether it does; None where nothing is asked, so that nothing is judged.
    """

    job: str
    kind: str
    time: str
    what: str
    value: float
    unit: str
    possible: float | None
    needed: float | None
    passed: bool | None


def results_in(text: str, name: str) -> list[dict[str, Any]]:
    """Returns the results in a text: a file of one, or a pod's log in which they stand, whatever is before them.

    Args:
        text: What was read.
        name: What it was read from, for messages.

    Raises:
        ResultError: There is none in it.
    """
    found = [result for line in text.splitlines() if (result := _result(line)) is not None]
    if not found:
        whole = _object(text)
        found = [whole] if whole is not None and MARK in whole else []
    if not found:
        raise ResultError(f"{name} holds no result: give the file that a job wrote, or the log of its first pod")
    for each in found:
        if each[MARK] != VERSION:
            raise ResultError(f"{name} holds a result of version {each[MARK]!r}, and version {VERSION} is known")
    return found


def _result(line: str) -> dict[str, Any] | None:
    """Returns the result that a line ends with; what a logger writes before it is left out."""
    start = line.find("{")
    if MARK not in line or start < 0 or len(line) > _LONGEST_LINE:
        return None
    found = _object(line[start:])
    return found if found is not None and MARK in found else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def verdicts(environment: Environment, plan: Plan, result: Mapping[str, Any], name: str) -> list[Verdict]:
    """Returns the figures of a result, each against what is possible.

    Args:
        environment: Of the cluster on which the job ran.
        plan: What was made of it.
        result: The result.
        name: What it was read from, for messages.

    Raises:
        ResultError: The result lacks something, or is of another cluster.
    """
    judges = {SMOKE: _smoke, COLLECTIVES: _collectives, CHECKPOINT_IO: _checkpoint_io}
    kind = result.get("kind")
    if not isinstance(kind, str) or kind not in judges:
        raise ResultError(f"{name} holds a result of kind {kind!r}, and known are {', '.join(judges)}")
    group = _group(environment, result, name)
    try:
        return list(judges[kind](_Run(environment=environment, plan=plan, group=group), result))
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        text = f"{name} holds a result of kind {kind} that is not whole: {type(error).__name__} at {error}"
        raise ResultError(text) from None


def _group(environment: Environment, result: Mapping[str, Any], name: str) -> NodeGroup:
    told = result.get("node_group") or environment.node_groups[0].name
    for group in environment.node_groups:
        if group.name == told:
            return group
    known = ", ".join(group.name for group in environment.node_groups)
    raise ResultError(f"{name} is of a node group '{told}', which {environment.name} has not; it has {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """On what a job ran."""

    environment: Environment
    plan: Plan
    group: NodeGroup

    @property
    def efa_gbps(self) -> float | None:
        """The bandwidth of a node over EFA; None where it is not known, or NeuronLink joins the nodes besides."""
        if self.group.ultraserver:
            return None
        return next(group.efa_gbps for group in self.plan.node_groups if group.name == self.group.name) or None

    def needed_gbps(self, nodes: int) -> float:
        """Returns what each of so many nodes must send: a share of what is published of them, else what no TCP does."""
        published = ALL_REDUCE_GBPS.get((self.group.instance_type, nodes))
        return NOT_TCP_GBPS if published is None else published * PUBLISHED_SHARE

    def reach_mbps(self, file_system: FileSystem, nodes: int) -> float:
        """Returns what so many nodes reach of a file system."""
        row = known_instance_type_of(self.group)
        return nodes * reach_mbps(self.environment, file_system, self.group, row) if row else math.inf


def _number(value: object) -> float:
    """Returns a number that is finite and not below zero.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{value!r}, which is no amount")
    return float(value)


def _count(value: object) -> int:
    number = _number(value)
    if number != int(number) or number < 1:
        raise ValueError(f"{value!r}, which is no count")
    return int(number)


def _verdict(
    result: Mapping[str, Any], what: str, value: float, unit: str, *, possible: float | None, needed: float | None
) -> Verdict:
    """Returns a figure of which more is better. Of nothing at all no figure passes, whatever is known of it."""
    return Verdict(
        job=str(result.get("job", "")),
        kind=str(result["kind"]),
        time=str(result.get("time", "")),
        what=what,
        value=round(value, 3),
        unit=unit,
        possible=None if possible is None else round(possible, 3),
        needed=None if needed is None else round(needed, 3),
        passed=_reached(value, needed),
    )


def _reached(value: float, needed: float | None) -> bool | None:
    if value <= 0:
        return False
    return None if needed is None else value >= needed


def _smoke(_run: _Run, result: Mapping[str, Any]) -> Iterator[Verdict]:
    if "largest_error" in result:
        error = _number(result["largest_error"])
        yield _told(result, "largest error of a sum", error, "", needed=_SUM_ERROR, passed=error <= _SUM_ERROR)
        return
    losses = result["losses"]
    # A loss that is no number any more is a result, and not a broken one.
    first, last = float(losses[0]), float(losses[-1])
    told = f"loss after {len(losses)} steps, {first:.4g} at first"
    yield _told(result, told, last, "", needed=first, passed=math.isfinite(last) and last < first)
    step = _number(result["step_seconds"])
    yield _told(result, "a step", step, "s", needed=None, passed=_reached(step, None))


def _told(
    result: Mapping[str, Any], what: str, value: float, unit: str, *, needed: float | None, passed: bool | None
) -> Verdict:
    return Verdict(
        job=str(result.get("job", "")),
        kind=str(result["kind"]),
        time=str(result.get("time", "")),
        what=what,
        value=value,
        unit=unit,
        possible=None,
        needed=needed,
        passed=passed,
    )


def _collectives(run: _Run, result: Mapping[str, Any]) -> Iterator[Verdict]:
    """Yields the fastest row: what each node sends of it over the network, where there are several.

    An all-reduce of so many bytes among N nodes makes each of them send 2 (N - 1) / N times as many at the least.
    """
    nodes, rows = _count(result["nodes"]), result["rows"]
    fastest = max(rows, key=lambda row: _number(row["algorithm_gbps"]))
    size, bus = f"{_count(fastest['bytes']) / 2**20:,.0f} MiB", _number(fastest["bus_gbps"])
    what = f"bus bandwidth, {result['ranks']} ranks, {size}"
    yield _verdict(result, what, bus, "Gbit/s", possible=None, needed=None)
    if nodes > 1:
        sent = _number(fastest["algorithm_gbps"]) * 2 * (nodes - 1) / nodes
        possible = run.efa_gbps
        needed = None if possible is None else run.needed_gbps(nodes)
        what = f"each of {nodes} nodes sends"
        yield _verdict(result, what, sent, "Gbit/s", possible=possible, needed=needed)


def _checkpoint_io(run: _Run, result: Mapping[str, Any]) -> Iterator[Verdict]:
    to_bucket = result.get("through") == "bucket"
    file_system = None if to_bucket else file_system_of(run.environment.storage.lustre)
    nodes, size = _count(result["nodes"]), _number(result["bytes"]) / 1e9
    for way in ("write", "read"):
        possible = None
        if file_system and file_system.write_mbps:
            whole = file_system.write_mbps if way == "write" else file_system.read_mbps
            possible = min(whole, run.reach_mbps(file_system, nodes))
        value, seconds = _number(result[f"{way}_mbps"]), _number(result[f"{way}_seconds"])
        way_told = f"{way} through the bucket" if to_bucket else way
        what = f"{way_told} {size:,.1f} GB from {nodes} nodes in {seconds:,.1f} s"
        needed = None if possible is None else possible * FILE_SYSTEM_SHARE
        yield _verdict(result, what, value, "MB/s", possible=possible, needed=needed)
