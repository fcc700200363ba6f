"""Container registries and chart repositories, beside the embedded AWS: what a tag means, and the archives of charts.

Every host is below one path, so that ``https://HOST/v2/...`` becomes ``http://127.0.0.1:PORT/registry/HOST/v2/...``.
Where a table or a lock names an image's digest, a tag answers with it, though the manifest that is sent can't have it:
what the real one says is not known, and nobody pulls the image. All other digests are those of what is sent. Charts are
pulled, so that theirs are their own: a rehearsal's lock pins what is served here, and no deploy takes such a lock.

Source: OCI distribution specification, "Pull" and "Error codes"; distribution/distribution, "Token authentication
specification" and registry/handlers/manifests.go; ECR user guide, "Private registry authentication"; Helm
documentation, "The chart repository guide".
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import yaml

from ami.archives import file_name
from ami.registry.names import ecr_region
from rehearsal.pins import published
from rehearsal.pins.charts import chart_archive, digest_of, pushed
from rehearsal.pins.records import Artefact

PREFIX = "/registry/"

#: The hosts of registries have a dot or a port; with anything else in its place a path is of a bucket called registry.
_PATH = re.compile(r"/registry/(?P<host>[^/]*[.:][^/]*)(?P<rest>/.*)")
_CONTENT = re.compile(r"/v2/(?P<repository>.+)/(?P<what>manifests|blobs)/(?P<reference>[^/]+)")
_ARCHIVE = ".tgz"
_ECR_LOGIN = re.compile(rb"AWS:\d{12}-auth-token")
_INDEX, _SINGLE = "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"

Answer = tuple[HTTPStatus, dict[str, str], bytes]

_NO_PAGE: Answer = (HTTPStatus.NOT_FOUND, {"Content-Type": "text/plain"}, b"404 page not found\n")


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is for a registry: by its path, and not signed as requests for AWS are."""
    signed = environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256")
    return not signed and bool(_PATH.fullmatch(environ.get("PATH_INFO", "")))


def answer(environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers a WSGI request for a registry."""
    status, headers, body = _answer(environ)
    headers = {"Content-Length": str(len(body)), **headers}
    start_response(f"{status.value} {status.phrase}", list(headers.items()))
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


def _answer(environ: Mapping[str, Any]) -> Answer:
    matched = _PATH.fullmatch(environ["PATH_INFO"])
    host, rest = (matched["host"], matched["rest"]) if matched else ("", "")
    if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
        return _error(HTTPStatus.METHOD_NOT_ALLOWED, "UNSUPPORTED", "The operation is unsupported.")
    if rest == "/v2" or rest.startswith("/v2/"):
        return _of_registry(environ, host, rest)
    if rest == "/token" and not ecr_region(host):
        return _token(parse_qs(environ.get("QUERY_STRING", "")))
    if rest.endswith("/index.yaml"):
        return _charts(host, rest.removesuffix("/index.yaml"))
    return _archive(host, rest) if rest.endswith(_ARCHIVE) else _NO_PAGE


def _of_registry(environ: Mapping[str, Any], host: str, rest: str) -> Answer:
    """Answers a request below the root of the distribution API."""
    asked = _CONTENT.fullmatch(rest)
    refused = _unauthorized(environ, host, asked["repository"] if asked else None)
    if refused:
        return refused
    if rest in {"/v2", "/v2/"}:
        return HTTPStatus.OK, _headers("application/json"), b"{}"
    if asked is None:
        return _error(HTTPStatus.NOT_FOUND, "NAME_UNKNOWN", "repository name not known to registry")
    there = [one for one in published().artefacts.values() if (one.host, one.repository) == (host, asked["repository"])]
    if not there:
        detail = {"name": asked["repository"]}
        return _error(HTTPStatus.NOT_FOUND, "NAME_UNKNOWN", "repository name not known to registry", detail)
    if asked["what"] == "blobs":
        return _blob(there, asked["reference"])
    return _manifest(there, asked["reference"], environ.get("HTTP_ACCEPT", "*/*"))


def _unauthorized(environ: Mapping[str, Any], host: str, repository: str | None) -> Answer | None:
    """Gives the refusal of a request without what the registry wants to see; None where it is fine."""
    scheme, _, credentials = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if ecr_region(host):
        if scheme.lower() != "basic":
            challenge = f'Basic realm="https://{host}/",service="ecr.amazonaws.com"'
            return _challenged(challenge, "no basic auth credentials")
        if not _ECR_LOGIN.fullmatch(_decoded(credentials)):
            message = "Your authorization token has expired. Reauthenticate and try again."
            return _error(HTTPStatus.FORBIDDEN, "DENIED", message)
        return None
    scope = "" if repository is None else f"repository:{repository}:pull"
    if scheme.lower() == "bearer" and scope in _decoded(credentials).decode("utf-8", "replace").split(" "):
        return None
    realm = f"{environ.get('wsgi.url_scheme', 'http')}://{environ['HTTP_HOST']}{PREFIX}{host}/token"
    wanted = f',scope="{scope}"' if scope else ""
    return _challenged(f'Bearer realm="{realm}",service="{host}"{wanted}', "authentication required")


def _token(asked: Mapping[str, list[str]]) -> Answer:
    """Gives whoever asks a token for pulling, as public registries do; the token names what it is for."""
    scopes = " ".join(["", *(scope for text in asked.get("scope", []) for scope in text.split(" "))])
    token = base64.b64encode(f"{scopes} ".encode()).decode()
    body = json.dumps({"token": token, "access_token": token, "expires_in": 300})
    return HTTPStatus.OK, {"Content-Type": "application/json"}, body.encode()


def _manifest(there: Iterable[Artefact], reference: str, accept: str) -> Answer:
    for artefact in there:
        found = _content(artefact)
        if found is None:
            continue
        kind, body = found
        # Of an image somebody may know another digest than that of what can be sent.
        digest = (None if artefact.chart else artefact.digest) or digest_of(body)
        if reference in {artefact.tag, digest}:
            if kind not in accept and "*/*" not in accept:
                found_kind = ("index", "indexes") if kind == _INDEX else ("manifest", "manifests")
                message = f"OCI {found_kind[0]} found, but accept header does not support OCI {found_kind[1]}"
                return _error(HTTPStatus.NOT_FOUND, "MANIFEST_UNKNOWN", message)
            return HTTPStatus.OK, {**_headers(kind), "Docker-Content-Digest": digest}, body
    return _error(HTTPStatus.NOT_FOUND, "MANIFEST_UNKNOWN", "manifest unknown", {"reference": reference})


def _content(artefact: Artefact) -> tuple[str, bytes] | None:
    """Gives the media type and the text of a manifest; None of a chart that is not here."""
    if artefact.chart:
        chart = pushed(artefact.repository.rpartition("/")[2], artefact.tag)
        return (chart.media_type, chart.manifest) if chart else None
    text = f"manifest of {artefact.host}/{artefact.repository}:{artefact.tag}".encode()
    single = {"mediaType": _SINGLE, "digest": digest_of(text), "size": len(text)}
    manifests = [{**single, "platform": {"architecture": "amd64", "os": "linux"}}]
    return _INDEX, json.dumps({"schemaVersion": 2, "mediaType": _INDEX, "manifests": manifests}).encode()


def _blob(there: Iterable[Artefact], digest: str) -> Answer:
    """Gives a part of a chart; images have none here, as nobody pulls them."""
    for artefact in there:
        chart = pushed(artefact.repository.rpartition("/")[2], artefact.tag) if artefact.chart else None
        if chart and digest in chart.blobs:
            headers = {**_headers("application/octet-stream"), "Docker-Content-Digest": digest}
            return HTTPStatus.OK, headers, chart.blobs[digest]
    return _error(HTTPStatus.NOT_FOUND, "BLOB_UNKNOWN", "blob unknown to registry", {"digest": digest})


def _charts(host: str, path: str) -> Answer:
    """Gives the index of a chart repository; an archive's digest is bare hexadecimal there."""
    entries: dict[str, list[dict[str, Any]]] = {}
    for chart in published().charts:
        if (chart.host, chart.path) == (host, path):
            archive = chart_archive(chart.name, chart.version)
            if archive is None:
                continue
            entry = {
                "apiVersion": "v1",
                "name": chart.name,
                "version": chart.version,
                "digest": digest_of(archive).removeprefix("sha256:"),
                "urls": [f"https://{host}{path}/{chart.name}-{chart.version}.tgz"],
            }
            entries.setdefault(chart.name, []).append(entry)
    if not entries:
        return _NO_PAGE
    text = yaml.safe_dump({"apiVersion": "v1", "entries": entries, "generated": "2026-11-30T00:00:00Z"})
    return HTTPStatus.OK, {"Content-Type": "text/yaml"}, text.encode()


def _archive(host: str, path: str) -> Answer:
    """Gives the archive of a chart repository that its index names."""
    for chart in published().charts:
        if (chart.host, f"{chart.path}/{file_name(chart.name, chart.version)}") == (host, path):
            archive = chart_archive(chart.name, chart.version)
            return (HTTPStatus.OK, {"Content-Type": "application/gzip"}, archive) if archive else _NO_PAGE
    return _NO_PAGE


def _challenged(challenge: str, message: str) -> Answer:
    status, headers, body = _error(HTTPStatus.UNAUTHORIZED, "UNAUTHORIZED", message)
    return status, {**headers, "WWW-Authenticate": challenge}, body


def _error(status: HTTPStatus, code: str, message: str, detail: Mapping[str, str] | None = None) -> Answer:
    body = {"errors": [{"code": code, "message": message, "detail": detail}]}
    return status, _headers("application/json"), json.dumps(body).encode()


def _headers(kind: str) -> dict[str, str]:
    return {"Content-Type": kind, "Docker-Distribution-Api-Version": "registry/2.0"}


def _decoded(text: str) -> bytes:
    """Gives what a text in base 64 says; nothing where it is not one."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return b""
