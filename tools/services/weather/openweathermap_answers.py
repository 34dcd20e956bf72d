"""Reading OpenWeatherMap's JSON: values of the right kind come out, anything else is ``WeatherUnavailable``.

An error is ``{"cod", "message"}``, where ``cod`` is a string or a number, and the status is usually the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tools.core.text import Language, language_of
from tools.domain.cities import same_city
from tools.domain.weather import Condition, DayWeather
from tools.services.weather.http import Answer, clean_name, conditions_in, list_of, number_of, table_of
from tools.services.weather.provider import WeatherUnavailable

CONDITIONS = "openweathermap_conditions.toml"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ERROR = re.compile(r"[1-5][0-9]{2}")
#: Said with 400 about a name in which there is nothing to search for.
_NOTHING = "nothing to geocode"


@dataclass(frozen=True, slots=True)
class Place:
    """One hit of the search; degrees north and east, ``names`` by language."""

    name: str
    names: Mapping[str, str]
    latitude: float
    longitude: float

    def local(self, language: Language) -> str:
        """The name in a language, else the international one."""
        return self.names.get(language) or self.name

    def is_called(self, name: str) -> bool:
        """Whether ``name`` is the place's name in its own language, or, where that is not known, in any."""
        local = self.names.get(language_of(name))
        return same_city(local, name) if local else same_city(self.name, name)


def checked(answer: Answer) -> object | None:
    """The body of a good answer; ``None`` when the service knows nothing of what was asked.

    Raises:
        WeatherUnavailable: Any other error; the detail is its number.
    """
    body = answer.content
    said = body if isinstance(body, dict) else {}
    code = str(said.get("cod", answer.status))
    if answer.status == 200 and code == "200":
        if body is None:
            raise WeatherUnavailable("bad answer", "null")
        return body
    if not _ERROR.fullmatch(code):
        raise WeatherUnavailable("bad answer", "cod")
    if said and (code == "404" or (code == "400" and str(said.get("message")).strip().lower() == _NOTHING)):
        return None
    raise WeatherUnavailable("status", str(answer.status) if answer.status != 200 else code)


def read_places(body: object) -> list[Place]:
    """The hits of ``/geo/1.0/direct``, in the service's order; a hit without name or coordinates is left out."""
    return [place for place in map(_place, list_of(body, "places")) if place is not None]


def best_place(places: list[Place], name: str) -> Place | None:
    """The hit that ``name`` most likely means: the first of that name, else the first."""
    return max(places, key=lambda place: place.is_called(name), default=None)


def read_day(body: object, day: date) -> DayWeather | None:
    """The values of ``day`` in an answer of ``/data/3.0/onecall``; ``None`` when the day is absent or empty.

    A day is a moment in UTC (``dt``); the place's offset makes it a date there.
    """
    fields = table_of(body)
    offset = _seconds(fields.get("timezone_offset"))
    days = [table_of(entry) for entry in list_of(fields.get("daily"), "daily")]
    values = next((entry for entry in days if _date(_seconds(entry.get("dt")) + offset) == day), None)
    if values is None:
        return None
    temps = table_of(values.get("temp") or {})
    temp_min, temp_max = number_of(temps.get("min")), number_of(temps.get("max"))
    code = _code(values.get("weather"))
    if code is None and temp_min is None and temp_max is None:
        return None
    condition = Condition.UNKNOWN if code is None else conditions_in(CONDITIONS).get(code, Condition.UNKNOWN)
    return DayWeather(condition, temp_min, temp_max)


def _code(weather: object) -> int | None:
    """The id of the first condition, which is the main one."""
    conditions = [] if weather is None else list_of(weather, "weather")
    number = number_of(table_of(conditions[0]).get("id")) if conditions else None
    return None if number is None else int(number)


def _seconds(value: object) -> float:
    seconds = number_of(value)
    if seconds is None:
        raise WeatherUnavailable("bad answer", "no date")
    return seconds


def _date(seconds: float) -> date:
    try:
        return (_EPOCH + timedelta(seconds=seconds)).date()
    except OverflowError as error:
        raise WeatherUnavailable("bad answer", "no date") from error


def _place(hit: object) -> Place | None:
    fields = table_of(hit)
    name, latitude, longitude = (
        clean_name(fields.get("name")),
        number_of(fields.get("lat")),
        number_of(fields.get("lon")),
    )
    if not name or latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    names = table_of(fields.get("local_names") or {})
    shown = {language: clean_name(names.get(language)) for language in ("zh", "en")}
    return Place(name, {language: local for language, local in shown.items() if local}, latitude, longitude)
