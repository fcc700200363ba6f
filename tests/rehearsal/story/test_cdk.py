"""How a rehearsal runs the CDK CLI and reads what it prints."""

import json
import os
import signal
import sys
import time
from dataclasses import replace

import pytest

from ami.lock import write
from rehearsal.story import cdk as module
from rehearsal.story.cdk import Cdk
from rehearsal.story.error import RehearsalError

PRINTED = """\
llama-network: start: Publishing llama-network Template
llama-network: deploying... [1/2]
llama-network: creating CloudFormation changeset...
llama-network |  0/3 | 2:15:17 PM | REVIEW_IN_PROGRESS   | AWS::CloudFormation::Stack | llama-network User Initiated
llama-network |  0/3 | 2:15:17 PM | CREATE_IN_PROGRESS   | AWS::EC2::VPC  | Vpc/Vpc (VpcA)
llama-network |  1/3 | 2:15:17 PM | CREATE_COMPLETE      | AWS::EC2::VPC  | Vpc/Vpc (VpcA)
llama-network |  2/3 | 2:15:18 PM | CREATE_FAILED        | AWS::EC2::Subnet | Vpc/Subnet (SubnetA) no
llama-network |  3/3 | 2:15:18 PM | CREATE_COMPLETE      | AWS::CloudFormation::Stack | llama-network
llama-cluster: destroying... [2/2]
llama-cluster |   0 | 2:15:19 PM | DELETE_COMPLETE      | AWS::EKS::Cluster | Cluster (ClusterA)
"""


OWN = "http://127.0.0.1:1"
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "no_proxy")


@pytest.fixture
def rehearsed(tmp_path, lock):
    """Writes a lock that the embedded AWS has answered, with an AMI by which one is told from another."""

    def make(image_id="ami-0123456789abcdef0"):
        file = tmp_path / "x.lock.json"
        write(replace(lock(image_id=image_id), rehearsal_account="123456789012"), file)
        return file

    return make


@pytest.fixture
def fake(tmp_path, monkeypatch, rehearsed):
    """Puts a program in place of the CLI that prints what it is told, and records how it was started."""

    def make(program: str) -> tuple[Cdk, list[tuple[str, int]]]:
        binary = tmp_path / "bin"
        binary.mkdir(exist_ok=True)
        (binary / "cdk").write_text(f"#!{sys.executable}\n{program}")
        (binary / "cdk").chmod(0o755)
        monkeypatch.setattr(module, "BIN", binary)
        told: list[tuple[str, int]] = []
        cdk = Cdk({"AWS_ENDPOINT_URL": OWN}, tmp_path, lambda *news: told.append(news), own=OWN)
        cdk.lock_file = rehearsed()
        return cdk, told

    return make


class TestRun:
    def test_counts_resources_of_each_stack(self, fake, tmp_path):
        """Each stack's finished resources are counted, its own events and those under way are not."""
        cdk, told = fake(f"print({PRINTED!r}, end='')")
        run = cdk.run("deploy", "--all", environment_file=tmp_path / "x.yaml")

        assert run.status == 0
        assert [(stack.name, stack.resources) for stack in run.stacks] == [("llama-network", 2), ("llama-cluster", 1)]
        assert told[:3] == [("llama-network", 0), ("llama-network", 1), ("llama-network", 2)]
        assert "\n".join(run.lines) + "\n" == PRINTED

    def test_words(self, fake, tmp_path):
        """The CLI gets the environment file as context and writes into the rehearsal's own folder."""
        cdk, _ = fake("import sys; print(' '.join(sys.argv[1:]))")
        run = cdk.run("destroy", "x-nodes", "--force", environment_file=tmp_path / "x.yaml")

        assert run.command == "destroy x-nodes --force"
        assert run.lines[0].startswith(f"destroy x-nodes --force -c environment={tmp_path / 'x.yaml'}")
        assert f"--output {tmp_path / 'cdk.out'}" in run.lines[0]

    def test_synthesized_once(self, fake, tmp_path, rehearsed):
        """What is synthesized is used again until environment or lock are others, after a deploy that fails too."""
        cdk, _ = fake("import sys; print(' '.join(sys.argv[1:])); sys.exit('fail' in sys.argv)")
        file = tmp_path / "x.yaml"
        file.write_text("one")

        def synthesizes(*words):
            return f"--app {tmp_path / 'cdk.out'}" not in cdk.run(*words, environment_file=file).lines[0]

        assert [synthesizes("deploy", "a"), synthesizes("destroy", "a"), synthesizes("deploy", "b")] == [
            True,
            False,
            False,
        ]
        file.write_text("two")
        assert [synthesizes("destroy", "a"), synthesizes("deploy", "a"), synthesizes("deploy", "a")] == [
            True,
            True,
            False,
        ]
        rehearsed("ami-0fedcba9876543210")
        assert [synthesizes("deploy", "fail"), synthesizes("synth"), synthesizes("deploy", "fail")] == [
            True,
            True,
            False,
        ]
        assert not synthesizes("destroy", "a")

    def test_nothing_of_the_persons_own_account_reaches_it(self, fake, tmp_path, monkeypatch):
        """Whatever account a person is signed in to, and whatever proxy is set, the CLI sees the embedded AWS alone."""
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "aws_secret", "CDK_DEFAULT_ACCOUNT", *PROXIES):
            monkeypatch.setenv(name, "the-persons-own")
        cdk, _ = fake("import os; [print(k, v, sep='=') for k, v in sorted(os.environ.items())]")
        lines = cdk.run("deploy", environment_file=tmp_path / "x.yaml").lines

        assert not [line for line in lines if "the-persons-own" in line]
        assert "AWS_ENDPOINT_URL=http://127.0.0.1:1" in lines
        assert {"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"} <= {*lines}
        assert f"AWS_CONFIG_FILE={os.devnull}" in lines

    @pytest.mark.parametrize(
        ("variables", "own"),
        [
            ({}, OWN),
            ({"AWS_ENDPOINT_URL": "https://cloudformation.us-east-1.amazonaws.com"}, OWN),
            ({"AWS_ENDPOINT_URL": "http://127.0.0.1:2"}, OWN),
            ({"AWS_ENDPOINT_URL": "http://example.com:1"}, "http://example.com:1"),
            ({"AWS_ENDPOINT_URL": OWN, "AWS_ENDPOINT_URL_S3": "https://s3.amazonaws.com"}, OWN),
        ],
        ids=["none", "AWS", "another port", "another machine", "one service elsewhere"],
    )
    def test_no_other_aws(self, fake, tmp_path, variables, own):
        """Nothing is started whose AWS is not the rehearsal's own server on this machine."""
        ready, _ = fake(f"open({str(tmp_path / 'started')!r}, 'w')")
        cdk = Cdk(variables, tmp_path, print, own=own)
        cdk.lock_file = ready.lock_file
        for start in (lambda: cdk.run("deploy", environment_file=tmp_path / "x.yaml"), lambda: cdk.trnstack("check")):
            with pytest.raises(RehearsalError, match=r"nothing is run against .*: the rehearsal's own AWS is"):
                start()

        assert not (tmp_path / "started").exists()

    def test_no_other_lock(self, fake, tmp_path, lock):
        """With a lock that could reach a real account, or none, nothing but the bootstrap is run."""
        cdk, _ = fake("print('started')")
        write(lock(), cdk.lock_file)
        for words in (("deploy", "--all"), ("destroy", "x"), ("synth",)):
            with pytest.raises(
                RehearsalError, match=f"cdk {words[0]} is not run: the lock .* was made in no rehearsal"
            ):
                cdk.run(*words, environment_file=tmp_path / "x.yaml")
        cdk.lock_file = None
        with pytest.raises(RehearsalError, match="was made in no rehearsal"):
            cdk.run("deploy", environment_file=tmp_path / "x.yaml")

        assert cdk.run("bootstrap", "aws://1/x", environment_file=tmp_path / "x.yaml").lines == ("started",)

    def test_killed(self, fake, tmp_path):
        """A CLI that is to be killed ends with its children, when it is told and not before."""
        program = (
            "import pathlib, subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            f"pathlib.Path({str(tmp_path / 'child')!r}).write_text(str(child.pid))\n"
            "time.sleep(60)\n"
        )
        cdk, _ = fake(program)
        child = tmp_path / "child"
        run = cdk.run(
            "deploy",
            environment_file=tmp_path / "x.yaml",
            killed_when=lambda: child.exists() and bool(child.read_text()),
        )

        assert run.status == -signal.SIGKILL
        _wait_until_gone(int(child.read_text()))

    def test_templates(self, fake, tmp_path):
        """The templates that were synthesized last are known by their stacks."""
        cdk, _ = fake("")
        (tmp_path / "cdk.out").mkdir()
        artifacts = {
            "demo-a": {"type": "aws:cloudformation:stack", "properties": {"templateFile": "a.json"}},
            "B": {"type": "aws:cloudformation:stack", "properties": {"templateFile": "b.json", "stackName": "demo-b"}},
            "demo-a.assets": {"type": "cdk:asset-manifest", "properties": {"file": "demo-a.assets.json"}},
        }
        (tmp_path / "cdk.out" / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
        for name in ("a", "b"):
            (tmp_path / "cdk.out" / f"{name}.json").write_text(json.dumps({"Resources": {name: {}}}))

        assert cdk.templates() == {"demo-a": {"Resources": {"a": {}}}, "demo-b": {"Resources": {"b": {}}}}

    def test_failure_keeps_what_was_printed(self, fake, tmp_path):
        """A failing CLI's last words are there to be shown."""
        cdk, _ = fake("import sys; [print(n) for n in range(100)]; print('no capacity', file=sys.stderr); sys.exit(3)")
        run = cdk.run("deploy", environment_file=tmp_path / "x.yaml")

        assert run.status == 3
        assert "no capacity" in run.last_lines
        assert len(run.last_lines.splitlines()) == 32
        assert run.last_lines.endswith("\n\nrehearsal: `deploy` ended with status 3")

    @pytest.mark.parametrize(
        "said", ["RuntimeError: ENOSPC: no space left on device, write", "OSError: [Errno 28] No space left on device"]
    )
    def test_disk_full(self, fake, tmp_path, said):
        """A full disk, of which others tell in a traceback of theirs, is named at the end with what mends it."""
        cdk, _ = fake(f"import sys; print({said!r}); sys.exit(1)")
        *_, last, hint = cdk.run("deploy", environment_file=tmp_path / "x.yaml").last_lines.splitlines()

        assert last.startswith("rehearsal: `deploy` ended with status 1: no space is left for what it writes in ")
        assert hint == "  hint: free some there, or let TMPDIR name a folder with more"

    def test_interruption_ends_its_children(self, fake, tmp_path):
        """When the rehearsal is interrupted, the CLI and what it started are gone."""
        program = (
            "import pathlib, subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            f"pathlib.Path({str(tmp_path / 'child')!r}).write_text(str(child.pid))\n"
            "print('x: deploying...', flush=True)\n"
            "time.sleep(60)\n"
        )
        cdk, _ = fake(program)

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        cdk._progress = interrupt
        with pytest.raises(KeyboardInterrupt):
            cdk.run("deploy", environment_file=tmp_path / "x.yaml")

        _wait_until_gone(int((tmp_path / "child").read_text()))


def _wait_until_gone(pid: int) -> None:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123 - a zombie that nobody waits for is gone enough
            if stat.read().split()[2] == "Z":
                return
        time.sleep(0.05)
    pytest.fail(f"process {pid} still runs")
