"""What time it is in the rehearsal."""

import datetime as dt

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
