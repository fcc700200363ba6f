"""Runs a job's program in its pod: keeps its log, hands it the signal to end, and ends it when another pod has gone."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

#: How a pod ends that was told to, and one whose job has lost another pod. Neither is a failure of the program, and the
#: job's pod failure policy counts neither.
TOLD_TO_END, PEER_GONE = 143, 75
#: A lost pod's own end is seen before those of the others by so many seconds, so that it is its reason that counts.
_AFTER_A_PEER = 15
#: What a program gets to end by itself that waits, most likely, for a pod that is gone.
_TO_END = 30


def run(program, meeting, log, *, meanwhile=lambda: None):
    """Returns the exit code of a program that has run to its end, or was ended.

    Args:
        program: The command.
        meeting: The pods of the job, which are watched from now on.
        log: The file to which the program's output goes besides stdout; its folder is made.
        meanwhile: What is called again and again while it runs.
    """
    told, started = [], []

    def end(*_):
        told.append(True)
        for each in started:
            each.terminate()

    # The pod's first process gets no signal that it has no handler for. Source: Linux, pid_namespaces(7).
    signal.signal(signal.SIGTERM, end)
    log.parent.mkdir(parents=True, exist_ok=True)
    child = subprocess.Popen(  # noqa: S603 - the job's own
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    started.append(child)
    if told:
        child.terminate()
    copying = threading.Thread(target=_copy, args=(child.stdout, log), daemon=True)
    copying.start()
    meeting.watch()
    code = _code(child, meeting, meanwhile)
    # A process that the program has left behind may keep its output open.
    copying.join(10)
    if code == 0 and meeting.leave(unless=lambda: bool(told)):
        return 0
    if told:
        return TOLD_TO_END
    if code == TOLD_TO_END:
        return code
    return gone() if meeting.is_broken() else _as_shells_do(code)


def _code(child, meeting, meanwhile):
    while True:
        try:
            return child.wait(1)
        except subprocess.TimeoutExpired:
            if meeting.is_broken():
                return _ended(child)
            meanwhile()


def _ended(child):
    """Returns the code of a program that has some time to end by itself, then is told to, and then is killed."""
    for seconds, then in ((_AFTER_A_PEER, child.terminate), (_TO_END, child.kill)):
        try:
            return child.wait(seconds)
        except subprocess.TimeoutExpired:
            then()
    return child.wait()


def gone():
    """Says that another pod has gone, and returns how this one ends then."""
    print("another pod of the job has gone, and this one ends with it", flush=True)
    return PEER_GONE


def _as_shells_do(code):
    return code if code >= 0 else 128 - code


def _copy(source, log):
    """Copies a program's output to stdout, and to a file for as long as it can be written."""
    out, file = sys.stdout.buffer, log.open("ab")
    for part in iter(partial(source.read1, 65_536), b""):
        out.write(part)
        out.flush()
        if file:
            try:
                file.write(part)
                file.flush()
            except OSError as error:
                print(f"{log} is not written any more: {error.strerror}", flush=True)
                file = None


def stamp():
    """Returns the time, in UTC, as it names a log."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
