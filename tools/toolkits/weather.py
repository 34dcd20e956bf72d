"""The weather agent's tool (A20)."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.forecasts import WeatherService
from tools.toolkits.making import Arguments, domain_tool


class GetWeather(Arguments):
    """Where and when."""

    city: str | None = None
    date: str | None = None


def weather_tools(service: WeatherService, language: Language) -> list[BaseTool]:
    """get_weather."""

    async def weather(call: Call, given: GetWeather) -> ToolResult:
        return await service.weather(call, given.city, given.date)

    return [domain_tool("get_weather", GetWeather, weather, language)]
