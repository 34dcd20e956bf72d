"""Recurrences as RRULE text, and their first occurrence."""

from __future__ import annotations

import calendar
from dataclasses import replace
from datetime import UTC, date, timedelta

from tools.domain.segments import SEGMENT_HOURS
from tools.domain.times import ranges
from tools.domain.times.clocks import Moment, is_bare, moment
from tools.domain.times.dates import Dated, DayOfMonth, Weekday, Weekend
from tools.domain.times.days import Anchor, Day, Stretch
from tools.domain.times.festivals import Festival, day_of_year
from tools.domain.times.pieces import Every, Group, Side
from tools.domain.times.sides import Present, segment_of, spent
from tools.domain.times.when import Kind, When

_FREQUENCY = {
    "day": "DAILY",
    "week": "WEEKLY",
    "month": "MONTHLY",
    "year": "YEARLY",
    "hour": "HOURLY",
    "minute": "MINUTELY",
}


_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


#: A leap day comes back after eight years at the latest.
_FARTHEST = 366 * 8 + 1


def resolve(group: Group, present: Present) -> When | None:
    """A recurrence and its first occurrence that is not over."""
    every, left = group.every, group.left
    if every is not None and left.day is not None:
        every = refined(every, left.day)
    found = moment(left.clock, left.part) if left.clock else None
    if every is not None and found is not None and found.days:
        every, found = shifted(every), Moment(0, found.at)
    if every is None:
        return None
    base = When("", Kind.RECURRENCE, segment=segment_of(left, found), clock_given=left.clock is not None)
    if every.unit in ("hour", "minute"):
        start = found.on(present.today, present.now) if found else present.now
        return replace(base, rrule=rule_text(every), date=start.date(), start=start)
    today = _from(group, present)
    if today is None:
        return None
    times = _times(found, group)
    later = [time for time in times if today > present.today or time.at > present.now.time()]
    gone = not later if times else today == present.today and spent(replace(left, day=None), present)
    day = first_day(every, today, spent=gone)
    if day is None:
        return None
    until = group.until.resolve(Anchor(present.today)) if group.until else None
    if until is not None and until.end <= day:
        return None
    first = later[0] if later and day == today else (times[0] if times else None)
    base = replace(base, date=day, date_given=True, rrule=rule_text(every) + _hours(times) + _until(until, present))
    return _first(base, day, first, group, present)


def _from(group: Group, present: Present) -> date | None:
    """The day it may begin: today, or the day the words name, if that is to come."""
    if group.begins is None:
        return present.today
    days = group.begins.resolve(Anchor(present.today))
    return max(days.first, present.today) if days else None


def _times(found: Moment | None, group: Group) -> list[Moment]:
    """All its times of day, the earliest first; a further bare hour is the next such hour after the one before it."""
    times = [found] if found else []
    for side in group.hours:
        if side.clock and times:
            bare = is_bare(side.clock, side.part)
            times.append(ranges.next_after(times[-1], side.clock) if bare else moment(side.clock, side.part))
    return sorted(times, key=lambda time: time.minutes)


def _hours(times: list[Moment]) -> str:
    """The part of the rule for more than one time of day; an RRULE can say it only of the same minute."""
    if len(times) < 2:
        return ""
    if any(time.days or time.at.minute != times[0].at.minute for time in times):
        raise ValueError("no RRULE has times of day with different minutes")
    return f";BYHOUR={','.join(str(time.at.hour) for time in times)};BYMINUTE={times[0].at.minute}"


def _until(days: Stretch | None, present: Present) -> str:
    return f";UNTIL={present.at(days.end).astimezone(UTC) - timedelta(seconds=1):%Y%m%dT%H%M%SZ}" if days else ""


def _first(base: When, day: date, found: Moment | None, group: Group, present: Present) -> When | None:
    if found is None:
        first, last = SEGMENT_HOURS[base.segment] if base.segment else (0, 24)
        return replace(base, start=present.at(day, first), end=present.at(day, last))
    start = found.on(day, present.now)
    right = group.right or (Side(clock=group.left.until, part=group.left.part) if group.left.until else None)
    if right is not None and right.clock is not None:
        both = ranges.moments(group.left, right, present, today=False)
        return replace(base, start=both[0].on(day, start), end=both[1].on(day, start)) if both else None
    if group.length:
        return replace(base, start=start, end=start + group.length, seconds=round(group.length.total_seconds()))
    return replace(base, start=start)


def of_day(day: Day | None) -> Every | None:
    """The recurrence of a day: a weekday every week, a date every year; ``None`` if an RRULE cannot say it."""
    if isinstance(day, Weekday):
        return Every("week", weekdays=(day.weekday,))
    if isinstance(day, Weekend):
        return Every("week", weekdays=(5, 6))
    if isinstance(day, DayOfMonth):
        return Every("month", days=(day.day,))
    if isinstance(day, Festival):
        day = day_of_year(day)
    return Every("year", days=(day.day,), month=day.month) if isinstance(day, Dated) else None


def refined(every: Every, day: Day) -> Every | None:
    """A recurrence with the day it falls on: every other week, on Friday."""
    found = of_day(day)
    if found is None or found.unit != every.unit:
        return None
    return replace(found, interval=every.interval, weekdays=tuple(sorted({*found.weekdays, *every.weekdays})))


def shifted(every: Every) -> Every | None:
    """A recurrence at midnight as the day ends: it falls on the next day."""
    if every.days or every.ordinal:
        return None
    return replace(every, weekdays=tuple(sorted((weekday + 1) % 7 for weekday in every.weekdays)))


def rule_text(every: Every) -> str:
    """The RRULE without its prefix; the clock time is that of the start."""
    parts = [f"FREQ={_FREQUENCY[every.unit]}"]
    if every.interval > 1:
        parts.append(f"INTERVAL={every.interval}")
    if every.month:
        parts.append(f"BYMONTH={every.month}")
    if every.days:
        parts.append("BYMONTHDAY=" + ",".join(map(str, every.days)))
    if every.weekdays:
        ordinal = str(every.ordinal) if every.ordinal else ""
        parts.append("BYDAY=" + ",".join(ordinal + _WEEKDAYS[weekday] for weekday in every.weekdays))
    return ";".join(parts)


def first_day(every: Every, today: date, *, spent: bool) -> date | None:
    """The first day it falls on: today, unless that is spent, or later."""
    for ahead in range(int(spent), _FARTHEST):
        day = today + timedelta(days=ahead)
        if _falls_on(every, day):
            return day
    return None


def _falls_on(every: Every, day: date) -> bool:
    last = calendar.monthrange(day.year, day.month)[1]
    if every.month and day.month != every.month:
        return False
    if every.days and day.day not in every.days and not (-1 in every.days and day.day == last):
        return False
    if every.weekdays and day.weekday() not in every.weekdays:
        return False
    if every.ordinal:
        return (day.day - 1) // 7 + 1 == every.ordinal if every.ordinal > 0 else day.day > last - 7
    return True
