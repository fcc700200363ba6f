"""What the real CDK CLI takes against the embedded AWS: a deploy and an update, and thirty node groups at once.

And what the server holds in memory when it was reset many times.
"""

import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from ami.archives import folder_of
from ami.lock import path_for, read
from bench.environments import FILE, by_gitops, locked, with_further_node_groups
from bench.locks import write_resolved
from bench.measure import ROOT, BenchError, Command, run, tree_rss_bytes
from bench.node_groups import template
from bench.table import Row, Section
from rehearsal.process import RunningServer, server

_BIN = Path(sys.prefix) / "bin"
_REGION, _ACCOUNT = "us-east-2", "123456789012"
_MIB = 1024 * 1024
_FURTHER = 29
_RESETS, _WARM = 50, 5
_NODE_GROUPS = 30


def measure() -> Section:
    """Returns the time of each command, and the memory of the server after it.

    Raises:
        BenchError: A command failed.
    """
    example = (ROOT / FILE).read_text(encoding="utf-8")
    rows = [
        *_story("", example, ("deploy", "--all"), update=True, target="10 s"),
        *_story(
            f", {_FURTHER + 1} node groups, a stack each",
            by_gitops(with_further_node_groups(_FURTHER)),
            ("deploy", "--all", "--concurrency", "10"),
            update=False,
            target="45 s",
        ),
        *_resets(),
    ]
    return Section("CDK CLI, synthesis included (MiB: of the server)", tuple(rows))


def _story(what: str, text: str, words: tuple[str, ...], *, update: bool, target: str) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as name:
        folder = Path(name)
        file = locked(folder / Path(FILE).name, text)
        lock = path_for(file)
        write_resolved(read(lock), file)
        with server("--pins", str(lock), "--charts", str(folder_of(lock))) as aws:
            _cdk(aws, file, "bootstrap", f"aws://{_ACCOUNT}/{_REGION}")
            rows = [_row(aws, f"deploy{what}", file, words, target)]
            if update:
                file.write_text(_edited(text), encoding="utf-8")
                rows.append(_row(aws, f"update{what}", file, words, target))
        return rows


def _resets() -> Iterator[Row]:
    """Yields the server's memory after a few resets and after many, each after a stack of node groups."""
    import boto3  # noqa: PLC0415 - what else is measured here needs none

    body, first = template(_NODE_GROUPS), None
    with server() as aws:
        keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
        cloudformation = boto3.client("cloudformation", endpoint_url=aws.endpoint, region_name=_REGION, **keys)
        for number in range(1, _RESETS + 1):
            cloudformation.create_stack(StackName="nodes", TemplateBody=body, Capabilities=["CAPABILITY_IAM"])
            (stack,) = cloudformation.describe_stacks(StackName="nodes")["Stacks"]
            if stack["StackStatus"] != "CREATE_COMPLETE":
                raise BenchError(f"the stack of node groups is {stack['StackStatus']}")
            reset = urllib.request.Request(f"{aws.endpoint}/_rehearsal/reset", method="POST")  # noqa: S310 - loopback
            urllib.request.urlopen(reset, timeout=60).close()  # noqa: S310
            memory = tree_rss_bytes(aws.process_id) / _MIB
            if number == _WARM:
                first = memory
                yield Row(
                    what=f"after {_WARM} stacks of {_NODE_GROUPS} node groups and resets", memory_mib=memory or None
                )
        ratio = memory / first if first else None
        yield Row(what=f"after {_RESETS} of them", ratio=ratio, memory_mib=memory or None, target="500 MiB, flat")


def _edited(text: str) -> str:
    """Returns the environment with another label on its nodes."""
    old = "    node_count: 32\n"
    if old not in text:
        raise BenchError(f"{FILE} has changed: there is no {old.strip()}")
    return text.replace(old, f"{old}    labels: {{measured: again}}\n", 1)


def _row(aws: RunningServer, what: str, file: Path, words: tuple[str, ...], target: str) -> Row:
    started = time.perf_counter()
    _cdk(aws, file, *words, "--require-approval", "never")
    seconds = time.perf_counter() - started
    memory = tree_rss_bytes(aws.process_id) / _MIB
    return Row(what=what, seconds=seconds, memory_mib=memory or None, target=f"{target}, 500 MiB")


def _cdk(aws: RunningServer, file: Path, *words: str) -> None:
    """Runs the CLI as a rehearsal does: against the loopback address alone, with nothing of the person's own.

    Raises:
        BenchError: It failed.
    """
    own = {
        **aws.environment(region=_REGION, account=_ACCOUNT),
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "NO_PROXY": "127.0.0.1,localhost",
        "CDK_DISABLE_CLI_TELEMETRY": "1",
        "CDK_DISABLE_VERSION_CHECK": "1",
        "CDK_VALIDATION": "false",
        "CDK_HOME": str(file.parent / "cdk-home"),
        "TMPDIR": str(file.parent),
    }
    options = ("-c", f"environment={file}", "--output", str(file.parent / "cdk.out"), "--ci", "--no-notices")
    run(Command(words[0], (str(_BIN / "cdk"), *words, *options), own))
