"""What an environment takes in the process of a test: deployed, changed, taken down; and how node groups add up."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.environments import FILE
from bench.locks import copy_resolved
from bench.measure import ROOT, BenchError, parse_stat
from bench.node_groups import template
from bench.table import Row, Section

_MIB = 1024 * 1024
_ACCOUNT, _REGION = "123456789012", "us-east-2"
_FEW, _MANY = 200, 400
_RESETS, _WARM = 50, 5
_ADDS = 10_000_000


def measure(rounds: int) -> Section:
    """Returns the figures of an environment with its charts, of node groups, and of memory.

    Raises:
        BenchError: A stack did not come to stand.
    """
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as folder, _kept_in(Path(folder) / "cache"):
        file = copy_resolved(ROOT / FILE, Path(folder))
        rows = [*_environment(file, rounds), *_node_groups()]
        first, last = _memory(file)
    rows += [
        Row(what=f"memory after {_WARM} environments", memory_mib=first),
        Row(
            what=f"memory after {_RESETS} environments",
            ratio=last / first if first and last else None,
            memory_mib=last,
            target="500 MiB, flat",
        ),
    ]
    speed = f"10 million additions take {_additions():.2f} s of this processor; figures go with it"
    return Section("In process (ratio: to the row before)", tuple(rows), (speed,))


def _environment(file: Path, rounds: int) -> Iterator[Row]:
    from rehearsal.rehearsed import rehearsed  # noqa: PLC0415 - its imports are a part of what is measured

    yield Row(what="an environment, first", seconds=_seconds(lambda: _deploy(file)))
    yield Row(
        what="an environment, again",
        seconds=statistics.median(_seconds(lambda: _deploy(file)) for _ in range(rounds)),
        target="1 s",
    )
    with rehearsed(file) as aws:
        edit = {"node_groups[0].labels.measured": "yes"}
        yield Row(what="an edit of it, with its synthesis", seconds=_seconds(lambda: aws.deploy(edited=edit)))
        yield Row(what="taken down", seconds=_seconds(aws.destroy))


def _deploy(file: Path) -> None:
    from rehearsal.rehearsed import rehearsed  # noqa: PLC0415

    with rehearsed(file):
        pass


def _node_groups() -> Iterator[Row]:
    """Yields the time of templates of node groups; the second is twice the first, and should take twice as long."""
    from rehearsal.embedded import embedded  # noqa: PLC0415

    aws = embedded(hold_seconds=600)
    cloudformation = aws.transport.client("cloudformation", _ACCOUNT, _REGION)
    before = 0.0
    for count in (1, _FEW, _MANY):  # the first makes the clients
        aws.reset()
        body = template(count)
        s3 = aws.transport.client("s3", _ACCOUNT, _REGION)
        s3.create_bucket(Bucket="templates", CreateBucketConfiguration={"LocationConstraint": _REGION})
        s3.put_object(Bucket="templates", Key="nodes", Body=body.encode())
        where = f"https://s3.{_REGION}.amazonaws.com/templates/nodes"
        taken = _seconds(
            lambda where=where: cloudformation.create_stack(  # type: ignore[misc]
                StackName="nodes", TemplateURL=where, Capabilities=["CAPABILITY_IAM"]
            )
        )
        (stack,) = cloudformation.describe_stacks(StackName="nodes")["Stacks"]
        if stack["StackStatus"] != "CREATE_COMPLETE":
            raise BenchError(f"the stack of {count} node groups is {stack['StackStatus']}")
        if count == _MANY:
            yield Row(what=_one_template(count), seconds=taken, ratio=taken / before, target="5 s, ratio 2")
        elif count == _FEW:
            yield Row(what=_one_template(count), seconds=taken)
        before = taken
    aws.reset()


def _one_template(count: int) -> str:
    return f"{count} node groups in one template"


def _memory(file: Path) -> tuple[float | None, float | None]:
    """Returns this process's memory in MiB after a few environments, and after many."""
    first = None
    for number in range(1, _RESETS + 1):
        _deploy(file)
        if number == _WARM:
            first = _resident_mib()
    return first, _resident_mib()


def _resident_mib() -> float | None:
    """Returns the resident memory of this process alone, without the CDK's; None where there is no ``/proc``."""
    try:
        stat = parse_stat(Path("/proc/self/stat").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return stat.rss_pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def _seconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def _additions() -> float:
    """Returns how long the processor takes for something that never changes, by which figures can be compared."""
    started, total = time.process_time(), 0
    for number in range(_ADDS):
        total += number
    return time.process_time() - started


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Keeps templates in a folder, so that the first environment of a run is a first one."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_CACHE_HOME"]
        else:
            os.environ["XDG_CACHE_HOME"] = before
