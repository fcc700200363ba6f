"""When schedules are due: once, by a rate, by a calendar, in their time zone."""

import datetime as dt
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from rehearsal.overlays.schedule_times import Timing, is_calendar, is_rate

MADE = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)
MOMENT = dt.timedelta(microseconds=1)


def due(expression, zone="UTC", *, count=3, after=MADE - MOMENT, **bounds):
    """Gives the next times of a schedule, as text in UTC."""
    timing = Timing(expression, ZoneInfo(zone), MADE, **bounds)

    def times():
        moment = timing.after(after)
        while moment is not None:
            yield f"{moment:%Y-%m-%dT%H:%M}"
            moment = timing.after(moment)

    return list(islice(times(), count))


def day(text):
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


class TestOnce:
    def test_in_its_zone(self):
        """A wall time is the zone's, with its summer time."""
        assert due("at(2027-07-01T12:00:00)", "Europe/Berlin") == ["2027-07-01T10:00"]

    def test_past(self):
        """It is due once, and never again."""
        assert due("at(2027-03-01T11:59:59)") == []

    def test_without_bounds(self):
        """Scheduler ignores a start and an end of one-time schedules."""
        assert due("at(2027-04-01T00:00:00)", end=day("2027-03-15")) == ["2027-04-01T00:00"]


class TestRate:
    def test_at_once(self):
        """Without a start it begins when it is made."""
        assert due("rate(90 minutes)") == ["2027-03-01T12:00", "2027-03-01T13:30", "2027-03-01T15:00"]

    def test_from_its_start(self):
        """With a start it begins there, and ends with its end."""
        found = due("rate(1 day)", start=day("2027-03-03"), end=day("2027-03-04"), count=9)

        assert found == ["2027-03-03T00:00", "2027-03-04T00:00"]

    def test_goes_on(self):
        """What was due goes by its start, whenever somebody looks."""
        assert due("rate(1 hour)", after=day("2027-03-02") + dt.timedelta(minutes=1), count=1) == ["2027-03-02T01:00"]


class TestFar:
    def test_rate_beyond_the_years(self):
        """After a step that no year is left for, it is never due again."""
        assert is_rate("rate(99999999 days)")
        assert due("rate(99999999 days)") == ["2027-03-01T12:00"]

    @pytest.mark.parametrize("expression", ["rate(0 days)", "rate(1 week)", f"rate({10**20} minutes)"])
    def test_no_rate(self, expression):
        """What can't be counted in is none."""
        assert not is_rate(expression)


class TestFields:
    @pytest.mark.parametrize("date", ["L", "LW", "15W", "1,15", "1-5", "*/2", "1-10/3"])
    def test_days_of_months(self, date):
        """Every wildcard of the guide is taken, and what is taken can be worked out."""
        expression = f"cron(0 9 {date} * ? 2027-2030)"

        assert is_calendar(expression)
        assert due(expression, count=1)

    @pytest.mark.parametrize("day", ["MON", "mon-fri", "1,7", "L", "6L", "FRIL", "3#2", "TUE#1", "2/2"])
    def test_days_of_weeks(self, day):
        """So is every one of weeks."""
        expression = f"cron(0/15 8,20 ? JAN-JUN {day} *)"

        assert is_calendar(expression)
        assert due(expression, count=1)

    @pytest.mark.parametrize(
        "fields",
        [
            *("60 9 * * ? *", "0 24 * * ? *", "0 9 0 * ? *", "0 9 32 * ? *", "0 9 * 13 ? *", "0 9 * * ? 1969"),
            *("a 9 * * ? *", "0 9 * FOO ? *", "0 9 ? * FOO *", "0 9 ? * 8 *", "0 9 ? * MON#6 *", "0 9 ? * FOO#1 *"),
            *("*/0 9 * * ? *", "1--5 9 * * ? *", "-1 9 * * ? *", "1, 9 * * ? *", " 9 * * ? *", "0 9 XW * ? *"),
            *("0 9 40W * ? *", "0 9 * * * *", "0 9 ? * ? *", "0 9 * *", "0 9 * * ? * *", "0 9 * * 9L *"),
        ],
    )
    def test_nonsense(self, fields):
        """Numbers out of their field, names that are none, and steps of nothing are none of a calendar's."""
        assert not is_calendar(f"cron({fields})")


class TestCalendar:
    @pytest.mark.parametrize(
        ("expression", "times"),
        [
            ("cron(30 8 * * ? *)", ["2027-03-02T08:30", "2027-03-03T08:30", "2027-03-04T08:30"]),
            ("cron(0/20 12 1 * ? *)", ["2027-03-01T12:00", "2027-03-01T12:20", "2027-03-01T12:40"]),
            ("cron(0 20 ? * MON-FRI *)", ["2027-03-01T20:00", "2027-03-02T20:00", "2027-03-03T20:00"]),
            ("cron(0 0 ? * FRI-SUN *)", ["2027-03-05T00:00", "2027-03-06T00:00", "2027-03-07T00:00"]),
            ("cron(15 10 ? * 6L 2027-2028)", ["2027-03-26T10:15", "2027-04-30T10:15", "2027-05-28T10:15"]),
            ("cron(0 0 L * ? *)", ["2027-03-31T00:00", "2027-04-30T00:00", "2027-05-31T00:00"]),
            ("cron(0 0 ? * L *)", ["2027-03-06T00:00", "2027-03-13T00:00", "2027-03-20T00:00"]),
            ("cron(0 9 ? * 3#2 *)", ["2027-03-09T09:00", "2027-04-13T09:00", "2027-05-11T09:00"]),
            ("cron(0 0 6W * ? *)", ["2027-03-05T00:00", "2027-04-06T00:00", "2027-05-06T00:00"]),
            ("cron(0 0 1W AUG,MAY ? *)", ["2027-05-03T00:00", "2027-08-02T00:00", "2028-05-01T00:00"]),
            ("cron(0 0 LW FEB ? *)", ["2028-02-29T00:00", "2029-02-28T00:00", "2030-02-28T00:00"]),
            ("cron(0 12 1,15 */6 ? *)", ["2027-07-01T12:00", "2027-07-15T12:00", "2028-01-01T12:00"]),
            ("cron(5 4 ? * SUN)", ["2027-03-07T04:05", "2027-03-14T04:05", "2027-03-21T04:05"]),
        ],
    )
    def test_fields(self, expression, times):
        """Spans, steps, names, last days, nearest weekdays and nth weekdays mean what Scheduler's guide says."""
        assert due(expression) == times

    def test_years_end(self):
        """A schedule whose years are over is never due."""
        assert due("cron(0 0 1 1 ? 2026)") == []
        assert due("cron(0 0 1 1 ? 2028)") == ["2028-01-01T00:00"]

    def test_skipped_hour(self):
        """A wall time that spring skips is skipped, as in the guide's own example."""
        found = due("cron(30 2 * * ? *)", "America/Los_Angeles", after=day("2027-03-13"))

        assert found == ["2027-03-13T10:30", "2027-03-15T09:30", "2027-03-16T09:30"]

    def test_repeated_hour(self):
        """A wall time that autumn repeats comes once, before the shift."""
        found = due("cron(30 1 * * ? *)", "America/Los_Angeles", after=day("2027-11-07"))

        assert found == ["2027-11-07T08:30", "2027-11-08T09:30", "2027-11-09T09:30"]

    def test_bounds(self):
        """It is due neither before its start nor after its end."""
        found = due("cron(0 0 * * ? *)", start=day("2027-04-01"), end=day("2027-04-02"), count=9)

        assert found == ["2027-04-01T00:00", "2027-04-02T00:00"]
