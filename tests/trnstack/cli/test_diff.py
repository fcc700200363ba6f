"""``trnstack diff``."""

import json
import shutil
import subprocess

import pytest

from trnstack.cli import templates as keeping
from trnstack.environment import plan_file

STORAGE, NODES = "llama3-8b-storage", "llama3-8b-nodes-trn1"
FASTER = ("throughput_mbps_per_tib: 250", "throughput_mbps_per_tib: 500")
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
        assert lines[1] == "  1 LOSES DATA, 1 REPLACED"
        assert any("LustreConfiguration.PerUnitStorageThroughput  250 -> 500  REPLACED [1]" in line for line in lines)
        assert any("the old one is retained with its files" in line for line in lines)
        assert "What running jobs feel" in lines
        assert any("aws fsx update-file-system" in line for line in lines)
        assert any(line.startswith(f"  1. cdk deploy {STORAGE} -c environment=") for line in lines)
        assert any(line.startswith("  [1] ") for line in lines)

    def test_in_place(self, run, old, edited):
        """Fewer nodes are in place, and their price is told."""
        answer = run("diff", old, edited(FEWER))

        assert "  3 in place" not in answer.stdout
        assert "  1 in place" in answer.stdout.splitlines()
        assert "ScalingConfig.DesiredSize  32 -> 16  in place" in answer.stdout
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


class TestGuard:
    @pytest.mark.parametrize(
        ("edit", "limit", "code"),
        [
            (FASTER, "data-loss", 3),
            (FASTER, "replacement", 3),
            (FEWER, "data-loss", 0),
            (FEWER, "replacement", 0),
            (("  lustre:\n", "  lustre:\n    removal_policy: destroy\n"), "data-loss", 3),
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
        assert data["counts"] == {"loses-data": 1, "replaces": 1}
        assert (file_system["action"], file_system["retained"], file_system["impact"]) == (
            "replace",
            True,
            "loses-data",
        )
        assert file_system["properties"][0]["before"] == "250"
        assert [step["stack"] for step in data["steps"]] == [STORAGE]
        assert data["cost"]["before"] == data["cost"]["after"]
        assert data["ways"][0]["steps"]

    def test_markdown(self, run, old, edited):
        """A table for a pull request; what a file holds is no markup."""
        answer = run("diff", old, edited(FASTER, FEWER), "--markdown")

        assert answer.stdout.startswith("### ")
        assert "| Resource | Property | Before -> after | Impact | Why |" in answer.stdout
        assert "| LustreConfiguration.PerUnitStorageThroughput | 250 -\\> 500 | REPLACED \\[1\\] |" in answer.stdout
        assert "```text\n  1. cdk deploy" in answer.stdout

    def test_markup_is_escaped(self):
        """Nothing that is shown can make a table cell, a tag, an image or a mention."""
        from trnstack.cli.diff.markdown import escaped

        assert escaped("a|b <img> @all `x`\n[y](z)&lt;") == "a\\|b \\<img\\> &#64;all \\`x\\` \\[y\\](z)&amp;lt;"


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
