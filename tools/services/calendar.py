"""The day as a whole: what is on, and when there is time (A17-A19, P11)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from tools.core.context import Call, RunContext
from tools.core.errors import ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.conflicts import MINUTES_PER_DAY, Span, assumed_span_of, overlaps
from tools.domain.segments import SEGMENT_HOURS, TimeSegment
from tools.domain.slots import Slot, free_slots
from tools.domain.tasks import Task, TaskStatus
from tools.services.resolving import resolve, resolve_days
from tools.services.wording import day_words, days_words, info, listed, segment_words, sentences
from tools.store.database import Database
from tools.store.repositories import Tasks

#: Working hours: the window when none is asked for (A18).
FIRST_HOUR, END_HOUR = 9, 18
#: Most days that one answer covers.
MOST_DAYS = 14


class CalendarService:
    """Two views of the user's tasks; nothing here writes."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def day_schedule(self, call: Call, date: str | None = None) -> ToolResult:
        """Everything on a date or range of dates, by time (A17)."""
        context = call.context
        first, last = _days(context, date)
        tasks = [task for task in await self.pending(context, first, last) if first <= task.date <= last]
        days = days_words(first, last, context)
        if tasks:
            named = listed(tasks, context, with_day=first != last)
            message = text(context.language, "results.tasks_of", day=days, count=len(tasks), list=named)
        else:
            message = text(context.language, "results.day_empty" if first == last else "results.days_empty", day=days)
        until = {"until": last.isoformat()} if last != first else {}
        timeline = [info(task).model_dump(exclude_none=True) for task in tasks]
        return ToolResult(
            status=ResultStatus.SUCCESS,
            message=message,
            data={"date": first.isoformat(), **until, "timeline": timeline},
            rows=[f"task:{task.id}" for task in tasks],
        )

    async def free_slots(
        self, call: Call, date: str | None = None, start_hour: int | None = None, end_hour: int | None = None
    ) -> ToolResult:
        """The free stretches of a date or range of dates between two hours (A18, A19).

        A part of the day in the words ("明天下午") sets the hours when none are given.
        """
        context = call.context
        first, last = _days(context, date)
        asked = _asked(context, date, start_hour, end_hour)
        tasks = await self.pending(context, first, last)
        found: dict[str, list[str]] = {}
        parts: list[str] = []
        for offset in range((last - first).days + 1):
            day = first + timedelta(days=offset)
            slots = free_slots(tasks, day, start_hour=asked.hours[0], end_hour=asked.hours[1], now=context.now)
            found[day.isoformat()] = [slot.text for slot in slots]
            parts.append(_slots_message(day, asked, slots, context))
            busy = _in_the_way(tasks, day, asked) if asked.moment is not None or not slots else []
            if busy:
                parts.append(text(context.language, "results.busy", list=listed(busy, context, with_day=False)))
        untimed = [t for t in tasks if t.start_time is None and first <= t.date <= last and not t.blocks_day]
        if untimed:
            named = listed(untimed, context, with_day=first != last)
            parts.append(text(context.language, "results.untimed", list=named))
        data: dict[str, object] = {"date": first.isoformat(), "free_slots": found[first.isoformat()]}
        if first != last:
            data = {"free_slots_by_date": found}
        return ToolResult(status=ResultStatus.SUCCESS, message=sentences(parts, context), data=data)

    async def pending(self, context: RunContext, first: date, last: date) -> list[Task]:
        """The open tasks from one date to another, and those of the day before, which may run past midnight."""
        async with self.database.reading() as session:
            tasks = Tasks(session, context.user_id)
            return await tasks.between(first - timedelta(days=1), last, status=TaskStatus.PENDING)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The part of a day that is asked about.

    Attributes:
        hours: First hour, and the hour after the last.
        segment: The part of the day, if one was named and no clock time.
        moment: Minutes since midnight of the clock time, if one was named.
    """

    hours: tuple[int, int]
    segment: TimeSegment | None = None
    moment: int | None = None


def _asked(context: RunContext, words: str | None, start_hour: int | None, end_hour: int | None) -> _Asked:
    timing = resolve(context, words, purpose="query") if words else None
    if timing and timing.start and start_hour is None:
        hour = timing.start.hour
        return _Asked((hour, min(hour + 1, 24)), moment=hour * 60 + timing.start.minute)
    segment = timing.segment if timing else None
    return _Asked(_hours(start_hour, end_hour, segment), segment if start_hour is None else None)


def _days(context: RunContext, words: str | None) -> tuple[date, date]:
    first, last = resolve_days(context, words)
    if (last - first).days >= MOST_DAYS:
        raise ToolArgumentError("too_many_days", value=words, limit=MOST_DAYS)
    return first, last


def _hours(start_hour: int | None, end_hour: int | None, segment: TimeSegment | None) -> tuple[int, int]:
    first, end = FIRST_HOUR, END_HOUR
    if segment is not None and segment is not TimeSegment.ALL_DAY:
        first, end = SEGMENT_HOURS[segment]
    first = start_hour if start_hour is not None else first
    end = end_hour if end_hour is not None else max(end, first + 1)
    if not 0 <= first < end <= 24:
        raise ToolArgumentError("bad_hours", start=first, end=end)
    return first, end


def _in_the_way(tasks: list[Task], day: date, asked: _Asked) -> list[Task]:
    """The tasks that take time in the window: timed ones, and those that take the whole day."""
    midnight = day.toordinal() * MINUTES_PER_DAY
    window = Span(midnight + asked.hours[0] * 60, midnight + asked.hours[1] * 60)
    if asked.moment is not None:
        window = Span(midnight + asked.moment, midnight + asked.moment + 1)
    spans = [(task, assumed_span_of(task)) for task in tasks]
    return [
        task
        for task, span in spans
        if (span and overlaps(span, window)) or (task.blocks_day and task.start_time is None and task.date == day)
    ]


def _slots_message(day: date, asked: _Asked, slots: list[Slot], context: RunContext) -> str:
    hours = asked.hours
    window = segment_words(asked.segment, context) if asked.segment else ""
    now = context.now
    over = day < now.date() or (day == now.date() and now.hour >= hours[1])
    whole = len(slots) == 1 and slots[0] == Slot(hours[0] * 60, hours[1] * 60)
    if over:
        name = "day_over"
    elif not slots:
        name = "slots_none"
    elif whole:
        name = "slots_all_free"
    else:
        name = "slots_one" if len(slots) == 1 else "slots_many"
    gap = " " if window and context.language == "en" else ""
    return text(
        context.language,
        f"results.{name}",
        day=day_words(day, context),
        window=gap + window,
        count=len(slots),
        slots=text(context.language, "when.separator").join(slot.text for slot in slots),
    )
