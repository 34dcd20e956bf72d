"""Which task the user means (A13-A15, P6, P8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from tools.core.context import RunContext
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.lookup import LookupKind, find_tasks, titles_in
from tools.domain.recurrence import is_occurrence, next_occurrence, occurrence_on
from tools.domain.similarity import canonical_title
from tools.domain.tasks import Task, TaskStatus
from tools.services.proposals import never_mind
from tools.services.resolving import is_recurring, resolve_days
from tools.services.wording import info, listed, when_words
from tools.store.effects import Work


@dataclass(frozen=True, slots=True)
class Reference:
    """How a task is named.

    Attributes:
        task_id: Its number, when a turn before told it.
        title: Words of its title.
        on_date: The date it stands on, in the user's words; not the date that it moves to.
        everything: All pending tasks of that date (today if none is named) are meant.
        whole_series: Of a recurring task all dates are meant.
    """

    task_id: int | None = None
    title: str | None = None
    on_date: str | None = None
    everything: bool = False
    whole_series: bool = False


class NotFound(ToolResult):
    """That there is no such task.

    Attributes:
        title: The words that named it.
        tasks: The pending tasks among which it was looked for; not part of what is told.
    """

    title: str = Field(exclude=True)
    tasks: tuple[Any, ...] = Field(exclude=True)  # of Task, which pydantic cannot read: its date is a date


async def find_all(work: Work, reference: Reference) -> list[Task]:
    """All pending tasks of the date that is meant."""
    first, last = resolve_days(work.call.context, reference.on_date)
    return await work.tasks.between(first, last, status=TaskStatus.PENDING)


async def find_each(work: Work, reference: Reference) -> list[Task] | None:
    """The tasks that a title such as 周报和体检 names one by one; ``None`` unless each part names just one of its own.

    A task whose title is the whole of it comes first: 和小王吃饭和看电影 may well be one thing.
    """
    parts = titles_in(reference.title or "") if reference.task_id is None else []
    if len(parts) < 2:
        return None
    day, tasks = await _met_tasks(work, reference)
    whole = canonical_title(reference.title or "")
    if any(canonical_title(task.title) == whole for task in tasks):
        return None
    found = [find_tasks(part, tasks, now=work.call.context.now, day=day) for part in parts]
    if any(lookup.kind is not LookupKind.ONE for lookup in found):
        return None
    named = {lookup.tasks[0].id: lookup.tasks[0] for lookup in found}
    return list(named.values()) if len(named) == len(parts) else None


async def find_task(work: Work, reference: Reference) -> Task | ToolResult:
    """The one task that is meant, or the result that asks or says that there is none.

    Of a series that is the occurrence on the date that was named; else today's, else the next one.
    """
    context = work.call.context
    if reference.task_id is not None:
        return await _by_id(work, reference.task_id, _named_day(reference, context))
    if not (reference.title or "").strip():
        return _error("no_reference", context)
    title = (reference.title or "").strip()
    day, tasks = await _met_tasks(work, reference)
    lookup = find_tasks(title, tasks, now=context.now, day=day)
    if lookup.kind is LookupKind.ONE:
        return lookup.tasks[0]
    if lookup.kind is LookupKind.ALREADY_DONE:
        return _already_done(lookup.tasks[0], context)
    if lookup.kind is LookupKind.NONE:
        pending = tuple(task for task in tasks if task.status is TaskStatus.PENDING and day in (None, task.date))
        words = text(context.language, "results.not_found", title=title)
        return NotFound(status=ResultStatus.ERROR, message=words, title=title, tasks=pending)
    return candidates(title, list(lookup.tasks), context)


async def _met_tasks(work: Work, reference: Reference) -> tuple[date | None, list[Task]]:
    """The date that was named, and the user's tasks as met on it, or from now on."""
    context = work.call.context
    day = _named_day(reference, context)
    tasks = [met for task in await work.tasks.between() if (met := _met(task, day, context))]
    if reference.whole_series or is_recurring(context, reference.on_date):
        tasks = [task for task in tasks if is_occurrence(task)] or tasks
    return day, tasks


def _named_day(reference: Reference, context: RunContext) -> date | None:
    """The date; ``None`` also for a recurrence, which names a series and none of its dates."""
    if not reference.on_date or is_recurring(context, reference.on_date):
        return None
    return resolve_days(context, reference.on_date)[0]


def _met(task: Task, day: date | None, context: RunContext) -> Task | None:
    """A task as the user meets it on a date, or from now on; ``None`` when a series does not come then."""
    if task.rrule is None or task.status is not TaskStatus.PENDING:
        return task
    return occurrence_on(task, day) if day else next_occurrence(task, context.now.date())


async def _by_id(work: Work, task_id: int, day: date | None) -> Task | ToolResult:
    task = await work.tasks.get(task_id)
    task = _met(task, day, work.call.context) if task else None
    if task is None or task.status is TaskStatus.CANCELLED:
        return _error("not_found_id", work.call.context)
    return task if task.status is TaskStatus.PENDING else _already_done(task, work.call.context)


def candidates(title: str, tasks: list[Task], context: RunContext) -> ToolResult:
    """Ask which one; picking one repeats the call with its number."""
    name = "candidates" if len(tasks) > 1 else "candidate_one"
    return ToolResult(
        status=ResultStatus.NEED_CONFIRMATION,
        message=text(context.language, f"results.{name}", title=title, list=listed(tasks, context, with_day=True)),
        data={"candidates": [info(task).model_dump(exclude_none=True) for task in tasks]},
        rows=[f"task:{task.id}" for task in tasks],
        choices=[
            *(
                Choice(
                    id=f"task:{task.id}",
                    label=f"{when_words(task, context)} {task.title}",
                    arguments={"task_id": task.id, "title": None, "on_date": None},
                )
                for task in tasks
            ),
            never_mind(context),
        ],
    )


def _already_done(task: Task, context: RunContext) -> ToolResult:
    return ToolResult(
        status=ResultStatus.SUCCESS,
        message=text(context.language, "results.already_done", title=task.title),
        task=info(task),
        rows=[f"task:{task.id}"],
    )


def _error(name: str, context: RunContext, **facts: object) -> ToolResult:
    return ToolResult(status=ResultStatus.ERROR, message=text(context.language, f"results.{name}", **facts))
