"""``trnstack lock``."""

from typing import NoReturn

import pytest

from ami import offline
from ami.lock import path_for, read


class TestOffline:
    def test_writes_and_shows_the_pins(self, run, example):
        """The lock lies beside the file, and everything in it is shown in columns."""
        file = example()

        answer = run("lock", "--offline", file)
        lock = read(path_for(file))

        assert (answer.code, answer.stderr) == (0, "")
        assert answer.stdout.startswith(f"{path_for(file)}, made from offline tables of ")
        assert f"  Neuron SDK                 {lock.neuron.sdk}\n" in answer.stdout
        assert all(f"  {name:<25}  {version}\n" in answer.stdout for name, version in lock.add_ons.items())
        assert "There was no lock before" in answer.stdout

    def test_names_unconfirmed_readings(self, run, example):
        """A pin that no source of AWS confirms is said to be one, with the command that asks AWS."""
        file = example()
        answer = run("lock", "--offline", file)
        notes = offline.add_on_notes(read(path_for(file)))

        assert notes
        assert answer.stdout.partition("Unconfirmed\n")[2].splitlines() == [f"  {note}" for note in notes]

    def test_says_where_containers_end(self, run, example):
        """Where an SDK has no training container, the newest one that has is named."""
        file = example()
        file.write_text(file.read_text().replace('sdk: "2.30.0"', 'sdk: "2.31.1"'))

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
        assert any(line.startswith("  accelerator_image.release_version ") for line in changed)
        assert not any(" neuron.sdk " in line for line in changed)

    def test_replaces_a_damaged_lock(self, run, locked):
        """A lock that can't be read is replaced, and why it could not be read is said."""
        path_for(locked).write_text("{")

        answer = run("lock", "--offline", locked)

        assert answer.code == 0
        assert "Replaces a lock that is not JSON" in answer.stdout
        assert read(path_for(locked)).inputs.environment == "llama3-8b"

    def test_errors_of_the_environment(self, run, example):
        """An environment with errors gets no lock."""
        file = example(("trn1.32xlarge\n", "trn1.32xlrge\n"))

        answer = run("lock", "--offline", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert "CAT001" in answer.stderr
        assert not path_for(file).exists()

    def test_no_pin(self, run, example, monkeypatch):
        """What the tables do not know is said with what they do know, and nothing is written."""

        def refuse(_inputs) -> NoReturn:
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


class TestCheck:
    def test_missing(self, run, example):
        """A missing lock is a finding; nothing is written."""
        file = example()

        answer = run("lock", "--check", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert "IMG001" in answer.stderr
        assert not path_for(file).exists()

    @pytest.mark.parametrize("options", [("--check",), ("--check", "--offline")])
    def test_stale(self, run, locked, example, options):
        """A lock of another environment than today's is stale; why is said, and nothing is written."""
        example(('"1.35"', '"1.34"'))
        before = path_for(locked).read_text()

        answer = run("lock", *options, locked)

        assert answer.code == 1
        assert "IMG002" in answer.stderr
        assert "kubernetes_version was 1.35, is now 1.34" in answer.stderr
        assert path_for(locked).read_text() == before

    def test_current(self, run, locked):
        """A current lock ends with 0."""
        answer = run("lock", "--check", locked)

        assert answer.code == 0
        assert f"{path_for(locked)} is current" in answer.stdout


class TestAccount:
    def test_is_not_asked_yet(self, run, example):
        """Without --offline one sentence says what works, before anything is read or written."""
        file = example()

        answer = run("lock", file)

        assert (answer.code, answer.stdout) == (2, "")
        assert f"trnstack lock --offline {file}" in answer.stderr
        assert not path_for(file).exists()
