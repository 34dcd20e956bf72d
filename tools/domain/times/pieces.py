"""What one rule finds in a text, before anything is counted from the present moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from tools.domain.segments import TimeSegment

if TYPE_CHECKING:
    from tools.domain.times.days import Day


class Role(StrEnum):
    """How a piece stands to its neighbours."""

    TIME = "time"
    LINK = "link"  # 到, to: a range may go on after it
    LIMIT_AHEAD = "limit_ahead"  # by, 最晚: a limit follows
    LIMIT_BEHIND = "limit_behind"  # 之前: what stood before is a limit
    SINCE_AHEAD = "since_ahead"  # after, since
    SINCE_BEHIND = "since_behind"  # 以后, onwards
    EACH = "each"  # 每: the next day recurs


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of the day.

    Attributes:
        name: The row of ``clocks.PARTS`` that says how hours read after this word.
        segment: The segment it counts as.
    """

    name: str
    segment: TimeSegment


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as written.

    Attributes:
        hour: 0-24.
        half: ``"am"`` or ``"pm"`` if said; ``"24"`` when the hour is meant as written (``15:30``, ``08:00``).
    """

    hour: int
    minute: int = 0
    second: int = 0
    half: str | None = None


@dataclass(frozen=True, slots=True)
class Every:
    """A recurrence: ``unit`` is day, week, month, year, hour or minute.

    Attributes:
        weekdays: 0 is Monday.
        days: Days of the month; -1 is its last day.
        ordinal: With one weekday and ``unit`` month: which of the month, -1 is the last.
        month: With ``unit`` year.
    """

    unit: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    days: tuple[int, ...] = ()
    ordinal: int | None = None
    month: int | None = None


@dataclass(slots=True)
class Piece:
    """One find: offsets into the text and whatever slots its words fill.

    Attributes:
        until: End of a range of clock times written in one breath (``3-5pm``).
        length: A duration.
        shift: An offset in hours, minutes or seconds from now.
        lead: A length that is ahead of something (提前半小时) and never the length of an event.
        limit: A limit by itself (三个工作日内).
        wrap: Makes another date of the one that follows (two weeks after, the week of).
        weak: Counts only beside another piece (``sun``, ``may``, ``3-5``).
    """

    start: int
    end: int
    role: Role = Role.TIME
    language: str = "zh"
    day: Day | None = None
    part: Part | None = None
    clock: Clock | None = None
    until: Clock | None = None
    every: Every | None = None
    length: timedelta | None = None
    shift: timedelta | None = None
    lead: bool = False
    weak: bool = False
    limit: bool = False
    wrap: Callable[[Day], Day | None] | None = None


@dataclass(slots=True)
class Side:
    """One side of a range, or all there is when there is no other side."""

    day: Day | None = None
    part: Part | None = None
    clock: Clock | None = None
    until: Clock | None = None


@dataclass(slots=True)
class Group:
    """The pieces that make one time expression.

    Attributes:
        right: The other side of a range.
        each: 每 stands before it.
        since: ``after``, ``since`` or ``from``, when it is open at the end.
        past: It begins in the past ("since Monday").
        weak: All its pieces are.
        hours: Further clock times of a recurrence.
        begins: The day a recurrence starts from.
        until: The last day of a recurrence.
    """

    left: Side = field(default_factory=Side)
    right: Side | None = None
    every: Every | None = None
    length: timedelta | None = None
    shift: timedelta | None = None
    lead: bool = False
    each: bool = False
    limit: bool = False
    since: str = ""
    past: bool = False
    weak: bool = True
    hours: list[Side] = field(default_factory=list)
    begins: Day | None = None
    until: Day | None = None
    pieces: list[Piece] = field(default_factory=list)
