"""From a model's words to dates and times: code resolves them, never the model (design section 3).

An argument may be ISO (``2026-02-14``, ``15:30``) or the user's own words (``周末早上``, ``next Friday 3pm``); both
end here, against the run's frozen moment and the user's zone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal

from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.domain.recurrence import checked_rule
from tools.domain.segments import TimeSegment, minutes_of
from tools.domain.times import Kind, When, find_whens, parse_when

Purpose = Literal["create", "query"]
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
RULE = re.compile(r"(?:RRULE:)?\s*FREQ=", re.IGNORECASE)
#: Words of a range that only begins.
OPEN_END = re.compile(r"开始|(?<!一)起|onwards?|\bfrom\b|\bsince\b|\bafter\b", re.IGNORECASE)
SEGMENTS = frozenset(segment.value for segment in TimeSegment)
YEAR = re.compile(r"\d{4}|明年|后年|去年|next year|[年]", re.IGNORECASE)
#: Days ahead from which on a date without a year may as well be the one that has just passed.
FAR = 270
#: Words that make a length of time a move by that length.
EARLIER = re.compile(r"提前|往前|earlier|before|forward", re.IGNORECASE)
SHORTER = re.compile(r"缩短|shorter|less", re.IGNORECASE)
STRETCH = re.compile(rf"{SHORTER.pattern}|延长|加长|longer|more", re.IGNORECASE)
SHIFT = re.compile(rf"{EARLIER.pattern}|推迟|推后|往后|向后|延后|延迟|later|back", re.IGNORECASE)
#: Longest words that are read as a time; more is no time phrase.
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Timing:
    """A day and what was said of the time on it.

    Attributes:
        day: Local date; ``None`` when the words tell nothing of it.
        last_day: The last date of a range of days, else ``day``.
        start: Local wall time.
        end: Local wall time; before ``start`` it is on the next day.
        segment: The part of the day, if one was named.
        dated: The words named the date; else ``day`` only follows from the clock time (P19).
        choices: The dates it may mean, when that is for the user to say (P19).
        rule: The rule of a recurrence, of whole days; ``day`` is its first date.
    """

    day: date | None
    last_day: date | None
    start: time | None
    end: time | None
    segment: TimeSegment | None
    dated: bool = False
    choices: tuple[date, ...] = ()
    rule: str | None = None

    def arguments(self, day: date | None = None) -> dict[str, str | None]:
        """The same as arguments that no longer depend on when they are read; ``day`` decides between choices."""
        named = day or (self.day if self.dated else None)
        repeat = {"repeat": self.rule} if self.rule else {}
        return repeat | {
            "due_date": named.isoformat() if named else None,
            "start_time": f"{self.start:%H:%M}" if self.start else None,
            "end_time": f"{self.end:%H:%M}" if self.end else None,
            "time_segment": self.segment.value if self.segment and not self.start else None,
        }


def resolve(
    context: RunContext,
    day: str | None = None,
    start: str | None = None,
    end: str | None = None,
    segment: str | None = None,
    *,
    repeat: str | None = None,
    purpose: Purpose = "create",
    near: TimeSegment | None = None,
) -> Timing:
    """What date, start, end and part of the day the words mean, and how they come back.

    Args:
        context: Moment and zone.
        day: Words of the date, which may hold the time as well.
        start: Words of the start.
        end: Words of the end.
        segment: A part of the day.
        repeat: Words of a recurrence, or RRULE text; ``day`` may hold them as well.
        purpose: 周末 is Saturday to a task, both days to a question (P16).
        near: The part of the day that a bare hour stays in (P24).

    Raises:
        ToolArgumentError: Words that name no time; the value and the accepted forms are in the message.
    """
    if repeat:
        if day is None and not RULE.match(repeat):
            return resolve(context, repeat, start, end, segment, purpose=purpose, near=near)
        found = resolve(context, day, start, end, segment, purpose=purpose, near=near)
        return replace(found, rule=rule_of(context, repeat), choices=())
    if end and not (day or start or segment or _clock(end)):
        # Only a new end: "延长到五点半".
        when = _read(context, end, near=near)
        if when is None or when.start is None or not when.clock_given:
            raise ToolArgumentError("bad_time", value=end[:LONGEST])
        return Timing(None, None, None, _wall(when.start), None)
    named = _segment(context, segment)
    day_only, clock = _iso(day), _clock(start)
    if (day is None or day_only) and (start is None or clock) and (end is None or _clock(end)):
        return Timing(day_only, day_only, clock, _clock(end), named, dated=day_only is not None)
    phrase = _phrase(context, day, start, end, segment)
    when = parse_when(phrase, context.now, context.zone, purpose=purpose, near=near) if len(phrase) <= LONGEST else None
    if when is None or when.start is None or (start and not (when.clock_given or when.segment)):
        raise ToolArgumentError("bad_time", value=phrase[:LONGEST])
    found = _timing(when, when.start)
    if when.rrule is not None and purpose == "create":
        found = replace(found, rule=_checked(when.rrule, phrase, context))
    elif purpose == "create" and found.dated and found.day and not YEAR.search(phrase):
        found = _this_year(found, found.day, context, phrase)
    if end and found.end is None:
        raise ToolArgumentError("bad_time", value=end[:LONGEST])
    return replace(found, segment=named or found.segment)


def resolve_days(context: RunContext, words: str | None, *, purpose: Purpose = "query") -> tuple[date, date]:
    """First and last date that the words mean; today when nothing was said (P16).

    Raises:
        ToolArgumentError: Words that name no date.
    """
    timing = resolve(context, words, purpose=purpose)
    first = timing.day or context.now.date()
    return first, timing.last_day or first


def resolve_instant(context: RunContext, words: str, day: date | None = None) -> datetime | None:
    """The instant of a clock time; a bare time falls on ``day`` if one is given. ``None`` when no clock was named."""
    when = _read(context, words)
    if when is None or not when.clock_given or when.start is None:
        return None
    if day is not None and not when.date_given:
        if day > context.now.date():
            # "8点" for another day is eight in the morning, however late it is today (P19).
            when = parse_when(words[:LONGEST], datetime.combine(day, time(), context.zone), context.zone) or when
        if when.start is None:
            return None
        return datetime.combine(day, when.start.timetz().replace(tzinfo=None), context.zone)
    return when.start


def names_date(context: RunContext, words: str) -> bool:
    """Whether the words name one date of their own; a recurrence names many."""
    when = _read(context, words)
    return when is not None and when.date_given and when.rrule is None


def resolve_offset(context: RunContext, words: str) -> timedelta | None:
    """A length of time such as 半小时 or "2 hours"; ``None`` when it is none."""
    when = _read(context, words)
    if when is None or when.kind is not Kind.DURATION or when.seconds is None:
        return None
    return timedelta(seconds=when.seconds)


def rule_of(context: RunContext, words: str) -> str | None:
    """The rule of a recurrence in the user's words or as RRULE text.

    Raises:
        ToolArgumentError: Neither, or a rule that a task cannot have.
    """
    if RULE.match(words):
        return _checked(words, words, context)
    when = _read(context, words)
    if when is None or when.rrule is None:
        raise ToolArgumentError("bad_repeat", value=words[:LONGEST])
    return _checked(when.rrule, words, context)


def is_recurring(context: RunContext, words: str | None) -> bool:
    """Whether the words name a recurrence: 每周一, "every Monday"."""
    when = _read(context, words) if words else None
    return when is not None and when.rrule is not None


def _checked(rule: str, words: str, context: RunContext) -> str:
    try:
        return checked_rule(rule, context.zone)
    except ValueError as error:
        raise ToolArgumentError("bad_repeat", value=words[:LONGEST]) from error


def _this_year(found: Timing, day: date, context: RunContext, phrase: str) -> Timing:
    """A month and day that have just passed: next year's, or this one's after all? That is for the user to say (P3)."""
    years = day.year - context.now.year
    if years < 1 or (day - context.now.date()).days < FAR:
        return found
    try:
        passed = day.replace(year=context.now.year)
    except ValueError as error:  # 29 February of a year that has none
        raise ToolArgumentError("bad_time", value=phrase) from error
    return replace(found, choices=(passed, day)) if years == 1 else found


def stretch_of(words: str | None, context: RunContext) -> timedelta | None:
    """How much longer (or, negative, shorter) a task is to be: "30 minutes longer"; ``None`` for a time."""
    return _length_of(words, context, STRETCH, SHORTER)


def shift_of(words: str | None, context: RunContext) -> timedelta | None:
    """How much later (or, negative, earlier) a task is to be: 推迟半小时, "30 minutes earlier"; ``None`` for a time."""
    return _length_of(words, context, SHIFT, EARLIER)


def _length_of(
    words: str | None, context: RunContext, wanted: re.Pattern[str], negative: re.Pattern[str]
) -> timedelta | None:
    """The length of time in words that hold a ``wanted`` one; less than nothing when a ``negative`` one is there."""
    if not words or not wanted.search(words):
        return None
    whens = find_whens(words[:LONGEST], context.now, context.zone)
    seconds = next((when.seconds for when in whens if when.kind is Kind.DURATION), None)
    if seconds is None:
        return None
    return timedelta(seconds=-seconds if negative.search(words) else seconds)


def _read(context: RunContext, words: str, *, near: TimeSegment | None = None) -> When | None:
    return parse_when(words[:LONGEST], context.now, context.zone, near=near)


def _phrase(context: RunContext, day: str | None, start: str | None, end: str | None, segment: str | None) -> str:
    """The arguments as one phrase, in the order in which people say them."""
    words = [day] if day else []
    if start:
        words.append(start)
    elif segment and segment not in SEGMENTS and segment != day:
        words.append(segment)
    phrase = " ".join(words)
    if end:
        phrase += f"到{end}" if context.language == "zh" else f" to {end}"
    return phrase


def _timing(when: When, start: datetime) -> Timing:
    clock = _wall(start) if when.clock_given else None
    ends = when.end is not None and when.clock_given and when.kind in (Kind.RANGE, Kind.RECURRENCE)
    # 两点开始 has no end; that it runs to midnight is only how an open range is kept.
    ends = ends and not (OPEN_END.search(when.text) and when.end is not None and _wall(when.end) == time())
    end = _wall(when.end) if ends and when.end is not None else None
    return Timing(when.date, _last_day(when), clock, end, when.segment, when.date_given, when.choices)


def _last_day(when: When) -> date | None:
    if when.end is None or when.kind is not Kind.RANGE or when.clock_given:
        return when.date
    return (when.end - timedelta(seconds=1)).date()


def _wall(moment: datetime) -> time:
    return time(moment.hour, moment.minute)


def _iso(words: str | None) -> date | None:
    if words is None or not ISO_DATE.fullmatch(words.strip()):
        return None
    try:
        return date.fromisoformat(words.strip())
    except ValueError as error:
        raise ToolArgumentError("bad_time", value=words) from error


def _clock(words: str | None) -> time | None:
    minutes = minutes_of(words)
    return None if minutes is None else time(*divmod(minutes, 60))


def _segment(context: RunContext, words: str | None) -> TimeSegment | None:
    if not words:
        return None
    if words in SEGMENTS:
        return TimeSegment(words)
    when = _read(context, words)
    return when.segment if when else None
