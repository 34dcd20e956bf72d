"""Free time of a day (A18, A19, P11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from tools.domain.conflicts import MINUTES_PER_DAY, Span, assumed_span_of
from tools.domain.tasks import Task, TaskStatus

#: Today's free time starts at the next multiple of this many minutes: nobody plans for 14:03.
ROUND_TO_MINUTES = 5


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """A free stretch ``[start, end)`` of one day, in minutes of wall time since its midnight; ``end`` may be 1440."""

    start: int
    end: int

    @property
    def text(self) -> str:
        """The slot as ``"14:00-15:30"``; midnight at its end is ``24:00``."""
        return f"{_clock(self.start)}-{_clock(self.end)}"


def free_slots(
    tasks: Iterable[Task], day: date, *, start_hour: int = 9, end_hour: int = 18, now: datetime
) -> list[Slot]:
    """The gaps between the pending tasks of a day, earliest first; empty for a day that is over.

    A timed task blocks its time, 60 minutes when it states no end (P3); one of the day before that runs past midnight
    blocks the early hours. An untimed task blocks only when the user called it all day: ``blocks_day`` (P11).

    Args:
        tasks: The user's tasks of the day and of the day before; others do no harm.
        day: The local date asked about.
        start_hour: First hour of the window, 0 to 23.
        end_hour: Hour at which the window ends, ``start_hour`` + 1 to 24.
        now: The present moment in the user's zone; today's free time starts now, at the next five minutes.

    Raises:
        ValueError: The hours make no window.
    """
    if not 0 <= start_hour < end_hour <= 24:
        raise ValueError(f"Hours {start_hour} to {end_hour} are no window: need 0 <= start_hour < end_hour <= 24.")
    midnight = day.toordinal() * MINUTES_PER_DAY
    first = max(midnight + start_hour * 60, _next_round_minute(now))
    window = Span(first, midnight + end_hour * 60)
    gaps = _gaps(window, sorted(_blocked(tasks), key=lambda span: span.start))
    return [Slot(gap.start - midnight, gap.end - midnight) for gap in gaps]


def _blocked(tasks: Iterable[Task]) -> Iterable[Span]:
    """The stretches that pending tasks take."""
    for task in tasks:
        if task.status is not TaskStatus.PENDING:
            continue
        span = assumed_span_of(task)
        if span is not None:
            yield span
        elif task.blocks_day:
            midnight = task.date.toordinal() * MINUTES_PER_DAY
            yield Span(midnight, midnight + MINUTES_PER_DAY)


def _gaps(window: Span, blocked: Iterable[Span]) -> list[Span]:
    """What the blocked stretches, sorted by start, leave of the window."""
    gaps = []
    free_from = window.start
    for span in blocked:
        if span.start == span.end:
            continue
        if span.start > free_from:
            gaps.append(Span(free_from, min(span.start, window.end)))
        free_from = max(free_from, span.end)
        if free_from >= window.end:
            break
    gaps.append(Span(free_from, window.end))
    return [gap for gap in gaps if gap.start < gap.end]


def _next_round_minute(now: datetime) -> int:
    """``now`` as wall minutes since day 1, rounded up to a multiple of five."""
    exact = now.toordinal() * MINUTES_PER_DAY + now.hour * 60 + now.minute
    begun = exact + (1 if now.second or now.microsecond else 0)
    return -(-begun // ROUND_TO_MINUTES) * ROUND_TO_MINUTES


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
