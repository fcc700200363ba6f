"""Starts a command for a rehearsal in a process group of its own, and ends it with all that it started."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_END_SECONDS = 10
_LOOK_SECONDS = 0.05


def start(command: Sequence[str], *, folder: Path, variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Starts a command that reads nothing, and whose two outputs are one.

    Args:
        command: The program and its words.
        folder: Where it runs.
        variables: All of its environment variables.
    """
    return subprocess.Popen(  # noqa: S603 - the pinned CLI, or this project's own
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )


def kill(process: "subprocess.Popen[str]", when: Callable[[], bool]) -> None:
    """Kills a command with everything that it started when somebody says so, as by a machine that goes off."""
    while process.poll() is None:
        if when():
            os.killpg(process.pid, signal.SIGKILL)
            return
        time.sleep(_LOOK_SECONDS)


def end(process: "subprocess.Popen[str]") -> None:
    """Ends a command with everything that it started, if it has not ended: it leads a process group of its own."""
    if process.returncode is not None:
        return
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(_END_SECONDS)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        else:
            return
