"""The estimate of the time on AWS, as data beside its text."""

import datetime as dt

from rehearsal.durations import row
from rehearsal.story import estimate as module
from rehearsal.story.estimate import estimate
from rehearsal.times import Run, Took, report

START = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


def test_data(monkeypatch):
    """The data has the minutes of the text, stack by stack, and what each stack waits for."""
    known = row("AWS::EKS::Cluster", "CREATE", {}, {})
    took = Took("Control", "AWS::EKS::Cluster", START, START + dt.timedelta(minutes=9, seconds=3), known)
    runs = {
        "a": Run("a", 2.04, (), frozenset(), frozenset()),
        "b": Run("b", 10.0, (took,), frozenset(), frozenset()),
    }
    monkeypatch.setattr(module, "last_run", lambda _, name: runs[name])

    made = estimate(None, ["a", "b"])

    assert made.text.splitlines() == report(list(runs.values()))
    assert (made.data["minutes"], [stack["name"] for stack in made.data["stacks"]]) == (12.0, ["a", "b"])
    assert made.data["minutes_low"] <= made.data["minutes"] <= made.data["minutes_high"]
    assert made.data["stacks"][1] == {
        "name": "b",
        "minutes": 10.0,
        "minutes_low": round(min(10.0, known.low), 1),
        "minutes_high": round(max(10.0, known.high), 1),
        "path": [{"logical_id": "Control", "type": "AWS::EKS::Cluster", "minutes": 9.1}],
    }
