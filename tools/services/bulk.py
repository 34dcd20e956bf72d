"""Ending tasks: one, or several at once (P12, P24)."""

from __future__ import annotations

from dataclasses import replace

from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.recurrence import is_occurrence
from tools.domain.tasks import Task, TaskStatus
from tools.services.finding import Reference, find_all
from tools.services.proposals import never_mind
from tools.services.repeating import detach
from tools.services.replanning import cancel_reminders
from tools.services.resolving import resolve_days
from tools.services.wording import days_words, listed
from tools.store.effects import Work


async def end(work: Work, task: Task, status: TaskStatus) -> tuple[Task, int]:
    """End a task, or one date of a series; the row as stored and how many reminders were cancelled with it (P10)."""
    if is_occurrence(task):
        stored = await detach(work, task, replace(task, status=status))
    else:
        stored = await work.save_task(task, replace(task, status=status))
    return stored, await cancel_reminders(work, task)


async def end_all(work: Work, reference: Reference, status: TaskStatus) -> ToolResult:
    """Several tasks at once: always asked first when there is more than one, whatever the request says (P12, P24)."""
    context, language = work.call.context, work.call.context.language
    tasks = await find_all(work, reference)
    how = "finish" if status is TaskStatus.COMPLETED else "remove"
    if not tasks:
        days = days_words(*resolve_days(context, reference.on_date), context)
        return ToolResult(status=ResultStatus.ERROR, message=text(language, "results.tasks_none", day=days))
    named = listed(tasks, context, with_day=True)
    rows = [f"task:{task.id}" for task in tasks]
    if len(tasks) > 1 and not work.call.permitted:
        # The yes is for these tasks: the date is named outright, in case the answer comes on a later day.
        first = tasks[0].date
        same_day = all(task.date == first for task in tasks)
        yes = Choice(
            id="yes",
            label=text(language, f"results.choice_{how}_all"),
            arguments={"on_date": first.isoformat()} if same_day else {},
            permit=True,
        )
        return ToolResult(
            status=ResultStatus.NEED_CONFIRMATION,
            message=text(language, f"results.{how}_all_ask", count=len(tasks), list=named),
            rows=rows,
            choices=[yes, never_mind(context)],
        )
    for task in tasks:
        await end(work, task, status)
    message = text(language, f"results.{how}_all_done", count=len(tasks), list=named)
    return ToolResult(status=ResultStatus.SUCCESS, message=message, rows=rows)
