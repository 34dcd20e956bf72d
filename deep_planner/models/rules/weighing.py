"""What speaks for and against a day, from computed facts alone: its free time, its weather, its conflicts, its load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from deep_planner.models.rules.wording import spoken
from tools.core.text import Language, text
from tools.services.day_facts import hours_words, weather_signs

#: Minutes in one piece from which a day has time for a thing, and below which it has none.
PLENTY, LITTLE = 240, 120
#: Minutes taken from which a day is full.
FULL = 360


class Grade(IntEnum):
    """How a day stands; more is better."""

    POOR = 0
    MIXED = 1
    OPEN = 2
    GOOD = 3


@dataclass
class Day:
    """One day as it is weighed.

    Attributes:
        date: ISO 8601.
        pros: What speaks for it, as sentences without a stop.
        cons: What speaks against it.
        unknown: Why something about it is not known.
        blocked: One thing alone rules it out.
    """

    date: str
    pros: list[str] = field(default_factory=list)
    cons: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    blocked: bool = False

    @property
    def grade(self) -> Grade:
        """Good without any con, poor when ruled out or when the cons outnumber the pros, open when not all is known."""
        if self.blocked or len(self.cons) > len(self.pros):
            return Grade.POOR
        if self.cons:
            return Grade.MIXED
        return Grade.OPEN if self.unknown else Grade.GOOD


def weighed(facts: Sequence[Mapping[str, Any]], language: Language, *, weathered: bool) -> list[Day]:
    """The days of the facts, in order.

    Args:
        facts: As ``DayFacts`` gives them.
        language: Of the sentences.
        weathered: The matter is one that the weather touches; else the weather speaks neither for nor against.
    """
    days: dict[str, Day] = {}
    for fact in facts:
        if fact["kind"] in WEIGHERS:
            day = days.setdefault(fact["date"], Day(fact["date"]))
            if fact["kind"] != "weather" or weathered:
                WEIGHERS[fact["kind"]](day, fact, language)
    return list(days.values())


def looked_up(date: str, results: Mapping[str, Mapping[str, Any]], language: Language, *, weathered: bool) -> Day:
    """A day from what the tools told of it: ``find_free_slots`` and ``get_weather``, by name."""
    day = Day(date)
    slots = [str(slot) for slot in results.get("find_free_slots", {}).get("data", {}).get("free_slots", ())]
    _free(day, {"data": {"longest": max(map(_minutes, slots), default=0), "slots": slots}}, language)
    told = results.get("get_weather", {})
    forecast = told.get("data", {})
    if weathered and told:
        known = "condition" in forecast
        signs = weather_signs(forecast) if known else {}
        _weather(day, {"message": told.get("message", ""), "data": {"known": known, **signs}}, language)
    return day


def _free(day: Day, fact: Mapping[str, Any], language: Language) -> None:
    longest, said = fact["data"]["longest"], _day(day, language)
    if not longest:
        day.cons.append(_say(language, "none_free", day=said))
        day.blocked = True
    elif longest >= PLENTY:
        slots = text(language, "deliberation.weigh.join").join(fact["data"]["slots"])
        day.pros.append(_say(language, "free", day=said, hours=hours_words(longest), slots=slots))
    elif longest < LITTLE:
        day.cons.append(_say(language, "short", day=said, hours=hours_words(longest)))


def _weather(day: Day, fact: Mapping[str, Any], language: Language) -> None:
    signs, said = fact["data"], _day(day, language)
    if not signs["known"]:
        reason = _bare(fact["message"], language)
        day.unknown.append(_say(language, "weather_unknown", day=said, reason=reason))
    elif any(signs[name] for name in ("wet", "snow", "hot", "cold")):
        day.cons.append(_say(language, "bad_weather", day=said, city=signs["city"], weather=signs["condition"]))
        day.blocked = True
    else:
        day.pros.append(_say(language, "dry", day=said, city=signs["city"], weather=signs["condition"]))


def _conflict(day: Day, fact: Mapping[str, Any], language: Language) -> None:
    day.cons.append(_bare(fact["message"], language))


def _load(day: Day, fact: Mapping[str, Any], language: Language) -> None:
    data = fact["data"]
    if data["whole_day"] or data["busy_minutes"] >= FULL:
        day.cons.append(_bare(fact["message"], language))
        day.blocked = day.blocked or data["whole_day"]
    elif data["high"]:
        day.cons.append(_say(language, "high", day=_day(day, language), count=data["high"]))


WEIGHERS = {"free": _free, "weather": _weather, "conflict": _conflict, "load": _load}


def _day(day: Day, language: Language) -> str:
    return spoken(day.date, language)


def _bare(sentence: str, language: Language) -> str:
    """A sentence to stand inside another one."""
    return spoken(sentence, language).rstrip("。.")


def _minutes(slot: str) -> int:
    """How long ``14:00-15:30`` is."""
    start, _, end = slot.partition("-")
    first, last = ([int(part) for part in clock.split(":")] for clock in (start, end))
    return (last[0] * 60 + last[1]) - (first[0] * 60 + first[1])


def _say(language: Language, name: str, **facts: object) -> str:
    return text(language, f"deliberation.weigh.{name}", **facts)
