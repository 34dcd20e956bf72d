"""Forecasts from a file, for development, demonstrations and evaluation (A22)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from tools.core.text import Language
from tools.domain.cities import lookup_city, same_city
from tools.domain.weather import (
    Forecast,
    advice_key,
    advice_named,
    condition_like,
    condition_named,
    condition_word,
    suggestion_words,
)
from tools.services.weather.provider import NoForecast, UnknownCity, WeatherUnavailable
from tools.services.weather.sample_rows import SampleRow, read_rows


class SampleWeather:
    """A provider that knows only what it is given; of two rows for one city and day the later counts."""

    is_sample = True

    def __init__(self, rows: Iterable[SampleRow], *, always_unavailable: bool = False) -> None:
        """Serve ``rows``; with ``always_unavailable`` every call fails as a time-out does (A21)."""
        self._rows = tuple(rows)
        self._always_unavailable = always_unavailable

    @classmethod
    def from_file(cls, path: str | Path, *, always_unavailable: bool = False) -> SampleWeather:
        """Serve a file: JSON (a list of rows, or ``{"forecasts": [...]}``) or JSON Lines, UTF-8.

        Raises:
            WeatherFileError: The file cannot be read, or a row is not as ``SampleRow`` says.
        """
        return cls(read_rows(Path(path)), always_unavailable=always_unavailable)

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        """The row of ``city`` and ``day``; see ``WeatherProvider.forecast``."""
        if self._always_unavailable:
            raise WeatherUnavailable("timeout")
        here = [row for row in self._rows if same_city(row.city, city)]
        if not here:
            raise UnknownCity(city)
        today = [row for row in here if row.date == day]
        if not today:
            raise NoForecast(_shown_name(here[-1].city, language), day)
        return _worded(today[-1], language)

    async def aclose(self) -> None:
        """Nothing is held open."""


def _worded(row: SampleRow, language: Language) -> Forecast:
    """The row in the user's language, as far as its words are ours; free wording stays as written."""
    condition = condition_named(row.condition)
    return Forecast(
        city=_shown_name(row.city, language),
        date=row.date,
        condition=row.condition if condition is None else condition_word(condition, language),
        temp_min=row.temp_min,
        temp_max=row.temp_max,
        suggestion=_suggestion(row, language),
        source="sample",
        code=None,
    )


def _suggestion(row: SampleRow, language: Language) -> str | None:
    if row.suggestion is None:
        return suggestion_words(advice_key(condition_like(row.condition), row.temp_min, row.temp_max), language)
    advice = advice_named(row.suggestion)
    return row.suggestion if advice is None else suggestion_words(advice, language)


def _shown_name(name: str, language: Language) -> str:
    known = lookup_city(name)
    return name if known is None else known.name(language)
