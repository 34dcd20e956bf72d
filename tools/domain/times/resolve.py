"""What a group of pieces comes to at a given moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from tools.domain.segments import SEGMENT_HOURS
from tools.domain.times import ranges, repeats
from tools.domain.times.days import Anchor, Stretch
from tools.domain.times.festivals import Festival
from tools.domain.times.pieces import Group, Side
from tools.domain.times.sides import Present, choices, moment_of, segment_of, stretch_of
from tools.domain.times.stretches import Coming, earlier
from tools.domain.times.when import Kind, When


def resolve(group: Group, present: Present) -> When | None:
    """The meaning of a group, without its words; ``None`` when it has none (30 February)."""
    try:
        found = _resolve(group, present)
        return found if found is None or _sound(found) else None
    except (ValueError, OverflowError):
        return None


def _sound(found: When) -> bool:
    if found.start is None or found.end is None:
        return True
    return found.start.astimezone(UTC) < found.end.astimezone(UTC)


def _resolve(group: Group, present: Present) -> When | None:
    if group.each and group.every is None:
        group.every = repeats.of_day(group.left.day)
        group.left.day = None
        if group.every is None:
            return None
    if group.every is not None:
        return repeats.resolve(group, present)
    if group.shift is not None:
        return _shifted(group, present)
    left = group.left
    if left.until is not None:
        group.right = Side(clock=left.until, part=left.part)
    if group.right is not None:
        return ranges.resolve(group, present)
    if left.day is None and left.clock is None and left.part is None and not (group.limit and group.length is None):
        return _duration(group)
    return _point(group, present)


def _duration(group: Group) -> When | None:
    seconds = round(group.length.total_seconds()) if group.length else 0
    return When("", Kind.DURATION, seconds=seconds) if seconds else None


def _shifted(group: Group, present: Present) -> When:
    start = (present.now.astimezone(UTC) + (group.shift or timedelta(0))).astimezone(present.now.tzinfo)
    found = When("", Kind.DATETIME, start.date(), start=start, deadline=group.limit, clock_given=True, date_given=True)
    if group.length is None or (group.limit and present.purpose == "create"):
        return found
    first, last = sorted((start, present.now))
    return replace(found, kind=Kind.RANGE, date=first.date(), start=first, end=last)


def _point(group: Group, present: Present) -> When | None:
    left = group.left
    days = stretch_of(left, present)
    if days is not None and group.past and days.first > present.today and left.day is not None:
        days = earlier(left.day).resolve(Anchor(present.today))
    if days is None:
        return None
    found = moment_of(left, present, today=days.first == present.today)
    base = When(
        "",
        Kind.DATE,
        days.first,
        segment_of(left, found),
        provisional=days.provisional,
        choices=choices(left, present),
        deadline=group.limit,
        date_given=left.day is not None or left == Side(),
        clock_given=left.clock is not None,
    )
    if found is not None:
        return _clocked(base, found.on(days.first, present.now), group) if days.single else None
    return _dated(base, days, group, present)


def _clocked(base: When, start: datetime, group: Group) -> When:
    base = replace(base, kind=Kind.DATETIME, date=start.date(), start=start)
    lasts = group.length and group.since != "after"  # 三点开始两个小时
    if group.since in ("after", "since") and not lasts:
        end = datetime.combine(start.date() + timedelta(days=1), time(0), tzinfo=start.tzinfo)
        return replace(base, kind=Kind.RANGE, end=end)
    if group.length:
        return replace(base, kind=Kind.RANGE, end=start + group.length, seconds=round(group.length.total_seconds()))
    return base


def _dated(base: When, days: Stretch, group: Group, present: Present) -> When:
    seconds = round(group.length.total_seconds()) if group.length else None
    base = replace(base, seconds=seconds)
    if isinstance(group.left.day, Coming) and group.limit and present.purpose == "create":
        # "Within two days" asks for it by the day after tomorrow.
        return replace(base, date=days.end, start=present.at(days.end), end=present.at(days.end, 24))
    lasts = group.length and group.length >= timedelta(days=1) and base.segment is None
    if group.since in ("after", "since") and not (lasts and group.since == "since"):
        if group.since == "after" and isinstance(group.left.day, Festival):
            days = replace(group.left.day, off=True).resolve(Anchor(present.today)) or days
        first = days.first if group.since == "since" or days.single else days.end
        return replace(base, kind=Kind.RANGE, date=first, start=present.at(first), end=None)
    if group.length and lasts:
        start = present.at(days.first)
        return replace(base, kind=Kind.RANGE, start=start, end=start + group.length)
    if base.segment is not None and days.single:
        hours = SEGMENT_HOURS[base.segment]
        return replace(base, start=present.at(days.first, hours[0]), end=present.at(days.first, hours[1]))
    kind = Kind.DATE if days.single else Kind.RANGE
    return replace(base, kind=kind, start=present.at(days.first), end=present.at(days.end))
