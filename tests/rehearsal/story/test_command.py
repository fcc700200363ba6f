"""What the command hands to the rehearsal, and what it refuses before anything is started."""

import json
from pathlib import Path

import pytest

from rehearsal import story
from rehearsal.faults import FAULTS, parse
from rehearsal.story import Wanted
from trnstack.cli import main

FILE = "environments/dev-trn1.yaml"


@pytest.fixture
def wanted(monkeypatch):
    """Runs the command in place of a rehearsal, and returns what was wanted of it."""
    seen = []
    monkeypatch.setattr(story, "run", lambda file, asked: seen.append((file, asked)) or 0)

    def ask(*words):
        assert main(["rehearse", FILE, *words]) == 0
        ((file, asked),) = seen
        assert file == Path(FILE)
        return asked

    return ask


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), Wanted()),
        (("--scenario", "upgrade", "--json"), Wanted(named="upgrade", as_json=True)),
        (
            ("--fault", "no-capacity@trn1", "--fault", "throttling", "--fault", "no-capacity@trn1"),
            Wanted(faults=(parse("no-capacity@trn1"), parse("throttling"))),
        ),
        (("--keep", "--save", "a", "--load", "b"), Wanted(keep=True, save=Path("a"), load=Path("b"))),
        (("--scenario", "faults", "--fault", "cli-killed"), Wanted(named="faults", faults=(parse("cli-killed"),))),
    ],
)
def test_options(wanted, words, expected):
    """Every option reaches the rehearsal."""
    assert wanted(*words) == expected


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--fault", "no-capcity"), "there is no fault 'no-capcity', did you mean 'no-capacity'?"),
        (("--fault", "api-down@"), "names nothing behind the @"),
        (("--fault", "cli-killed"), "hint: --scenario faults --fault cli-killed"),
        (("--scenario", "nonsense"), "lifecycle"),
    ],
)
def test_usage(monkeypatch, capsys, words, sentence):
    """A fault or a scenario that there is none of is refused with what there is, and nothing is started."""
    monkeypatch.setattr(story, "run", lambda *_: pytest.fail("started"))

    assert main(["rehearse", FILE, *words]) == 2
    assert sentence in capsys.readouterr().err


def test_table_of_faults(monkeypatch, capsys):
    """A misspelt fault is answered with the table of all."""
    monkeypatch.setattr(story, "run", lambda *_: pytest.fail("started"))
    main(["rehearse", FILE, "--fault", "none"])
    told = capsys.readouterr().err

    assert all(told.count(f"\n  {name} ") == 1 for name in FAULTS)
    assert told.count("reservation-not-active") == 1
    main(["rehearse", FILE, "--fault", "api-down@ekz"])
    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()[2:3]] == ["api-down"]


@pytest.mark.parametrize(
    ("words", "scenario", "error"),
    [
        (
            ("--fault", "no-capcity"),
            "deploy",
            "there is no fault 'no-capcity', did you mean 'no-capacity'?\n  hint: there ",
        ),
        (
            ("--scenario", "nonsense"),
            "nonsense",
            "there is no scenario 'nonsense'\n  hint: there are lifecycle, update",
        ),
        (("--fault", "cli-killed"), "deploy", "cli-killed concerns no first deploy\n  hint: --scenario faults"),
        (("--fault", "no-capacity@nope"), "deploy", "no-capacity can't find 'nope'\n  hint: it can meet dev-cluster,"),
    ],
)
def test_json_of_usage(monkeypatch, capsys, words, scenario, error):
    """With --json what can't be rehearsed is a document too, with the exit code of usage, and nothing is started."""
    monkeypatch.setattr(story, "server", lambda *_: pytest.fail("started"))

    assert main(["rehearse", FILE, "--json", *words]) == 2
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["outcome"], document["scenario"], document["steps"]) == ("wrong usage", scenario, [])
    assert document["error"].startswith(error)
    assert error.partition("\n")[0] in err


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (Wanted(load=Path("/nowhere")), "/nowhere: can't be read"),
        (Wanted(save=Path("/nowhere/state")), "/nowhere/state: there is no folder /nowhere to save in"),
        (Wanted(save=Path("/")), "/: this is a folder, and can't be saved in\n  hint: name a file"),
        (Wanted(save=Path("/dev/null")), "/dev/null: this is no ordinary file, and can't be saved in"),
        (Wanted(save=Path("/proc/state")), "/proc/state: nothing can be saved in /proc: "),
    ],
)
def test_files(monkeypatch, capsys, wanted, sentence):
    """A state that can't be read, or written, is refused before anything is started, with the exit code of usage."""
    monkeypatch.setattr(story, "server", lambda *_: pytest.fail("started"))

    assert story.run(Path(FILE), wanted) == 2
    assert sentence in capsys.readouterr().err


def test_json_of_what_fails(tmp_path, capsys):
    """With --json standard output is one document, whatever happens, and everything else is on standard error."""
    file = tmp_path / "bad.yaml"
    file.write_text("name: [")

    assert story.run(file, Wanted(as_json=True)) == 1
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["outcome"], document["scenario"], document["steps"]) == ("failed", "lifecycle", [])
    assert "SPEC0" in document["error"]
    assert "SPEC0" in err
