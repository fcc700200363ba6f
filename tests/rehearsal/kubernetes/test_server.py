"""An API server keeps objects, or says why it does not."""

import json
import threading
import urllib.error
import urllib.request

import pytest
from werkzeug.serving import make_server

from rehearsal.kubernetes import ApiServer, ApiServerError
from rehearsal.kubernetes.immutable import refusals
from rehearsal.server import QuietRequestHandler


@pytest.fixture
def server():
    return ApiServer(lambda: "1.34")


def definition(kind="Flavor", plural="flavors", *, scope="Cluster", served=True):
    version = {"name": "v1", "served": served, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": scope,
            "versions": [version],
        },
    }


FLAVOR = {"apiVersion": "example.com/v1", "kind": "Flavor", "metadata": {"name": "sweet"}, "spec": {"any": "thing"}}


class TestDefinitions:
    def test_kind(self, server):
        """A definition brings a kind, whose objects are taken as they are."""
        server.apply(definition())

        assert server.apply(FLAVOR).namespace == ""

    def test_namespaced(self, server):
        """Its objects are in a namespace where the definition says so."""
        server.apply(definition(scope="Namespaced"))

        assert server.apply(FLAVOR).namespace == "default"

    def test_version_that_is_not_served(self, server):
        """A version that is not served is no kind."""
        server.apply(definition(served=False))

        with pytest.raises(ApiServerError, match='no matches for kind "Flavor" in version'):
            server.apply(FLAVOR)

    def test_deleted(self, server):
        """A definition takes the objects of its kind with it."""
        key = server.apply(definition())
        flavor = server.apply(FLAVOR)
        server.delete(key)

        assert flavor not in server.objects


class TestDeletion:
    def test_not_there(self, server):
        """What is not there can't be deleted."""
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gone"}}

        with pytest.raises(ApiServerError, match=r'\(NotFound\): namespaces "gone" not found'):
            server.delete(server.key_of(namespace))

    @pytest.mark.parametrize(
        ("held", "user"),
        [
            (
                {"kind": "ResourceFlavor", "metadata": {"name": "trn1"}, "spec": {}},
                {
                    "kind": "ClusterQueue",
                    "metadata": {"name": "q"},
                    "spec": {"resourceGroups": [{"flavors": [{"name": "trn1"}]}]},
                },
            ),
            (
                {"kind": "Topology", "metadata": {"name": "tree"}, "spec": {"levels": []}},
                {"kind": "ResourceFlavor", "metadata": {"name": "trn1"}, "spec": {"topologyName": "tree"}},
            ),
        ],
        ids=["flavor", "topology"],
    )
    def test_held(self, server, held, user, monkeypatch):
        """What something uses waits for it."""
        monkeypatch.setattr(ApiServer, "check", lambda *_: None)
        for kind, plural in (("ResourceFlavor", "f"), ("ClusterQueue", "q"), ("Topology", "t")):
            server.apply(definition(kind, plural))
        key, user_key = (server.apply({"apiVersion": "example.com/v1", **each}) for each in (held, user))

        with pytest.raises(ApiServerError, match=f"{held['kind']} .* waits for {user['kind']}"):
            server.delete(key)
        server.delete(user_key)
        server.delete(key)


class TestImmutable:
    def test_condition(self):
        """A flavor's labels are fixed once it has a topology, and free before."""
        flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "spec": {"nodeLabels": {"a": "1"}}}
        placed = {**flavor, "spec": {**flavor["spec"], "topologyName": "tree"}}
        other = {**placed, "spec": {**placed["spec"], "nodeLabels": {"a": "2"}}}

        assert list(refusals(flavor, other)) == []
        assert list(refusals(placed, other)) == [
            "spec: Invalid value: nodeLabels are immutable when topologyName is set"
        ]

    @pytest.mark.parametrize("after", ["2400Gi", "1Gi"])
    def test_claims_keep_their_size(self, after):
        """A claim without a storage class can't ask for another size; one of a class may be allowed to."""

        def claim(size, storage_class=""):
            spec = {"storageClassName": storage_class, "resources": {"requests": {"storage": size}}}
            return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}

        assert "only dynamically provisioned pvc can be resized" in next(refusals(claim("1200Gi"), claim(after)))
        assert not list(refusals(claim("1200Gi"), claim("1200Gi")))
        assert not list(refusals(claim("1200Gi", "gp3"), claim(after, "gp3")))

    @pytest.mark.parametrize(
        ("api_version", "kind", "path"),
        [
            ("batch/v1", "Job", ("spec", "template")),
            ("storage.k8s.io/v1", "StorageClass", ("parameters",)),
            ("apps/v1", "DaemonSet", ("spec", "selector")),
            ("rbac.authorization.k8s.io/v1", "RoleBinding", ("roleRef",)),
            ("scheduling.k8s.io/v1", "PriorityClass", ("value",)),
            ("kueue.x-k8s.io/v1beta2", "LocalQueue", ("spec", "clusterQueue")),
        ],
    )
    def test_fields(self, api_version, kind, path):
        """Each of these fields stays as it is."""

        def found(value):
            content = value
            for name in reversed(path):
                content = {name: content}
            return {"apiVersion": api_version, "kind": kind, **content}

        assert list(refusals(found("a"), found("b")))
        assert not list(refusals(found("a"), found("a")))


class TestView:
    @pytest.fixture
    def here(self, services):
        """The address of the rehearsal on this machine."""
        served = make_server("127.0.0.1", 0, services.application, threaded=True, request_handler=QuietRequestHandler)
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()
        served.server_close()

    def test_contents(self, here, cluster):
        """What a cluster holds is told by its endpoint's host."""
        host = cluster.attributes["Endpoint"].removeprefix("https://")
        with urllib.request.urlopen(f"{here}/kubernetes/{host}") as answer:  # noqa: S310 - loopback
            found = json.load(answer)

        assert found["releases"] == []
        assert {each["content"]["metadata"]["name"] for each in found["objects"]} >= {"default", "kube-system"}

    def test_no_such_cluster(self, here):
        """A host of no cluster has nothing."""
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{here}/kubernetes/example.com")  # noqa: S310
        refused.value.close()

    def test_bucket_of_that_name(self, client):
        """A bucket called kubernetes is S3's."""
        s3 = client("s3")
        s3.create_bucket(Bucket="kubernetes", CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        s3.put_object(Bucket="kubernetes", Key="example.com", Body=b"mine")

        assert s3.get_object(Bucket="kubernetes", Key="example.com")["Body"].read() == b"mine"
