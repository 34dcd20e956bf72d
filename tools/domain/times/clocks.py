"""How a written hour reads: bare, after a part of the day, with am or pm (P19)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from tools.domain.segments import SEGMENT_HOURS, TimeSegment, segment_at
from tools.domain.times.pieces import Clock, Part

#: Name of a part of the day -> segment it counts as (P1).
PARTS: dict[str, Part] = {
    name: Part(name, segment)
    for name, segment in {
        "dawn": TimeSegment.EARLY_MORNING,
        "morning": TimeSegment.MORNING,
        "forenoon": TimeSegment.FORENOON,
        "noon": TimeSegment.NOON,
        "afternoon": TimeSegment.AFTERNOON,
        "dusk": TimeSegment.EVENING,
        "evening": TimeSegment.EVENING,
        "night": TimeSegment.EVENING,
    }.items()
}

#: Name -> hours (of a 12-hour clock) that count from noon after this word.
_FROM_NOON: dict[str, range] = {
    "dawn": range(0),
    "morning": range(0),
    "forenoon": range(0),
    "noon": range(1, 5),
    "afternoon": range(1, 12),
    "dusk": range(1, 12),
    "evening": range(5, 12),
    "night": range(6, 12),
}
#: Words after which twelve is midnight at the end of the day.
_ENDS_DAY = ("evening", "night")


@dataclass(frozen=True, slots=True)
class Moment:
    """A wall time, so many days after the day it was said of."""

    days: int
    at: time

    @property
    def minutes(self) -> float:
        """Minutes since the midnight that begins the day it was said of."""
        return self.days * 1440 + self.at.hour * 60 + self.at.minute + self.at.second / 60

    def on(self, day: date, zone_of: datetime) -> datetime:
        """The moment said of ``day``, in the zone of ``zone_of``."""
        return datetime.combine(day + timedelta(days=self.days), self.at, tzinfo=zone_of.tzinfo)


def is_bare(clock: Clock, part: Part | None) -> bool:
    """Whether nothing says which half of the day is meant."""
    return part is None and clock.half is None and 1 <= clock.hour <= 12


def moment(clock: Clock, part: Part | None) -> Moment:
    """The wall time meant; a bare 1-6 is the afternoon, 7-12 as written (P19)."""
    hour, days = clock.hour, 0
    if clock.half in ("am", "pm"):
        hour = hour % 12 + (12 if clock.half == "pm" else 0) if hour <= 12 else hour
        # "Tonight at 1am" is after midnight.
        days = int(part is not None and part.name in _ENDS_DAY and hour < SEGMENT_HOURS[TimeSegment.EARLY_MORNING][1])
    elif part is not None and hour <= 12:
        days, hour = _after(part.name, hour)
    elif is_bare(clock, part) and hour <= 6:
        hour += 12
    if hour >= 24:
        days, hour = days + 1, hour - 24
    return Moment(days, time(hour, clock.minute, clock.second))


def _after(name: str, hour: int) -> tuple[int, int]:
    if name in _ENDS_DAY and hour in (0, 12):
        return 1, 0
    if hour in _FROM_NOON[name]:
        return 0, hour + 12
    if name == "evening" and hour < 5:
        return 1, hour
    return 0, 0 if name == "dawn" and hour == 12 else hour


def later_if_past(found: Moment, now: datetime) -> Moment:
    """A bare hour of today that is past, 12 hours later if that is still to come today (P19)."""
    minutes = now.hour * 60 + now.minute + now.second / 60
    if found.days or found.minutes >= minutes or found.minutes + 720 > 1440:
        return found
    later = found.minutes + 720
    if later < minutes:
        return found
    return (
        Moment(1, found.at.replace(hour=0)) if later >= 1440 else Moment(0, found.at.replace(hour=found.at.hour + 12))
    )


def halves(clock: Clock) -> list[Moment]:
    """Both readings of a bare hour, the earlier first."""
    first = Moment(0, time(clock.hour % 12, clock.minute, clock.second))
    return [first, Moment(0, first.at.replace(hour=first.at.hour + 12))]


def near_to(clock: Clock, part: TimeSegment) -> Moment | None:
    """The reading of a bare hour that lies in this part of the day (P24), if either does."""
    return next((found for found in halves(clock) if segment_at(found.at) is part), None)
