"""What time it is in the rehearsal."""

import datetime as dt
from itertools import pairwise

import pytest

from rehearsal import clock


class TestNow:
    def test_the_machines_own(self, monkeypatch):
        """Left alone the clock is the machine's."""
        monkeypatch.delenv(clock.VARIABLE)
        before = dt.datetime.now(dt.UTC)

        assert before <= clock.now() <= dt.datetime.now(dt.UTC)

    def test_set(self, monkeypatch):
        """A time that is set stands still, in UTC."""
        monkeypatch.setenv(clock.VARIABLE, "2027-03-01T09:00:00+09:00")

        assert clock.now() == dt.datetime(2027, 3, 1, tzinfo=dt.UTC)
        assert clock.now().tzinfo is dt.UTC

    def test_without_zone(self, monkeypatch):
        """A time without its zone is not guessed at."""
        monkeypatch.setenv(clock.VARIABLE, "2027-03-01T09:00:00")

        with pytest.raises(ValueError, match="no time zone"):
            clock.now()


class TestMoved:
    def test_on(self, monkeypatch):
        """A clock that was moved on stays there until it is reset, and never goes back."""
        monkeypatch.setenv(clock.VARIABLE, "2027-03-01T00:00:00Z")
        later = dt.datetime(2027, 3, 1, 2, tzinfo=dt.UTC)

        clock.advance_to(later)
        clock.advance_to(later - dt.timedelta(hours=1))

        assert clock.now() == later
        clock.reset()
        assert clock.now() == later - dt.timedelta(hours=2)


class TestStamp:
    def test_apart(self, monkeypatch):
        """The CDK CLI sorts events by milliseconds, so no two share one, even where the clock stands still."""
        monkeypatch.setenv(clock.VARIABLE, "2127-03-01T00:00:00Z")
        readings = [clock.stamp() for _ in range(50)]

        assert all(later - earlier >= dt.timedelta(milliseconds=1) for earlier, later in pairwise(readings))

    def test_not_before_the_machine(self, monkeypatch):
        """The CDK CLI shows no event from before it began, so a clock that was set back does not reach events."""
        monkeypatch.setenv(clock.VARIABLE, "2000-03-01T00:00:00Z")

        assert clock.stamp() > dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
