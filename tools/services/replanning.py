"""Reminders follow their task (P9, P10, P24)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from tools.core.context import RunContext
from tools.core.text import text
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.reminders import ReminderRule, remind_at, weather_advice
from tools.domain.tasks import Task
from tools.services.wording import day_words, instant_words, span_words
from tools.store.effects import Work


async def cancel_reminders(work: Work, task_id: int) -> int:
    """Cancel a task's pending reminders; how many there were."""
    pending = await work.reminders.find(task_id=task_id)
    for reminder in pending:
        await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
    return len(pending)


async def replan_reminders(work: Work, before: Task, after: Task) -> list[str]:
    """Take a changed task's pending reminders along; sentences about those that moved.

    A reminder that the user placed keeps its distance from the start; one by rule follows the rule. The instant of one
    that need not move is left alone (P24), only its words follow.
    """
    context, notes = work.call.context, []
    moved = (before.date, before.start_time, before.time_segment) != (after.date, after.start_time, after.time_segment)
    for reminder in await work.reminders.find(task_id=after.id):
        at, rule = _new_time(reminder, before, after, context) if moved else (reminder.remind_at, reminder.reason)
        if at is None:
            await work.save_reminder(reminder, replace(reminder, status=ReminderStatus.CANCELLED))
            notes.append(text(context.language, "results.reminder_dropped"))
            continue
        # The advice of the old text still holds on the same day; the title is no weather report.
        said = reminder.content.replace(before.title, "") if after.date == before.date else None
        content = reminder_content(after, at, said, context)
        changed = replace(reminder, remind_at=at, content=content, reason=rule)
        if changed != reminder:
            await work.save_reminder(reminder, changed)
        if at != reminder.remind_at:
            notes.append(text(context.language, "results.reminder_moved", at=instant_words(at, context)))
    return notes


def _new_time(reminder: Reminder, before: Task, after: Task, context: RunContext) -> tuple[datetime | None, str]:
    if reminder.reason == ReminderRule.EXPLICIT:
        if before.start_time is None or after.start_time is None:
            at = reminder.remind_at + (after.date - before.date)
        else:
            old = datetime.combine(before.date, before.start_time, context.zone)
            at = datetime.combine(after.date, after.start_time, context.zone) - (old - reminder.remind_at)
        return (at if at > context.now else None), reminder.reason
    time = remind_at(after.date, after.start_time, after.time_segment, context.now, context.zone)
    return (time.at, time.rule.value) if time else (None, reminder.reason)


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
    return text(context.language, f"results.{name}", title=title, day=day, time=span) + ending
