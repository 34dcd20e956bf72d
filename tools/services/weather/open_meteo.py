"""Real forecasts from Open-Meteo over HTTP: no key, 16 days ahead (A20-A22).

Open-Meteo's free service is for non-commercial use, and its data are CC BY 4.0: show ``ATTRIBUTION`` with them.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tools.core.text import Language, language_of
from tools.domain.cities import bare_name, lookup_city, same_city
from tools.domain.weather import Forecast, advice_key, condition_of_code, condition_word, suggestion_words
from tools.services.weather.open_meteo_answers import Place, best_place, read_day, read_places
from tools.services.weather.provider import NoForecast, UnknownCity, WeatherUnavailable

if TYPE_CHECKING:
    import ssl

    import httpx

GEOCODING_URL = "https://geocoding-api.open-meteo.com"
FORECAST_URL = "https://api.open-meteo.com"
ATTRIBUTION = "Weather data by Open-Meteo.com (CC BY 4.0)"
ATTRIBUTION_URL = "https://open-meteo.com/"

#: Bytes; real answers have a few thousand.
_LARGEST_ANSWER = 512 * 1024
_LONGEST_NAME = 80
_DAYS_AHEAD = 16
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min"


class OpenMeteo:
    """Forecasts by Open-Meteo: one search for the place, one request for its days.

    Every request has a client of its own, so an instance holds no sockets and serves any event loop.
    """

    is_sample = False

    def __init__(
        self,
        geocoding_url: str = GEOCODING_URL,
        forecast_url: str = FORECAST_URL,
        timeout: float = 5.0,
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
        self._search = _checked(geocoding_url) + "/v1/search"
        self._forecast = _checked(forecast_url) + "/v1/forecast"
        self._timeout = timeout
        self._transport = transport
        self._tls: ssl.SSLContext | None = None

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The forecast of ``city`` for ``day``, the local date there; see ``WeatherProvider.forecast``."""
        try:
            async with asyncio.timeout(self._timeout):
                place = await self._find(city)
                answer = await self._get(self._forecast, _forecast_query(place))
        except TimeoutError as error:
            raise WeatherUnavailable("timeout") from error
        return _worded(answer, _shown_name(city, place, language), day, language)

    async def aclose(self) -> None:
        """Nothing is held between requests."""

    async def _find(self, city: str) -> Place:
        """The place that ``city`` most likely means; for a city of the gazetteer an exact hit of any spelling first."""
        fuzzy = None
        for name in _spellings(city):
            place = best_place(read_places(await self._get(self._search, _search_query(name))), name)
            if place is not None and (same_city(place.name, name) or lookup_city(city) is None):
                return place
            fuzzy = fuzzy or place
        if fuzzy is None:
            raise UnknownCity(city)
        return fuzzy

    async def _get(self, url: str, query: Mapping[str, str | float]) -> object:
        import httpx  # noqa: PLC0415 - costs a tenth of a second of cold start, which most runs need not pay

        client = self._client(url)
        try:
            async with client.stream("GET", url, params=query) as response:
                if response.status_code != httpx.codes.OK:
                    raise WeatherUnavailable("status", str(response.status_code))
                return _decoded(await _body(response))
        except (httpx.TransportError, httpx.StreamError, httpx.InvalidURL) as error:
            raise WeatherUnavailable("connection", type(error).__name__) from error
        finally:
            if self._transport is None:
                await client.aclose()

    def _client(self, url: str) -> httpx.AsyncClient:
        import httpx  # noqa: PLC0415 - see _get

        if self._tls is None:
            self._tls = httpx.create_ssl_context()
        try:
            return httpx.AsyncClient(
                transport=self._transport,
                verify=self._tls,
                timeout=None,  # the one limit, over search and forecast together, stands in forecast()
                # A proxy cannot reach the user's own machine.
                trust_env=not _is_loopback(url),
                # Uncompressed, so that the limit on bytes read is the limit on bytes held.
                headers={"Accept-Encoding": "identity", "User-Agent": "deep-planner"},
            )
        except (ImportError, ValueError) as error:  # a proxy in the environment that httpx cannot use
            raise WeatherUnavailable("connection", "proxy") from error


def _checked(base_url: str) -> str:
    parts = urlsplit(base_url)
    _ = parts.port  # raises on a port that is no number
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"a weather service needs an http(s) base URL with a host, got {base_url!r}")
    return base_url.rstrip("/")


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
    if not asked.isprintable() or len(asked) > _LONGEST_NAME:
        return []
    known = lookup_city(asked)
    if known is not None:
        return list(dict.fromkeys((known.name_zh, known.name_zh.removesuffix("市") + "市", known.name_en)))
    bare = bare_name(asked)
    names = (asked, bare, bare + "市") if language_of(asked) == "zh" else (asked, bare)
    return [name for name in dict.fromkeys(names) if len(name) > 1]


def _shown_name(asked: str, place: Place, language: Language) -> str:
    """The gazetteer's name where that is what was found; else the name found, so that a fuzzy hit shows as one."""
    known = lookup_city(asked)
    return known.name(language) if known is not None and same_city(known.name_zh, place.name) else place.name


async def _body(response: httpx.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise WeatherUnavailable("bad answer", "compressed")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > _LARGEST_ANSWER:
            raise WeatherUnavailable("too large")
    return bytes(body)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise WeatherUnavailable("bad answer", "not JSON") from error


def _worded(answer: object, city: str, day: date, language: Language) -> Forecast:
    values = read_day(answer, day)
    if values is None:
        raise NoForecast(city, day)
    condition = condition_of_code(values.code)
    return Forecast(
        city=city,
        date=day,
        condition=condition_word(condition, language),
        temp_min=values.temp_min,
        temp_max=values.temp_max,
        suggestion=suggestion_words(advice_key(condition, values.temp_min, values.temp_max), language),
        source="open-meteo",
        code=values.code,
    )
