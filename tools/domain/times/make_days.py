"""Makers of dates: one function for each name in the rule tables."""

from __future__ import annotations

from tools.domain.times.dates import Dated, DayOfMonth, Following, Relative, Shifted, Weekday, Weekend
from tools.domain.times.found import Found
from tools.domain.times.lexicon import words
from tools.domain.times.pieces import Piece
from tools.domain.times.stretches import Month, Nth, PartOf, Week, Year, whole_of

_ZH_WEEKDAYS = "一二三四五六日"


def weekday_number(found: Found, *names: str) -> int | None:
    """0 for Monday, from 周一, 星期天, Mon."""
    text = found.get(*names)
    if text is None:
        return None
    if found.language == "zh":
        return int(text) - 1 if text.isdecimal() else _ZH_WEEKDAYS.index(text.replace("天", "日"))
    value = found.word("any_weekday", *names)
    return int(value) if value is not None else None


def month_number(found: Found, zh: str = "m", *names: str) -> int | None:
    """1-12, from 二月, 2, Feb."""
    named = found.word("month_name", *names) if names else None
    return int(named) if named else found.integer(zh)


def day(found: Found) -> Piece | None:
    """明天, tomorrow."""
    return found.piece(day=Relative(found.word("day", "d")))


def following_day(found: Found) -> Piece | None:
    """到次日, the next day."""
    return found.piece(day=Following())


def ymd(found: Found) -> Piece | None:
    """2026年2月14日, 2026-02-14, 14-Feb-2026."""
    year, date = found.year("y", "y2", "y3"), found.integer("d", "d2", "d3")
    month = month_number(found, "m", "mn", "mn2", "mn3")
    return found.piece(day=Dated(month, date, year=year)) if year and month and date else None


def dmy(found: Found) -> Piece | None:
    """2/14/2026; day first when the first number can be no month, and with dots."""
    first, second = found.integer("a"), found.integer("b", "b2", "b3")
    year = found.year("y")
    if first is None or second is None or year is None:
        return None
    swap = first > 12 or (found.get("b3") is not None and second <= 12)
    month, date = (second, first) if swap else (first, second)
    return found.piece(day=Dated(month, date, year=year)) if 1 <= month <= 12 and 1 <= date <= 31 else None


def slashed(found: Found) -> Piece | None:
    """2/14; day first when the first number can be no month."""
    first, second = found.integer("a", "m"), found.integer("b", "d")
    if first is None or second is None:
        return None
    month, date = (second, first) if first > 12 else (first, second)
    return found.piece(day=Dated(month, date)) if 1 <= month <= 12 and 1 <= date <= 31 else None


def rymd(found: Found) -> Piece | None:
    """明年三月五号."""
    month, date = found.integer("m"), found.integer("d")
    return found.piece(day=Dated(month, date, years=found.word("years", "r"))) if month and date else None


def month_day(found: Found) -> Piece | None:
    """2月14日."""
    month, date = found.integer("m"), found.integer("d")
    return found.piece(day=Dated(month, date)) if month and date else None


def mdy_words(found: Found) -> Piece | None:
    """Feb 14, 2026; the 14th of February 2026."""
    month, date = month_number(found, "m", "mn"), found.integer("d", "dc")
    return found.piece(day=Dated(month, date, year=found.year("y"))) if month and date and date <= 31 else None


def rel_month_day(found: Found) -> Piece | None:
    """下个月15号."""
    date = found.integer("d")
    return found.piece(day=DayOfMonth(date, months=found.word("weeks", "k") or 0)) if date else None


def day_of_rel_month(found: Found) -> Piece | None:
    """The 15th of next month."""
    date = found.integer("d")
    return found.piece(day=DayOfMonth(date, months=found.word("which", "k"))) if date and date <= 31 else None


def day_of_month(found: Found) -> Piece | None:
    """15号, the 15th."""
    date = found.integer("d", "d2", "d3")
    return found.piece(day=DayOfMonth(date)) if date and date <= 31 else None


def day_of_month_weak(found: Found) -> Piece | None:
    """15th, beside another time word."""
    piece = day_of_month(found)
    if piece:
        piece.weak = True
    return piece


def weekday(found: Found) -> Piece | None:
    """下周五, next Friday (P16)."""
    value = weekday_number(found, "d")
    if value is None:
        return None
    if found.language == "zh":
        return found.piece(day=Weekday(value, weeks=found.word("weeks", "k")))
    which = found.get("k") or ""
    weeks = found.word("which", "k")
    if which.endswith("past"):
        return found.piece(day=Weekday(value, back=True))
    weak = found.get("d") in words("en", "weak_weekday") and which in ("the", "that", "same")
    return found.piece(day=Weekday(value, weeks=weeks or None), weak=weak)


def weekday_bare(found: Found) -> Piece | None:
    """周五, Friday, Friday the 13th."""
    value = weekday_number(found, "d", "d3")
    date = found.integer("dd", "dd2", "dd3", "dd4")
    if value is None or (date or 1) > 31:
        return None
    return found.piece(day=DayOfMonth(date, weekday=value) if date else Weekday(value))


def weekday_weak(found: Found) -> Piece | None:
    """Sat, beside another time word."""
    value = weekday_number(found, "d")
    return found.piece(day=Weekday(value), weak=True) if value is not None else None


def weekday_of_week(found: Found) -> Piece | None:
    """Wednesday next week."""
    value = weekday_number(found, "d", "d2")
    weeks = found.word("which", "k", "k2")
    return found.piece(day=Weekday(value, weeks=weeks)) if value is not None and weeks is not None else None


def day_from_today(found: Found) -> Piece | None:
    """Friday week: a week after the coming Friday; tomorrow week."""
    if found.get("t"):
        return found.piece(day=Shifted(1, "week", Relative(found.word("day", "t"))))
    value = weekday_number(found, "d", "d2", "d3")
    return found.piece(day=Shifted(1, "week", Weekday(value))) if value is not None else None


def weekend(found: Found) -> Piece | None:
    """下周末, this weekend."""
    weeks = found.word("weeks" if found.language == "zh" else "which", "k")
    return found.piece(day=Weekend(weeks))


def weekend_bare(found: Found) -> Piece | None:
    """周末, the weekend."""
    return found.piece(day=Weekend())


def week(found: Found) -> Piece | None:
    """下周, the week after next."""
    return found.piece(day=Week(found.word("weeks", "k") if found.language == "zh" else 2))


def half_week(found: Found) -> Piece | None:
    """上半周."""
    return found.piece(day=PartOf(Week(0), found.word("half", "h")))


def rel_month(found: Found) -> Piece | None:
    """下个月, next month, this year, next quarter."""
    if found.language == "zh":
        return found.piece(day=Month(months=found.word("weeks", "k") or 0))
    return found.piece(day=whole_of(found.get("unit") or "", found.word("which", "k")))


def month(found: Found) -> Piece | None:
    """3月, next March."""
    value = month_number(found, "m", "mn", "mn2")
    which = found.word("which", "k") if found.language == "en" else None
    if not value:
        return None
    text = found.get("mn") or ""
    verb = text in words("en", "verb_month") and which == 0
    return found.piece(day=Month(value, years=which or None), weak=verb)


def month_weak(found: Found) -> Piece | None:
    """April by itself is a month; may and march are verbs, and count only beside another time word."""
    value = month_number(found, "m", "mn")
    weak = (found.get("mn") or "") not in words("en", "plain_month")
    return found.piece(day=Month(value), weak=weak) if value else None


def month_of_year(found: Found) -> Piece | None:
    """2026年10月, 明年三月, October 2026."""
    value = month_number(found, "m", "mn", "mn2")
    years = found.word("years", "r") if found.language == "zh" else None
    return found.piece(day=Month(value, year=found.year("y", "y2"), years=years)) if value else None


def year(found: Found) -> Piece | None:
    """2026年, 明年, in 2026."""
    number_ = found.year("y")
    if number_ is not None:
        return found.piece(day=Year(number_))
    return found.piece(day=Year(years=found.word("years", "r")))


def year_weak(found: Found) -> Piece | None:
    """2026, beside another time word."""
    return found.piece(day=Year(found.year("y")), weak=True)


def nth_weekday(found: Found) -> Piece | None:
    """下个月第一个周一, the last Friday of May."""
    ordinal = -1 if found.get("last") or found.get("o") == "last" else found.integer("n", "o")
    value = weekday_number(found, "d")
    if ordinal is None or value is None:
        return None
    which = found.word("weeks", "k") if found.language == "zh" else found.word("which", "k")
    number_ = month_number(found, "m", "mn")
    years = found.word("years", "r") if found.language == "zh" else None
    whole = Month(number_, year=found.year("y"), years=years) if number_ else Month(months=which)
    return found.piece(day=Nth(ordinal, "weekday", whole, value))
