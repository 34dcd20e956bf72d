"""Dates and times of calendars, and the user's wall time that they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from icalendar.prop import vDuration

from tools.services.ics.lines import Block, Property
from tools.services.ics.zones import Zones

_VALUE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?")
#: Years that leave room for every zone and rule.
FIRST_YEAR, LAST_YEAR = 1600, 9000
LONGEST_DURATION = timedelta(days=36_500)


class EntryError(Exception):
    """Why an entry is not taken over.

    Attributes:
        reason: Key in ``ics.skipped``.
        facts: The values in it.
    """

    def __init__(self, reason: str, **facts: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, or a date with a wall time in a zone; without zone it is the wall time of whoever looks (floating)."""

    day: date
    clock: time | None = None
    zone: tzinfo | None = None

    def is_local(self, zone: ZoneInfo) -> bool:
        """Whether it is written in the user's own wall time."""
        return self.zone is None or getattr(self.zone, "key", None) == zone.key

    def wall(self, zone: ZoneInfo) -> datetime:
        """Date and wall time in the user's zone, marked UTC as a stand-in; a bare date is its midnight.

        A time that is in that zone already stays as it is written, also in the hour that the clocks skip.
        """
        written = datetime.combine(self.day, self.clock or time(), UTC)
        if self.clock is None or self.is_local(zone):
            return written
        return written.replace(tzinfo=self.zone).astimezone(zone).replace(tzinfo=UTC)

    def instant(self, zone: ZoneInfo) -> datetime:
        """The instant, UTC; what has no zone of its own is in the user's."""
        return datetime.combine(self.day, self.clock or time(), self.zone or zone).astimezone(UTC)

    def later(self, by: timedelta) -> Moment:
        """The moment after a duration: whole days keep the wall time, the rest is elapsed time (RFC 5545, 3.3.6)."""
        days = timedelta(days=int(by / timedelta(days=1)))
        moved = datetime.combine(self.day, self.clock or time(), self.zone or UTC) + days
        moved = (moved.astimezone(UTC) + (by - days)).astimezone(self.zone or UTC)
        return Moment(moved.date(), None if self.clock is None else moved.time(), self.zone)


def moment_of(found: Property, zones: Zones, value: str | None = None) -> Moment:
    """The date or time of a property, or of one value of its list.

    Raises:
        EntryError: It is none, or in a zone that nobody knows.
    """
    said = (found.value if value is None else value).strip()
    parts = _VALUE.fullmatch(said.upper())
    if parts is None or not FIRST_YEAR <= int(parts[1]) <= LAST_YEAR:
        raise EntryError("bad_value", name=found.name, value=said[:40])
    try:
        day = date(int(parts[1]), int(parts[2]), int(parts[3]))
        clock = time(int(parts[4]), int(parts[5]), int(parts[6])) if parts[4] else None
    except ValueError as error:
        raise EntryError("bad_value", name=found.name, value=said[:40]) from error
    if clock is None or parts[7]:
        return Moment(day, clock, UTC if parts[7] else None)
    name = found.parameters.get("TZID")
    if not name:
        return Moment(day, clock)
    zone = zones.named(name)
    if zone is None:
        raise EntryError("unknown_zone", zone=name[:60])
    return Moment(day, clock, zone)


def duration_of(found: Property) -> timedelta:
    """The length of time of a property; negative ones are negative.

    Raises:
        EntryError: It is none, or beyond all use.
    """
    try:
        length = vDuration.from_ical(found.value.strip().upper())  # type: ignore[no-untyped-call]  # icalendar has no types there
    except ValueError as error:
        raise EntryError("bad_value", name=found.name, value=found.value[:40]) from error
    if abs(length) > LONGEST_DURATION:
        raise EntryError("bad_value", name=found.name, value=found.value[:40])
    return timedelta(seconds=length.total_seconds())


def read_moment(block: Block, name: str, zones: Zones) -> Moment | None:
    """The moment under a name, if the block has one.

    Raises:
        EntryError: As ``moment_of``, or there are several.
    """
    found = block.all(name)
    if len(found) > 1:
        raise EntryError("twice", name=name)
    return moment_of(found[0], zones) if found else None
