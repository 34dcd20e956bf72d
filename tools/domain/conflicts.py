"""Which tasks collide: in time, or because they are the same task twice (A38, A39, A42, P3, P5).

Times are compared as the user's wall time, in minutes since day 1 of the calendar. So a task that runs past midnight
meets the tasks of the next date without any special case, and a clock change moves no appointment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import time
from enum import StrEnum

from tools.domain.segments import SEGMENT_HOURS
from tools.domain.similarity import are_same_title
from tools.domain.tasks import Task, TaskStatus

MINUTES_PER_DAY = 24 * 60
#: The length of a task with a start and no end (P3). It mentions neighbours and blocks slots, but refuses nothing.
ASSUMED_MINUTES = 60


class ConflictReason(StrEnum):
    """Why a task stands in the way."""

    TIME = "time"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A pending task that stands in the way of the candidate, and why."""

    task: Task
    reason: ConflictReason


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open stretch ``[start, end)`` of wall time; one with ``start == end`` is a moment and overlaps nothing.

    Attributes:
        start: ``date.toordinal() * 1440`` + minutes of the day.
        end: The same of the end; beyond the day's last minute when it is on the next day.
    """

    start: int
    end: int


def overlaps(first: Span, second: Span) -> bool:
    """Whether the two share time; spans that only touch do not (A38)."""
    return max(first.start, second.start) < min(first.end, second.end)


def span_of(task: Task) -> Span | None:
    """The stretch between the start and the end that the task itself states; ``None`` when either is missing.

    An end before the start is on the next day (P5). An end equal to the start makes a moment.
    """
    if task.start_time is None or task.end_time is None:
        return None
    midnight = task.date.toordinal() * MINUTES_PER_DAY
    start, end = minutes_into_day(task.start_time), minutes_into_day(task.end_time)
    return Span(midnight + start, midnight + end + (MINUTES_PER_DAY if end < start else 0))


def assumed_span_of(task: Task) -> Span | None:
    """Like :func:`span_of`, with an end of start + 60 minutes when none is stated (P3); ``None`` without a start."""
    if task.start_time is None or task.end_time is not None:
        return span_of(task)
    start = task.date.toordinal() * MINUTES_PER_DAY + minutes_into_day(task.start_time)
    return Span(start, start + ASSUMED_MINUTES)


def is_moment(task: Task) -> bool:
    """Whether the task is a point in time: its end is its start.

    That is how "remind me at eight to take the pill" is kept: it takes no time and never conflicts (P18, P24).
    """
    return task.start_time is not None and task.start_time == task.end_time


def sure_span_of(task: Task) -> Span | None:
    """Like :func:`span_of`; without an end the minute of the start, which it takes however long it is."""
    span = assumed_span_of(task)
    return Span(span.start, span.start + 1) if span and task.end_time is None else span


def collide(first: Task, second: Task) -> bool:
    """Whether the two share time by what they state: an assumed hour alone makes no conflict (P3).

    A start without an end collides with a stated stretch that it lies in, since it begins while the other is going on
    (P5). Two tasks without an end state no stretch, and never collide.
    """
    one, other = sure_span_of(first), sure_span_of(second)
    stated = first.end_time is not None or second.end_time is not None
    return stated and one is not None and other is not None and overlaps(one, other)


def find_conflicts(candidate: Task, pending: Iterable[Task], *, exclude_id: int | None = None) -> list[Conflict]:
    """The pending tasks that the candidate collides with, by start, then id (A42, P5).

    A time conflict is one of stated times (:func:`collide`). The same title on the same date is a conflict
    whatever the times: it is most likely the same task told twice. A task that collides in both ways is listed once,
    as ``title``, because free slots would be no help to the user.

    Args:
        candidate: The task as it would be stored.
        pending: The user's tasks of the candidate's date and of the dates before and after; others do no harm.
        exclude_id: The id of the row being changed, which must not collide with itself.
    """
    found = []
    for task in _others(candidate, pending, exclude_id):
        if task.date == candidate.date and are_same_title(task.title, candidate.title):
            found.append(Conflict(task, ConflictReason.TITLE))
        elif collide(candidate, task):
            found.append(Conflict(task, ConflictReason.TIME))
    return sorted(found, key=lambda conflict: by_start(conflict.task))


def neighbours(candidate: Task, pending: Iterable[Task], *, exclude_id: int | None = None) -> list[Task]:
    """The pending tasks that overlap only if 60 minutes are assumed: to mention, not to refuse (P3).

    Arguments as in :func:`find_conflicts`; sorted by start, then id.
    """
    mine = assumed_span_of(candidate)
    if mine is None:
        return []
    found = []
    for task in _others(candidate, pending, exclude_id):
        theirs = assumed_span_of(task)
        if theirs is not None and overlaps(mine, theirs) and not collide(candidate, task):
            found.append(task)
    return sorted(found, key=by_start)


def by_start(task: Task) -> tuple[int, int]:
    """Sort key of every list of tasks: date, start, id (P8); an untimed task stands where its segment begins."""
    hour = SEGMENT_HOURS[task.time_segment][0]
    minutes = hour * 60 if task.start_time is None else minutes_into_day(task.start_time)
    return task.date.toordinal() * MINUTES_PER_DAY + minutes, task.id


def _others(candidate: Task, tasks: Iterable[Task], exclude_id: int | None) -> list[Task]:
    """The tasks that may collide with the candidate at all."""
    if is_moment(candidate):
        return []
    return [
        task for task in tasks if task.status is TaskStatus.PENDING and task.id != exclude_id and not is_moment(task)
    ]


def minutes_into_day(moment: time) -> int:
    """Minutes since midnight of a wall time."""
    return moment.hour * 60 + moment.minute
