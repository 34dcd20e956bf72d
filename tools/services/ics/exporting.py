"""``export``: the user's tasks and their reminders as a calendar file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from tools.core.context import RunContext
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import days_of
from tools.domain.tasks import Task, TaskStatus
from tools.services.ics.names import uid_of
from tools.services.ics.planning import Stored
from tools.services.ics.writing import Line, calendar_of
from tools.store.database import Database
from tools.store.repositories import People, Reminders, Tasks


@dataclass(frozen=True, slots=True)
class Export:
    """A calendar file, and what it holds.

    Attributes:
        data: The file.
        tasks: How many tasks.
        reminders: How many reminders; cancelled ones are left out.
        alone: Pending reminders without a task, which are left out.
    """

    data: bytes
    tasks: int
    reminders: int
    alone: int


async def export_calendar(
    database: Database,
    context: RunContext,
    first: date | None = None,
    last: date | None = None,
    status: TaskStatus | None = None,
) -> Export:
    """The tasks from ``first`` to ``last``, both inclusive, as one file; a series that falls on a date is there whole.

    Args:
        database: Where the rows are.
        context: Whose rows, in which zone and language.
        first: First local date, or ``None``.
        last: Last local date, or ``None``.
        status: Only tasks of that status.
    """
    stored, groups, alone = await stored_of(database, context)
    uids = {one.task.id: uid_of(one.task, one.created_at) for one in stored}
    chosen = [one for one in stored if _is_within(one.task, first, last) and status in (None, one.task.status)]
    lines = [
        Line(
            task=one.task,
            uid=uids[one.task.id],
            created_at=one.created_at,
            updated_at=one.updated_at,
            group=groups.get(one.task.group_id or 0),
            series=uids.get(one.task.series_id or 0),
            reminders=[reminder for reminder in one.reminders if reminder.status is not ReminderStatus.CANCELLED],
        )
        for one in chosen
    ]
    return Export(calendar_of(lines, context), len(lines), sum(len(line.reminders) for line in lines), alone)


async def stored_of(database: Database, context: RunContext) -> tuple[list[Stored], dict[int, str], int]:
    """All of the user's tasks with their reminders, the names of the groups, and how many reminders stand alone."""
    async with database.reading() as session:
        tasks = Tasks(session, context.user_id)
        found, stamps = await tasks.between(), await tasks.stamps()
        reminders = await Reminders(session, context.user_id).find(status=None)
        groups = await People(session).groups(context.user_id)
    return together(found, stamps, reminders), {group.id: group.name for group in groups}, _alone(reminders)


def together(
    tasks: list[Task], stamps: dict[int, tuple[datetime, datetime]], reminders: list[Reminder]
) -> list[Stored]:
    """Each task with its times and its reminders."""
    of_task: dict[int, list[Reminder]] = {}
    for reminder in reminders:
        of_task.setdefault(reminder.task_id or 0, []).append(reminder)
    return [Stored(task, *stamps[task.id], tuple(of_task.get(task.id, ()))) for task in tasks]


def _alone(reminders: list[Reminder]) -> int:
    return sum(one.task_id is None and one.status is ReminderStatus.PENDING for one in reminders)


def _is_within(task: Task, first: date | None, last: date | None) -> bool:
    if first is None or last is None:
        return True
    if task.rrule is None:
        return first <= task.date <= last
    return next(days_of(task, first, last), None) is not None
