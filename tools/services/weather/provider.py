"""What the assistant asks of any source of weather, and the ways it may fail (A20-A22)."""

from __future__ import annotations

from datetime import date
from typing import Literal, Protocol

from tools.core.text import Language
from tools.domain.weather import Forecast

#: Why a provider could not answer; for logs and tests, never shown to the user.
Reason = Literal["timeout", "connection", "status", "bad answer", "too large"]


class WeatherProvider(Protocol):
    """A source of daily forecasts; which one runs is a matter of configuration (A22)."""

    @property
    def is_sample(self) -> bool:
        """Whether forecasts come from a file of samples, so that replies can say so."""
        ...

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The weather of ``city`` on ``day`` (the local date there), worded in ``language``.

        Raises:
            UnknownCity: The source knows no such place.
            NoForecast: It knows the place but not that day.
            WeatherUnavailable: It did not answer in time, or not properly.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections; may be called more than once."""
        ...


class WeatherError(Exception):
    """Any way in which a forecast could not be had; the subclasses carry the facts as attributes."""


class WeatherUnavailable(WeatherError):  # noqa: N818 - named for what happened
    """The provider failed; nothing about the request was wrong, and a later try may succeed (A21, A50)."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        """Keep the ``reason`` and a ``detail`` such as ``429``."""
        self.reason = reason
        self.detail = detail
        super().__init__(f"weather unavailable: {reason}" + (f" ({detail})" if detail else ""))


class UnknownCity(WeatherError):  # noqa: N818 - named for what happened
    """No place of that name is known to the provider (A21)."""

    def __init__(self, city: str) -> None:
        """Keep the ``city`` as it was asked for."""
        self.city = city
        super().__init__(f"unknown city: {city!r}")


class NoForecast(WeatherError):  # noqa: N818 - named for what happened
    """The place is known, but the day lies outside the forecast or has no values."""

    def __init__(self, city: str, day: date) -> None:
        """Keep the ``city`` in the user's language and the ``day``."""
        self.city = city
        self.day = day
        super().__init__(f"no forecast for {city!r} on {day.isoformat()}")
