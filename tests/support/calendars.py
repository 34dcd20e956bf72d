"""Calendar files as icalendar reads them, for comparison with what became of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from icalendar import Alarms, Calendar, Event, Todo

DATA = Path(__file__).resolve().parents[1] / "unit/tools/data/ics"
#: Occurrences that are compared of a series without end.
COMPARED = 60


def wrapped(*entries: str, product: str = "-//example//EN") -> bytes:
    """Entries in a calendar; each is the lines between BEGIN and END, its kind first: ``VEVENT|UID:1|...``."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:{product}"]
    for entry in entries:
        kind, *inside = entry.split("|")
        lines += [f"BEGIN:{kind}", *inside, f"END:{kind}"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def event(uid: str, *lines: str, start: str = "20260302T090000", end: str = "20260302T100000") -> str:
    """A timed event with a title; ``start`` and ``end`` follow ``DTSTART:``, or replace it when they hold a colon."""
    times = [
        value if ":" in value else f"{name}:{value}" for name, value in (("DTSTART", start), ("DTEND", end)) if value
    ]
    return "|".join(["VEVENT", f"UID:{uid}", f"SUMMARY:{uid}", *times, *lines])


def todo(uid: str, *lines: str) -> str:
    """A to-do with a title."""
    return "|".join(["VTODO", f"UID:{uid}", f"SUMMARY:{uid}", *lines])


def alarm(*lines: str) -> str:
    """An alarm inside an entry."""
    return "|".join(["BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:x", *lines, "END:VALARM"])


@dataclass(frozen=True)
class Facts:
    """What of an entry must survive: instants in UTC, dates as they are, in the user's zone where they name none."""

    start: date | datetime | None
    end: date | datetime | None
    occurrences: tuple[date | datetime, ...]
    alarms: frozenset[datetime]


def components(data: bytes) -> Iterator[Event | Todo]:
    """Events and to-dos, in the order of the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for calendar in Calendar.from_ical(data, multiple=True):
            yield from (one for one in calendar.subcomponents if isinstance(one, Event | Todo))


def facts(component: Event | Todo, zone: ZoneInfo) -> Facts:
    """The facts of one entry."""
    start = component.get("DTSTART") or component.get("DUE")
    assert start is not None
    end = component.get("DTEND") or component.get("DUE")
    length = component.get("DURATION")
    last = end.dt if end else start.dt + length.dt if length else None
    if isinstance(component, Event) and last is None and not isinstance(start.dt, datetime):
        last = start.dt + timedelta(days=1)
    return Facts(
        start=instant(start.dt, zone),
        end=instant(last, zone) if last is not None else None,
        occurrences=tuple(_occurrences(component, start.dt, zone)),
        alarms=frozenset(_alarms(component, zone)),
    )


def instant(moment: Any, zone: tzinfo) -> Any:
    """The instant in UTC; a date stays a date."""
    if not isinstance(moment, datetime):
        return moment
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _occurrences(component: Event | Todo, start: Any, zone: ZoneInfo) -> Iterator[date | datetime]:
    rule = component.get("RRULE")
    if rule is None:
        return
    text = rule.to_ical().decode()
    moment = start if isinstance(start, datetime) else datetime.combine(start, time())
    if moment.tzinfo is None and isinstance(start, datetime):
        moment = moment.replace(tzinfo=zone)
    # dateutil wants UNTIL to be of the kind of its start.
    if moment.tzinfo is None:
        text = text.replace("Z", "")
    lines = component.get("EXDATE") or []
    out = {instant(one.dt, zone) for line in (lines if isinstance(lines, list) else [lines]) for one in line.dts}
    found = 0
    for one in rrulestr(text, dtstart=moment):
        shown = instant(one, zone) if isinstance(start, datetime) else one.date()
        if shown not in out:
            found += 1
            yield shown
        if found == COMPARED:
            return


def _alarms(component: Event | Todo, zone: ZoneInfo) -> Iterator[datetime]:
    ringing = [one for one in component.walk("VALARM") if str(one.get("ACTION", "DISPLAY")) != "NONE"]
    if not ringing:
        return
    alarms = Alarms()
    alarms.set_start(component.get("DTSTART", component.get("DUE")).dt)
    end = component.get("DTEND") or component.get("DUE")
    alarms.set_end(end.dt if end else component.end)
    for one in ringing:
        alarms.add_alarm(one)
    for found in alarms.times:
        trigger = found.trigger
        moment = trigger if isinstance(trigger, datetime) else datetime.combine(trigger, time())
        yield instant(moment, zone)
