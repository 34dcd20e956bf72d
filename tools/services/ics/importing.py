"""``import``: a calendar file becomes rows, all of it in one transaction or nothing.

What is planned is planned anew inside the transaction, from the rows as they are then. A file that is imported again
finds its entries by name, so a second time changes nothing; a retry of the very same work finds its receipt.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from tools.core.context import Call, Operation, RunContext, digest
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import occurrence
from tools.domain.tasks import Task
from tools.services.ics.alarms import Ring
from tools.services.ics.exporting import together
from tools.services.ics.items import Reading
from tools.services.ics.names import uid_of
from tools.services.ics.planning import Action, Entry, Plan, Stored, planned
from tools.services.ics.reading import read_calendar
from tools.services.replanning import reminder_content, replan_reminders
from tools.store.database import Database
from tools.store.effects import Work, once
from tools.store.repositories import Journal, People, Reminders, Tasks

TOOL = "import_ics"
THREAD = "import-ics"
#: What moves a task's reminders.
_MOVING = frozenset({"title", "date", "start_time", "time_segment", "rrule", "exdates"})


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do, and to which state of the rows.

    Attributes:
        reading: What the file holds.
        plan: What would be done.
        call: The work's key: of the file, the user, and the last change before it.
    """

    reading: Reading
    plan: Plan
    call: Call


class ImportService:
    """Takes calendar files over.

    Args:
        database: Where the rows are.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    async def preview(self, data: bytes, context: RunContext) -> Preview:
        """What the file would change; nothing is written.

        Raises:
            CalendarFileError: The file cannot be read.
        """
        reading = read_calendar(data, context)
        async with self.database.reading() as session:
            tasks = Tasks(session, context.user_id)
            reminders = await Reminders(session, context.user_id).find(status=None)
            stored = together(await tasks.between(), await tasks.stamps(), reminders)
            plan = planned(reading, stored, await People(session).groups(context.user_id))
            last = await Journal(session).last(context.user_id)
        content = {"file": hashlib.sha256(data).hexdigest(), "user": context.user_id}
        operation = Operation(THREAD, last + 1, "file", TOOL, digest(content), 0)
        return Preview(reading, plan, Call(context, operation))

    async def carry_out(self, preview: Preview) -> ToolResult:
        """Do what the preview says; ``data`` counts what was done.

        An error, and nothing written, when the rows have changed since so that other things would be done.
        """

        async def perform(work: Work) -> ToolResult:
            stored = together(
                await work.tasks.between(), await work.tasks.stamps(), await work.reminders.find(status=None)
            )
            context = work.call.context
            plan = planned(preview.reading, stored, await work.people.groups(context.user_id))
            if plan != preview.plan:
                return ToolResult(status=ResultStatus.ERROR, message=text(context.language, "ics.meanwhile"))
            return await _written(work, plan, stored)

        return await once(self.database, preview.call, perform)


async def _written(work: Work, plan: Plan, stored: list[Stored]) -> ToolResult:
    ids = {uid_of(one.task, one.created_at): one.task.id for one in stored}
    rows = []
    for entry in plan.entries:
        if entry.task is None or entry.action not in (Action.CREATE, Action.CHANGE):
            continue
        series = ids[entry.series] if entry.series else entry.task.series_id
        task = await _stored_task(work, entry, replace(entry.task, series_id=series))
        ids[entry.uid] = task.id
        await _remind(work, task, entry)
        rows.append(f"task:{task.id}")
    counts = {action.value: len(plan.of(action)) for action in Action}
    message = text(work.call.context.language, "ics.done", **counts)
    return ToolResult(status=ResultStatus.SUCCESS, message=message, data=counts, rows=rows)


async def _stored_task(work: Work, entry: Entry, task: Task) -> Task:
    if entry.before is None:
        return await work.add_task(task)
    if set(entry.changed) == {"reminders"}:
        return entry.before
    stored = await work.save_task(entry.before, task)
    if _MOVING & set(entry.changed):
        await replan_reminders(work, entry.before, stored)
    return stored


async def _remind(work: Work, task: Task, entry: Entry) -> None:
    """Add the reminders that are missing, end those that are over."""
    found = await work.reminders.find(task_id=task.id, status=None) if entry.before else []
    there = {reminder.remind_at for reminder in found}
    for ended in entry.ended:
        current = await work.reminders.get(ended.id)
        if current and current.status is ReminderStatus.PENDING:
            await work.save_reminder(current, replace(current, status=ReminderStatus.CANCELLED))
    for ring in entry.rings:
        if ring.at not in there:
            await _add(work, task, ring)


async def _add(work: Work, task: Task, ring: Ring) -> Reminder:
    context = work.call.context
    shown = occurrence(task, ring.occurs_on) if ring.occurs_on else task
    added = await work.add_reminder(
        task_id=task.id,
        remind_at=ring.at,
        content=ring.content or reminder_content(shown, ring.at, None, context),
        reason=ring.reason,
        occurs_on=ring.occurs_on,
    )
    return await work.save_reminder(added, replace(added, status=ReminderStatus.SENT)) if ring.done else added
