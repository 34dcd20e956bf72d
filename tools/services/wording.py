"""How dates, times and tasks are said to the user (P21): 周六（2月14日）早上, Saturday (14 February), morning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Any

from tools.core.context import RunContext
from tools.core.result import TaskInfo
from tools.core.text import text
from tools.domain.records import Reminder
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Task, TaskStatus
from tools.services.rule_words import rule_words

#: How many tasks a message names before it only counts.
LISTED = 12


def day_words(day: date, context: RunContext, *, near: bool = True) -> str:
    """A date with its weekday; today, tomorrow and the day after are called so, another year is named."""
    language = context.language
    facts = {
        "weekday": text(language, f"when.weekday_{day.weekday()}"),
        "month": day.month if language == "zh" else text(language, f"when.month_{day.month}"),
        "day": day.day,
        "year": day.year,
    }
    ahead = (day - context.now.date()).days
    words = text(language, "when.day" if day.year == context.now.year else "when.day_of_year", **facts)
    if not near or ahead not in (0, 1):
        return words
    return text(language, f"when.near_{ahead}") + ("" if language == "zh" else ", ") + words


def days_words(first: date, last: date, context: RunContext) -> str:
    """One date, or from one to another."""
    if first == last:
        return day_words(first, context)
    return text(
        context.language,
        "when.range",
        first=day_words(first, context, near=False),
        last=day_words(last, context, near=False),
    )


def clock_words(moment: time) -> str:
    """Wall time as ``HH:MM``."""
    return f"{moment:%H:%M}"


def segment_words(segment: TimeSegment, context: RunContext) -> str:
    """The part of the day."""
    return text(context.language, f"when.segment_{segment.value}")


def span_words(task: Task, context: RunContext) -> str:
    """When on its day: a clock time, a span, or the part of the day; empty when no time was ever said."""
    if task.start_time is None:
        said = task.time_segment is not TimeSegment.ALL_DAY or task.blocks_day
        return segment_words(task.time_segment, context) if said else ""
    if task.end_time is None or task.end_time == task.start_time:
        return clock_words(task.start_time)
    end = clock_words(task.end_time)
    if task.end_time < task.start_time:
        end = text(context.language, "when.next_day", time=end)
    return f"{clock_words(task.start_time)}-{end}"


def when_words(task: Task, context: RunContext, *, near: bool = True) -> str:
    """The task's day and time, for example 周六（2月14日）早上; the day alone when no time was ever said.

    A series is said by its rule: 每周一09:00.
    """
    day, span = day_words(task.date, context, near=near), span_words(task, context)
    if task.rrule:
        day = rule_words(task.rrule, task.date, context.language)
    if not span:
        return day
    if context.language == "en":
        return f"{day}, {span}"
    return f"{day}{span}"


def instant_words(moment: datetime, context: RunContext) -> str:
    """An instant in the user's zone."""
    local = moment.astimezone(context.zone)
    return text(context.language, "when.at_time", day=day_words(local.date(), context), time=clock_words(local.time()))


def listed(tasks: Sequence[Task], context: RunContext, *, with_day: bool) -> str:
    """Tasks in one sentence; a long list is cut and counted."""
    said = [_item(task, context, with_day=with_day) for task in tasks[:LISTED]]
    if len(tasks) > LISTED:
        said.append(text(context.language, "results.tasks_more", count=len(tasks)))
    return joined(said, context)


def joined(parts: Iterable[str], context: RunContext) -> str:
    """Parts of one list."""
    return text(context.language, "when.list_separator").join(parts)


def _item(task: Task, context: RunContext, *, with_day: bool) -> str:
    when = when_words(task, context) if with_day else span_words(task, context)
    ending = {TaskStatus.COMPLETED: "_done", TaskStatus.CANCELLED: "_cancelled"}.get(task.status, "")
    return text(context.language, f"results.task_item{ending}", when=when, title=task.title).lstrip()


def sentences(parts: Iterable[str], context: RunContext) -> str:
    """Sentences one after another: with a blank between in English, without in Chinese."""
    return ("" if context.language == "zh" else " ").join(parts)


def info(task: Task) -> TaskInfo:
    """The task as models and programs see it."""
    return TaskInfo(
        id=task.id,
        title=task.title,
        date=task.date.isoformat(),
        start_time=clock_words(task.start_time) if task.start_time else None,
        end_time=clock_words(task.end_time) if task.end_time else None,
        time_segment=task.time_segment.value,
        priority=task.priority.value,
        status=task.status.value,
        group_id=task.group_id,
        description=task.description,
        repeats=task.rrule,
        all_day=task.blocks_day or None,
    )


def reminder_info(reminder: Reminder, context: RunContext) -> dict[str, Any]:
    """The reminder as models and programs see it; ``remind_at`` with the offset of the user's zone."""
    return {
        "id": reminder.id,
        "task_id": reminder.task_id,
        "remind_at": reminder.remind_at.astimezone(context.zone).isoformat(timespec="minutes"),
        "content": reminder.content,
        "reason": reminder.reason,
        "status": reminder.status.value,
        "channel": reminder.channel,
    }
