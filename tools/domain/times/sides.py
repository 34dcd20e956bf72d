"""One side of a range, or a single time, against the present moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from tools.domain.segments import SEGMENT_HOURS, TimeSegment, segment_at
from tools.domain.times.clocks import Moment, is_bare, later_if_past, moment, near_to
from tools.domain.times.dates import DayOfMonth, Relative
from tools.domain.times.days import Anchor, Purpose, Stretch, one
from tools.domain.times.pieces import Side

_DAY_STARTS_AT = 5
_NIGHT_FALLS_AT = 18


@dataclass(frozen=True, slots=True)
class Present:
    """What a phrase is counted from.

    Attributes:
        now: Aware, in the user's zone, whole seconds.
        near: The part of the day that a bare hour keeps (P24).
        day: The date that an earlier phrase of the sentence named.
    """

    now: datetime
    purpose: Purpose = "create"
    near: TimeSegment | None = None
    day: date | None = None

    @property
    def today(self) -> date:
        """The local date."""
        return self.now.date()

    def at(self, day: date, hour: int = 0) -> datetime:
        """An hour of a day; 24 is the next midnight."""
        return datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), tzinfo=self.now.tzinfo)


def moment_of(side: Side, present: Present, *, today: bool) -> Moment | None:
    """The wall time of a side; a bare hour of today that is past moves on (P19) unless it keeps its part (P24)."""
    if side.clock is None:
        return None
    if is_bare(side.clock, side.part):
        near = near_to(side.clock, present.near) if present.near else None
        found = near or moment(side.clock, None)
        return later_if_past(found, present.now) if today and not near else found
    found = moment(side.clock, side.part)
    at_night = (
        side.part is not None and side.part.name == "night" and found.at.hour < _DAY_STARTS_AT + 1 and not found.days
    )
    if at_night and isinstance(side.day, Relative) and not side.day.days and present.now.hour >= _DAY_STARTS_AT:
        return Moment(1, found.at)
    return found


def spent(side: Side, present: Present) -> bool:
    """Whether the part of today that the side names is over."""
    found = moment_of(side, present, today=True)
    if found is not None:
        now = present.now
        return found.minutes < now.hour * 60 + now.minute
    return side.part is not None and SEGMENT_HOURS[side.part.segment][1] <= present.now.hour


def stretch_of(side: Side, present: Present) -> Stretch | None:
    """The days of a side: today when it names none, or the next date for a small hour said in the evening (P19)."""
    if isinstance(side.day, DayOfMonth) and side.day.months is None and present.day is not None:
        return side.day.resolve(Anchor(present.day, present.purpose))
    if side.day is not None:
        return side.day.resolve(Anchor(present.today, present.purpose, spent(side, present)))
    if present.day is not None:
        return one(present.day)
    late = present.now.hour >= _NIGHT_FALLS_AT and side.part is not None
    small = side.clock is not None and 1 <= side.clock.hour <= _DAY_STARTS_AT and side.clock.half != "pm"
    dawn = side.part is not None and (side.part.name == "dawn" or (side.part.name == "night" and small))
    return one(present.today + timedelta(days=bool(late and dawn)))


def segment_of(side: Side, found: Moment | None) -> TimeSegment | None:
    """The segment named; a small hour said of the night is early morning."""
    if side.part is None:
        return None
    if (
        side.part.name == "night"
        and found is not None
        and 1 <= found.at.hour < SEGMENT_HOURS[TimeSegment.EARLY_MORNING][1]
    ):
        return segment_at(found.at)
    return side.part.segment


def choices(side: Side, present: Present) -> tuple[date, ...]:
    """The dates that "tomorrow" may mean when it is said between midnight and five (P19)."""
    if side.day == Relative(1) and present.now.hour < _DAY_STARTS_AT:
        return (present.today, present.today + timedelta(days=1))
    return ()
