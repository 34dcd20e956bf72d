"""Makers of stretches: shares of a week, month or year, weeks of a month, quarters, and festivals."""

from __future__ import annotations

from tools.domain.times.dates import Dated
from tools.domain.times.days import Day
from tools.domain.times.festivals import Festival, LunarDay
from tools.domain.times.found import Found
from tools.domain.times.make_days import month_number
from tools.domain.times.pieces import Piece
from tools.domain.times.stretches import (
    DatedSpan,
    Edge,
    Month,
    Months,
    Nth,
    PartOf,
    Week,
    WeekOf,
    Year,
    Years,
    whole_of,
)


def month_share(found: Found) -> Piece | None:
    """下个月初, 三月中旬, 月底."""
    value, share = found.integer("m"), found.word("share", "share")
    whole = (
        Month(value, year=found.year("y"), years=found.word("years", "r"))
        if value
        else Month(months=found.word("weeks", "k") or 0)
    )
    return found.piece(day=PartOf(whole, share))


def year_share(found: Found) -> Piece | None:
    """年底, 明年初."""
    return found.piece(day=PartOf(Year(found.year("y"), found.word("years", "r") or 0), found.word("share", "share")))


def half_of(found: Found) -> Piece | None:
    """上半年, 2017年下半年, 上半月."""
    share = found.word("half", "h", "h2") or "first_half"
    unit = found.get("unit") or "年"
    whole: Day = Year(found.year("y", "y2"), found.word("years", "r") or 0)
    if unit != "年":
        whole = Week(0) if unit == "周" else Month(months=0)
    return found.piece(day=PartOf(whole, share))


def share_of(found: Found) -> Piece | None:
    """The end of next month, mid May, early 2027."""
    share = found.word("share", "s")
    value, number = month_number(found, "m", "mn"), found.year("y2")
    if value:
        return found.piece(day=PartOf(Month(value, year=found.year("y")), share))
    if number:
        return found.piece(day=PartOf(Year(number), "late" if share == "last_day" else share))
    return found.piece(day=PartOf(whole_of(found.get("unit", "unit2") or "", found.word("which", "k")), share))


def later_in(found: Found) -> Piece | None:
    """Later this week: the rest of it; earlier this month: what is past."""
    whole = whole_of(found.get("unit") or "", found.word("which", "k"))
    share = "first_half" if (found.get("s") or "").startswith("earl") else "second_half"
    return found.piece(day=PartOf(whole, share))


def short_end(found: Found) -> Piece | None:
    """Eom, eoy, eow."""
    whole: dict[str, Day] = {"eom": Month(months=0), "eoy": Year(), "eow": Week(0)}
    return found.piece(day=PartOf(whole[found.get("s") or "eom"], "last_day"))


def quarter(found: Found) -> Piece | None:
    """Q3, 2027 Q1, H2, 下个季度, 明年第一季度."""
    if found.language == "zh":
        ahead = found.word("weeks", "k")
        if ahead is not None:
            return found.piece(day=Months(3, ahead=ahead))
        ordinal = found.integer("n")
        return (
            found.piece(day=Months(3, ordinal, found.year("y"), years=found.word("years", "r") or 0))
            if ordinal
            else None
        )
    return found.piece(day=Months(3 if found.get("q") == "q" else 6, found.integer("n"), found.year("y", "y2")))


def nth_unit(found: Found) -> Piece | None:
    """十月的第一周, the last week of July."""
    ordinal = -1 if found.get("o") == "last" else found.integer("n", "o")
    unit = found.word("unit", "unit") if found.language == "zh" else found.get("unit")
    whole = _whole(found)
    if ordinal is None or whole is None or unit is None:
        return None
    if unit == "quarter":
        return found.piece(day=Months(3, ordinal if ordinal > 0 else 4, found.year("y2")))
    return found.piece(day=Nth(ordinal, unit, whole))


def _whole(found: Found) -> Day | None:
    value = month_number(found, "m", "mn")
    if found.language == "en":
        if value:
            return Month(value, year=found.year("y"))
        number = found.year("y2")
        return Year(number) if number else whole_of(found.get("whole") or "", found.word("which", "k"))
    years = found.word("years", "r")
    if value:
        return Month(value, year=found.year("y"), years=years)
    if found.get("k"):
        return Month(months=found.word("weeks", "k"))
    return Year(found.year("y"), years or 0) if found.get("y", "r") else None


def first_units(found: Found) -> Piece | None:
    """2021年的前两周."""
    return _edge(found, 1)


def last_units(found: Found) -> Piece | None:
    """今年最后三周."""
    return _edge(found, -1)


def _edge(found: Found, sign: int) -> Piece | None:
    count = found.integer("n")
    whole = Year(found.year("y"), found.word("years", "r") or 0)
    return found.piece(day=Edge(sign * count, found.word("unit", "unit"), whole)) if count else None


def year_span(found: Found) -> Piece | None:
    """From 2014 to 2018."""
    first, last = found.year("y"), found.year("y2")
    return found.piece(day=Years(first, last)) if first and last and first < last else None


def day_span(found: Found) -> Piece | None:
    """Feb 14-16, 14 to 16 February."""
    month, first, last = month_number(found, "m", "mn"), found.integer("d"), found.integer("d2")
    if not month or not first or not last or not first < last <= 31:
        return None
    return found.piece(day=DatedSpan(Dated(month, first, found.year("y")), last))


def week_of(found: Found) -> Piece | None:
    """The week of: a date follows."""
    return found.piece(wrap=WeekOf)


def festival(found: Found) -> Piece | None:
    """中秋节, 明年春节前一天, next Easter, Christmas 2026."""
    rule = found.word("festival", "f")
    shift = {"前": -1, "后": 1, "第": 1, "次": 1}.get((found.get("shift") or " ")[0], 0)
    if found.language == "zh":
        return found.piece(day=Festival(rule, found.year("y"), found.word("years", "r"), shift=shift))
    which, this = found.word("which", "k"), found.word("which", "ky")
    return found.piece(day=Festival(rule, found.year("y"), this, back=which == -1))


def holiday(found: Found) -> Piece | None:
    """国庆假期: the official days off."""
    rule = found.word("festival", "f") or found.word("holiday", "h")
    return found.piece(day=Festival(rule, found.year("y"), found.word("years", "r"), off=True))


def lunar(found: Found) -> Piece | None:
    """农历八月十五, 正月十五, 腊月二十三."""
    month, day = found.word("lunar_month", "lm") or found.integer("m"), found.integer("d")
    if not month or not day or day > 30:
        return None
    return found.piece(day=LunarDay(month, day, found.year("y"), found.word("years", "r")))


def lunar_new_year(found: Found) -> Piece | None:
    """大年初三."""
    return found.piece(day=LunarDay(1, found.integer("d") or 1))
