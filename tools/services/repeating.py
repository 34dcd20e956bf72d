"""Recurring tasks: which of its dates the user means, and how one date goes its own way.

Doing something with "the stand-up" of every Monday can mean one Monday or all of them. A date in the request means
that one; a recurrence ("每周一的站会") means all; to finish it means today's. Else the user is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.recurrence import is_occurrence, occurrence, without
from tools.domain.tasks import Task, TaskStatus
from tools.services.proposals import never_mind, this_one
from tools.services.replanning import cancel_reminders, hand_over_reminders, replan_reminders
from tools.services.wording import info, when_words
from tools.store.effects import Work

Which = Literal["one", "all"]


async def meant_of_series(work: Work, task: Task, which: Which | None) -> Task | ToolResult:
    """The occurrence itself, the whole series, or the result that asks.

    Args:
        work: The call at work.
        task: What the reference led to; a task that is no occurrence comes back as it is.
        which: What is known already; ``None`` asks.
    """
    if not is_occurrence(task) or which == "one":
        return task
    if which == "all":
        return await series_of(work, task)
    return await _which(work, task)


async def series_of(work: Work, occurrence: Task) -> Task:
    """The stored series of an occurrence."""
    series = await work.tasks.get(occurrence.id)
    if series is None:
        raise LookupError(f"series {occurrence.id} went away")
    return series


async def end(work: Work, task: Task, status: TaskStatus) -> tuple[Task, int]:
    """End a task, or one date of a series; the row as stored and how many reminders were cancelled with it (P10)."""
    after = replace(task, status=status)
    stored = await (_detach(work, task, after) if is_occurrence(task) else work.save_task(task, after))
    return stored, await cancel_reminders(work, task)


async def change(work: Work, task: Task, after: Task) -> tuple[Task, list[str]]:
    """Change a task, or one date of a series; the row as stored and sentences about its reminders (P9)."""
    if is_occurrence(task):
        stored = await _detach(work, task, after)
        return stored, await hand_over_reminders(work, task, stored)
    stored = await work.save_task(task, after)
    return stored, await replan_reminders(work, task, stored)


async def _detach(work: Work, occurrence: Task, after: Task) -> Task:
    """Let one date of a series go its own way: a row of its own, and an exception of the series."""
    series = await series_of(work, occurrence)
    await work.save_task(series, without(series, occurrence.date))
    return await work.add_task(replace(after, rrule=None, exdates=(), series_id=series.id, uid=None))


async def _which(work: Work, task: Task) -> ToolResult:
    context, series = work.call.context, await series_of(work, task)
    facts = {"title": task.title, "when": when_words(series, context), "day": when_words(task, context)}
    return ToolResult(
        status=ResultStatus.NEED_CONFIRMATION,
        message=text(context.language, "results.which_of_series", **facts),
        task=info(series),
        rows=[f"task:{series.id}"],
        choices=[
            Choice(
                id="one",
                label=text(context.language, "results.choice_this_one", **facts),
                arguments=this_one(occurrence(series, task.date)),
            ),
            Choice(
                id="all",
                label=text(context.language, "results.choice_whole_series", **facts),
                arguments=this_one(series),
            ),
            never_mind(context),
        ],
    )
