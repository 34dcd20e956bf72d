"""Queries with names from the domain. Every one is bound to the user; somebody else's row is not found (P15).

Rows stay on this floor; values go up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tools.domain.conflicts import by_start
from tools.domain.records import Group, Reminder, ReminderStatus, User
from tools.domain.recurrence import is_occurrence, occurrences
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.store.tables import GroupRow, JournalRow, ReminderRow, TaskRow, UserRow


def task_of(row: TaskRow) -> Task:
    """The row as a value."""
    return Task(
        id=row.id,
        user_id=row.user_id,
        title=row.title,
        date=row.date,
        start_time=row.start_time,
        end_time=row.end_time,
        time_segment=TimeSegment(row.time_segment),
        priority=Priority(row.priority),
        status=TaskStatus(row.status),
        group_id=row.group_id,
        description=row.description,
        blocks_day=row.blocks_day,
        rrule=row.rrule,
        exdates=tuple(date.fromisoformat(day) for day in row.exdates or ()),
        series_id=row.series_id,
        uid=row.uid,
        version=row.version,
    )


def reminder_of(row: ReminderRow) -> Reminder:
    """The row as a value."""
    return Reminder(
        id=row.id,
        user_id=row.user_id,
        task_id=row.task_id,
        remind_at=row.remind_at,
        content=row.content,
        reason=row.reason,
        status=ReminderStatus(row.status),
        channel=row.channel,
        occurs_on=row.occurs_on,
    )


class Tasks:
    """The tasks of one user."""

    def __init__(self, session: AsyncSession, user_id: int) -> None:
        self._session = session
        self._user_id = user_id

    async def get(self, task_id: int) -> Task | None:
        """One task, or ``None`` when there is none or it is not the user's."""
        row = await self._row(task_id)
        return task_of(row) if row else None

    async def between(
        self,
        first: date | None = None,
        last: date | None = None,
        *,
        status: TaskStatus | None = None,
        priority: Priority | None = None,
    ) -> list[Task]:
        """Tasks dated from ``first`` to ``last``, both inclusive, by date, start and id (P8).

        With both dates the series that fall between them are there as their occurrences; else as they are stored.
        """
        query = self._mine()
        if status is not None:
            query = query.where(TaskRow.status == status.value)
        if priority is not None:
            query = query.where(TaskRow.priority == priority.value)
        dated = query
        if first is not None:
            dated = dated.where(TaskRow.date >= first)
        if last is not None:
            dated = dated.where(TaskRow.date <= last)
        if first is None or last is None:
            return sorted((task_of(row) for row in await self._session.scalars(dated)), key=by_start)
        single = await self._session.scalars(dated.where(TaskRow.rrule.is_(None)))
        series = await self._session.scalars(query.where(TaskRow.rrule.is_not(None), TaskRow.date <= last))
        rows = [task_of(row) for row in (*single, *series)]
        return sorted(occurrences(rows, first, last), key=by_start)

    async def stamps(self) -> dict[int, tuple[datetime, datetime]]:
        """When each of the tasks was made and last changed, UTC, by id."""
        query = select(TaskRow.id, TaskRow.created_at, TaskRow.updated_at).where(TaskRow.user_id == self._user_id)
        return {row.id: (row.created_at, row.updated_at) for row in await self._session.execute(query)}

    async def add(self, task: Task, now: datetime) -> Task:
        """Insert; the value's id is ignored, the stored value is returned."""
        row = TaskRow(user_id=self._user_id, version=1, created_at=now, updated_at=now, **_columns(task))
        self._session.add(row)
        await self._session.flush()
        return task_of(row)

    async def save(self, task: Task, now: datetime) -> Task:
        """Write a changed value back; its version grows by one.

        Raises:
            LookupError: The row is gone, is not the user's, or was changed since the value was read.
        """
        if is_occurrence(task):
            raise AssertionError(f"task {task.id} is an occurrence: it has no row of its own")
        row = await self._row(task.id)
        if row is None or row.version != task.version:
            raise LookupError(f"task {task.id} changed or went away")
        for name, value in _columns(task).items():
            setattr(row, name, value)
        row.updated_at = now
        await self._session.flush()
        return task_of(row)

    async def remove(self, task_id: int) -> None:
        """Delete the row; its reminders go with it (A28)."""
        if row := await self._row(task_id):
            await self._session.delete(row)
            await self._session.flush()

    def _mine(self) -> Select[TaskRow]:
        return select(TaskRow).where(TaskRow.user_id == self._user_id)

    async def _row(self, task_id: int) -> TaskRow | None:
        return (await self._session.scalars(self._mine().where(TaskRow.id == task_id))).one_or_none()


class Reminders:
    """The reminders of one user."""

    def __init__(self, session: AsyncSession, user_id: int) -> None:
        self._session = session
        self._user_id = user_id

    async def get(self, reminder_id: int) -> Reminder | None:
        """One reminder, or ``None`` when there is none or it is not the user's."""
        row = await self._row(reminder_id)
        return reminder_of(row) if row else None

    async def find(
        self,
        *,
        task_id: int | None = None,
        first: datetime | None = None,
        end: datetime | None = None,
        status: ReminderStatus | None = ReminderStatus.PENDING,
    ) -> list[Reminder]:
        """Reminders from ``first`` up to (not with) ``end``, by instant and id."""
        query = self._mine()
        if task_id is not None:
            query = query.where(ReminderRow.task_id == task_id)
        if first is not None:
            query = query.where(ReminderRow.remind_at >= first)
        if end is not None:
            query = query.where(ReminderRow.remind_at < end)
        if status is not None:
            query = query.where(ReminderRow.status == status.value)
        rows = await self._session.scalars(query.order_by(ReminderRow.remind_at, ReminderRow.id))
        return [reminder_of(row) for row in rows]

    async def add(
        self,
        *,
        task_id: int | None,
        remind_at: datetime,
        content: str,
        reason: str,
        channel: str,
        now: datetime,
        occurs_on: date | None = None,
    ) -> Reminder:
        """Insert a pending reminder."""
        row = ReminderRow(
            user_id=self._user_id,
            task_id=task_id,
            remind_at=remind_at,
            content=content,
            reason=reason,
            status=ReminderStatus.PENDING.value,
            channel=channel,
            created_at=now,
            occurs_on=occurs_on,
        )
        self._session.add(row)
        await self._session.flush()
        return reminder_of(row)

    async def save(self, reminder: Reminder) -> Reminder:
        """Write a changed value back."""
        row = await self._row(reminder.id)
        if row is None:
            raise LookupError(f"reminder {reminder.id} went away")
        row.remind_at, row.content, row.reason = reminder.remind_at, reminder.content, reminder.reason
        row.status, row.task_id, row.occurs_on = reminder.status.value, reminder.task_id, reminder.occurs_on
        await self._session.flush()
        return reminder_of(row)

    def _mine(self) -> Select[ReminderRow]:
        return select(ReminderRow).where(ReminderRow.user_id == self._user_id)

    async def _row(self, reminder_id: int) -> ReminderRow | None:
        return (await self._session.scalars(self._mine().where(ReminderRow.id == reminder_id))).one_or_none()


class People:
    """Users and their groups."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def user(self, user_id: int) -> User | None:
        """One user."""
        row = await self._session.get(UserRow, user_id)
        return User(row.id, row.name, row.city, row.timezone) if row else None

    async def ensure_user(self, user_id: int, now: datetime) -> None:
        """Make the user if there is none of that id yet."""
        if await self._session.get(UserRow, user_id) is None:
            self._session.add(UserRow(id=user_id, name=f"user {user_id}", created_at=now))
            await self._session.flush()

    async def groups(self, user_id: int) -> list[Group]:
        """The user's groups, by name."""
        query = select(GroupRow).where(GroupRow.user_id == user_id).order_by(GroupRow.name)
        return [Group(row.id, row.name) for row in await self._session.scalars(query)]


class Journal:
    """What changed, row by row."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, entry: JournalRow) -> None:
        """Write one entry, in the transaction of the change itself."""
        self._session.add(entry)

    async def last(self, user_id: int) -> int:
        """The number of the user's newest entry; 0 when there is none."""
        return await self._session.scalar(select(func.max(JournalRow.id)).where(JournalRow.user_id == user_id)) or 0

    async def of_request(self, user_id: int, thread: str, request: int) -> Sequence[JournalRow]:
        """The entries of one request, oldest first."""
        query = (
            select(JournalRow)
            .where(JournalRow.user_id == user_id, JournalRow.thread == thread, JournalRow.request == request)
            .order_by(JournalRow.id)
        )
        return (await self._session.scalars(query)).all()


def _columns(task: Task) -> dict[str, Any]:
    return {
        "title": task.title,
        "date": task.date,
        "start_time": task.start_time,
        "end_time": task.end_time,
        "time_segment": task.time_segment.value,
        "priority": task.priority.value,
        "status": task.status.value,
        "group_id": task.group_id,
        "description": task.description,
        "blocks_day": task.blocks_day,
        "rrule": task.rrule,
        "exdates": [day.isoformat() for day in task.exdates] or None,
        "series_id": task.series_id,
        "uid": task.uid,
    }
