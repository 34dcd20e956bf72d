"""What the task tools answer: the sentences, and the task they are about (P21)."""

from __future__ import annotations

from datetime import date

from tools.core.context import RunContext
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.placing import is_running
from tools.services.proposals import Proposal
from tools.services.wording import (
    day_words,
    days_words,
    info,
    listed,
    segment_words,
    sentences,
    span_words,
    when_words,
)


def created(stored: Task, proposal: Proposal, near: list[Task], context: RunContext) -> ToolResult:
    """A new task, how its time was read, and what stands close by (P3, P16)."""
    language = context.language
    name = "task_created_high" if stored.priority is Priority.HIGH else "task_created"
    parts = [text(language, f"results.{name}", title=stored.title, when=when_words(stored, context))]
    if stored.rrule:
        parts.append(text(language, "results.task_repeats", first=day_words(stored.date, context)))
    if is_running(stored, context):
        parts.append(text(language, "results.still_running"))
    if proposal.day_assumed and stored.date == context.now.date():
        parts.append(text(language, "results.assumed_today"))
    elif proposal.segment_assumed and stored.time_segment is not TimeSegment.ALL_DAY:
        segment = segment_words(stored.time_segment, context)
        parts.append(text(language, "results.assumed_segment", segment=segment))
    if near:
        parts.append(text(language, "results.neighbour", title=near[0].title, when=span_words(near[0], context)))
    return ToolResult(
        status=ResultStatus.SUCCESS,
        message=sentences(parts, context),
        task=info(stored),
        rows=[f"task:{stored.id}"],
    )


def found_message(tasks: list[Task], first: date | None, last: date | None, context: RunContext) -> str:
    """The tasks of a date, of a range, or of all dates."""
    language = context.language
    if first is None or last is None:
        if not tasks:
            return text(language, "results.tasks_all_none")
        return text(language, "results.tasks_found", count=len(tasks), list=listed(tasks, context, with_day=True))
    day = days_words(first, last, context)
    if not tasks:
        return text(language, "results.tasks_none", day=day)
    names = listed(tasks, context, with_day=first != last)
    return text(language, "results.tasks_of", day=day, count=len(tasks), list=names)


def ended(task: Task, reminders: int, context: RunContext) -> ToolResult:
    """A task done or dropped, and its reminders gone with it (P10)."""
    name = "removed"
    if task.status is TaskStatus.COMPLETED:
        name = "finished" if task.date == context.now.date() else "finished_day"
    parts = [text(context.language, f"results.{name}", title=task.title, when=when_words(task, context))]
    if reminders:
        parts.append(text(context.language, "results.finished_reminders"))
    return _done(task, parts, context)


def modified(before: Task, after: Task, notes: list[str], context: RunContext) -> ToolResult:
    """A changed task, and what became of its reminders (P9)."""
    name = "modified_title" if after.title != before.title else "modified"
    name = "modified_same" if after == before else name
    when = when_words(after, context)
    parts = [text(context.language, f"results.{name}", old=before.title, title=after.title, when=when), *notes]
    return _done(after, parts, context)


def _done(task: Task, parts: list[str], context: RunContext) -> ToolResult:
    return ToolResult(
        status=ResultStatus.SUCCESS,
        message=sentences(parts, context),
        task=info(task),
        rows=[f"task:{task.id}"],
    )
