"""Conditions on the weather and on free time (P23): found in a request, said again in an item, judged by a note.

不下雨的话周六去爬山 is 周六去爬山 under the condition "no rain". The planner plans the weather first, or a look at the
calendar; the sub-agent of the other item reads its note and decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deep_planner.models.rules.reading import facts_in
from deep_planner.models.rules.tables import Tables
from tools.core.text import Language, text
from tools.domain.weather import condition_like, is_cold, is_hot, is_snow, needs_umbrella

#: A condition stands in the first or last words of a request; in a longer text it is part of a story.
LONGEST = 300
#: What would be left of "the weather" and "Saturday's".
LOOSE = re.compile(r"'s\b|\bthe\s*$", re.IGNORECASE)
SUNNY = re.compile(r"晴|\bsun|\bclear|\bfair", re.IGNORECASE)
WINDY = re.compile(r"[大强狂台]风|风暴|沙尘|\bwind|\bgale|\bstorm|\bgust", re.IGNORECASE)
#: The condition that the time is free; all others are about the weather.
FREE = "free"
HARSH = re.compile(r"霾|沙尘|台风|暴|\bstorm|\bsmog|\bhaze", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conditional:
    """A request taken apart: the condition ("rain", "no_rain", "free"), and what is wanted under it."""

    condition: str
    rest: str


def taken_apart(words: str, rules: Tables) -> Conditional | None:
    """The condition in a request, and the request without it; ``None`` when there is none."""
    if len(words) > LONGEST:
        return None
    words = rules.optional("or_nothing").sub("", words)  # 下雨就算了 says what no_rain says already
    free = rules.optional("if_free").search(words)
    return _of_weather(words, rules) or (Conditional(FREE, _rest(words, free)) if free else None)


def _of_weather(words: str, rules: Tables) -> Conditional | None:
    for pattern in rules.conditions:
        for found in pattern.finditer(words):
            groups = found.groupdict()
            if not (groups.get("if") or groups.get("unless") or groups.get("then")):
                continue
            kind = next((name for name, kind in rules.kinds.items() if kind.fullmatch(groups["kind"])), None)
            if kind is None:
                continue
            negated = bool(groups.get("neg")) != bool(groups.get("unless"))
            return Conditional(f"no_{kind}" if negated else kind, _rest(words, found))
    return None


def _rest(words: str, found: re.Match[str]) -> str:
    """The request without its condition; the time that stood within it stays."""
    kept = LOOSE.sub("", found.groupdict().get("keep") or "")
    rest = f"{words[: found.start()]} {kept} {words[found.end() :]}"
    return " ".join(rest.split()).strip(" ,，。.;；")


def worded(condition: str, content: str, language: Language) -> str:
    """The item under its condition, in words that :func:`taken_apart` takes apart again."""
    return text(language, "offline.under", condition=text(language, f"offline.under_{condition}"), content=content)


def holds(condition: str, note: str) -> tuple[bool | None, str]:
    """Whether the forecast in a note meets the condition, and the forecast's own words; ``None`` without a forecast."""
    forecasts = forecasts_in(facts_in(note))
    if not forecasts:
        return None, ""
    forecast = forecasts[0]
    said = str(forecast["condition"])
    kind = condition.removeprefix("no_")
    low, high = forecast.get("temp_min"), forecast.get("temp_max")
    sky = condition_like(said)
    wet = needs_umbrella(sky) or is_snow(sky)
    met = {
        "rain": needs_umbrella(sky),
        "snow": is_snow(sky),
        "sun": bool(SUNNY.search(said)) and not wet,
        "wind": bool(WINDY.search(said)),
        "hot": is_hot(high),
        "cold": is_cold(low),
        "bad": wet or bool(HARSH.search(said)) or is_hot(high) or is_cold(low),
    }
    met |= {"fine": not met["bad"], "dry": not wet}
    return met[kind] != condition.startswith("no_"), said


def forecasts_in(facts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The days of weather among the facts of notes: a fact is one day, or holds several."""
    days = [day for fact in facts for day in fact.get("forecasts") or [fact]]
    return [day for day in days if isinstance(day, dict) and "condition" in day]
