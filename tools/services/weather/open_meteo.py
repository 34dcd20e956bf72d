"""Real forecasts from Open-Meteo over HTTP: no key, 16 days ahead (A20-A22).

Open-Meteo's free service is for non-commercial use, and its data are CC BY 4.0: show ``ATTRIBUTION`` with them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from tools.core.text import Language, language_of
from tools.domain.cities import bare_name, lookup_city, same_city
from tools.domain.weather import Forecast, worded
from tools.services.weather.http import LONGEST_NAME, TIMEOUT, JsonService, checked_url, shown_name, within
from tools.services.weather.open_meteo_answers import Place, best_place, read_day, read_places
from tools.services.weather.provider import NoForecast, UnknownCity

if TYPE_CHECKING:
    import httpx

GEOCODING_URL = "https://geocoding-api.open-meteo.com"
FORECAST_URL = "https://api.open-meteo.com"
ATTRIBUTION = "Weather data by Open-Meteo.com (CC BY 4.0)"
ATTRIBUTION_URL = "https://open-meteo.com/"

_DAYS_AHEAD = 16
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min"


class OpenMeteo:
    """Forecasts by Open-Meteo: one request for the days, before it a search for a place that the gazetteer lacks."""

    is_sample = False

    def __init__(
        self,
        geocoding_url: str = GEOCODING_URL,
        forecast_url: str = FORECAST_URL,
        timeout: float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Point at the two services.

        Args:
            geocoding_url: Base URL of the search; ``/v1/search`` is appended.
            forecast_url: Base URL of the forecasts; ``/v1/forecast`` is appended.
            timeout: Seconds for the whole of one forecast, all requests together (A21).
            transport: Replaces the network; it stays open, its owner closes it.

        Raises:
            ValueError: A base URL is not http(s) with a host.
        """
        self._search = checked_url(geocoding_url) + "/v1/search"
        self._forecast = checked_url(forecast_url) + "/v1/forecast"
        self._timeout = timeout
        self._service = JsonService(transport=transport)

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The forecast of ``city`` for ``day``, the local date there; see ``WeatherProvider.forecast``."""
        async with within(self._timeout):
            place = await self._find(city)
            values = read_day(await self._service.get(self._forecast, _forecast_query(place)), day)
        name = shown_name(city, place.name, language)
        if values is None:
            raise NoForecast(name, day)
        return worded(values, name, day, language, "open-meteo")

    async def aclose(self) -> None:
        """Nothing is held between requests."""

    async def _find(self, city: str) -> Place:
        """The place that ``city`` most likely means; for a city of the gazetteer an exact hit of any spelling first.

        Where the gazetteer has the coordinates, nobody is asked for them.
        """
        known = lookup_city(city)
        if known is not None and known.coordinates is not None:
            return Place(known.name_zh, *known.coordinates)
        fuzzy = None
        for name in _spellings(city):
            place = best_place(read_places(await self._service.get(self._search, _search_query(name))), name)
            if place is not None and (same_city(place.name, name) or known is None):
                return place
            fuzzy = fuzzy or place
        if fuzzy is None:
            raise UnknownCity(city)
        return fuzzy


def _search_query(name: str) -> dict[str, str | float]:
    # Names come back in the language of the search: asked in its own, an exact match can be recognised.
    return {"name": name, "count": 20, "language": language_of(name), "format": "json"}


def _forecast_query(place: Place) -> dict[str, str | float]:
    # All days, not the one asked for: a date outside the horizon would be a 400, which a broken request is too.
    return {
        "latitude": place.latitude,
        "longitude": place.longitude,
        "daily": _DAILY,
        "timezone": "auto",
        "forecast_days": _DAYS_AHEAD,
    }


def _spellings(city: str) -> list[str]:
    """The names to search for, in turn.

    The search finds nothing for one character and two only exactly, and knows some Chinese cities with 市 and others
    without, so both are tried. A city of the gazetteer is searched by its Chinese name first, which no other shares.
    """
    asked = " ".join(city.split())
    if not asked.isprintable() or len(asked) > LONGEST_NAME:
        return []
    known = lookup_city(asked)
    if known is not None:
        return list(dict.fromkeys((known.name_zh, known.name_zh.removesuffix("市") + "市", known.name_en)))
    bare = bare_name(asked)
    names = (asked, bare, bare + "市") if language_of(asked) == "zh" else (asked, bare)
    return [name for name in dict.fromkeys(names) if len(name) > 1]
