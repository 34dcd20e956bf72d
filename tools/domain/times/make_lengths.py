"""Makers of lengths, and of offsets in hours and minutes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from tools.domain.times.dates import Shifted
from tools.domain.times.days import Day
from tools.domain.times.found import Found
from tools.domain.times.lexicon import words
from tools.domain.times.numerals import number
from tools.domain.times.pieces import Piece

_SECONDS: Mapping[str, int] = {
    "second": 1,
    "minute": 60,
    "quarter": 900,
    "hour": 3600,
    "day": 86400,
    "weekend": 172800,
    "week": 604800,
    "fortnight": 1209600,
    "month": 2592000,
    "year": 31536000,
}
_ZH_PART = re.compile(
    r"(?P<n>\d{1,4}(?:\.\d{1,2})?|[零〇一二两三四五六七八九十百千半½数]{1,7}) ?个?(?P<half>半?)"
    r"(?P<unit>小时|时|钟头|钟|分钟|分|刻钟|秒钟|秒|天|日|晚|周|星期|礼拜|月|年)(?P<more>半?)"
)


def parts_of(text: str) -> list[tuple[float, str]]:
    """The amounts and units of an English length: "2 weeks and 3 days" is (2, week), (3, day)."""
    units, vague = words("en", "length_unit"), words("en", "vague")
    found: list[tuple[float, str]] = []
    pattern = r"(?<![a-z])(" + "|".join(sorted(units, key=len, reverse=True)) + r")(?![a-z])"
    start = 0
    for hit in re.finditer(pattern, text):
        amount_text = re.sub(r"^[\s,]*(?:and )?|[\s-]+$|(?<=\w) of$", "", text[start : hit.start()].strip()).strip()
        start = hit.end()
        amount = vague.get(amount_text)
        amount = float(amount) if amount is not None else _mixed(amount_text)
        if amount is None:
            return []
        found.append((amount, units[hit.group(1)]))
    tail = text[start:].strip()
    if found and tail in ("and a half", "and half", "and a quarter"):
        found.append((0.25 if tail.endswith("quarter") else 0.5, found[-1][1]))
    return found


def _mixed(text: str) -> float | None:
    body = re.sub(r" and (?:a )?half$", "", text)
    value = number(body)
    return value if value is None or body == text else value + 0.5


def _english(text: str) -> timedelta | None:
    parts = parts_of(text)
    return timedelta(seconds=sum(amount * _SECONDS[unit] for amount, unit in parts)) if parts else None


def _chinese(text: str) -> timedelta | None:
    total, units = 0.0, words("zh", "long_unit") | words("zh", "clock_unit")
    for hit in _ZH_PART.finditer(text):
        amount = 3.0 if hit["n"] == "数" else number(hit["n"])
        if amount is None:
            return None
        amount += 0.5 if hit["half"] or hit["more"] else 0
        total += amount * _SECONDS[units[hit["unit"]]]
    return timedelta(seconds=total) if total else None


def length_of(text: str, language: str) -> timedelta | None:
    """How long a length is; months are 30 days, years 365."""
    return _chinese(text) if language == "zh" else _english(text)


def days_of(text: str, sign: int, base: Day | None = None) -> Day | None:
    """The date an English length of days, weeks, months or years away from a date."""
    for amount, unit in parts_of(text):
        base = Shifted(sign * amount * (2 if unit == "fortnight" else 1), "week" if unit == "fortnight" else unit, base)
    return base


def length(found: Found) -> Piece | None:
    """两个半小时, 45 minutes; 提前半小时 is ahead of something."""
    value = length_of(found.get("n") or "", found.language)
    if not value:
        return None
    lead = found.get("ahead") is not None or found.match.group().startswith(("提前", "提早"))
    return found.piece(length=value, lead=lead)


def length_hm(found: Found) -> Piece | None:
    """1h30m."""
    return found.piece(length=timedelta(hours=found.integer("h") or 0, minutes=found.integer("m") or 0))


def all_length(found: Found) -> Piece | None:
    """All week."""
    return found.piece(length=timedelta(seconds=_SECONDS[found.get("unit") or ""]))


def shift_time(found: Found) -> Piece | None:
    """半小时后, in 20 minutes."""
    value = _span(found)
    return found.piece(shift=value) if value else None


def shift_time_back(found: Found) -> Piece | None:
    """十分钟前, 10 minutes ago."""
    value = _span(found)
    return found.piece(shift=-value) if value else None


def within_time(found: Found) -> Piece | None:
    """两小时内, the next 5 minutes: from now on."""
    value = _span(found)
    return found.piece(shift=value, length=value, limit=found.is_within()) if value else None


def last_time(found: Found) -> Piece | None:
    """过去三小时, the past hour: until now."""
    value = _span(found)
    return found.piece(shift=-value, length=value) if value else None


def _span(found: Found) -> timedelta | None:
    if found.language == "en":
        text = found.get("n")
        if text is None:
            text = f"{found.get('n2') or 'a'} {found.get('unit', 'unit2')}"
        return _english(text)
    amount = found.number("n", "n2")
    if amount is None:
        amount = 1 if found.get("unit2") else None
    unit = found.word("clock_unit", "unit", "unit2")
    if amount is None or unit is None:
        return None
    extra = 0.5 if found.get("half", "half2") else 0
    rest = number((found.get("rest") or "").strip("零又分钟")) or 0
    return timedelta(seconds=(amount + extra) * _SECONDS[unit] + rest * 60)


def shift_from(found: Found) -> Piece | None:
    """Three days after: a date follows."""
    text, sign = found.get("n") or "a day", -1 if found.get("dir") == "before" else 1
    return found.piece(wrap=lambda base: days_of(text, sign, base)) if parts_of(text) else None
