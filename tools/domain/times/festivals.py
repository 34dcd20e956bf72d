"""Festivals: fixed, lunar, by solar term, by weekday, by Easter; and the official days off around them (P14)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tools.domain.times.dates import Dated
from tools.domain.times.days import Anchor, Stretch, one
from tools.domain.times.stretches import Month, Nth


@dataclass(frozen=True, slots=True)
class Festival:
    """A festival of the coming occurrence, or of a year; its day, or the official days off.

    Attributes:
        rule: A row of the festival tables: ``solar``/``lunar`` [month, day], ``term`` (solar term), ``nth`` [month,
            ordinal, weekday], ``easter`` (days from Easter Sunday); ``shift`` in days; ``official``: its name in the
            holiday plan.
        off: The days off are meant, not the day itself.
        back: The last one, not the coming one.
    """

    rule: Mapping[str, Any]
    year: int | None = None
    years: int | None = None
    off: bool = False
    shift: int = 0
    back: bool = False

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The day of the festival, or its days off."""
        for year in self._years(anchor):
            day = _day_of(self.rule, year)
            if day is None:
                continue
            found = days_off(self.rule, day) if self.off else one(day + timedelta(days=self.shift))
            if self._wanted(found, anchor):
                return found
        return None

    def _years(self, anchor: Anchor) -> Iterable[int]:
        if self.year is not None:
            return (self.year,)
        if self.years is not None:
            return (anchor.today.year + self.years,)
        now = anchor.today.year
        return (now, now - 1) if self.back else (now - 1, now, now + 1)

    def _wanted(self, found: Stretch, anchor: Anchor) -> bool:
        if self.year is not None or self.years is not None:
            return True
        return found.end <= anchor.today if self.back else found.end > anchor.today


def days_off(rule: Mapping[str, Any], day: date) -> Stretch:
    """The official days off around a festival; the statutory days, provisionally, when no plan is published."""
    import chinese_calendar  # noqa: PLC0415  (0.2 s that most phrases never need)

    if "official" not in rule:
        return one(day)
    try:
        # The days off of one festival hang together; a plan may join them with weekends on either side.
        name = chinese_calendar.get_holiday_detail(day)[1]
        first = end = day
        while _is_off(chinese_calendar, first - timedelta(days=1), name):
            first -= timedelta(days=1)
        while _is_off(chinese_calendar, end, name):
            end += timedelta(days=1)
    except NotImplementedError:
        return Stretch(day, day + timedelta(days=rule.get("statutory", 1)), provisional=True)
    return Stretch(first, max(end, first + timedelta(days=1)))


def _is_off(plan: Any, day: date, name: str | None) -> bool:
    off, found = plan.get_holiday_detail(day)
    return bool(off) and (found is None or found == name)


def _day_of(rule: Mapping[str, Any], year: int) -> date | None:
    found: date | None = None
    if "solar" in rule:
        found = date(year, *rule["solar"])
    elif "lunar" in rule:
        found = lunar_date(year, *rule["lunar"])
    elif "term" in rule:
        found = _solar_term(rule["term"], year)
    elif "nth" in rule:
        month, ordinal, weekday = rule["nth"]
        stretch = Nth(ordinal, "weekday", Month(month, year=year), weekday).resolve(Anchor(date(year, 1, 1)))
        found = stretch.first if stretch else None
    elif "easter" in rule:
        from dateutil.easter import easter  # noqa: PLC0415  (cold start)

        found = easter(year) + timedelta(days=rule["easter"])
    return found + timedelta(days=rule.get("shift", 0)) if found else None


def lunar_date(year: int, month: int, day: int) -> date | None:
    """The date of a day of the Chinese calendar; day 30 of a month of 29 is its last.

    Args:
        year: The lunar year, numbered by the year in which it begins.
        month: 1-12.
        day: 1-30.
    """
    from lunar_python import LunarMonth  # noqa: PLC0415  (cold start)

    found = LunarMonth.fromYm(year, month)
    if found is None:
        return None
    from lunar_python import Lunar  # noqa: PLC0415  (cold start)

    solar = Lunar.fromYmd(year, month, min(day, found.getDayCount())).getSolar()
    return date(solar.getYear(), solar.getMonth(), solar.getDay())


def _solar_term(name: str, year: int) -> date | None:
    from lunar_python import Lunar  # noqa: PLC0415  (cold start)

    # The table of a lunar year's terms, asked in mid-year, holds those of the calendar year.
    solar = Lunar.fromYmd(year, 6, 1).getJieQiTable().get(name)
    return date(solar.getYear(), solar.getMonth(), solar.getDay()) if solar else None


@dataclass(frozen=True, slots=True)
class LunarDay:
    """A day of the Chinese calendar, of the coming occurrence or of a lunar year."""

    month: int
    day: int
    year: int | None = None
    years: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date."""
        if self.year is None and self.years is None:
            for year in (anchor.today.year - 1, anchor.today.year, anchor.today.year + 1):
                found = lunar_date(year, self.month, self.day)
                if found and found >= anchor.today:
                    return one(found)
            return None
        year = self.year if self.year is not None else anchor.today.year + (self.years or 0)
        found = lunar_date(year, self.month, self.day)
        return one(found) if found else None


def day_of_year(festival: Festival) -> Dated | None:
    """The month and day of a festival that has the same one every year."""
    return Dated(*festival.rule["solar"]) if "solar" in festival.rule else None
