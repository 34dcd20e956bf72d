"""How the rule of a series is said: 每周一、每个工作日、每月最后一天; every Monday, every weekday."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from tools.core.text import Language, text
from tools.domain.recurrence import WEEKDAYS, parts_of

_BYDAY = re.compile(r"([+-]?\d+)?(MO|TU|WE|TH|FR|SA|SU)")
_WORKDAYS = list(WEEKDAYS[:5])


def rule_words(rule: str, first: date, language: Language) -> str:
    """The rule in words, without its clock time; a rule that nobody would say is shown as it is written.

    Args:
        rule: A checked rule, see ``tools.domain.recurrence``.
        first: The first date of the series: what the rule leaves open follows it.
        language: The language of the words.
    """

    def say(name: str, /, **facts: object) -> str:
        return text(language, f"when.{name}", **facts)

    parts = parts_of(rule)
    known = {"FREQ", "INTERVAL", "WKST", "COUNT", "UNTIL"} | _OWN_PARTS[parts["FREQ"]]
    days = _days(parts, first, say) if set(parts) <= known else None
    if days is None:
        return say("repeat_other", rule=rule)
    interval = int(parts.get("INTERVAL", 1))
    frequency = parts["FREQ"].lower()
    if frequency == "weekly" and interval == 1 and parts.get("BYDAY", "").split(",") == _WORKDAYS:
        words = say("repeat_workdays")
    else:
        words = say(f"repeat_{frequency}" if interval == 1 else f"repeat_{frequency}_n", n=interval, days=days)
    return words + _end(parts, say)


_OWN_PARTS: dict[str, set[str]] = {
    "DAILY": set(),
    "WEEKLY": {"BYDAY"},
    "MONTHLY": {"BYDAY", "BYMONTHDAY"},
    "YEARLY": {"BYMONTH", "BYMONTHDAY"},
}
_Say = Callable[..., str]


def _days(parts: dict[str, str], first: date, say: _Say) -> str | None:
    """The days of a week, month or year; ``None`` when there are no usual words for them."""
    named = parts.get("BYDAY")
    if named and "BYMONTHDAY" in parts:
        return None
    if parts["FREQ"] == "WEEKLY" or named:
        said = [_weekday(day, say) for day in (named or WEEKDAYS[first.weekday()]).split(",")]
        if parts["FREQ"] == "WEEKLY" and any(day[:-2] for day in (named or "").split(",")):
            return None
    else:
        said = [_month_day(day, say) for day in parts.get("BYMONTHDAY", str(first.day)).split(",")]
    if not all(said):
        return None
    days = say("separator").join(filter(None, said))
    if parts["FREQ"] != "YEARLY":
        return days
    month = parts.get("BYMONTH", str(first.month))
    return say("repeat_in_month", days=days, month=say(f"month_{month}")) if month.isdigit() else None


def _weekday(day: str, say: _Say) -> str | None:
    found = _BYDAY.fullmatch(day)
    if found is None:
        return None
    weekday = say(f"weekday_{WEEKDAYS.index(found[2])}")
    if found[1] is None:
        return weekday
    number = int(found[1])
    return say(f"repeat_nth_{number}", weekday=weekday) if number in (-1, 1, 2, 3, 4, 5) else None


def _month_day(day: str, say: _Say) -> str | None:
    number = int(day)
    if number == -1:
        return say("repeat_last_day")
    if number < 1:
        return None
    ending = number % 10 if number % 10 in (1, 2, 3) and number not in (11, 12, 13) else "n"
    return say(f"repeat_month_day_{ending}", day=number)


def _end(parts: dict[str, str], say: _Say) -> str:
    if until := parts.get("UNTIL"):
        month = say(f"month_{int(until[4:6])}")
        return say("repeat_until", year=until[:4], month=month, day=int(until[6:8]))
    if count := parts.get("COUNT"):
        return say("repeat_count", count=count)
    return ""
