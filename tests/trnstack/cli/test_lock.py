"""``trnstack lock``."""

import io
import json
import sys
from dataclasses import replace
from typing import NoReturn

import pytest

from ami import offline
from ami.lock import path_for, read, write
from ami.pins import UNRESOLVED, hash_of
from ami.resolve import Failure, NoAccountError, ResolveError, connect
from rehearsal.process import server
from trnstack.cli.lock import asking, report

from .conftest import EXAMPLE

#: The line on which the example begins, and at which what is wrong with its lock is said.
START = next(
    number for number, line in enumerate(EXAMPLE.read_text().splitlines(), 1) if line.startswith("schema_version")
)


def copy_of(locked):
    """Returns a copy of a file with a lock that is made from the tables."""
    copy = locked.with_name("copy.yaml")
    copy.write_bytes(locked.read_bytes())
    lock = read(path_for(locked))
    write(offline.lock(lock.inputs), path_for(copy))
    return copy


def as_version_2(path):
    """Writes a lock as the version before did, whose charts have no archives."""
    data = json.loads(path.read_text())
    del data["checksum"]
    charts = {
        name: {key: value for key, value in pin.items() if key != "archive"} for name, pin in data["charts"].items()
    }
    data |= {"lock_version": 2, "charts": charts}
    path.write_text(json.dumps({**data, "checksum": hash_of(data)}))


class TestOffline:
    def test_writes_and_shows_the_pins(self, run, example):
        """The lock lies beside the file, and everything in it is shown in columns."""
        file = example()

        answer = run("lock", "--offline", file)
        lock = read(path_for(file))

        assert (answer.code, answer.stderr) == (0, "")
        assert answer.stdout.startswith(f"{path_for(file)}, made from offline tables of ")
        assert f"  Neuron SDK                        {lock.neuron.sdk}\n" in answer.stdout
        assert all(f"  {f'add-on {name}':<32}  {version}\n" in answer.stdout for name, version in lock.add_ons.items())
        assert all(f"  {f'chart {name}':<32}  {pin.version}\n" in answer.stdout for name, pin in lock.charts.items())
        assert "There was no lock before" in answer.stdout

    def test_names_unconfirmed_readings(self, run, example):
        """A pin that no source of AWS confirms is said to be one, with the command that asks AWS."""
        file = example()
        answer = run("lock", "--offline", file)
        notes = offline.add_on_notes(read(path_for(file)))

        assert notes
        assert answer.stdout.partition("Notes\n")[2].splitlines() == [f"  {note}" for note in notes]

    def test_says_where_containers_end(self, run, example):
        """Where an SDK has no training container, the newest one that has is named."""
        file = example(('sdk: "2.30.0"', 'sdk: "2.31.1"'))

        wanted = "none for pytorch in SDK 2.31.1; the newest SDK with one is 2.30.0"
        assert wanted in run("lock", "--offline", file).stdout

    def test_second_time_changes_nothing(self, run, locked):
        """The same environment has the same lock, and the file is left alone."""
        before = path_for(locked).stat()

        assert "Nothing changed" in run("lock", "--offline", locked).stdout
        assert (path_for(locked).stat().st_ino, path_for(locked).stat().st_mtime_ns) == (
            before.st_ino,
            before.st_mtime_ns,
        )

    def test_shows_what_changed(self, run, locked, example):
        """Of a new lock the difference to the old one is shown, value by value."""
        example(('"1.35"', '"1.34"'))

        answer = run("lock", "--offline", locked)
        changed = answer.stdout.partition("Changed\n")[2].partition("\n\n")[0].splitlines()

        assert any(line.split() == ["inputs.kubernetes_version", "1.35", "->", "1.34"] for line in changed)
        assert any(line.startswith("  images.trn1.release_version ") for line in changed)
        assert not any(" neuron.sdk " in line for line in changed)

    @pytest.mark.parametrize("options", [("--offline",), (), ("--offline", "--json"), ("--upgrade", "--offline")])
    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            (lambda text: text[:50], "is not JSON"),
            (lambda text: f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n", "is not JSON"),
            (lambda text: text.replace("v20260625", "v20260618"), "was edited by hand"),
            (lambda text: text.replace('"lock_version": 3', '"lock_version": 1'), "has version 1"),
        ],
        ids=["cut off", "merged", "edited", "older"],
    )
    def test_unreadable(self, run, locked, options, damage, message):
        """A lock that can't be read is not locked over, which would lose its pins: how to have one is said."""
        lock = path_for(locked)
        lock.write_text(damage(lock.read_text()))
        before = lock.read_bytes()
        answer = run("lock", *options, locked)
        first, hint, *_ = answer.stderr.splitlines()
        anew = (
            f"rm {lock} && trnstack lock {locked}, or without an account: rm {lock} && trnstack lock --offline {locked}"
        )
        back = f"git checkout -- {lock}, in a merge git checkout --ours -- {lock}"

        assert (answer.code, answer.stdout) == (1, "")
        assert first.startswith(f"{locked}:{START}:1: IMG003 lock {lock} {message}")
        assert hint == "  hint: " + (
            f"make it anew: {anew}"
            if message == "has version 1"
            else f"take the committed one back: {back}; or choose every pin anew: {anew}"
        )
        assert lock.read_bytes() == before

    def test_version_2(self, run, locked):
        """A lock of the version before charts were installed keeps what nodes start from, and is written anew."""
        path, before = path_for(locked), read(path_for(locked))
        as_version_2(path)
        stale = run("check", locked)
        answer = run("lock", "--offline", locked)
        after = read(path)

        assert "IMG002" in stale.stderr + stale.stdout
        assert f"run: trnstack lock {locked}" in stale.stderr + stale.stdout
        assert (answer.code, answer.stderr) == (0, "")
        assert (after.images, after.add_ons, after.neuron) == (before.images, before.add_ons, before.neuron)
        assert list(after.charts) == list(before.charts)
        assert json.loads(path.read_text())["lock_version"] == 3

    def test_unreadable_says_that_nothing_was_changed(self, run, locked):
        """That nothing was changed is the last that is said."""
        path_for(locked).write_text("{")

        assert run("lock", "--offline", locked).stderr.endswith("\nnothing was changed\n")

    def test_errors_of_the_environment(self, run, example):
        """An environment with errors gets no lock."""
        file = example(("trn1.32xlarge\n", "trn1.32xlrge\n"))

        answer = run("lock", "--offline", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert "CAT001" in answer.stderr
        assert not path_for(file).exists()

    def test_no_pin(self, run, example, monkeypatch):
        """What the tables do not know is said with what they do know, and nothing is written."""

        def refuse(_inputs, **_options) -> NoReturn:
            raise offline.NoPinError("no version of coredns is known for Kubernetes 1.35", "use Kubernetes 1.34")

        monkeypatch.setattr(offline, "lock", refuse)
        file = example()

        answer = run("lock", "--offline", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert (
            answer.stderr
            == f"{file}: no version of coredns is known for Kubernetes 1.35\n  hint: use Kubernetes 1.34\n"
        )
        assert not path_for(file).exists()

    def test_folder_that_cannot_be_written(self, run, example, monkeypatch):
        """A lock that can't be written is one sentence, not a traceback."""

        def refuse(_lock, _path) -> NoReturn:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("ami.lock.write", refuse)
        file = example()

        answer = run("lock", "--offline", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr == f"{path_for(file)}: can't be written: permission denied\n"

    def test_full_disk(self, run, locked, full_disk):
        """A disk that is full is one sentence, and leaves the lock that was there and nothing beside it."""
        before = path_for(locked).read_bytes()
        with full_disk():
            answer = run("lock", "--offline", "--ami-release", "v20260618", locked)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr == f"{path_for(locked)}: can't be written: file too large\n"
        assert path_for(locked).read_bytes() == before
        assert sorted(path.name for path in locked.parent.iterdir()) == ["charts", path_for(locked).name, locked.name]

    def test_keeps_what_aws_confirmed(self, run, locked):
        """Of an add-on that AWS confirmed nobody says that it is not, however the lock is made anew."""
        assert "unconfirmed" in run("lock", "--offline", "--ami-release", "v20260618", copy_of(locked)).stdout

        assert "unconfirmed" not in run("lock", "--offline", "--ami-release", "v20260618", locked).stdout

    def test_names_that_are_long(self, run, locked):
        """What changed stands below each other, and names of images move no value but their own to the right."""
        answer = run("lock", "--offline", "--ami-release", "v20260618", locked)
        changed = answer.stdout.partition("\nChanged\n")[2].partition("\n\n")[0].splitlines()

        assert "  images.trn1.release            v20260625 -> v20260618" in changed
        rows = report.columns([("made_from", "a -> b"), (f"charts.kueue.images.{'x' * 60}", "c -> d")])
        assert rows == ["  made_from  a -> b", f"  charts.kueue.images.{'x' * 60}  c -> d"]

    def test_value_that_was_none(self, locked):
        """What is none at all is called so, and not as Python does; in JSON it is null."""
        old = read(path_for(locked))
        new = replace(old, rehearsal_account="123456789012")

        assert report.changed(old, new) == [("rehearsal_account", "none -> 123456789012")]
        data = json.loads(report.as_json(path_for(locked), old, new, ()))
        assert data["changes"] == [{"path": "rehearsal_account", "old": None, "new": "123456789012"}]

    def test_headings(self, run, locked, monkeypatch):
        """On a terminal headings stand out, as those of every other command do."""
        monkeypatch.setattr("trnstack.cli.output._in_colour", lambda _stream: True)
        for options in (("--offline",), ("--outdated", "--offline")):
            assert run("lock", *options, locked).stdout.startswith("\033[1m")

    def test_blanks(self, run, example):
        """Commands name the file as a shell takes it."""
        answer = run("lock", "--check", example(name="my env.yaml"))

        hint = answer.stderr.splitlines()[1]
        file = example(name="my env.yaml")
        assert hint == f"  hint: run: trnstack lock '{file}', or without an account: trnstack lock --offline '{file}'"

    def test_asks_nobody(self, run, example, monkeypatch):
        """Without an account there is nobody to ask, whatever credentials there are."""
        monkeypatch.setattr("boto3.Session", None)

        assert run("lock", "--offline", example()).code == 0


class TestOptions:
    def test_ami_release(self, run, locked):
        """A release that a person names is taken, although the older lock has another."""
        assert run("lock", "--offline", "--ami-release", "v20260618", locked).code == 0

        assert {pin.release for pin in read(path_for(locked)).images.values()} == {"v20260618"}

    def test_ami_release_with_another_driver(self, run, locked):
        """One with another driver is refused, and those that have it are named."""
        before = path_for(locked).read_bytes()
        answer = run("lock", "--offline", "--ami-release", "v20260714", locked)

        assert (answer.code, answer.stdout) == (1, "")
        assert "v20260625" in answer.stderr
        assert path_for(locked).read_bytes() == before

    def test_add_on(self, run, locked):
        """A version of an add-on that a person names is taken, and kept by the next lock."""
        assert run("lock", "--offline", "--add-on", "coredns=v1.0.0-eksbuild.1", locked).code == 0
        assert "Nothing changed" in run("lock", "--offline", locked).stdout

        assert read(path_for(locked)).add_ons["coredns"] == "v1.0.0-eksbuild.1"

    @pytest.mark.parametrize(
        "words",
        [
            *("coredns", "coredns=1.0", "coredns=", "=", "", "=v1.0.0-eksbuild.1"),
            *("coredns=v1.0.0-eksbuild.1234567890", f"coredns=v{'9' * 5000}.0.0-eksbuild.1"),
        ],
    )
    def test_add_on_that_is_none(self, run, locked, words):
        """What is no name and version is wrong usage; the add-ons are named."""
        before = path_for(locked).read_bytes()
        answer = run("lock", "--offline", "--add-on", words, locked)

        assert (answer.code, answer.stdout) == (2, "")
        assert answer.stderr.startswith(f"{locked}: --add-on {words} is not NAME=VERSION\n")
        assert "vpc-cni" in answer.stderr
        assert path_for(locked).read_bytes() == before

    @pytest.mark.parametrize(("name", "question"), [("core-dns", "did you mean 'coredns'? "), ("nobody", "")])
    def test_unknown_add_on(self, run, locked, name, question):
        """A name that the environment does not have is answered with the likeliest and all others."""
        before = path_for(locked).read_bytes()
        answer = run("lock", "--offline", "--add-on", f"{name}=v1.0.0-eksbuild.1", locked)
        first, hint = answer.stderr.splitlines()

        assert (answer.code, answer.stdout) == (2, "")
        assert first == f"{locked}: the environment has no add-on '{name}'"
        assert hint.startswith(f"  hint: {question}it has: ")
        assert "vpc-cni" in hint
        assert path_for(locked).read_bytes() == before

    def test_unknown_release(self, run, locked):
        """A release that no table has is wrong usage, as any other name that is unknown."""
        answer = run("lock", "--offline", "--ami-release", "v20260626", locked)

        assert (answer.code, answer.stdout) == (2, "")
        assert answer.stderr.startswith(
            f"{locked}: EKS AMI release 'v20260626' is not in the table of releases, so its driver is not known\n"
            "  hint: did you mean 'v20260625'? known: "
        )

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--ami-release", ""), "--ami-release needs the name of a release: trnstack releases lists them"),
            (("--upgrade", "--sdk", ""), "--sdk needs the name of a release: trnstack releases lists them"),
            (("--sdk", ""), "--sdk means something with --upgrade only"),
        ],
    )
    def test_empty(self, run, locked, options, message):
        """An empty name, as of a variable that is not set, is not read as none."""
        before = path_for(locked).read_bytes()
        answer = run("lock", "--offline", *options, locked)

        assert (answer.code, answer.stdout) == (2, "")
        assert message in answer.stderr
        assert path_for(locked).read_bytes() == before


class TestJson:
    def test_new(self, run, example):
        """The lock's content comes with what is to be known of it."""
        file = example()
        data = json.loads(run("lock", "--offline", "--json", file).stdout)

        assert list(data) == ["file", "written", "changes", "notes", "unresolved", "awaiting_build", "lock"]
        assert (data["file"], data["written"], data["changes"]) == (str(path_for(file)), True, [])
        assert data["lock"] == json.loads(path_for(file).read_text())
        assert "images.trn1.image_id" in data["unresolved"]

    def test_changes(self, run, locked, example):
        """A change has its path and both values, null where the path is not there."""
        example(("framework: pytorch", "framework: jax"))
        data = json.loads(run("lock", "--offline", "--json", locked).stdout)

        assert {"path": "inputs.framework", "old": "pytorch", "new": "jax"} in data["changes"]

    def test_nothing(self, run, locked):
        """Where nothing changed nothing is written, and both are said."""
        data = json.loads(run("lock", "--offline", "--json", locked).stdout)

        assert (data["written"], data["changes"]) == (False, [])


class TestCheck:
    def test_missing(self, run, example):
        """A missing lock is a finding; nothing is written."""
        file = example()

        answer = run("lock", "--check", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.splitlines() == [
            f"{file}:{START}:1: IMG001 there is no lock {path_for(file)}, which pins images and add-ons",
            f"  hint: run: trnstack lock {file}, or without an account: trnstack lock --offline {file}",
            "1 error",
        ]
        assert not path_for(file).exists()

    @pytest.mark.parametrize("options", [("--check",), ("--check", "--offline")])
    def test_stale(self, run, locked, example, options):
        """A lock of another environment than today's is stale; why is said, and nothing is written."""
        example(('"1.35"', '"1.34"'))
        before = path_for(locked).read_text()

        answer = run("lock", *options, locked)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.splitlines() == [
            f"{locked}:{START}:1: IMG002 lock {path_for(locked)} is stale: kubernetes_version was 1.35, is now 1.34",
            f"  hint: run: trnstack lock {locked}",
            "1 error",
        ]
        assert path_for(locked).read_text() == before

    def test_current(self, run, locked):
        """A current lock ends with 0."""
        answer = run("lock", "--check", locked)

        assert (answer.code, answer.stderr) == (0, "")
        assert answer.stdout == f"{path_for(locked)} is current, made from AWS in us-east-2\n"

    def test_archives(self, run, locked):
        """An archive that is missing or has other bytes is not one to go on with."""
        folder = locked.parent / "charts"
        (folder / "kueue-0.19.2.tgz").write_bytes(b"other")
        (folder / "kubeflow-trainer-2.3.0.tgz").unlink()
        answer = run("lock", "--check", locked)

        assert (answer.code, answer.stdout) == (1, "")
        assert f"IMG017 {folder / 'kubeflow-trainer-2.3.0.tgz'} is missing" in answer.stderr
        assert f"IMG017 {folder / 'kueue-0.19.2.tgz'} has sha256:" in answer.stderr
        assert f"  hint: run: trnstack lock {locked}, and commit what it writes" in answer.stderr.splitlines()

    def test_misfit(self, run, locked):
        """A lock that answers the environment and whose pins don't fit each other is not one to go on with."""
        lock = read(path_for(locked))
        pin = replace(lock.images["trn1"], neuron_driver="2.21.0.0")
        write(replace(lock, images={**lock.images, "trn1": pin}), path_for(locked))
        answer = run("lock", "--check", locked)
        line = next(number for number, text in enumerate(locked.read_text().splitlines(), 1) if "- name: trn1" in text)
        first, hint, second, _, count = answer.stderr.splitlines()

        assert (answer.code, answer.stdout, count) == (1, "", "2 errors")
        assert first == (
            f"{locked}:{line}:5: node_groups[0].image: IMG004 EKS AMI release v20260625 has Neuron driver 2.21.0.0; "
            "containers of Neuron SDK 2.30.0 need 2.28.0.0 or later: their runtime 2.32.31.0 does not work on driver "
            "2.26 or older"
        )
        assert hint == f"  hint: fits: v20260625, v20260618, v20260610; run: trnstack lock --upgrade {locked}"
        assert second.startswith(
            f"{locked}:{line}:5: node_groups[0].image: IMG010 EKS AMI release v20260625 has driver "
        )

    def test_rehearsal(self, run, locked):
        """That a lock is a rehearsal's is said, since nobody can deploy from it."""
        lock = replace(read(path_for(locked)), rehearsal_account="123456789012", made_from="a rehearsal in us-east-2")
        write(lock, path_for(locked))
        answer = run("lock", "--check", locked)

        assert answer.code == 0
        assert answer.stdout == (
            f"{path_for(locked)} is current, made from a rehearsal in us-east-2, for account 123456789012 of the "
            "rehearsal alone\n"
        )
        assert answer.stderr.splitlines()[0] == (
            f"{locked}:{START}:1: IMG007 warning: lock {path_for(locked)} was made in a rehearsal, and reaches no real "
            "account"
        )

    def test_silenced(self, run, locked):
        """What a comment in the file silences is not said again."""
        text = locked.read_text()
        comment = "# trnstack: ignore[IMG007] this copy is for rehearsals"
        locked.write_text(text.replace("schema_version: 1\n", f"schema_version: 1  {comment}\n"))
        write(replace(read(path_for(locked)), rehearsal_account="123456789012"), path_for(locked))

        assert (run("lock", "--check", locked).code, run("lock", "--check", locked).stderr) == (0, "")

    def test_json(self, run, locked):
        """For programs it is JSON, whether the lock can be used or not."""
        data = json.loads(run("lock", "--check", "--json", locked).stdout)
        assert data == {
            "file": str(path_for(locked)),
            "current": True,
            "made_from": "AWS in us-east-2",
            "rehearsal_account": None,
            "unresolved": [],
            "findings": [],
        }

        path_for(locked).unlink()
        answer = run("lock", "--check", "--json", locked)
        data = json.loads(answer.stdout)
        assert (answer.code, answer.stderr) == (1, "")
        assert (data["current"], data["made_from"], data["unresolved"]) == (False, None, [])
        assert [finding["code"] for finding in data["findings"]] == ["IMG001"]


@pytest.fixture
def no_account(monkeypatch):
    """No credentials, configuration or instance's metadata of the machine that the test runs on."""
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.mark.usefixtures("no_account")
class TestWithoutAccount:
    def test_no_credentials(self, run, locked):
        """Without credentials it is said what to do about it, and what can be had without an account."""
        before = path_for(locked).read_bytes()
        answer = run("lock", locked)

        assert (answer.code, answer.stdout) == (1, "")
        first, hint, without, nothing = answer.stderr.splitlines()
        assert first == f"{locked}: there are no AWS credentials, or not all of them"
        assert hint.startswith("  hint: sign in (aws sso login")
        assert without == f"without an account: trnstack lock --offline {locked}"
        assert nothing == "nothing was changed"
        assert path_for(locked).read_bytes() == before

    def test_environment_first(self, run, example):
        """An environment with errors is said to have them before anybody is asked."""
        answer = run("lock", example(("trn1.32xlarge\n", "trn1.32xlrge\n")))

        assert "CAT001" in answer.stderr
        assert "credentials" not in answer.stderr

    @pytest.mark.parametrize(("error", "lines"), [(ResolveError, 5), (NoAccountError, 6)])
    def test_every_failure(self, run, locked, monkeypatch, error, lines):
        """Everything that failed is told with what to do, by commands that can be copied."""
        failures = [Failure("one thing", "do this: trnstack lock --upgrade FILE"), Failure("another", "wait")]

        def fail(_region) -> NoReturn:
            raise error(failures)

        monkeypatch.setattr("ami.resolve.connect", fail)
        answer = run("lock", locked)

        told = answer.stderr.splitlines()
        assert told[:4] == [
            f"{locked}: one thing",
            f"  hint: do this: trnstack lock --upgrade {locked}",
            f"{locked}: another",
            "  hint: wait",
        ]
        assert (len(told), told[-1]) == (lines, "nothing was changed")


@pytest.fixture(scope="module")
def embedded():
    """An embedded AWS with everything that the tables name, and the registries."""
    with server() as aws:
        yield aws


@pytest.fixture
def signed_in(embedded, no_account, monkeypatch):
    """Credentials of the embedded AWS."""
    del no_account
    for name, value in embedded.environment(region="us-east-2").items():
        monkeypatch.setenv(name, value)


@pytest.mark.cli
@pytest.mark.usefixtures("signed_in")
class TestAccount:
    """The command as it is, against services that answer over HTTP."""

    def test_resolves_everything(self, run, example):
        """Nothing is left unresolved, and what was made is shown."""
        file = example()
        answer = run("lock", file)
        lock = read(path_for(file))

        assert (answer.code, answer.stderr) == (0, "")
        assert lock.unresolved == ()
        assert f"image of trn1                     {lock.images['trn1'].image_id}, " in answer.stdout
        assert answer.stdout.startswith(f"{path_for(file)}, made from a rehearsal in us-east-2\n")
        assert "made in a rehearsal, account 123456789012: it reaches no real account" in answer.stdout
        assert "unconfirmed" not in answer.stdout

    def test_twice(self, run, example):
        """Two locks of the same inputs are byte for byte the same, from nothing and from the lock that is there."""
        file = example()
        run("lock", file)
        first = path_for(file).read_bytes()
        assert "Nothing changed" in run("lock", file).stdout
        assert path_for(file).read_bytes() == first

        path_for(file).unlink()
        run("lock", file)
        assert path_for(file).read_bytes() == first

    def test_offline_lock(self, run, locked):
        """An offline lock gets what it leaves open, and moves in nothing else."""
        path_for(locked).unlink()
        run("lock", "--offline", locked)
        before = read(path_for(locked))
        data = json.loads(run("lock", "--json", locked).stdout)

        assert read(path_for(locked)).unresolved == ()
        moved = {change["path"] for change in data["changes"] if change["old"] != UNRESOLVED}
        # A rehearsal serves charts of its own: what the tables know of the real ones is none of its digests.
        own = {
            f"charts.{name}.{field}"
            for name, pin in before.charts.items()
            for field in ("digest", "archive")
            if getattr(pin, field) != UNRESOLVED
        }
        assert moved == {"made_from", "rehearsal_account", *own}
        assert len(data["changes"]) == len(before.unresolved) + len(moved)
        names = {f"{name}-{pin.version}.tgz" for name, pin in before.charts.items()}
        assert {each.name for each in (locked.parent / "charts").iterdir()} == names

    def test_partial_failure(self, run, locked):
        """One thing that fails keeps the whole lock from being written."""
        path_for(locked).unlink()
        run("lock", "--offline", locked)
        before = path_for(locked).read_bytes()
        answer = run("lock", "--add-on", "coredns=v1.0.0-eksbuild.1", locked)

        assert (answer.code, answer.stdout) == (1, "")
        assert "EKS in us-east-2 does not offer coredns v1.0.0-eksbuild.1 for Kubernetes 1.35" in answer.stderr
        assert f"trnstack lock --add-on coredns=v1.13.2-eksbuild.31 {locked}" in answer.stderr
        assert answer.stderr.endswith("nothing was changed\n")
        assert "--offline" not in answer.stderr
        assert path_for(locked).read_bytes() == before

    def test_offline_again(self, run, example):
        """A rehearsal's lock made offline again is byte for byte one that was made offline."""
        file = example()
        run("lock", "--offline", file)
        before = path_for(file).read_bytes()
        run("lock", file)
        assert read(path_for(file)).rehearsal_account

        assert run("lock", "--offline", file).code == 0
        assert path_for(file).read_bytes() == before

    def test_account_of_another(self, run, example):
        """An environment that names its account is not locked by another's credentials."""
        file = example(("region: us-east-2\n", 'region: us-east-2\naccount: "999988887777"\n'))
        answer = run("lock", file)

        assert answer.code == 1
        assert "the credentials are of account 123456789012, and the environment is for account 999988887777" in (
            answer.stderr
        )
        assert not path_for(file).exists()

    def test_another_release(self, run, example):
        """A release that a person names is looked up by its name."""
        file = example()
        run("lock", file)
        first = read(path_for(file)).images["trn1"].image_id

        assert run("lock", "--ami-release", "v20260618", file).code == 0
        assert read(path_for(file)).images["trn1"].image_id != first

    def test_over_a_lock_of_aws(self, run, embedded, locked):
        """A rehearsal's ids don't replace those of AWS, which nobody would get back: what to do is said."""
        before = path_for(locked).read_bytes()
        answer = run("lock", locked)

        assert (answer.code, answer.stdout) == (1, "")
        first, hint, last = answer.stderr.splitlines()
        address = embedded.environment(region="us-east-2")["AWS_ENDPOINT_URL"]
        assert first == (
            f"{locked}: AWS is asked at {address}, which is a rehearsal, and its ids and digests would replace those "
            "of AWS in the lock"
        )
        assert hint == (
            f"  hint: run: unset AWS_ENDPOINT_URL; or give the rehearsal a copy of {locked} under another name"
        )
        assert last == "nothing was changed"
        assert path_for(locked).read_bytes() == before

    def test_upgrade_over_a_lock_of_aws(self, run, locked):
        """Nor do they by an upgrade."""
        before = path_for(locked).read_bytes()
        answer = run("lock", "--upgrade", locked)

        assert answer.code == 1
        assert "which is a rehearsal" in answer.stderr
        assert path_for(locked).read_bytes() == before

    def test_is_the_embedded_one(self):
        """The tests above ask no other AWS than the embedded one."""
        assert connect("us-east-2").rehearsal() == connect("us-east-2").client("eks").meta.endpoint_url


class TestProgress:
    def test_one_line(self, monkeypatch):
        """On a terminal one line moves, never wider than it, and is gone in the end."""
        screen = io.StringIO()
        screen.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("COLUMNS", "40")

        line = asking._Line()
        line.answered("add-on coredns", 1, 12)
        line.answered("image public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0", 2, 12)
        line.clear()

        shown = screen.getvalue().split("\r\033[K")
        assert shown == ["", "  1 of 12  add-on coredns", "  2 of 12  image public.ecr.aws/neuron/", ""]
        assert max(map(len, shown)) == 39

    def test_elsewhere(self, capsys):
        """Where stderr is no terminal nothing is said on the way."""
        line = asking._Line()
        line.answered("add-on coredns", 1, 12)
        line.clear()

        assert capsys.readouterr() == ("", "")
