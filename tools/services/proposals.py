"""A task about to be written, and what speaks against it (A12, P1, P3, P5).

A refusal is a result that asks; each of its choices is the same call, completed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.conflicts import (
    ASSUMED_MINUTES,
    MINUTES_PER_DAY,
    Conflict,
    ConflictReason,
    find_conflicts,
    minutes_into_day,
)
from tools.domain.recurrence import is_occurrence, occurrences
from tools.domain.slots import Slot, free_slots
from tools.domain.tasks import Task, TaskStatus
from tools.services.placing import is_past, says_segment
from tools.services.resolving import Timing
from tools.services.wording import clock_words, day_words, info, joined, sentences, span_words, when_words
from tools.store.effects import Work

#: Longest title that is a title.
LONGEST_TITLE = 300
LONGEST_DESCRIPTION = 10_000
#: How far ahead the dates of a series are checked for conflicts: a quarter of a year.
LOOK_AHEAD = timedelta(weeks=13)
#: How many free slots a conflict offers.
OFFERED = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A task about to be written, new or changed, and what is said about it.

    Attributes:
        task: As it would be stored.
        before: What it is a change of: a stored task, or one date of a series.
        day_assumed: No date was named, so today was taken (P16).
        segment_assumed: No time was named.
    """

    task: Task
    before: Task | None = None
    day_assumed: bool = False
    segment_assumed: bool = False

    @property
    def moving(self) -> bool:
        """Whether it is a change."""
        return self.before is not None


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


def this_one(task: Task) -> dict[str, str | int | bool | None]:
    """Arguments that name a stored task, or one date of a series, whenever they are read."""
    which: dict[str, str | int | bool | None] = {"task_id": task.id, "title": None, "on_date": None}
    if is_occurrence(task):
        which |= {"on_date": task.date.isoformat()}
    elif task.rrule:
        which |= {"whole_series": True}
    return which


def arguments_of(proposal: Proposal, task: Task) -> dict[str, str | int | bool | None]:
    """The task's time as arguments that no longer depend on when they are read; what is changed by its number."""
    which = this_one(proposal.before) if proposal.before else {}
    repeat = {"repeat": task.rrule} if task.rrule else {}
    return (
        which
        | repeat
        | {
            "due_date": task.date.isoformat(),
            "start_time": clock_words(task.start_time) if task.start_time else None,
            "end_time": clock_words(task.end_time) if task.end_time else None,
            "time_segment": task.time_segment.value if says_segment(task) else None,
        }
    )


def past_refusal(proposal: Proposal, context: RunContext) -> ToolResult | None:
    """Ask before writing what is already over (A41, P1, P3); ``None`` when it is still to come or running.

    A series has always more to come: its first date is chosen so.
    """
    task = proposal.task
    if task.rrule or not is_past(task, context):
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
        choices.append(Choice(id="tomorrow", label=label, arguments=arguments_of(proposal, tomorrow)))
    choices.append(never_mind(context))
    return ToolResult(status=ResultStatus.NEED_CONFIRMATION, message=message, choices=choices)


async def conflict_refusal(work: Work, proposal: Proposal) -> ToolResult | None:
    """Name what is in the way and offer ways on (A42, P5); ``None`` when nothing is.

    A series is looked at date by date, as far as ``LOOK_AHEAD``; the first date with a conflict is told.
    """
    context = work.call.context
    own = proposal.before.id if proposal.before else None
    found = await _first_conflicts(work, proposal.task, own)
    if found is None:
        return None
    task, pending, conflicts = found
    choices = [_anyway(proposal, context)]
    slots: list[Slot] = []
    if all(conflict.reason is ConflictReason.TIME for conflict in conflicts):
        others = [other for other in pending if other.id != own]
        slots = free_slots(others, task.date, now=context.now)
        choices += _offers(proposal, slots, context)
    choices.append(never_mind(context))
    return ToolResult(
        status=ResultStatus.CONFLICT,
        message=_conflict_message(replace(proposal, task=task), conflicts, [slot.text for slot in slots], context),
        conflicting_tasks=[info(conflict.task) for conflict in conflicts],
        data={"free_slots": [slot.text for slot in slots]} if slots else {},
        choices=choices,
    )


async def _first_conflicts(work: Work, task: Task, own: int | None) -> tuple[Task, list[Task], list[Conflict]] | None:
    """The task, or the first date of a series, that collides; with the tasks around it, and those in the way."""
    if task.rrule is None:
        pending = await around(work, task.date)
        conflicts = find_conflicts(task, pending, exclude_id=own)
        return (task, pending, conflicts) if conflicts else None
    first = max(task.date, work.call.context.now.date())
    last, one = first + LOOK_AHEAD, timedelta(days=1)
    by_date: dict[date, list[Task]] = {}
    for other in await work.tasks.between(first - one, last + one, status=TaskStatus.PENDING):
        by_date.setdefault(other.date, []).append(other)
    for single in occurrences([task], first, last):
        beside = [other for days in (-1, 0, 1) for other in by_date.get(single.date + timedelta(days=days), ())]
        conflicts = find_conflicts(single, beside, exclude_id=own)
        if conflicts:
            return single, beside, conflicts
    return None


def _conflict_message(proposal: Proposal, conflicts: list[Conflict], slots: list[str], context: RunContext) -> str:
    task, language = proposal.task, context.language
    moving = "_move" if proposal.moving else ""
    first = conflicts[0]
    if first.reason is ConflictReason.TITLE:
        return text(
            language,
            f"results.same_title{moving}",
            day=day_words(task.date, context),
            other=_in_the_way(first.task, span_words(first.task, context), context),
            title=task.title,
        )
    others = [_in_the_way(each.task, when_words(each.task, context), context) for each in conflicts]
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


def _in_the_way(task: Task, when: str, context: RunContext) -> str:
    """A task by its name, and when it is, if that was ever said."""
    name = "conflict_item" if when else "conflict_item_untimed"
    return text(context.language, f"results.{name}", title=task.title, when=when)


def _offers(proposal: Proposal, slots: list[Slot], context: RunContext) -> list[Choice]:
    """The beginnings of free stretches that are long enough, as choices; none for a series, of which it is one day."""
    task = proposal.task
    if task.rrule or task.start_time is None:
        return []
    length = ASSUMED_MINUTES
    if task.end_time is not None:
        length = (minutes_into_day(task.end_time) - minutes_into_day(task.start_time)) % MINUTES_PER_DAY
    offers = []
    for slot in slots:
        if slot.end - slot.start >= length:
            begin = _clock(slot.start)
            end = _clock(slot.start + length) if task.end_time is not None else None
            name = f"{begin}-{end}" if end else begin
            label = text(context.language, "results.choice_slot", slot=name)
            times = {"start_time": begin, "end_time": end, "time_segment": None}
            offers.append(Choice(id=name, label=label, arguments=arguments_of(proposal, task) | times))
    return offers[:OFFERED]


def _anyway(proposal: Proposal, context: RunContext) -> Choice:
    name = "choice_anyway_move" if proposal.moving else "choice_anyway"
    label = text(context.language, f"results.{name}")
    return Choice(id="yes", label=label, arguments=arguments_of(proposal, proposal.task), permit=True)


def never_mind(context: RunContext) -> Choice:
    """The choice that ends the item without acting."""
    return Choice(id="no", label=text(context.language, "results.choice_no"), decline=True)


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
