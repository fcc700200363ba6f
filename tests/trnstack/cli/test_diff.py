"""``trnstack diff``."""

import json
import re
import shutil
import subprocess
import tempfile

import pytest

from trnstack.cli import templates as keeping
from trnstack.environment import plan_file

STORAGE, KUBERNETES, NODES = "llama3-8b-storage", "llama3-8b-kubernetes", "llama3-8b-nodes-trn1"
FASTER = ("throughput_mbps_per_tib: 250", "throughput_mbps_per_tib: 500")
OBJECT = "Custom::AWSCDK-EKS-KubernetesResource"
#: Other instances, whose type the values of a chart name.
TRN2 = ("instance_type: trn1.32xlarge", "instance_type: trn1n.32xlarge")
LABELLED = (("node_count: 32", "node_count: 32\n    labels: {a: b}"),)
FEWER = ("node_count: 32", "node_count: 16")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """Templates that these tests make are kept for them alone: most of them compare the same environments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def edited(example, lock_of):
    """Returns a writer of the example with an edit, locked."""

    def write(*replacements, name="new.yaml"):
        file = example(*replacements, name=name)
        lock_of(file)
        return file

    return write


@pytest.fixture
def old(edited):
    """The example as it is, locked."""
    return edited(name="old.yaml")


class TestText:
    def test_nothing(self, run, old):
        """Two that are the same differ in nothing, and nothing fails."""
        answer = run("diff", old, old, "--fail-on", "replacement")

        assert answer.code == 0
        assert "  nothing differs" in answer.stdout.splitlines()

    def test_file_system(self, run, old, edited):
        """What the CDK calls an update is a replacement, with what is lost, why, what jobs feel, and the way around."""
        answer = run("diff", old, edited(FASTER))
        lines = answer.stdout.splitlines()

        assert answer.code == 0
        assert lines[1] == "  1 LOSES DATA, 1 REPLACED, 6 in place; 1 REFUSED by Kubernetes"
        assert any("LustreConfiguration.PerUnitStorageThroughput  250 -> 500  REPLACED [1]" in line for line in lines)
        assert any("the old one is retained with its files" in line for line in lines)
        assert "What running jobs feel" in lines
        assert any("aws fsx update-file-system" in line for line in lines)
        assert any(line.startswith(f"  1. cdk deploy {STORAGE} -c environment=") for line in lines)
        assert any(line.startswith("  [1] ") for line in lines)

    def test_in_place(self, run, old, edited):
        """Fewer nodes are in place, and their price is told."""
        answer = run("diff", old, edited(FEWER))

        assert "  2 in place" in answer.stdout.splitlines()
        assert "(Custom::AWSCDK-EKS-KubernetesResource)" in answer.stdout
        assert "UNKNOWN" not in answer.stdout
        assert re.search(r"ScalingConfig\.DesiredSize +32 -> 16 +in place", answer.stdout)
        # 32 and 16 trn1.32xlarge at 21.50 USD an hour, 730 hours; the system nodes are the same on both sides.
        assert f"({-16 * 21.5 * 730:+,.0f})" in answer.stdout

    def test_lists(self, run, old, edited):
        """What is new needs one line for a stack."""
        answer = run(
            "diff",
            old,
            edited(("\nstorage:", "\n  - name: more\n    instance_type: trn1.2xlarge\n    node_count: 1\nstorage:")),
        )

        assert "llama3-8b-nodes-more\n  new: EC2::LaunchTemplate, " in answer.stdout

    def test_offline_locks(self, run, example):
        """Locks that no account has resolved are compared, which is said."""
        files = [example(name=name) for name in ("a.yaml", "b.yaml")]
        for file in files:
            assert run("lock", "--offline", file).code == 0
        answer = run("diff", *files)

        assert answer.code == 0
        assert "unresolved, which is compared as such" in answer.stdout

    def test_warnings_of_the_new_file(self, run, old, edited):
        """What the new file warns of is told beside the difference."""
        answer = run("diff", old, edited(("node_count: 32", "node_count: 32\n    efa: false")))

        assert "EFA002 warning: " in answer.stderr
        assert "RESTARTS" not in answer.stdout
        assert "restarts nodes" in answer.stdout

    def test_outputs(self, run, old, edited):
        """What only a deploy tells people is told here too, with the deploy that JSON has."""
        squashed = edited(("  lustre:\n", '  lustre:\n    root_squash: "65534:65534"\n'))
        answer = run("diff", old, squashed)

        assert "  no resource differs, but what a deploy tells people does" in answer.stdout.splitlines()
        assert f"  1. cdk deploy {STORAGE} -c environment=" in answer.stdout
        assert "the output RootSquashCommand of llama3-8b-storage is new: run what it says" in answer.stdout
        assert "USD a month" not in answer.stdout
        assert f"1. cdk deploy {STORAGE}" in run("diff", old, squashed, "--markdown").stdout

    def test_notes_once(self, run, example):
        """What holds for both sides is said once."""
        file = example(name="unresolved.yaml")
        assert run("lock", "--offline", file).code == 0
        notes = run("diff", file, file).stdout.partition("To be known\n")[2]

        assert notes.count("compared as") == 1

    def test_width(self, run, old, edited):
        """Sentences are wrapped; commands and values are not, so that they can be copied and compared."""
        answer = run("diff", old, edited(FASTER, ("node_count: 32", "node_count: 16")))
        wide = [line.strip() for line in answer.stdout.splitlines()[1:] if len(line) > 120]

        assert wide
        sentences = [line for line in wide if not line.startswith(("aws ", "cdk ", "FILE_SYSTEM=", "1. cdk "))]
        assert [line for line in sentences if " -> " not in line] == []

    def test_only_logs(self, run, old, edited):
        """Logs that go alone are marked as such, in the count and by the guard."""
        quiet = edited(("  lustre:\n", "  lustre:\n    log_level: DISABLED\n"))
        answer = run("diff", old, quiet, "--fail-on", "data-loss")

        assert answer.code == 3
        assert answer.stdout.splitlines()[1].startswith("  1 LOSES DATA (only logs)")
        assert "nothing but logs is lost" in answer.stdout
        assert answer.stderr.rstrip().endswith("(AWS::Logs::LogGroup): LOSES DATA, only logs")


class TestInTheCluster:
    @pytest.fixture
    def untrained(self, edited):
        """Returns a writer of the example without a training section, with an edit, locked."""
        section = re.search(r"\ntraining:\n(?:  .*\n)+", edited(name="whole.yaml").read_text()).group()
        return lambda *replacements, name: edited((section, "\n"), *replacements, name=name)

    def test_volume(self, run, untrained):
        """Without a training section nothing in the templates of that stack differs, and its deploy is told."""
        answer = run("diff", untrained(name="a.yaml"), untrained(FASTER, name="b.yaml"))
        lines = answer.stdout.splitlines()
        deploys = [line.strip() for line in lines[lines.index("Deploys, in their order") :]][1:9]

        assert f"  in place        PersistentVolume lustre ({OBJECT})" in lines
        assert any(f"{STORAGE}/LustreFileSystem" in line and line.endswith("is replaced") for line in lines)
        assert "Without loss: PersistentVolume lustre of llama3-8b-kubernetes" in answer.stdout
        assert [line[:17] for line in deploys if line[:2] in ("1.", "2.", "3.")] == [
            "1. cdk deploy lla",
            "2. kubectl --name",
            "3. cdk deploy lla",
        ]
        assert deploys[2].endswith("persistentvolumeclaim lustre && kubectl delete persistentvolume lustre")
        assert deploys[-2:] == ["PersistentVolume lustre", "PersistentVolumeClaim lustre"]
        assert "All at once" not in answer.stdout

    def test_with_training(self, run, old, edited):
        """With one, what that changes comes with it."""
        lines = run("diff", old, edited(FASTER)).stdout.splitlines()

        assert any(line.startswith("  2. kubectl --namespace training delete") for line in lines)
        assert any(line.startswith(f"  3. cdk deploy {KUBERNETES} -c") for line in lines)
        for name in ("ClusterTrainingRuntime trnstack-torch", "PersistentVolume lustre"):
            assert f"       {name}" in lines

    @pytest.mark.parametrize("gone", [True, False])
    def test_no_file_system(self, run, old, edited, gone):
        """A file system that goes takes its volume along, and one that comes brings it; nothing stands in the way."""
        section = re.search(r"  lustre:\n(?:    .*\n)+", old.read_text()).group()
        without = edited((section, "  checkpoints: {}\n"))
        answer = run("diff", *((old, without) if gone else (without, old)))

        assert f"PersistentVolume lustre {'goes' if gone else 'is new'}" in answer.stdout
        assert "REFUSED" not in answer.stdout
        assert "kubectl delete persistentvolume " not in answer.stdout.partition("Deploys")[2]
        row = f"  DELETED         PersistentVolume lustre ({OBJECT})"
        new = "  new: PersistentVolume lustre, PersistentVolumeClaim lustre"
        assert (row if gone else new) in answer.stdout.splitlines()

    @pytest.mark.parametrize("form", [(), ("--markdown",)])
    def test_names(self, run, old, edited, form):
        """People read kind and name, in rows and in what jobs feel; the guard names them too."""
        answer = run("diff", old, edited(("name: trn1\n", "name: other\n")), "--fail-on", "replacement", *form)
        shown = answer.stdout.replace("\\", "")

        assert f"ResourceFlavor trn1 ({OBJECT})" in shown
        assert "ClusterQueue training" in shown
        assert "release neuron-helm-chart (Custom::AWSCDK-EKS-HelmChart)" in run("diff", old, edited(TRN2)).stdout
        assert "Objectsqueue" not in shown
        assert f"{KUBERNETES}/ResourceFlavor trn1 ({OBJECT}): DELETED" in answer.stderr


class TestCost:
    def test_least(self, run, old, edited):
        """A sum of which the file system has no price is a lower bound, and is no smaller than before."""
        answer = run("diff", old, edited(FASTER))

        assert re.search(r"  file system +1,008 -> unknown\n", answer.stdout)
        assert re.search(r"  all with a price +503,397 -> at least 502,389\n", answer.stdout)
        assert "at least" in run("diff", old, edited(FASTER), "--markdown").stdout

    def test_known(self, run, old, edited):
        """A sum of which all has a price is told as it is, with the difference."""
        lines = run("diff", old, edited(FEWER)).stdout.splitlines()
        (line,) = [line for line in lines if line.startswith("  all with a price")]

        assert "at least" not in line
        assert line.endswith(f"({-16 * 21.5 * 730:+,.0f})")

    def test_least_on_both_sides(self, run, edited):
        """Of two lower bounds nothing says that they are unchanged."""
        first, second = (edited(FASTER, *more, name=f"{len(more)}.yaml") for more in ((), LABELLED))
        (line,) = [
            line for line in run("diff", first, second).stdout.splitlines() if line.startswith("  all with a price")
        ]

        assert line.count("at least") == 2
        assert "(" not in line


class TestGuard:
    @pytest.mark.parametrize(
        ("edit", "limit", "code"),
        [
            (FASTER, "data-loss", 3),
            (FASTER, "replacement", 3),
            (FEWER, "data-loss", 0),
            (FEWER, "replacement", 0),
            (("  lustre:\n", "  lustre:\n    removal_policy: destroy\n"), "data-loss", 3),
            (("bucket: checkpoints}", "bucket: checkpoints, auto_export: [NEW, CHANGED, DELETED]}"), "data-loss", 3),
            (("bucket: checkpoints}", "bucket: checkpoints, auto_import: [NEW, CHANGED, DELETED]}"), "data-loss", 3),
        ],
    )
    def test_exit_code(self, run, old, edited, edit, limit, code):
        """The command fails with 3 where a change would do what it must not."""
        answer = run("diff", old, edited(edit), "--fail-on", limit)

        assert answer.code == code
        assert bool("--fail-on" in answer.stderr) is (code == 3)

    def test_names_the_resource(self, run, old, edited):
        """What made it fail is named on stderr."""
        answer = run("diff", old, edited(FASTER), "--fail-on", "data-loss")

        assert answer.stderr.startswith(f"--fail-on data-loss: {STORAGE}/LustreFileSystem")
        assert answer.stderr.rstrip().endswith("(AWS::FSx::FileSystem): LOSES DATA")

    def test_without_it(self, run, old, edited):
        """Without a limit every difference is only told."""
        assert run("diff", old, edited(FASTER)).code == 0


class TestForMachines:
    def test_json(self, run, old, edited):
        """Everything as data."""
        data = json.loads(run("diff", old, edited(FASTER), "--json").stdout)
        (file_system,) = [change for change in data["changes"] if change["type"] == "AWS::FSx::FileSystem"]

        assert (data["diff_version"], data["impact"]) == (1, "loses-data")
        assert data["counts"] == {"loses-data": 1, "replaces": 1, "in-place": 6}
        assert (file_system["action"], file_system["retained"], file_system["impact"]) == (
            "replace",
            True,
            "loses-data",
        )
        assert file_system["properties"][0]["before"] == "250"
        assert [step["stack"] for step in data["steps"]] == [STORAGE, KUBERNETES, KUBERNETES]
        (volume,) = [change for change in data["changes"] if change["object"] == "PersistentVolume lustre"]
        assert volume["logical_id"].startswith("ObjectsstoragePersistentVolumelustre")
        assert volume["refused"]
        assert "PersistentVolume lustre" in [way["object"] for way in data["ways"]]
        assert data["cost"]["before"]["parts"]["file system"] == 1008.0
        assert "file system" in data["cost"]["after"]["unknown"]
        assert [each["monthly_usd"] for each in data["left_behind"]] == [1008.0]
        assert data["ways"][0]["steps"]

    def test_markdown(self, run, old, edited):
        """A table for a pull request; what a file holds is no markup."""
        answer = run("diff", old, edited(FASTER, FEWER), "--markdown")

        assert answer.stdout.startswith("### ")
        assert "| Resource | Property | Before -> after | Impact | Why |" in answer.stdout
        assert "| LustreConfiguration.PerUnitStorageThroughput | 250 -\\> 500 | REPLACED \\[1\\] |" in answer.stdout
        assert "```text\n  1. cdk deploy" in answer.stdout
        assert "\n1. leave the environment file as it is" in answer.stdout
        assert "\n   ```text\n   FILE_SYSTEM=$(aws cloudformation describe-stack-resource" in answer.stdout
        assert "#### What stays behind, and goes on costing until you delete it: USD a month" in answer.stdout

    def test_markup_is_escaped(self):
        """Nothing that is shown can make a table cell, a tag, an image or a mention."""
        from trnstack.cli.diff.markdown import escaped

        assert escaped("a|b <img> @all `x`\n[y](z)&lt; ${c}$") == (
            "a\\|b \\<img\\> &#64;all \\`x\\` \\[y\\](z)&amp;lt; \\${c}\\$"
        )


class TestDeploys:
    def test_what_the_role_names(self, run, old, edited):
        """A dataset changes what jobs may use, which is the cluster's stack: after storage, before nodes."""
        dataset = "storage:\n  datasets:\n    - {name: more, bucket_name: some-bucket-of-ours}\n"
        answer = run("diff", old, edited(("storage:\n", dataset)))

        assert "  1. cdk deploy llama3-8b-cluster -c environment=" in answer.stdout
        assert "allowed from now on" in answer.stdout

    def test_refused(self, run, old, edited):
        """A deploy that AWS refuses is not told as one to be done."""
        smaller = edited(("storage_gib: 4800", "storage_gib: 2400"))
        lines = run("diff", old, smaller).stdout.splitlines()

        assert f"  1. NOT POSSIBLE: {STORAGE}" in lines
        assert "       why: AWS refuses the deploy as it is, for what is REFUSED above, and takes it back" in lines

    @pytest.mark.parametrize("folder", ["/other", "/"])
    def test_moved_link(self, run, old, edited, folder):
        """A link that would meet the old one takes two deploys, each with what is left out of it."""
        answer = run("diff", old, edited(("{file_system_path: /checkpoints,", f"{{file_system_path: {folder},")))
        lines = answer.stdout.splitlines()

        assert lines[1] == "  1 DELETED, 1 in place, 1 new; 1 REFUSED by AWS"
        assert f"       leave out for now: the association of {folder}" in lines
        assert any(line.startswith(f"  2. cdk deploy {STORAGE} -c environment=") for line in lines)
        assert not any("NOT POSSIBLE" in line for line in lines)

    def test_moved_link_and_another_refusal(self, run, old, edited):
        """Two deploys are no way where something else is refused too."""
        moved = ("{file_system_path: /checkpoints,", "{file_system_path: /other,")
        answer = run("diff", old, edited(moved, ("storage_gib: 4800", "storage_gib: 2400")))

        assert answer.stdout.count(f"NOT POSSIBLE: {STORAGE}") == 2

    def test_split(self, run, old, edited):
        """What is refused in one deploy and split into two stays as it is split."""
        answer = run(
            "diff",
            old,
            edited(("throughput_mbps_per_tib: 250", "throughput_mbps_per_tib: 250\n    metadata_iops: 6000")),
        )

        assert f"  1. cdk deploy {STORAGE} -c environment=" in answer.stdout

    def test_fewer_metadata_iops(self, run, edited):
        """FSx takes no metadata IOPS back."""
        more, fewer = (
            edited(("tib: 250", f"tib: 250\n    metadata_iops: {iops}"), name=f"{iops}.yaml") for iops in (12000, 6000)
        )
        answer = run("diff", more, fewer)

        assert "REFUSED: FSx only increases metadata IOPS, here from 12,000 to 6,000" in answer.stdout
        assert "(REFUSED as it is): the file system may stand still" in answer.stdout

    def test_from_templates(self, run, old, edited):
        """What only templates show gets its deploy as well: rules to an adopted file system, before its links."""
        adopted = (
            "  lustre:\n    existing_file_system: {file_system_id: fs-0a1b2c3d4e5f60718, mount_name: abcdefgh, "
            "security_group_id: sg-0c00000000000001a}\n"
        )
        answer = run("diff", old, edited(("  lustre:\n", adopted)), "--fail-on", "data-loss")

        assert answer.code == 3
        assert "  1. cdk deploy llama3-8b-network -c environment=" in answer.stdout
        assert f"  2. cdk deploy {STORAGE} -c environment=" in answer.stdout
        assert "  file system       1,008 -> unknown" in answer.stdout
        assert "only the account knows" in answer.stdout


class TestElsewhere:
    def test_another_name(self, run, old, edited):
        """Another name is another environment: nothing of the old one is touched, and what it costs is told."""
        answer = run("diff", old, edited(("name: llama3-8b\n", "name: other\n")))

        assert "Without loss: all of the old environment" in answer.stdout
        assert "What stays behind, and goes on costing until you delete it: USD a month" in answer.stdout
        assert "  9 x interface endpoint" in answer.stdout
        assert "all with a price" in answer.stdout

    def test_another_region(self, run, old, edited):
        """Stacks of one name in two regions are told apart."""
        moved = [("region: us-east-2", "region: us-west-2"), ("use2-az3", "usw2-az4"), ("use2-az1", "usw2-az1")]
        lines = run("diff", old, edited(*moved)).stdout.splitlines()

        assert f"{STORAGE} in us-east-2" in lines
        assert f"{STORAGE} in us-west-2" in lines


class TestValues:
    @pytest.mark.parametrize(
        ("before", "after", "shown"),
        [
            ("1", "2", "1 -> 2"),
            (None, "2", "not there -> 2"),
            ("1", None, "1 -> not there"),
            ("a\nb\nc", "a\nx\nc", "line 2: b -> x"),
            ("a\nb", "a\nb\nc", "line 3: nothing -> c"),
            ("x" * 100 + "1", "x" * 100 + "2", f"...{'x' * 12}1 -> ...{'x' * 12}2"),
            ("1" + "x" * 100, "2" + "x" * 100, f"1{'x' * 59}... -> 2{'x' * 59}..."),
        ],
    )
    def test_pair(self, before, after, shown):
        """A long value is shown where it differs."""
        from trnstack.advice.impact import Impact, PropertyChange
        from trnstack.cli.diff.text import pair

        change = PropertyChange(path="P", before=before, after=after, impact=Impact.IN_PLACE, reason="", source="")

        assert pair(change) == shown


class TestRevision:
    def test_against_git(self, run, old, edited, monkeypatch):
        """A revision of git is compared with its own lock."""
        folder = old.parent
        monkeypatch.chdir(folder)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
        for arguments in (
            ["init", "--quiet"],
            ["add", "."],
            ["-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--quiet", "-m", "first"],
        ):
            subprocess.run([shutil.which("git"), *arguments], check=True, capture_output=True)
        new = edited(FASTER, name="old.yaml")

        answer = run("diff", "HEAD:old.yaml", new, "--fail-on", "data-loss")

        assert answer.code == 3
        assert answer.stdout.startswith(f"HEAD:old.yaml -> {new}\n")

        back = run("diff", new, "HEAD:old.yaml").stdout

        assert "environment=FILE\n" in back
        assert "environment=HEAD:" not in back
        assert "FILE in commands stands for the file of HEAD:old.yaml: check that revision out" in back

        monkeypatch.setattr(tempfile, "tempdir", str(folder / "nowhere"))
        full = run("diff", "HEAD:old.yaml", new)

        assert full.code == 1
        assert "HEAD:old.yaml: can't be written to the folder for temporary files: No such file" in full.stderr


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["a.yaml"], "name two environments, or one with --deployed"),
            (["a.yaml", "b.yaml", "--deployed"], "name one environment with --deployed"),
            (["a.yaml", "b.yaml", "--json", "--markdown"], "not both --json and --markdown"),
            (["a.yaml", "b.yaml", "--fail-on", "anything"], "anything"),
        ],
    )
    def test_usage(self, run, arguments, message):
        """What can't be meant is wrong usage."""
        answer = run("diff", *arguments)

        assert answer.code == 2
        assert message in answer.stderr

    def test_old_that_does_not_parse(self, run, old, tmp_path):
        """An old file with errors ends the command with them, and with what else can be compared."""
        bad = tmp_path / "bad.yaml"
        bad.write_text("name: [")
        answer = run("diff", bad, old)

        assert (answer.code, answer.stdout) == (1, "")
        assert "bad.yaml, the old environment, has errors" in answer.stderr
        assert "--deployed" in answer.stderr

    def test_not_there(self, run, old):
        """A file or revision that does not exist is one sentence."""
        assert run("diff", "nope.yaml", old).stderr.startswith("nope.yaml: no such file\n")
        assert run("diff", old, "nope.yaml").code == 1

    def test_region_without_schemas(self, run, old, monkeypatch):
        """A region of whose resource types nothing is published is said."""
        from trnstack.advice.impact import schemas

        def unknown(region):
            raise LookupError(f"the resource schemas know no region {region}")

        monkeypatch.setattr(schemas, "index", unknown)
        answer = run("diff", old, old)

        assert answer.code == 1
        assert "the resource schemas know no region us-east-2" in answer.stderr


class TestDeployed:
    @pytest.fixture
    def account(self, monkeypatch, old):
        """CloudFormation as it answers when the example is deployed; a test edits what it holds."""
        from account import deployed as asking

        held = {
            stack.name: asking.DeployedStack(
                name=stack.name, body=dict(stack.template), tags=dict(stack.tags), parameters={}
            )
            for stack in keeping.templates(plan_file(old)).values()
        }

        def deployed(*_clients, names, fleets, account):
            assert (fleets, account) == ("llama3-8b-nodes-", None)
            assert list(names)
            return asking.Deployed(account="111122223333", stacks=tuple(held.values()), notes=("so it is",))

        monkeypatch.setattr(asking, "clients", lambda _region: (None, None))
        monkeypatch.setattr(asking, "deployed", deployed)
        return held

    def test_nothing(self, run, old, account):
        """What is deployed as the file says differs in nothing."""
        answer = run("diff", "--deployed", old)

        assert account
        assert answer.stdout.startswith(f"what is deployed -> {old}\n  nothing differs\n")
        assert "  so it is" in answer.stdout.splitlines()

    def test_guard(self, run, account, edited):
        """The guard refuses what would replace the file system that stands, before anything is deployed."""
        answer = run("diff", "--deployed", edited(FASTER), "--fail-on", "data-loss")

        assert account
        assert answer.code == 3
        assert f"  1. cdk deploy {STORAGE} -c environment=" in answer.stdout

    def test_by_hand(self, run, old, account):
        """A template that was edited by hand is compared like any other, YAML or not."""
        from dataclasses import replace

        stack = account[STORAGE]
        body = json.loads(json.dumps(stack.body))
        body["Resources"]["Mine"] = {"Type": "Custom::Mine", "Properties": {"X": 1}}
        account[STORAGE] = replace(stack, body=json.dumps(body))

        answer = run("diff", "--deployed", old, "--fail-on", "data-loss")

        assert answer.code == 3
        assert "UNKNOWN" in answer.stdout
        assert "nothing is published of Custom::Mine" in answer.stdout

    def test_no_template(self, run, old, account):
        """One that is none is one sentence."""
        from dataclasses import replace

        account[STORAGE] = replace(account[STORAGE], body="text")
        answer = run("diff", "--deployed", old)

        assert answer.code == 1
        assert f"the template of {STORAGE} is no object with sections: it was edited by hand" in answer.stderr
        assert f"get-template --region us-east-2 --stack-name {STORAGE}" in answer.stderr

    def test_group_that_is_no_longer_in_the_file(self, run, old, account):
        """A node group that stands and is in no file any more is destroyed by its name."""
        from dataclasses import replace

        account["llama3-8b-nodes-old"] = replace(account[NODES], name="llama3-8b-nodes-old")
        answer = run("diff", "--deployed", old)

        assert "delete-stack --region us-east-2 --stack-name llama3-8b-nodes-old" in answer.stdout
        assert "deleted, when the stack is destroyed: " in answer.stdout

    def test_no_answer(self, run, old, monkeypatch):
        """Without credentials the reason is one sentence."""
        from account import deployed as asking
        from account.refusals import AccountError

        def refuse(_region):
            raise AccountError("there are no AWS credentials, or not all of them", "sign in")

        monkeypatch.setattr(asking, "clients", refuse)
        answer = run("diff", "--deployed", old)

        assert (answer.code, answer.stdout) == (1, "")
        assert "there are no AWS credentials, or not all of them\n  hint: sign in" in answer.stderr
