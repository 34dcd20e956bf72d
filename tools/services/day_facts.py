"""What can be known of the days that a question names, without any model: load, conflicts, free time, weather.

Seed 002, section 4.1 (the expert works with tools) and what an offline deliberation argues from. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

from typing_extensions import TypedDict

from tools.core.context import Call, RunContext
from tools.core.errors import PlannerError
from tools.core.result import ResultStatus
from tools.core.text import text
from tools.domain.agenda import Agenda, agenda_of, key_of
from tools.domain.cities import find_city
from tools.domain.times import When, find_whens
from tools.domain.weather import condition_like, condition_of_code, is_cold, is_hot, is_snow, needs_umbrella
from tools.services.calendar import CalendarService
from tools.services.forecasts import WeatherService
from tools.services.wording import day_words, joined, span_words

#: Most days that one question is answered for.
MOST_DAYS = 3
#: A longer question is pasted text; no time is looked for behind this.
LONGEST = 1_000


class Fact(TypedDict):
    """One thing that is known of a day, as a sentence and as data."""

    kind: Literal["load", "free", "conflict", "weather"]
    date: str
    """The local date, ISO 8601."""
    message: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DayFacts:
    """Reads calendar and weather.

    Attributes:
        calendar: The user's tasks.
        weather: Forecasts.
    """

    calendar: CalendarService
    weather: WeatherService

    async def of(self, call: Call, words: str) -> list[Fact]:
        """The facts of the days that the words name, by day; none when they name no day.

        The weather is that of the city that the words name first, else of the user's own (P20).
        """
        mention = find_city(words[:LONGEST])
        place = mention.city.name(call.context.language) if mention else None
        facts: list[Fact] = []
        for day in days_named(words[:LONGEST], call.context):
            agenda = await self._agenda(day, call.context)
            facts += [_load(agenda, call.context), *_conflicts(agenda, call.context)]
            facts += [await self._free(agenda, call), await self._weather(day, place, call)]
        return facts

    async def _agenda(self, day: date, context: RunContext) -> Agenda:
        around = timedelta(days=1)
        pending = await self.calendar.pending(context, day - around, day + around)
        return agenda_of(pending, day, now=context.now)

    async def _free(self, agenda: Agenda, call: Call) -> Fact:
        told = await self.calendar.free_slots(call, agenda.day.isoformat())
        lengths = [slot.end - slot.start for slot in agenda.free]
        data = {"minutes": sum(lengths), "longest": max(lengths, default=0), "slots": told.data["free_slots"]}
        return Fact(kind="free", date=agenda.day.isoformat(), message=told.message, data=data)

    async def _weather(self, day: date, place: str | None, call: Call) -> Fact:
        """The forecast; a source that fails is a fact as well, of which ``known`` is false."""
        try:
            told = await self.weather.weather(call, place, day.isoformat())
            message, known = told.message, told.status is ResultStatus.SUCCESS and "condition" in told.data
        except PlannerError as error:
            message, known = error.message(call.context.language), False
        data = {"known": known} | (weather_signs(told.data) if known else {})
        return Fact(kind="weather", date=day.isoformat(), message=message, data=data)


def weather_signs(forecast: Mapping[str, Any]) -> dict[str, Any]:
    """A forecast (the data of ``WeatherService``) in a word, and what of it may speak against a plan."""
    code = forecast.get("code")
    sky = condition_of_code(code) if code is not None else condition_like(str(forecast["condition"]))
    return {
        "city": forecast["city"],
        "condition": forecast["condition"],
        "wet": needs_umbrella(sky),
        "snow": is_snow(sky),
        "hot": is_hot(forecast.get("temp_max")),
        "cold": is_cold(forecast.get("temp_min")),
    }


def days_named(words: str, context: RunContext) -> list[date]:
    """The dates that the words name, earliest first, past ones left out, at most ``MOST_DAYS``; 周末 is both (P16)."""
    whens = find_whens(words, context.now, context.zone, purpose="query")
    days = {day for when in whens for day in _days(when) if day >= context.now.date()}
    return sorted(days)[:MOST_DAYS]


def _days(when: When) -> Iterable[date]:
    if when.date is None or not when.date_given:
        return ()
    if when.start is None or when.end is None:
        return (when.date,)
    last = (when.end - timedelta(microseconds=1)).date()
    count = min((last - when.date).days, MOST_DAYS - 1)
    return tuple(when.date + timedelta(days=n) for n in range(max(count, 0) + 1))


def _load(agenda: Agenda, context: RunContext) -> Fact:
    busy = _minutes((block.start, block.end) for block in agenda.blocks if block.takes_time)
    tasks = agenda.tasks
    high = sum(task.priority.value == "high" for task in tasks)
    whole = any(task.blocks_day for task in agenda.untimed)
    name = "load_whole" if whole else "load" if tasks else "load_none"
    message = text(
        context.language,
        f"deliberation.{name}",
        day=day_words(agenda.day, context),
        count=len(tasks),
        hours=hours_words(busy),
        high=high,
    )
    data = {"tasks": len(tasks), "busy_minutes": busy, "high": high, "whole_day": whole}
    return Fact(kind="load", date=agenda.day.isoformat(), message=message, data=data)


def _conflicts(agenda: Agenda, context: RunContext) -> list[Fact]:
    """One fact of all pairs that overlap in stated time (P3); none without such."""
    pairs = []
    seen = set()
    for block in agenda.blocks:
        seen.add(key_of(block.task))
        for other in block.clashes:
            if key_of(other) not in seen:
                pairs.append((block.task, other))
    if not pairs:
        return []
    named = [
        text(
            context.language,
            "deliberation.clash",
            one=one.title,
            when=span_words(one, context),
            other=other.title,
            other_when=span_words(other, context),
        )
        for one, other in pairs
    ]
    day = day_words(agenda.day, context)
    message = text(context.language, "deliberation.conflicts", day=day, list=joined(named, context))
    return [Fact(kind="conflict", date=agenda.day.isoformat(), message=message, data={"count": len(pairs)})]


def _minutes(spans: Iterable[tuple[int, int]]) -> int:
    """How many minutes the spans cover together, those that overlap counted once."""
    covered, end = 0, 0
    for start, stop in sorted(spans):
        covered += max(0, stop - max(start, end))
        end = max(end, stop)
    return covered


def hours_words(minutes: int) -> str:
    """Minutes as hours with at most one place behind the point: 90 is 1.5."""
    return f"{minutes / 60:.1f}".removesuffix(".0")
