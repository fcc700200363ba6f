"""A small container registry, token service and chart repository on loopback, for the tests of those who ask one."""

import base64
import hashlib
import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

INDEX_TYPE = "application/vnd.oci.image.index.v1+json"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer that is given in place of the server's own.

    Attributes:
        status: The HTTP status.
        headers: Its headers beside the length.
        body: The body.
        pause_seconds: The wait before each byte of the body; without a body, before the answer.
        closes: Whether the connection is closed in place of an answer.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    pause_seconds: float = 0.0
    closes: bool = False


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]


class RegistryServer:
    """Serves every registry host below ``/registry/HOST``, as ``address`` says.

    Attributes:
        manifests: Manifests by image, ``HOST/REPOSITORY:TAG``.
        files: Other files by ``HOST/PATH``, blobs by ``HOST/REPOSITORY@DIGEST``.
        token_hosts: The hosts that want a bearer token, which their own token service gives to everybody.
        credentials: User and password by host, for hosts that want basic credentials.
        requests: What came in, oldest first.
    """

    def __init__(self) -> None:
        self.manifests: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self.token_hosts: set[str] = set()
        self.credentials: dict[str, tuple[str, str]] = {}
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._said: list[tuple[str, str | None, deque[Reply]]] = []
        self._tokens: dict[str, tuple[str, str]] = {}
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_HEAD(self):
                server._answer(self)

            def do_GET(self):
                server._answer(self)

            def log_message(self, *arguments):
                """Keeps quiet."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def address(self, host: str) -> str:
        return f"{self.base}/registry/{host}"

    def push(self, image: str, manifest: bytes = b"{}") -> str:
        """Puts an image there and returns its digest."""
        digest = f"sha256:{hashlib.sha256(manifest).hexdigest()}"
        self.manifests[image] = self.manifests[f"{image.rpartition(':')[0]}:{digest}"] = manifest
        return digest

    def say(self, fragment: str, *replies: Reply, method: str | None = None) -> None:
        """Gives these answers, one each, to the next requests whose path has the fragment."""
        self._said.append((fragment, method, deque(replies)))

    def forget_tokens(self) -> None:
        """Makes every token given so far invalid."""
        with self._lock:
            self._tokens.clear()

    def asked(self, fragment: str) -> list[Request]:
        """Returns the requests whose path has the fragment."""
        return [request for request in self.requests if fragment in request.path]

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        url = urlsplit(handler.path)
        request = Request(
            method=handler.command,
            path=url.path,
            query={key: values[0] for key, values in parse_qs(url.query).items()},
            headers=dict(handler.headers.items()),
        )
        with self._lock:
            self.requests.append(request)
            reply = self._next_said(request) or self._own(request)
        self._send(handler, reply)

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.closes:
            handler.close_connection = True
            return
        if reply.pause_seconds and not reply.body:
            self.closing.wait(reply.pause_seconds)
        handler.send_response(reply.status)
        for key, value in reply.headers.items():
            handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        if handler.command == "HEAD":
            return
        pieces = [reply.body[i : i + 1] for i in range(len(reply.body))] if reply.pause_seconds else [reply.body]
        for piece in pieces:
            try:
                handler.wfile.write(piece)
            except OSError:
                handler.close_connection = True
                return
            if self.closing.wait(reply.pause_seconds):
                handler.close_connection = True
                return

    def _next_said(self, request: Request) -> Reply | None:
        for fragment, method, replies in self._said:
            if fragment in request.path and replies and method in {None, request.method}:
                return replies.popleft()
        return None

    def _own(self, request: Request) -> Reply:
        host, _, path = request.path.removeprefix("/registry/").partition("/")
        if path == "token":
            return self._give_token(host, request)
        if "/blobs/" in path:
            repository, _, digest = path.removeprefix("v2/").partition("/blobs/")
            return self._challenge(host, repository, request) or self._file(f"{host}/{repository}@{digest}")
        if path.startswith("v2/"):
            repository, _, tag = path.removeprefix("v2/").partition("/manifests/")
            return self._challenge(host, repository, request) or self._manifest(f"{host}/{repository}:{tag}")
        return self._file(f"{host}/{path}")

    def _file(self, name: str) -> Reply:
        content = self.files.get(name)
        return Reply(status=404) if content is None else Reply(body=content)

    def _manifest(self, image: str) -> Reply:
        manifest = self.manifests.get(image)
        if manifest is None:
            return Reply(status=404, body=b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}')
        digest = f"sha256:{hashlib.sha256(manifest).hexdigest()}"
        return Reply(headers={"Content-Type": INDEX_TYPE, "Docker-Content-Digest": digest}, body=manifest)

    def _challenge(self, host: str, repository: str, request: Request) -> Reply | None:
        sent = request.headers.get("Authorization", "")
        if host in self.token_hosts:
            if self._tokens.get(sent.removeprefix("Bearer ")) == (host, repository):
                return None
            parameters = f'realm="{self.address(host)}/token",service="{host}",scope="repository:{repository}:pull"'
            return Reply(status=401, headers={"WWW-Authenticate": f"Bearer {parameters}"})
        if host in self.credentials and sent != basic(*self.credentials[host]):
            return Reply(status=401, headers={"WWW-Authenticate": f'Basic realm="{host}",service="ecr.amazonaws.com"'})
        return None

    def _give_token(self, host: str, request: Request) -> Reply:
        if host in self.credentials and request.headers.get("Authorization") != basic(*self.credentials[host]):
            return Reply(status=401)
        token = f"token-{len(self._tokens)}-{len(self.requests)}"
        self._tokens[token] = (host, request.query["scope"].split(":")[1])
        return Reply(body=json.dumps({"token": token, "expires_in": 300}).encode())


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
