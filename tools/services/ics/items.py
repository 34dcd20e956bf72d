"""What reading a calendar file comes to: tasks that might be, and what is left behind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.alarms import Ring


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that is not taken over, and why (``ics.skipped``); maybe one that stands for a date of a series."""

    kind: str
    uid: str
    title: str
    reason: str
    facts: dict[str, object]
    instead_of: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An entry as a task; what it does not say is ``None`` and stays as it is stored.

    Attributes:
        uid: The task's name.
        kind: VEVENT or VTODO.
        task: The task with what is certain: id 0, no group, no series.
        priority: As said.
        status: As said; an event that takes place says nothing about what was done.
        segment: The part of the day as said.
        description: As said.
        categories: Names that may be those of groups.
        series: The name of the series that this date was taken out of.
        excepted: The date of the series that it stands for.
        rings: Its reminders.
        sequence: How often it was changed where it comes from.
        modified: When it was last changed, UTC.
        ours: From an export of ours: what it does not say is not there.
    """

    uid: str
    kind: str
    task: Task
    priority: Priority | None
    status: TaskStatus | None
    segment: TimeSegment | None
    description: str | None
    categories: tuple[str, ...]
    series: str | None
    excepted: date | None
    rings: tuple[Ring, ...]
    sequence: int
    modified: datetime | None
    ours: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds: one item a name, and what is left behind."""

    items: tuple[Item, ...]
    skipped: tuple[Skipped, ...]
