"""Parts of the day (seed 000 section 6.2.1, rule P1)."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from enum import StrEnum

CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})")


class TimeSegment(StrEnum):
    """A named part of the day; the word a task carries when it has no clock time."""

    EARLY_MORNING = "early_morning"
    MORNING = "morning"
    FORENOON = "forenoon"
    NOON = "noon"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    ALL_DAY = "all_day"


#: First hour and hour after the last, local wall time (P1). ``all_day`` spans the day.
SEGMENT_HOURS: dict[TimeSegment, tuple[int, int]] = {
    TimeSegment.EARLY_MORNING: (0, 6),
    TimeSegment.MORNING: (6, 9),
    TimeSegment.FORENOON: (9, 12),
    TimeSegment.NOON: (12, 14),
    TimeSegment.AFTERNOON: (14, 18),
    TimeSegment.EVENING: (18, 24),
    TimeSegment.ALL_DAY: (0, 24),
}


def segment_at(moment: datetime | time) -> TimeSegment:
    """The segment that holds this wall time; 14:00 is ``afternoon`` (A36)."""
    for segment, (first, end) in SEGMENT_HOURS.items():
        if first <= moment.hour < end and segment is not TimeSegment.ALL_DAY:
            return segment
    raise AssertionError("the segments cover the day")


def default_segment(day: date, now: datetime) -> TimeSegment:
    """The segment of a task that names no time: all day, but ``evening`` when it is for today and evening has come.

    Args:
        day: The local date of the task.
        now: The present moment in the user's zone.
    """
    if day == now.date() and segment_at(now) is TimeSegment.EVENING:
        return TimeSegment.EVENING
    return TimeSegment.ALL_DAY


def is_segment_open(day: date, segment: TimeSegment, now: datetime) -> bool:
    """Whether a task may still be put there: a segment of today that is over may not (A37, A41).

    ``all_day`` is refused for today once evening has come (P1).
    """
    if day != now.date():
        return day > now.date()
    if segment is TimeSegment.ALL_DAY:
        return segment_at(now) is not TimeSegment.EVENING
    return now.hour < SEGMENT_HOURS[segment][1]


def is_today(day: date | None, now: datetime) -> bool:
    """Whether the date is the local date of ``now``; ``None`` is not (A36)."""
    return day is not None and day == now.date()


def minutes_of(text: str | None) -> int | None:
    """Minutes since midnight of ``"HH:MM"``: ``"14:30"`` is 870; ``None`` for anything that is no time of day (A35)."""
    found = CLOCK.fullmatch(text.strip()) if text else None
    if found is None:
        return None
    hours, minutes = int(found[1]), int(found[2])
    return hours * 60 + minutes if hours < 24 and minutes < 60 else None
