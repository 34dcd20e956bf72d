"""Reminders follow their task (P9, P10, P24).

A series has one pending reminder of a kind: that of its next date. When it is sent, or its date is done with, the one
of the date after it is arranged.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from tools.core.context import RunContext
from tools.core.text import text
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import days_of, is_occurrence, occurrence, occurrence_on
from tools.domain.reminders import ReminderRule, remind_at, weather_advice
from tools.domain.tasks import Task, TaskStatus
from tools.services.wording import day_words, instant_words, span_words
from tools.store.effects import Work

#: Dates of a series that are looked at for one whose reminder is still to come.
TRIED = 40


async def cancel_reminders(work: Work, task: Task) -> int:
    """Cancel the pending reminders of a task, or of one date of a series; how many there were."""
    pending = await _pending(work, task)
    for reminder in pending:
        await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
    await _go_on(work, task, pending)
    return len(pending)


async def hand_over_reminders(work: Work, occurrence: Task, row: Task) -> list[str]:
    """Give the pending reminders of a date of a series to the row it became; sentences about those that moved."""
    pending = await _pending(work, occurrence)
    for reminder in pending:
        await work.save_reminder(reminder, replace(reminder, task_id=row.id, occurs_on=None))
    await _go_on(work, occurrence, pending)
    return await replan_reminders(work, occurrence, row)


async def replan_reminders(work: Work, before: Task, after: Task) -> list[str]:
    """Take a changed task's pending reminders along; sentences about those that moved.

    A reminder that the user placed keeps its distance from the start; one by rule follows the rule. The instant of one
    that need not move is left alone (P24), only its words follow. Of a series it is the next date that counts.
    """
    context, notes = work.call.context, []
    for reminder in await work.reminders.find(task_id=after.id):
        old, new, time = _followed(reminder, before, after, context)
        if time is None:
            await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
            notes.append(text(context.language, "results.reminder_dropped"))
            continue
        # The advice of the old text still holds on the same day; the title is no weather report.
        said = reminder.content.replace(before.title, "") if new.date == old.date else None
        content = reminder_content(new, time[0], said, context)
        on = new.date if after.rrule else None
        changed = replace(reminder, remind_at=time[0], content=content, reason=time[1], occurs_on=on)
        if changed != reminder:
            await work.save_reminder(reminder, changed)
        if time[0] != reminder.remind_at:
            notes.append(text(context.language, "results.reminder_moved", at=instant_words(time[0], context)))
    return notes


def next_of_series(series: Task, last: Reminder, context: RunContext) -> Reminder | None:
    """The reminder of the series' next date, in place of one that is sent or no longer needed; its id is of no meaning.

    One that the user placed rings at the same wall time, as many days before; one by rule follows the rule.
    """
    if last.occurs_on is None or series.rrule is None or series.status is not TaskStatus.PENDING:
        return None
    first = max(last.occurs_on + timedelta(days=1), context.now.date())
    for day in islice(days_of(series, first), TRIED):
        task = occurrence(series, day)
        at, rule = _same_wall(last.remind_at, day - last.occurs_on, context), last.reason
        if last.reason != ReminderRule.EXPLICIT:
            by_rule = remind_at(day, task.start_time, task.time_segment, context.now, context.zone)
            if by_rule is None:
                continue
            at, rule = by_rule.at, by_rule.rule.value
        if at > context.now:
            content = reminder_content(task, at, None, context)
            return replace(last, remind_at=at, content=content, reason=rule, occurs_on=day)
    return None


def arrangement(reminder: Reminder) -> dict[str, Any]:
    """What a new row needs of a reminder that is none yet."""
    return {
        "task_id": reminder.task_id,
        "remind_at": reminder.remind_at,
        "content": reminder.content,
        "reason": reminder.reason,
        "channel": reminder.channel,
        "occurs_on": reminder.occurs_on,
    }


async def _pending(work: Work, task: Task) -> list[Reminder]:
    found = await work.reminders.find(task_id=task.id)
    return [reminder for reminder in found if not is_occurrence(task) or reminder.occurs_on == task.date]


async def _go_on(work: Work, task: Task, ended: list[Reminder]) -> None:
    """Arrange the reminders of the next date, when those of one date of a series have ended."""
    series = await work.tasks.get(task.id) if is_occurrence(task) and ended else None
    for reminder in ended if series else ():
        coming = next_of_series(series, reminder, work.call.context) if series else None
        if coming:
            await work.add_reminder(**arrangement(coming))


def _followed(
    reminder: Reminder, before: Task, after: Task, context: RunContext
) -> tuple[Task, Task, tuple[datetime, str] | None]:
    """The date it rang for, the date it rings for now, and when; no time when there is none left."""
    if after.rrule is None:
        return before, after, _new_time(reminder, before, after, context)
    day = reminder.occurs_on or before.date
    old = occurrence(before, day)
    time_of_day = (before.start_time, before.time_segment) == (after.start_time, after.time_segment)
    if time_of_day and occurrence_on(after, day):
        return old, occurrence(after, day), (reminder.remind_at, reminder.reason)
    for coming in islice(days_of(after, context.now.date()), TRIED):
        new = occurrence(after, coming)
        if time := _new_time(reminder, old, new, context):
            return old, new, time
    return old, old, None


def _new_time(reminder: Reminder, before: Task, after: Task, context: RunContext) -> tuple[datetime, str] | None:
    if (before.date, before.start_time, before.time_segment) == (after.date, after.start_time, after.time_segment):
        return reminder.remind_at, reminder.reason
    if reminder.reason == ReminderRule.EXPLICIT:
        if before.start_time is None or after.start_time is None:
            at = _same_wall(reminder.remind_at, after.date - before.date, context)
        else:
            old = datetime.combine(before.date, before.start_time, context.zone)
            at = datetime.combine(after.date, after.start_time, context.zone) - (old - reminder.remind_at)
        return (at, reminder.reason) if at > context.now else None
    time = remind_at(after.date, after.start_time, after.time_segment, context.now, context.zone)
    return (time.at, time.rule.value) if time else None


def _same_wall(moment: datetime, later: timedelta, context: RunContext) -> datetime:
    """The same wall time some days later: a clock change moves no habit."""
    local = moment.astimezone(context.zone)
    return datetime.combine(local.date() + later, local.time(), context.zone)


def reminder_content(task: Task, at: datetime, weather_info: str | None, context: RunContext) -> str:
    """What the reminder says: day as seen when it rings, time, title, and advice if the weather calls for it (A27)."""
    rings = replace(context, now=at.astimezone(context.zone))
    return reminder_text(
        task.title, day_of(task, rings), span_words(task, context), bool(task.start_time), weather_info, context
    )


def day_of(task: Task, rings: RunContext) -> str:
    """The task's day as one would call it at the moment of ringing: today, tomorrow, else the date."""
    ahead = (task.date - rings.now.date()).days
    return text(rings.language, f"when.near_{ahead}") if ahead in (0, 1, 2) else day_words(task.date, rings)


def reminder_text(title: str, day: str, span: str, timed: bool, weather_info: str | None, context: RunContext) -> str:
    """Title, time and advice in one line."""
    name = "reminder_content_timed" if timed else "reminder_content"
    advice = weather_advice(weather_info)
    ending = text(context.language, f"results.advice_{advice.value}") if advice else ""
    return text(context.language, f"results.{name}", title=title, day=day, time=span).strip() + ending
