"""From a file to its lock: what is said of a lock that can't be used."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ami import tables
from ami.lock import path_for, read, to_json
from ami.pins import NOT_BUILT
from bench.locks import copy_resolved, resolved, write_resolved
from trnstack.environment import check_file, plan_file
from trnstack.findings import InvalidEnvironmentError

CHARTS = tables.charts()
EXAMPLE = Path(__file__).parents[2] / "environments" / "llama3-8b-trn1.yaml"


@pytest.fixture
def lock():
    """The example's lock, as an account would have resolved it."""
    return resolved(read(path_for(EXAMPLE)))


@pytest.fixture
def file(tmp_path, lock):
    """A copy of the example with a resolved lock."""
    copy = tmp_path / EXAMPLE.name
    copy.write_bytes(EXAMPLE.read_bytes())
    write_resolved(lock, copy)
    return copy


def found(file):
    """Returns the codes, messages and hints of the findings of the lock."""
    return [(each.code, each.message, each.hint) for each in check_file(file).findings if each.code.startswith("IMG")]


ANEW = "rm {lock} && trnstack lock {file}, or without an account: rm {lock} && trnstack lock --offline {file}"
BACK = (
    "take the committed one back: git checkout -- {lock}, in a merge git checkout --ours -- {lock}; or choose every "
    f"pin anew: {ANEW}"
)


class TestCurrentLock:
    def test_fits(self, file):
        """A resolved lock that lies beside the environment has nothing against it."""
        assert found(file) == []

    def test_missing(self, file):
        """IMG001: Both commands that make a lock are named, with an account and without."""
        path_for(file).unlink()
        ((code, message, hint),) = found(file)

        assert (code, message) == ("IMG001", f"there is no lock {path_for(file)}, which pins images and add-ons")
        assert hint == f"run: trnstack lock {file}, or without an account: trnstack lock --offline {file}"

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            pytest.param(
                {"region: us-east-2": "region: us-west-2", "use2-az3": "usw2-az4", "use2-az1": "usw2-az1"},
                {},
                "region was us-east-2, is now us-west-2",
                id="another region",
            ),
            pytest.param(
                {"name: llama3-8b\n": "name: other\n"},
                {},
                "environment was llama3-8b, is now other",
                id="another environment",
            ),
            pytest.param(
                {"  - name: trn1\n": "  - name: fleet\n"},
                {},
                "images.fleet is new: eks_optimized; images.trn1 is gone",
                id="another node group",
            ),
        ],
    )
    def test_stale(self, file, old, new, message):
        """AMI-02, IMG002: A lock is one environment's in one region: each difference is named with both values."""
        text = file.read_text(encoding="utf-8")
        for before, after in {**old, **new}.items():
            assert before in text
            text = text.replace(before, after)
        file.write_text(text, encoding="utf-8")
        ((code, said, hint),) = found(file)

        assert (code, hint) == ("IMG002", f"run: trnstack lock {file}")
        assert message in said

    @pytest.mark.parametrize(
        ("damage", "message", "hint"),
        [
            pytest.param(
                lambda text: text.replace("1.35.6-20260625", "1.35.6-20260714"),
                "was edited by hand: its checksum is not that of its content",
                BACK,
                id="edited by hand",
            ),
            pytest.param(
                lambda text: text[: len(text) // 2], "is not JSON (edited by hand or cut off?)", BACK, id="cut off"
            ),
            pytest.param(
                lambda text: text.replace('"lock_version": 3', '"lock_version": 4'),
                "has version 4; this trnstack reads version 3: update trnstack",
                "update trnstack, in its clone: git pull && make setup; the lock of a later one is whole, so keep it",
                id="from the future",
            ),
            pytest.param(
                lambda text: text.replace('"lock_version": 3', '"lock_version": 1'),
                "has version 1, which an older trnstack wrote",
                f"make it anew: {ANEW}",
                id="from the past",
            ),
            pytest.param(lambda _: "[]", "is not a lock file", BACK, id="another file"),
            pytest.param(lambda _: "<<<<<<< HEAD\n{}", "is not JSON", BACK, id="a merge that was not finished"),
        ],
    )
    def test_damaged(self, file, damage, message, hint):
        """IMG003: What is wrong with a lock, and commands that mend just that, with an account and without."""
        path = path_for(file)
        path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
        ((code, said, told),) = found(file)

        assert code == "IMG003"
        assert told == hint.format(lock=path, file=file)
        assert said.startswith(f"lock {path} {message}")

    def test_folder(self, file):
        """IMG003: What is no file is neither restored nor removed, but looked at."""
        path = path_for(file)
        path.unlink()
        path.mkdir()
        ((code, message, hint),) = found(file)

        assert (code, message) == ("IMG003", f"lock {path} can't be read: it is a folder")
        assert hint == f"see what lies there: ls -ld {path}; a lock is a file that you may read"

    def test_blanks(self, tmp_path, lock):
        """Commands name the file and its lock as a shell takes them."""
        copy = tmp_path / "my env.yaml"
        copy.write_bytes(EXAMPLE.read_bytes())
        ((_, _, hint),) = found(copy)
        assert hint == f"run: trnstack lock '{copy}', or without an account: trnstack lock --offline '{copy}'"

        path_for(copy).write_text(to_json(lock)[:50], encoding="utf-8")
        ((_, _, hint),) = found(copy)
        assert hint == BACK.format(lock=f"'{path_for(copy)}'", file=f"'{copy}'")

    def test_shape(self, file, lock):
        """IMG003: A text with a right checksum that no trnstack wrote is no lock either."""
        from ami.pins import hash_of

        data = json.loads(to_json(lock))
        del data["checksum"], data["images"]["trn1"]["kernel"]
        path_for(file).write_text(json.dumps({**data, "checksum": hash_of(data)}), encoding="utf-8")
        ((code, said, _),) = found(file)

        assert code == "IMG003"
        assert "does not have the shape of a lock" in said


class TestUnresolved:
    def test_noted(self):
        """IMG006: What an offline lock leaves open is a note, with the command that asks an account."""
        ((code, message, hint),) = found(EXAMPLE)

        assert code == "IMG006"
        assert "leaves neuron.container.digest and" in message
        assert f"run: trnstack lock {EXAMPLE}" in hint

    def test_refused_for_a_deploy(self):
        """IMG006: No template is made from it."""
        assert plan_file(EXAMPLE).pins.container_digest == "unresolved"
        with pytest.raises(InvalidEnvironmentError) as caught:
            plan_file(EXAMPLE, to_deploy=True)

        ((finding),) = caught.value.findings
        assert (finding.code, finding.file) == ("IMG006", str(EXAMPLE))

    def test_resolved(self, file):
        """A resolved lock may be deployed."""
        assert plan_file(file, to_deploy=True).pins.container_digest.startswith("sha256:")


class TestCharts:
    def refused(self, file):
        with pytest.raises(InvalidEnvironmentError) as caught:
            plan_file(file, to_deploy=True)
        ((finding),) = caught.value.findings
        return finding.code, finding.message, finding.hint

    def test_missing(self, file):
        """IMG017: Without the charts' archives no template is made to be deployed; what plans does without them."""
        folder = file.parent / "charts"
        for archive in folder.iterdir():
            archive.unlink()
        code, message, hint = self.refused(file)

        assert code == "IMG017"
        assert message == f"{folder / 'neuron-helm-chart-1.10.0.tgz'} and 3 more are missing"
        assert hint == f"run: trnstack lock {file}, and commit what it writes"
        assert found(file) == []
        assert plan_file(file)

    def test_altered(self, file):
        """IMG017: An archive with other bytes than those that the lock pins is not deployed."""
        archive = file.parent / "charts" / "kueue-0.19.2.tgz"
        archive.write_bytes(archive.read_bytes() + b" ")
        code, message, _ = self.refused(file)

        assert code == "IMG017"
        assert message.startswith(f"{archive} has sha256:")

    def test_renamed_value(self, file, monkeypatch):
        """IMG018: A value that a chart does not know is named: Helm would pass it over."""
        module = sys.modules["trnstack.plan.kubernetes"]
        values = {name: {"no": {"such": 1}} for name in module.NAMESPACES}
        monkeypatch.setattr(module, "_values", lambda *_: values)
        with pytest.raises(InvalidEnvironmentError) as caught:
            plan_file(file, to_deploy=True)

        assert {(each.code, each.message.partition(" has ")[2]) for each in caught.value.findings} == {
            ("IMG018", "no value no, which trnstack sets")
        }

    def test_moved_file(self, file, monkeypatch):
        """IMG019: A chart that no longer has what is left out of it is not deployed: it may be under another name."""
        row = replace(tables.charts()["kueue"], left_out={"templates/moved.yaml": {"kind": "Secret"}})
        monkeypatch.setattr(tables, "charts", lambda: {**CHARTS, "kueue": row})
        code, message, hint = self.refused(file)

        assert code == "IMG019"
        assert message.startswith("chart kueue 0.19.2 has no templates/moved.yaml, in whose place trnstack puts")
        assert hint == "keep the version that was pinned before, or update trnstack"

    def test_gitops(self, file):
        """Where a repository delivers charts, no deploy needs their archives."""
        text = file.read_text()
        file.write_text(f"{text}kubernetes: {{delivery: gitops}}\n")
        (file.parent / "charts" / "kueue-0.19.2.tgz").unlink()

        assert plan_file(file, to_deploy=True).kubernetes.stack is None


class TestAwaitedImage:
    def test_warned(self, tmp_path):
        """IMG008: A node group whose image is not built is told where it stands, with the commands that build it."""
        example = EXAMPLE.with_name("custom-image-trn1.yaml")
        file = copy_resolved(example, tmp_path)
        lock = read(path_for(file))
        custom = replace(lock.images["trn1"].custom, image_ids={"us-west-2": NOT_BUILT, "us-east-2": NOT_BUILT})
        images = {**lock.images, "trn1": replace(lock.images["trn1"], custom=custom)}
        path_for(file).write_text(to_json(replace(lock, images=images)), encoding="utf-8")
        (finding,) = (each for each in check_file(file).findings if each.code.startswith("IMG"))

        assert (finding.code, finding.severity, finding.path) == ("IMG008", "warning", ("node_groups", 0, "image"))
        assert finding.line > 1
        assert finding.hint == (f"run: cdk deploy custom-image-images -c environment={file}, then trnstack lock {file}")
        assert [group.name for group in plan_file(file, to_deploy=True).awaiting_image] == ["trn1"]


class TestRehearsal:
    def test_told(self, file, lock):
        """IMG007: A lock that an embedded AWS answered is told apart, and its account is the embedded one's."""
        path_for(file).write_text(to_json(replace(lock, rehearsal_account="123456789012")), encoding="utf-8")
        ((code, message, _),) = found(file)

        assert (code, "was made in a rehearsal" in message) == ("IMG007", True)
        assert plan_file(file).account == "123456789012"

    def test_elsewhere(self, file, lock, tmp_path):
        """A rehearsal's lock lies in the rehearsal's own folder, and the environment's own stays as it is."""
        other = tmp_path / "rehearsal.lock.json"
        other.write_text(to_json(replace(lock, rehearsal_account="123456789012")), encoding="utf-8")

        assert plan_file(file, lock_file=other).account == "123456789012"
        assert plan_file(file).account is None
