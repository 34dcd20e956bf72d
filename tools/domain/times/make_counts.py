"""Makers of dates and stretches that are counted from today."""

from __future__ import annotations

from tools.domain.times.dates import Shifted
from tools.domain.times.found import Found
from tools.domain.times.make_lengths import days_of, parts_of
from tools.domain.times.pieces import Piece
from tools.domain.times.stretches import Coming
from tools.domain.times.workdays import Workday


def workday_next(found: Found) -> Piece | None:
    """下个工作日, the next working day."""
    return found.piece(day=Workday(1))


def workday_last(found: Found) -> Piece | None:
    """上个工作日."""
    return found.piece(day=Workday(-1))


def workday_after(found: Found) -> Piece | None:
    """三个工作日后, in 3 working days."""
    count = found.integer("n", "n2")
    return found.piece(day=Workday(count)) if count else None


def workday_within(found: Found) -> Piece | None:
    """三个工作日内: a limit."""
    count = found.integer("n")
    return found.piece(day=Workday(count), limit=True) if count else None


def shift_days(found: Found) -> Piece | None:
    """三天后, in 2 weeks."""
    return _shift_days(found, 1)


def shift_days_back(found: Found) -> Piece | None:
    """三天前, 2 weeks ago."""
    return _shift_days(found, -1)


def _shift_days(found: Found, sign: int) -> Piece | None:
    if found.language == "en":
        return found.piece(day=days_of(found.get("n") or "", sign))
    amount, unit = found.number("n"), found.word("unit", "unit")
    if amount is None:
        return None
    extra = 0.5 if found.get("half", "half2") else 0
    return found.piece(day=Shifted(sign * (amount + extra), unit))


def coming_days(found: Found) -> Piece | None:
    """后三天, the next 3 days: from tomorrow."""
    return _coming(found, 1, today=False)


def within_days(found: Found) -> Piece | None:
    """三天内, 未来一周, within 3 days: from today."""
    return _coming(found, 1, today=True, limit=found.is_within())


def last_days(found: Found) -> Piece | None:
    """最近三天, the last 3 days."""
    return _coming(found, -1, today=True)


def few_days(found: Found) -> Piece | None:
    """这几天: three days, by custom; 今明两天 are two."""
    if found.get("next"):
        return found.piece(day=Coming(2, "day", today=False))
    return found.piece(day=Coming(2 if found.get("two") else 3, "day"))


def _coming(found: Found, sign: int, *, today: bool, limit: bool = False) -> Piece | None:
    if found.language == "en":
        text = found.get("n") or f"{found.get('n2')} {found.get('unit')}"
        parts = parts_of(text)
        if len(parts) != 1:
            return None
        amount, unit = parts[0]
        if unit == "fortnight":
            amount, unit = amount * 2, "week"
        return found.piece(day=Coming(sign * amount, unit, today), limit=limit)
    value, unit_ = found.number("n", "n2"), found.word("unit", "unit", "unit2")
    return found.piece(day=Coming(sign * value, unit_, today), limit=limit) if value else None
