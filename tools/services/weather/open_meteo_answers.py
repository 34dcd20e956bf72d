"""Reading Open-Meteo's JSON: values of the right kind come out, anything else is ``WeatherUnavailable``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

from tools.domain.cities import same_city
from tools.domain.weather import DayWeather, condition_of_code
from tools.services.weather.http import clean_name, finite, list_of, table_of
from tools.services.weather.provider import WeatherUnavailable

#: Powers of ten of population that a seat of government is worth: the capital San José beats the larger Californian
#: one, yet Hamilton in Ontario (500,000) beats Hamilton, capital of Bermuda (900).
_RANK = {"PPLC": 2.0, "PPLA": 1.0, "PPLA2": 0.5}


@dataclass(frozen=True, slots=True)
class Place:
    """A place, mostly a hit of the search; degrees north and east, ``feature`` is a GeoNames code such as ``PPLC``."""

    name: str
    latitude: float
    longitude: float
    feature: str = ""
    population: float = 0.0


def read_places(answer: object) -> list[Place]:
    """The hits of ``/v1/search``; the key ``results`` is absent when there is none."""
    results = list_of(table_of(answer).get("results", []), "results")
    return [place for place in map(_place, results) if place is not None]


def best_place(places: list[Place], name: str) -> Place | None:
    """The hit that ``name`` most likely means: an exact name, then a settlement, then size and rank together."""
    return max(places, key=lambda place: _likelihood(place, name), default=None)


def read_day(answer: object, day: date) -> DayWeather | None:
    """The values of ``day`` in an answer of ``/v1/forecast``; ``None`` when the day is absent or empty.

    The answer holds parallel arrays whose entries may be null.
    """
    daily = table_of(table_of(answer).get("daily"))
    days = list_of(daily.get("time"), "time")
    if day.isoformat() not in days:
        return None
    index = days.index(day.isoformat())
    code = _number(list_of(daily.get("weather_code"), "weather_code"), index)
    temp_min = _number(list_of(daily.get("temperature_2m_min"), "temperature_2m_min"), index)
    temp_max = _number(list_of(daily.get("temperature_2m_max"), "temperature_2m_max"), index)
    if code is None and temp_min is None and temp_max is None:
        return None
    wmo = None if code is None else int(code)
    return DayWeather(condition_of_code(wmo), temp_min, temp_max, wmo)


def _place(hit: object) -> Place | None:
    """A hit without usable coordinates or name is passed over: the others may serve."""
    fields = table_of(hit)
    name = clean_name(fields.get("name"))
    latitude, longitude = finite(fields.get("latitude")), finite(fields.get("longitude"))
    if not name or latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    feature, population = str(fields.get("feature_code", "")), finite(fields.get("population")) or 0.0
    return Place(name, latitude, longitude, feature, population)


def _likelihood(place: Place, name: str) -> tuple[bool, bool, float]:
    size = math.log10(max(place.population, 0) + 1) + _RANK.get(place.feature, 0)
    return same_city(place.name, name), place.feature.startswith("PPL"), size


def _number(column: list[object], index: int) -> float | None:
    """The entry at ``index``; ``None`` for null and past the end of a short array."""
    if index >= len(column) or column[index] is None:
        return None
    number = finite(column[index])
    if number is None:
        raise WeatherUnavailable("bad answer", "not a number")
    return number
