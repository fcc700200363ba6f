"""Synthesis by trnstack against the same stacks written directly in JavaScript.

Both give the same templates, which is proven before anything is measured, run on the same aws-cdk-lib and Node with the
same context, and leave out CDK's own validation of templates, which costs both the same second.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ami.lock import path_for, read, write
from bench.environments import by_gitops
from bench.locks import copy_resolved
from bench.measure import ROOT, BenchError, Command, Taken, medians, run, watch
from bench.synthesis.library import unpacked
from bench.table import Row, Section

_FILE = "environments/llama3-8b-trn1.yaml"
_TARGET = "<= 2.5 and < 1.5 s"
#: The stack of charts and objects uses the CDK's own constructs in either language: it stands beside the
#: comparison, and the stages are its.
_WHOLE = "the same with the Kubernetes stack"
#: The address of a template's copy for the deployment has the digest of its bytes, and the typed classes write
#: properties in an order of their own.
_DIFFERS_BY_ORDER = "stackTemplateAssetObjectUrl"


def measure(rounds: int) -> Section:
    """Returns both sides' figures, and where Python's time goes.

    Raises:
        BenchError: A synthesis failed, or the two give different templates.
    """
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as folder:
        whole = copy_resolved(ROOT / _FILE, Path(folder))
        file = whole.with_name("without-objects.yaml")
        file.write_text(by_gitops(whole.read_text(encoding="utf-8")), encoding="utf-8")
        write(read(path_for(whole)), path_for(file))
        javascript, python = programs(Path(folder), str(file))
        stacks, resources = prove_same(python, javascript)
        everything = Command(_WHOLE, python.words, {**python.environment, "TRNSTACK_ENVIRONMENT": str(whole)})
        measured = (javascript, python, everything)
        taken = medians(measured, rounds)
        rows = [
            _row(command, taken, base=javascript, target=_TARGET if command is python else "") for command in measured
        ]
        rows += _stage_rows(Path(folder), rounds, python)
    same = f"The same {resources} resources in {stacks} stacks: equal as JSON, apart from the order of keys."
    return Section("Synthesis of llama3-8b-trn1 (ratio: to JavaScript)", tuple(rows), (same,))


def programs(folder: Path, file: str, *, further_node_groups: int = 0) -> tuple[Command, Command]:
    """Returns the program in JavaScript and ours.

    Args:
        folder: Where they write their assemblies.
        file: The environment.
        further_node_groups: The node groups that it has beside the first, which the other side has to make too.
    """
    node = Path(sys.prefix) / "bin" / "node"
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    both = {"CDK_CONTEXT_JSON": json.dumps(context), "CDK_VALIDATION": "false"}
    javascript = Command(
        "JavaScript, written by hand",
        (str(node), str(ROOT / "bench" / "synthesis" / "direct.js")),
        {
            **both,
            "CDK_OUTDIR": str(folder / "javascript"),
            "NODE_PATH": str(unpacked()),
            "BENCH_FURTHER_NODE_GROUPS": str(further_node_groups),
        },
    )
    python = Command(
        "Python, python -m stacks",
        (sys.executable, "-m", "stacks"),
        {**both, "CDK_OUTDIR": str(folder / "python"), "JSII_NODE": str(node), "TRNSTACK_ENVIRONMENT": file},
    )
    return javascript, python


def _outdir(command: Command) -> Path:
    return Path(command.environment["CDK_OUTDIR"])


def _row(command: Command, taken: dict[str, Taken], *, base: Command, target: str) -> Row:
    return Row(
        what=command.label,
        seconds=taken[command.label].seconds,
        cpu_seconds=taken[command.label].cpu_seconds,
        ratio=taken[command.label].seconds / taken[base.label].seconds,
        memory_mib=watch(command, every_seconds=0.01).peak_mib,
        target=target,
    )


def prove_same(python: Command, javascript: Command) -> tuple[int, int]:
    """Runs both, and returns how many stacks and resources both have.

    Raises:
        BenchError: One failed, or they differ.
    """
    run(javascript)
    run(python)
    ours, theirs = assembly(_outdir(python)), assembly(_outdir(javascript))
    found = list(differences(ours, theirs))
    if found:
        listed = "\n".join(f"    {line}" for line in found)
        raise BenchError(
            f"trnstack and bench/synthesis/direct.js give different templates, so that their times can't be compared; "
            f"bring direct.js up to date:\n{listed}"
        )
    return len(ours), sum(len(stack["template"]["Resources"]) for stack in ours.values())


def assembly(folder: Path) -> dict[str, Any]:
    """Returns the stacks of a cloud assembly: each with template, deployment properties and what it depends on."""
    artifacts = json.loads((folder / "manifest.json").read_text())["artifacts"]
    stacks = {}
    for name, artifact in artifacts.items():
        if artifact["type"] != "aws:cloudformation:stack":
            continue
        properties = artifact["properties"]
        stacks[name] = {
            "template": json.loads((folder / properties["templateFile"]).read_text()),
            "properties": {key: value for key, value in properties.items() if key != _DIFFERS_BY_ORDER},
            "dependencies": artifact["dependencies"],
        }
    return stacks


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Yields where two JSON values differ, a line for each place."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key not in theirs:
                yield f"{path}/{key}: only in Python"
            elif key not in ours:
                yield f"{path}/{key}: only in JavaScript"
            else:
                yield from differences(ours[key], theirs[key], f"{path}/{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif ours != theirs or type(ours) is not type(theirs):
        yield f"{path}: {json.dumps(ours)} in Python, {json.dumps(theirs)} in JavaScript"


def _stage_rows(folder: Path, rounds: int, python: Command) -> list[Row]:
    """Returns the medians of Python's stages, measured in runs of their own."""
    marks_file = folder / "marks.json"
    stages = Command(
        "stages", (sys.executable, "-m", "bench.synthesis.stages", _FILE, str(marks_file)), python.environment
    )
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        last = time.monotonic()
        run(stages)
        ended = time.monotonic()
        for stage, mark in {**json.loads(marks_file.read_text()), "exit": ended}.items():
            taken.setdefault(stage, []).append(mark - last)
            last = mark
    return [Row(what=f"  {stage}", seconds=statistics.median(each)) for stage, each in taken.items()]
