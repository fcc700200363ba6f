"""Shows what is in the clusters of the embedded AWS, beside it: ``/kubernetes/HOST`` gives what HOST's cluster holds.

HOST is the host of a cluster's endpoint. A real API server would want a token of somebody whom it knows; this is for
the rehearsal alone, which reads it to tell what stands.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from moto.eks.models import eks_backends

from rehearsal.kubernetes.server import ApiServer

if TYPE_CHECKING:
    from rehearsal.overlays.eks.records import ClusterRecord

PREFIX = "/kubernetes/"


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is for this: by its path, and not signed as requests for AWS are."""
    signed = environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256")
    host = environ.get("PATH_INFO", "").removeprefix(PREFIX)
    return not signed and host != environ.get("PATH_INFO") and "." in host and "/" not in host


def answer(environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers a WSGI request."""
    server = server_of(f"https://{environ['PATH_INFO'].removeprefix(PREFIX)}")
    status = HTTPStatus.OK if server else HTTPStatus.NOT_FOUND
    body = json.dumps(server.described() if server else {"message": "no such cluster"}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    start_response(f"{status.value} {status.phrase}", list(headers.items()))
    return [body]


def server_of(endpoint: str) -> ApiServer | None:
    """Gives the API server at a cluster's endpoint, of whatever account and region; None where there is none."""
    for account in eks_backends.values():
        for backend in account.values():
            for cluster in backend.clusters.values():
                if cluster.endpoint == endpoint:
                    return cast("ClusterRecord", cluster).kubernetes
    return None
