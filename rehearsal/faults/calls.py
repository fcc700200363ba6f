"""Which operation of a service a request asks for, whatever protocol it is written in.

Source: the protocols of botocore's service models: ``query`` and ``ec2`` name it in the body's ``Action``, ``json`` in
the header ``X-Amz-Target``, ``smithy-rpc-v2-cbor`` in the path, and the REST protocols by method, path and query.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import parse_qs

from botocore.model import OperationModel
from werkzeug import Request

from rehearsal.sessions import core_session

_LABEL = re.compile(r"\\\{(\w+)(\\\+)?\\\}")
_BUCKET_HOST = re.compile(r"(?P<bucket>.+)\.(s3[.-].+|localhost(:\d+)?)")
_SCOPE = re.compile(r"Credential=[^/]*/\d{8}/(?P<region>[^/]+)/")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation.

    Attributes:
        service: boto3's name of the service.
        operation: The operation, such as ``CreateNodegroup``; empty where the request names none.
        parameters: The parameters of the query protocols as they are written; empty in the others.
        region: The region of the signature; empty where there is none.
    """

    service: str
    operation: str
    parameters: Mapping[str, str]
    region: str

    @property
    def action(self) -> str:
        """The operation with its service, such as ``eks:CreateNodegroup``."""
        return f"{self.service}:{self.operation}"


def call_of(service: str, request: Request) -> Call:
    """Reads a request; its body can be read again afterwards."""
    scope = _SCOPE.search(request.headers.get("Authorization", ""))
    region = scope["region"] if scope else ""
    target = request.headers.get("X-Amz-Target")
    if target:
        return Call(service, target.rpartition(".")[2], {}, region)
    if "/operation/" in request.path:
        return Call(service, request.path.rpartition("/")[2], {}, region)
    kind, rest = _model(service)
    if kind in {"query", "ec2"}:
        written = request.query_string if request.method == "GET" else request.get_data(cache=True)
        parameters = {name: values[0] for name, values in parse_qs(written.decode("utf-8", "replace")).items()}
        return Call(service, parameters.get("Action", ""), parameters, region)
    return Call(service, _rest_operation(rest, request), {}, region)


@dataclass(frozen=True, slots=True)
class _Route:
    operation: str
    method: str
    path: re.Pattern[str]
    query: frozenset[str]
    headers: frozenset[str]
    labels: int
    deprecated: bool


@cache
def _model(service: str) -> tuple[str, tuple[_Route, ...]]:
    """Gives a service's protocol, and its routes if it is one by paths, the most particular first.

    Of two operations of one path, as S3's ``PutBucketLifecycle`` and ``PutBucketLifecycleConfiguration`` are, the one
    that is not deprecated comes first.
    """
    session = core_session()
    if service not in session.get_available_services():
        return "", ()
    model = session.get_service_model(service)
    kind = str(model.metadata["protocol"])
    if not kind.startswith("rest"):
        return kind, ()
    routes = []
    for name in model.operation_names:
        operation = model.operation_model(name)
        path, query = path_of(operation)
        bare = re.escape(path)
        pattern = _LABEL.sub(lambda label: "(.+)" if label[2] else "([^/]+)", bare)
        given = frozenset(parse_qs(query, keep_blank_values=True)) | _required(operation, "querystring")
        headers = _required(operation, "header")
        labels = len(_LABEL.findall(bare))
        method, deprecated = str(operation.http["method"]), bool(operation.deprecated)
        routes.append(_Route(name, method, re.compile(f"{pattern}/?"), given, headers, labels, deprecated))
    return kind, tuple(
        sorted(routes, key=lambda route: (-len(route.query | route.headers), route.labels, route.deprecated))
    )


def path_of(operation: OperationModel) -> tuple[str, str]:
    """Gives the path of an operation of a REST protocol with its labels, and the query that belongs to it.

    Once a client has called an operation of S3, botocore leaves the bucket out of the model's path, and keeps the whole
    one beside it, with a ``/`` at the end of a bucket's own; loaded models are shared.
    """
    path, _, query = str(operation.http["requestUri"]).partition("?")
    return str(operation.http.get("authPath", path)).rstrip("/") or "/", query


def _required(operation: OperationModel, location: str) -> frozenset[str]:
    """Gives the names of what an operation must have in the query or in headers, as S3 tells alike paths apart."""
    shape = operation.input_shape
    members = [shape.members[name].serialization for name in shape.required_members] if shape else []
    return frozenset(one["name"] for one in members if one.get("location") == location)


def _rest_operation(routes: tuple[_Route, ...], request: Request) -> str:
    host = _BUCKET_HOST.fullmatch(request.host)
    path = f"/{host['bucket']}{request.path}" if host else request.path
    given = request.args.keys()
    for route in routes:
        fits = route.method == request.method and route.query <= given and route.path.fullmatch(path)
        if fits and all(name in request.headers for name in route.headers):
            return route.operation
    return ""
