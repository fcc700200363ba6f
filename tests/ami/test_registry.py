import datetime as dt
import email.utils
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from ami.registry import Registry, RegistryError, https_address, no_credentials
from ami.registry.addresses import may_lead_to, proxy_of
from ami.registry.client import MANIFEST_TYPES
from ami.registry.names import HttpChart, chart_name, ecr_region, image_name
from tests.ami.registry_server import INDEX_TYPE, RegistryServer, Reply, basic

IMAGE = "public.ecr.aws/neuron/neuron-device-plugin:2.32.0.0"
MANIFESTS = "/neuron/neuron-device-plugin/manifests/"
ECR = "602401143452.dkr.ecr.us-west-2.amazonaws.com"
ECR_IMAGE = f"{ECR}/eks/aws-efa-k8s-device-plugin:v0.5.20"
EFA_CHART = "https://aws.github.io/eks-charts/aws-efa-k8s-device-plugin"
A_DIGEST = "sha256:" + "a1" * 32


@pytest.fixture
def server():
    server = RegistryServer()
    yield server
    server.close()


@pytest.fixture
def second_server():
    server = RegistryServer()
    yield server
    server.close()


@pytest.fixture
def waits():
    """The waits between attempts, in seconds, none of which is waited for."""
    return []


@pytest.fixture
def registry(server, waits):
    """Returns a builder of a registry whose hosts are all the server's."""

    def build(**settings):
        return Registry(**{"address": server.address, "wait": waits.append, "timeout_seconds": 5.0, **settings})

    return build


def error_of(ask, *arguments):
    with pytest.raises(RegistryError) as caught:
        ask(*arguments)
    assert str(caught.value) == f"{caught.value.message}; {caught.value.hint}"
    return caught.value


class TestDigest:
    def test_header(self, server, registry):
        """The digest is the one in the header, and no body is fetched for it."""
        digest = server.push(IMAGE)

        assert registry().digest(IMAGE) == digest
        assert [request.method for request in server.requests] == ["HEAD"]

    def test_asks_for_an_index_first(self, server, registry):
        """Every kind of manifest is accepted, so that the digest is of all architectures where there is an index."""
        server.push(IMAGE)
        registry().digest(IMAGE)

        assert server.requests[0].headers["Accept"] == ", ".join(MANIFEST_TYPES)
        assert MANIFEST_TYPES[0] == INDEX_TYPE

    @pytest.mark.parametrize("head", [Reply(), Reply(status=405)], ids=["no header", "no HEAD"])
    def test_without_header(self, server, registry, head):
        """A registry that gives no digest, or knows no HEAD, has its manifest hashed."""
        digest = server.push(IMAGE, b'{"schemaVersion": 2}')
        body = Reply(headers={"Content-Type": f"{INDEX_TYPE}; charset=utf-8"}, body=b'{"schemaVersion": 2}')
        server.say(MANIFESTS, head, body)

        assert registry().digest(IMAGE) == digest

    @pytest.mark.parametrize("media_type", ["text/html", ""])
    def test_other_content_is_not_hashed(self, server, registry, media_type):
        """A login page that a proxy serves with status 200 is no manifest."""
        server.say(MANIFESTS, Reply(), Reply(headers={"Content-Type": media_type}, body=b"<html>"))

        assert "which is no manifest" in error_of(registry().digest, IMAGE).message

    def test_content_against_header(self, server, registry):
        """A manifest whose own digest is not the stated one is not pinned."""
        stated = {"Content-Type": INDEX_TYPE, "Docker-Content-Digest": A_DIGEST}
        server.say(MANIFESTS, Reply(), Reply(headers=stated, body=b"altered"))

        assert A_DIGEST in error_of(registry().digest, IMAGE).message

    @pytest.mark.parametrize(
        "digest", ["latest", "sha256:abc", "sha512:" + "a" * 128, A_DIGEST.upper(), A_DIGEST + "0", f"{A_DIGEST} x"]
    )
    def test_bad_header(self, server, registry, digest):
        """A header that is no SHA-256 digest is said to be none, with the image and the host."""
        server.say(MANIFESTS, Reply(headers={"Docker-Content-Digest": digest}))

        message = error_of(registry().digest, IMAGE).message
        assert message == f"{IMAGE}: public.ecr.aws gives {digest[:100]!r} as its digest, which is no SHA-256 digest"

    def test_removed(self, server, registry):
        """A tag that isn't there is named with its host, and the way to newer ones."""
        error = error_of(registry().digest, IMAGE)

        assert error.message == f"public.ecr.aws has no {IMAGE}: its tag was removed, or never was there"
        assert "trnstack lock --outdated FILE" in error.hint
        assert len(server.requests) == 1

    def test_other_status(self, server, registry):
        """An answer that means nothing here is told as it is."""
        server.say(MANIFESTS, Reply(status=418))

        assert error_of(registry().digest, IMAGE).message.endswith("answered 418")

    def test_endless_body(self, server, registry):
        """A body beyond what a registry has to serve is not read to its end."""
        server.say(MANIFESTS, Reply(), Reply(headers={"Content-Type": INDEX_TYPE}, body=bytes(4 * 1024 * 1024 + 1)))

        assert error_of(registry().digest, IMAGE).message.endswith("answered with more than 4096 KiB")

    def test_docker_hub(self, server, registry):
        """A name without a host is Docker Hub's, and one of a single part is below library."""
        digest = server.push("registry-1.docker.io/library/alpine:3.21")

        assert registry().digest("alpine:3.21") == digest


class TestTokens:
    @pytest.fixture(autouse=True)
    def wants_tokens(self, server):
        server.token_hosts.add("public.ecr.aws")

    def test_flow(self, server, registry):
        """The challenge's service and scope go to its realm, and the token goes with the request."""
        digest = server.push(IMAGE)

        assert registry().digest(IMAGE) == digest
        refused, token, granted = server.requests
        assert token.path == "/registry/public.ecr.aws/token"
        assert token.query == {"service": "public.ecr.aws", "scope": "repository:neuron/neuron-device-plugin:pull"}
        assert "Authorization" not in refused.headers
        assert "Authorization" not in token.headers
        assert granted.headers["Authorization"].startswith("Bearer token-")

    def test_once_a_repository(self, server, registry):
        """A repository's token serves its other tags, and no other repository."""
        asking = registry()
        for image in (IMAGE, IMAGE.replace("2.32", "2.31"), IMAGE.replace("device-plugin", "scheduler")):
            server.push(image)
            asking.digest(image)

        assert [request.query["scope"] for request in server.asked("/token")] == [
            "repository:neuron/neuron-device-plugin:pull",
            "repository:neuron/neuron-scheduler:pull",
        ]

    def test_not_of_another_host(self, server, registry):
        """Two hosts behind one address do not see each other's tokens."""
        server.token_hosts.add("ghcr.io")
        other = IMAGE.replace("public.ecr.aws", "ghcr.io")
        asking = registry()
        for image in (IMAGE, other):
            server.push(image)
            asking.digest(image)

        assert "Authorization" not in server.asked("/ghcr.io/v2/")[0].headers

    def test_expired(self, server, registry):
        """A token that is no longer taken is asked for anew, one time."""
        digest = server.push(IMAGE)
        asking = registry()
        asking.digest(IMAGE)
        server.forget_tokens()

        assert asking.digest(IMAGE) == digest
        assert len(server.asked("/token")) == 2

    def test_never_taken(self, server, registry):
        """A registry that takes no token it had given denies the image; it isn't asked for ever."""
        server.push(IMAGE)
        server.say("/token", Reply(body=b'{"token": "wrong"}'))
        error = error_of(registry().digest, IMAGE)

        assert error.message == f"public.ecr.aws denies {IMAGE}"
        assert "isn't public" in error.hint
        assert len(server.asked("/manifests/")) == 2

    def test_access_token(self, server, registry):
        """A token service may call the token access_token, as OAuth does."""
        server.push(IMAGE)
        server.say("/token", Reply(body=b'{"access_token": "abc"}'))
        error_of(registry().digest, IMAGE)

        assert server.requests[-1].headers["Authorization"] == "Bearer abc"

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"<html>",
            b'{"token": ',
            b"[]",
            b"{}",
            b'{"token": 1}',
            b'{"token": ""}',
            b'{"token": "a b"}',
            b'{"token": "a\\r\\nHost: x"}',
            b'{"token": "\xff"}',
            b"[" * 100_000,
        ],
    )
    @pytest.mark.usefixtures("no_collection")
    def test_no_token(self, server, registry, body):
        """What is no token is never sent."""
        server.say("/token", Reply(body=body))

        assert error_of(registry().digest, IMAGE).message.endswith("answered 200 with something that is no token")
        assert len(server.asked("/manifests/")) == 1

    @pytest.mark.parametrize("status", [401, 403])
    def test_refused(self, server, registry, status):
        """A token service that refuses is the registry's way to deny."""
        server.say("/token", Reply(status=status))

        assert f"gives no token for it (it answered {status})" in error_of(registry().digest, IMAGE).message

    @pytest.mark.parametrize("challenge", [{}, {"WWW-Authenticate": "Digest x"}, {"WWW-Authenticate": ""}])
    def test_without_challenge(self, server, registry, challenge):
        """A 401 that says nothing to go by is told as that."""
        server.say(MANIFESTS, Reply(status=401, headers=challenge))

        assert "asks for credentials without saying which" in error_of(registry().digest, IMAGE).message

    def test_realm_with_a_query(self, server, registry):
        """What a realm's own query says stays."""
        realm = f"{server.address('public.ecr.aws')}/token?account=x"
        server.push(IMAGE)
        server.say(MANIFESTS, Reply(status=401, headers={"WWW-Authenticate": f'bearer Realm="{realm}", service=abc'}))
        registry().digest(IMAGE)

        assert server.asked("/token")[0].query == {
            "account": "x",
            "service": "abc",
            "scope": "repository:neuron/neuron-device-plugin:pull",
        }

    @pytest.mark.parametrize(
        "realm",
        ["", "token", "http://registry.example/token", "ftp://127.0.0.1/", "https://u@registry.example/", "http://["],
    )
    def test_unsafe_realm(self, server, registry, realm):
        """A realm that is neither HTTPS nor of this machine is asked for nothing."""
        server.say(MANIFESTS, Reply(status=401, headers={"WWW-Authenticate": f'Bearer realm="{realm}"'}))
        error = error_of(registry(credentials=lambda _: ("AWS", "secret")).digest, IMAGE)

        assert f"has its tokens given by {realm!r}, which is no HTTPS address" in error.message
        assert len(server.requests) == 1


class TestCredentials:
    def test_basic(self, server, registry):
        """ECR's challenge is met with the caller's user and password, one time for a repository."""
        server.credentials[ECR] = ("AWS", "secret")
        digest = server.push(ECR_IMAGE)
        asking = registry(credentials={ECR: ("AWS", "secret")}.get)

        assert [asking.digest(ECR_IMAGE), asking.digest(ECR_IMAGE)] == [digest, digest]
        assert [request.headers.get("Authorization") for request in server.requests] == [
            None,
            basic("AWS", "secret"),
            basic("AWS", "secret"),
        ]

    @pytest.mark.parametrize("credentials", [no_credentials, {ECR: ("AWS", "old")}.get])
    def test_denied(self, server, registry, credentials):
        """Without credentials, or with wrong ones, ECR denies, and the hint is about AWS credentials."""
        server.credentials[ECR] = ("AWS", "secret")
        server.push(ECR_IMAGE)
        error = error_of(registry(credentials=credentials).digest, ECR_IMAGE)

        assert ECR_IMAGE in error.message
        assert "AWS credentials" in error.hint

    def test_for_a_token(self, server, registry):
        """A host's credentials go to its token service, and the token to the registry."""
        server.token_hosts.add("public.ecr.aws")
        server.credentials["public.ecr.aws"] = ("AWS", "secret")
        digest = server.push(IMAGE)

        assert registry(credentials={"public.ecr.aws": ("AWS", "secret")}.get).digest(IMAGE) == digest
        assert server.asked("/token")[0].headers["Authorization"] == basic("AWS", "secret")

    def test_not_to_another_host(self, server, second_server, registry):
        """A token service on another host gets that host's credentials, never the registry's."""
        realm = f"{second_server.address('auth.example')}/token"
        server.push(IMAGE)
        server.say(MANIFESTS, Reply(status=401, headers={"WWW-Authenticate": f'Bearer realm="{realm}"'}))
        registry(credentials={"public.ecr.aws": ("AWS", "secret")}.get).digest(IMAGE)

        assert "Authorization" not in second_server.asked("/token")[0].headers

    def test_of_the_other_host(self, server, second_server, registry):
        """Credentials for a token service's own host are sent there."""
        realm = f"{second_server.address('auth.example')}/token"
        own = {second_server.base.removeprefix("http://"): ("me", "mine")}
        server.push(IMAGE)
        server.say(MANIFESTS, Reply(status=401, headers={"WWW-Authenticate": f'Bearer realm="{realm}"'}))
        registry(credentials=own.get).digest(IMAGE)

        assert second_server.asked("/token")[0].headers["Authorization"] == basic("me", "mine")


class TestRedirects:
    def test_followed(self, server, second_server, registry):
        """A mirror that is redirected to is asked with its own token and without the first one's."""
        server.token_hosts.add("public.ecr.aws")
        second_server.token_hosts.add("mirror.example")
        server.push(IMAGE)
        digest = second_server.push("mirror.example/neuron/mirrored:1", b"mirrored")
        asking = registry()
        asking.digest(IMAGE)
        target = f"{second_server.address('mirror.example')}/v2/neuron/mirrored/manifests/1"
        server.say(MANIFESTS, Reply(status=307, headers={"Location": target}))

        assert asking.digest(IMAGE) == digest
        assert server.requests[-1].headers["Authorization"].startswith("Bearer ")
        assert "Authorization" not in second_server.requests[0].headers
        assert second_server.asked("/token")[0].query["scope"] == "repository:neuron/mirrored:pull"

    def test_relative(self, server, registry):
        """A redirect without a host stays on it."""
        digest = server.push("public.ecr.aws/elsewhere:1")
        server.say(
            MANIFESTS, Reply(status=302, headers={"Location": "/registry/public.ecr.aws/v2/elsewhere/manifests/1"})
        )

        assert registry().digest(IMAGE) == digest

    @pytest.mark.parametrize("target", ["http://registry.example/", "file:///etc/passwd", "http://["])
    def test_unsafe(self, server, registry, target):
        """A redirect away from HTTPS or this machine is not followed."""
        server.say(MANIFESTS, Reply(status=301, headers={"Location": target}))

        message = error_of(registry().digest, IMAGE).message
        assert message.endswith(f"redirects to {target!r}, which is no HTTPS address")

    def test_ends(self, server, registry):
        """Redirects in a circle end."""
        server.say(MANIFESTS, *[Reply(status=307, headers={"Location": ""})] * 20)

        assert error_of(registry().digest, IMAGE).message.endswith("redirects more than 5 times")
        assert len(server.requests) == 6


class TestFailures:
    def test_throttled_then_served(self, server, registry, waits):
        """A 429 is waited out as long as Retry-After says, and at least as long as it would be without."""
        digest = server.push(IMAGE)
        server.say(MANIFESTS, *[Reply(status=429, headers={"Retry-After": after}) for after in ("7", "0", "nonsense")])

        assert registry().digest(IMAGE) == digest
        assert waits == [7.0, 1.0, 2.0]

    def test_retry_after_a_date(self, server, registry, waits):
        """Retry-After may be a date; one that is past asks for no wait."""
        server.push(IMAGE)
        soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=30)
        dates = (
            email.utils.format_datetime(soon, usegmt=True),
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "21 Oct 2015 07:28 -0000",
        )
        server.say(MANIFESTS, *[Reply(status=503, headers={"Retry-After": date}) for date in dates])
        registry().digest(IMAGE)

        assert 20 < waits[0] <= 30
        assert waits[1:] == [1.0, 2.0]

    @pytest.mark.parametrize("after", ["3600", "9" * 400])
    def test_throttled_too_long(self, server, registry, waits, after):
        """A wait beyond a minute is told, not waited for."""
        server.say(MANIFESTS, Reply(status=429, headers={"Retry-After": after}))
        error = error_of(registry().digest, IMAGE)

        assert "answered 429 and asks to wait" in error.message
        assert waits == []

    def test_throttled_for_ever(self, server, registry):
        """A registry that keeps throttling is told apart from one that fails."""
        server.say(MANIFESTS, *[Reply(status=429)] * 9)

        assert "throttles, it answered 429 to each of 3 attempts" in error_of(registry(retries=2).digest, IMAGE).message

    def test_failing(self, server, registry, waits):
        """Server errors are tried again with growing waits, then told."""
        server.say(MANIFESTS, *[Reply(status=status) for status in (500, 502, 503, 504, 500, 500)])

        assert error_of(registry().digest, IMAGE).message.endswith("answered 500 to each of 5 attempts")
        assert waits == [0.5, 1.0, 2.0, 4.0]
        assert len(server.requests) == 5

    def test_no_retry_of_what_stays(self, server, registry, waits):
        """An answer that will be the same next time is not asked for again."""
        server.say(MANIFESTS, Reply(status=403), Reply(status=403))
        error_of(registry().digest, IMAGE)

        assert len(server.requests) == 1
        assert waits == []

    def test_token_service_failing(self, server, registry):
        """The token service is tried again like the registry itself."""
        server.token_hosts.add("public.ecr.aws")
        digest = server.push(IMAGE)
        server.say("/token", Reply(status=500), Reply(status=429))

        assert registry().digest(IMAGE) == digest

    def test_connection_lost(self, server, registry, waits):
        """A connection that breaks is made anew."""
        digest = server.push(IMAGE)
        server.say(MANIFESTS, Reply(closes=True), Reply(closes=True))

        assert registry().digest(IMAGE) == digest
        assert len(waits) == 2

    def test_unreachable(self, registry, waits):
        """A port that nobody listens on is told with the reason and what to check."""
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            base = f"http://127.0.0.1:{unused.getsockname()[1]}"
            error = error_of(registry(address=lambda host: f"{base}/{host}", retries=1).digest, IMAGE)

        assert error.message.startswith(f"{IMAGE}: {base.removeprefix('http://')} can't be reached: ")
        assert "refused" in error.message
        assert "HTTPS_PROXY" in error.hint
        assert waits == [0.5]

    def test_silent(self, server, registry):
        """A server that takes the request and says nothing is given up after the time-out."""
        server.say(MANIFESTS, Reply(pause_seconds=30))

        message = error_of(registry(timeout_seconds=0.2, retries=0).digest, IMAGE).message
        assert message.endswith("can't be reached: no answer within 0.2 seconds")

    def test_dripping(self, server, registry):
        """A body that comes in drops, each of them in time, ends with the time-out too."""
        server.say(
            MANIFESTS, Reply(), Reply(headers={"Content-Type": INDEX_TYPE}, body=bytes(1000), pause_seconds=0.05)
        )

        message = error_of(registry(timeout_seconds=0.2, retries=0).digest, IMAGE).message
        assert message.endswith("no answer within 0.2 seconds")

    def test_no_trust(self, server, registry, waits):
        """A server without a certificate that can be checked is asked one time only."""
        base = server.base.replace("http://", "https://")

        error_of(registry(address=lambda host: f"{base}/{host}").digest, IMAGE)
        assert waits == []


class TestChartDigest:
    KUEUE = "oci://registry.k8s.io/kueue/charts/kueue"

    def index(self, server, rows):
        entries = {"aws-efa-k8s-device-plugin": rows}
        server.files["aws.github.io/eks-charts/index.yaml"] = json.dumps({"entries": entries}).encode()

    def test_oci(self, server, registry):
        """A chart in an OCI registry has its manifest's digest."""
        digest = server.push("registry.k8s.io/kueue/charts/kueue:0.19.2")

        assert registry().chart_digest(self.KUEUE, "0.19.2") == digest

    def test_oci_plus(self, server, registry):
        """A plus in a version is an underscore in its tag."""
        digest = server.push("registry.k8s.io/kueue/charts/kueue:0.19.2_build.1")

        assert registry().chart_digest(self.KUEUE, "0.19.2+build.1") == digest

    def test_oci_removed(self, registry):
        """A chart's version that is gone is named as it was asked for."""
        assert f"has no {self.KUEUE} 9.9.9" in error_of(registry().chart_digest, self.KUEUE, "9.9.9").message

    def test_http(self, server, registry):
        """A chart in an HTTP repository has its archive's digest, with or without the algorithm before it."""
        self.index(server, [{"version": "v0.5.30", "digest": "b2" * 32}, {"version": "v0.5.29", "digest": A_DIGEST}])

        assert registry().chart_digest(EFA_CHART, "v0.5.30") == "sha256:" + "b2" * 32
        assert registry().chart_digest(EFA_CHART, "v0.5.29") == A_DIGEST

    def test_versions_are_texts(self, server, registry):
        """A version that YAML would read as a number is compared as it is written."""
        row = f"{{version: 1.10, digest: {'c3' * 32}, created: 2026-13-45}}"
        text = f"entries:\n  aws-efa-k8s-device-plugin:\n  - {row}\n"
        server.files["aws.github.io/eks-charts/index.yaml"] = text.encode()

        assert registry().chart_digest(EFA_CHART, "1.10") == "sha256:" + "c3" * 32

    def test_no_such_version(self, server, registry):
        """A version that isn't there is answered with the newest ones, by number."""
        self.index(server, [{"version": f"v0.5.{patch}", "digest": A_DIGEST} for patch in (9, 30, 28, 29)])
        error = error_of(registry().chart_digest, EFA_CHART, "v0.5.31")

        assert error.message == f"the repository of {EFA_CHART} has no version v0.5.31"
        assert error.hint.startswith("the newest there are v0.5.30, v0.5.29, v0.5.28; ")

    @pytest.mark.parametrize("rows", [[], ["x"], [{"digest": A_DIGEST}]])
    def test_no_versions(self, server, registry, rows):
        """An entry without versions is said to name none."""
        self.index(server, rows)

        assert "names no version" in error_of(registry().chart_digest, EFA_CHART, "v0.5.30").hint

    @pytest.mark.parametrize("digest", [None, "", "abc", "a1" * 40, ["x"]])
    def test_no_digest(self, server, registry, digest):
        """An entry without a digest, or with another kind, gives none."""
        self.index(server, [{"version": "v0.5.30", "digest": digest}])

        assert "no SHA-256 digest" in error_of(registry().chart_digest, EFA_CHART, "v0.5.30").message

    @pytest.mark.parametrize(
        "text",
        [b"", b"<html>", b"{", b"\xff\xfe\xff", b"a: [", b"entries: []", b"[" * 100_000, b"? [a]\n: b", b"- *a"],
    )
    @pytest.mark.usefixtures("no_collection")
    def test_no_index(self, server, registry, text):
        """What is no index is said to be none."""
        server.files["aws.github.io/eks-charts/index.yaml"] = text

        message = error_of(registry().chart_digest, EFA_CHART, "v0.5.30").message
        assert message == f"the index.yaml of {EFA_CHART} isn't the index of a chart repository"

    def test_no_chart(self, server, registry):
        """A repository without the chart is told."""
        server.files["aws.github.io/eks-charts/index.yaml"] = b"entries: {other: []}"

        assert "has no chart aws-efa" in error_of(registry().chart_digest, EFA_CHART, "v0.5.30").message

    def test_no_repository(self, registry):
        """An address without an index.yaml is no repository."""
        message = error_of(registry().chart_digest, EFA_CHART, "v0.5.30").message

        assert message == "aws.github.io has no chart repository at /eks-charts: there is no index.yaml"

    def test_denied_repository(self, server, registry):
        """Another answer than the index is told as it is."""
        server.say("index.yaml", Reply(status=403))

        assert error_of(registry().chart_digest, EFA_CHART, "v0.5.30").message.endswith("answered 403")


class TestNames:
    @pytest.mark.parametrize(
        ("image", "host", "repository", "tag"),
        [
            (IMAGE, "public.ecr.aws", "neuron/neuron-device-plugin", "2.32.0.0"),
            ("localhost/x:1", "localhost", "x", "1"),
            ("registry:5000/a/b:1", "registry:5000", "a/b", "1"),
            ("alpine:3", "registry-1.docker.io", "library/alpine", "3"),
            ("docker.io/alpine:3", "registry-1.docker.io", "library/alpine", "3"),
            ("kubeflow/trainer:v2", "registry-1.docker.io", "kubeflow/trainer", "v2"),
        ],
    )
    def test_parts(self, image, host, repository, tag):
        """The host is what looks like one, and Docker Hub's API otherwise."""
        name = image_name(image)

        assert (name.host, name.repository, name.tag) == (host, repository, tag)

    @pytest.mark.parametrize(
        "image",
        [
            "",
            ":",
            "x",
            "public.ecr.aws/x",
            "registry:5000/x",
            f"public.ecr.aws/x@{A_DIGEST}",
            "public.ecr.aws/X:1",
            "public.ecr.aws/../x:1",
            "public.ecr.aws/x//y:1",
            "public.ecr.aws/x:-1",
            "public.ecr.aws/x:1\n",
            "public.ecr.aws/x:1 HTTP/1.1",
            "public.ecr.aws/x?y:1",
            "user@public.ecr.aws/x:1",
            "https://public.ecr.aws/x:1",
            "public.ecr.aws/" + "x" * 300 + ":1",
        ],
    )
    def test_not_a_name(self, registry, server, image):
        """What is no image with a tag is refused before anybody is asked."""
        assert "REGISTRY/REPOSITORY:TAG" in error_of(registry().digest, image).hint
        assert server.requests == []

    def test_http_chart(self):
        """The last part of an HTTP location is the chart, what is before it the repository."""
        assert chart_name(EFA_CHART, "v1") == HttpChart(
            text=EFA_CHART, host="aws.github.io", path="/eks-charts", name="aws-efa-k8s-device-plugin"
        )

    @pytest.mark.parametrize(
        "location",
        [
            "",
            "kueue",
            "https://",
            "https://aws.github.io",
            "https://aws.github.io/eks-charts/",
            "http://aws.github.io/x/y",
            "https://me:secret@aws.github.io/x/y",
            "https://aws.github.io/x/y?z",
            "https://aws.github.io/../y",
            "https://[/x/y",
            "oci://",
        ],
    )
    def test_not_a_location(self, registry, server, location):
        """What is no chart's location is refused before anybody is asked."""
        error_of(registry().chart_digest, location, "1.0.0")

        assert server.requests == []


class TestThreads:
    def test_many_at_a_time(self, server, registry):
        """Many threads each get the digest of the image that they asked for, and a token serves them all."""
        server.token_hosts.add("public.ecr.aws")
        images = [f"public.ecr.aws/neuron/image-{number % 8}:{number}" for number in range(64)]
        digests = {image: server.push(image, image.encode()) for image in images}
        asking = registry()
        for number in range(8):
            asking.digest(f"public.ecr.aws/neuron/image-{number}:{number}")
        with ThreadPoolExecutor(16) as threads:
            found = dict(zip(images, threads.map(asking.digest, images), strict=True))

        assert found == digests
        assert len(server.asked("/token")) == 8


class TestProxy:
    @pytest.fixture(autouse=True)
    def no_environment(self, monkeypatch):
        for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.upper(), raising=False)

    @pytest.mark.parametrize(
        ("environment", "url", "proxy"),
        [
            ({}, "https://ghcr.io/v2/", None),
            ({"HTTPS_PROXY": "http://proxy.example:3128"}, "https://ghcr.io/v2/", "http://proxy.example:3128"),
            ({"https_proxy": "proxy.example:3128"}, "https://ghcr.io/v2/", "http://proxy.example:3128"),
            ({"HTTP_PROXY": "http://proxy.example:3128"}, "https://ghcr.io/v2/", None),
            ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "example.com,ghcr.io"}, "https://ghcr.io/v2/", None),
            ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".dkr.ecr.us-west-2.amazonaws.com"}, f"https://{ECR}/v2/", None),
            ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://ghcr.io/v2/", None),
            ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "ghcr.io"}, "https://public.ecr.aws/v2/", "http://p:1"),
            ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:5000/v2/", None),
            ({"HTTP_PROXY": "http://p:1"}, "http://localhost/v2/", None),
            ({"HTTP_PROXY": "http://p:1"}, "http://[::1]/v2/", None),
        ],
    )
    def test_proxy_of(self, monkeypatch, environment, url, proxy):
        """The environment's proxy is for what NO_PROXY does not name, and never for this machine."""
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

        assert proxy_of(url) == proxy

    def test_asks_by_the_proxy(self, monkeypatch, waits):
        """A registry on the internet is asked by the proxy, with the proxy's own credentials."""
        with socket.create_server(("127.0.0.1", 0)) as proxy, ThreadPoolExecutor(1) as threads:
            proxy.settimeout(10)
            port = proxy.getsockname()[1]
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:s%C3%A9cret@127.0.0.1:{port}")
            seen = threads.submit(self.refuse_one, proxy)
            error = error_of(Registry(retries=0, wait=waits.append).digest, IMAGE)

            request = seen.result(timeout=10)
        assert request.startswith("CONNECT public.ecr.aws:443 ")
        assert f"Proxy-Authorization: {basic('me', 'sécret')}".lower() in request.lower()
        assert error.message.startswith(f"{IMAGE}: public.ecr.aws can't be reached: ")

    @staticmethod
    def refuse_one(proxy):
        connection, _ = proxy.accept()
        with connection:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                request += connection.recv(4096)
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return request.decode()

    def test_not_a_proxy(self, monkeypatch, waits):
        """A proxy's address that is none is a sentence, and is tried one time."""
        monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy.example")
        error = error_of(Registry(wait=waits.append).digest, IMAGE)

        assert "HTTPS_PROXY" in error.hint
        assert waits == []


class TestAddresses:
    @pytest.mark.parametrize(
        ("url", "target", "allowed"),
        [
            ("https://ghcr.io/v2/", "https://ghcr.io/token", True),
            ("https://registry-1.docker.io/v2/", "https://auth.docker.io/token", True),
            ("https://ghcr.io/v2/", "http://ghcr.io/token", False),
            ("https://ghcr.io/v2/", "http://127.0.0.1/token", False),
            ("https://ghcr.io/v2/", "https://localhost/token", False),
            ("http://127.0.0.1:1/v2/", "http://127.0.0.1:2/token", True),
            ("http://127.0.0.1:1/v2/", "http://10.0.0.1/token", False),
            ("https://ghcr.io/v2/", "https://me:secret@ghcr.io/token", False),
            ("https://ghcr.io/v2/", "https://ghcr.io:x/token", False),
            ("https://ghcr.io/v2/", "//ghcr.io/token", False),
        ],
    )
    def test_may_lead_to(self, url, target, allowed):
        """An answer leads to HTTPS only, and from this machine to itself."""
        assert may_lead_to(url, target) is allowed

    def test_https(self):
        """A host's address is its own, by HTTPS."""
        assert https_address("ghcr.io") == "https://ghcr.io"


class TestEcrRegion:
    @pytest.mark.parametrize(
        ("host", "region"),
        [
            (ECR, "us-west-2"),
            ("602401143452.dkr.ecr-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
            ("602401143452.dkr.ecr.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            ("public.ecr.aws", None),
            (f"{ECR}.example.com", None),
            (f"x{ECR}", None),
            ("602401143452.dkr.ecr.us-west-2.example.com", None),
        ],
    )
    def test_host(self, host, region):
        """A private registry of ECR has its region in its host, and no other host is one."""
        assert ecr_region(host) == region
