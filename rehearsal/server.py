"""Serves the rehearsal on a loopback port, in a process of its own: ``python -m rehearsal.server``.

The process writes one line of JSON on standard output when it is ready (``{"port": 40123}``) and lives as long as its
standard input stays open: whoever started it holds the other end, and when he closes it or dies the server ends.
"""

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import MotoRequestHandler
from werkzeug.serving import BaseWSGIServer, make_server

from ami.lock import LockError
from rehearsal.embedded import embedded
from rehearsal.faults import FaultError, parse, table
from rehearsal.keeping import StateError, opened
from rehearsal.keeping.starting import Furniture, start, start_journal
from rehearsal.operations import HOLD_SECONDS
from rehearsal.transport import WsgiApplication

HOST = "127.0.0.1"


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
    try:
        application = _application(asked)
    except (FaultError, LockError, StateError, OSError) as error:
        parser.exit(2, f"{error}\n")
    server = make_server(HOST, asked.port, application, threaded=True, request_handler=QuietRequestHandler)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _stop(server))
    threading.Thread(target=_watch_input, args=(server,), daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)  # noqa: T201  (the parent reads it)
    server.serve_forever()
    return 0


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
    return parser


def _application(asked: argparse.Namespace) -> WsgiApplication:
    state = opened(asked.load) if asked.load else None
    faults = [parse(text) for text in asked.fault]
    rehearsal = embedded(hold_seconds=asked.hold_seconds, faults=faults)
    furniture = Furniture(asked.seed, asked.pins, asked.charts)
    if asked.journal is None:
        return start(rehearsal, furniture)
    return start_journal(rehearsal, furniture, asked.journal, state)


def _watch_input(server: BaseWSGIServer) -> None:
    """Waits until whoever started the server is gone, without Python's own buffer, whose lock would break the exit."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    server.shutdown()


def _stop(server: BaseWSGIServer) -> None:
    """Ends the server from a signal handler, which runs in the thread that serves and so may not wait for it."""
    threading.Thread(target=server.shutdown, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
