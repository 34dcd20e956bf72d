"""What is opened is closed, also when something else cannot be opened."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from deep_planner.app import open_planner
from deep_planner.deliberating import open_deliberation
from deep_planner.settings import Settings
from subagents.thinking import Models
from tests.support.scripted_model import ScriptedModel
from tools.core.errors import StoreError
from tools.services.weather import SampleWeather

pytestmark = pytest.mark.graph

Opening = Callable[..., AbstractAsyncContextManager[Any]]


class Weather(SampleWeather):
    """Says when it is closed."""

    def __init__(self, closed: list[str]) -> None:
        super().__init__([])
        self._closed = closed

    async def aclose(self) -> None:
        self._closed.append("weather")


def models_of(closed: list[str]) -> Models:
    async def close() -> None:
        closed.append("models")

    return Models(ScriptedModel(), ScriptedModel(), (close,))


@pytest.mark.parametrize("opening", [open_planner, open_deliberation])
async def test_everything_is_closed_at_the_end(tmp_path: Path, opening: Opening) -> None:
    closed: list[str] = []
    settings = Settings(database=str(tmp_path / "p.db"), timezone="Asia/Shanghai")
    async with opening(settings, models=models_of(closed), weather=Weather(closed)) as made:
        assert (closed, made.settings) == ([], settings)
    assert sorted(closed) == ["models", "weather"]


@pytest.mark.parametrize("opening", [open_planner, open_deliberation])
async def test_no_line_stays_open_when_the_database_cannot_be_used(tmp_path: Path, opening: Opening) -> None:
    closed: list[str] = []
    settings = Settings(database=str(tmp_path), timezone="Asia/Shanghai")
    with pytest.raises(StoreError):
        async with opening(settings, models=models_of(closed), weather=Weather(closed)):
            pass
    assert sorted(closed) == ["models", "weather"]
