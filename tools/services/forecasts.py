"""Weather as the user hears it (A20, A21, P20); the sources are in ``weather``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date as Day  # noqa: N812 - "date" is an argument of the tool
from datetime import timedelta

from tools.core.context import Call, RunContext
from tools.core.errors import ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.cities import lookup_city
from tools.domain.weather import Forecast
from tools.services.resolving import resolve_days
from tools.services.weather import NoForecast, UnknownCity, WeatherProvider, WeatherUnavailable

#: Most days that one answer covers.
MOST_DAYS = 7


class WeatherService:
    """Asks one provider."""

    def __init__(self, provider: WeatherProvider) -> None:
        self.provider = provider

    async def weather(self, call: Call, city: str | None = None, date: str | None = None) -> ToolResult:
        """The forecast of a city for a date or range of dates; the user's city when none is named (P20)."""
        context = call.context
        place = (city or context.city or "").strip()
        if not place:
            # Asked in the reply, without stopping: nothing has failed (P20).
            message = text(context.language, "results.weather_no_city")
            return ToolResult(status=ResultStatus.SUCCESS, message=message, data={"missing": "city"})
        first, last = resolve_days(context, date)
        if (last - first).days >= MOST_DAYS:
            raise ToolArgumentError("too_many_days", value=date, limit=MOST_DAYS)
        shown = _shown(place, context)
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        try:
            known = [forecast for day in days if (forecast := await self._forecast(place, day, context))]
        except WeatherUnavailable:
            return _error("weather_unavailable", context)
        except UnknownCity:
            return _error("weather_unknown_city", context, city=shown)
        if not known:
            return _error("weather_no_forecast", context, city=shown, date=first.isoformat())
        return self._told(known, context)

    async def _forecast(self, place: str, day: Day, context: RunContext) -> Forecast | None:
        """A day of a range that has no forecast is left out; the others still help."""
        try:
            return await self.provider.forecast(place, day, context.language)
        except NoForecast:
            return None

    def _told(self, forecasts: Sequence[Forecast], context: RunContext) -> ToolResult:
        separator = text(context.language, "when.list_separator")
        message = separator.join(forecast_words(forecast, context) for forecast in forecasts)
        if self.provider.is_sample:
            message = text(context.language, "results.weather_sample", message=message)
        days = [_data(forecast) for forecast in forecasts]
        return ToolResult(
            status=ResultStatus.SUCCESS,
            message=message,
            data=days[0] if len(days) == 1 else {"forecasts": days},
        )


def forecast_words(forecast: Forecast, context: RunContext) -> str:
    """One forecast as seed 000 section 3.4 words it: 北京 2026-02-14 天气：小雨，气温 2-8°C，建议携带雨具."""
    suggestion = ""
    if forecast.suggestion:
        suggestion = text(context.language, "results.suggestion_after", suggestion=forecast.suggestion)
    temps = _temperatures(forecast, context)
    return text(
        context.language,
        "results.weather" if temps else "results.weather_no_temps",
        city=forecast.city,
        date=forecast.date.isoformat(),
        condition=forecast.condition,
        temps=temps,
        suggestion=suggestion,
    )


def _temperatures(forecast: Forecast, context: RunContext) -> str:
    low, high = forecast.temp_min, forecast.temp_max
    if low is not None and high is not None:
        return text(context.language, "results.temps", low=_degrees(low), high=_degrees(high))
    one = high if low is None else low
    return "" if one is None else text(context.language, "results.temps_one", degrees=_degrees(one))


def _degrees(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"


def _data(forecast: Forecast) -> dict[str, object]:
    data = asdict(forecast)
    data["date"] = forecast.date.isoformat()
    return {name: value for name, value in data.items() if value is not None}


def _shown(place: str, context: RunContext) -> str:
    city = lookup_city(place)
    return city.name(context.language) if city else place


def _error(name: str, context: RunContext, **facts: object) -> ToolResult:
    message = text(context.language, f"results.{name}", **facts)
    return ToolResult(status=ResultStatus.ERROR, message=message)
