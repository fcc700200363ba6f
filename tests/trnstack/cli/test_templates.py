"""Templates are made once for what they are made of."""

import dataclasses
import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from trnstack.cli import templates as keeping
from trnstack.environment import plan_file

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "environments" / "dev-trn1.yaml"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The folder in which templates are kept, empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "trnstack" / "templates"


@pytest.fixture
def made(monkeypatch):
    """Counts syntheses, and makes a small template for each stack in place of them."""
    plans = []

    def synthesized(plan):
        plans.append(plan)
        return {stack.name: {"Resources": {}, "Description": stack.name} for stack in plan.stacks}

    monkeypatch.setattr(keeping, "_synthesized", synthesized)
    return plans


@pytest.fixture(scope="module")
def plan():
    return plan_file(EXAMPLE)


class TestKept:
    def test_once(self, cache, made, plan):
        """What did not change is not made a second time."""
        first, second = keeping.templates(plan), keeping.templates(plan)

        assert first == second
        assert list(first) == [stack.name for stack in plan.stacks]
        assert len(made) == 1
        assert len(list(cache.iterdir())) == 1

    @pytest.mark.usefixtures("cache")
    def test_another_plan(self, made, plan):
        """Another plan has other templates."""
        keeping.templates(plan)
        keeping.templates(dataclasses.replace(plan, account="111122223333"))

        assert len(made) == 2

    @pytest.mark.usefixtures("cache")
    def test_another_toolkit(self, made, plan, monkeypatch):
        """Another version of what makes them makes other templates."""
        keeping.templates(plan)
        from ami import toolkit

        other = dataclasses.replace(toolkit.installed(), aws_cdk_lib="9.9.9")
        monkeypatch.setattr(toolkit, "installed", lambda: other)
        keeping.templates(plan)

        assert len(made) == 2

    @pytest.mark.usefixtures("cache")
    def test_another_source(self, made, plan, monkeypatch, tmp_path):
        """So do constructs that were edited."""
        keeping.templates(plan)
        for name in ("cdk.json", "requirements.lock"):
            (tmp_path / name).write_bytes((ROOT / name).read_bytes())
        (tmp_path / "infra").mkdir()
        (tmp_path / "infra" / "bucket.py").write_text("edited")
        monkeypatch.setattr(keeping, "ROOT", tmp_path)
        keeping.templates(plan)

        assert len(made) == 2

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b"[" * 99_999, b"7", b'{"Resources": null}'])
    @pytest.mark.parametrize("whole", [True, False])
    @pytest.mark.usefixtures("no_collection")
    def test_damaged(self, cache, made, plan, content, whole):
        """A file that is not whole, or has a template that is none, is made anew."""
        expected = keeping.templates(plan)
        (file,) = cache.iterdir()
        kept = json.loads(file.read_bytes())
        last = json.dumps(next(reversed(kept.values()))).encode()
        file.write_bytes(content if whole else file.read_bytes().replace(last, content))

        assert keeping.templates(plan) == expected
        assert len(made) == 2
        assert json.loads(file.read_bytes())

    def test_pipe(self, cache, made, plan):
        """A pipe in a file's place is not waited for."""
        expected = keeping.templates(plan)
        (file,) = cache.iterdir()
        file.unlink()
        os.mkfifo(file)

        assert keeping.templates(plan) == expected
        assert len(made) == 2
        assert file.is_file()

    @pytest.mark.usefixtures("made")
    def test_full_disk(self, cache, plan, monkeypatch):
        """Where a file can't be written whole, nothing of it is left."""

        def full(_data, _file):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(keeping.json, "dump", full)

        assert keeping.templates(plan)
        assert list(cache.iterdir()) == []

    def test_bounded(self, cache, made, plan, monkeypatch):
        """The oldest go when there are many; what was used last stays."""
        monkeypatch.setattr(keeping, "MOST_KEPT", 3)
        cache.mkdir(parents=True)
        for age in range(5):
            (cache / f"{age}.json").write_text("{}")
            os.utime(cache / f"{age}.json", (1000 - age, 1000 - age))
        keeping.templates(plan)

        assert {path.name for path in cache.iterdir()} >= {"0.json", "1.json"}
        assert len(list(cache.iterdir())) == 3
        assert len(made) == 1

    def test_at_the_same_time(self, cache, made, plan):
        """Several may keep the same templates at once: each file is whole, and nothing is left over."""
        threads = [threading.Thread(target=keeping.templates, args=(plan,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        (file,) = cache.iterdir()
        assert json.loads(file.read_bytes()).keys() == {stack.name for stack in plan.stacks}
        assert made

    @pytest.mark.parametrize("blocked", ["trnstack", "trnstack/templates"])
    def test_without_a_folder(self, cache, made, plan, blocked):
        """Where nothing can be kept, templates are made each time."""
        place = cache.parents[1] / blocked
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("a file in the way")

        assert keeping.templates(plan) == keeping.templates(plan)
        assert len(made) == 2

    @pytest.mark.parametrize(("value", "start"), [("", "~/.cache"), ("relative", "~/.cache"), ("/x", "/x")])
    def test_folder(self, monkeypatch, value, start):
        """The folder is the one of the XDG specification."""
        monkeypatch.setenv("XDG_CACHE_HOME", value)

        assert keeping.folder() == Path(start).expanduser() / "trnstack" / "templates"


class TestRoom:
    @pytest.mark.usefixtures("cache")
    def test_no_room(self, plan, monkeypatch):
        """Without room for the CDK's files the reason is one sentence, and the CDK is not started."""
        monkeypatch.setattr(keeping, "_made", lambda _plan: pytest.fail("the CDK was started"))
        monkeypatch.setattr(keeping.shutil, "disk_usage", lambda _place: SimpleNamespace(free=4096))

        with pytest.raises(keeping.TemplatesError, match=r"is full\n  hint: make room .* in TMPDIR"):
            keeping.templates(plan)

    @pytest.mark.usefixtures("cache")
    def test_full_on_the_way(self, plan, monkeypatch):
        """So it is where the room ends on the way."""

        def full(_plan):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(keeping, "_made", full)

        with pytest.raises(keeping.TemplatesError, match="no templates can be made: No space left on device"):
            keeping.templates(plan)


@pytest.mark.cli
class TestSynthesis:
    def test_golden(self, cache, plan):
        """Templates are those that cdk makes, whose golden files leave out the same."""
        found = keeping.templates(plan)
        network = found[f"{plan.name}-network"].template

        assert sorted(network) == ["Description", "Outputs", "Resources"]
        assert len(list(cache.iterdir())) == 1

    def test_kept_ones_start_no_cdk(self, cache, plan):
        """With both kept, a diff loads no CDK and starts no Node; it does where they are not."""
        program = (
            "import sys\nfrom trnstack.cli import main\n"
            f"code = main(['diff', {str(EXAMPLE)!r}, {str(EXAMPLE)!r}])\n"
            "print(code, 'aws_cdk' in sys.modules, 'boto3' in sys.modules)"
        )
        settings = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache.parents[1])}
        answers = [
            subprocess.run(
                [sys.executable, "-c", program], env=settings, check=True, capture_output=True, text=True
            ).stdout.splitlines()[-1]
            for _ in range(2)
        ]

        assert answers == ["0 True False", "0 False False"]
        assert plan
