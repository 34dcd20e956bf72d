"""Makers of clock times and parts of the day."""

from __future__ import annotations

import re
from datetime import timedelta

from tools.domain.times.clocks import PARTS
from tools.domain.times.dates import Relative
from tools.domain.times.found import Found
from tools.domain.times.numerals import integer
from tools.domain.times.pieces import Clock, Piece

_QUARTERS = {"半": 30, "一刻": 15, "1刻": 15, "三刻": 45, "3刻": 45, "half": 30}


def half_of_day(text: str | None) -> str | None:
    """``am`` or ``pm``, from any way of writing it."""
    if not text:
        return None
    text = re.sub(r"[^a-z]", "", text)
    if text.startswith(("a", "inthemorning")):
        return "am"
    if text.startswith(("p", "intheafternoon", "intheevening", "atnight")):
        return "pm"
    return "am" if text == "inthemorning" else "pm"


def _clock(hour: int | None, minute: int = 0, second: int = 0, half: str | None = None) -> Clock | None:
    if hour == 0 and half == "pm":
        return None
    if hour is None or hour > 24 or minute > 59 or second > 59 or (hour == 24 and minute):
        return None
    if half in ("am", "pm") and hour > 12:
        half = None
    return Clock(hour, minute, second, half)


def clock(found: Found) -> Piece | None:
    """三点半, 差五分八点, 15:30, 3pm, seven thirty pm."""
    hour, minute = found.integer("h", "h2"), found.integer("m", "mw", "m2") or 0
    quarter = found.get("q")
    if quarter or (found.language == "zh" and re.search(r"点 ?半$", found.match.group())):
        minute = _QUARTERS[quarter or "半"]
    less = found.get("less", "less2")
    if less and hour is not None:
        taken = _QUARTERS.get(less) or integer(less) or 0
        hour, minute = hour - 1 if hour > 1 else 12, 60 - taken
    half = half_of_day(found.get("ap"))
    text = found.get("h", "h2") or ""
    if half is None and re.fullmatch(r"0\d", text):
        half = "24"
    made = _clock(hour, minute, found.integer("s") or 0, half)
    return found.piece(clock=made) if made else None


def clock_weak(found: Found) -> Piece | None:
    """8时, or an hour that only its neighbours make a time."""
    piece = clock(found)
    if piece:
        piece.weak = True
    return piece


def clock_at(found: Found) -> Piece | None:
    """At 3: a bare hour, at most twelve."""
    made = _clock(found.integer("h", "h2"))
    return found.piece(clock=made) if made and made.hour else None


def clock_ahead(found: Found) -> Piece | None:
    """The first hour of 五到六点."""
    made = _clock(found.integer("h"))
    return found.piece(clock=made) if made else None


def clock_words(found: Found) -> Piece | None:
    """Seven thirty; beside another time word, or after at."""
    minute = found.integer("mw")
    made = _clock(found.integer("h"), minute if minute is not None else 5)
    return found.piece(clock=made, weak=not found.get("at")) if made else None


def past_clock(found: Found) -> Piece | None:
    """Half past three, quarter to five."""
    quarter = found.get("q")
    minute = (30 if quarter == "half" else 15) if quarter else found.integer("m", "m2")
    hour = found.integer("h")
    if minute is None or hour is None or minute > 59:
        return None
    if found.get("dir") not in ("past", "after"):
        hour, minute = (hour - 1 if hour > 1 else 12), 60 - minute
    made = _clock(hour, minute, 0, half_of_day(found.get("ap")))
    return found.piece(clock=made) if made else None


def half_clock(found: Found) -> Piece | None:
    """Half seven: 7:30, beside another time word."""
    made = _clock(found.integer("h"), 30)
    return found.piece(clock=made, weak=True) if made else None


def clock_span(found: Found) -> Piece | None:
    """3-5pm, from 9:30 to 11, between 3 and 5."""
    first, last = found.get("h"), found.get("h2")
    start = _clock(integer(first), found.integer("m") or 0, 0, half_of_day(found.get("ap")))
    end = _clock(integer(last), found.integer("m2") or 0, 0, half_of_day(found.get("ap2")))
    if start is None or end is None or (found.get("lead") in (None, "from") and " and " in found.match.group()):
        return None
    sure = found.get("ap", "ap2", "lead") or found.match.group().count(":") == 2
    return found.piece(clock=start, until=end, weak=not sure)


def noon(found: Found) -> Piece | None:
    """正午, noon."""
    return found.piece(clock=Clock(12, half="24"), part=PARTS["noon"])


def midnight(found: Found) -> Piece | None:
    """Midnight: the one that ends the day."""
    return found.piece(clock=Clock(24, half="24"))


def part(found: Found) -> Piece | None:
    """下午, in the evening."""
    name = "evening" if found.get("night") else found.word("part", "p", "p2") or found.word("plain_part", "p2")
    return found.piece(part=PARTS[name])


def part_weak(found: Found) -> Piece | None:
    """晚, evening: beside another time word."""
    name = found.word("bare_part" if found.language == "zh" else "part", "p")
    return found.piece(part=PARTS[name], weak=True)


def short_day(found: Found) -> Piece | None:
    """明早, 今晚."""
    return found.piece(day=Relative(found.word("short_day", "d")), part=PARTS[found.word("short_part", "p")])


def part_of_day(found: Found) -> Piece | None:
    """Tonight, this afternoon, last night."""
    text = found.match.group()
    name = found.word("plain_part", "p") or "evening"
    return found.piece(day=Relative(-1 if text.startswith("last") else 0), part=PARTS[name])


def end_of_day(found: Found) -> Piece | None:
    """End of day: a limit."""
    return found.piece(limit=True)


def now(found: Found) -> Piece | None:
    """现在, right now."""
    return found.piece(shift=timedelta(0))
