"""Archives of charts as registries serve them: by their digests, whole, and no larger than a chart."""

import hashlib
import json

import pytest

from ami.registry import Registry, RegistryError
from ami.registry.chart_archives import CHART_LAYER_TYPE
from rehearsal.charts import archive
from tests.ami.registry_server import RegistryServer, Reply

KUEUE = "oci://registry.k8s.io/kueue/charts/kueue"
REPOSITORY = "registry.k8s.io/kueue/charts/kueue"
EFA = "https://aws.github.io/eks-charts/aws-efa-k8s-device-plugin"
ARCHIVE = archive("kueue", "0.19.2")
EFA_ARCHIVE = archive("aws-efa-k8s-device-plugin", "v0.5.30")


def digest_of(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@pytest.fixture
def server():
    server = RegistryServer()
    yield server
    server.close()


@pytest.fixture
def registry(server):
    return Registry(address=server.address, wait=[].append, timeout_seconds=5.0, retries=0)


def layer(content=ARCHIVE, **other):
    return {"mediaType": CHART_LAYER_TYPE, "digest": digest_of(content), "size": len(content), **other}


def push(server, *layers):
    """Puts a chart's manifest there, and its archive; returns the manifest's digest."""
    manifest = json.dumps({"schemaVersion": 2, "config": {}, "layers": list(layers)}).encode()
    server.files[f"{REPOSITORY}@{digest_of(ARCHIVE)}"] = ARCHIVE
    return server.push(f"{REPOSITORY}:0.19.2", manifest)


def error_of(ask, *arguments):
    with pytest.raises(RegistryError) as caught:
        ask(*arguments)
    return caught.value.message


class TestOci:
    def test_archive(self, server, registry):
        """The archive is the layer of a chart's kind, in a manifest that is asked for by its digest, never by a tag."""
        digest = push(server, {"mediaType": "text/plain", "digest": "x", "size": 1}, layer())

        assert registry.chart_archive(KUEUE, "0.19.2", digest) == ARCHIVE
        assert [request.path.rpartition("/")[2] for request in server.requests] == [digest, digest_of(ARCHIVE)]

    def test_token(self, server, registry):
        """A registry that wants a token gets one for the manifest, which serves for the blob."""
        server.token_hosts.add("registry.k8s.io")
        digest = push(server, layer())

        assert registry.chart_archive(KUEUE, "0.19.2", digest) == ARCHIVE
        assert len(server.asked("/token")) == 1

    def test_store_elsewhere(self, server, registry):
        """A blob that lies in a store is fetched there, without the registry's token."""
        server.token_hosts.add("registry.k8s.io")
        digest = push(server, layer())
        server.files["store.example.com/blob"] = ARCHIVE
        there = server.address("store.example.com") + "/blob"
        server.say("/blobs/", Reply(status=401, headers={"WWW-Authenticate": "Bearer x"}), method="PUT")
        server.say(f"/blobs/{digest_of(ARCHIVE)}", Reply(status=307, headers={"Location": there}))

        assert registry.chart_archive(KUEUE, "0.19.2", digest) == ARCHIVE

    def test_altered_archive(self, server, registry):
        """Bytes that are not those of the digest are refused."""
        digest = push(server, layer())
        server.files[f"{REPOSITORY}@{digest_of(ARCHIVE)}"] = b"something else"

        assert f"its archive should have the digest {digest_of(ARCHIVE)}" in error_of(
            registry.chart_archive, KUEUE, "0.19.2", digest
        )

    def test_altered_manifest(self, server, registry):
        """So is a manifest that does not have its digest, before anything that it names is fetched."""
        push(server, layer())
        server.manifests[f"{REPOSITORY}:{digest_of(b'x')}"] = b"{}"

        assert "its manifest should have the digest" in error_of(
            registry.chart_archive, KUEUE, "0.19.2", digest_of(b"x")
        )
        assert server.asked("/blobs/") == []

    @pytest.mark.parametrize(
        "layers",
        [
            [],
            [layer(), layer()],
            [layer(digest="sha256:abc")],
            [layer(digest="../../etc/passwd")],
            [layer(size="1")],
            [layer(size=0)],
            ["x"],
        ],
    )
    def test_no_chart(self, server, registry, layers):
        """A manifest without exactly one archive is no chart's."""
        digest = push(server, *layers)

        assert "archives of a chart, where a chart has one" in error_of(registry.chart_archive, KUEUE, "0.19.2", digest)

    def test_too_large(self, server, registry):
        """An archive that says it is larger than any chart is not fetched."""
        digest = push(server, layer(size=9 * 1024 * 1024))

        assert "more than 8 MiB" in error_of(registry.chart_archive, KUEUE, "0.19.2", digest)
        assert server.asked("/blobs/") == []

    def test_larger_than_it_says(self, server, registry):
        """One that says less than it has is read no further than any chart goes."""
        digest = push(server, layer())
        server.files[f"{REPOSITORY}@{digest_of(ARCHIVE)}"] = bytes(8 * 1024 * 1024 + 1)

        assert "answered with more than 8192 KiB" in error_of(registry.chart_archive, KUEUE, "0.19.2", digest)

    def test_gone(self, registry):
        """A digest that the registry does not have any more is told."""
        assert "has no oci://" in error_of(registry.chart_archive, KUEUE, "0.19.2", digest_of(b"gone"))


class TestHttp:
    def index(self, server, *urls):
        row = {"version": "v0.5.30", "digest": digest_of(EFA_ARCHIVE), "urls": list(urls)}
        index = {"entries": {"aws-efa-k8s-device-plugin": [row]}}
        server.files["aws.github.io/eks-charts/index.yaml"] = json.dumps(index).encode()
        server.files["aws.github.io/eks-charts/efa.tgz"] = EFA_ARCHIVE

    @pytest.mark.parametrize("url", ["efa.tgz", "https://aws.github.io/eks-charts/efa.tgz"])
    def test_archive(self, server, registry, url):
        """The archive is where the index says, beside the index or at an address of its own."""
        self.index(server, url)

        assert registry.chart_archive(EFA, "v0.5.30", digest_of(EFA_ARCHIVE)) == EFA_ARCHIVE

    @pytest.mark.parametrize("url", ["http://example.com/efa.tgz", "file:///etc/passwd", "ftp://example.com/x"])
    def test_elsewhere(self, server, registry, url):
        """An address that is not HTTPS is not asked."""
        self.index(server, url)

        assert "names no HTTPS address" in error_of(registry.chart_archive, EFA, "v0.5.30", digest_of(EFA_ARCHIVE))

    def test_altered(self, server, registry):
        """Bytes that are not those of the digest are refused, whatever the index says of them now."""
        self.index(server, "efa.tgz")

        assert "its archive should have the digest" in error_of(registry.chart_archive, EFA, "v0.5.30", digest_of(b"x"))

    def test_gone(self, server, registry):
        """An archive that is gone is told."""
        self.index(server, "other.tgz")

        assert "although its index names one" in error_of(
            registry.chart_archive, EFA, "v0.5.30", digest_of(EFA_ARCHIVE)
        )
