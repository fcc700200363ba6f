"""When a schedule of EventBridge Scheduler calls its target: one-time, by a rate, or by a calendar.

Source: EventBridge Scheduler user guide, "Schedule types in EventBridge Scheduler": a rate without a start date begins
at once, one-time schedules know no start and end, days are of 24 hours, a wall time that a time zone skips is skipped,
and one that it repeats comes once. API reference, CreateSchedule, ``StartDate`` and ``EndDate``.
"""

import calendar
import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

ONCE = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\((.+)\)")
_MONTHS = {name.upper(): number for number, name in enumerate(calendar.month_abbr) if name}
_DAYS = {"SUN": 1, "MON": 2, "TUE": 3, "WED": 4, "THU": 5, "FRI": 6, "SAT": 7}
_YEARS = (1970, 2199)
#: What is between commas in a field of a calendar: a value, a span or all, and in steps of how many.
_PART = re.compile(r"(?:\*|\?|[A-Za-z0-9]+(?:-[A-Za-z0-9]+)?)(?:/[0-9]+)?")
_DAY_OF_MONTH, _DAY_OF_WEEK = re.compile(r"L|LW|([0-9]{1,2})W"), re.compile(r"L|([A-Za-z0-9]+)(?:L|#([1-5]))")
_FIELDS = (5, 6)
_FRIDAY = 4


@dataclass(frozen=True, slots=True)
class Timing:
    """When a schedule is due.

    Attributes:
        expression: ``at(...)``, ``rate(...)`` or ``cron(...)``, as EventBridge Scheduler takes it.
        zone: The time zone of the wall times in it.
        made: When it was made or last changed.
        start, end: The first and the last moment at which it may be due, if it has such.
    """

    expression: str
    zone: ZoneInfo
    made: dt.datetime
    start: dt.datetime | None = None
    end: dt.datetime | None = None

    def after(self, moment: dt.datetime) -> dt.datetime | None:
        """Gives the first time after a moment at which it is due, in UTC; None where there is none."""
        one_time = ONCE.fullmatch(self.expression)
        if one_time:  # that it is a moment in every zone was looked at when the schedule was made
            at = dt.datetime.fromisoformat(one_time[1]).replace(tzinfo=self.zone).astimezone(dt.UTC)
            return at if at > moment else None
        rate = _RATE.fullmatch(self.expression)
        found = self._by_rate(rate, moment) if rate else self._by_calendar(moment)
        return None if found is None or (self.end and found > self.end) else found

    @property
    def last(self) -> bool:
        """Whether it is due once in its life."""
        return self.expression.startswith("at(")

    def _by_rate(self, rate: re.Match[str], moment: dt.datetime) -> dt.datetime | None:
        step, first = dt.timedelta(**{f"{rate[2]}s": int(rate[1])}), self.start or self.made
        if moment < first:
            return first
        try:
            return first + ((moment - first) // step + 1) * step
        except OverflowError:  # after the year 9999
            return None

    def _by_calendar(self, moment: dt.datetime) -> dt.datetime | None:
        match = _CRON.fullmatch(self.expression)
        if match is None:
            return None
        earliest = max(moment, self.start - dt.timedelta(microseconds=1)) if self.start else moment
        for wall in _walls(match[1].split(), earliest.astimezone(self.zone).date()):
            due = wall.replace(tzinfo=self.zone).astimezone(dt.UTC)
            if due > earliest and due.astimezone(self.zone).replace(tzinfo=None) == wall:
                return due
            if self.end and due > self.end:
                break
        return None


def is_rate(expression: str) -> bool:
    """Says whether an expression is a rate that can be counted in."""
    found = _RATE.fullmatch(expression)
    try:
        return found is not None and dt.timedelta(**{f"{found[2]}s": int(found[1])}) > dt.timedelta(0)
    except OverflowError:
        return False


def is_calendar(expression: str) -> bool:
    """Says whether an expression is a calendar that Scheduler takes, in which one of the days is left open by ``?``.

    Source: EventBridge Scheduler user guide, "Schedule types"; badmintoncryer/cdk-preflight,
    rules/scheduler/pf-scheduler-schedule-expression, calls of 2026-09-07: five fields do as well as six. That nothing
    more than the guide's wildcards is taken is unconfirmed.
    """
    found = _CRON.fullmatch(expression)
    fields = found[1].split(" ") if found else []
    if len(fields) not in _FIELDS or [fields[2], fields[4]].count("?") != 1:
        return False
    minutes, hours, date, month, day, *year = fields
    spans = [(minutes, 0, 59, None), (hours, 0, 23, None), (month, 1, 12, _MONTHS)]
    spans += [(one, *_YEARS, None) for one in year]
    of_month, of_week = _DAY_OF_MONTH.fullmatch(date), _DAY_OF_WEEK.fullmatch(day)
    spans.append((date if of_month is None else of_month[1] or "*", 1, 31, None))
    spans.append((day if of_week is None else of_week[1] or "*", 1, 7, _DAYS))
    return all(_is_within(*span) for span in spans)


def _is_within(field: str, low: int, high: int, names: dict[str, int] | None) -> bool:
    if not all(map(_PART.fullmatch, field.split(","))):
        return False
    try:
        numbers = _numbers(field, low, high, names)
    except ValueError:
        return False
    return bool(numbers) and min(numbers) >= low and max(numbers) <= high


def _walls(fields: list[str], first: dt.date) -> Iterator[dt.datetime]:
    """Gives the wall times of a cron expression from a day on."""
    minutes, hours = (sorted(_numbers(field, *span)) for field, span in zip(fields, ((0, 59), (0, 23)), strict=False))
    months, years = _numbers(fields[3], 1, 12, _MONTHS), _numbers((fields[5:] or ["*"])[0], *_YEARS)
    for year in sorted(year for year in years if year >= first.year):
        for month in sorted(months):
            for day in range(1, calendar.monthrange(year, month)[1] + 1):
                date = dt.date(year, month, day)
                if date >= first and _day_of_month(fields[2], date) and _day_of_week(fields[4], date):
                    yield from (
                        dt.datetime.combine(date, dt.time(hour, minute)) for hour in hours for minute in minutes
                    )


def _day_of_month(field: str, date: dt.date) -> bool:
    last = calendar.monthrange(date.year, date.month)[1]
    if field == "L":
        return date.day == last
    if field.endswith("W"):
        return date.day == _nearest_weekday(date, last if field == "LW" else int(field[:-1]), last)
    return date.day in _numbers(field, 1, 31)


def _nearest_weekday(date: dt.date, wanted: int, last: int) -> int:
    """Gives the weekday next to a day, within its month."""
    day = date.replace(day=min(wanted, last))
    if day.weekday() == _FRIDAY + 1:
        return day.day - 1 if day.day > 1 else day.day + 2
    if day.weekday() == _FRIDAY + 2:
        return day.day + 1 if day.day < last else day.day - 2
    return day.day


def _day_of_week(field: str, date: dt.date) -> bool:
    number = date.isoweekday() % 7 + 1
    if "#" in field:
        day, _, nth = field.partition("#")
        return number == _number(day, _DAYS) and (date.day - 1) // 7 + 1 == int(nth)
    if field.endswith("L"):
        wanted = _number(field[:-1], _DAYS) if field != "L" else _DAYS["SAT"]
        is_last = field == "L" or date.day + 7 > calendar.monthrange(date.year, date.month)[1]
        return number == wanted and is_last
    return number in _numbers(field, 1, 7, _DAYS)


def _numbers(field: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
    """Gives the numbers that a field of a cron expression stands for."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if first in {"*", "?"}:
            begin, end = low, high
        else:
            begin = _number(first, names)
            end = _number(last, names) if last else (high if step else begin)
        found |= set(range(begin, end + 1, int(step or 1)))
        if end < begin:  # a span over the end of the week or the year: FRI-MON
            found |= set(range(begin, high + 1)) | set(range(low, end + 1))
    return found


def _number(text: str, names: dict[str, int] | None) -> int:
    return (names or {}).get(text.upper()) or int(text)
