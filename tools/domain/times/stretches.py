"""Stretches of days as words name them: weeks, months, years, their shares, and spans counted from today."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta

from tools.domain.times.dates import Dated, Weekday
from tools.domain.times.days import Anchor, Day, Stretch, monday_of, month_of, move, one


@dataclass(frozen=True, slots=True)
class Week:
    """A Monday-to-Sunday week."""

    weeks: int

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The seven days."""
        monday = monday_of(anchor.today) + timedelta(weeks=self.weeks)
        return Stretch(monday, monday + timedelta(weeks=1))


@dataclass(frozen=True, slots=True)
class WeekOf:
    """The week that holds a date."""

    base: Day

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The seven days."""
        base = self.base.resolve(anchor)
        if base is None:
            return None
        monday = monday_of(base.first)
        return Stretch(monday, monday + timedelta(weeks=1))


@dataclass(frozen=True, slots=True)
class Month:
    """A month by number (the coming one when no year is given) or so many months from this one."""

    month: int | None = None
    year: int | None = None
    years: int | None = None
    months: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days of the month."""
        today = anchor.today
        if self.month is None:
            return month_of(today.year, today.month + (self.months or 0))
        if self.year is not None:
            return month_of(self.year, self.month)
        if self.years is not None:
            return month_of(today.year + self.years, self.month)
        return month_of(today.year + (self.month < today.month), self.month)


@dataclass(frozen=True, slots=True)
class Months:
    """A quarter or half of a year, ``months`` long: the ``ordinal``-th of a year, or counted from this one."""

    months: int
    ordinal: int | None = None
    year: int | None = None
    ahead: int = 0
    years: int = 0

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """Its days."""
        today = anchor.today
        ordinal = self.ordinal if self.ordinal is not None else (today.month - 1) // self.months + 1 + self.ahead
        year = self.year if self.year is not None else today.year + self.years
        first = month_of(year, (ordinal - 1) * self.months + 1).first
        return Stretch(first, month_of(first.year, first.month + self.months).first)


@dataclass(frozen=True, slots=True)
class Year:
    """A year by number, or so many years from this one."""

    year: int | None = None
    years: int = 0

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days of the year."""
        number = self.year if self.year is not None else anchor.today.year + self.years
        return Stretch(date(number, 1, 1), date(number + 1, 1, 1))


@dataclass(frozen=True, slots=True)
class Years:
    """From the start of one year to the end of another."""

    first: int
    last: int

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days of the years."""
        return Stretch(date(self.first, 1, 1), date(self.last + 1, 1, 1))


@dataclass(frozen=True, slots=True)
class PartOf:
    """A share of a week, month or year: ``shares`` of tenths from the start, or its last day."""

    whole: Day
    share: str

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days of the share."""
        whole = self.whole.resolve(anchor)
        if whole is None:
            return None
        first, end = whole.first, whole.end
        if self.share == "last_day":
            return one(end - timedelta(days=1))
        days = (end - first).days
        if self.share in ("first_half", "second_half"):
            middle = _middle(first, days)
            return Stretch(first, middle) if self.share == "first_half" else Stretch(middle, end)
        if days > 40:
            return _thirds(first.replace(month=1, day=1), self.share, year=True)
        return _thirds(first, self.share, end=end)


def _middle(first: date, days: int) -> date:
    if days > 300:
        return first.replace(month=7)
    return first + timedelta(days=15 if days > 20 else (days + 1) // 2 - (days == 7))


def _thirds(first: date, share: str, *, end: date | None = None, year: bool = False) -> Stretch:
    if year or end is None:
        marks = [first, first.replace(month=5), first.replace(month=9), first.replace(year=first.year + 1)]
    elif (end - first).days > 20:
        marks = [first, first.replace(day=11), first.replace(day=21), end]
    else:
        marks = [first, first + timedelta(days=2), first + timedelta(days=4), end]
    which = {"early": 0, "middle": 1, "late": 2}[share]
    return Stretch(marks[which], marks[which + 1])


@dataclass(frozen=True, slots=True)
class Coming:
    """The next or last so many days, weeks, months or years, counted from today."""

    amount: float
    unit: str
    today: bool = True

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days from today on, or the days that end with yesterday."""
        far = move(anchor.today, self.unit, self.amount)
        if self.amount < 0:
            return Stretch(far, anchor.today)
        skip = timedelta(days=0 if self.today else 1)
        return Stretch(anchor.today + skip, far + skip)


@dataclass(frozen=True, slots=True)
class Nth:
    """The n-th weekday, week, day or month of a month or year; -1 is the last."""

    ordinal: int
    unit: str
    whole: Day
    weekday: int | None = None

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The day or days, or ``None`` when there are not so many."""
        whole = self.whole.resolve(anchor)
        if whole is None:
            return None
        if self.unit == "weekday":
            found = self._weekday(whole)
            return one(found) if whole.first <= found < whole.end else None
        if self.unit == "week":
            # The first week is the one that holds the fourth day, as in ISO 8601.
            if self.ordinal < 0:
                monday = monday_of(whole.end - timedelta(days=4))
                return Stretch(monday, monday + timedelta(weeks=1))
            monday = monday_of(whole.first + timedelta(days=3)) + timedelta(weeks=self.ordinal - 1)
            return Stretch(monday, monday + timedelta(weeks=1))
        start, count = (whole.first, self.ordinal - 1) if self.ordinal > 0 else (whole.end, self.ordinal)
        first = move(start, self.unit, count)
        return Stretch(first, move(first, self.unit, 1)) if whole.first <= first < whole.end else None

    def _weekday(self, whole: Stretch) -> date:
        weekday = self.weekday or 0
        if self.ordinal < 0:
            last = whole.end - timedelta(days=1)
            return last - timedelta(days=(last.weekday() - weekday) % 7)
        return whole.first + timedelta(days=(weekday - whole.first.weekday()) % 7, weeks=self.ordinal - 1)


@dataclass(frozen=True, slots=True)
class Edge:
    """The first or last so many weeks, months or days of a year."""

    count: int
    unit: str
    whole: Day

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """From the first to the last of them."""
        count = abs(self.count)
        near = Nth(1 if self.count > 0 else -1, self.unit, self.whole).resolve(anchor)
        if near is None:
            return None
        if self.count > 0:
            return Stretch(near.first, move(near.first, self.unit, count))
        return Stretch(move(near.end, self.unit, -count), near.end)


@dataclass(frozen=True, slots=True)
class DatedSpan:
    """From one day of a month to another."""

    first: Dated
    last: int

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days, both included."""
        first = self.first.resolve(anchor)
        return Stretch(first.first, first.first.replace(day=self.last) + timedelta(days=1)) if first else None


def whole_of(unit: str, ahead: int | None) -> Day:
    """This, next or last week, month, quarter or year."""
    count = ahead or 0
    if unit in ("week", "wk"):
        return Week(count)
    if unit == "month":
        return Month(months=count)
    return Months(3, ahead=count) if unit == "quarter" else Year(years=count)


def earlier(day: Day) -> Day:
    """The last such day instead of the coming one: since Monday, since May."""
    if isinstance(day, Weekday) and day.weeks is None:
        return replace(day, back=True)
    if isinstance(day, (Dated, Month)) and day.year is None and day.years is None:
        return replace(day, years=-1)
    return day
