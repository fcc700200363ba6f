"""Registries and chart repositories, asked over loopback as any client asks them."""

import base64
import hashlib
import json
import re
import threading
import urllib.error
import urllib.request

import pytest
import yaml
from werkzeug.serving import make_server

from ami.registry import Registry
from ami.tables import charts
from rehearsal import pins
from rehearsal.charts import archive
from rehearsal.pins.charts import publish_archives
from rehearsal.server import QuietRequestHandler

INDEX = "application/vnd.oci.image.index.v1+json"
PLUGIN = "public.ecr.aws/v2/neuron/neuron-device-plugin/manifests/2.32.0.0"
KUEUE = "registry.k8s.io/v2/kueue/charts/kueue/manifests"
BLOBS = "registry.k8s.io/v2/kueue/charts/kueue/blobs"
TRAINING = "public.ecr.aws/v2/neuron/training/manifests/9.9.9"
EKS = "602401143452.dkr.ecr.us-east-2.amazonaws.com/v2/eks/aws-efa-k8s-device-plugin/manifests/v0.5.20"


@pytest.fixture(scope="module")
def here(services):
    """The address of the rehearsal on this machine."""
    server = make_server("127.0.0.1", 0, services.application, threaded=True, request_handler=QuietRequestHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _nothing_but_tables(services):
    services.reset()


def ask(url, method="GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Gives an answer's status, headers and body, whatever the status."""
    request = urllib.request.Request(url, method=method, headers=headers)  # noqa: S310 - loopback alone
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


@pytest.fixture
def pull(here):
    """Asks below a host, after having got the token that the registry wants to see."""

    def pull(path, method="GET", **headers: str):
        status, answered, body = ask(f"{here}/registry/{path}", method, **headers)
        if status != 401:
            return status, answered, body
        challenge = dict(re.findall(r'(\w+)="([^"]*)"', answered["WWW-Authenticate"]))
        query = f"service={challenge['service']}&scope={challenge.get('scope', '')}"
        token = json.loads(ask(f"{challenge['realm']}?{query}")[2])["token"]
        return ask(f"{here}/registry/{path}", method, Authorization=f"Bearer {token}", **headers)

    return pull


def code(body) -> str:
    return json.loads(body)["errors"][0]["code"]


class TestTokens:
    def test_challenge(self, here):
        """Without a token the registry says where to get which."""
        status, headers, body = ask(f"{here}/registry/{PLUGIN}")

        assert (status, code(body)) == (401, "UNAUTHORIZED")
        assert headers["WWW-Authenticate"] == (
            f'Bearer realm="{here}/registry/public.ecr.aws/token",service="public.ecr.aws",'
            'scope="repository:neuron/neuron-device-plugin:pull"'
        )

    def test_root(self, pull):
        """The root tells that the API is there."""
        status, headers, _ = pull("public.ecr.aws/v2/")

        assert (status, headers["Docker-Distribution-Api-Version"]) == (200, "registry/2.0")

    @pytest.mark.parametrize("token", [base64.b64encode(b" repository:other:pull ").decode(), "nonsense"])
    def test_wrong_token(self, here, token):
        """A token for another repository, or one that is none, is not enough."""
        assert ask(f"{here}/registry/{PLUGIN}", Authorization=f"Bearer {token}")[0] == 401

    def test_private_registry(self, here, client):
        """EKS's own registry takes ECR's credentials and no token."""
        status, headers, _ = ask(f"{here}/registry/{EKS}")
        assert (status, headers["WWW-Authenticate"].split()[0]) == (401, "Basic")

        (granted,) = client("ecr").get_authorization_token()["authorizationData"]
        assert ask(f"{here}/registry/{EKS}", Authorization=f"Basic {granted['authorizationToken']}")[0] == 200

        wrong = base64.b64encode(b"AWS:wrong").decode()
        status, _, body = ask(f"{here}/registry/{EKS}", Authorization=f"Basic {wrong}")
        assert (status, code(body)) == (403, "DENIED")


class TestManifests:
    def test_image(self, pull):
        """A tag and its digest give one manifest, whose digest is its own."""
        status, headers, body = pull(PLUGIN)
        digest = headers["Docker-Content-Digest"]

        assert (status, headers["Content-Type"]) == (200, INDEX)
        assert digest == f"sha256:{hashlib.sha256(body).hexdigest()}"
        assert pull(PLUGIN.replace("2.32.0.0", digest))[2] == body

    def test_head(self, pull):
        """A HEAD gives the digest alone."""
        status, headers, body = pull(PLUGIN, "HEAD")

        assert (status, body) == (200, b"")
        assert headers["Docker-Content-Digest"] == pull(PLUGIN)[1]["Docker-Content-Digest"]

    def test_named_digest(self, pull, lock):
        """An image whose digest a lock names has that digest."""
        pins.publish(lock())

        assert pull(TRAINING)[1]["Docker-Content-Digest"] == f"sha256:{'5' * 64}"

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("public.ecr.aws/v2/neuron/neuron-device-plugin/manifests/1.0", "MANIFEST_UNKNOWN"),
            ("public.ecr.aws/v2/neuron/nothing/manifests/1.0", "NAME_UNKNOWN"),
            (f"public.ecr.aws/v2/neuron/neuron-device-plugin/manifests/sha256:{'0' * 64}", "MANIFEST_UNKNOWN"),
            ("quay.io/v2/neuron/neuron-device-plugin/manifests/2.32.0.0", "NAME_UNKNOWN"),
            ("public.ecr.aws/v2/neuron/neuron-device-plugin/blobs/x", "BLOB_UNKNOWN"),
        ],
    )
    def test_unknown(self, pull, path, expected):
        """What nobody published is not found, by the specification's codes."""
        status, _, body = pull(path)

        assert (status, code(body)) == (404, expected)

    def test_accept(self, pull):
        """A client that does not know indexes is told that there is one."""
        status, _, body = pull(PLUGIN, Accept="application/vnd.docker.distribution.manifest.v2+json")

        assert (status, code(body)) == (404, "MANIFEST_UNKNOWN")
        assert "does not support OCI indexes" in body.decode()

    def test_nothing_is_written(self, pull):
        """Nothing can be pushed."""
        assert pull(PLUGIN, "PUT")[0] == 405

    def test_of_a_lock(self, pull, lock):
        """What a lock names is there."""
        pins.publish(lock())

        assert pull(f"{KUEUE}/9.9.9")[0] == 200
        assert pull(TRAINING)[0] == 200


class TestCharts:
    def test_digests_are_its_own(self, pull):
        """A chart is served whole: manifest, config and archive have the digests that name them, not the table's."""
        row = charts()["kueue"]
        status, headers, body = pull(f"{KUEUE}/{row.version}")
        manifest = json.loads(body)

        assert (status, headers["Docker-Content-Digest"]) == (200, f"sha256:{hashlib.sha256(body).hexdigest()}")
        assert manifest["config"]["mediaType"] == "application/vnd.cncf.helm.config.v1+json"
        assert pull(f"{KUEUE}/{headers['Docker-Content-Digest']}")[2] == body
        assert pull(f"{KUEUE}/{row.digest}")[0] == 404
        for part in (manifest["config"], *manifest["layers"]):
            _, _, blob = pull(f"{BLOBS}/{part['digest']}")
            assert (f"sha256:{hashlib.sha256(blob).hexdigest()}", len(blob)) == (part["digest"], part["size"])
        assert blob == archive("kueue", row.version)

    def test_no_such_blob(self, pull):
        """A digest that no part of a chart has is unknown."""
        status, _, body = pull(f"{BLOBS}/sha256:{'0' * 64}")

        assert (status, code(body)) == (404, "BLOB_UNKNOWN")

    def test_archive_of_a_team(self, pull, tmp_path):
        """Where a team has an archive that one is served."""
        row = charts()["kueue"]
        (tmp_path / f"kueue-{row.version}.tgz").write_bytes(b"the real one")
        publish_archives(tmp_path)
        manifest = json.loads(pull(f"{KUEUE}/{row.version}")[2])

        assert pull(f"{BLOBS}/{manifest['layers'][0]['digest']}")[2] == b"the real one"


class TestChartRepository:
    def test_index(self, here):
        """The index lists the chart's versions with their archives' digests, and where they are."""
        row = charts()["aws-efa-k8s-device-plugin"]
        status, _, body = ask(f"{here}/registry/aws.github.io/eks-charts/index.yaml")
        (entry,) = yaml.safe_load(body)["entries"]["aws-efa-k8s-device-plugin"]

        assert status == 200
        assert entry["version"] == row.version
        (url,) = entry["urls"]
        status, _, content = ask(url.replace("https://", f"{here}/registry/"))
        assert (status, hashlib.sha256(content).hexdigest()) == (200, entry["digest"])

    @pytest.mark.parametrize(
        "path",
        ["aws.github.io/other/index.yaml", "example.com/index.yaml", "aws.github.io/x", "aws.github.io/x/y-1.tgz"],
    )
    def test_unknown(self, here, path):
        """A repository that nobody names is not there."""
        assert ask(f"{here}/registry/{path}")[0] == 404


class TestBesideAws:
    def test_bucket_called_registry(self, services, client):
        """A bucket of that name is S3's, though its objects look like hosts."""
        del services
        s3 = client("s3")
        s3.create_bucket(Bucket="registry", CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        s3.put_object(Bucket="registry", Key="public.ecr.aws/v2/", Body=b"mine")

        assert s3.get_object(Bucket="registry", Key="public.ecr.aws/v2/")["Body"].read() == b"mine"

    def test_lock_client(self, here):
        """The client that resolves locks learns every chart's digest here, and fetches its archive."""
        registry = Registry(address=lambda host: f"{here}/registry/{host}")

        for name, row in charts().items():
            digest = registry.chart_digest(row.location, row.version)
            assert registry.chart_archive(row.location, row.version, digest) == archive(name, row.version)
