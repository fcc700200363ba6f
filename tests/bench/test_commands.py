"""``bench.commands``: that what is compared is an edit, and what each row is aimed at."""

import pytest

from bench import commands
from bench.measure import Command, Taken, Watched, run


@pytest.fixture
def pair(tmp_path):
    """The two ways to measure ``trnstack diff``."""
    return commands.diffs(tmp_path)


class TestDiffs:
    def test_both_ways(self, pair, tmp_path):
        """The first finds no templates, whatever was kept; the second leaves what it kept for the next run."""
        for name in ("cold", "kept"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "from-before").touch()
        cold, kept = pair
        for command in (cold, kept):
            run(command)

        assert not (tmp_path / "cold" / "from-before").exists()
        assert (tmp_path / "kept" / "from-before").exists()
        for name in ("cold", "kept"):
            assert len(list((tmp_path / name / "trnstack" / "templates").iterdir())) >= 2, name

    def test_is_a_replacement(self, pair):
        """What is compared has something to follow: the guard fails."""
        words = (*pair[1].words, "--fail-on", "data-loss")

        run(Command("guarded", words, pair[1].environment, code=3))


class TestMeasure:
    def test_targets(self, monkeypatch):
        """Each row has what is aimed at beside its figures."""
        monkeypatch.setattr(commands, "medians", lambda found, _: {each.label: Taken(2.0, 1.0) for each in found})
        monkeypatch.setattr(commands, "watch", lambda *_, **__: Watched(2.0, None))
        rows = {row.what: row.target for row in commands.measure(1).rows}

        assert rows["diff, no templates kept"] == "4 s"
        assert rows["diff, templates kept"] == "1 s"
        assert rows["check llama3-8b-trn1"] == "0.30 s"
        assert rows["python -c pass"] == ""
