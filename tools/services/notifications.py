"""Reminders: when by rule or by wish, what they say, and the row (A23-A29, P2, P18, P24).

Arranging is all that happens here; sending is the work of an outside scan of the table (A29).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from tools.core.context import Call, RunContext
from tools.core.errors import ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import days_of, is_occurrence, occurrence
from tools.domain.reminders import ReminderRule, ReminderTime, explicit_remind_at, remind_at
from tools.domain.segments import default_segment, segment_at
from tools.domain.tasks import Task
from tools.services.finding import Reference, find_task
from tools.services.placing import is_past
from tools.services.proposals import checked_title
from tools.services.repeating import series_of
from tools.services.replanning import TRIED, reminder_content
from tools.services.resolving import names_date, resolve, resolve_days, resolve_instant, resolve_offset
from tools.services.wording import days_words, instant_words, joined, reminder_info, sentences
from tools.store.database import Database
from tools.store.effects import Work, once
from tools.store.repositories import Reminders

#: Rules that are the first choice of A25; any other one was taken because these were past (P2).
USUAL = frozenset({ReminderRule.DAY_BEFORE, ReminderRule.TWO_HOURS, ReminderRule.MORNING_OF, ReminderRule.EXPLICIT})


@dataclass(frozen=True, slots=True)
class NewReminder:
    """A reminder as asked for.

    Attributes:
        task_id: The task's number; the row then tells title and time.
        task_title: Words of its title.
        task_date: Its date, in the user's words or ISO.
        task_time: Its clock time or part of the day.
        weather_info: What the weather agent found, for the advice.
        remind_at: The user's own wish: a time, or how long before.
    """

    task_id: int | None = None
    task_title: str | None = None
    task_date: str | None = None
    task_time: str | None = None
    weather_info: str | None = None
    remind_at: str | None = None


class NotificationService:
    """What users do with reminders; each method is one tool.

    Args:
        database: Where the rows are.
        console: Shows a line to the user at once (A29); the faces send it to standard error.
    """

    def __init__(self, database: Database, console: Callable[[str], None]) -> None:
        self.database = database
        self._console = console

    async def schedule(self, call: Call, new: NewReminder) -> ToolResult:
        """Arrange a reminder: time by rule unless the user named one, text with advice, one row."""
        context = call.context
        shown: list[str] = []

        async def perform(work: Work) -> ToolResult:
            task = await self._task(work, new)
            if isinstance(task, ToolResult):
                return task
            task, at = await _first_to_come(work, task, new.remind_at)
            if at is None:
                return _refused(task, new.remind_at, context)
            content = reminder_content(task, at.at, new.weather_info, context)
            # A time with a date of its own is meant once.
            every_time = is_occurrence(task) and not (new.remind_at and names_date(context, new.remind_at))
            reminder, is_new = await _placed(work, task, at, content, occurs_on=task.date if every_time else None)
            when = instant_words(reminder.remind_at, context)
            if is_new:
                shown.append(text(context.language, "results.console", at=when, content=content))
            return _arranged(reminder, at, is_new, context)

        result = await once(self.database, call, perform)
        for line in shown:
            self._console(line)
        return result

    async def coming(self, call: Call, date: str | None = None) -> ToolResult:
        """The user's pending reminders, of a date or all (A24)."""
        context = call.context
        span = resolve_days(context, date) if date else None
        first = datetime.combine(span[0], time(), context.zone).astimezone(UTC) if span else None
        end = datetime.combine(span[1] + timedelta(days=1), time(), context.zone).astimezone(UTC) if span else None
        async with self.database.reading() as session:
            found = await Reminders(session, context.user_id).find(first=first, end=end)
        return ToolResult(
            status=ResultStatus.SUCCESS,
            message=_list_message(found, days_words(*span, context) if span else None, context),
            data={"reminders": [reminder_info(reminder, context) for reminder in found]},
            rows=[f"reminder:{reminder.id}" for reminder in found],
        )

    async def cancel(self, call: Call, reminder_id: int | None, task_title: str | None = None) -> ToolResult:
        """Mark pending reminders as cancelled (A24): one by its number, or those of a task by its name."""
        context = call.context

        async def perform(work: Work) -> ToolResult:
            pending = await self._pending(work, reminder_id, task_title)
            if isinstance(pending, ToolResult):
                return pending
            if not pending:
                message = text(context.language, "results.reminder_not_found")
                return ToolResult(status=ResultStatus.ERROR, message=message)
            for reminder in pending:
                await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
            at = joined([instant_words(reminder.remind_at, context) for reminder in pending], context)
            return ToolResult(
                status=ResultStatus.SUCCESS,
                message=text(context.language, "results.reminder_cancelled", at=at),
                rows=[f"reminder:{reminder.id}" for reminder in pending],
            )

        return await once(self.database, call, perform)

    async def _pending(
        self, work: Work, reminder_id: int | None, task_title: str | None
    ) -> list[Reminder] | ToolResult:
        if reminder_id is not None:
            reminder = await work.reminders.get(reminder_id)
            return [reminder] if reminder and reminder.status is ReminderStatus.PENDING else []
        task = await find_task(work, Reference(title=task_title))
        return task if isinstance(task, ToolResult) else await work.reminders.find(task_id=task.id)

    async def _task(self, work: Work, new: NewReminder) -> Task | ToolResult:
        """The task to be reminded of: the row, whatever the model believes of it; else one as described."""
        if new.task_id is not None:
            return await find_task(work, Reference(task_id=new.task_id))
        found = await find_task(work, Reference(title=new.task_title, on_date=new.task_date))
        if isinstance(found, Task) or found.status is not ResultStatus.ERROR or not new.task_date:
            return found
        return _described(new, work.call.context)


def _described(new: NewReminder, context: RunContext) -> Task:
    """A task that is no row: a reminder may stand alone (A28, ``taskId`` may be null)."""
    timing = resolve(context, new.task_date, new.task_time)
    day = timing.day or context.now.date()
    segment = timing.segment or (segment_at(timing.start) if timing.start else default_segment(day, context.now))
    title = checked_title(new.task_title or "")
    return Task(0, context.user_id, title, day, timing.start, timing.end, segment)


def _time_of(task: Task, wish: str | None, context: RunContext) -> ReminderTime | None:
    """The user's wish beats the rule (P2); ``None`` when it, or all that the rule offers, is past.

    Raises:
        ToolArgumentError: The wish names no time.
    """
    if not wish:
        if is_past(task, context):
            return None
        return remind_at(task.date, task.start_time, task.time_segment, context.now, context.zone)
    before = resolve_offset(context, wish)
    if before is not None:
        return explicit_remind_at(task.date, task.start_time, task.time_segment, before, context.now, context.zone)
    at = resolve_instant(context, wish, task.date)
    if at is None:
        raise ToolArgumentError("bad_time", value=wish)
    return ReminderTime(at, ReminderRule.EXPLICIT) if at >= context.now else None


async def _first_to_come(work: Work, task: Task, wish: str | None) -> tuple[Task, ReminderTime | None]:
    """The task and when to remind of it; of a series the first date whose time is still to come."""
    context = work.call.context
    at = _time_of(task, wish, context)
    if at is None and is_occurrence(task):
        series = await series_of(work, task)
        for day in islice(days_of(series, task.date + timedelta(days=1)), TRIED):
            later = occurrence(series, day)
            if at := _time_of(later, wish, context):
                return later, at
    return task, at


async def _placed(
    work: Work, task: Task, at: ReminderTime, content: str, occurs_on: date | None
) -> tuple[Reminder, bool]:
    """The row: a new one, or the pending one that already rings then; a wish replaces the one by rule (P24)."""
    pending = await work.reminders.find(task_id=task.id) if task.id else []
    for reminder in pending:
        if reminder.remind_at == at.at:
            if reminder.content != content:
                reminder = await work.save_reminder(reminder, replace(reminder, content=content))
            return reminder, False
    if at.rule is ReminderRule.EXPLICIT:
        for reminder in pending:
            if reminder.reason != ReminderRule.EXPLICIT:
                await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
    added = await work.add_reminder(
        task_id=task.id or None, remind_at=at.at, content=content, reason=at.rule.value, occurs_on=occurs_on
    )
    return added, True


def _arranged(reminder: Reminder, at: ReminderTime, is_new: bool, context: RunContext) -> ToolResult:
    # A real ISO moment here, as seed 000 section 4.1 has it; the note agent says it as people do.
    moment = f"{reminder.remind_at.astimezone(context.zone):%Y-%m-%d %H:%M}"
    name = "reminder_made" if is_new else "reminder_same"
    message = text(context.language, f"results.{name}", at=moment, content=reminder.content)
    if at.rule not in USUAL:
        message += text(context.language, "results.reminder_why_late")
    if reminder.occurs_on is not None:
        message = sentences([message, text(context.language, "results.reminder_every_time")], context)
    return ToolResult(
        status=ResultStatus.SUCCESS,
        message=message,
        data={"reminder": reminder_info(reminder, context)},
        rows=[f"reminder:{reminder.id}"],
    )


def _refused(task: Task, wish: str | None, context: RunContext) -> ToolResult:
    """The user's own time is past: an error. Nothing is left of the rule (A26): said, and nothing to do."""
    status = ResultStatus.ERROR if wish else ResultStatus.SUCCESS
    name = "reminder_past_explicit" if wish else "reminder_past"
    message = text(context.language, f"results.{name}", title=task.title, at=wish)
    return ToolResult(status=status, message=message)


def _list_message(found: list[Reminder], day: str | None, context: RunContext) -> str:
    language = context.language
    if not found:
        return text(language, "results.reminders_none_day" if day else "results.reminders_none", day=day)
    items = [
        text(language, "results.reminder_item", at=instant_words(r.remind_at, context), content=r.content)
        for r in found
    ]
    return text(language, "results.reminders_list", count=len(found), list=joined(items, context))
