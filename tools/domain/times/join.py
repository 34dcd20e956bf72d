"""Expressions side by side that say one thing together: a recurrence and its days, hours, start and end."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.domain.times.dates import Weekday
from tools.domain.times.pieces import Group, Side

_END = re.compile(r"[\s,，.。!！?？]{0,9}$")
_SIDE_BY_SIDE = re.compile(r"[\s,、和及与]{0,3}|\s?(?:and|&)\s?")


def join(text: str, groups: list[Group]) -> list[Group]:
    """The groups, with those that qualify a recurrence made part of it.

    Args:
        text: The normalised text.
        groups: In the order of the text.
    """
    joined: list[Group] = []
    for group in groups:
        _take_weekdays(text, group, joined)
        before = joined[-1] if joined else None
        if before is None or not _beside(text, before, group):
            joined.append(group)
        elif _qualifies(before, group):
            _take(before, group)
        elif _qualifies(group, before):
            _take(group, before)
            joined[-1] = group
        else:
            joined.append(group)
    return joined


def _take_weekdays(text: str, recurrence: Group, before: list[Group]) -> None:
    """The days, and their time, may stand before the recurrence: "Tue and Thu at 7am every week"."""
    every = recurrence.every
    if every is None or every.unit != "week" or every.weekdays or recurrence.left != Side() or recurrence.right:
        return
    if before and _new_clause(text, before[-1], recurrence):
        return
    days: set[int] = set()
    while before and _beside(text, before[-1], recurrence):
        named = _named(before[-1])
        if not named or (days and not _untimed(before[-1])):
            break
        taken = before.pop()
        if not days:
            _take_time(recurrence, taken)
        recurrence.pieces = [*taken.pieces, *recurrence.pieces]
        days.update(named)
    recurrence.every = replace(every, weekdays=tuple(sorted(days)))


def _new_clause(text: str, before: Group, recurrence: Group) -> bool:
    """Whether the recurrence begins a clause of its own: "brunch Sunday, every week call mom"."""
    gap = text[max(piece.end for piece in before.pieces) : min(piece.start for piece in recurrence.pieces)]
    return "," in gap and not _END.match(text, max(piece.end for piece in recurrence.pieces))


def _take_time(recurrence: Group, other: Group) -> None:
    recurrence.left = replace(other.left, day=None)
    if other.right is None:
        return
    if isinstance(other.right.day, Weekday):
        recurrence.left = replace(other.right, day=None)
    else:
        recurrence.right = other.right


def _named(group: Group) -> tuple[int, ...]:
    """The weekdays a group names, beside the time of day it gives them."""
    day, right = group.left.day, group.right
    if group.every or group.length or group.shift is not None or group.since or group.limit:
        return ()
    if right is not None and right.day is not None:
        return _weekdays(replace(group, right=Side(day=right.day)))
    return (day.weekday,) if isinstance(day, Weekday) and day.weeks is None else ()


def _untimed(group: Group) -> bool:
    left, right = group.left, group.right
    return not (left.clock or left.part or (right and (right.clock or right.part)))


def _another_day(recurrence: Group, other: Group) -> bool:
    """Every two weeks on Tuesday and Thursday: one more day of a recurrence whose time is still to come."""
    every, first = recurrence.every, recurrence.left
    weekly = every is not None and every.unit == "week" and isinstance(first.day, Weekday) and _untimed(recurrence)
    return weekly and recurrence.right is None and bool(_named(other)) and (other.right is None or not other.right.day)


def _beside(text: str, first: Group, second: Group) -> bool:
    start = max(piece.end for piece in first.pieces)
    end = min(piece.start for piece in second.pieces)
    return end - start <= 8 and _SIDE_BY_SIDE.fullmatch(text, start, end) is not None


def _qualifies(recurrence: Group, other: Group) -> bool:
    every, left = recurrence.every, other.left
    if every is None or other.every or other.shift is not None or other.length is not None:
        return False
    if _another_day(recurrence, other):
        return True
    if _weekdays(other):
        return every.unit == "day" and every.interval == 1
    if other.right is not None or left.until:
        return False
    if left.day is not None:
        free = recurrence.left.clock is None and recurrence.left.part is None
        alone = left.clock is None and left.part is None
        return (bool(other.since) and (free or alone)) or (other.limit and alone)
    return left.clock is not None and recurrence.left.clock is not None and not (other.since or other.limit)


def _weekdays(group: Group) -> tuple[int, ...]:
    """Monday to Friday, as weekdays."""
    left, right = group.left, group.right
    if right is None or left.clock or left.part or right.clock or right.part:
        return ()
    first, last = left.day, right.day
    if not (isinstance(first, Weekday) and isinstance(last, Weekday)) or first.weeks is not None:
        return ()
    return tuple(range(first.weekday, last.weekday + 1))


def _take(recurrence: Group, other: Group) -> None:
    days = _weekdays(other)
    if recurrence.every and _another_day(recurrence, other):
        recurrence.every = replace(recurrence.every, weekdays=(*recurrence.every.weekdays, *_named(other)))
        recurrence.left, recurrence.right = replace(other.left, day=recurrence.left.day), other.right
    elif days and recurrence.every:
        recurrence.every = replace(recurrence.every, unit="week", weekdays=days)
    elif other.left.day is None:
        recurrence.hours.append(other.left)
    elif other.limit:
        recurrence.until = other.left.day
    else:
        recurrence.begins = other.left.day
        recurrence.left.clock = recurrence.left.clock or other.left.clock
        recurrence.left.part = recurrence.left.part or other.left.part
    recurrence.pieces = sorted([*recurrence.pieces, *other.pieces], key=lambda piece: piece.start)
