"""Tasks that come back: which dates a series falls on, and one occurrence of it as a task.

A series is a task with an ``rrule``; its ``date`` is the first date of the rule. An occurrence is made when it is
looked at: the same task on its own date, with ``series_id`` equal to its ``id``. One that goes its own way (done,
moved, dropped) becomes a row, and its date joins the series' ``exdates``.

The rule is RFC 5545 text without its prefix, restricted to whole days: the clock time is the task's own. ``UNTIL`` is
a local date, as the series' dates are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import MAXYEAR, UTC, date, datetime, time
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tools.domain.tasks import Task

if TYPE_CHECKING:
    from dateutil.rrule import rrule

#: What a rule of whole days may hold.
PARTS = frozenset(
    {
        "FREQ",
        "INTERVAL",
        "COUNT",
        "UNTIL",
        "WKST",
        "BYDAY",
        "BYMONTHDAY",
        "BYYEARDAY",
        "BYWEEKNO",
        "BYMONTH",
        "BYSETPOS",
    }
)
FREQUENCIES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
LONGEST_RULE = 300
#: The largest interval.
MOST = 1000
#: In 28 years every date of the year meets every weekday. These are the last ones of the calendar: a rule that falls on
#: no date is looked for to its end, whatever its ``UNTIL`` says.
CYCLE = date(MAXYEAR - 27, 1, 1)
_UNTIL = re.compile(r"UNTIL=(\d{8})(?:T(\d{6})(Z?))?")


def checked_rule(rule: str, zone: ZoneInfo) -> str:
    """The rule in one form: upper case, no prefix, the parts in their order, ``UNTIL`` as a local date.

    Args:
        rule: RRULE text, with or without ``RRULE:``.
        zone: The user's zone, for an ``UNTIL`` in UTC.

    Raises:
        ValueError: No rule, more often than daily, with times of day, or one that falls on no date.
    """
    text = _UNTIL.sub(lambda found: f"UNTIL={_local_date(found, zone)}", rule.strip().upper().removeprefix("RRULE:"))
    if len(text) > LONGEST_RULE:
        raise ValueError(f"a rule of {len(text)} characters")
    parts = dict(part.partition("=")[::2] for part in text.rstrip(";").split(";"))
    if not set(parts) <= PARTS or parts.get("FREQ") not in FREQUENCIES:
        raise ValueError(f"no rule of whole days: {rule}")
    if not 0 < int(parts.get("INTERVAL", 1)) <= MOST or int(parts.get("COUNT", 1)) < 1:
        raise ValueError(f"an interval from 1 to {MOST}, a count from 1: {rule}")
    days = {name: value for name, value in parts.items() if name not in ("INTERVAL", "COUNT", "UNTIL")}
    if not any(_rule(_text(days), CYCLE)):
        raise ValueError(f"a rule that falls on no date: {rule}")
    _rule(_text(parts), CYCLE)
    return _text(parts)


def parts_of(rule: str) -> dict[str, str]:
    """The parts of a checked rule by name."""
    return dict(part.partition("=")[::2] for part in rule.split(";"))


def is_occurrence(task: Task) -> bool:
    """Whether the task is one date of a series and no row of its own."""
    return task.series_id is not None and task.series_id == task.id


def days_of(series: Task, first: date, last: date | None = None) -> Iterator[date]:
    """The dates of a series from ``first`` to ``last``, both inclusive, without its exceptions; maybe without end."""
    if series.rrule is None:
        return
    for moment in _rule(series.rrule, series.date).xafter(_midnight(first), inc=True):
        day = moment.date()
        if last is not None and day > last:
            return
        if day not in series.exdates:
            yield day


def occurrence(series: Task, day: date) -> Task:
    """The series' task of one of its dates."""
    return replace(series, date=day, rrule=None, exdates=(), series_id=series.id)


def occurrence_on(series: Task, day: date) -> Task | None:
    """The occurrence of a date, if the series falls on it."""
    return next((occurrence(series, found) for found in days_of(series, day, day)), None)


def next_occurrence(series: Task, first: date) -> Task | None:
    """The first occurrence on or after a date; ``None`` when the series has ended by then."""
    return next((occurrence(series, day) for day in days_of(series, first)), None)


def occurrences(tasks: Iterable[Task], first: date, last: date) -> list[Task]:
    """The tasks as they stand on the dates from ``first`` to ``last``: single ones as they are, series taken apart."""
    found: list[Task] = []
    for task in tasks:
        if task.rrule is None:
            found.append(task)
        else:
            found.extend(occurrence(task, day) for day in days_of(task, first, last))
    return found


def without(series: Task, day: date) -> Task:
    """The series without one of its dates."""
    return replace(series, exdates=tuple(sorted({*series.exdates, day})))


def begun(task: Task, rule: str, first: date) -> Task | None:
    """The task as a series from the first date of the rule that is not before ``first``; ``None`` if there is none.

    A ``COUNT`` counts from there.
    """
    start = next(islice(_rule(rule, first).xafter(_midnight(first), inc=True), 1), None)
    return replace(task, rrule=rule, date=start.date(), exdates=()) if start else None


def on_weekday(rule: str, day: date) -> str | None:
    """The rule of one weekday, moved to the weekday of a date; ``None`` when the rule is of another kind."""
    parts = parts_of(rule)
    if parts["FREQ"] != "WEEKLY" or "," in parts.get("BYDAY", ""):
        return None
    return _text(parts | {"BYDAY": WEEKDAYS[day.weekday()]})


def _text(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _rule(rule: str, first: date) -> rrule:
    """Dateutil's rule. All its moments are midnights that stand for dates, so one zone is as good as another."""
    from dateutil.rrule import rrule, rrulestr  # noqa: PLC0415 - only those who have series pay for the import

    made = rrulestr(_UNTIL.sub(r"UNTIL=\1T000000Z", rule), dtstart=_midnight(first))
    if not isinstance(made, rrule):
        raise ValueError(f"no single rule: {rule}")
    return made


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _local_date(found: re.Match[str], zone: ZoneInfo) -> str:
    if not found[3]:
        return found[1]
    moment = datetime.strptime(f"{found[1]}{found[2]}+0000", "%Y%m%d%H%M%S%z")
    return f"{moment.astimezone(zone):%Y%m%d}"
