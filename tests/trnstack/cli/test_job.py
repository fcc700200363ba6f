"""``trnstack job``: what it prints, and how it ends."""

import io
import json
import re
import shlex
import subprocess

import pytest
import yaml

from tests.trnstack.cli.conftest import ROOT

SMOKE = {
    "trnstack-result": 1,
    "job": "smoke-pytorch",
    "node_group": "trn1",
    "kind": "smoke",
    "losses": [2.0, 1.0],
    "step_seconds": 0.1,
}


class TestRender:
    def test_manifests(self, run, locked):
        """Manifests are printed whole, and nothing else."""
        answer = run("job", "render", locked, "--kind", "collectives", "--nodes", "2", "--name", "first")

        assert answer.code == 0
        assert answer.stderr == ""
        kinds = [found["kind"] for found in yaml.safe_load_all(answer.stdout) if found]
        assert kinds == ["ConfigMap", "Service", "Job"]
        assert "collectives with pytorch on 2 nodes of trn1" in answer.stdout

    def test_refused(self, run, locked):
        """What can't run is told with the file and the option, all of it, and nothing is printed."""
        answer = run("job", "render", locked, "--kind", "smoke", "--devices", "3", "--node-group", "trn2")

        assert answer.code == 1
        assert answer.stdout == ""
        assert f"{locked}: --node-group: JOB006 there is no node group 'trn2'; there are trn1" in answer.stderr

    def test_devices(self, run, locked):
        answer = run("job", "render", locked, "--kind", "smoke", "--devices", "3")

        assert answer.code == 1
        assert "--devices: JOB003 3 devices can't be asked for" in answer.stderr
        assert "hint: write --devices 1 or 4 or 8 or 16" in answer.stderr

    def test_usage(self, run, locked):
        """A kind that does not exist is wrong usage."""
        assert run("job", "render", locked, "--kind", "smok").code == 2
        assert run("job", "render", locked).code == 2

    def test_no_lock(self, run, example):
        """Without a lock there is no container to run."""
        answer = run("job", "render", example(), "--kind", "smoke")

        assert answer.code == 1
        assert "IMG001" in answer.stderr


class TestResults:
    def test_table(self, run, locked, tmp_path):
        """A result that passes is a row, and all is well."""
        (tmp_path / "smoke.json").write_text(json.dumps(SMOKE))

        answer = run("job", "results", locked, tmp_path / "smoke.json")

        assert answer.code == 0
        loss, step = answer.stdout.splitlines()[-2:]
        assert "loss after 2 steps" in loss
        assert loss.endswith("pass")
        assert step.endswith("not judged")
        assert "nothing of" not in answer.stderr

    @pytest.mark.parametrize(("gbps", "code", "word"), [(100.0, 0, "not judged"), (0.0, 3, "FAIL")])
    def test_not_known(self, run, locked, tmp_path, gbps, code, word):
        """A figure of which nothing is known is not said to pass, and one of nothing at all fails."""
        row = {"bytes": 2**30, "microseconds": 1.0, "algorithm_gbps": gbps, "bus_gbps": gbps}
        told = {"kind": "collectives", "job": "ring", "nodes": 1, "ranks": 32, "rows": [row]}
        (tmp_path / "ring.json").write_text(json.dumps({**SMOKE, **told}))

        answer = run("job", "results", locked, tmp_path / "ring.json")

        assert answer.code == code
        assert "pass" not in answer.stdout
        assert answer.stdout.rstrip().endswith(word)
        assert ("more than 0" in answer.stdout) == (code == 3)
        assert ("nothing of ring is judged" in answer.stderr) == (code == 0)

    def test_missed(self, run, locked, tmp_path):
        """One that does not ends with 3."""
        (tmp_path / "smoke.json").write_text(json.dumps({**SMOKE, "losses": [1.0, 2.0]}))

        answer = run("job", "results", locked, tmp_path / "smoke.json")

        assert answer.code == 3
        assert "FAIL" in answer.stdout

    def test_json(self, run, locked, tmp_path):
        (tmp_path / "log").write_text(f"pod 0 of 1\n{json.dumps(SMOKE)}\n")

        answer = run("job", "results", locked, tmp_path / "log", "--json")

        assert answer.code == 0
        assert [each["passed"] for each in json.loads(answer.stdout)] == [True, None]

    def test_stdin(self, run, locked, monkeypatch):
        """A log may come from kubectl."""
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(SMOKE)))

        assert run("job", "results", locked, "-").code == 0

    @pytest.mark.parametrize("text", ["", "hello", "{}", "\x00\xff"])
    def test_nonsense(self, run, locked, tmp_path, text):
        """What is no result is told in a sentence."""
        (tmp_path / "x").write_bytes(text.encode("latin-1"))

        answer = run("job", "results", locked, tmp_path / "x")

        assert answer.code == 1
        assert answer.stderr.startswith(f"{tmp_path}/x holds no result")

    def test_no_file(self, run, locked, tmp_path):
        answer = run("job", "results", locked, tmp_path / "none")

        assert answer.code == 1
        assert "can't be read" in answer.stderr


GUIDES = (ROOT / "docs" / "first-job.md", ROOT / "docs" / "jobs.md")
COMMANDS = sorted(
    {
        found
        for guide in GUIDES
        for found in re.findall(r"^trnstack (job render [^|\n]+)", guide.read_text(), re.MULTILINE)
    }
)


class TestGuides:
    def test_there_are_some(self):
        """The guide to the first job has a command for each kind that it goes through."""
        kinds = {kind for command in COMMANDS for kind in re.findall(r"--kind (\S+)", command)}

        assert {"smoke", "collectives", "checkpoint-io", "precompile", "train"} <= kinds

    @pytest.mark.parametrize("command", COMMANDS)
    def test_command(self, run, monkeypatch, command):
        """Every command of the guides works as it stands."""
        monkeypatch.chdir(ROOT)

        assert run(*shlex.split(command)).code == 0

    def test_starts(self):
        """The guide starts jobs by what starts them anew, and waits for none in a way that a failed one never ends."""
        text = GUIDES[0].read_text()

        assert len(re.findall(r"job render .* \| start$", text, re.MULTILINE)) == 5
        assert "| kubectl apply" not in text
        assert "condition=complete" not in text

    @pytest.mark.parametrize("conditions", ["Failed", "FailureTarget Failed", "SuccessCriteriaMet Complete"])
    def test_ended(self, tmp_path, conditions):
        """Its wait ends with a job, whichever way that ends, and not before."""
        (found,) = re.findall(r"^ended\(\) .*$", GUIDES[0].read_text(), re.MULTILINE)
        (tmp_path / "kubectl").write_text(
            f"#!/bin/sh\n[ -e {tmp_path}/asked ] && printf '%s' '{conditions}' || touch {tmp_path}/asked\n"
        )
        (tmp_path / "kubectl").chmod(0o755)
        (tmp_path / "sleep").write_text("#!/bin/sh\n")
        (tmp_path / "sleep").chmod(0o755)
        command = ["/bin/sh", "-c", f"{found}\nended x"]
        told = {"PATH": f"{tmp_path}:/usr/bin:/bin"}

        done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=20, check=True)

        assert done.stdout.split() == [conditions.split()[-1]]
