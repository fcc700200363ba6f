"""Single calls of a journal: which of them change anything, and what of them has to be kept."""

import io
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

#: What operations begin with that change nothing.
_READS = ("Describe", "List", "Get", "BatchGet", "Head", "Lookup", "Validate", "Estimate", "Simulate", "Search")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: ``/ListImages``: services of REST and JSON name some operations in their paths. Buckets have no capital letters.
_OPERATION_PATH = re.compile(r"/([A-Z][A-Za-z]+)")
#: Headers that concern one connection, or that a person would not want to find in a file.
_DROPPED = frozenset(
    {"HTTP_X_AMZ_SECURITY_TOKEN", "HTTP_TRANSFER_ENCODING", "HTTP_CONNECTION", "HTTP_EXPECT", "HTTP_COOKIE"}
)
_KEPT = frozenset({"REQUEST_METHOD", "PATH_INFO", "RAW_URI", "REQUEST_URI", "QUERY_STRING", "CONTENT_TYPE"})
_SIGNATURE = re.compile(r"Signature=[0-9a-f]+")
#: ``Credential=KEY/20261201/us-east-2/ec2/aws4_request``
_SCOPE = re.compile(r"Credential=([^/,]+)/\d+/([^/,]+)/([^/,]+)/")
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Call:
    """A call that changed something.

    Attributes:
        number: Its place among all of a journal.
        at: What time it was in the embedded AWS, in ISO format with its zone.
        request: Its method, path, query and headers, as WSGI names them; without its signature.
        body: The SHA-256 of its body; None where it has none.
        status: How it was answered.
        upload_id: The id of the multipart upload that it began; None for any other. The services draw it from the
            machine's own entropy, so that the calls which name it have to be given another one.
    """

    number: int
    at: str
    request: Mapping[str, str]
    body: str | None
    status: int
    upload_id: str | None = None


def operation(environ: Mapping[str, Any], body: bytes) -> str | None:
    """Returns the name of the operation that a request asks for, where the request says it outright."""
    target = environ.get("HTTP_X_AMZ_TARGET")
    if target:
        return str(target).rpartition(".")[2]
    if str(environ.get("CONTENT_TYPE", "")).startswith(_FORM) and body:
        return parse_qs(body.decode("latin-1")).get("Action", [None])[0]
    path = _OPERATION_PATH.fullmatch(str(environ.get("PATH_INFO", "")))
    return path[1] if path else None


def changes(environ: Mapping[str, Any], body: bytes) -> bool:
    """Says whether a request may change anything; one of which that is not known may."""
    if environ["REQUEST_METHOD"] in _SAFE_METHODS:
        return False
    return not (operation(environ, body) or "").startswith(_READS)


def scope_of(environ: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Returns whose call of which service in which region a request is; None where it is not signed."""
    found = _SCOPE.search(environ.get("HTTP_AUTHORIZATION", ""))
    return found.groups() if found else None


def request_of(environ: Mapping[str, Any]) -> dict[str, str]:
    """Returns what of a request is kept."""
    kept = {
        name: value
        for name, value in environ.items()
        if isinstance(value, str) and (name in _KEPT or name.startswith("HTTP_")) and name not in _DROPPED
    }
    if "HTTP_AUTHORIZATION" in kept:
        # Nothing checks signatures; the account and the region are in what stands before.
        kept["HTTP_AUTHORIZATION"] = _SIGNATURE.sub(f"Signature={'0' * 64}", kept["HTTP_AUTHORIZATION"])
    return kept


def environ_of(request: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """Returns the WSGI environment of a request that was kept."""
    return {
        **request,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
