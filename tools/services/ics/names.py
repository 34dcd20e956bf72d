"""The names that we put into calendars, and how to tell our own again."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from uuid import UUID, uuid5

from tools.domain.tasks import Task

PRODUCT = "-//Deep Planner//Deep Planner//EN"
#: Part of the day of a task without a time.
SEGMENT = "X-DP-SEGMENT"
#: The task keeps the whole day busy (P11).
BLOCKS_DAY = "X-DP-BLOCKS-DAY"
#: The task is a point in time: its end is its start (P18).
MOMENT = "X-DP-MOMENT"
#: The series that a single date was taken out of.
SERIES = "X-DP-SERIES"
#: On an alarm: the rule that chose its time, and the date of the series that it rings for.
REASON = "X-DP-REASON"
OCCURS_ON = "X-DP-OCCURS-ON"
#: What tells the event beside a to-do from the to-do: two kinds of entries must not share a name.
EVENT_ENDING = "-dp-event"
LONGEST_UID = 255

_OURS = UUID("2b1f4d6e-9c3a-5e07-8d52-64b0a1c7f933")


def uid_of(task: Task, created_at: datetime) -> str:
    """A task's name in other calendars: the one it came with, else one that no other task anywhere has.

    It follows from the row alone, so every export gives the same one without writing it down.
    """
    if task.uid is not None:
        return task.uid
    return f"{uuid5(_OURS, f'{task.user_id}/{task.id}/{created_at.astimezone(UTC).isoformat()}')}@deep-planner"


def uid_of_content(source: str) -> str:
    """The name of an entry that came without one: the same content gets the same name."""
    return f"{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}@content.deep-planner"


def uid_of_date(series: str, day: date) -> str:
    """The name of a date that a calendar let go its own way (RECURRENCE-ID)."""
    return f"{series}#{day:%Y%m%d}"


def date_of_uid(uid: str, series: str) -> date | None:
    """The date in a name made by ``uid_of_date`` for that series, else ``None``."""
    beginning, mark, ending = uid.rpartition("#")
    if not mark or beginning != series or len(ending) != 8 or not (ending.isascii() and ending.isdecimal()):
        return None
    try:
        return date(int(ending[:4]), int(ending[4:6]), int(ending[6:]))
    except ValueError:
        return None
