"""Makers of recurrences, and of the words that hold pieces together."""

from __future__ import annotations

import re

from tools.domain.times.clocks import PARTS
from tools.domain.times.found import Found
from tools.domain.times.lexicon import words
from tools.domain.times.make_days import month_number, weekday_number
from tools.domain.times.numerals import integer
from tools.domain.times.pieces import Every, Piece, Role

_WORKDAYS = (0, 1, 2, 3, 4)
_UNITS = {
    "day": ("day", 1),
    "week": ("week", 1),
    "month": ("month", 1),
    "quarter": ("month", 3),
    "year": ("year", 1),
    "hour": ("hour", 1),
    "minute": ("minute", 1),
    "fortnight": ("week", 2),
    "2week": ("week", 2),
    "2month": ("month", 2),
    "6month": ("month", 6),
    "天": ("day", 1),
    "日": ("day", 1),
    "周": ("week", 1),
    "星期": ("week", 1),
    "礼拜": ("week", 1),
    "月": ("month", 1),
    "季度": ("month", 3),
    "年": ("year", 1),
    "小时": ("hour", 1),
    "钟头": ("hour", 1),
    "分钟": ("minute", 1),
    "d": ("day", 1),
    "w": ("week", 1),
}
_RANGE = re.compile(r"([一二三四五六日天1-6])[到至~-](?:周|星期|礼拜)?([一二三四五六日天1-6])")


def _zh_weekdays(text: str) -> tuple[int, ...]:
    """一三五, 一到五, 二、四."""
    found: set[int] = set()

    def value(char: str) -> int:
        return int(char) - 1 if char.isdecimal() else "一二三四五六日".index(char.replace("天", "日"))

    for hit in _RANGE.finditer(text):
        first, last = value(hit[1]), value(hit[2])
        found.update(range(first, last + 1))
    found.update(value(char) for char in text if char in "一二三四五六日天123456")
    return tuple(sorted(found))


def _interval(text: str | None) -> int:
    """The gap of 每两周 (2) and 每隔一周 (2)."""
    if not text:
        return 1
    if text.startswith("隔"):
        return 2
    return integer(text) or 1


def every_weekdays(found: Found) -> Piece | None:
    """每周五, 每两周的周三, every Tuesday and Thursday, every other Friday."""
    text = found.get("days") or ""
    if found.language == "zh":
        if text == "工作日":
            return every_workday(found)
        return found.piece(every=Every("week", _interval(found.get("gap")), _zh_weekdays(text)))
    table = words("en", "any_weekday") | words("en", "weekdays_plural")
    days = tuple(sorted({int(table[word]) for word in re.findall(r"[a-z]+", text) if word in table}))
    return found.piece(every=Every("week", found.word("every_word", "e") or 1, days))


def every_other_weekday(found: Found) -> Piece | None:
    """隔周二."""
    return found.piece(every=Every("week", 2, _zh_weekdays(found.get("days") or "")))


def every_workday(found: Found) -> Piece | None:
    """每个工作日, every weekday: Monday to Friday, since an RRULE knows no holidays."""
    return found.piece(every=Every("week", weekdays=_WORKDAYS))


def every_weekend(found: Found) -> Piece | None:
    """每个周末: Saturday and Sunday."""
    interval = found.word("every_word", "e", "e2") if found.language == "en" else 1
    return found.piece(every=Every("week", interval or 1, weekdays=(5, 6)))


def every_other(found: Found) -> Piece | None:
    """每隔一天 and 隔天 are every second day; 每隔两小时 is every two hours."""
    unit, size = _UNITS[found.get("unit") or "天"]
    count = found.integer("n")
    if count is None or (count == 1 and unit in ("day", "week", "month", "year")):
        count = 2
    elif unit in ("day", "week", "month", "year"):
        count += 1
    return found.piece(every=Every(unit, count * size))


def every_unit(found: Found) -> Piece | None:
    """每天, 每两周, every 3 days."""
    text = found.get("unit") or ""
    unit, size = _UNITS[text] if text in _UNITS else _UNITS[text.rstrip("s")]
    count = found.integer("n") or found.word("every_word", "e") if found.language == "en" else found.integer("n")
    count = 1 if count is None and not found.get("n") else count
    return found.piece(every=Every(unit, count * size)) if count else None


def frequency(found: Found) -> Piece | None:
    """Daily, fortnightly."""
    unit, interval = _UNITS[found.word("frequency", "f")]
    return found.piece(every=Every(unit, interval))


def every_day(found: Found) -> Piece | None:
    """天天."""
    return found.piece(every=Every("day"))


def every_short(found: Found) -> Piece | None:
    """每晚, 每早."""
    return found.piece(every=Every("day"), part=PARTS[found.word("short_part", "p")])


def every_part(found: Found) -> Piece | None:
    """Every morning, Friday mornings."""
    name = found.word("plain_part", "p") or (found.get("ps") or "").rstrip("s")
    name = "evening" if name == "night" else name
    day = weekday_number(found, "d")
    every = Every("day") if day is None else Every("week", weekdays=(day,))
    return found.piece(every=every, part=PARTS[name])


def every_month_days(found: Found) -> Piece | None:
    """每月15号, 每月1号和15号, the 19th of every month."""
    if found.language == "zh":
        numbers = [
            integer(text) for text in re.findall(r"\d{1,2}|[一二三四五六七八九十廿]{1,3}", found.get("days") or "")
        ]
    else:
        numbers = [found.integer("d", "d2", "d3", "d4")]
    days = tuple(sorted({value for value in numbers if value and value <= 31}))
    return found.piece(every=Every("month", _interval(found.get("gap")), days=days)) if days else None


def every_month_end(found: Found) -> Piece | None:
    """每月底."""
    return found.piece(every=Every("month", days=(-1,)))


def every_month_nth(found: Found) -> Piece | None:
    """每月第一个周一, the last Friday of every month."""
    last = found.get("last") or found.get("o", "o2") == "last"
    ordinal, day = -1 if last else found.integer("n", "o", "o2"), weekday_number(found, "d", "d2")
    if ordinal is None or day is None or not -1 <= ordinal <= 5 or not ordinal:
        return None
    return found.piece(every=Every("month", weekdays=(day,), ordinal=ordinal))


def every_year_day(found: Found) -> Piece | None:
    """每年3月5日."""
    month, day = month_number(found, "m", "m2") if found.language == "zh" else found.word("month_name", "m", "m2"), None
    day = found.integer("d", "d2")
    return found.piece(every=Every("year", days=(day,), month=int(month))) if month and day and day <= 31 else None


def each(found: Found) -> Piece | None:
    """每, before a day."""
    return found.piece(role=Role.EACH)


def limit_ahead(found: Found) -> Piece | None:
    """By, 最晚."""
    return found.piece(role=Role.LIMIT_AHEAD)


def limit_behind(found: Found) -> Piece | None:
    """之前."""
    return found.piece(role=Role.LIMIT_BEHIND)


def since_ahead(found: Found) -> Piece | None:
    """After, since."""
    return found.piece(role=Role.SINCE_AHEAD)


def since_behind(found: Found) -> Piece | None:
    """以后."""
    return found.piece(role=Role.SINCE_BEHIND)


def link(found: Found) -> Piece | None:
    """到, to."""
    return found.piece(role=Role.LINK)


def between_end(found: Found) -> Piece | None:
    """之间: belongs to the range before it."""
    return found.piece(role=Role.LINK)
