"""Sets and lifts the faults of an embedded AWS that is running, beside the services: ``/_rehearsal/faults``.

``GET`` gives those in force as ``{"faults": [...], "refused": {...}}``, with how many calls each has refused; ``PUT``
with ``{"faults": ["NAME@WHERE", ...]}`` lets those be in force and no others; ``DELETE`` lifts all.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from rehearsal.faults.injection import Faults
from rehearsal.faults.table import Fault, FaultError, Place, parse

PATH = "/_rehearsal/faults"


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is about the faults, and not signed as requests for AWS are."""
    signed = environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256")
    return not signed and environ.get("PATH_INFO") == PATH


def for_services(text: str) -> Fault:
    """Reads a fault that can happen inside the embedded AWS.

    Raises:
        FaultError: There is no such fault, or it concerns the CDK CLI, of which AWS knows nothing.
    """
    fault = parse(text)
    if fault.kind.place is Place.COMMAND:
        raise FaultError(
            f"{fault} concerns the CDK CLI, and nothing in the embedded AWS\n"
            f"  hint: trnstack rehearse FILE --scenario faults --fault {fault}"
        )
    return fault


def answer(faults: Faults, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers a WSGI request about the faults."""
    status, body = HTTPStatus.OK, b""
    try:
        _obey(faults, environ)
    except FaultError as error:
        status, body = HTTPStatus.BAD_REQUEST, json.dumps({"message": str(error)}).encode()
    else:
        told = {"faults": [str(fault) for fault in faults.active], "refused": faults.refused()}
        body = json.dumps(told).encode()
    start_response(
        f"{status.value} {status.phrase}", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    )
    return [body]


def _obey(faults: Faults, environ: Mapping[str, Any]) -> None:
    method = environ["REQUEST_METHOD"]
    if method == "GET":
        return
    if method == "DELETE":
        faults.lift()
        return
    if method != "PUT":
        raise FaultError(f"{PATH} takes GET, PUT and DELETE, not {method}")
    wanted = [for_services(text) for text in _asked(environ)]
    faults.lift()
    for fault in wanted:
        faults.add(fault)


def _asked(environ: Mapping[str, Any]) -> list[str]:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    try:
        asked = json.loads(environ["wsgi.input"].read(length))
    except ValueError as error:
        raise FaultError(f"the body is no JSON: {error}") from error
    faults = asked.get("faults") if isinstance(asked, dict) else None
    if not isinstance(faults, list) or not all(isinstance(text, str) for text in faults):
        raise FaultError('the body should be {"faults": ["NAME[@WHERE]", ...]}')
    return faults
