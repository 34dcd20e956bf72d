"""The items of a journey's plan (X19), each done by its sub-agent.

The calendar's item looks up what is on. The first day's reads that note and chooses the days: those that the user
named, or else the first in a row that are free. All other items read the day from the first day's note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage

from deep_planner.models.rules.conditions import forecasts_in
from deep_planner.models.rules.journeys import Journey, Leg, leg_of
from deep_planner.models.rules.reading import ASK_USER, QUERY_NOTE, Said, Situation, ToolUse, call, facts_in, notes_read
from tools.core.text import Language, text
from tools.domain.times import find_whens
from tools.domain.weather import condition_like, is_snow, needs_umbrella

#: Days of the calendar that are looked through for free ones, as many as the calendar's tool shows at once.
DAYS_AHEAD = 14
#: °C at which a coat, or sunscreen, goes into the luggage.
COAT_AT, SUN_AT = 10, 30

Fact = dict[str, Any]


def travelled(messages: Sequence[BaseMessage], given: dict[str, Any], situation: Situation) -> Said | None:
    """The next step of an item that belongs to a journey; ``None`` for any other item."""
    leg = leg_of(given["item"])
    if leg is None:
        return None
    if leg.part in ("days", "days_any"):
        last = messages[-1]
        answered = isinstance(last, ToolMessage) and last.name == ASK_USER
        return _looked_up(leg, last.text if answered else leg.journey.when, situation)
    named = [parent["note"] for parent in given.get("parents", ()) if parent["note"]]
    read = notes_read(messages)
    if named and not read:
        return Said(calls=[ToolUse(QUERY_NOTE, {"name": name}) for name in named])
    return _done(leg, [fact for note in read for fact in facts_in(note)], situation)


def _looked_up(leg: Leg, when: str, situation: Situation) -> Said:
    """The calendar of the time that was named; without one the user is asked."""
    stretch = _stretch(leg.journey, when, situation)
    if stretch is None:
        return call(ASK_USER, question=leg.journey.words("ask_when", leg.language))
    first, last = (day.isoformat() for day in stretch)
    return call("get_day_schedule", date=text(leg.language, "when.range", first=first, last=last))


def _stretch(journey: Journey, when: str, situation: Situation) -> tuple[date, date] | None:
    """First and last day to look at: a single date begins the journey, a longer time is where days are sought."""
    whens = find_whens(when, situation.now, situation.zone, purpose="query") if when else []
    dated = next((found for found in whens if found.date), None)
    if dated is None or dated.date is None:
        return None
    length = timedelta(days=journey.days - 1)
    first = dated.date
    last = dated.end.date() - timedelta(days=1) if dated.end and not dated.clock_given else first
    if last - first <= length:
        return first, first + length
    # Of a week that has begun only what is still ahead; nobody packs for today.
    first = max(first, situation.now.date() + timedelta(days=1))
    return first, max(min(last, first + timedelta(days=DAYS_AHEAD - 1)), first + length)


def _done(leg: Leg, facts: list[Fact], situation: Situation) -> Said:
    """The call of an item whose notes are read."""
    journey, language = leg.journey, leg.language
    if leg.part in ("day", "day_with") and leg.day == 1:
        schedule = next((fact for fact in facts if "timeline" in fact), None)
        return _first_day(leg, schedule)
    task = next((fact for fact in facts if "title" in fact and "date" in fact), None)
    if task is None:
        return Said(text(language, "offline.journey.no_days"))
    first = date.fromisoformat(task["date"])
    if leg.part == "pack":
        before = max(first - timedelta(days=1), situation.now.date()).isoformat()
        packed = _to_pack(facts, language) or None
        return call("create_task", title=journey.words("pack_title", language), due_date=before, description=packed)
    day = (first + timedelta(days=leg.day - 1)).isoformat()
    if leg.part == "weather":
        return call("get_weather", city=journey.place, date=day)
    if leg.part == "weathers":
        last = (first + timedelta(days=journey.days - 1)).isoformat()
        stretch = text(language, "when.range", first=day, last=last)
        return call("get_weather", city=journey.place, date=stretch)
    return _day(leg, day)


def _day(leg: Leg, day: str) -> Said:
    title = leg.journey.words("title", leg.language, leg.day)
    return call("create_task", title=title, due_date=day, time_segment="all_day", description=leg.wanted or None)


def _first_day(leg: Leg, schedule: Fact | None) -> Said:
    if schedule is None:
        return Said(text(leg.language, "offline.journey.no_days"))
    free = days_of(leg.journey, schedule)
    if free.first is None:
        return Said(text(leg.language, "offline.journey.none", most=free.most, days=leg.journey.days))
    return _day(leg, free.first.isoformat())


@dataclass(frozen=True, slots=True)
class FreeDays:
    """Where a journey may begin, and the longest row of free days that was found, at most those it needs."""

    first: date | None
    most: int


def days_of(journey: Journey, schedule: Fact) -> FreeDays:
    """The days for a journey: those that the user named, or else the first in a row that are free.

    Args:
        journey: What is planned.
        schedule: The calendar's answer: ``date``, ``until`` (ISO dates) and ``timeline``, the tasks between them.
    """
    first = date.fromisoformat(schedule["date"])
    last = date.fromisoformat(schedule.get("until") or schedule["date"])
    length = (last - first).days + 1
    if length == journey.days:
        return FreeDays(first, length)
    most = 0
    # A task without a time can be done on any day around the journey, if there is no better one (P11).
    for is_busy in (_takes_time_or_not, _takes_time):
        busy = {task["date"] for task in schedule["timeline"] if is_busy(task)}
        row = 0
        for day in (first + timedelta(days=n) for n in range(length)):
            row = 0 if day.isoformat() in busy else row + 1
            most = max(most, row)
            if row == journey.days:
                return FreeDays(day - timedelta(days=row - 1), row)
    return FreeDays(None, most)


def _takes_time_or_not(task: Fact) -> bool:
    """Whatever stands on the day, but for moments such as "take the pill at eight" (P24)."""
    return not (task.get("start_time") and task.get("start_time") == task.get("end_time"))


def _takes_time(task: Fact) -> bool:
    timed = task.get("start_time") or task.get("all_day") or task["time_segment"] != "all_day"
    return bool(timed) and _takes_time_or_not(task)


def _to_pack(facts: Sequence[Fact], language: Language) -> str:
    """What the weather of the days asks for."""
    forecasts = forecasts_in(facts)
    skies = [condition_like(str(forecast["condition"])) for forecast in forecasts]
    wanted = {
        "umbrella": any(needs_umbrella(sky) for sky in skies),
        "boots": any(is_snow(sky) for sky in skies),
        "sunscreen": any(high >= SUN_AT for high in _values("temp_max", forecasts)),
        "coat": any(low <= COAT_AT for low in _values("temp_min", forecasts)),
    }
    things = [text(language, f"offline.journey.{name}") for name, needed in wanted.items() if needed]
    return text(language, "when.separator").join(things)


def _values(name: str, forecasts: Sequence[Fact]) -> list[float]:
    return [forecast[name] for forecast in forecasts if forecast.get(name) is not None]
