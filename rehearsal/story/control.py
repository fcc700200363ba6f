"""Tells the running embedded AWS what it is to do beside what AWS does: faults, a hold, to be saved."""

import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rehearsal import pause
from rehearsal.faults import Fault, FaultError
from rehearsal.faults import control as faults
from rehearsal.keeping import serving
from rehearsal.story.error import RehearsalError


class Control:
    """What a rehearsal says to its own server.

    Args:
        endpoint: The server's address.
    """

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        # Not by way of a proxy that a person has set.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def set_faults(self, wanted: Iterable[Fault]) -> None:
        """Lets these faults be in force, and no others.

        Raises:
            FaultError: There is no such fault.
        """
        try:
            self._ask("PUT", faults.PATH, {"faults": [str(fault) for fault in wanted]})
        except urllib.error.HTTPError as error:
            raise FaultError(json.loads(error.read())["message"]) from error

    def refused(self) -> Mapping[str, int]:
        """Returns how many calls each fault in force has refused, by the fault as a person writes it."""
        found: Mapping[str, int] = self._ask("GET", faults.PATH)["refused"]
        return found

    def lift_faults(self) -> None:
        """Lifts every fault."""
        self._ask("DELETE", faults.PATH)

    def hold(self, stack: str) -> None:
        """Lets the stack's next operation wait half way."""
        self._ask("PUT", pause.PATH, {"stack": stack})

    def go_on(self) -> None:
        """Lets what is held go on."""
        self._ask("DELETE", pause.PATH)

    def is_holding(self) -> bool:
        """Says whether an operation is held half way now."""
        return bool(self._ask("GET", pause.PATH)["holding"])

    def save(self, file: Path) -> None:
        """Saves the embedded AWS in a file, which is there as a whole or not at all.

        Raises:
            RehearsalError: The file can't be written, or the server doesn't give what it has.
        """
        partial = file.with_name(f".{file.name}.part")
        try:
            with self._opener.open(f"{self._endpoint}{serving.PATH}") as answer, partial.open("wb") as to:
                shutil.copyfileobj(answer, to)
            os.replace(partial, file)  # noqa: PTH105 - over an older one, on every system
        except OSError as error:
            raise RehearsalError(f"{file}: the state can't be saved: {error.strerror or error}") from error
        finally:
            partial.unlink(missing_ok=True)

    def read(self, path: str) -> Any:
        """Reads what the server answers at a path in JSON."""
        return self._ask("GET", path)

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._endpoint}{path}", content, method=method)  # noqa: S310 - loopback
        with self._opener.open(request) as answer:
            return json.loads(answer.read() or "null")
