"""``trnstack lock --upgrade``."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from ami.lock import path_for, read, to_json, write
from ami.pins import UNRESOLVED
from ami.resolve import Failure, Resolved, ResolveError
from bench.locks import resolved
from trnstack.cli.lock import asking, upgrade

ROOT = Path(__file__).parents[3]
JAX = ROOT / "environments" / "jax-trn1.yaml"
PYTORCH = ROOT / "environments" / "llama3-8b-trn1.yaml"
CUSTOM = ROOT / "environments" / "custom-image-trn1.yaml"


@pytest.fixture
def copied(tmp_path):
    """Copies an environment and its lock, with pieces of the text replaced."""

    def copy(environment, *replacements):
        text = environment.read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / environment.name
        file.write_text(text, encoding="utf-8")
        path_for(file).write_bytes(path_for(environment).read_bytes())
        return file

    return copy


def contents(file):
    return file.read_bytes(), path_for(file).read_bytes()


class TestJax:
    def test_moves_together(self, run, copied):
        """SDK, container and AMI release move together, in the lock and in the file, whose other letters stay."""
        file = copied(JAX)
        answer = run("lock", "--upgrade", "--sdk", "2.31.1", file)
        lock = read(path_for(file))

        assert answer.code == 0
        assert file.read_text() == JAX.read_text().replace('sdk: "2.30.0"', 'sdk: "2.31.1"')
        assert (lock.neuron.sdk, lock.neuron.driver) == ("2.31.1", "2.29.0.0")
        assert "sdk2.31.1" in lock.neuron.container.image
        assert lock.images["trn1"].release_version == "1.35.6-20260714"
        assert run("lock", "--check", file).code == 0

    def test_report(self, run, copied):
        """What moves, what differs in the plan, and the deploys in their order are shown; an account does the rest."""
        file = copied(JAX)
        lines = run("lock", "--upgrade", "--sdk", "2.31.1", file).stdout.splitlines()

        assert lines[0].startswith(
            f"{file} moves from Neuron SDK 2.30.0 to 2.31.1; its lock is made from offline tables"
        )
        assert any(line.split() == ["neuron.driver", "2.28.0.0", "->", "2.29.0.0"] for line in lines)
        assert any(
            line.split() == ["node_groups.trn1.release_version", "1.35.6-20260625", "->", "1.35.6-20260714"]
            for line in lines
        )
        assert f"  1. cdk deploy jax-cluster -c environment={file}" in lines
        assert f"  2. cdk deploy jax-kubernetes -c environment={file}" in lines
        assert f"  3. cdk deploy jax-nodes-trn1 -c environment={file}" in lines
        assert any("4 nodes at a time are replaced: DEFAULT starts new nodes" in line for line in lines)
        assert f"  All at once, in the same order: cdk deploy --all -c environment={file}" in lines
        assert lines[-1] == f"  made from tables: an account resolves the rest by: trnstack lock {file}"

    def test_no_ami(self, run, copied):
        """2.32.0 is refused with the reason and the two ways out, and nothing is written."""
        file = copied(JAX)
        before = contents(file)
        answer = run("lock", "--upgrade", "--sdk", "2.32.0", file)
        first, second, third, last = answer.stderr.splitlines()

        assert (answer.code, answer.stdout) == (1, "")
        assert first == (
            f"{file}: can't move to Neuron SDK 2.32.0: no EKS AMI release in the table carries driver 2.30.2.0, which "
            "Neuron SDK 2.32.0 needs"
        )
        assert second.startswith(f"  hint: run: trnstack lock --upgrade --sdk 2.31.1 {file}, ")
        assert third.startswith("  hint: image: {type: custom, recipe: neuron} on node group trn1")
        assert last == "nothing was changed"
        assert contents(file) == before

    def test_custom_image(self, run, copied):
        """The second way out is one: with an image of its own the environment moves to 2.32.0."""
        custom = ("node_count: 4", "node_count: 4\n    image: {type: custom, recipe: neuron}")
        file = copied(JAX, custom)
        assert run("lock", "--offline", file).code == 0
        answer = run("lock", "--upgrade", "--sdk", "2.32.0", file)
        lock = read(path_for(file))

        assert answer.code == 0, answer.stderr
        assert lock.images["trn1"].custom.neuron_driver == lock.neuron.driver == "2.30.2.0"

    def test_twice(self, run, copied):
        """A second time there is nothing to move."""
        file = copied(JAX)
        run("lock", "--upgrade", "--sdk", "2.31.1", file)
        before = contents(file)
        answer = run("lock", "--upgrade", "--sdk", "2.31.1", file)

        assert (answer.code, contents(file)) == (0, before)
        assert answer.stdout == f"{file}: nothing newer fits Neuron SDK 2.31.1; trnstack lock --outdated {file}\n"

    def test_json(self, run, copied):
        """The same for programs."""
        file = copied(JAX)
        data = json.loads(run("lock", "--upgrade", "--sdk", "2.31.1", "--json", file).stdout)

        assert data["sdk"] == "2.31.1"
        assert {"path": "neuron.sdk", "change": "2.30.0 -> 2.31.1"} in data["changes"]
        assert [step["command"] for step in data["steps"]] == [
            f"cdk deploy jax-cluster -c environment={file}",
            f"cdk deploy jax-kubernetes -c environment={file}",
            f"cdk deploy jax-nodes-trn1 -c environment={file}",
        ]
        assert any(change["path"] == "pins.neuron_sdk" for change in data["plan_changes"])
        assert data["unresolved"]


class TestPyTorch:
    @pytest.mark.parametrize("sdk", ["2.31.1", "2.32.0"])
    def test_refused(self, run, copied, sdk):
        """Beyond 2.30.0 PyTorch has no training container; nothing moves into such a release."""
        file = copied(PYTORCH)
        before = contents(file)
        answer = run("lock", "--upgrade", "--sdk", sdk, file)

        assert answer.code == 1
        assert "has no training container for pytorch; 2.30.0 is the last that has one" in answer.stderr
        assert contents(file) == before


class TestWithoutSdk:
    def test_newest_that_fits(self, run, copied):
        """The AMI release moves to the newest that fits the SDK; the environment file is left alone."""
        file = copied(PYTORCH)
        assert run("lock", "--offline", "--ami-release", "v20260610", file).code == 0
        before = file.stat().st_mtime_ns
        answer = run("lock", "--upgrade", file)

        assert answer.code == 0
        assert answer.stdout.startswith(f"{file} stays on SDK 2.30.0; its lock is made from offline tables")
        assert read(path_for(file)).images["trn1"].release == "v20260625"
        assert file.stat().st_mtime_ns == before

    def test_asked_release(self, run, copied):
        """A later release than the pinned one may be asked for that is not the newest."""
        file = copied(PYTORCH)
        assert run("lock", "--offline", "--ami-release", "v20260610", file).code == 0
        answer = run("lock", "--upgrade", "--ami-release", "v20260618", file)

        assert answer.code == 0
        assert read(path_for(file)).images["trn1"].release == "v20260618"

    def test_earlier_release(self, run, copied):
        """An earlier one is refused, since EKS takes no standing group there; the ways out work."""
        file = copied(PYTORCH)
        before = contents(file)
        answer = run("lock", "--upgrade", "--ami-release", "v20260610", file)

        first, second, third, last = answer.stderr.splitlines()

        assert (answer.code, answer.stdout) == (1, "")
        assert first == (
            f"{file}: EKS AMI release v20260610 is earlier than v20260625, which is pinned, and EKS takes no node "
            "group back to an earlier AMI"
        )
        assert second == f"  hint: where nothing is deployed yet, run: trnstack lock --ami-release v20260610 {file}"
        assert third == (
            f"  hint: where it is deployed, deploy an environment beside it: a copy of {file} with another name, "
            "locked with --ami-release v20260610; destroy the old one when its jobs have moved"
        )
        assert last == "nothing was changed"
        assert contents(file) == before

    def test_another_environment_beside(self, run, copied):
        """The way out for what is deployed is one: a copy with another name has a plan, and nothing is in its way."""
        copy = copied(JAX, ("name: jax\n", "name: jax-older\n"), ('sdk: "2.30.0"', 'sdk: "2.29.1"'))
        path_for(copy).unlink()

        assert run("lock", "--offline", copy).code == 0
        answer = run("plan", copy, "--against", JAX)
        assert answer.code == 0
        assert "NOT POSSIBLE" not in answer.stdout
        assert answer.stdout.endswith(
            f"  1. cdk deploy --all -c environment={copy}\n"
            "       jax-older in us-west-2\n"
            "       why: another name or region is another environment: what stands of the old one stays until "
            "destroyed\n"
        )

    def test_unknown_release(self, run, copied):
        """A release that no table has is wrong usage."""
        answer = run("lock", "--upgrade", "--ami-release", "v20260626", copied(PYTORCH))

        assert answer.code == 2
        assert "EKS AMI release 'v20260626' is not in the table of releases" in answer.stderr

    def test_release_that_does_not_fit(self, run, copied):
        """A release that does not fit the SDK is refused with those that do."""
        answer = run("lock", "--upgrade", "--ami-release", "v20260714", copied(PYTORCH))

        assert answer.code == 1
        assert "these have it: v20260625, v20260618, v20260610" in answer.stderr
        assert answer.stderr.endswith("nothing was changed\n")


class TestRefused:
    def test_stale_lock(self, run, copied):
        """A lock of another environment is made anew before it is moved."""
        file = copied(JAX, ('"1.35"', '"1.36"'))
        answer = run("lock", "--upgrade", file)
        line = next(number for number, text in enumerate(file.read_text().splitlines(), 1) if "schema_version" in text)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr.splitlines() == [
            f"{file}:{line}:1: IMG002 lock {path_for(file)} is stale: kubernetes_version was 1.35, is now 1.36",
            f"  hint: run: trnstack lock {file}",
            "1 error",
        ]

    def test_unknown_sdk(self, run, copied):
        """An SDK that no table has is wrong usage, as any other name that is unknown."""
        file = copied(JAX)
        answer = run("lock", "--upgrade", "--sdk", "2.31.2", file)
        first, hint, last = answer.stderr.splitlines()

        assert (answer.code, answer.stdout) == (2, "")
        assert first == f"{file}: Neuron SDK '2.31.2' is not in the table of releases"
        assert hint.startswith("  hint: did you mean '2.31.1'? known: ")
        assert last == "nothing was changed"

    @pytest.mark.parametrize(
        ("replacement", "message"),
        [
            ('sdk: &sdk "2.30.0"', "neuron.sdk is in reach of the anchor &sdk: a change could go further"),
            ("sdk: >-\n    2.30.0", "neuron.sdk is not written on one line"),
        ],
    )
    def test_value_that_is_not_alone(self, run, copied, replacement, message):
        """A value that is shared or takes several lines is left for a person to change."""
        file = copied(JAX, ('sdk: "2.30.0"', replacement))
        before = contents(file)
        answer = run("lock", "--upgrade", "--sdk", "2.31.1", file)

        assert answer.code == 1
        assert answer.stderr.splitlines() == [
            f"{file}: {message}",
            "  hint: write neuron.sdk: 2.31.1 by hand",
            "nothing was changed",
        ]
        assert contents(file) == before

    def test_combination_that_a_rule_forbids(self, run, copied, monkeypatch):
        """What the rules forbid is not written, whoever chose it."""
        monkeypatch.setattr("ami.moving.upgraded", lambda _inputs, *, old, **_: wrong(old))
        file = copied(JAX)
        before = contents(file)
        answer = run("lock", "--upgrade", file)

        first, hint, *_ = answer.stderr.splitlines()

        assert (answer.code, answer.stdout) == (1, "")
        assert first.startswith(f"{file}:")
        assert first.endswith(
            ":5: node_groups[0].image: IMG004 EKS AMI release v20260625 has Neuron driver 2.21.0.0; containers of "
            "Neuron SDK 2.30.0 need 2.28.0.0 or later: their runtime 2.32.31.0 does not work on driver 2.26 or older"
        )
        assert hint == f"  hint: fits: v20260625, v20260618, v20260610; run: trnstack lock --upgrade {file}"
        assert contents(file) == before

    def test_sdk_alone(self, run, copied):
        """--sdk is no word of a lock that is only made."""
        assert run("lock", "--sdk", "2.31.1", copied(JAX)).code == 2

    def test_bom_and_line_ends(self, run, copied):
        """A byte order mark and the line ends of another system stay as they are."""
        file = copied(JAX)
        text = b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n")
        file.write_bytes(text)

        assert run("lock", "--upgrade", "--sdk", "2.31.1", file).code == 0
        assert file.read_bytes() == text.replace(b'2.30.0"', b'2.31.1"')


def wrong(lock):
    return replace(lock, images={**lock.images, "trn1": replace(lock.images["trn1"], neuron_driver="2.21.0.0")})


class TestAccount:
    """A lock that an account made is resolved by it again, unless that is not wanted."""

    @pytest.fixture
    def file(self, copied):
        file = copied(JAX)
        write(resolved(read(path_for(file))), path_for(file))
        return file

    def test_resolves(self, run, file, monkeypatch):
        """What moved is resolved; what stayed keeps its digests until then."""
        asked = []

        def answer(name, environment, lock, *, old, options):
            assert old == read(path_for(file))
            assert options == ["--upgrade", "--sdk", "2.31.1"]
            asked.append((name, environment.neuron.sdk, lock))
            return Resolved(resolved(lock), ("ask for FILE",), {"kueue-0.19.2.tgz": b"archive"})

        monkeypatch.setattr(asking, "resolved", answer)
        done = run("lock", "--upgrade", "--sdk", "2.31.1", file)
        ((name, sdk, chosen),) = asked

        assert done.code == 0
        assert (name, sdk) == (str(file), "2.31.1")
        assert not any("charts" in place for place in chosen.unresolved)
        assert read(path_for(file)).unresolved == ()
        assert f"ask for {file}" in done.stdout
        assert f"fetched {file.parent / 'charts' / 'kueue-0.19.2.tgz'}: commit it beside the lock" in done.stdout
        assert (file.parent / "charts" / "kueue-0.19.2.tgz").read_bytes() == b"archive"

    def test_newest_build(self, run, copied, monkeypatch):
        """The newest build of a custom image is taken, which a lock that is only made leaves alone."""
        file = copied(CUSTOM)
        write(resolved(read(path_for(file))), path_for(file))
        newer = "ami-0fffffffffffffff"

        def answer(_name, _environment, lock, *, old, **_options):
            pin = lock.images["trn1"]
            assert set(pin.custom.image_ids.values()) == {pin.custom.owner} == {UNRESOLVED}
            ids = {**old.images["trn1"].custom.image_ids, old.inputs.region: newer}
            custom = replace(old.images["trn1"].custom, image_ids=ids)
            return Resolved(replace(lock, images={**old.images, "trn1": replace(pin, custom=custom)}), (), {})

        monkeypatch.setattr(asking, "resolved", answer)
        done = run("lock", "--upgrade", file)

        assert (done.code, done.stderr) == (0, "")
        assert newer in done.stdout
        assert newer in read(path_for(file)).images["trn1"].custom.image_ids.values()

    def test_build_offline(self, run, copied):
        """Without an account the build that is pinned stays: nobody else knows another."""
        file = copied(CUSTOM)
        write(resolved(read(path_for(file))), path_for(file))
        before = read(path_for(file)).images["trn1"].custom

        assert run("lock", "--upgrade", "--offline", file).code == 0
        assert read(path_for(file)).images["trn1"].custom == before

    def test_failure(self, run, file, monkeypatch):
        """Where the account gives no answer, neither file is changed."""

        def fail(*_args, **_more):
            raise ResolveError([Failure("no AMI", "take another")])

        monkeypatch.setattr("ami.resolve.connect", fail)
        before = contents(file)
        answer = run("lock", "--upgrade", "--sdk", "2.31.1", file)

        assert answer.code == 1
        assert "no AMI" in answer.stderr
        assert contents(file) == before

    def test_offline(self, run, file, monkeypatch):
        """--offline moves it by the tables alone, and keeps what is known of the pins that stay."""
        monkeypatch.setattr(asking, "resolved", lambda *_, **__: pytest.fail("an account was asked"))
        old = read(path_for(file))
        answer = run("lock", "--upgrade", "--sdk", "2.31.1", "--offline", file)
        lock = read(path_for(file))

        assert answer.code == 0
        assert lock.charts == old.charts
        assert {place.partition(".")[0] for place in lock.unresolved} == {"neuron", "images"}


class TestReplaceAll:
    def test_all(self, tmp_path):
        """All files are replaced, with the rights that they had."""
        first, second = tmp_path / "a", tmp_path / "b"
        for path in (first, second):
            path.write_text("old")
            path.chmod(0o640)
        upgrade.replace_all({first: b"new a", second: b"new b"})

        assert (first.read_text(), second.read_text()) == ("new a", "new b")
        assert first.stat().st_mode & 0o777 == 0o640
        assert len(list(tmp_path.iterdir())) == 2

    def test_links(self, run, copied, tmp_path):
        """Links to an environment and its lock stay links, and the pair that they lead to moves together."""
        file = copied(JAX)
        link = tmp_path / "links" / file.name
        link.parent.mkdir()
        link.symlink_to(file)
        path_for(link).symlink_to(path_for(file))

        assert run("lock", "--upgrade", "--sdk", "2.31.1", link).code == 0
        assert link.is_symlink()
        assert path_for(link).is_symlink()
        assert 'sdk: "2.31.1"' in file.read_text()
        assert read(path_for(file)).neuron.sdk == "2.31.1"

    def test_full_disk(self, run, copied, full_disk):
        """On a disk that is full nothing moves, and nothing temporary is left."""
        file = copied(JAX)
        before = contents(file)
        with full_disk():
            answer = run("lock", "--upgrade", "--sdk", "2.31.1", file)

        assert (answer.code, answer.stdout) == (1, "")
        assert answer.stderr == f"{file}: can't be written: file too large\nnothing was changed\n"
        assert contents(file) == before
        assert sorted(path.name for path in file.parent.iterdir()) == [path_for(file).name, file.name]

    def test_full_disk_between(self, tmp_path, monkeypatch, capsys, full_disk):
        """Nor does the way back need room: what was there is put aside before anything is replaced."""
        first, second = tmp_path / "a", tmp_path / "b"
        for path in (first, second):
            path.write_text("old")
        replaced = Path.replace

        def replace(self, target):
            if target == second:
                raise OSError(28, "No space left on device", str(self), None, str(target))
            with full_disk():
                return replaced(self, target)

        monkeypatch.setattr(Path, "replace", replace)
        with pytest.raises(typer.Exit):
            upgrade.replace_all({first: b"new", second: b"new"})

        assert (first.read_text(), second.read_text()) == ("old", "old")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
        assert capsys.readouterr().err == (
            f"{second}: can't be written: no space left on device\nnothing was changed\n"
        )

    def test_folder_that_may_not_be_written(self, tmp_path, monkeypatch, capsys):
        """The file that a person knows is named, not the temporary one beside it."""

        def refuse(**options):
            raise PermissionError(13, "Permission denied", f"{options['dir']}/{options['prefix']}jdkazbau")

        monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
        (tmp_path / "a").write_text("old")
        with pytest.raises(typer.Exit):
            upgrade.replace_all({tmp_path / "a": b"new"})

        assert (
            capsys.readouterr().err == f"{tmp_path / 'a'}: can't be written: permission denied\nnothing was changed\n"
        )

    @pytest.mark.parametrize("fails_at", [0, 1])
    def test_none(self, tmp_path, monkeypatch, capsys, fails_at):
        """When one can't be replaced, each holds what it held, and no temporary file is left."""
        files = [tmp_path / "a", tmp_path / "b"]
        for path in files:
            path.write_text("old")
        replaced = Path.replace

        def replace(self, target):
            if target == files[fails_at] and not self.name.startswith(".x"):
                monkeypatch.setattr(Path, "replace", replaced)
                raise PermissionError(13, "Permission denied", str(target))
            return replaced(self, target)

        monkeypatch.setattr(Path, "replace", replace)
        with pytest.raises(typer.Exit):
            upgrade.replace_all(dict.fromkeys(files, b"new"))

        assert [path.read_text() for path in files] == ["old", "old"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
        assert (
            capsys.readouterr().err == f"{files[fails_at]}: can't be written: permission denied\nnothing was changed\n"
        )


def test_same_lock_is_not_written(run, copied):
    """A lock that stays is not touched."""
    file = copied(JAX)
    before = path_for(file).stat()
    run("lock", "--upgrade", file)

    assert (path_for(file).stat().st_ino, path_for(file).stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert path_for(file).read_text() == to_json(read(path_for(file)))
