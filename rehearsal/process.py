"""Starts the rehearsal's server as a child process, and ends it with whoever started it."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from rehearsal.sessions import environment
from rehearsal.transport import ACCESS_KEY, SECRET_KEY

ENDING_SECONDS = 10


class ServerStartError(Exception):
    """The server's process ended before it was ready; what it wrote on standard error says why."""


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

    def environment(self, *, region: str, account: str = "123456789012") -> Mapping[str, str]:
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
def server(*arguments: str) -> Iterator[RunningServer]:
    """Runs the server until the block is left, or until this process ends in whatever way.

    Args:
        *arguments: The arguments of ``python -m rehearsal.server``.

    Raises:
        ServerStartError: The server did not start.
    """
    command = [sys.executable, "-m", "rehearsal.server", *arguments]
    pipe, variables = subprocess.PIPE, environment()
    # In a session of its own it gets no Ctrl-C of the terminal's: it ends after whoever started it, not before.
    with subprocess.Popen(command, env=variables, stdin=pipe, stdout=pipe, start_new_session=True) as child:  # noqa: S603
        try:
            yield RunningServer(_announced(child), child.pid, lambda: child.poll() is not None)
        finally:
            _end(child)


def _announced(child: subprocess.Popen[bytes]) -> int:
    line = child.stdout.readline() if child.stdout else b""
    if not line:
        raise ServerStartError(f"the rehearsal's server ended with status {child.wait()} before it was ready")
    port: int = json.loads(line)["port"]
    return port


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin:
        child.stdin.close()
    try:
        child.wait(ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
