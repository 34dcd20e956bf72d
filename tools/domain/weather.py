"""Weather as a value, and the rules that turn a forecast into advice (A20, A27)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Literal

from tools.core.text import LANGUAGES, Language, phrase

#: Daily maximum, °C, from which a day is hot: the line of China's high-temperature warnings.
HOT_AT = 35.0
#: Daily minimum, °C, down to which a day is not yet bitterly cold.
COLD_AT = -10.0
#: Who made a forecast.
Source = Literal["open-meteo", "qweather", "openweathermap", "sample"]


class Condition(StrEnum):
    """What the sky does, free of language; each value is a key of ``[condition]`` in ``text/*/weather.toml``."""

    CLEAR = "clear"
    MAINLY_CLEAR = "mainly_clear"
    PARTLY_CLOUDY = "partly_cloudy"
    OVERCAST = "overcast"
    FOG = "fog"
    DRIZZLE = "drizzle"
    FREEZING_DRIZZLE = "freezing_drizzle"
    LIGHT_RAIN = "light_rain"
    RAIN = "rain"
    HEAVY_RAIN = "heavy_rain"
    FREEZING_RAIN = "freezing_rain"
    LIGHT_SNOW = "light_snow"
    SNOW = "snow"
    HEAVY_SNOW = "heavy_snow"
    SNOW_GRAINS = "snow_grains"
    RAIN_SHOWERS = "rain_showers"
    SNOW_SHOWERS = "snow_showers"
    THUNDERSTORM = "thunderstorm"
    THUNDERSTORM_HAIL = "thunderstorm_hail"
    UNKNOWN = "unknown"


class Advice(StrEnum):
    """What a forecast asks of the user; each value is a key of ``[suggestion]`` in ``text/*/weather.toml``."""

    UMBRELLA = "umbrella"
    SNOW = "snow"
    HOT = "hot"
    COLD = "cold"


@dataclass(frozen=True, slots=True)
class Forecast:
    """The weather of one city on one day, worded for the user (A20).

    Temperatures are °C, ``None`` when the source does not know them; ``date`` is the local date at the city;
    ``code`` is the WMO weather code where the source gives one.
    """

    city: str
    date: date
    condition: str
    temp_min: float | None
    temp_max: float | None
    suggestion: str | None
    source: Source
    code: int | None


@dataclass(frozen=True, slots=True)
class DayWeather:
    """One day as a source gives it, free of language; °C, ``None`` where it had no value; ``code`` is WMO's."""

    condition: Condition
    temp_min: float | None
    temp_max: float | None
    code: int | None = None


_CODES: dict[int, Condition] = {
    0: Condition.CLEAR,
    1: Condition.MAINLY_CLEAR,
    2: Condition.PARTLY_CLOUDY,
    3: Condition.OVERCAST,
    **dict.fromkeys((45, 48), Condition.FOG),
    **dict.fromkeys((51, 53, 55), Condition.DRIZZLE),
    **dict.fromkeys((56, 57), Condition.FREEZING_DRIZZLE),
    61: Condition.LIGHT_RAIN,
    63: Condition.RAIN,
    65: Condition.HEAVY_RAIN,
    **dict.fromkeys((66, 67), Condition.FREEZING_RAIN),
    71: Condition.LIGHT_SNOW,
    73: Condition.SNOW,
    75: Condition.HEAVY_SNOW,
    77: Condition.SNOW_GRAINS,
    **dict.fromkeys((80, 81, 82), Condition.RAIN_SHOWERS),
    **dict.fromkeys((85, 86), Condition.SNOW_SHOWERS),
    95: Condition.THUNDERSTORM,
    **dict.fromkeys((96, 99), Condition.THUNDERSTORM_HAIL),
}

_WET = frozenset(
    {
        Condition.DRIZZLE,
        Condition.FREEZING_DRIZZLE,
        Condition.LIGHT_RAIN,
        Condition.RAIN,
        Condition.HEAVY_RAIN,
        Condition.FREEZING_RAIN,
        Condition.RAIN_SHOWERS,
        Condition.THUNDERSTORM,
        Condition.THUNDERSTORM_HAIL,
    }
)

_SNOWY = frozenset(
    {Condition.LIGHT_SNOW, Condition.SNOW, Condition.HEAVY_SNOW, Condition.SNOW_GRAINS, Condition.SNOW_SHOWERS}
)

_DRY_PHRASE = re.compile(r"[无没不][有会下]*[雨雪]|\b(?:no|without|not) (?:\w+ )?(?:rain|snow)\w*", re.IGNORECASE)
#: Read in this order: thunder brings rain, and sleet is treated as snow, whose advice covers the slippery road.
_LIKENESS: tuple[tuple[re.Pattern[str], Condition], ...] = (
    (re.compile(r"雷|\bthunder", re.IGNORECASE), Condition.THUNDERSTORM),
    (re.compile(r"雪|\bsnow|\bsleet|\bblizzard", re.IGNORECASE), Condition.SNOW),
    (re.compile(r"雨|\brain(?!bow)|\bshower|\bdrizzl", re.IGNORECASE), Condition.RAIN),
)


def condition_of_code(code: int | None) -> Condition:
    """The condition of a WMO weather code as Open-Meteo uses it; ``UNKNOWN`` for none and for others."""
    return Condition.UNKNOWN if code is None else _CODES.get(code, Condition.UNKNOWN)


def condition_named(text: str) -> Condition | None:
    """The condition whose word, in either language, is exactly ``text``."""
    wanted = text.strip().casefold()
    for language in LANGUAGES:
        for condition in Condition:
            if condition_word(condition, language) == wanted:
                return condition
    return None


def condition_like(text: str) -> Condition | None:
    """The condition that free text such as 多云转小雨 advises for: its exact word, else thunder, snow or rain in it."""
    exact = condition_named(text)
    if exact is not None:
        return exact
    stated = _DRY_PHRASE.sub("", text)
    return next((condition for pattern, condition in _LIKENESS if pattern.search(stated)), None)


def needs_umbrella(condition: Condition | None) -> bool:
    """Whether rain in any form falls: WMO 51-67, 80-82, 95-99."""
    return condition in _WET


def is_snow(condition: Condition | None) -> bool:
    """Whether snow falls: WMO 71-77, 85-86."""
    return condition in _SNOWY


def is_hot(temp_max: float | None) -> bool:
    """Whether the day's maximum (°C) is extreme heat: ``HOT_AT`` or more."""
    return temp_max is not None and temp_max >= HOT_AT


def is_cold(temp_min: float | None) -> bool:
    """Whether the day's minimum (°C) is extreme cold: ``COLD_AT`` or less."""
    return temp_min is not None and temp_min <= COLD_AT


def advice_key(condition: Condition | None, temp_min: float | None, temp_max: float | None) -> Advice | None:
    """The one piece of advice a day asks for (A27): rain first, then snow, heat, cold; ``None`` on an ordinary day.

    Temperatures are °C. One piece only, since it ends a one-line message.
    """
    if needs_umbrella(condition):
        return Advice.UMBRELLA
    if is_snow(condition):
        return Advice.SNOW
    if is_hot(temp_max):
        return Advice.HOT
    return Advice.COLD if is_cold(temp_min) else None


def condition_word(condition: Condition, language: Language) -> str:
    """The condition in the user's language."""
    return phrase(language, f"weather.condition.{condition}")


def suggestion_words(advice: Advice | None, language: Language) -> str | None:
    """The advice in the user's language; ``None`` for no advice."""
    return None if advice is None else phrase(language, f"weather.suggestion.{advice}")


def worded(values: DayWeather, city: str, day: date, language: Language, source: Source) -> Forecast:
    """The day in the user's language, with the advice that it asks for."""
    return Forecast(
        city=city,
        date=day,
        condition=condition_word(values.condition, language),
        temp_min=values.temp_min,
        temp_max=values.temp_max,
        suggestion=suggestion_words(advice_key(values.condition, values.temp_min, values.temp_max), language),
        source=source,
        code=values.code,
    )


def advice_named(text: str) -> Advice | None:
    """The advice whose words, in either language, are exactly ``text``."""
    wanted = text.strip().casefold()
    for language in LANGUAGES:
        for advice in Advice:
            if suggestion_words(advice, language) == wanted:
                return advice
    return None
