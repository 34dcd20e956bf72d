"""Sources of weather behind one protocol, and the errors they share."""

from tools.services.weather.choosing import Addresses, ProviderName, online_weather
from tools.services.weather.open_meteo import ATTRIBUTION, ATTRIBUTION_URL, OpenMeteo
from tools.services.weather.openweathermap import OpenWeatherMap
from tools.services.weather.provider import (
    NoForecast,
    UnknownCity,
    WeatherError,
    WeatherProvider,
    WeatherUnavailable,
)
from tools.services.weather.qweather import QWeather
from tools.services.weather.sample_file import SampleWeather
from tools.services.weather.sample_rows import FileFault, SampleRow, WeatherFileError

__all__ = [
    "ATTRIBUTION",
    "ATTRIBUTION_URL",
    "Addresses",
    "FileFault",
    "NoForecast",
    "OpenMeteo",
    "OpenWeatherMap",
    "ProviderName",
    "QWeather",
    "SampleRow",
    "SampleWeather",
    "UnknownCity",
    "WeatherError",
    "WeatherFileError",
    "WeatherProvider",
    "WeatherUnavailable",
    "online_weather",
]
