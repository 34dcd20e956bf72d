"""Days, stretches of days, and the counting between them."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, Protocol

SATURDAY, SUNDAY = 5, 6
Purpose = Literal["create", "query"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a phrase is counted from.

    Attributes:
        today: The local date; in the second half of a range, the date of the first.
        spent: The part of today that the phrase asks for is already over, so "Friday" on a Friday is the next one.
    """

    today: date
    purpose: Purpose = "create"
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days from ``first`` to before ``end``."""

    first: date
    end: date
    provisional: bool = False

    @property
    def single(self) -> bool:
        """Whether it is one day."""
        return self.end - self.first == timedelta(days=1)


class Day(Protocol):
    """A date, or a stretch of dates, as words name it."""

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The days meant from this anchor."""


def one(day: date) -> Stretch:
    """The stretch of a single day."""
    return Stretch(day, day + timedelta(days=1))


def monday_of(day: date) -> date:
    """The Monday of the week that holds this day."""
    return day - timedelta(days=day.weekday())


def month_of(year: int, month: int) -> Stretch:
    """A whole month; ``month`` may run over the end of the year either way."""
    first = date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
    return Stretch(first, first + timedelta(days=calendar.monthrange(first.year, first.month)[1]))


def move(day: date, unit: str, amount: float) -> date:
    """So many days, weeks, months or years on; half a month is 15 days, half a year six months.

    A month too short for the day ends on its last: 31 January and a month is 28 February.
    """
    if unit in ("day", "week"):
        return day + timedelta(days=round(amount * (7 if unit == "week" else 1)))
    months = amount * (12 if unit == "year" else 1)
    month = month_of(day.year, day.month + int(months))
    last = (month.end - month.first).days
    rest = round((months - int(months)) * 30)
    return month.first.replace(day=min(day.day, last)) + timedelta(days=rest)
