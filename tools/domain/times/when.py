"""What a time phrase means: one typed value."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from tools.domain.segments import TimeSegment


class Kind(StrEnum):
    """What sort of time a phrase names."""

    DATE = "date"
    DATETIME = "datetime"
    RANGE = "range"
    RECURRENCE = "recurrence"
    DURATION = "duration"


@dataclass(frozen=True, slots=True)
class When:
    """A time phrase as understood.

    Attributes:
        text: The words understood, in the order of the sentence.
        kind: ``date``: a day, or a part of one; ``datetime``: a clock time; ``range``: from ``start`` to ``end``, open
            at the end when ``end`` is ``None`` ("since May"); ``recurrence``: see ``rrule``; ``duration``: see
            ``seconds``.
        date: Local date of the start; ``None`` for a duration.
        segment: The part of the day that was named, with or without a clock time (P1).
        start: Aware, in the zone asked for.
        end: Aware, exclusive; ``None`` for a bare point.
        rrule: RRULE text without its prefix; ``start`` is the first occurrence that is not over.
        seconds: Length of a duration, or of a range given as start and length ("3pm for 2 hours").
        spans: Half-open offsets into the original text of every piece used.
        provisional: It rests on a holiday plan that is not published yet.
        choices: The dates it may mean, when that is for the user to say (P19); else empty.
        deadline: The words set a limit ("by Friday"): ``date``, or ``start`` with a clock time, is the limit itself.
        date_given: The words named a date.
        clock_given: The words named a clock time.
    """

    text: str
    kind: Kind
    date: dt.date | None = None
    segment: TimeSegment | None = None
    start: dt.datetime | None = None
    end: dt.datetime | None = None
    rrule: str | None = None
    seconds: int | None = None
    spans: tuple[tuple[int, int], ...] = ()
    provisional: bool = False
    choices: tuple[dt.date, ...] = ()
    deadline: bool = False
    date_given: bool = False
    clock_given: bool = False
