"""Working days by the official Chinese plan, Monday to Friday where none is published yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from tools.domain.times.days import SATURDAY, Anchor, Stretch, one

_FARTHEST = 400


def is_workday(day: date) -> tuple[bool, bool]:
    """Whether people work on this day, and whether that is provisional (the year's plan is not published)."""
    import chinese_calendar  # noqa: PLC0415  (0.2 s that most phrases never need)

    try:
        return chinese_calendar.is_workday(day), False
    except NotImplementedError:
        return day.weekday() < SATURDAY, True


@dataclass(frozen=True, slots=True)
class Workday:
    """The n-th working day after today (before it when negative); with ``whole``, the days up to and with it."""

    count: int
    whole: bool = False

    def resolve(self, anchor: Anchor) -> Stretch | None:
        """The date, or the stretch from today to it."""
        day, left, doubt = anchor.today, abs(self.count), False
        step = timedelta(days=1 if self.count > 0 else -1)
        for _ in range(_FARTHEST):
            if not left:
                break
            day += step
            working, provisional = is_workday(day)
            left -= working
            doubt = doubt or provisional
        if left or not self.count:
            return None
        first = min(day, anchor.today) if self.whole else day
        return Stretch(first, max(day, first) + timedelta(days=1), doubt) if self.whole else _marked(one(day), doubt)


def _marked(stretch: Stretch, provisional: bool) -> Stretch:
    return Stretch(stretch.first, stretch.end, provisional)
