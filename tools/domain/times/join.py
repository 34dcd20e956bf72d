"""Expressions side by side that say one thing together: a recurrence and its days, hours, start and end."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.domain.times.dates import Weekday
from tools.domain.times.pieces import Group

_SIDE_BY_SIDE = re.compile(r"[\s,、和及与]{0,3}|\s?(?:and|&)\s?")


def join(text: str, groups: list[Group]) -> list[Group]:
    """The groups, with those that qualify a recurrence made part of it.

    Args:
        text: The normalised text.
        groups: In the order of the text.
    """
    joined: list[Group] = []
    for group in groups:
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


def _beside(text: str, first: Group, second: Group) -> bool:
    start = max(piece.end for piece in first.pieces)
    end = min(piece.start for piece in second.pieces)
    return end - start <= 8 and _SIDE_BY_SIDE.fullmatch(text, start, end) is not None


def _qualifies(recurrence: Group, other: Group) -> bool:
    every, left = recurrence.every, other.left
    if every is None or other.every or other.shift is not None or other.length is not None:
        return False
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
    if days and recurrence.every:
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
