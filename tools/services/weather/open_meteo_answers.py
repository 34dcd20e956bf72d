"""Reading Open-Meteo's JSON: values of the right kind come out, anything else is ``WeatherUnavailable``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from tools.domain.cities import same_city
from tools.services.weather.provider import WeatherUnavailable

#: Powers of ten of population that a seat of government is worth: the capital San José beats the larger Californian
#: one, yet Hamilton in Ontario (500,000) beats Hamilton, capital of Bermuda (900).
_RANK = {"PPLC": 2.0, "PPLA": 1.0, "PPLA2": 0.5}
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Place:
    """One hit of the search; degrees north and east, ``feature`` is a GeoNames code such as ``PPLC``."""

    name: str
    latitude: float
    longitude: float
    feature: str
    population: float


@dataclass(frozen=True, slots=True)
class DayValues:
    """One day of a forecast: WMO code, °C; ``None`` where the service had no value."""

    code: int | None
    temp_min: float | None
    temp_max: float | None


def read_places(answer: object) -> list[Place]:
    """The hits of ``/v1/search``; the key ``results`` is absent when there is none."""
    results = _table(answer).get("results", [])
    if not isinstance(results, list):
        raise WeatherUnavailable("bad answer", "results")
    return [place for place in map(_place, results) if place is not None]


def best_place(places: list[Place], name: str) -> Place | None:
    """The hit that ``name`` most likely means: an exact name, then a settlement, then size and rank together."""
    return max(places, key=lambda place: _likelihood(place, name), default=None)


def read_day(answer: object, day: date) -> DayValues | None:
    """The values of ``day`` in an answer of ``/v1/forecast``; ``None`` when the day is absent or empty.

    The answer holds parallel arrays whose entries may be null.
    """
    daily = _table(_table(answer).get("daily"))
    days = _column(daily, "time")
    if day.isoformat() not in days:
        return None
    index = days.index(day.isoformat())
    code = _number(_column(daily, "weather_code"), index)
    temp_min = _number(_column(daily, "temperature_2m_min"), index)
    temp_max = _number(_column(daily, "temperature_2m_max"), index)
    if code is None and temp_min is None and temp_max is None:
        return None
    return DayValues(None if code is None else int(code), temp_min, temp_max)


def _place(hit: object) -> Place | None:
    """A hit without usable coordinates or name is passed over: the others may serve."""
    fields = _table(hit)
    name, latitude, longitude = fields.get("name"), _finite(fields.get("latitude")), _finite(fields.get("longitude"))
    if not isinstance(name, str) or latitude is None or longitude is None:
        return None
    shown = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())[:_LONGEST_NAME]
    if not shown or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    feature, population = str(fields.get("feature_code", "")), _finite(fields.get("population")) or 0.0
    return Place(shown, latitude, longitude, feature, population)


def _likelihood(place: Place, name: str) -> tuple[bool, bool, float]:
    size = math.log10(max(place.population, 0) + 1) + _RANK.get(place.feature, 0)
    return same_city(place.name, name), place.feature.startswith("PPL"), size


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise WeatherUnavailable("bad answer", "not an object")
    return value


def _column(daily: dict[str, object], name: str) -> list[object]:
    column = daily.get(name)
    if not isinstance(column, list):
        raise WeatherUnavailable("bad answer", name)
    return column


def _number(column: list[object], index: int) -> float | None:
    """The entry at ``index``; ``None`` for null and past the end of a short array."""
    if index >= len(column) or column[index] is None:
        return None
    number = _finite(column[index])
    if number is None:
        raise WeatherUnavailable("bad answer", "not a number")
    return number


def _finite(value: object) -> float | None:
    """The number, where it is a finite one: JSON's ``true`` and Python's ``NaN`` are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
