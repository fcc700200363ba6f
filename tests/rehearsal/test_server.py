"""The server as a process: it announces itself, answers, and ends with whoever started it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import boto3
import pytest

from ami.lock import write
from rehearsal.process import FOLDER_PREFIX, ServerRefusedError, ServerStartError, server
from rehearsal.server import main

pytestmark = pytest.mark.cli


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


class TestServer:
    def test_answers_and_ends(self, monkeypatch):
        """It answers boto3 under the environment that it names, and is gone when the block is left."""
        with server() as running:
            for name, value in running.environment(region="us-west-2").items():
                monkeypatch.setenv(name, value)
            account = boto3.session.Session().client("sts").get_caller_identity()["Account"]

        assert account == "123456789012"
        assert not is_alive(running.process_id)

    def test_nothing_of_the_persons(self, monkeypatch, tmp_path):
        """A profile that a person has set for a real account is not looked for."""
        monkeypatch.setenv("AWS_PROFILE", "nobody")
        monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
        with server() as running:
            assert is_alive(running.process_id)

    def test_seed(self, monkeypatch, tmp_path):
        """A network that it is given stands when it is ready."""
        facts = {"account": "123456789012", "region": "us-west-2", "vpc_id": "vpc-12345678", "cidr": "10.9.0.0/16"}
        file = tmp_path / "network.json"
        file.write_text(json.dumps({**facts, "subnets": []}))
        with server("--seed", str(file)) as running:
            for name, value in running.environment(region="us-west-2").items():
                monkeypatch.setenv(name, value)
            found = boto3.session.Session().client("ec2").describe_vpcs(VpcIds=["vpc-12345678"])

        assert found["Vpcs"][0]["CidrBlock"] == "10.9.0.0/16"

    def test_pins(self, monkeypatch, tmp_path, lock):
        """What a lock names is published when it is ready, and a file that is no lock is refused by name."""
        file = tmp_path / "demo.lock.json"
        write(lock(), file)
        with server("--pins", str(file)) as running:
            for name, value in running.environment(region="us-east-2").items():
                monkeypatch.setenv(name, value)
            found = boto3.session.Session().client("ec2").describe_images(ImageIds=["ami-0123456789abcdef0"])

        assert found["Images"][0]["Name"] == "amazon-eks-node-al2023-x86_64-neuron-1.34-v20261130"
        with pytest.raises(ServerRefusedError, match=r"no\.json"), server("--pins", str(tmp_path / "no.json")):
            pass

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("--load", "state"), "--load has what stood before"),
            (("--load", "nowhere", "--journal", "journal"), "nowhere: can't be read"),
            (("--fault", "none"), "there is no fault 'none'"),
            (("--fault", "cli-killed"), "cli-killed concerns the CDK CLI"),
            (("--load", "/dev/zero", "--journal", "journal"), "as it is no regular file"),
            (("--fault", "throttling", "--journal", "journal"), "PUT /_rehearsal/faults"),
        ],
    )
    def test_refusals(self, tmp_path, capsys, monkeypatch, arguments, said):
        """A state or a fault that can't be is refused with a sentence, before anything is served."""
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))

        assert ended.value.code == 2
        assert said in capsys.readouterr().err

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_signals(self, number):
        """It ends quietly when it is told to."""
        command = [sys.executable, "-m", "rehearsal.server"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            child.stdout.readline()
            child.send_signal(number)
            status = child.wait(10)

            assert (status, child.stderr.read()) == (0, b"")

    def test_parent_dies(self):
        """It ends when whoever started it is killed."""
        code = "import rehearsal.process as p, os, signal\nwith p.server() as s:\n print(s.process_id, flush=True)\n "
        code += "os.kill(os.getpid(), signal.SIGKILL)"
        parent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        process_id = int(parent.stdout)

        deadline = time.monotonic() + 10
        while is_alive(process_id) and time.monotonic() < deadline:
            time.sleep(0.05)

        assert not is_alive(process_id)

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lists its sockets in /proc")
    def test_loopback_alone(self):
        """It listens on this machine's own address and on no other."""
        with server() as running:
            files = (Path("/proc/net") / name for name in ("tcp", "tcp6"))
            rows = [line.split() for file in files if file.exists() for line in file.read_text().splitlines()[1:]]
            port = f"{running.port:04X}"
            listening = [row[1].split(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(f":{port}")]

        assert listening == ["0100007F"]

    def test_apart_from_the_terminal(self):
        """Ctrl-C goes to a terminal's foreground processes, of which the server is none: whoever began it ends it."""
        with server() as running:
            assert os.getpgid(running.process_id) != os.getpgrp()

    def test_start_fails(self):
        """A server that can't start says so at once, and why."""
        said = "unrecognized arguments: --no-such-option"
        with pytest.raises(ServerRefusedError, match=said), server("--no-such-option"):
            pass

    def test_breaks(self, tmp_path):
        """One that breaks at its start says what it wrote."""
        (tmp_path / "seed.json").write_text("[]")
        said = r"ended with status 1 before it was ready\nTraceback"
        with pytest.raises(ServerStartError, match=said) as broken, server("--seed", str(tmp_path / "seed.json")):
            pass

        assert not isinstance(broken.value, ServerRefusedError)

    def test_folder_outlives_nobody(self, tmp_path):
        """The folder of whoever started it goes with it when he is killed, and what is written into it after that."""
        folder = tmp_path / f"{FOLDER_PREFIX}killed"
        (folder / "cdk.out").mkdir(parents=True)
        code = "import rehearsal.process as p, os, pathlib, signal, sys\n"
        code += "with p.server(folder=pathlib.Path(sys.argv[1])) as s:\n print(s.process_id, flush=True)\n "
        code += "os.kill(os.getpid(), signal.SIGKILL)"
        parent = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, check=False)
        _wait_until(lambda: not folder.exists())
        (folder / "cache").mkdir(parents=True)
        _wait_until(lambda: not is_alive(int(parent.stdout)))

        assert not folder.exists()

    def test_folder_goes_when_the_block_is_left(self, tmp_path):
        """At an ordinary end it is gone too, without any wait."""
        folder = tmp_path / f"{FOLDER_PREFIX}left"
        folder.mkdir()
        with server(folder=folder):
            assert folder.is_dir()
            left = time.monotonic()

        assert not folder.exists()
        assert time.monotonic() - left < 3

    def test_no_other_folder(self, tmp_path):
        """A folder that is no rehearsal's is never deleted."""
        with pytest.raises(ServerRefusedError, match="takes a rehearsal's own folder"), server(folder=tmp_path):
            pass

        assert tmp_path.is_dir()

    def test_interruption_of_the_group(self):
        """Ctrl-C for the group of whoever started it, who ignores it as a shell's ``&`` lets him, does not end it."""
        code = "import rehearsal.process as p, os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        code += "with p.server() as s:\n os.killpg(os.getpgrp(), signal.SIGINT)\n time.sleep(0.7)\n"
        code += " print(s.has_ended(), flush=True)\n"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, start_new_session=True)

        assert done.stdout == b"False\n"


def _wait_until(is_so):
    deadline = time.monotonic() + 15
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_so()
