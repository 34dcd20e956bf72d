"""Single dates as words name them, and what they come to from an anchor.

Every class here, and in ``stretches``, answers ``resolve(anchor)`` with the days it names, or ``None`` when there is no
such day.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

from tools.domain.times.days import SATURDAY, SUNDAY, Anchor, Day, Stretch, monday_of, month_of, move, one


@dataclass(frozen=True, slots=True)
class Relative:
    """Tomorrow, the day before yesterday."""

    days: int

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """So many days from today."""
        return one(anchor.today + timedelta(days=self.days))


@dataclass(frozen=True, slots=True)
class Following:
    """The day after: after the date a range begins on, else after today."""

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The next day."""
        return one(anchor.today + timedelta(days=1))


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week: of the week so many weeks from this one, or the nearest that is not past (P16)."""

    weekday: int
    weeks: int | None = None
    back: bool = False

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date of that weekday."""
        if self.weeks is not None:
            return one(monday_of(anchor.today) + timedelta(days=self.weekday, weeks=self.weeks))
        ahead = (self.weekday - anchor.today.weekday()) % 7
        if self.back:
            return one(anchor.today + timedelta(days=ahead - 7))
        if ahead == 0 and anchor.spent:
            ahead = 7
        return one(anchor.today + timedelta(days=ahead))


@dataclass(frozen=True, slots=True)
class Weekend:
    """Saturday and Sunday: asked about, both; to put a task on, one of them (P16)."""

    weeks: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """Both days, or the one a task goes to."""
        saturday = monday_of(anchor.today) + timedelta(days=SATURDAY, weeks=self.weeks or 0)
        if anchor.purpose == "query":
            return Stretch(saturday, saturday + timedelta(days=2))
        if not self.weeks and anchor.today.weekday() == SUNDAY:
            # Of the weekend that was not called this one, nothing is left: the next is meant.
            gone = self.weeks is None and anchor.spent
            return one(saturday + timedelta(weeks=1) if gone else anchor.today)
        if not self.weeks and anchor.today == saturday and anchor.spent:
            return one(saturday + timedelta(days=1))
        return one(saturday)


@dataclass(frozen=True, slots=True)
class Dated:
    """Month and day, with the year if it was said; without one, the coming one (29 February: the next leap year)."""

    month: int
    day: int
    year: int | None = None
    years: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date."""
        today = anchor.today
        if self.year is not None or self.years is not None:
            return one(
                date(self.year if self.year is not None else today.year + (self.years or 0), self.month, self.day)
            )
        for year in range(today.year, today.year + 9):
            if self.day <= calendar.monthrange(year, self.month)[1]:
                day = date(year, self.month, self.day)
                if day > today or (day == today and not anchor.spent):
                    return one(day)
        return None


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    """A day of a month so many months from this one, or the coming one; with a weekday, the next that falls on it."""

    day: int
    months: int | None = None
    weekday: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date."""
        today = anchor.today
        if self.months is not None:
            return one(month_of(today.year, today.month + self.months).first.replace(day=self.day))
        for ahead in range(30):
            month = month_of(today.year, today.month + ahead)
            if self.day > (month.end - month.first).days:
                continue
            day = month.first.replace(day=self.day)
            if (day > today or (day == today and not anchor.spent)) and self.weekday in (None, day.weekday()):
                return one(day)
        return None


@dataclass(frozen=True, slots=True)
class Shifted:
    """So many days, weeks, months or years from a date (from today when none is named)."""

    amount: float
    unit: str
    base: Day | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date, or the last day of a shorter month."""
        start = self.base.resolve(anchor) if self.base else one(anchor.today)
        return one(move(start.first, self.unit, self.amount)) if start else None


@dataclass(frozen=True, slots=True)
class WeekdayBy:
    """The weekday of the week that holds a date: in two weeks, on Tuesday."""

    weekday: int
    base: Day

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date of that weekday."""
        base = self.base.resolve(anchor)
        return one(monday_of(base.first) + timedelta(days=self.weekday)) if base else None
