"""Runs jobs' scripts as their pods do: start.py in a process of its own for each, on ports that are free here."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

SCRIPTS = Path(__file__).parents[3] / "trnstack" / "jobs" / "scripts"
STAND_INS = Path(__file__).parent / "stand_ins"
#: Runs start.py with other ports, and with less patience, than a pod does.
_DRIVER = """
import runpy, sys
import trnstack_pod as pod, trnstack_program, trnstack_bucket
pod.PEERS_PORT, pod.COORDINATOR_PORT, pod.WAIT_SECONDS = {peers}, {coordinator}, {wait}
trnstack_program._AFTER_A_PEER = trnstack_program._TO_END = 0.5
trnstack_bucket._SECONDS = {look}
sys.argv = ["start.py", *sys.argv[1:]]
import start
start.main()
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Pods:
    """A job's pods, which are ended when the test is.

    Attributes:
        folder: Where the scripts of all pods are.
        base: The folder of checkpoints, results and logs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.base = folder / "trnstack", folder / "fsx"
        self.folder.mkdir()
        self.base.mkdir()
        for file in SCRIPTS.glob("*.py"):
            (self.folder / file.name).write_text(file.read_text())
        self._running: list[subprocess.Popen[str]] = []

    def has(self, **files: str) -> None:
        """Puts further files beside the scripts; ``mine`` is the script ``mine.py``."""
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)

    def trains(self, **told: Any) -> None:
        """Puts the settings of a run beside the scripts."""
        (self.folder / "training.json").write_text(json.dumps({**TOLD, **told}))

    def start(
        self,
        nodes: int,
        launcher: str = "plain",
        script: str = "mine.py",
        *,
        look: float = 60,
        wait: float = 20,
        **variables: str,
    ) -> list[subprocess.Popen[str]]:
        """Starts a job's pods.

        Args:
            nodes: How many.
            launcher: How ``start.py`` starts the script.
            script: The script.
            look: Seconds from one look for new checkpoints to the next.
            wait: Seconds for which they wait for each other.
            variables: What they are told besides.
        """
        driver = _DRIVER.format(peers=free_port(), coordinator=free_port(), look=look, wait=wait)
        told = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.folder}:{STAND_INS}",
            "TRNSTACK_JOB": "j",
            "TRNSTACK_NODES": str(nodes),
            "TRNSTACK_CORES": "2",
            "TRNSTACK_MASTER": "127.0.0.1",
            "TRNSTACK_MOUNT_PATH": str(self.base),
            "TRNSTACK_CHECKPOINT_PATH": str(self.base / "checkpoints"),
            "TRNSTACK_SCRATCH": str(self.folder / "scratch"),
            **variables,
        }
        started = [
            subprocess.Popen(
                [sys.executable, "-c", driver, launcher, script],
                env={**told, "JOB_COMPLETION_INDEX": str(rank)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for rank in range(nodes)
        ]
        self._running += started
        return started

    def run(self, nodes: int, *how: str, **told: Any) -> list[tuple[int, str]]:
        """Runs a job's pods to their ends, and returns each one's exit code and output."""
        return ended(self.start(nodes, *how, **told))

    def close(self) -> None:
        """Ends what runs still."""
        for each in self._running:
            each.kill()
            each.communicate()


def ended(pods: Iterable[subprocess.Popen[str]]) -> list[tuple[int, str]]:
    """Returns the exit code and the output of each pod, once it has ended."""
    return [(each.returncode, out) for each in pods for out, _ in [each.communicate(timeout=60)]]


def until(holds: Callable[[], Any], seconds: float = 30) -> None:
    """Returns when something holds."""
    last = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < last, "it has not come to be"
        time.sleep(0.02)


#: What a run is told.
TOLD = {
    "framework": "pytorch",
    "model": "Llama-3-8B",
    "data": "",
    "precision": "bf16",
    "tensor": 2,
    "pipeline": 1,
    "zero_stage": 1,
    "global_batch_size": 8,
    "micro_batch_size": 1,
    "sequence_length": 16,
    "steps": 6,
    "checkpoint_steps": 2,
    "checkpoints_kept": 5,
    "nodes": 2,
    "cores": 2,
}
