"""Recurrence rules of calendars as rules of local dates, and back.

A calendar's rule counts in the zone of its event; ours counts the user's own dates. The two agree when the wall time
of every occurrence is the same in the user's zone. Where it is not, because the clocks change on other days, no rule
of ours would be right and the entry is not taken over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache
from itertools import chain, islice
from zoneinfo import ZoneInfo

from tools.domain.recurrence import WEEKDAYS, checked_rule, days_of, parts_of
from tools.domain.tasks import Task
from tools.services.ics.lines import Block
from tools.services.ics.moments import EntryError, Moment, moment_of
from tools.services.ics.places import ONE_DAY, Place
from tools.services.ics.zones import Zones

#: Most dates of a series between its start and today that every later look at it may walk over.
MOST_STEPS = 20_000
#: Most occurrences whose wall time is compared between two zones, from the start and again from last year on.
MOST_COMPARED = 1_500
YEARS_COMPARED = 10
LATE = 9900
STEPS_PER_YEAR = {"DAILY": 366, "WEEKLY": 53, "MONTHLY": 12, "YEARLY": 1}
_SUB_DAILY = re.compile(r"FREQ=(HOURLY|MINUTELY|SECONDLY)|BY(HOUR|MINUTE|SECOND)=")
_MIDNIGHT_UTC = re.compile(r"T(000000|235959)Z")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The rule and the exceptions in the user's local dates."""

    rule: str
    exdates: tuple[date, ...]


def recurrence_of(block: Block, place: Place, zones: Zones, zone: ZoneInfo, today: date) -> Recurrence | None:
    """The recurrence of an entry; ``None`` when it happens once.

    Raises:
        EntryError: Several rules or single extra dates, more often than daily, a rule that its start does not follow,
            one too long to walk through, or one whose wall time differs between the zones.
    """
    if any(found.value.strip() for found in block.all("RDATE")):
        raise EntryError("rdate")
    if block.all("EXRULE"):
        raise EntryError("several_rules")
    rules = block.all("RRULE")
    if not rules:
        return None
    if len(rules) > 1:
        raise EntryError("several_rules")
    rule = _checked(rules[0].value, place.first, zone)
    _check_steps(rule, place.first.day, today)
    shift = _shift(rule, place, zone, today)
    return Recurrence(_shifted(rule, shift), _exceptions(block, place, zones, zone))


def calendar_rule(task: Task, zone: ZoneInfo) -> str | None:
    """The task's rule as calendars want it: UNTIL of a timed series is the instant of its last start (3.3.10)."""
    if task.rrule is None:
        return None
    parts = parts_of(task.rrule)
    if (until := parts.get("UNTIL")) and task.start_time is not None:
        last = datetime.combine(_day(until), task.start_time, zone).astimezone(UTC)
        parts["UNTIL"] = f"{last:%Y%m%dT%H%M%SZ}"
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _checked(value: str, first: Moment, zone: ZoneInfo) -> str:
    """The rule in local dates of the event's own zone, FREQ in front.

    Raises:
        EntryError: It is no rule of whole days.
    """
    parts = dict(part.partition("=")[::2] for part in "".join(value.upper().split()).strip(";").split(";"))
    try:
        if until := parts.get("UNTIL"):
            parts["UNTIL"] = f"{_last_day(until, first, zone):%Y%m%d}"
        ordered = {"FREQ": parts.pop("FREQ", "")} | parts
        rule = checked_rule(";".join(f"{name}={given}" for name, given in ordered.items()), zone)
        parts = parts_of(rule)
        if min(int(parts.get("INTERVAL", "1")), int(parts.get("COUNT", "1"))) < 1:
            raise EntryError("bad_rule", rule=value[:80])
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError) as error:
        raise EntryError("sub_daily" if _SUB_DAILY.search(value.upper()) else "bad_rule", rule=value[:80]) from error
    return rule


def _last_day(until: str, first: Moment, zone: ZoneInfo) -> date:
    """The last date on which the series may start, in the zone of its start."""
    if len(until) == len("20260214"):
        return _day(until)
    day = _day(until[:8])
    clock = time(int(until[9:11]), int(until[11:13]), int(until[13:15]))
    if first.clock is None and _MIDNIGHT_UTC.fullmatch(until[8:]):
        return day  # a date with a time put behind it
    if until.endswith("Z"):
        local = datetime.combine(day, clock, UTC).astimezone(first.zone or zone)
        day, clock = local.date(), local.time()
    return day if clock >= (first.clock or time()) else day - ONE_DAY


def _check_steps(rule: str, first: date, today: date) -> None:
    """Whoever looks at a date of the series walks there from its start."""
    parts = parts_of(rule)
    years = max(0, today.year - first.year) + 1
    if years * STEPS_PER_YEAR[parts["FREQ"]] // int(parts.get("INTERVAL", "1")) > MOST_STEPS:
        raise EntryError("too_many")
    if not _may_fall_on(parts, first) or not _falls_on(parts, first):
        raise EntryError("rule_start")


def _may_fall_on(parts: dict[str, str], day: date) -> bool:
    """Whether the plain conditions of a rule hold on a date: a rule that never falls would be searched for ages."""
    last = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - ONE_DAY
    if (months := parts.get("BYMONTH")) and day.month not in _numbers(months):
        return False
    if (days := parts.get("BYMONTHDAY")) and not {day.day, day.day - last.day - 1} & _numbers(days):
        return False
    return not (weekdays := parts.get("BYDAY")) or WEEKDAYS[day.weekday()] in {one[-2:] for one in weekdays.split(",")}


def _falls_on(parts: dict[str, str], day: date) -> bool:
    """Whether the rule begins on the date that it is said to begin on.

    Asked some multiple of 400 years later, when the calendar is the same again and the end of all years is near: a
    rule without any date is searched up to there.
    """
    endless = ";".join(f"{name}={value}" for name, value in parts.items() if name not in ("UNTIL", "COUNT"))
    late = day.replace(year=day.year + (LATE - day.year) // 400 * 400)
    return next(_days(endless, late), None) == late


def _shift(rule: str, place: Place, zone: ZoneInfo, today: date) -> int:
    """By how many days the local dates differ from those of the event's zone; the wall time must not differ at all."""
    first = place.first
    if first.clock is None or first.is_local(zone):
        return 0
    shift, start = (place.day - first.day).days, place.start
    horizon = date(max(today, first.day).year + YEARS_COMPARED, 12, 31)
    if _is_steady(first.zone, first.day.year, horizon.year) and _is_steady(zone, first.day.year, horizon.year):
        return shift
    last_year = max(first.day, today.replace(day=1) - timedelta(days=365))
    for day in chain(*(islice(_days(rule, first.day, begin), MOST_COMPARED) for begin in (first.day, last_year))):
        if day > horizon:
            continue
        wall = Moment(day, first.clock, first.zone).wall(zone)
        ends = place.ends and place.ends.clock and _end_wall(place, day, zone)
        if wall.time() != start or (wall.date() - day).days != shift or (ends and ends != place.end):
            raise EntryError("other_zone", zone=str(first.zone)[:60])
    return shift


@cache
def _is_steady(zone: tzinfo | None, first_year: int, last_year: int) -> bool:
    """Whether the clocks of a zone never change in these years; looked at once a day, as no summer is shorter."""
    days = range(date(first_year, 1, 1).toordinal() - 1, date(last_year, 12, 31).toordinal() + 2)
    noon = time(12)
    return len({datetime.combine(date.fromordinal(day), noon, zone).utcoffset() for day in days}) == 1


def _end_wall(place: Place, day: date, zone: ZoneInfo) -> time | None:
    if place.ends is None or place.end is None:
        return place.end
    ends = Moment(place.ends.day + (day - place.first.day), place.ends.clock, place.ends.zone)
    return ends.wall(zone).time()


def _shifted(rule: str, shift: int) -> str:
    """The rule on the dates beside its own, where that is a rule of the same kind.

    Raises:
        EntryError: Days of a month or year cannot be moved by changing the rule.
    """
    if not shift:
        return rule
    parts = parts_of(rule)
    narrowing = {name for name in parts if name.startswith("BY")}
    if parts["FREQ"] not in ("DAILY", "WEEKLY") or narrowing - ({"BYDAY"} if parts["FREQ"] == "WEEKLY" else set()):
        raise EntryError("other_day")
    if parts["FREQ"] == "WEEKLY":
        # The week itself moves along, or every second week would be counted from another day.
        parts["WKST"] = _weekday(parts.get("WKST", "MO"), shift)
    if "BYDAY" in parts:
        parts["BYDAY"] = ",".join(_weekday(one, shift) for one in parts["BYDAY"].split(","))
    if "UNTIL" in parts:
        parts["UNTIL"] = f"{_day(parts['UNTIL']) + timedelta(days=shift):%Y%m%d}"
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _exceptions(block: Block, place: Place, zones: Zones, zone: ZoneInfo) -> tuple[date, ...]:
    """The local dates that EXDATE takes out; a time at which the series never starts takes out nothing."""
    found: set[date] = set()
    for line in block.all("EXDATE"):
        for value in filter(None, (part.strip() for part in line.value.split(","))):
            moment = moment_of(line, zones, value)
            wall = moment.wall(zone)
            if moment.clock is None or place.start is None:
                found.add(moment.day if place.start is None else moment.day + (place.day - place.first.day))
            elif wall.time() == place.start:
                found.add(wall.date())
    return tuple(sorted(found))


def _days(rule: str, first: date, begin: date | None = None) -> Iterator[date]:
    """The dates of a rule that starts on ``first``, from ``begin`` on."""
    return days_of(Task(id=0, user_id=0, title="", date=first, rrule=rule), begin or first)


def _weekday(name: str, shift: int) -> str:
    return WEEKDAYS[(WEEKDAYS.index(name) + shift) % 7]


def _numbers(values: str) -> set[int]:
    return {int(value) for value in values.split(",")}


def _day(digits: str) -> date:
    return datetime.strptime(digits[:8] + "+0000", "%Y%m%d%z").date()
