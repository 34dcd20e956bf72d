"""Where in time a task is put: new, moved, or shifted; and whether that is over (A40, P1, P3, P19)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.domain.conflicts import ASSUMED_MINUTES, MINUTES_PER_DAY, minutes_into_day, span_of
from tools.domain.recurrence import begun, on_weekday
from tools.domain.segments import TimeSegment, default_segment, is_segment_open, segment_at
from tools.domain.tasks import Task
from tools.services.resolving import Timing
from tools.services.wording import when_words


def placed(task: Task, timing: Timing, context: RunContext) -> Task:
    """The task put at a time: the segment follows the clock; without either, the day's default (A40).

    Raises:
        ToolArgumentError: A recurrence that never comes.
    """
    if timing.rule is not None:
        single = placed(task, replace(timing, rule=None), context)
        if timing.start is None and timing.segment is None:
            single = replace(single, time_segment=TimeSegment.ALL_DAY)  # not "evening" because it is evening now
        return _repeating(single, timing.rule, context)
    day = timing.day or task.date
    if timing.start is not None:
        segment = timing.segment or segment_at(timing.start)
        return replace(task, date=day, start_time=timing.start, end_time=timing.end, time_segment=segment)
    segment = timing.segment or default_segment(day, context.now)
    whole_day = timing.segment is TimeSegment.ALL_DAY
    return replace(task, date=day, start_time=None, end_time=None, time_segment=segment, blocks_day=whole_day)


def shifted(task: Task, shift: timedelta, context: RunContext) -> Task:
    """The task earlier or later by a length of time; its own length stays. An untimed task moves by whole days.

    Raises:
        ToolArgumentError: A series that would fall on other days.
    """
    if task.start_time is None and not task.rrule:
        return replace(task, date=task.date + timedelta(days=shift.days))
    if task.start_time is None:
        raise ToolArgumentError("repeat_move", title=task.title, when=when_words(task, context))
    start = datetime.combine(task.date, task.start_time, UTC) + shift  # wall time: the zone plays no part
    end = None
    if task.end_time is not None:
        end = (datetime.combine(task.date, task.end_time, UTC) + shift).time()
    if task.rrule and start.date() != task.date:
        raise ToolArgumentError("repeat_move", title=task.title, when=when_words(task, context))
    segment = segment_at(start.time())
    return replace(task, date=start.date(), start_time=start.time(), end_time=end, time_segment=segment)


def stretched(task: Task, more: timedelta) -> Task:
    """The task with another length; one without an end is taken to last an hour (P3).

    Raises:
        ToolArgumentError: A task without a clock time, or a length that would be none or a whole day.
    """
    if task.start_time is None:
        raise ToolArgumentError("bad_time", value=task.title)
    start = minutes_into_day(task.start_time)
    old = (minutes_into_day(task.end_time) - start) % MINUTES_PER_DAY if task.end_time else ASSUMED_MINUTES
    length = old + int(more.total_seconds()) // 60
    if not 0 < length < MINUTES_PER_DAY:
        raise ToolArgumentError("bad_time", value=task.title)
    return replace(task, end_time=time(*divmod((start + length) % MINUTES_PER_DAY, 60)))


def moved_to(task: Task, timing: Timing, context: RunContext) -> Task:
    """The task at a new time; what the words leave open stays as it was. A series gets a new rhythm, or weekday.

    Raises:
        ToolArgumentError: A series that does not come once a week, to be moved to a date.
    """
    rule = timing.rule
    if task.rrule and rule is None and timing.dated and timing.day:
        rule = on_weekday(task.rrule, timing.day)
        if rule is None:
            raise ToolArgumentError("repeat_move", title=task.title, when=when_words(task, context))
    if rule is not None:
        day = max(timing.day or task.date, context.now.date())
        single = moved_to(replace(task, rrule=None), replace(timing, rule=None, dated=True, day=day), context)
        return _repeating(single, rule, context)
    day = timing.day if timing.dated and timing.day else task.date
    if timing.start is None and task.start_time is not None and timing.segment is task.time_segment:
        return replace(task, date=day)  # 挪到明晚 says nothing against 19:00
    if timing.start is None and timing.segment is None:
        return replace(task, date=day, end_time=timing.end or task.end_time)
    if timing.start is None:
        return placed(task, replace(timing, day=day), context)
    end = timing.end
    if end is None and task.start_time and task.end_time:
        length = (minutes_into_day(task.end_time) - minutes_into_day(task.start_time)) % MINUTES_PER_DAY
        end = time(*divmod((minutes_into_day(timing.start) + length) % MINUTES_PER_DAY, 60))
    return placed(task, replace(timing, day=day, end=end), context)


def _repeating(task: Task, rule: str, context: RunContext) -> Task:
    """The task as a series from its date on; a first time that is over is passed by."""
    series = begun(task, rule, task.date)
    if series and is_past(series, context):
        series = begun(task, rule, series.date + timedelta(days=1))
    if series is None:
        raise ToolArgumentError("bad_repeat", value=rule)
    return series


def says_segment(task: Task) -> bool:
    """Whether a part of the day was named: ``all_day`` may only stand for "no time was said"."""
    return task.start_time is None and (task.time_segment is not TimeSegment.ALL_DAY or task.blocks_day)


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
