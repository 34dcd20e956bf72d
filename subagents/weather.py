"""The weather agent: its tools and limits; what it tells its model is in ``prompts``."""

from __future__ import annotations

from functools import partial

from subagents.spec import SubagentSpec
from tools.services.forecasts import WeatherService
from tools.toolkits.weather import weather_tools


def weather_agent(service: WeatherService) -> SubagentSpec:
    """The spec of the weather agent; without it the rest of a plan still goes on (A50)."""
    return SubagentSpec("weather", partial(weather_tools, service), advisory=True)
