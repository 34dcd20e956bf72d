"""A task about to be written: where it is put, and what speaks against it (A12, P1, P3, P5, P19).

A refusal is a result that asks; each of its choices is the same call, completed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.conflicts import MINUTES_PER_DAY, Conflict, ConflictReason, find_conflicts, minutes_into_day, span_of
from tools.domain.segments import TimeSegment, default_segment, is_segment_open, segment_at
from tools.domain.slots import Slot, free_slots
from tools.domain.tasks import Task, TaskStatus
from tools.services.resolving import Timing
from tools.services.wording import clock_words, day_words, info, joined, sentences, span_words, when_words
from tools.store.effects import Work

#: Longest title that is a title.
LONGEST_TITLE = 300
LONGEST_DESCRIPTION = 10_000
#: How many free slots a conflict offers.
OFFERED = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A task about to be written, new or changed, and what is said about it.

    Attributes:
        task: As it would be stored.
        moving: It is a change of a stored task.
        day_assumed: No date was named, so today was taken (P16).
        segment_assumed: No time was named.
    """

    task: Task
    moving: bool = False
    day_assumed: bool = False
    segment_assumed: bool = False


def clean_words(words: str) -> str:
    """Without what no database keeps: NUL, lone surrogates."""
    return "".join(letter for letter in words if letter != "\0" and not "\ud800" <= letter <= "\udfff")


def checked_title(title: str) -> str:
    """The title, cleaned, in one line.

    Raises:
        ToolArgumentError: Nothing is left, or it is too long to be a title.
    """
    clean = " ".join(clean_words(title).split())
    if not clean:
        raise ToolArgumentError("blank_title")
    if len(clean) > LONGEST_TITLE:
        raise ToolArgumentError("long_title", length=len(clean), limit=LONGEST_TITLE)
    return clean


def checked_description(description: str | None) -> str | None:
    """The description, cleaned; ``None`` stays.

    Raises:
        ToolArgumentError: It is too long.
    """
    clean = None if description is None else clean_words(description).strip()
    if clean and len(clean) > LONGEST_DESCRIPTION:
        raise ToolArgumentError("long_description", length=len(clean), limit=LONGEST_DESCRIPTION)
    return clean


async def group_of(work: Work, name: str | None) -> int | None:
    """The id of the user's group of that name or number.

    Raises:
        ToolArgumentError: The user has no such group; names those there are.
    """
    if not name:
        return None
    groups = await work.people.groups(work.call.context.user_id)
    for group in groups:
        if name in (group.name, str(group.id)):
            return group.id
    raise ToolArgumentError("unknown_group", value=name, known=", ".join(g.name for g in groups) or "-")


async def around(work: Work, day: date) -> list[Task]:
    """The user's pending tasks of a date and of the dates beside it (a task may run past midnight)."""
    one = timedelta(days=1)
    return await work.tasks.between(day - one, day + one, status=TaskStatus.PENDING)


def which_date(title: str, timing: Timing, context: RunContext) -> ToolResult:
    """Ask which date is meant (P19); each choice is the whole time on that date."""
    language = context.language
    said = [day_words(day, context) for day in timing.choices]
    years = {day.year for day in timing.choices}
    name = "which_year" if len(years) > 1 else "which_date"
    message = text(language, f"results.{name}", title=title, dates=joined(said, context))
    options = [
        Choice(
            id=day.isoformat(),
            label=text(language, "results.choice_date", day=words),
            arguments=timing.arguments(day),
        )
        for day, words in zip(timing.choices, said, strict=True)
    ]
    return ToolResult(status=ResultStatus.NEED_CONFIRMATION, message=message, choices=options)


def placed(task: Task, timing: Timing, context: RunContext) -> Task:
    """The task put at a time: the segment follows the clock; without either, the day's default (A40)."""
    day = timing.day or task.date
    if timing.start is not None:
        segment = timing.segment or segment_at(timing.start)
        return replace(task, date=day, start_time=timing.start, end_time=timing.end, time_segment=segment)
    segment = timing.segment or default_segment(day, context.now)
    whole_day = timing.segment is TimeSegment.ALL_DAY
    return replace(task, date=day, start_time=None, end_time=None, time_segment=segment, blocks_day=whole_day)


def shifted(task: Task, shift: timedelta) -> Task:
    """The task earlier or later by a length of time; its own length stays. An untimed task moves by whole days."""
    if task.start_time is None:
        return replace(task, date=task.date + timedelta(days=shift.days))
    start = datetime.combine(task.date, task.start_time, UTC) + shift  # wall time: the zone plays no part
    end = None
    if task.end_time is not None:
        end = (datetime.combine(task.date, task.end_time, UTC) + shift).time()
    segment = segment_at(start.time())
    return replace(task, date=start.date(), start_time=start.time(), end_time=end, time_segment=segment)


def moved_to(task: Task, timing: Timing, context: RunContext) -> Task:
    """The task at a new time; what the words leave open stays as it was."""
    day = timing.day if timing.dated and timing.day else task.date
    if timing.start is None and timing.segment is None:
        return replace(task, date=day, end_time=timing.end or task.end_time)
    if timing.start is None and task.start_time is not None and timing.segment is task.time_segment:
        return replace(task, date=day)  # 挪到明晚 says nothing against 19:00
    if timing.start is None:
        return placed(task, replace(timing, day=day), context)
    end = timing.end
    if end is None and task.start_time and task.end_time:
        length = (minutes_into_day(task.end_time) - minutes_into_day(task.start_time)) % MINUTES_PER_DAY
        end = time(*divmod((minutes_into_day(timing.start) + length) % MINUTES_PER_DAY, 60))
    return placed(task, replace(timing, day=day, end=end), context)


def arguments_of(task: Task) -> dict[str, str | int | None]:
    """The task's time as arguments that no longer depend on when they are read; a stored task by its number."""
    which: dict[str, str | int | None] = {"task_id": task.id, "title": None, "on_date": None} if task.id else {}
    return which | {
        "due_date": task.date.isoformat(),
        "start_time": clock_words(task.start_time) if task.start_time else None,
        "end_time": clock_words(task.end_time) if task.end_time else None,
        "time_segment": task.time_segment.value if says_segment(task) else None,
    }


def says_segment(task: Task) -> bool:
    """Whether a part of the day was named: ``all_day`` may only stand for "no time was said"."""
    return task.start_time is None and (task.time_segment is not TimeSegment.ALL_DAY or task.blocks_day)


def past_refusal(proposal: Proposal, context: RunContext) -> ToolResult | None:
    """Ask before writing what is already over (A41, P1, P3); ``None`` when it is still to come or running."""
    task = proposal.task
    if not is_past(task, context):
        return None
    language, today = context.language, context.now.date()
    name = "past_date" if task.date < today else "past_time"
    if proposal.moving:
        name = "past_date_move"
    message = text(language, f"results.{name}", when=when_words(task, context), title=task.title)
    tomorrow = replace(task, date=today + timedelta(days=1))
    choices = [_anyway(proposal, context)]
    if task.date == today:
        label = text(language, "results.choice_tomorrow", when=when_words(tomorrow, context))
        choices.append(Choice(id="tomorrow", label=label, arguments=arguments_of(tomorrow)))
    choices.append(never_mind(context))
    return ToolResult(status=ResultStatus.NEED_CONFIRMATION, message=message, choices=choices)


def is_running(task: Task, context: RunContext) -> bool:
    """Whether the task's stated time has begun and not ended: it is created and said so (P3)."""
    span = span_of(task)
    now = context.now.date().toordinal() * MINUTES_PER_DAY + minutes_into_day(context.now.time())
    return span is not None and span.start < now < span.end


def is_past(task: Task, context: RunContext) -> bool:
    """Whether the task's end has passed, or its start when it states no end (P3)."""
    now = context.now
    if task.date != now.date():
        return task.date < now.date()
    if task.start_time is None:
        return not is_segment_open(task.date, task.time_segment, now)
    wall = now.time().replace(second=0, microsecond=0)
    if task.end_time is None or task.end_time == task.start_time:
        return task.start_time < wall
    return task.start_time < task.end_time <= wall


async def conflict_refusal(work: Work, proposal: Proposal) -> ToolResult | None:
    """Name what is in the way and offer ways on (A42, P5); ``None`` when nothing is."""
    task, context = proposal.task, work.call.context
    pending = await around(work, task.date)
    conflicts = find_conflicts(task, pending, exclude_id=task.id or None)
    if not conflicts:
        return None
    choices = [_anyway(proposal, context)]
    slots: list[Slot] = []
    if all(conflict.reason is ConflictReason.TIME for conflict in conflicts):
        others = [other for other in pending if other.id != task.id]
        slots = free_slots(others, task.date, now=context.now)
        choices += _offers(task, slots, context)
    choices.append(never_mind(context))
    return ToolResult(
        status=ResultStatus.CONFLICT,
        message=_conflict_message(proposal, conflicts, [slot.text for slot in slots], context),
        conflicting_tasks=[info(conflict.task) for conflict in conflicts],
        data={"free_slots": [slot.text for slot in slots]} if slots else {},
        choices=choices,
    )


def _conflict_message(proposal: Proposal, conflicts: list[Conflict], slots: list[str], context: RunContext) -> str:
    task, language = proposal.task, context.language
    moving = "_move" if proposal.moving else ""
    first = conflicts[0]
    if first.reason is ConflictReason.TITLE:
        return text(
            language,
            f"results.same_title{moving}",
            day=day_words(task.date, context),
            other=first.task.title,
            when=span_words(first.task, context),
            title=task.title,
        )
    others = [
        text(language, "results.conflict_item", title=c.task.title, when=when_words(c.task, context)) for c in conflicts
    ]
    separator = text(language, "when.separator")
    parts = [
        text(
            language,
            "results.time_conflict",
            title=task.title,
            span=when_words(task, context),
            others=separator.join(others),
        )
    ]
    if slots:
        parts.append(text(language, "results.time_conflict_slots", slots=separator.join(slots)))
    parts.append(text(language, f"results.time_conflict{moving}_ask"))
    return sentences(parts, context)


def _offers(task: Task, slots: list[Slot], context: RunContext) -> list[Choice]:
    """The beginnings of free stretches that are long enough, as choices."""
    if task.start_time is None or task.end_time is None:
        return []
    length = (minutes_into_day(task.end_time) - minutes_into_day(task.start_time)) % MINUTES_PER_DAY
    offers = []
    for slot in slots:
        if slot.end - slot.start >= length:
            begin, end = _clock(slot.start), _clock(slot.start + length)
            label = text(context.language, "results.choice_slot", slot=f"{begin}-{end}")
            times = {"start_time": begin, "end_time": end, "time_segment": None}
            offers.append(Choice(id=f"{begin}-{end}", label=label, arguments=arguments_of(task) | times))
    return offers[:OFFERED]


def _anyway(proposal: Proposal, context: RunContext) -> Choice:
    name = "choice_anyway_move" if proposal.moving else "choice_anyway"
    label = text(context.language, f"results.{name}")
    return Choice(id="yes", label=label, arguments=arguments_of(proposal.task), permit=True)


def never_mind(context: RunContext) -> Choice:
    """The choice that ends the item without acting."""
    return Choice(id="no", label=text(context.language, "results.choice_no"), decline=True)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
