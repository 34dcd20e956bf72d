"""Where an event or a to-do lies in time, as a task would: one date, maybe a start, maybe an end within a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from tools.services.ics.lines import Block
from tools.services.ics.moments import EntryError, Moment, duration_of, read_moment
from tools.services.ics.names import MOMENT
from tools.services.ics.zones import Zones

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Place:
    """A task's place in time, and the moments of the file that it came from.

    Attributes:
        day: Local date in the user's zone.
        start: Local wall time; ``None`` for a task without a time.
        end: Local wall time; before ``start`` it is on the next day, equal to it the task is a moment.
        first: What the entry starts with: DTSTART, or the DUE of a to-do that has no start.
        begins: DTSTART, for alarms.
        ends: DTEND or DUE, stated or worked out, for alarms.
    """

    day: date
    start: time | None
    end: time | None
    first: Moment
    begins: Moment | None
    ends: Moment | None


def event_place(block: Block, zones: Zones, zone: ZoneInfo) -> Place:
    """The place of a VEVENT; one without an end lasts its day, or no time at all (RFC 5545, 3.6.1).

    Raises:
        EntryError: No start, several days, a day or longer, or an end before the start.
    """
    begins = read_moment(block, "DTSTART", zones)
    if begins is None:
        raise EntryError("no_start")
    ends = _end(block, "DTEND", begins, zones)
    if begins.clock is None:
        ends = ends if ends and ends.day != begins.day else Moment(begins.day + ONE_DAY)
        return _whole_day(begins, ends)
    return _timed(begins, ends or begins, zone)


def todo_place(block: Block, zones: Zones, zone: ZoneInfo) -> Place:
    """The place of a VTODO. A bare DUE date is the day of the task, unlike DTEND, which is the day after.

    Raises:
        EntryError: No date at all, several days, a day or longer, or an end before the start.
    """
    begins = read_moment(block, "DTSTART", zones)
    due = read_moment(block, "DUE", zones)
    if begins is None:
        if due is None:
            raise EntryError("no_date")
        return _due_only(block, due, zone)
    ends = _end(block, "DUE", begins, zones)
    if begins.clock is None:
        if due is not None and due.day > begins.day:
            raise EntryError("many_days", days=(due.day - begins.day).days + 1)
        return _whole_day(begins, ends or Moment(begins.day))
    if ends is None:
        place = _due_only(block, begins, zone)
        return Place(place.day, place.start, place.end, begins, begins, None)
    return _timed(begins, ends, zone)


def _end(block: Block, name: str, begins: Moment, zones: Zones) -> Moment | None:
    ends = read_moment(block, name, zones)
    if ends is None and (length := block.first("DURATION")):
        duration = duration_of(length)
        if begins.clock is None and duration % ONE_DAY:
            raise EntryError("mixed")
        ends = begins.later(duration)
    if ends is not None and (ends.clock is None) != (begins.clock is None):
        raise EntryError("mixed")
    return ends


def _whole_day(begins: Moment, ends: Moment) -> Place:
    days = (ends.day - begins.day).days
    if days < 0:
        raise EntryError("backwards")
    if days > 1:
        raise EntryError("many_days", days=days)
    return Place(begins.day, None, None, begins, begins, ends)


def _due_only(block: Block, due: Moment, zone: ZoneInfo) -> Place:
    """A to-do with one point in time: a start without an end, or a moment when it says so."""
    wall = due.wall(zone)
    start = None if due.clock is None else wall.time()
    end = start if block.first(MOMENT) else None
    return Place(wall.date(), start, end, due, None, due)


def _timed(begins: Moment, ends: Moment, zone: ZoneInfo) -> Place:
    start, end = begins.wall(zone), ends.wall(zone)
    # What is written in the user's zone is compared as it is written, also in the hour that the clocks skip.
    own = begins.is_local(zone) and ends.is_local(zone)
    elapsed = end - start if own else ends.instant(zone) - begins.instant(zone)
    if elapsed < timedelta(0):
        raise EntryError("backwards")
    # Both clocks count: on the days when they change, a wall time can stand still or run back.
    if elapsed >= ONE_DAY or end - start >= ONE_DAY:
        raise EntryError("too_long")
    if end < start or (end == start and elapsed):
        raise EntryError("clock_change")
    return Place(start.date(), start.time(), end.time(), begins, begins, ends)
