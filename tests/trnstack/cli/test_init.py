"""``trnstack init``."""

import io
import json

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.starter import further_zones, zones_for

ROLE = "arn:aws:iam::111122223333:role/admin"
TYPES = [(name, region) for name, row in INSTANCE_TYPES.items() for region in row.availability_zone_ids]


def options(**changes):
    """Returns the options that answer everything, some of them changed or, with None, left out."""
    answers = {
        "--instance-type": "trn1.32xlarge",
        "--region": "us-east-2",
        "--zone": ("use2-az3", "use2-az1"),
        "--nodes": "4",
        "--admin-role-arn": ROLE,
    }
    answers |= {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    for option, value in answers.items():
        for each in value if isinstance(value, tuple) else (value,):
            if each is not None:
                yield from (option, each)


def findings_of(run, file):
    return json.loads(run("check", "--json", file).stdout)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Puts answers where a person would type them."""

    def typed(*answers):
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{answer}\n" for answer in answers)))
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    return typed


class TestByOptions:
    @pytest.mark.parametrize(("instance_type", "region"), TYPES)
    def test_has_no_error_but_the_missing_lock(self, run, tmp_path, instance_type, region):
        """Whatever type and region the catalog has, the file is one that only lacks its lock."""
        first = zones_for(instance_type, region)[0]
        zones = (first, further_zones(region, first)[0])
        file = tmp_path / "demo.yaml"

        answer = run(
            "init",
            "demo",
            *options(instance_type=instance_type, region=region, zone=zones),
            "--output",
            file,
        )

        assert answer.code == 0
        errors = [finding for finding in findings_of(run, file) if finding["severity"] == "error"]
        assert [finding["code"] for finding in errors] == ["IMG001"]

    def test_says_the_next_commands(self, run, tmp_path):
        """The commands that follow are printed with the file's name, and the first of them makes the lock."""
        file = tmp_path / "demo.yaml"

        answer = run("init", "demo", *options(), "--output", file)

        assert f"  trnstack lock --offline {file}\n" in answer.stdout
        assert answer.stdout.index("lock --offline") < answer.stdout.index("trnstack check")
        assert run("lock", "--offline", file).code == 0
        assert run("check", file).stdout.endswith(f"{file}: 1 note\n")

    def test_file_below_environments(self, run, tmp_path, monkeypatch):
        """Without --output the file is where environments are, and its first line leads editors to the schema."""
        monkeypatch.chdir(tmp_path)

        assert run("init", "demo", *options()).code == 0

        file = tmp_path / "environments" / "demo.yaml"
        modeline = file.read_text().splitlines()[0]
        schema = file.parent / modeline.removeprefix("# yaml-language-server: $schema=")
        assert json.loads(schema.read_text())["title"] == "trnstack environment, version 1"

    def test_one_small_node_has_no_file_system(self, run, tmp_path):
        """A file system is suggested to a fleet, and left as a comment to a single node."""
        for nodes in ("1", "2"):
            run("init", "demo", *options(nodes=nodes), "--output", tmp_path / f"{nodes}.yaml")

        assert "\n# storage:\n" in (tmp_path / "1.yaml").read_text()
        assert "\nstorage:\n" in (tmp_path / "2.yaml").read_text()


class TestRefusals:
    def test_existing_file(self, run, tmp_path):
        """What exists is not overwritten, unless that is asked for."""
        file = tmp_path / "demo.yaml"
        file.write_text("mine")

        refused = run("init", "demo", *options(), "--output", file)

        assert refused.code == 2
        assert "--force" in refused.stderr
        assert file.read_text() == "mine"
        assert run("init", "demo", *options(), "--output", file, "--force").code == 0
        assert "name: demo" in file.read_text()

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"instance_type": "trn1.32xlrge"}, "CAT001"),
            ({"zone": ("us-east-2a", "us-east-2b")}, "SPEC008"),
            ({"zone": ("use2-az1", "use2-az3")}, "CAT004"),
            ({"admin_role_arn": "arn:aws:iam::111122223333:user/me"}, "SPEC008"),
            ({"admin_role_arn": "x]\nname: other"}, "SPEC008"),
            ({"nodes": "-1"}, "SPEC008"),
        ],
    )
    def test_wrong_answers(self, run, tmp_path, changes, code):
        """An answer that the checks refuse is told in their words, and nothing is written."""
        answer = run("init", "demo", *options(**changes), "--output", tmp_path / "demo.yaml")

        assert answer.code == 1
        assert code in answer.stderr
        assert not list(tmp_path.iterdir())

    def test_missing_answers(self, run, tmp_path):
        """Without a terminal, what is missing is named, and nobody waits for an answer."""
        answer = run("init", "demo", *options(nodes=None, zone=("use2-az3",)), "--output", tmp_path / "demo.yaml")

        assert answer.code == 2
        assert "missing: --zone, --nodes;" in answer.stderr

    def test_unwritable(self, run, tmp_path):
        """A place that can't be written to is a message."""
        (tmp_path / "taken").write_text("")

        answer = run("init", "demo", *options(), "--output", tmp_path / "taken" / "demo.yaml")

        assert answer.code == 1
        assert "can't be written: " in answer.stderr


class TestOnATerminal:
    def test_asks_for_everything(self, run, tmp_path, terminal):
        """Each question names what the catalog offers; an answer that it does not offer is asked for again."""
        terminal("trn1.32xlrge", "trn1.32xlarge", "us-east-2", "", "use2-az1", "many", "4", "me", ROLE)

        answer = run("init", "demo", "--output", tmp_path / "demo.yaml")

        assert answer.code == 0, answer.stderr
        text = (tmp_path / "demo.yaml").read_text()
        assert "availability_zone_ids: [use2-az3, use2-az1]" in text
        assert "node_count: 4 " in text
        assert ROLE in text

    def test_asks_only_what_is_missing(self, run, tmp_path, terminal):
        """What an option says is not asked."""
        terminal("7")

        answer = run("init", "demo", *options(nodes=None), "--output", tmp_path / "demo.yaml")

        assert answer.code == 0, answer.stderr
        assert "node_count: 7 " in (tmp_path / "demo.yaml").read_text()
