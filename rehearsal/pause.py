"""Holds a stack's operation half way, as one that takes an hour on AWS is half way for most of it.

Told by ``PUT /_rehearsal/pause`` with ``{"stack": NAME}``: the stack's next operation waits before its second resource,
until ``DELETE`` lets it go on, or something begins on the stack that ends it. ``GET`` says whether one is waiting, and
for which stack it was told: ``{"holding": true, "stack": NAME}``. The stack may be one that is yet to be made. The
embedded AWS has one such hold, as it has one clock.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from rehearsal.handlers.base import Properties, Resource
from rehearsal.stack import Stack

PATH = "/_rehearsal/pause"
#: Source: CloudFormation API reference, ``CreateStack``, ``StackName``.
_STACK_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
#: Nobody is left waiting for good: whoever has set a hold and died holds the operation for a minute at most.
_LONGEST_SECONDS, _LOOK_SECONDS = 60.0, 0.05


class _State:
    """Which stack is to be held, and whether one is."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.stack: str | None = None
        self.operation = ""
        self.holding = False


_STATE = _State()


def hold(stack: str) -> None:
    """Lets the next operation of a stack wait before its second resource."""
    _STATE.stack, _STATE.operation = stack, ""
    _STATE.may_go_on.clear()


def go_on() -> None:
    """Lets it go on, and holds nothing any more."""
    _STATE.stack = None
    _STATE.may_go_on.set()


def holding() -> bool:
    """Says whether an operation is waiting."""
    return _STATE.holding and not _STATE.may_go_on.is_set()


def before(stack: Stack, resource: Resource, verb: str, properties: Properties) -> None:  # noqa: ARG001
    """Waits where the stack is to be held; a ``Before`` of the engine."""
    if stack.name != _STATE.stack:
        return
    if _STATE.operation != stack.operation_id:
        _STATE.operation = stack.operation_id
        return
    _STATE.holding = True
    until = time.monotonic() + _LONGEST_SECONDS
    try:
        while not _STATE.may_go_on.wait(_LOOK_SECONDS) and time.monotonic() < until:
            if stack.is_interrupted:
                go_on()
    finally:
        _STATE.holding = False


def stack_told() -> str | None:
    """Gives the name of the stack that is to be held; None where none is."""
    return _STATE.stack


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is about the hold."""
    return environ.get("PATH_INFO") == PATH


def answer(environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers a WSGI request about the hold."""
    status, message = HTTPStatus.OK, ""
    match environ["REQUEST_METHOD"]:
        case "PUT":
            name = _asked(environ)
            if name is None:
                status = HTTPStatus.BAD_REQUEST
                message = 'the body should be {"stack": "NAME"}, with the name of a stack as CloudFormation takes it'
            else:
                hold(name)
        case "DELETE":
            go_on()
        case "GET":
            pass
        case method:
            status, message = HTTPStatus.METHOD_NOT_ALLOWED, f"{PATH} takes GET, PUT and DELETE, not {method}"
    told = {"message": message} if message else {"holding": holding(), "stack": stack_told()}
    body = json.dumps(told).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]


def _asked(environ: Mapping[str, Any]) -> str | None:
    """Gives the name in a request's body; None where it has none that a stack can have."""
    try:
        name = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))["stack"]
    except (ValueError, KeyError, TypeError):
        return None
    return name if isinstance(name, str) and _STACK_NAME.fullmatch(name) else None
