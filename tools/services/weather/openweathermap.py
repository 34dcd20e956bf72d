"""Real forecasts from OpenWeatherMap (One Call 3.0): a key with that subscription, 8 days (A20-A22).

OpenWeather wants its name shown beside its data: show ``ATTRIBUTION`` with them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from tools.core.text import Language
from tools.domain.cities import lookup_city
from tools.domain.weather import Forecast, worded
from tools.services.weather.http import TIMEOUT, JsonService, Key, asked_names, checked_url, shown_name, within
from tools.services.weather.openweathermap_answers import Place, best_place, checked, read_day, read_places
from tools.services.weather.provider import NoForecast, UnknownCity

if TYPE_CHECKING:
    import httpx

BASE_URL = "https://api.openweathermap.org"
ATTRIBUTION = "Weather data provided by OpenWeather"
ATTRIBUTION_URL = "https://openweathermap.org/"

_SEARCH = "/geo/1.0/direct"
_FORECAST = "/data/3.0/onecall"


class OpenWeatherMap:
    """Forecasts by OpenWeatherMap: one request for the days, before it a search for a place the gazetteer lacks."""

    is_sample = False

    def __init__(
        self,
        key: str,
        base_url: str = BASE_URL,
        timeout: float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Point at the service.

        Args:
            key: The account's API key, which this service takes in the query only.
            base_url: Base URL of search and forecasts.
            timeout: Seconds for the whole of one forecast, all requests together (A21).
            transport: Replaces the network; it stays open, its owner closes it.

        Raises:
            ValueError: The base URL is none, or the key cannot be one; the key is not quoted.
        """
        self._base = checked_url(base_url)
        self._timeout = timeout
        self._service = JsonService(key=Key("query", "appid", key), transport=transport)

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The forecast of ``city`` for ``day``, the local date there; see ``WeatherProvider.forecast``."""
        async with within(self._timeout):
            place = await self._find(city)
            told = checked(await self._service.answer(self._base + _FORECAST, _forecast_query(place)))
        name = _name(city, place, language)
        values = None if told is None else read_day(told, day)
        if values is None:
            raise NoForecast(name, day)
        return worded(values, name, day, language, "openweathermap")

    async def aclose(self) -> None:
        """Nothing is held between requests."""

    async def _find(self, city: str) -> Place:
        """The place that ``city`` most likely means; for a city of the gazetteer an exact hit of any spelling first.

        Where the gazetteer has the coordinates, nobody is asked for them.
        """
        known = lookup_city(city)
        if known is not None and known.coordinates is not None:
            return Place(known.name_en, {"zh": known.name_zh, "en": known.name_en}, *known.coordinates)
        fuzzy = None
        for name in asked_names(city):
            told = checked(await self._service.answer(self._base + _SEARCH, {"q": name, "limit": 5}))
            place = None if told is None else best_place(read_places(told), name)
            if place is not None and (place.is_called(name) or known is None):
                return place
            fuzzy = fuzzy or place
        if fuzzy is None:
            raise UnknownCity(city)
        return fuzzy


def _forecast_query(place: Place) -> dict[str, str | float]:
    # No ``lang``: the words are ours, by the condition's id.
    return {
        "lat": place.latitude,
        "lon": place.longitude,
        "units": "metric",
        "exclude": "current,minutely,hourly,alerts",
    }


def _name(asked: str, place: Place, language: Language) -> str:
    """The gazetteer's name if any of the place's names leads there, else the place's name in the user's language."""
    known = lookup_city(asked)
    if known is not None and place.is_called(known.name_zh):
        return known.name(language)
    return shown_name(asked, place.local(language), language)
