"""The way in: from a text to the times it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from zoneinfo import ZoneInfo

from tools.domain.segments import TimeSegment
from tools.domain.times.assemble import assemble
from tools.domain.times.days import Purpose
from tools.domain.times.normal import normalise
from tools.domain.times.pieces import Group
from tools.domain.times.resolve import resolve
from tools.domain.times.scan import scan
from tools.domain.times.sides import Present
from tools.domain.times.when import Kind, When

_LEAD = re.compile(
    r"(?:(?<![a-z])(?:on|at|in|by|for|from|around|about|between|the|@)\s{1,2}|(?<![现正存])在|(?<![关由对终])于|从|大约|大概|差不多)$"
)
_TRAIL = re.compile(r"左右|前后|上下|准时|整(?![理个])|\s?(?:sharp|or so)\b")
_OWNS = re.compile(r"(?:'s?(?![a-z]))?")
_GAP = re.compile(r"[\s,、的和及与]{0,5}|\s?(?:and|&)\s?")
_TIDY = re.compile(r"^[\s,，。、;；:：的-]+|[\s,，、;；:：-]+$")


def parse_when(
    text: str,
    now: datetime,
    zone: ZoneInfo,
    *,
    purpose: Purpose = "create",
    near: TimeSegment | None = None,
) -> When | None:
    """The time a text names, or ``None``: the first one, and a length only if there is nothing else.

    Args:
        text: The user's words, alone or in a sentence; any string.
        now: The present moment, aware.
        zone: The user's zone; everything is counted and answered in it.
        purpose: ``query`` takes a weekend as both its days (P16).
        near: The part of the day of what is being changed; a bare hour stays in it (P24).

    Raises:
        ValueError: ``now`` is naive.
    """
    found = find_whens(text, now, zone, purpose=purpose, near=near)
    return next((when for when in found if when.kind is not Kind.DURATION), found[0] if found else None)


def find_whens(
    text: str,
    now: datetime,
    zone: ZoneInfo,
    *,
    purpose: Purpose = "create",
    near: TimeSegment | None = None,
) -> list[When]:
    """Every separate time expression of a text, in order.

    A clock time without a date takes the date of the expression before it ("明天三点开会，五点取快递"); its
    ``date_given`` stays false. Arguments and errors are those of ``parse_when``.
    """
    if now.tzinfo is None or now.utcoffset() is None:
        raise ValueError(f"now must be aware, got the naive {now.isoformat()}")
    plain = normalise(text)
    present = Present(now.astimezone(zone).replace(microsecond=0), purpose, near)
    found: list[When] = []
    day: date | None = None
    for group in assemble(plain, scan(plain)):
        when = resolve(group, replace(present, day=day))
        if when is None:
            continue
        spans = _spans(plain, group)
        found.append(replace(when, text=" ".join(text[start:end] for start, end in spans), spans=spans))
        if _lends(when, present.today):
            day = when.date
    return found


def _lends(when: When, today: date) -> bool:
    """Whether a clock time further on may be of its date: a limit or a past date is about something else."""
    if when.date is None or when.deadline or not when.date_given:
        return False
    return when.kind in (Kind.DATE, Kind.DATETIME) and when.date >= today


def _spans(text: str, group: Group) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for piece in sorted(group.pieces, key=lambda piece: piece.start):
        start = piece.start
        lead = _LEAD.search(text, max(0, start - 8), start)
        if lead:
            start = lead.start()
        trail = (_TRAIL if piece.clock else _OWNS).match(text, piece.end)
        end = trail.end() if trail else piece.end
        if spans and _GAP.fullmatch(text, spans[-1][1], start):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((max(start, spans[-1][1]) if spans else start, end))
    return tuple(spans)


def remove_spans(text: str, whens: Iterable[When]) -> str:
    """The text without the words of these times, its edges and blanks tidied.

    Args:
        text: The text the times were found in.
        whens: What ``find_whens`` or ``parse_when`` found there.
    """
    kept, position = [], 0
    for start, end in sorted(span for when in whens for span in when.spans):
        kept.append(text[position:start])
        position = max(position, end)
    kept.append(text[position:])
    joined = ""
    for part in filter(None, map(str.strip, kept)):
        # Two words that come to stand side by side need a blank; Chinese does not.
        joined += " " + part if joined and joined[-1].isascii() and part[0].isascii() and part[0].isalnum() else part
    return _TIDY.sub("", re.sub(r"[(（]\s*[)）]", "", joined))


def occurrences(when: When, count: int) -> list[datetime]:
    """The first so many occurrences of a recurrence, by the wall clock of its zone.

    Args:
        when: A recurrence; anything else has only its start.
        count: How many at most.
    """
    if when.start is None or count <= 0:
        return []
    if when.rrule is None:
        return [when.start]
    from dateutil.rrule import rrulestr  # noqa: PLC0415  (cold start)

    return list(islice(rrulestr(when.rrule, dtstart=when.start), count))
