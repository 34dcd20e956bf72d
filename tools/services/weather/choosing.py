"""Which online source of weather runs (A22): by its name, with the key that the environment has for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from tools.core.errors import UsageError
from tools.services.weather.open_meteo import FORECAST_URL, GEOCODING_URL, OpenMeteo
from tools.services.weather.openweathermap import BASE_URL, OpenWeatherMap
from tools.services.weather.provider import WeatherProvider
from tools.services.weather.qweather import QWeather

ProviderName = Literal["open-meteo", "qweather", "openweathermap"]

QWEATHER_KEY = "QWEATHER_API_KEY"
QWEATHER_HOST = "DEEP_PLANNER_QWEATHER_HOST"
OPENWEATHERMAP_KEY = "OPENWEATHERMAP_API_KEY"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the services are; QWeather gives each account a host of its own."""

    forecast: str = FORECAST_URL
    geocoding: str = GEOCODING_URL
    qweather: str | None = None
    openweathermap: str = BASE_URL


def online_weather(name: ProviderName, addresses: Addresses, environ: Mapping[str, str]) -> WeatherProvider:
    """The source called ``name``; its key is read from ``environ`` and kept by nobody else.

    Raises:
        UsageError: A key or a host is missing, or an address is none; says which, and never quotes a key.
    """
    if name == "qweather":
        key = _needed(environ.get(QWEATHER_KEY), name, QWEATHER_KEY)
        host = _needed(addresses.qweather, name, QWEATHER_HOST)
        return _made(lambda: QWeather(host, key), "qweather_host", host)
    if name == "openweathermap":
        key = _needed(environ.get(OPENWEATHERMAP_KEY), name, OPENWEATHERMAP_KEY)
        return _made(
            lambda: OpenWeatherMap(key, addresses.openweathermap), "openweathermap_base_url", addresses.openweathermap
        )
    places = f"{addresses.geocoding}, {addresses.forecast}"
    return _made(
        lambda: OpenMeteo(addresses.geocoding, addresses.forecast), "geocoding_base_url, weather_base_url", places
    )


def _needed(value: str | None, name: ProviderName, variable: str) -> str:
    """The value without the blanks and line ends of a careless paste; one that no header could carry is none."""
    plain = (value or "").strip()
    if not plain or not plain.isascii() or not plain.isprintable() or " " in plain:
        raise UsageError("missing_weather_key", value=name, variable=variable)
    return plain


def _made(make: Callable[[], WeatherProvider], setting: str, value: str) -> WeatherProvider:
    try:
        return make()
    except ValueError as error:
        raise UsageError("bad_setting", name=setting, value=value, reason=str(error)) from error
