"""A task as a value: what the services hand up and the rules work on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum

from tools.domain.segments import TimeSegment

#: In the class below ``date`` is a field.
Dates = tuple[date, ...]


class TaskStatus(StrEnum):
    """The life of a task (X3: its own enum, not that of a todo)."""

    PENDING = "pending"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Priority(StrEnum):
    """How much a task matters; ``medium`` unless the user says."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Task:
    """One row of the user's tasks.

    Dates and times are local wall time in the user's zone, as the user meant them; an ``end_time`` before
    ``start_time`` ends on the next day (P5), one equal to it makes the task a moment without length (P18).
    ``blocks_day`` marks an untimed task that the user called all day (P11).

    A task with an ``rrule`` comes back, first on ``date``, but not on its ``exdates``; ``series_id`` names the series
    that a single date was taken out of: see ``tools.domain.recurrence``. ``uid`` is its name in other calendars.
    """

    id: int
    user_id: int
    title: str
    date: date
    start_time: time | None = None
    end_time: time | None = None
    time_segment: TimeSegment = TimeSegment.ALL_DAY
    priority: Priority = Priority.MEDIUM
    status: TaskStatus = TaskStatus.PENDING
    group_id: int | None = None
    description: str | None = None
    blocks_day: bool = False
    rrule: str | None = None
    exdates: Dates = ()
    series_id: int | None = None
    uid: str | None = None
    version: int = 1
