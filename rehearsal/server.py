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
from rehearsal.operations import HOLD_SECONDS
from rehearsal.pins import publish_file
from rehearsal.pins.charts import publish_archives
from rehearsal.seed import seed_file

HOST = "127.0.0.1"


class QuietRequestHandler(MotoRequestHandler):
    """Serves requests without a log line for each."""

    def log_request(self, *_: Any) -> None:
        """Writes nothing."""


def main(arguments: list[str] | None = None) -> int:
    """Serves until standard input ends or a signal comes.

    Args:
        arguments: The command line; ``--hold-seconds`` says how long an answer waits for its stack operation,
            ``--seed`` names a network that stands already, as ``rehearsal.seed`` reads it, and ``--pins`` a lock file
            whose pins are published beside those of the offline tables; it may be given several times. ``--charts``
            names a folder with archives of charts, which are served in the place of stand-ins.
    """
    parser = argparse.ArgumentParser(prog="python -m rehearsal.server", description=__doc__)
    parser.add_argument("--hold-seconds", type=float, default=HOLD_SECONDS)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--seed", type=Path, metavar="FILE", help="a network that stands already, as JSON")
    parser.add_argument("--pins", type=Path, metavar="FILE", action="append", default=[], help="a lock file")
    parser.add_argument("--charts", type=Path, metavar="FOLDER", help="archives of charts, NAME-VERSION.tgz")
    asked = parser.parse_args(arguments)
    if asked.charts is not None:
        publish_archives(asked.charts)
    try:
        for file in asked.pins:
            publish_file(file)
    except LockError as error:
        parser.error(str(error))
    rehearsal = embedded(hold_seconds=asked.hold_seconds)
    if asked.seed is not None:
        seed_file(asked.seed)
    server = make_server(HOST, asked.port, rehearsal.application, threaded=True, request_handler=QuietRequestHandler)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _stop(server))
    threading.Thread(target=_watch_input, args=(server,), daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)  # noqa: T201  (the parent reads it)
    server.serve_forever()
    return 0


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
