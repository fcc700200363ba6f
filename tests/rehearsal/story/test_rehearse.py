"""``trnstack rehearse`` as a whole: the real CDK CLI against the embedded AWS."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import boto3
import pytest

from ami.lock import path_for, read, write
from ami.pins import NOT_BUILT
from bench.locks import copy_resolved
from rehearsal import story
from rehearsal.kubernetes.view import PREFIX
from rehearsal.process import server
from rehearsal.sessions import session
from rehearsal.story.cdk import Cdk
from rehearsal.story.control import Control
from rehearsal.story.locking import lock
from rehearsal.survey import survey
from rehearsal.transport import ACCESS_KEY, SECRET_KEY

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "trnstack.cli", "rehearse"]
pytestmark = pytest.mark.cli


def start(file: Path | str, folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Starts a rehearsal that keeps its temporary files below a folder, so that a test can see what is left there."""
    return subprocess.Popen(
        [*COMMAND, str(file), *words],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def still_running(folder: Path) -> list[str]:
    """Returns the processes whose environment says that they belong to a rehearsal in that folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def test_published_cluster(tmp_path):
    """The whole of the published cluster stands up, is as planned, is changed, and comes down without losing data.

    32 nodes wanted with 8 EFA interfaces each; a change in place and new nodes are updates, and the guard refuses what
    would replace the file system; protected stacks are refused; bucket and file system still stand with their content.
    """
    with start(ROOT / "environments" / "llama3-8b-trn1.yaml", tmp_path) as process:
        out, err = process.communicate(timeout=240)

    assert process.returncode == 0, err
    stands, changed, taken_down = re.split("Changing it|Taking it down", out)
    assert re.search(r"trn1 +32 nodes wanted · trn1\.32xlarge · 8 EFA interfaces each \(1 efa, 7 efa-only\)", stands)
    assert "32 running" in stands
    assert "Lustre 2.15 PERSISTENT_2 · 4800 GiB" in stands
    assert re.search(
        r"stand-ins of the rehearsal's own, .*: aws-efa-k8s-device-plugin, kubeflow-trainer, kueue", stands
    )
    assert_charts_of_the_lock(stands, "llama3-8b-trn1")
    assert re.search(r"cdk deploy llama3-8b-kubernetes --exclusively .*\n +llama3-8b-kubernetes +1 resource ", changed)
    assert "in place: every node is still the same" in changed
    assert "every node of the group is a new one" in changed
    assert re.search(
        r"trnstack diff --deployed .* --fail-on data-loss: refused, the file system would be lost", changed
    )
    file_system_id = re.search(r"(fs-[0-9a-f]+)  Lustre", stands)[1]
    bucket = "llama3-8b-checkpoints-123456789012-us-east-2"
    assert f"Still there: s3://{bucket}/rehearsal/step-1000/weights, with its content" in taken_down
    assert f"and file system {file_system_id}." in taken_down
    refused = [line for line in taken_down.splitlines() if "refused, it has termination protection" in line]
    assert len(refused) == 2
    assert "nodes wanted" not in taken_down
    assert "llama3-8b-checkpoints-123456789012-us-east-2" in taken_down
    assert "Lustre 2.15 PERSISTENT_2 · 4800 GiB" in taken_down
    assert out.count("All of it is as planned.") == 2
    assert "end-of-life" not in out + err
    assert still_running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def assert_charts_of_the_lock(stands, name):
    """Add-ons, charts and objects stand in the cluster, in the versions that the environment's lock names."""
    pins = read(path_for(ROOT / "environments" / f"{name}.yaml"))

    for add_on, version in pins.add_ons.items():
        assert re.search(rf"─ {add_on} +{re.escape(version)} · ACTIVE", stands)
    for chart, pin in pins.charts.items():
        assert re.search(rf"─ {chart} +{re.escape(pin.version)} +namespace \S+ · revision 1 · \d+ object", stands)
    assert "NOT RENDERED" not in stands
    for line in (
        r"ClusterQueue +training",
        r"ConfigMap +trnstack",
        r"LocalQueue +training",
        r"ServiceAccount +trainer",
    ):
        assert re.search(line, stands)


def test_ultraserver(tmp_path):
    """An UltraServer's cluster has its charts and objects too, the queue's topology of UltraServers among them."""
    with start(ROOT / "environments" / "ultraserver-trn2u.yaml", tmp_path) as process:
        out, err = process.communicate(timeout=240)

    assert process.returncode == 0, err
    assert_charts_of_the_lock(out.partition("Changing it")[0], "ultraserver-trn2u")
    assert re.search(r"Topology +trnstack-ultraserver", out)
    assert out.count("All of it is as planned.") == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("private-trn1", ["NAT gateways  none", "sts (interface)", "private-checkpoints-111122223333-us-west-2"]),
        ("existing-vpc-trn1", ["VPC vpc-0a1b2c3d4e5f60718 · 10.40.0.0/16", "subnet-0a00000000000003a  10.40.32.0/20"]),
    ],
)
def test_networks(tmp_path, name, lines):
    """A network without a way out, and one that others own and that stands before any deploy, are as planned."""
    with start(ROOT / "environments" / f"{name}.yaml", tmp_path) as process:
        out, err = process.communicate(timeout=240)

    assert process.returncode == 0, err
    assert out.count("All of it is as planned.") == 2
    assert all(line in out for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_custom_image(tmp_path):
    """A node group that starts from a custom image waits for it: the image is built, locked, and then started from."""
    lock = (ROOT / "environments" / "custom-image-trn1.lock.json").read_bytes()
    with start(ROOT / "environments" / "custom-image-trn1.yaml", tmp_path) as process:
        out, err = process.communicate(timeout=240)

    assert process.returncode == 0, err
    assert "the custom image of trn1 is not built yet" in out
    assert re.search(r"custom-image-images +\d+ resources", out)
    assert re.search(r"recipe custom-image-neuron-[0-9a-f]{12} 1\.0\.0 +from amazon-eks-node-al2023-x86_64-neuron", out)
    image_id = re.search(r"available · us-west-2 (ami-[0-9a-f]{17}) · us-east-2 ami-[0-9a-f]{17}", out)[1]
    assert out.count(image_id) > 1
    assert out.count("All of it is as planned.") == 2
    assert (ROOT / "environments" / "custom-image-trn1.lock.json").read_bytes() == lock
    assert list(tmp_path.iterdir()) == []


class TestLockOfARehearsal:
    """A lock that the embedded AWS answered reaches no real account."""

    @pytest.fixture
    def locked(self, tmp_path):
        """A server, an environment in a folder, and its rehearsal's lock."""
        with server() as aws:
            session = boto3.Session(ACCESS_KEY, SECRET_KEY, region_name="us-east-1")
            made = lock(
                ROOT / "environments" / "dev-trn1.yaml",
                tmp_path,
                own=path_for(ROOT / "environments" / "dev-trn1.yaml"),
                client=lambda service, region: session.client(service, region_name=region, endpoint_url=aws.endpoint),
                progress=lambda *_: None,
            )
            yield aws, session, made

    def test_another_account(self, locked, tmp_path):
        """The CDK CLI refuses credentials of any account but the embedded one's."""
        aws, session, made = locked
        keys = self._keys_of_another_account(aws, session)
        signed_in = {
            "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
            "AWS_SESSION_TOKEN": keys["SessionToken"],
        }
        cdk = Cdk(
            {**aws.environment(region="us-east-1", account="111122223333"), **signed_in},
            tmp_path,
            print,
            own=aws.endpoint,
        )
        cdk.lock_file = made.file
        done = cdk.run(
            "deploy", "--all", "--require-approval", "never", environment_file=ROOT / "environments" / "dev-trn1.yaml"
        )

        assert made.lock.rehearsal_account == "123456789012"
        assert done.status != 0
        assert "Could not assume role in target account using current credentials" in done.last_lines
        assert "(which are for account 111122223333)" in done.last_lines

    @staticmethod
    def _keys_of_another_account(aws, session):
        """Returns the keys of a role in another account, which trusts the rehearsal's."""
        iam, sts = (session.client(service, endpoint_url=aws.endpoint) for service in ("iam", "sts"))
        trust = {"Effect": "Allow", "Principal": {"AWS": "123456789012"}, "Action": "sts:AssumeRole"}

        def elsewhere(request, **_):
            request.headers["X-Moto-Account-Id"] = "111122223333"

        iam.meta.events.register("before-sign.iam", elsewhere)
        policy = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        role = iam.create_role(RoleName="engineer", AssumeRolePolicyDocument=policy)["Role"]
        return sts.assume_role(RoleArn=role["Arn"], RoleSessionName="engineer")["Credentials"]

    @pytest.mark.parametrize(
        "addresses",
        [
            {},
            {"AWS_ENDPOINT_URL": "https://example.com"},
            {"AWS_ENDPOINT_URL": "http://127.0.0.1.example.com:80"},
            {"AWS_ENDPOINT_URL_CLOUDFORMATION": "http://127.0.0.1:80"},
            {"AWS_ENDPOINT_URL": "http://127.0.0.1:80", "AWS_ENDPOINT_URL_S3": "https://example.com"},
            {"AWS_ENDPOINT_URL": "http://127.0.0.1:80", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "True"},
        ],
        ids=lambda addresses: " ".join(addresses.values()),
    )
    def test_elsewhere(self, locked, addresses):
        """Synthesis refuses it where AWS, or one service of it, is not the one on this machine."""
        *_, made = locked
        settings = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")} | addresses
        settings |= {"TRNSTACK_ENVIRONMENT": "environments/dev-trn1.yaml", "TRNSTACK_LOCK": str(made.file)}
        done = subprocess.run(
            [sys.executable, "-m", "stacks"], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
        )

        assert done.returncode == 1
        assert done.stderr == (
            "environments/dev-trn1.yaml: its lock was made in a rehearsal\n"
            "  hint: run: trnstack lock environments/dev-trn1.yaml\n"
        )

    def test_waiting_image(self, tmp_path):
        """Synthesis leaves out the stack of a node group that waits for its image, and says so with the commands."""
        example = ROOT / "environments" / "custom-image-trn1.yaml"
        file = copy_resolved(example, tmp_path)
        made = read(path_for(file))
        pin = made.images["trn1"]
        custom = replace(pin.custom, image_ids=dict.fromkeys(pin.custom.image_ids, NOT_BUILT))
        write(replace(made, images={**made.images, "trn1": replace(pin, custom=custom)}), path_for(file))
        out = tmp_path / "out"
        settings = {**os.environ, "TRNSTACK_ENVIRONMENT": str(file), "CDK_OUTDIR": str(out)}
        done = subprocess.run(
            [sys.executable, "-m", "stacks"], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
        )

        assert done.returncode == 0, done.stderr
        assert "custom-image-nodes-trn1 is left out, whatever stands of it" in done.stderr
        assert (
            f"hint: run: cdk deploy custom-image-images -c environment={file}, then trnstack lock {file}" in done.stderr
        )
        assert {path.name.partition(".")[0] for path in out.glob("*.template.json")} == {
            f"custom-image-{part}" for part in ("network", "storage", "images", "cluster", "kubernetes")
        }

    def test_offline_lock(self, tmp_path):
        """Synthesis refuses what is not resolved, with the command that resolves it."""
        settings = {**os.environ, "TRNSTACK_ENVIRONMENT": "environments/dev-trn1.yaml", "CDK_OUTDIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-m", "stacks"], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
        )

        assert done.returncode == 1
        assert "IMG006" in done.stderr
        assert "run: trnstack lock environments/dev-trn1.yaml" in done.stderr
        assert list(tmp_path.iterdir()) == []


def test_faults(tmp_path):
    """Under three faults in turn the deploy fails as told, and the next one gets over it; one is a CLI that is killed.

    Standard output is one document of all steps, and nothing is left behind.
    """
    faults = ("cli-killed", "no-capacity@spot", "access-denied@eks:CreateNodegroup")
    words = ["--scenario", "faults", "--json", *(word for fault in faults for word in ("--fault", fault))]
    with start(ROOT / "environments" / "dev-trn1.yaml", tmp_path, *words) as process:
        out, err = process.communicate(timeout=240)

    assert process.returncode == 0, err
    document = json.loads(out)
    assert (document["scenario"], document["outcome"], document["error"]) == ("faults", "as planned", None)
    failed = [step for step in document["steps"] if step["outcome"] == "failed as told"]
    assert [step["detail"] for step in failed] == [
        "killed half way, dev-nodes-spot is CREATE_IN_PROGRESS",
        "fails under no-capacity@spot",
        "fails under access-denied@eks:CreateNodegroup",
    ]
    assert {step["outcome"] for step in document["steps"]} == {"done", "failed as told"}
    for code in ("InsufficientInstanceCapacity", "AccessDenied"):
        assert code in err
    assert "CloudFormation goes on without the CLI: dev-nodes-spot is CREATE_COMPLETE" in err
    assert err.count("all of it stands as planned, and nothing retained is gone") == len(faults)
    assert still_running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_kept_and_saved(tmp_path):
    """What is kept answers whoever copies the exports, until Ctrl-C; what is saved is the same AWS again.

    Deployed under a fault first, so that what failed is saved too.
    """
    state, folder = tmp_path / "state", tmp_path / "temporary"
    folder.mkdir()
    file = ROOT / "environments" / "dev-trn1.yaml"
    words = ("--fault", "access-denied@eks:CreateNodegroup", "--keep", "--save", str(state))
    with start(file, folder, *words) as process:
        told = []
        for line in process.stdout:
            told.append(line)
            if "on Ctrl-C here" in line:
                break
        else:
            pytest.fail("".join(told) + process.stderr.read())
        exports = dict(shlex.split(line)[1].split("=", 1) for line in told if line.startswith("  export "))
        kept = surveyed(exports["AWS_ENDPOINT_URL"])
        aws(exports["AWS_ENDPOINT_URL"])("s3").put_object(Bucket=BUCKET, Key="mine", Body=b"made while it was kept")
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert "the embedded AWS is gone, no account was touched" in rest
    assert any("fails under access-denied@eks:CreateNodegroup" in line for line in told)
    assert still_running(folder) == []
    assert list(folder.iterdir()) == []
    with server("--load", str(state), "--journal", str(tmp_path / "journal")) as loaded:
        again = surveyed(loaded.endpoint)
        mine = aws(loaded.endpoint)("s3").get_object(Bucket=BUCKET, Key="mine")["Body"].read()

    assert again == kept
    assert {stack.status for stack in again.stacks} == {"CREATE_COMPLETE"}
    assert mine == b"made while it was kept"


BUCKET = "dev-checkpoints-123456789012-us-east-1"


def aws(endpoint):
    """Returns what makes clients of the AWS at an address."""
    made = session(ACCESS_KEY, SECRET_KEY, None, "us-east-1")
    return lambda service: made.client(service, endpoint_url=endpoint)


def surveyed(endpoint):
    """Returns what stands in the AWS at an address, with what is in its clusters."""
    return survey(aws(endpoint), lambda url: Control(endpoint).read(f"{PREFIX}{url.removeprefix('https://')}"))


def test_two_at_once_whatever_the_account(tmp_path):
    """Two rehearsals at the same time do not meet; an environment's own account is not the one that is deployed to."""
    named = tmp_path / "named.yaml"
    text = (ROOT / "environments" / "dev-trn1.yaml").read_text()
    named.write_text(text.replace("region: us-east-1\n", 'region: us-east-1\naccount: "111122223333"\n'))
    (tmp_path / "named.lock.json").write_bytes((ROOT / "environments" / "dev-trn1.lock.json").read_bytes())
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    files = [named, ROOT / "environments" / "llama2-7b-trn1.yaml"]
    with start(files[0], folders[0]) as first, start(files[1], folders[1]) as second:
        results = [process.communicate(timeout=240) for process in (first, second)]

    assert [first.returncode, second.returncode] == [0, 0], results
    assert "dev-checkpoints-111122223333-us-east-1" in results[0][0]
    assert "cdk bootstrap aws://123456789012/us-east-1" in results[0][0]
    assert "llama2-7b-checkpoints-123456789012-us-west-2" in results[1][0]
    assert [list(folder.iterdir()) for folder in folders] == [[], []]


@pytest.mark.parametrize(("sign", "seconds"), [(signal.SIGINT, 4.0), (signal.SIGTERM, 7.0), (signal.SIGHUP, 5.0)])
def test_interrupted(tmp_path, sign, seconds):
    """Ctrl-C, or a request to terminate, in the middle: everything ends and nothing is left half written."""
    with start(ROOT / "environments" / "dev-trn1.yaml", tmp_path) as process:
        time.sleep(seconds)
        process.send_signal(sign)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 130, out + err
    assert "Traceback" not in err
    assert "rehearsal stopped" in err
    for _ in range(100):
        if not still_running(tmp_path):
            break
        time.sleep(0.1)
    assert still_running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [None, "name: [", "schema_version: 1\n"])
def test_bad_file(tmp_path, capsys, content):
    """A file with errors gives its findings and exit code 1 before anything is started."""
    file = tmp_path / "bad.yaml"
    if content is not None:
        file.write_text(content)

    assert story.run(file) == 1
    assert "SPEC0" in capsys.readouterr().err
