"""Lets the pods of a job wait for each other, tell each other values, and learn when one of them has gone.

The standard library alone, and no syntax beyond Python 3.10, which older training containers have.
"""

import contextlib
import json
import selectors
import socket
import threading
import time

#: What a pod says when its program has ended well, and what the first one says when another has gone.
DONE, LOST = "done", "lost"
#: A node that loses its power closes no connection: after a minute without a word it is asked, and given up two later.
_ALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 20), ("TCP_KEEPCNT", 6))


class Meeting:
    """Connects the pods of a job, each of them with the one that has number 0.

    Attributes:
        leader: The IPv4 address at which the others reach number 0; None of a job of one pod.
    """

    def __init__(self, place, port, seconds):
        """Connects the pods.

        Args:
            place: The pod's place.
            port: The port on which number 0 listens until all are there.
            seconds: How long the others are waited for.

        Raises:
            OSError: The others don't come in time.
        """
        self._rank, self._lines, self.leader = place.rank, [], None
        self._lost, self._all_done = threading.Event(), threading.Event()
        if place.nodes == 1:
            self._all_done.set()
        elif place.rank == 0:
            # Who comes later is no pod of this round, and is to find nobody here.
            with socket.create_server(("", port), backlog=place.nodes) as server:
                server.settimeout(seconds)
                try:
                    for _ in range(place.nodes - 1):
                        self._lines.append(_Line(server.accept()[0], seconds))
                except OSError:
                    self.close()
                    raise
            self.leader = self._lines[0].socket.getsockname()[0]
        else:
            self._lines.append(_Line(_connected(place.master, port, seconds), seconds))
            self.leader = self._lines[0].socket.getpeername()[0]

    def gather(self, value=None):
        """Returns the values of all pods in the order of their numbers, once all are there.

        Raises:
            ConnectionError: One of them has gone.
        """
        mine = {"rank": self._rank, "value": value}
        if self._rank:
            self._lines[0].write(mine)
            return self._lines[0].read()
        told = sorted([mine, *(line.read() for line in self._lines)], key=lambda each: each["rank"])
        values = [each["value"] for each in told]
        for line in self._lines:
            line.write(values)
        return values

    def watch(self):
        """Looks from now on whether a pod goes before all are done; nothing can be gathered any more."""
        if self._lines:
            threading.Thread(target=self._watch, daemon=True).start()

    def is_broken(self):
        """Tells whether one of the watched pods has gone before its program ended well."""
        return self._lost.is_set()

    def leave(self, *, unless=lambda: False):
        """Returns whether the programs of all pods have ended well, as this pod's has, once that is known.

        No pod of several ends before: a pod that has ended does not come back, and those that start again need it.

        Args:
            unless: Tells whether not to wait any longer.
        """
        if self._rank:
            try:
                self._lines[0].write(DONE)
            except OSError:
                self._lost.set()
        while not (self._all_done.is_set() or self._lost.is_set() or unless()):
            self._all_done.wait(0.2)
        if self._all_done.is_set():
            self._tell(DONE)
        return self._all_done.is_set()

    def close(self):
        """Ends the connections."""
        for line in self._lines:
            line.close()

    def _watch(self):
        with selectors.DefaultSelector() as watched:
            for line in self._lines:
                watched.register(line.socket, selectors.EVENT_READ, line)
            while watched.get_map():
                for key, _ in watched.select():
                    try:
                        word = key.data.read()
                    except (OSError, ValueError):  # ValueError: cut off within a word, or closed here
                        word = LOST
                    if word == DONE:
                        watched.unregister(key.fileobj)
                        continue
                    self._lost.set()
                    self._tell(LOST)
                    return
        self._all_done.set()

    def _tell(self, word):
        """Tells all others, where this is the one that they look to."""
        for line in self._lines if self._rank == 0 else ():
            try:
                line.write(word)
            except OSError:
                continue  # it has gone, which is what the others are told


class _Line:
    """A connection on which each word is a line of JSON."""

    def __init__(self, connection, seconds):
        self.socket = connection
        connection.settimeout(seconds)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _ALIVE:
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._file = connection.makefile("rw", encoding="utf-8")

    def write(self, value):
        self._file.write(json.dumps(value) + "\n")
        self._file.flush()

    def read(self):
        text = self._file.readline()
        if not text:
            raise ConnectionError("another pod of the job has ended")
        return json.loads(text)

    def close(self):
        with contextlib.suppress(OSError):  # what was not sent any more
            self._file.close()
        self.socket.close()


def _connected(host, port, seconds):
    last = time.monotonic() + seconds
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=10)
        except OSError:
            if time.monotonic() > last:
                raise
            time.sleep(0.2)
        else:
            return connection
