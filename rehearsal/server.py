"""Serves the rehearsal on a loopback port, in a process of its own: ``python -m rehearsal.server``.

The process writes one line of JSON on standard output when it is ready (``{"port": 40123}``) and lives as long as its
standard input stays open: whoever started it holds the other end, and when he closes it or dies the server ends, and
the folder of ``--folder`` goes with it.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import BaseWSGIServer, make_server

from ami.lock import LockError
from rehearsal.embedded import embedded
from rehearsal.faults import FaultError, table
from rehearsal.faults.control import for_services
from rehearsal.keeping import StateError, opened
from rehearsal.keeping.starting import Furniture, start, start_journal
from rehearsal.operations import HOLD_SECONDS
from rehearsal.process import FOLDER_PREFIX
from rehearsal.resetting import Resettable
from rehearsal.transport import WsgiApplication

HOST = "127.0.0.1"
#: A CDK CLI that has outlived whoever started it may write for a moment more before it notices.
_STAYS_AWAY_SECONDS, _SWEEPING_SECONDS, _LOOK_SECONDS = 3.0, 60.0, 0.2


class QuietRequestHandler(MotoRequestHandler):
    """Serves requests without a log line for each."""

    def log_request(self, *_: Any) -> None:
        """Writes nothing."""


def main(arguments: list[str] | None = None) -> int:
    """Serves until standard input ends or a signal comes.

    Args:
        arguments: The command line, as ``--help`` tells it.
    """
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.load and (asked.seed or not asked.journal):
        parser.error("--load has what stood before, and goes on in a journal: leave out --seed, and give --journal")
    if asked.journal and asked.fault:
        parser.error("a journal keeps faults that are set while it runs: PUT /_rehearsal/faults")
    if asked.folder and not asked.folder.name.startswith(FOLDER_PREFIX):
        parser.error(f"--folder takes a rehearsal's own folder, {FOLDER_PREFIX}..., as all that is in it is deleted")
    parent, is_left = os.getppid(), threading.Event()
    try:
        application = _application(asked)
    except (FaultError, LockError, StateError, OSError) as error:
        parser.exit(2, f"{error}\n")
    server = make_server(HOST, asked.port, application, threaded=True, request_handler=QuietRequestHandler)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _stop(server))
    threading.Thread(target=_watch_input, args=(server, is_left), daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)  # noqa: T201  (the parent reads it)
    server.serve_forever()
    if asked.folder and is_left.is_set():
        shutil.rmtree(asked.folder, ignore_errors=True)
        if os.getppid() != parent:
            _sweep(asked.folder)
    return 0


def _sweep(folder: Path) -> None:
    """Deletes the folder of a rehearsal that was killed until it stays away; gives up after a minute."""
    began = gone = time.monotonic()
    while time.monotonic() - gone < _STAYS_AWAY_SECONDS and time.monotonic() - began < _SWEEPING_SECONDS:
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
            gone = time.monotonic()
        time.sleep(_LOOK_SECONDS)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rehearsal.server",
        description=__doc__,
        epilog=f"faults:\n{table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--hold-seconds", type=float, default=HOLD_SECONDS, help="how long an answer waits for its stack operation"
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--seed", type=Path, metavar="FILE", help="a network and storage that stand already, as JSON")
    parser.add_argument(
        "--pins",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="a lock, whose pins are published beside those of the tables; may be given several times",
    )
    parser.add_argument(
        "--charts", type=Path, metavar="FOLDER", help="archives of charts, NAME-VERSION.tgz, in place of stand-ins"
    )
    parser.add_argument(
        "--fault", metavar="NAME[@WHERE]", action="append", default=[], help="what goes wrong from the start"
    )
    parser.add_argument(
        "--journal", type=Path, metavar="FOLDER", help="an empty folder to keep the calls in: GET /_rehearsal/state"
    )
    parser.add_argument("--load", type=Path, metavar="STATE", help="what such a GET has answered, to begin with")
    parser.add_argument(
        "--folder",
        type=Path,
        help=f"a temporary folder, {FOLDER_PREFIX}..., that is deleted when standard input ends",
    )
    return parser


def _application(asked: argparse.Namespace) -> WsgiApplication:
    state = opened(asked.load) if asked.load else None
    faults = [for_services(text) for text in asked.fault]
    rehearsal = embedded(hold_seconds=asked.hold_seconds)
    furniture = Furniture(asked.seed, asked.pins, asked.charts)

    def begin() -> WsgiApplication:
        if asked.journal is not None:
            return start_journal(rehearsal, furniture, asked.journal, state)
        application = start(rehearsal, furniture)
        for fault in faults:
            rehearsal.faults.add(fault)
        return application

    return Resettable(rehearsal, begin)


def _watch_input(server: BaseWSGIServer, is_left: threading.Event) -> None:
    """Waits until whoever started the server is gone, without Python's own buffer, whose lock would break the exit."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    is_left.set()
    server.shutdown()


def _stop(server: BaseWSGIServer) -> None:
    """Ends the server from a signal handler, which runs in the thread that serves and so may not wait for it."""
    threading.Thread(target=server.shutdown, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
