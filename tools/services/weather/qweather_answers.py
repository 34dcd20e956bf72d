"""Reading QWeather's JSON, in which every value is a string: anything of another kind is ``WeatherUnavailable``.

Errors come in two forms. The older is status 200 with a code in the body; the newer is a status of its own with
``{"error": {"status", "type", "title", "detail"}}``, whose 400 may mean a place that is not known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from tools.domain.cities import same_city
from tools.domain.weather import Condition, DayWeather
from tools.services.weather.http import Answer, clean_name, conditions_in, list_of, number_of, table_of
from tools.services.weather.provider import WeatherUnavailable

CONDITIONS = "qweather_conditions.toml"

_OK = "200"
#: Codes and titles that say "we have nothing there", not "something went wrong".
_NOTHING = frozenset({"204", "404"})
_NOTHING_TITLES = frozenset({"NO SUCH LOCATION", "DATA NOT AVAILABLE", "NOT FOUND"})
_CODE = re.compile(r"[1-5][0-9]{2}")


@dataclass(frozen=True, slots=True)
class Place:
    """One hit of the search; degrees north and east, ``cities`` are the city and province that it belongs to."""

    name: str
    latitude: float
    longitude: float
    cities: tuple[str, ...]


def read_answer(answer: Answer) -> dict[str, object] | None:
    """The body of a good answer; ``None`` when the service has nothing for what was asked.

    Raises:
        WeatherUnavailable: Any error, in either form; the detail is its number.
    """
    if answer.status != 200:
        if answer.status in {400, 404} and _title(answer.content) in _NOTHING_TITLES:
            return None
        raise WeatherUnavailable("status", str(answer.status))
    body = table_of(answer.content)
    code = str(body.get("code"))
    if code in _NOTHING:
        return None
    if not _CODE.fullmatch(code):
        raise WeatherUnavailable("bad answer", "code")
    if code != _OK:
        raise WeatherUnavailable("status", code)
    return body


def read_places(body: dict[str, object]) -> list[Place]:
    """The hits of ``/geo/v2/city/lookup``, in the service's order; a hit without name or coordinates is left out."""
    hits = body.get("location")
    return [] if hits is None else [place for place in map(_place, list_of(hits, "location")) if place is not None]


def best_place(places: list[Place], name: str) -> Place | None:
    """The hit that ``name`` most likely means: an exact name, a city before a district (朝阳), the first."""
    return max(places, key=lambda place: _likelihood(place, name), default=None)


def read_day(body: dict[str, object], day: date) -> DayWeather | None:
    """The values of ``day`` in an answer of ``/v7/weather/15d``; ``None`` when the day is absent or empty."""
    days = [table_of(entry) for entry in list_of(body.get("daily"), "daily")]
    values = next((entry for entry in days if entry.get("fxDate") == day.isoformat()), None)
    if values is None:
        return None
    icon = number_of(values.get("iconDay"))
    temp_min, temp_max = number_of(values.get("tempMin")), number_of(values.get("tempMax"))
    if icon is None and temp_min is None and temp_max is None:
        return None
    condition = Condition.UNKNOWN if icon is None else conditions_in(CONDITIONS).get(int(icon), Condition.UNKNOWN)
    return DayWeather(condition, temp_min, temp_max)


def _title(content: object) -> str:
    """The kind of a problem, by its title or else by the end of its type's address."""
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        return ""
    named = error.get("title") or str(error.get("type")).rpartition("#")[2].replace("-", " ")
    return str(named).strip().upper()


def _place(hit: object) -> Place | None:
    fields = table_of(hit)
    name, latitude, longitude = (
        clean_name(fields.get("name")),
        number_of(fields.get("lat")),
        number_of(fields.get("lon")),
    )
    if not name or latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return Place(name, latitude, longitude, (clean_name(fields.get("adm2")), clean_name(fields.get("adm1"))))


def _likelihood(place: Place, name: str) -> tuple[bool, bool]:
    return same_city(place.name, name), any(same_city(city, name) for city in place.cities)
