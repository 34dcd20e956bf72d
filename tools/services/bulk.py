"""Several tasks at once: ended or moved, all of a date or each by its name (P12, P24)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.tasks import Task, TaskStatus
from tools.services.finding import Reference, find_all, find_each
from tools.services.proposals import Proposal, conflict_refusal, never_mind, past_refusal
from tools.services.repeating import change as carry_out
from tools.services.repeating import end
from tools.services.resolving import resolve_days
from tools.services.wording import days_words, listed
from tools.store.effects import Work

#: What becomes of a task; or the result that says why nothing can.
Change = Callable[[Task], Awaitable[Task | ToolResult]]


async def end_several(work: Work, reference: Reference, status: TaskStatus) -> ToolResult | None:
    """End all tasks of a date, or those named one by one; ``None`` when a single one is meant.

    Cancelling more than one is always asked first, whatever the request says; so is calling a whole date done, but
    not tasks that the user has named as done (P12, P24).
    """
    tasks = await _meant(work, reference)
    if tasks is None:
        return None
    if not tasks:
        return _nothing(work, reference)
    context, language = work.call.context, work.call.context.language
    how = "finish" if status is TaskStatus.COMPLETED else "remove"
    named = listed(tasks, context, with_day=True)
    rows = [f"task:{task.id}" for task in tasks]
    asks = how == "remove" or reference.everything
    if asks and len(tasks) > 1 and not work.call.permitted:
        message = text(language, f"results.{how}_all_ask", count=len(tasks), list=named)
        return _ask(work, tasks, message, text(language, f"results.choice_{how}_all"))
    for task in tasks:
        await end(work, task, status)
    message = text(language, f"results.{how}_all_done", count=len(tasks), list=named)
    return ToolResult(status=ResultStatus.SUCCESS, message=message, rows=rows)


async def move_several(work: Work, reference: Reference, change: Change) -> ToolResult | None:
    """Change several tasks alike; ``None`` when a single one is meant.

    Moving destroys nothing, so it is done at once, unless one of them would collide or lie in the past: that is asked
    about once, for all (P5, P12).
    """
    tasks = await _meant(work, reference)
    if tasks is None:
        return None
    if not tasks:
        return _nothing(work, reference)
    context, language = work.call.context, work.call.context.language
    moved: list[tuple[Task, Task]] = []
    for task in tasks:
        after = await change(task)
        if isinstance(after, ToolResult):
            return after
        moved.append((task, after))
    if not work.call.permitted:
        for task, after in moved:
            proposal = Proposal(after, before=task)
            if past_refusal(proposal, context) or await conflict_refusal(work, proposal):
                named = listed(tasks, context, with_day=True)
                facts = {"count": len(tasks), "list": named, "title": after.title}
                message = text(language, "results.move_all_ask", **facts)
                return _ask(work, tasks, message, text(language, "results.choice_move_all"))
    for task, after in moved:
        await carry_out(work, task, after)
    named = listed([after for _, after in moved], context, with_day=True)
    message = text(language, "results.move_all_done", count=len(tasks), list=named)
    return ToolResult(status=ResultStatus.SUCCESS, message=message, rows=[f"task:{task.id}" for task in tasks])


async def _meant(work: Work, reference: Reference) -> list[Task] | None:
    return await (find_all(work, reference) if reference.everything else find_each(work, reference))


def _nothing(work: Work, reference: Reference) -> ToolResult:
    context = work.call.context
    days = days_words(*resolve_days(context, reference.on_date), context)
    message = text(context.language, "results.tasks_none", day=days)
    return ToolResult(status=ResultStatus.ERROR, message=message)


def _ask(work: Work, tasks: list[Task], message: str, label: str) -> ToolResult:
    """The question before the deed. The yes is for these tasks: a date is named outright, should it come later."""
    first = tasks[0].date
    fixed = all(task.date == first for task in tasks)
    yes = Choice(id="yes", label=label, arguments={"on_date": first.isoformat()} if fixed else {}, permit=True)
    return ToolResult(
        status=ResultStatus.NEED_CONFIRMATION,
        message=message,
        rows=[f"task:{task.id}" for task in tasks],
        choices=[yes, never_mind(work.call.context)],
    )
