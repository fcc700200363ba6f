"""``trnstack teardown``: what people and programs read."""

import json
import shlex

import pytest


@pytest.fixture
def told(run, locked):
    """What is printed of the published cluster."""
    answer = run("teardown", locked)
    assert (answer.code, answer.stderr) == (0, "")
    return answer.stdout


class TestText:
    def test_sections(self, told):
        """What goes and stays comes before what to do, and the way that takes data is apart, last, and says so."""
        heads = [line for line in told.splitlines() if line and not line.startswith(" ")]

        assert heads == [
            "Taking down llama3-8b in us-east-2",
            "What goes",
            "What stays, and goes on costing: USD a month",
            "First",
            "Then",
            "Apart from that, and only if what they hold is to go: llama3-8b-network and llama3-8b-storage",
        ]
        assert "Nothing is deleted before you do it." in told

    def test_costs(self, told):
        """FSX-13: What stays is shown with its price, and what has none is not taken for free."""
        lines = {" ".join(line.split()) for line in told.splitlines()}

        assert "1,008 file system, PERSISTENT_2 SSD, 4,800 GiB llama3-8b-storage" in lines
        assert "? bucket llama3-8b-checkpoints-ACCOUNT-us-east-2 llama3-8b-storage" in lines
        assert "1,010 known of it; what has no figure comes on top" in lines

    def test_commands_can_be_pasted(self, told, locked):
        """The commands of cdk name the file; the edit that comes before is told with its place."""
        ordinary, apart = told.split("Apart from that")
        lines = [line.strip() for line in ordinary.splitlines()]

        assert lines.index(f"write in {locked}: eks.deletion_protection: false") + 1 == lines.index(
            f"cdk deploy llama3-8b-cluster --exclusively -c environment={locked}"
        )
        nodes, rest = (
            lines.index(f"cdk destroy {stacks} --exclusively -c environment={locked}")
            for stacks in ("llama3-8b-nodes-trn1", "llama3-8b-kubernetes llama3-8b-cluster")
        )
        assert nodes + 1 == rest
        assert f"cdk destroy llama3-8b-storage --exclusively -c environment={locked}" in apart
        assert "cdk destroy llama3-8b-storage" not in ordinary

    def test_each_edit_has_its_line(self, run, example, lock_of):
        """What is kept by a deploy first is told edit by edit, as it is to be written."""
        goes = "\n    removal_policy: destroy\n"
        file = example(("  lustre:\n", f"  checkpoints:{goes}  lustre:{goes}"))
        lock_of(file)
        lines = [line.strip() for line in run("teardown", file).stdout.splitlines()]
        first = lines.index(f"write in {file}: storage.checkpoints.removal_policy: retain")

        assert lines[first + 1] == f"write in {file}: storage.lustre.removal_policy: retain"
        assert lines[first + 2] == f"cdk deploy llama3-8b-storage --exclusively -c environment={file}"

    def test_file_with_a_blank(self, run, example, lock_of):
        """A file name that a shell would take apart is quoted."""
        file = example(name="my env.yaml")
        lock_of(file)

        assert f"-c environment={shlex.quote(str(file))}" in run("teardown", file).stdout

    def test_lines_are_not_long(self, told):
        """What is no command fits a page."""
        of_commands = " " * 7
        assert all(len(line) <= 120 for line in told.splitlines() if not line.startswith(of_commands))


class TestJson:
    def test_everything(self, run, locked):
        """Programs get what people are told, with the sum of what is known, and commands that name the file."""
        answer = run("teardown", "--json", locked)
        data = json.loads(answer.stdout)

        assert (data["teardown_version"], data["environment"], data["region"]) == (1, "llama3-8b", "us-east-2")
        assert data["kept_monthly_usd"] == pytest.approx(1010)
        assert data["steps"][0]["edits"] == [{"path": "eks.deletion_protection", "value": False}]
        assert data["steps"][0]["commands"] == [f"cdk deploy llama3-8b-cluster --exclusively -c environment={locked}"]
        assert data["protected"] == ["llama3-8b-storage", "llama3-8b-network"]
        assert {"deleted", "kept", "before", "removal"} <= set(data)


class TestBadInput:
    def test_file_with_errors(self, run, example):
        """A file that has errors has no teardown: its findings are the answer."""
        answer = run("teardown", example(("storage_gib: 4800", "storage_gib: 4801")))

        assert answer.code == 1
        assert answer.stdout == ""
        assert "FSX001" in answer.stderr

    def test_no_file(self, run):
        """A file that is not there is a finding."""
        answer = run("teardown", "nowhere.yaml")

        assert answer.code == 1
        assert "SPEC001" in answer.stderr

    def test_offline_lock(self, run):
        """What a lock leaves unresolved matters to no teardown."""
        answer = run("teardown", "environments/dev-trn1.yaml")

        assert (answer.code, answer.stderr) == (0, "")
