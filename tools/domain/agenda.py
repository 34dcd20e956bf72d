"""A day laid out: what takes time, what is on without a time, what overlaps, and what is free (A17-A19, P5, P11)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from tools.domain.conflicts import MINUTES_PER_DAY, Span, assumed_span_of, by_start, collide, overlaps, sure_span_of
from tools.domain.slots import Slot, free_slots
from tools.domain.tasks import Task, TaskStatus

#: The hours that are laid out even when nothing is on: working hours (A18).
FIRST_HOUR, END_HOUR = 9, 18

#: An occurrence shares its id with its series; with its date it is one of its kind.
Key = tuple[int, date]


@dataclass(frozen=True, slots=True)
class Block:
    """The part of a timed task that lies on one day.

    Attributes:
        task: The whole task.
        start: Minutes since midnight of the day, 0 to 1439.
        end: Minutes since midnight of the day, up to 1440; 60 minutes after the start when none is stated (P3).
        lane: The column it is drawn in: two blocks of a lane never share time. 0 for what takes no time.
        clashes: Pending tasks whose stated time overlaps its own, by start.
    """

    task: Task
    start: int
    end: int
    lane: int = 0
    clashes: tuple[Task, ...] = ()

    @property
    def takes_time(self) -> bool:
        """Whether nobody is free meanwhile; a moment and what is done or dropped take none."""
        return self.task.status is TaskStatus.PENDING and self.start < self.end


@dataclass(frozen=True, slots=True)
class Agenda:
    """One day.

    Attributes:
        day: The local date.
        untimed: Tasks of the day without a clock time, by their part of the day.
        blocks: Timed tasks of the day and of the one before that run into it, by start.
        free: The gaps of the hours laid out; those of today from now on, none of a day that is over.
        hours: First hour laid out, and the hour at which it ends.
    """

    day: date
    untimed: tuple[Task, ...]
    blocks: tuple[Block, ...]
    free: tuple[Slot, ...]
    hours: tuple[int, int]

    @property
    def tasks(self) -> list[Task]:
        """Everything on that day: what has no time first."""
        return [*self.untimed, *(block.task for block in self.blocks)]


def agenda_of(
    tasks: Collection[Task], day: date, *, now: datetime, shown: Callable[[Task], bool] = lambda task: True
) -> Agenda:
    """Lay out a day.

    Args:
        tasks: All tasks of the day and of the dates beside it, with series as their occurrences.
        day: The local date.
        now: The present moment in the user's zone.
        shown: Which tasks are laid out; the others still take their time, so that no gap is free by mistake.
    """
    on = sorted((task for task in tasks if shown(task)), key=by_start)
    clashes = clashes_of(tasks)
    blocks = [replace(block, clashes=clashes.get(key_of(block.task), ())) for block in _blocks(on, day)]
    first = min([FIRST_HOUR, *(block.start // 60 for block in blocks)])
    end = max([END_HOUR, *(-(-block.end // 60) for block in blocks)])
    return Agenda(
        day=day,
        untimed=tuple(task for task in on if task.start_time is None and task.date == day),
        blocks=tuple(_in_lanes(blocks)),
        free=tuple(free_slots(tasks, day, start_hour=first, end_hour=end, now=now)),
        hours=(first, end),
    )


def clashes_of(tasks: Iterable[Task]) -> Mapping[Key, tuple[Task, ...]]:
    """For each pending task the others that collide with it in stated time: an assumed hour is no conflict (P3)."""
    spans = [(span, task) for task in tasks if task.status is TaskStatus.PENDING and (span := sure_span_of(task))]
    spans.sort(key=lambda found: (found[0].start, found[1].id))
    found: dict[Key, list[Task]] = {}
    for place, (span, task) in enumerate(spans):
        for other_span, other in spans[place + 1 :]:
            if other_span.start >= span.end:
                break
            if collide(task, other):
                found.setdefault(key_of(task), []).append(other)
                found.setdefault(key_of(other), []).append(task)
    return {key: tuple(sorted(others, key=by_start)) for key, others in found.items()}


def key_of(task: Task) -> Key:
    """What tells this task from all others on show."""
    return task.id, task.date


def _blocks(tasks: Iterable[Task], day: date) -> list[Block]:
    midnight = day.toordinal() * MINUTES_PER_DAY
    whole = Span(midnight, midnight + MINUTES_PER_DAY)
    blocks = []
    for task in tasks:
        span = assumed_span_of(task)
        if span is None:
            continue
        here = overlaps(span, whole) or (span.start == span.end and task.date == day)
        if here:
            start, end = max(span.start, whole.start), min(span.end, whole.end)
            blocks.append(Block(task, start - midnight, end - midnight))
    return sorted(blocks, key=lambda block: (block.start, block.task.date, block.task.id))


def _in_lanes(blocks: Iterable[Block]) -> Iterable[Block]:
    """Each block in the first lane that is free by its start."""
    ends: list[int] = []
    for block in blocks:
        if not block.takes_time:
            yield block
            continue
        lane = next((number for number, end in enumerate(ends) if end <= block.start), len(ends))
        ends[lane:] = [block.end, *ends[lane + 1 :]]
        yield replace(block, lane=lane)


def week_of(day: date) -> tuple[date, date]:
    """Monday and Sunday of the week that holds a date.

    Raises:
        OverflowError: The week reaches beyond the calendar.
    """
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)
