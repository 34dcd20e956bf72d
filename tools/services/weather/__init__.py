"""Sources of weather behind one protocol, and the errors they share."""

from tools.services.weather.open_meteo import ATTRIBUTION, ATTRIBUTION_URL, OpenMeteo
from tools.services.weather.provider import (
    NoForecast,
    UnknownCity,
    WeatherError,
    WeatherProvider,
    WeatherUnavailable,
)
from tools.services.weather.sample_file import SampleWeather
from tools.services.weather.sample_rows import FileFault, SampleRow, WeatherFileError

__all__ = [
    "ATTRIBUTION",
    "ATTRIBUTION_URL",
    "FileFault",
    "NoForecast",
    "OpenMeteo",
    "SampleRow",
    "SampleWeather",
    "UnknownCity",
    "WeatherError",
    "WeatherFileError",
    "WeatherProvider",
    "WeatherUnavailable",
]
