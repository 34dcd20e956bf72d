"""Effects that happen exactly once (N1, design section 3).

A write, its receipt and its journal entries are one transaction. The receipt's primary key is the operation key, so
an item that is dispatched again after a crash finds the receipt and gives the first result again, and two processes
that race cannot both commit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import date, datetime, time
from enum import Enum
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tools.core.context import Call
from tools.core.result import ResultStatus, ToolResult
from tools.domain.records import Group, Reminder
from tools.domain.tasks import Task
from tools.store.database import Database
from tools.store.groups import Groups
from tools.store.repositories import Journal, People, Reminders, Tasks
from tools.store.tables import EffectRow, JournalRow

#: What the journal keeps the states of.
Stored = Task | Reminder | Group


class Work:
    """One call's transaction: the user's rows, and a journal that fills itself.

    Attributes:
        call: The call at work.
        tasks: Reads of the user's tasks.
        reminders: Reads of the user's reminders.
        people: Users and groups.
        groups: The user's groups and what is in them.
        changed: Whether anything was written.
    """

    def __init__(self, session: AsyncSession, call: Call) -> None:
        self.call = call
        self.tasks = Tasks(session, call.context.user_id)
        self.reminders = Reminders(session, call.context.user_id)
        self.people = People(session)
        self.groups = Groups(session, call.context.user_id)
        self.changed = False
        self._journal = Journal(session)

    async def add_task(self, task: Task) -> Task:
        """Insert a task and note it."""
        stored = await self.tasks.add(task, self.call.context.now)
        self._note("tasks", stored.id, None, stored)
        return stored

    async def save_task(self, before: Task, after: Task) -> Task:
        """Write a changed task and note it."""
        stored = await self.tasks.save(after, self.call.context.now)
        self._note("tasks", stored.id, before, stored)
        return stored

    async def remove_task(self, task: Task) -> None:
        """Delete a task and note it; its reminders go with it and are noted too."""
        for reminder in await self.reminders.find(task_id=task.id, status=None):
            self._note("reminders", reminder.id, reminder, None)
        await self.tasks.remove(task.id)
        self._note("tasks", task.id, task, None)

    async def add_reminder(
        self,
        *,
        task_id: int | None,
        remind_at: datetime,
        content: str,
        reason: str,
        channel: str = "console",
        occurs_on: date | None = None,
    ) -> Reminder:
        """Insert a reminder and note it."""
        stored = await self.reminders.add(
            task_id=task_id,
            remind_at=remind_at,
            content=content,
            reason=reason,
            channel=channel,
            now=self.call.context.now,
            occurs_on=occurs_on,
        )
        self._note("reminders", stored.id, None, stored)
        return stored

    async def save_reminder(self, before: Reminder, after: Reminder) -> Reminder:
        """Write a changed reminder and note it."""
        stored = await self.reminders.save(after)
        self._note("reminders", stored.id, before, stored)
        return stored

    async def add_group(self, name: str) -> Group:
        """Insert a group and note it."""
        stored = await self.groups.add(name)
        self._note("groups", stored.id, None, stored)
        return stored

    async def save_group(self, before: Group, after: Group) -> Group:
        """Write a group's new name and note it."""
        stored = await self.groups.save(after)
        self._note("groups", stored.id, before, stored)
        return stored

    async def remove_group(self, group: Group) -> None:
        """Delete a group and note it; its tasks must have left it before, or the journal would not know of them."""
        await self.groups.remove(group.id)
        self._note("groups", group.id, group, None)

    def _note(self, table: str, row_id: int, before: Stored | None, after: Stored | None) -> None:
        self.changed = True
        operation = self.call.operation
        entry = JournalRow(
            user_id=self.call.context.user_id,
            thread=operation.thread,
            request=operation.request,
            item=operation.item,
            tool=operation.tool,
            table_name=table,
            row_id=row_id,
            before=_plain(before),
            after=_plain(after),
            at=self.call.context.now,
        )
        self._journal.add(entry)


async def once(database: Database, call: Call, perform: Callable[[Work], Awaitable[ToolResult]]) -> ToolResult:
    """Perform a call's effect, or give the result that it had the first time.

    Args:
        database: Where the rows are.
        call: Carries the operation key.
        perform: Decides and writes inside the transaction. Whatever it raises leaves nothing behind.
    """
    async with database.writing() as session:
        receipt = await session.get(EffectRow, call.operation.key)
        if receipt is not None:
            return ToolResult.model_validate(receipt.result)
        work = Work(session, call)
        await work.people.ensure_user(call.context.user_id, call.context.now)
        result = await perform(work)
        if work.changed:
            if result.status is not ResultStatus.SUCCESS:
                raise AssertionError(f"{call.operation.tool} wrote rows but answered {result.status}")
            session.add(_receipt(call, result))
        return result


def _receipt(call: Call, result: ToolResult) -> EffectRow:
    return EffectRow(
        key=call.operation.key,
        user_id=call.context.user_id,
        result=result.model_dump(mode="json"),
        created_at=call.context.now,
    )


def _plain(value: Stored | None) -> dict[str, Any] | None:
    return None if value is None else {name: _json_value(field) for name, field in asdict(value).items()}


def _json_value(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_json_value(part) for part in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value
