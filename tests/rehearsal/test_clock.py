"""What time it is in the rehearsal."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
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


class TestAhead:
    """Whoever performs a stack's operation runs ahead of the clock."""

    BEGUN = dt.datetime(2027, 3, 1, tzinfo=dt.UTC)

    @pytest.fixture(autouse=True)
    def _begun(self, monkeypatch):
        monkeypatch.setenv(clock.VARIABLE, "2027-03-01T00:00:00Z")

    def after(self, minutes):
        return self.BEGUN + dt.timedelta(minutes=minutes)

    def test_own_time(self):
        """Time passes for him alone, there and back, and the clock follows to the latest when he is done."""
        elsewhere = ThreadPoolExecutor(1)
        with elsewhere, clock.ahead():
            clock.pass_to(self.after(20))
            clock.pass_to(self.after(5))

            assert clock.now() == self.after(5)
            assert elsewhere.submit(clock.now).result() == self.BEGUN
        assert clock.now() == self.after(20)

    def test_within_another(self):
        """What runs ahead within goes on from there, and the outer one's time with it."""
        with clock.ahead():
            clock.pass_to(self.after(10))
            with clock.ahead():
                clock.pass_to(self.after(15))
                clock.pass_to(self.after(12))

            assert clock.now() == self.after(15)

    def test_after_a_failure(self):
        """An error within leaves nobody ahead, and the clock where he came to."""

        def fail():
            with clock.ahead():
                clock.pass_to(self.after(3))
                raise KeyError

        with pytest.raises(KeyError):
            fail()

        assert clock.now() == self.after(3)
        with pytest.raises(LookupError):
            clock.pass_to(self.after(4))


class TestRecorded:
    def test_apart(self):
        """The CDK CLI sorts events by milliseconds, so no two share one."""
        readings = [clock.recorded() for _ in range(50)]

        assert all(later - earlier >= clock.MOMENT for earlier, later in pairwise(readings))

    @pytest.mark.parametrize("set_to", ["2000-03-01T00:00:00Z", "2127-03-01T00:00:00Z"])
    def test_by_the_machine(self, monkeypatch, set_to):
        """The CDK CLI compares it with its own time, so a clock that was set does not reach it."""
        monkeypatch.setenv(clock.VARIABLE, set_to)
        before = dt.datetime.now(dt.UTC)

        assert before <= clock.recorded() < before + dt.timedelta(seconds=10)
