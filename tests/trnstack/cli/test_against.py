"""``trnstack plan --against``."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ami.lock import path_for

ROOT = Path(__file__).parents[3]
JAX, CUSTOM = (ROOT / "environments" / f"{name}.yaml" for name in ("jax-trn1", "custom-image-trn1"))


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A git repository with an environment in two revisions: SDK 2.30.0, then a bigger volume."""
    folder = tmp_path / "repository" / "environments"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))

    def git(*arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
        subprocess.run([shutil.which("git"), *identity, *arguments], check=True, capture_output=True)

    git("init", "--quiet")
    file = folder / "x.yaml"
    file.write_bytes(JAX.read_bytes())
    path_for(file).write_bytes(path_for(JAX).read_bytes())
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    file.write_text(file.read_text().replace("root_volume_gib: 300", "root_volume_gib: 400\n    labels: {a: b}"))
    return file


class TestFile:
    def test_difference_and_steps(self, run, repository):
        """What differs from another file, and the deploys that it takes: labels first, then what replaces nodes."""
        answer = run("plan", repository, "--against", JAX)

        assert answer.code == 0
        assert "  node_groups.trn1.launch_template.root_volume_gib  300 -> 400" in answer.stdout.splitlines()
        assert f"  1. cdk deploy jax-nodes-trn1 -c environment={repository}" in answer.stdout
        assert "leave out for now: root_volume_gib of trn1" in answer.stdout
        assert f"  2. cdk deploy jax-nodes-trn1 -c environment={repository}" in answer.stdout
        assert "All at once" not in answer.stdout

    def test_nothing(self, run):
        """Against itself nothing differs."""
        answer = run("plan", JAX, "--against", JAX)

        assert answer.stdout == "Plan\n  nothing differs\n\nDeploys\n  none: nothing that is deployed changes\n"

    def test_json(self, run, repository):
        """The plan as ever, and beside it what differs and the steps."""
        data = json.loads(run("plan", repository, "--against", JAX, "--json").stdout)

        assert data["plan_version"] == 1
        assert data["against"] == str(JAX)
        assert {"path": "node_groups.trn1.labels.a", "before": None, "after": "b"} in data["plan_changes"]
        assert [bool(step["held_back"]) for step in data["steps"]] == [True, False]

    def test_image_that_is_awaited(self, run, tmp_path):
        """A group that waits for its image is said to, with commands that name the file and can be copied."""
        file = tmp_path / "my env.yaml"
        file.write_text(CUSTOM.read_text().replace("  - name: trn1\n", "  - name: trn2\n"))
        assert run("lock", "--offline", file).code == 0
        answer = run("plan", file, "--against", CUSTOM)
        deploys = answer.stdout.partition("Deploys, in their order\n")[2]

        assert answer.code == 0
        assert "FILE" not in answer.stdout
        assert "NOT POSSIBLE" not in answer.stdout
        assert deploys.startswith("  1. cdk deploy custom-image-kubernetes -c ")
        assert "  2. WAITS: custom-image-nodes-trn2\n" in deploys
        assert (
            f"       why: waits for its custom image: cdk deploy custom-image-images -c environment='{file}', then: "
            f"trnstack lock '{file}'\n"
        ) in deploys
        assert deploys.endswith(
            "  3. aws cloudformation delete-stack --region us-west-2 --stack-name custom-image-nodes-trn1\n"
            "       node group trn1 goes\n"
            "       nodes: all of its nodes end\n"
            "       why: cdk takes away only what the file names, and it no longer names this\n"
        )

    def test_one_deploy_of_all(self, run, example, locked):
        """Where the one deploy is of everything, it is not said a second time."""
        other = example(("name: llama3-8b\n", "name: other\n"), name="other.yaml")
        assert run("lock", "--offline", other).code == 0
        answer = run("plan", other, "--against", locked)

        assert f"  1. cdk deploy --all -c environment={other}\n" in answer.stdout
        assert "All at once" not in answer.stdout

    @pytest.mark.parametrize(
        ("old", "new", "is_said"),
        [
            ("tags: {team: research", "tags: {team: other", True),
            ("node_count: 32", "node_count: 32\n    max_unavailable: 2", False),
        ],
    )
    def test_all_at_once(self, run, example, locked, old, new, is_said):
        """The one command that does several deploys is said of several alone."""
        other = example((old, new), name="other.yaml")
        path_for(other).write_bytes(path_for(locked).read_bytes())
        answer = run("plan", other, "--against", locked)

        assert "  1. cdk deploy llama3-8b-" in answer.stdout
        assert (f"All at once, in the same order: cdk deploy --all -c environment={other}" in answer.stdout) is is_said

    def test_findings_of_the_other(self, run, example):
        """An older file that has errors is told as such."""
        answer = run("plan", JAX, "--against", example(("trn1.32xlarge\n", "trn1.32xlrge\n")))

        assert answer.code == 1
        assert "CAT001" in answer.stderr


class TestRevision:
    @pytest.mark.parametrize("old", ["HEAD:environments/x.yaml", "HEAD:./environments/x.yaml"])
    def test_difference(self, run, repository, old):
        """File and lock of a revision, by the path from the top or from here."""
        answer = run("plan", repository, "--against", old)

        assert answer.code == 0
        assert "root_volume_gib  300 -> 400" in answer.stdout

    @pytest.mark.parametrize(
        ("old", "message"),
        [
            ("nope:environments/x.yaml", "git knows no revision 'nope'"),
            ("--help:environments/x.yaml", "git knows no revision '--help'"),
            ("HEAD:environments/y.yaml", "there is no file 'environments/y.yaml' in HEAD; git: path "),
            ("HEAD:", "there is no file '' in HEAD; git: "),
            ("HEAD:./", "there is no file './' in HEAD; git: "),
            ("HEAD:environments", "there is no file 'environments' in HEAD; git: "),
            ("HEAD:environments/..", "there is no file 'environments/..' in HEAD; git: path "),
            (f"HEAD:{'x' * 300}", f"there is no file '{'x' * 300}' in HEAD; git: "),
            ("x" * 300, "no such file"),
            ("y.yaml", "no such file"),
        ],
    )
    def test_not_there(self, run, repository, old, message):
        """What git does not have, or has as a folder, is one sentence that names it, with git's own words."""
        answer = run("plan", repository, f"--against={old}")
        sentence, hint = answer.stderr.splitlines()[-2:]

        assert (answer.code, answer.stdout) == (1, "")
        assert sentence.startswith(f"{old}: {message}")
        assert hint.startswith("  hint: ")

    def test_words_of_git(self, run, repository, monkeypatch):
        """Where git refuses the repository itself, it is git who says why and what to do."""
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        monkeypatch.setenv("LANGUAGE", "de")
        answer = run("plan", repository, "--against", "HEAD:environments/x.yaml")
        sentence, hint = answer.stderr.splitlines()[-2:]

        assert answer.code == 1
        assert sentence.startswith(
            "HEAD:environments/x.yaml: git reads no repository here: detected dubious ownership in repository at "
        )
        assert "git config --global --add safe.directory" in sentence
        assert hint == "  hint: do as git says, or name an environment file"

    def test_patience(self, run, repository, monkeypatch):
        """A git that waits for a person is not waited for, and it is said that it was."""

        def wait(arguments, *, timeout, **_options):
            raise subprocess.TimeoutExpired(arguments, timeout)

        monkeypatch.setattr("trnstack.revisions.subprocess.run", wait)
        answer = run("plan", repository, "--against", "HEAD:environments/x.yaml")

        assert "git reads no repository here: it has not answered for 60 seconds" in answer.stderr

    def test_without_lock(self, run, repository):
        """A revision without the lock has no plan."""
        other = repository.with_name("y.yaml")
        other.write_bytes(JAX.read_bytes())
        for arguments in (
            ["add", other],
            ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "--quiet", "-m", "y"],
        ):
            subprocess.run([shutil.which("git"), *arguments], check=True, capture_output=True)
        answer = run("plan", repository, "--against", "HEAD:environments/y.yaml")

        assert answer.code == 1
        assert (
            "HEAD:environments/y.yaml: there is no lock environments/y.lock.json in HEAD, so its plan is not known; "
        ) in answer.stderr

    def test_findings_name_the_revision(self, run, repository):
        """What is wrong in a revision is said of the revision, not of a temporary file."""
        repository.write_text(repository.read_text().replace("trn1.32xlarge", "trn1.32xlrge"))
        subprocess.run(
            [shutil.which("git"), "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "z"], check=True
        )
        answer = run("plan", JAX, "--against", "HEAD:environments/x.yaml")

        assert answer.code == 1
        assert re.search(r"\nHEAD:environments/x\.yaml:\d+:5: node_groups\[0\]\.instance_type: CAT001", answer.stderr)
        assert "tmp" not in answer.stderr.partition("HEAD:")[2]

    def test_file_without_an_ending(self, run, repository):
        """Nor where the file has no ending by which its lock is called."""
        other = repository.with_name("plain")
        other.write_text(repository.read_text().replace("trn1.32xlarge", "trn1.32xlrge"))
        path_for(other).write_bytes(path_for(repository).read_bytes())
        for arguments in (["add", "."], ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "z"]):
            subprocess.run([shutil.which("git"), *arguments], check=True)
        answer = run("plan", JAX, "--against", "HEAD:environments/plain")
        first = next(line for line in answer.stderr.splitlines() if "CAT001" in line)

        assert re.fullmatch(
            r"HEAD:environments/plain:\d+:5: node_groups\[0\]\.instance_type: CAT001 unknown instance type "
            r"'trn1\.32xlrge'",
            first,
        )

    def test_lock_that_does_not_fit(self, run, repository):
        """A revision whose lock does not answer its file can't be locked anew, so another one is asked for."""
        repository.write_text(repository.read_text().replace('"1.35"', '"1.36"'))
        subprocess.run(
            [shutil.which("git"), "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qam", "z"], check=True
        )
        answer = run("plan", JAX, "--against", "HEAD:environments/x.yaml")

        assert answer.code == 1
        assert "IMG002" in answer.stderr
        assert "hint: name a revision whose lock answers its file" in answer.stderr

    def test_outside_a_repository(self, run, tmp_path, monkeypatch):
        """Outside a repository there are no revisions."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        answer = run("plan", JAX, "--against", "HEAD:x.yaml")

        assert answer.code == 1
        assert "HEAD:x.yaml: this folder is in no git repository" in answer.stderr

    def test_no_git(self, run, monkeypatch):
        """Without git only files can be compared."""
        monkeypatch.setattr("trnstack.revisions.shutil.which", lambda _name: None)
        answer = run("plan", JAX, "--against", "HEAD:x.yaml")

        assert answer.code == 1
        assert "HEAD:x.yaml: git is not installed" in answer.stderr
