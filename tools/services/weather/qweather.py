"""Real forecasts from QWeather (和风天气): a key and a host of one's own, 15 days ahead (A20-A22).

QWeather wants its name shown beside its data: show ``ATTRIBUTION`` with them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from tools.core.text import Language, language_of
from tools.domain.cities import lookup_city, same_city
from tools.domain.weather import Forecast, worded
from tools.services.weather.http import TIMEOUT, JsonService, Key, asked_names, checked_url, shown_name, within
from tools.services.weather.provider import NoForecast, UnknownCity
from tools.services.weather.qweather_answers import Place, best_place, read_answer, read_day, read_places

if TYPE_CHECKING:
    import httpx

ATTRIBUTION = "Weather data by QWeather"
ATTRIBUTION_URL = "https://www.qweather.com/"

_LOOKUP = "/geo/v2/city/lookup"
_FORECAST = "/v7/weather/15d"


class QWeather:
    """Forecasts by QWeather: one search for the place, one request for its days."""

    is_sample = False

    def __init__(
        self, host: str, key: str, timeout: float = TIMEOUT, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """Point at the service.

        Args:
            host: The account's own host, such as ``abc.def.qweatherapi.com``, or a base URL.
            key: The account's API key.
            timeout: Seconds for the whole of one forecast, all requests together (A21).
            transport: Replaces the network; it stays open, its owner closes it.

        Raises:
            ValueError: The host is none, or the key cannot be one; the key is not quoted.
        """
        self._base = checked_url(host if "://" in host else f"https://{host}")
        self._timeout = timeout
        # Every answer is compressed, whatever was asked for.
        self._service = JsonService(key=Key("header", "X-QW-Api-Key", key), compressed=True, transport=transport)

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The forecast of ``city`` for ``day``, the local date there; see ``WeatherProvider.forecast``."""
        async with within(self._timeout):
            place = await self._find(city)
            query = {"location": _location(place), "unit": "m"}
            told = read_answer(await self._service.answer(self._base + _FORECAST, query))
        name = shown_name(city, place.name, language)
        values = None if told is None else read_day(told, day)
        if values is None:
            raise NoForecast(name, day)
        return worded(values, name, day, language, "qweather")

    async def aclose(self) -> None:
        """Nothing is held between requests."""

    async def _find(self, city: str) -> Place:
        """The place that ``city`` most likely means; for a city of the gazetteer an exact hit of any spelling first."""
        fuzzy = None
        for name in asked_names(city):
            told = read_answer(await self._service.answer(self._base + _LOOKUP, _lookup_query(name)))
            place = None if told is None else best_place(read_places(told), name)
            if place is not None and (same_city(place.name, name) or lookup_city(city) is None):
                return place
            fuzzy = fuzzy or place
        if fuzzy is None:
            raise UnknownCity(city)
        return fuzzy


def _lookup_query(name: str) -> dict[str, str | float]:
    # Names come back in the language of the search: asked in its own, an exact match can be recognised.
    return {"location": name, "number": 20, "lang": language_of(name)}


def _location(place: Place) -> str:
    """Longitude first, and two decimals at most."""
    return f"{place.longitude:.2f},{place.latitude:.2f}"
