"""``trnstack kubernetes render``: the same as the stack applies, for a repository, and nobody else's files touched."""

import json
import os

import pytest
import yaml

from trnstack.environment import plan_file
from trnstack.kubernetes.manifests import manifests
from trnstack.kubernetes.marks import OUTPUTS

STORAGE = {
    "CheckpointBucket": "llama3-8b-checkpoints-111122223333-us-east-2",
    "FileSystemId": "fs-0123456789abcdef0",
    "FileSystemDnsName": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com",
    "FileSystemMountName": "12345678",
}


@pytest.fixture
def outputs(tmp_path):
    """Returns a writer of a deploy's outputs."""

    def make(content=None):
        file = tmp_path / "cdk-outputs.json"
        text = content if isinstance(content, str) else json.dumps(content or {"llama3-8b-storage": STORAGE})
        file.write_text(text)
        return file

    return make


@pytest.fixture
def rendered(run, locked, outputs, tmp_path):
    """The folder into which the example was rendered."""
    folder = tmp_path / "repository"
    answer = run("kubernetes", "render", locked, "--outputs", outputs(), "--to", folder)
    assert answer.code == 0, answer.stderr
    return folder


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestFiles:
    def test_objects(self, rendered, locked):
        """Every object is there, in files whose names sort as they are applied, with its wave and no mark."""
        plan = plan_file(locked)
        files = sorted(path for path in (rendered / "manifests").iterdir() if path.name != "kustomization.yaml")
        found = [each for file in files for each in yaml.safe_load_all(file.read_text())]
        planned = [each for manifest in manifests(plan) for each in manifest.objects]
        waves = [int(each["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]) for each in found]

        assert [(each["kind"], each["metadata"]["name"]) for each in found] == [
            (each["kind"], each["metadata"]["name"]) for each in planned
        ]
        assert waves == sorted(waves)
        assert waves[0] > 0
        assert not any(mark in file.read_text() for file in files for mark in OUTPUTS)

    def test_values_of_the_deploy(self, rendered):
        """What only a deploy knows stands in the places of marks, as text even where it is all digits."""
        (file,) = (rendered / "manifests").glob("*-storage.yaml")
        volume = next(yaml.safe_load_all(file.read_text()))

        assert volume["spec"]["csi"]["volumeHandle"] == STORAGE["FileSystemId"]
        assert volume["spec"]["csi"]["volumeAttributes"] == {
            "dnsname": STORAGE["FileSystemDnsName"],
            "mountname": STORAGE["FileSystemMountName"],
        }

    def test_kustomization(self, rendered):
        """Flux applies them in this order, too."""
        listed = yaml.safe_load((rendered / "manifests" / "kustomization.yaml").read_text())
        names = sorted(path.name for path in (rendered / "manifests").iterdir() if path.name != "kustomization.yaml")

        assert listed["resources"] == names
        assert listed["sortOptions"] == {"order": "fifo"}

    def test_charts(self, rendered, locked):
        """Charts are as they are handed to Helm, and values are those of the plan."""
        for release in plan_file(locked).kubernetes.releases:
            chart = yaml.safe_load((rendered / "charts" / release.chart / "Chart.yaml").read_text())
            values = yaml.safe_load((rendered / "values" / f"{release.name}.yaml").read_text())

            assert (chart["name"], str(chart["version"])) == (release.chart, release.version)
            assert json.dumps(values) == json.dumps(release.values)
            for path, instead in release.left_out.items():
                assert yaml.safe_load((rendered / "charts" / release.chart / path).read_text()) == instead

    def test_readme(self, rendered, locked):
        """The README names each chart with its version, and the files in their order."""
        text = (rendered / "README.md").read_text()
        places = [text.index(path.name) for path in sorted((rendered / "manifests").glob("[0-9]*"))]

        assert all(f"| {each.name} | {each.version} |" in text for each in plan_file(locked).kubernetes.releases)
        assert places == sorted(places)

    def readme_yaml(self, rendered, part):
        """What a part of the README gives as YAML."""
        text = (rendered / "README.md").read_text().split(f"## {part}\n")[1]
        return yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])

    def test_argo_cd(self, rendered):
        """Argo CD, which takes over by force, is kept off what controllers write into Secrets."""
        told = self.readme_yaml(rendered, "Argo CD")

        assert told["ignoreDifferences"] == [{"kind": "Secret", "jsonPointers": ["/data"]}]
        assert {"ServerSideApply=true", "RespectIgnoreDifferences=true"} <= set(told["syncPolicy"]["syncOptions"])

    def test_flux(self, rendered):
        """Flux takes new values of a chart whose version stays, and installs under the name that Helm gave."""
        told = self.readme_yaml(rendered, "Flux")

        assert (told["releaseName"], told["chart"]["spec"]["reconcileStrategy"]) == ("NAME", "Revision")
        assert told["upgrade"]["crds"] == "CreateReplace"

    def test_by_hand(self, rendered, locked):
        """Before Helm, which would leave them as they are, the definitions of a chart are applied; they are there."""
        lines = (rendered / "README.md").read_text().split("```sh\n")[1].splitlines()
        definitions = [
            (release.name, f"charts/{release.chart}/{folder}")
            for release in plan_file(locked).kubernetes.releases
            for folder in release.definitions
        ]

        assert definitions
        for name, folder in definitions:
            at = lines.index(f"kubectl apply --server-side --force-conflicts -f {folder}")
            assert lines[at + 1].startswith(f"helm upgrade --install {name} ")
            assert list((rendered / folder).glob("*.yaml"))

    def test_left_out(self, rendered, locked):
        """What is not as a chart's authors published it is named."""
        text = (rendered / "README.md").read_text()
        paths = [
            f"charts/{each.chart}/{path}" for each in plan_file(locked).kubernetes.releases for path in each.left_out
        ]

        assert paths
        assert all(f"`{path}`" in text for path in paths)
        assert all("data" not in yaml.safe_load((rendered / path).read_text()) for path in paths)

    def test_left_out_is_one_sentence(self, rendered):
        """What stands there instead is said in a sentence of its own, however many files there are."""
        text = " ".join((rendered / "README.md").read_text().split())

        assert "as their authors published them, but for `charts/" in text
        assert "`: what a controller writes itself is not declared there. `values/` holds" in text

    def test_folder(self, run, rendered, locked, outputs):
        """Without a folder the files go beside the environment file, and are the same."""
        answer = run("kubernetes", "render", locked, "--outputs", outputs())

        assert answer.code == 0
        assert contents(locked.parent / "kubernetes" / "llama3-8b") == contents(rendered)

    def test_twice(self, run, rendered, locked, outputs):
        """The same is rendered again, and nothing is written."""
        before = contents(rendered)
        answer = run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered)

        assert answer.stdout == f"{rendered}: 0 files written, {len(before) - 1} as they were\n"
        assert contents(rendered) == before

    def test_gone(self, run, rendered, locked, outputs):
        """What the environment no longer has is removed, and what is not ours stays."""
        (rendered / "theirs.yaml").write_text("x: 1")
        locked.write_text(locked.read_text() + "kubernetes: {kueue: false, delivery: gitops}\n")
        assert run("lock", "--offline", locked).code == 0
        from ami.lock import path_for, read
        from bench.locks import write_resolved

        write_resolved(read(path_for(locked)), locked)
        answer = run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered)

        assert (answer.code, answer.stderr) == (0, "")
        assert not (rendered / "values" / "kueue.yaml").exists()
        assert (rendered / "theirs.yaml").exists()


class TestRefusals:
    def refused(self, answer):
        assert (answer.code, answer.stdout) == (1, "")
        return answer.stderr

    def test_foreign(self, run, locked, outputs, tmp_path):
        """A file that was not rendered is not overwritten, and nothing is written beside it."""
        folder = tmp_path / "repository"
        (folder / "values").mkdir(parents=True)
        (folder / "values" / "kueue.yaml").write_text("mine: 1")
        told = self.refused(run("kubernetes", "render", locked, "--outputs", outputs(), "--to", folder))

        assert f"{folder / 'values' / 'kueue.yaml'} was not rendered by trnstack" in told
        assert told.endswith("nothing was written\n")
        assert set(contents(folder)) == {"values/kueue.yaml"}

    def test_edited(self, run, rendered, locked, outputs):
        """A file that was changed since keeps its change, where something else would be rendered."""
        file = next((rendered / "manifests").glob("*-queue.yaml"))
        file.write_text(file.read_text() + "# mine\n")
        told = self.refused(run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered))

        assert f"{file} was changed since it was rendered" in told

    def test_other_environment(self, run, rendered, locked, lock_of, outputs):
        """What was rendered of another environment is not overwritten: one folder would hold half of each."""
        before = contents(rendered)
        other = locked.with_name("other.yaml")
        other.write_text(locked.read_text().replace("name: llama3-8b", "name: other", 1))
        lock_of(other)
        given = outputs({"other-storage": STORAGE})
        told = self.refused(run("kubernetes", "render", other, "--outputs", given, "--to", rendered))

        assert told.startswith(f"{rendered} holds what was rendered of llama3-8b, not of other\n")
        assert contents(rendered) == before

    @pytest.mark.parametrize("where", ["manifests", "charts/kueue"])
    def test_parent_is_a_link(self, run, rendered, locked, outputs, tmp_path, where):
        """Nor is written or removed through a link in a file's place's way."""
        outside = tmp_path / "outside"
        (rendered / where).rename(outside)
        (rendered / where).symlink_to(outside)
        before = contents(outside)
        locked.write_text(locked.read_text() + "kubernetes: {kueue: false, delivery: gitops}\n")
        assert run("lock", "--offline", locked).code == 0
        told = self.refused(
            run("kubernetes", "render", self.resolved(locked), "--outputs", outputs(), "--to", rendered)
        )

        assert told.startswith(f"{rendered / where} is a link, and files are to be rendered below it\n")
        assert contents(outside) == before

    def resolved(self, file):
        from ami.lock import path_for, read
        from bench.locks import write_resolved

        write_resolved(read(path_for(file)), file)
        return file

    def test_parent_is_a_file(self, run, locked, outputs, tmp_path):
        """A file where a folder has to be is found before anything is written."""
        folder = tmp_path / "repository"
        folder.mkdir()
        (folder / "manifests").write_text("mine")
        told = self.refused(run("kubernetes", "render", locked, "--outputs", outputs(), "--to", folder))

        assert told.startswith(f"{folder / 'manifests'} is no folder, and files")
        assert contents(folder) == {"manifests": b"mine"}

    def test_half_written(self, run, rendered, locked, outputs, monkeypatch):
        """What ended half-way says so, and the next rendering goes on: it knows its files, old and new."""
        from ami import plain_file

        changed = {"llama3-8b-storage": {**STORAGE, "CheckpointBucket": "other", "FileSystemId": "fs-1"}}
        write, left = plain_file.write, [2]

        def full(path, content):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device", str(path))
            write(path, content)

        arguments = ("kubernetes", "render", locked, "--to", rendered, "--outputs")
        with monkeypatch.context() as patched:
            patched.setattr(plain_file, "write", full)
            told = self.refused(run(*arguments, outputs(changed)))
        assert "can't be written: no space left on device" in told
        assert told.endswith("\n1 of 2 files were written or removed\n")

        again = {"llama3-8b-storage": {**STORAGE, "CheckpointBucket": "third", "FileSystemId": "fs-2"}}
        answer = run(*arguments, outputs(again))
        assert (answer.code, answer.stdout.split(": ")[1].split(",")[0]) == (0, "2 files written")
        assert json.loads((rendered / ".trnstack-rendered.json").read_text())["before"] == {}

    def test_nothing_written(self, run, rendered, locked, outputs, full_disk):
        """A disk that was full from the start leaves everything as it was, and it is said that it does."""
        before = contents(rendered)
        changed = outputs({"llama3-8b-storage": {**STORAGE, "CheckpointBucket": "other"}})
        with full_disk():
            told = self.refused(run("kubernetes", "render", locked, "--outputs", changed, "--to", rendered))

        assert told.endswith("nothing was written\n")
        assert contents(rendered) == before

    def test_link(self, run, rendered, locked, outputs, tmp_path):
        """A link is not written through."""
        file = next((rendered / "manifests").glob("*-queue.yaml"))
        outside = tmp_path / "outside.yaml"
        file.rename(outside)
        file.symlink_to(outside)

        assert str(file) in self.refused(run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered))

    @pytest.mark.parametrize(
        "text",
        [
            "[]",
            "{",
            '{"version": 1, "environment": "llama3-8b", "files": {"../x": "y"}, "before": {}}',
            '{"version": 1, "environment": "llama3-8b", "files": {}, "before": {"../x": ["y"]}}',
            '{"version": 2, "environment": "llama3-8b", "files": {}, "before": {}}',
            '{"version": 1, "files": {}, "before": {}}',
        ],
    )
    def test_no_record(self, run, rendered, locked, outputs, text):
        """A record that is none is not gone by: it says what may be removed."""
        (rendered / ".trnstack-rendered.json").write_text(text)

        assert "is no record of what was rendered there" in self.refused(
            run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered)
        )

    def test_record_is_a_link(self, run, rendered, locked, outputs, tmp_path):
        """Nor is one that lies elsewhere."""
        outside = tmp_path / "record.json"
        (rendered / ".trnstack-rendered.json").rename(outside)
        (rendered / ".trnstack-rendered.json").symlink_to(outside)

        assert "is no record of what was rendered there" in self.refused(
            run("kubernetes", "render", locked, "--outputs", outputs(), "--to", rendered)
        )

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("{", "is not JSON"),
            ("[]", "has no outputs of llama3-8b-storage"),
            ({"other-storage": STORAGE}, "has no outputs of llama3-8b-storage"),
            ({"llama3-8b-storage": {**STORAGE, "FileSystemId": 1}}, "has a strange FileSystemId"),
            ({"llama3-8b-storage": {**STORAGE, "CheckpointBucket": 'x"\ny: z'}}, "has a strange CheckpointBucket"),
            ({"llama3-8b-storage": {"CheckpointBucket": "b"}}, "lacks FileSystemId"),
        ],
    )
    def test_outputs(self, run, locked, outputs, tmp_path, content, said):
        """Outputs that are none, of another environment or strange are told with the command that makes them."""
        told = self.refused(
            run("kubernetes", "render", locked, "--outputs", outputs(content), "--to", tmp_path / "repository")
        )

        assert said in told
        assert f"cdk deploy llama3-8b-storage --outputs-file cdk-outputs.json -c environment={locked}" in told
        assert not (tmp_path / "repository").exists()

    def test_without_outputs(self, run, locked, tmp_path):
        """Without outputs it is said whose are needed."""
        told = self.refused(run("kubernetes", "render", locked, "--to", tmp_path / "repository"))

        assert told.startswith("the manifests name what only a deploy of llama3-8b-storage knows\n")

    def test_no_such_outputs(self, run, locked, tmp_path):
        """A file that is not there is told."""
        told = self.refused(
            run("kubernetes", "render", locked, "--outputs", tmp_path / "none.json", "--to", tmp_path / "x")
        )

        assert told.startswith(f"{tmp_path / 'none.json'}: can't be read: no such file or directory\n")

    def test_outputs_that_are_no_file(self, run, locked, tmp_path):
        """A pipe is not waited for, nor a device read without end."""
        os.mkfifo(tmp_path / "pipe")
        for given in (tmp_path / "pipe", "/dev/zero"):
            told = self.refused(run("kubernetes", "render", locked, "--outputs", given, "--to", tmp_path / "x"))
            assert told.startswith(f"{given}: can't be read: it is no file\n")

    def test_long_outputs(self, run, locked, tmp_path):
        """Nor is read what is longer than any outputs."""
        (tmp_path / "long.json").touch()
        os.truncate(tmp_path / "long.json", 64 * 1024 * 1024)

        assert "has more than 16 MiB" in self.refused(
            run("kubernetes", "render", locked, "--outputs", tmp_path / "long.json", "--to", tmp_path / "x")
        )

    def test_offline_lock(self, run, locked, outputs, tmp_path):
        """Nothing is rendered with what nobody was asked for."""
        from ami.lock import path_for

        path_for(locked).unlink()
        run("lock", "--offline", locked)
        told = self.refused(run("kubernetes", "render", locked, "--outputs", outputs(), "--to", tmp_path / "x"))

        assert "IMG006" in told

    def test_archive(self, run, locked, outputs, tmp_path):
        """Nor without an archive."""
        (locked.parent / "charts" / "kueue-0.19.2.tgz").unlink()

        assert "IMG017" in self.refused(
            run("kubernetes", "render", locked, "--outputs", outputs(), "--to", tmp_path / "x")
        )

    def test_both(self, run, locked, outputs, tmp_path):
        """Who has the stack as well is told that the two undo each other."""
        answer = run("kubernetes", "render", locked, "--outputs", outputs(), "--to", tmp_path / "x")

        assert answer.stderr.startswith("llama3-8b-kubernetes applies the same")
