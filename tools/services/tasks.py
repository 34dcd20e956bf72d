"""What users do with tasks: arrange, look up, change, finish, drop (A08-A15, P6-P12). One method is one tool.

All rules are here and below, none in a prompt (A33).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from tools.core.context import Call, RunContext
from tools.core.result import ResultStatus, ToolResult
from tools.domain.conflicts import neighbours
from tools.domain.segments import TimeSegment, segment_at
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.bulk import end_several, move_several
from tools.services.finding import Reference, find_task
from tools.services.groups import group_of
from tools.services.meaning import TitleMeaning, offered_by_meaning
from tools.services.placing import moved_to, placed, shifted, stretched
from tools.services.proposals import (
    Proposal,
    around,
    checked_description,
    checked_title,
    conflict_refusal,
    past_refusal,
    which_date,
)
from tools.services.repeating import Which, change, end, meant_of_series
from tools.services.resolving import Timing, is_recurring, resolve, resolve_days, shift_of, stretch_of
from tools.services.task_results import created, ended, found_message, modified
from tools.services.wording import (
    info,
)
from tools.store.database import Database
from tools.store.effects import Work, once
from tools.store.repositories import Tasks

ONE_DAY, NO_TIME = timedelta(days=1), timedelta()


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task as asked for: dates and times in the user's words or ISO."""

    title: str
    due_date: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    time_segment: str | None = None
    priority: str | None = None
    group: str | None = None
    description: str | None = None
    repeat: str | None = None


@dataclass(frozen=True, slots=True)
class TaskChanges:
    """New values for a stored task; what is ``None`` stays."""

    new_title: str | None = None
    due_date: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    time_segment: str | None = None
    priority: str | None = None
    group: str | None = None
    description: str | None = None
    repeat: str | None = None


class TaskService:
    """What users do with tasks; each method is one tool.

    Args:
        database: Where the rows are.
        meaning: Knows titles that mean the same in other words, if anything does.
    """

    def __init__(self, database: Database, meaning: TitleMeaning | None = None) -> None:
        self.database = database
        self._meaning = meaning

    async def create(self, call: Call, new: NewTask) -> ToolResult:
        """Make a task, unless it is in the past or collides: then the result asks."""
        title = checked_title(new.title)
        context = call.context
        timing = resolve(context, new.due_date, new.start_time, new.end_time, new.time_segment, repeat=new.repeat)
        if timing.choices:
            return which_date(title, timing, context)

        async def perform(work: Work) -> ToolResult:
            group = await group_of(work, new.group)
            proposal = _proposed(title, new, timing, group, context)
            if not call.permitted:
                refusal = past_refusal(proposal, context) or await conflict_refusal(work, proposal)
                if refusal:
                    return refusal
            near = neighbours(proposal.task, await around(work, proposal.task.date))
            stored = await work.add_task(proposal.task)
            return created(stored, proposal, near, context)

        return await once(self.database, call, perform)

    async def query(
        self, call: Call, due_date: str | None = None, status: str | None = None, priority: str | None = None
    ) -> ToolResult:
        """The user's tasks of a date or range of dates, by date, start and id (A09, P8); cancelled ones on request."""
        context = call.context
        first, last = resolve_days(context, due_date) if due_date else (None, None)
        wanted = TaskStatus(status) if status else None
        async with self.database.reading() as session:
            tasks = await Tasks(session, context.user_id).between(
                first, last, status=wanted, priority=Priority(priority) if priority else None
            )
        found = [task for task in tasks if wanted or task.status is not TaskStatus.CANCELLED]
        if first is None and wanted is None:
            found = [task for task in found if task.status is TaskStatus.PENDING]
        return ToolResult(
            status=ResultStatus.SUCCESS,
            message=found_message(found, first, last, context),
            data={"tasks": [info(task).model_dump(exclude_none=True) for task in found]},
            rows=[f"task:{task.id}" for task in found],
        )

    async def finish(self, call: Call, reference: Reference) -> ToolResult:
        """Mark a task as done and cancel its pending reminders (A14, P6, P10)."""
        return await self._end(call, reference, TaskStatus.COMPLETED)

    async def remove(self, call: Call, reference: Reference) -> ToolResult:
        """Cancel a task and its pending reminders (A14, A15, P6, P10)."""
        return await self._end(call, reference, TaskStatus.CANCELLED)

    async def _end(self, call: Call, reference: Reference, status: TaskStatus) -> ToolResult:
        async def perform(work: Work) -> ToolResult:
            if several := await end_several(work, reference, status):
                return several
            task = await self._meant(work, reference, today_means_one=status is TaskStatus.COMPLETED)
            if isinstance(task, ToolResult):
                return task
            return ended(*await end(work, task, status), call.context)

        result = await once(self.database, call, perform)
        return await offered_by_meaning(result, self._meaning, call.context)

    async def modify(self, call: Call, reference: Reference, changes: TaskChanges) -> ToolResult:
        """Change a task; a move is checked like a new task and takes its reminder along (A10, P5, P9)."""
        context = call.context

        async def perform(work: Work) -> ToolResult:
            if several := await move_several(work, reference, lambda task: _changed(work, task, changes)):
                return _dated(several, changes, context)
            task = await self._meant(work, reference, all_of_it=_says_rhythm(changes, context))
            if isinstance(task, ToolResult):
                return _dated(task, changes, context)
            after = await _changed(work, task, changes)
            if isinstance(after, ToolResult):
                return after
            moved = _place(after) != _place(task)
            proposal = Proposal(after, before=task)
            if moved and not call.permitted:
                refusal = past_refusal(proposal, context) or await conflict_refusal(work, proposal)
                if refusal:
                    return refusal
            if after == task:
                return modified(task, task, [], context)
            return modified(task, *await change(work, task, after), context)

        result = await once(self.database, call, perform)
        return _dated(await offered_by_meaning(result, self._meaning, context), changes, context)

    async def _meant(
        self, work: Work, reference: Reference, *, today_means_one: bool = False, all_of_it: bool = False
    ) -> Task | ToolResult:
        """The task, the date of a series, or the series; else the result that asks or finds nothing."""
        task = await find_task(work, reference)
        if isinstance(task, ToolResult):
            return task
        context = work.call.context
        which: Which | None = None
        if reference.whole_series or all_of_it or is_recurring(context, reference.on_date):
            which = "all"
        elif reference.on_date or (today_means_one and task.date == context.now.date()):
            which = "one"
        return await meant_of_series(work, task, which)


def _proposed(title: str, new: NewTask, timing: Timing, group: int | None, context: RunContext) -> Proposal:
    blank = Task(
        id=0,
        user_id=context.user_id,
        title=title,
        date=context.now.date(),
        priority=Priority(new.priority) if new.priority else Priority.MEDIUM,
        group_id=group,
        description=checked_description(new.description),
    )
    return Proposal(
        placed(blank, timing, context),
        day_assumed=not timing.dated,
        segment_assumed=timing.start is None and timing.segment is None,
    )


def _dated(asking: ToolResult, changes: TaskChanges, context: RunContext) -> ToolResult:
    """A question whose choices carry the new date itself: 后天 must mean the same when the answer comes tomorrow.

    A choice that names a time of its own, such as a free slot, keeps it (P5).
    """
    if not asking.choices or not any(_time_words(changes)):
        return asking
    timing = _new_time(changes, context)
    if not timing.dated or timing.choices or timing.rule:
        return asking
    times = timing.arguments()
    choices = [
        choice if choice.decline else choice.model_copy(update={"arguments": {**times, **choice.arguments}})
        for choice in asking.choices
    ]
    return asking.model_copy(update={"choices": choices})


async def _changed(work: Work, task: Task, changes: TaskChanges) -> Task | ToolResult:
    """The task with the changes on it; a start that moves without an end keeps the length."""
    context = work.call.context
    after = task
    if changes.new_title:
        after = replace(after, title=checked_title(changes.new_title))
    if changes.priority:
        after = replace(after, priority=Priority(changes.priority))
    if changes.description is not None:
        after = replace(after, description=checked_description(changes.description))
    if changes.group:
        after = replace(after, group_id=await group_of(work, changes.group))
    if not any(_time_words(changes)):
        return after
    longer = stretch_of(changes.end_time, context)
    if longer is not None:
        return stretched(after, longer)
    shift = shift_of(changes.start_time, context)
    if shift is not None and (task.start_time is not None or shift % ONE_DAY == NO_TIME):
        return shifted(after, shift, context)
    timing = _new_time(changes, context, near=segment_at(task.start_time) if task.start_time else task.time_segment)
    if timing.choices:
        return which_date(task.title, timing, context)
    return moved_to(after, timing, context)


def _new_time(changes: TaskChanges, context: RunContext, near: TimeSegment | None = None) -> Timing:
    return resolve(context, *_time_words(changes)[:4], repeat=changes.repeat, near=near)


def _time_words(changes: TaskChanges) -> tuple[str | None, ...]:
    return changes.due_date, changes.start_time, changes.end_time, changes.time_segment, changes.repeat


def _says_rhythm(changes: TaskChanges, context: RunContext) -> bool:
    """Whether the new time is a recurrence, which only all of a series can move to."""
    return bool(changes.repeat) or is_recurring(context, changes.due_date)


def _place(task: Task) -> tuple[object, ...]:
    return task.date, task.start_time, task.end_time, task.time_segment, task.rrule
