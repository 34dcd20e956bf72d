"""Ranges: from one side to the other, each helping to read the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from tools.domain.segments import SEGMENT_HOURS, TimeSegment
from tools.domain.times.clocks import Moment, halves, is_bare, moment
from tools.domain.times.dates import Dated, Following
from tools.domain.times.days import Anchor, Day, Stretch, one
from tools.domain.times.pieces import Clock, Group, Side
from tools.domain.times.sides import Present, choices, moment_of, segment_of, stretch_of
from tools.domain.times.stretches import Month
from tools.domain.times.when import Kind, When


def resolve(group: Group, present: Present) -> When | None:
    """A range of days, or of clock times; a clock range whose end is not after its start ends the next day (P5)."""
    left, right = group.left, group.right or Side()
    if isinstance(left.day, Following):  # "10pm to 6am the next day"
        left, right = replace(left, day=None), replace(right, day=left.day)
    elif left.day is None and right.day is not None and (left.clock or left.part) and right.day != Following():
        left, right = replace(left, day=right.day), replace(right, day=None)
    if right.clock and left.day and not (left.clock or left.part):
        return None  # "Monday to Friday at 9" is no range from midnight
    first = _days(left, right, present)
    if first is None:
        return None
    last = _last(first, left, right, present)
    if last is None:
        return None
    start = _start(left, right, first, present)
    end = _end(left, right, first, last, start, present)
    if end is not None and end <= start and right.day is None:
        end += timedelta(days=1)
    if end is None or end <= start:
        return None
    return When(
        "",
        Kind.RANGE,
        start.date(),
        segment_of(left, None),
        start=start,
        end=end,
        provisional=first.provisional or last.provisional,
        choices=choices(left, present) if right.day is None else (),
        deadline=group.limit,
        date_given=left.day is not None,
        clock_given=left.clock is not None or right.clock is not None,
    )


def _days(left: Side, right: Side, present: Present) -> Stretch | None:
    day = _with_year(left.day, right.day)
    found = stretch_of(replace(left, day=day), present)
    if found is None or day is left.day or right.day is None:
        return found
    # "Nov to Feb 2017" begins in the year before.
    last = right.day.resolve(Anchor(present.today, present.purpose))
    if last and found.first > last.first and isinstance(day, (Dated, Month)) and day.year:
        return replace(day, year=day.year - 1).resolve(Anchor(present.today))
    return found


def _with_year(left: Day | None, right: Day | None) -> Day | None:
    if isinstance(left, (Dated, Month)) and isinstance(right, (Dated, Month)):
        silent = left.year is None and left.years is None and (isinstance(left, Dated) or left.month is not None)
        if silent and right.year is not None:
            return replace(left, year=right.year)
    return left


def _last(first: Stretch, left: Side, right: Side, present: Present) -> Stretch | None:
    if right.day is None:
        return first if first.single else one(first.end - timedelta(days=1))
    found = right.day.resolve(Anchor(first.first, present.purpose))
    fixed = right.day.resolve(Anchor(present.today, present.purpose))
    # "Today to tomorrow": words that count from now do so on both sides; a bare weekday counts from the first date.
    return fixed if fixed and _counts_from_now(right.day) else found


def _counts_from_now(day: Day) -> bool:
    fields = ("days", "weeks", "years", "months", "amount")
    return any(isinstance(getattr(day, name, None), (int, float)) for name in fields)


def moments(left: Side, right: Side, present: Present, *, today: bool) -> tuple[Moment, Moment] | None:
    """Both wall times of a clock range: a side that says which half of the day it means decides for the other."""
    if left.clock is None or right.clock is None:
        return None
    bare_left, bare_right = is_bare(left.clock, left.part), is_bare(right.clock, right.part)
    shared = replace(right, part=right.part or left.part)
    # A bare hour of today that is past moves on (P19), but not out of a range that is still running (P3).
    running = _after(moment(left.clock, left.part), shared).minutes > present.now.hour * 60 + present.now.minute
    if bare_left and not bare_right:
        end = moment(right.clock, right.part)
        before = [found for found in halves(left.clock) if found.minutes < end.minutes]
        start = before[-1] if before else moment(left.clock, None)
        if right.clock.half == "24" and right.clock.hour <= 12:
            start = moment(left.clock, None)
    else:
        start = moment_of(left, present, today=today and not running) or moment(left.clock, left.part)
        end = moment(right.clock, right.part)
    if (bare_right and right.part is None) or (right.part is left.part and right.part is not None):
        end = _after(start, shared)
    if end.minutes <= start.minutes:
        end = Moment(end.days + 1, end.at)
    return start, end


def next_after(start: Moment, clock: Clock) -> Moment:
    """The first reading of a bare hour after another time."""
    later = [*halves(clock), *(Moment(1, found.at) for found in halves(clock))]
    return next(found for found in later if found.minutes > start.minutes)


def _after(start: Moment, right: Side) -> Moment:
    if right.clock is None or not 1 <= right.clock.hour <= 12 or right.clock.half:
        return moment(right.clock, right.part) if right.clock else start
    return next_after(start, right.clock)


def _start(left: Side, right: Side, first: Stretch, present: Present) -> datetime:
    both = moments(left, right, present, today=first.first == present.today)
    if both:
        return both[0].on(first.first, present.now)
    alone = moment_of(left, present, today=first.first == present.today)
    if alone:
        return alone.on(first.first, present.now)
    hour = SEGMENT_HOURS[left.part.segment][0] if left.part else 0
    return present.at(first.first, hour)


def _end(left: Side, right: Side, first: Stretch, last: Stretch, start: datetime, present: Present) -> datetime | None:
    day: date = last.first
    if right.clock is not None:
        both = moments(left, right, present, today=first.first == present.today)
        if both is None:
            return moment(right.clock, right.part).on(day, present.now)
        if right.day is None or last.first == first.first:
            return both[1].on(first.first, present.now)
        overnight = right.day == Following() and start.hour >= SEGMENT_HOURS[TimeSegment.EVENING][0]
        bare = is_bare(right.clock, right.part)
        # 晚上10点到次日6点 ends in the morning.
        alone = halves(right.clock)[0] if overnight and bare else moment(right.clock, right.part)
        return alone.on(day, present.now)
    if right.part is not None:
        hours = SEGMENT_HOURS[right.part.segment]
        if left.clock is not None and right.day is None:
            begins = present.at(day, hours[0])
            return begins if begins > start else present.at(day, hours[1])
        return present.at(day, hours[1])
    return present.at(last.end) if right.day is not None else None
