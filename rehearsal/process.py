"""Starts the rehearsal's server as a child process, and ends it with whoever started it."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rehearsal.sessions import environment
from rehearsal.transport import ACCESS_KEY, ACCOUNT, SECRET_KEY

ENDING_SECONDS = 10
#: What the name of a folder begins with that goes with the server.
FOLDER_PREFIX = "trnstack-rehearsal-"
_REFUSED = 2


class ServerStartError(Exception):
    """The server's process ended before it was ready; the message has what it wrote on standard error."""


class ServerRefusedError(ServerStartError):
    """The server can't begin with what it was given: a state, a seed, pins, or a fault."""


#: The archives that a deploy uploads go through many threads, and are given back when they are dealt with: glibc would
#: keep their memory, in an arena for each of some threads. A third of what the server holds; other systems ignore it.
#: Source: Linux man-pages, mallopt(3), M_ARENA_MAX and M_MMAP_THRESHOLD, with its "dynamic mmap threshold".
_ALLOCATION = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": str(1 << 20)}


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A rehearsal that answers on a loopback port.

    Attributes:
        port: The port on 127.0.0.1.
        process_id: The process.
        has_ended: Says whether the process is over.
    """

    port: int
    process_id: int
    has_ended: Callable[[], bool] = field(default=lambda: False, repr=False, compare=False)

    @property
    def endpoint(self) -> str:
        """The address for ``AWS_ENDPOINT_URL``: a number, so that SDKs name buckets in paths and not as host names."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self, *, region: str, account: str = ACCOUNT) -> Mapping[str, str]:
        """Gives the environment variables under which the CDK CLI and every AWS SDK talk to this server alone."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_REGION": region,
            "AWS_DEFAULT_REGION": region,
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DEFAULT_ACCOUNT": account,
            "CDK_DEFAULT_REGION": region,
        }


@contextmanager
def server(*arguments: str, folder: Path | None = None) -> Iterator[RunningServer]:
    """Runs the server until the block is left, or until this process ends in whatever way.

    Args:
        *arguments: The arguments of ``python -m rehearsal.server``.
        folder: A temporary folder, its name beginning with ``FOLDER_PREFIX``, that the server deletes when the block
            is left, or when this process is killed and can't do it.

    Raises:
        ServerStartError: The server did not start.
        ServerRefusedError: It refused what it was given.
    """
    command = [sys.executable, "-m", "rehearsal.server", *arguments, *(["--folder", str(folder)] if folder else [])]
    pipe, variables = subprocess.PIPE, _ALLOCATION | environment()
    # In a session of its own it gets no Ctrl-C of the terminal's: it ends after whoever started it, not before.
    with subprocess.Popen(  # noqa: S603
        command, env=variables, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    ) as child:
        words = _Words(child.stderr)
        try:
            yield RunningServer(_announced(child, words), child.pid, lambda: child.poll() is not None)
        finally:
            _end(child)


class _Words:
    """What the server writes on standard error: kept until it is ready, and passed on from then."""

    def __init__(self, source: IO[bytes] | None) -> None:
        self._kept: list[str] = []
        self._is_ready = False
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, args=(source or (),), daemon=True)
        self._reader.start()

    def all(self) -> str:
        """Gives all of it, of a server that has ended."""
        self._reader.join(ENDING_SECONDS)
        return "".join(self._kept).strip()

    def pass_on(self) -> None:
        """Passes on what was written, and what will be."""
        with self._lock:
            self._is_ready = True
            sys.stderr.write("".join(self._kept))

    def _read(self, source: Iterable[bytes]) -> None:
        for line in source:
            text = line.decode("utf-8", "replace")
            with self._lock:
                if self._is_ready:
                    sys.stderr.write(text)
                else:
                    self._kept.append(text)


def _announced(child: subprocess.Popen[bytes], words: _Words) -> int:
    line = child.stdout.readline() if child.stdout else b""
    if not line:
        status, said = child.wait(), words.all()
        if status == _REFUSED:
            raise ServerRefusedError(said)
        raise ServerStartError(f"the rehearsal's server ended with status {status} before it was ready\n{said}")
    words.pass_on()
    port: int = json.loads(line)["port"]
    return port


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin:
        child.stdin.close()
    try:
        child.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
