"""What is known of the days that a question names (seed 002, section 4.1; P3, P16)."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support import builders
from tests.support.builders import SATURDAY
from tools.domain.tasks import Task
from tools.services.calendar import CalendarService
from tools.services.day_facts import DayFacts, days_named
from tools.services.forecasts import WeatherService
from tools.services.weather import SampleWeather
from tools.services.weather.sample_rows import SampleRow

pytestmark = pytest.mark.unit

SUNDAY = date(2026, 2, 15)


async def facts(folder: Path, *tasks: Task, words: str = "周六搬家好吗", city: str | None = "北京") -> dict[str, Any]:
    """The facts of one day, by kind."""
    rows = [SampleRow(city="北京", date=SATURDAY, condition="大雪", temp_min=-12, temp_max=-3)]
    async with builders.opened(folder) as database:
        await builders.stored(database, *tasks)
        source = DayFacts(CalendarService(database), WeatherService(SampleWeather(rows)))
        return {fact["kind"]: fact for fact in await source.of(builders.call(city=city), words)}


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("周六搬家好吗", [SATURDAY]),
        ("周末搬家好吗", [SATURDAY, SUNDAY]),
        ("周日还是周六", [SATURDAY, SUNDAY]),
        ("下周搬家好吗", [date(2026, 2, 16), date(2026, 2, 17), date(2026, 2, 18)]),
        ("昨天该不该去", []),
        ("该不该换工作", []),
        ("三点去好吗", []),
    ],
)
def test_the_days_that_are_named(words: str, days: list[date]) -> None:
    assert days_named(words, builders.context()) == days


async def test_tasks_that_overlap_are_counted_once_and_told(tmp_path: Path) -> None:
    told = await facts(
        tmp_path,
        builders.task("体检", "09:00-11:00", day=SATURDAY, priority="high"),
        builders.task("看房", "10:30-12:00", day=SATURDAY),
        builders.task("买菜", "evening", day=SATURDAY),
    )
    assert told["load"]["data"] == {"tasks": 3, "busy_minutes": 180, "high": 1, "whole_day": False}
    assert "3 小时" in told["load"]["message"]
    assert told["conflict"]["data"] == {"count": 1}
    assert told["free"]["data"] == {"minutes": 360, "longest": 360, "slots": ["12:00-18:00"]}


async def test_an_empty_day_has_no_conflict_and_all_its_hours(tmp_path: Path) -> None:
    told = await facts(tmp_path)
    assert set(told) == {"load", "free", "weather"}
    assert told["free"]["data"]["minutes"] == 540


async def test_a_task_of_the_whole_day_leaves_no_time(tmp_path: Path) -> None:
    told = await facts(tmp_path, builders.task("培训", "all_day", day=SATURDAY, blocks_day=True))
    assert told["load"]["data"]["whole_day"]
    assert told["free"]["data"]["longest"] == 0


async def test_the_weather_in_signs(tmp_path: Path) -> None:
    told = await facts(tmp_path)
    signs = {"wet": False, "snow": True, "hot": False, "cold": True}
    assert told["weather"]["data"] == {"known": True, "city": "北京", "condition": "大雪", **signs}


async def test_the_weather_is_that_of_the_city_that_the_words_name(tmp_path: Path) -> None:
    """P20: the user's own city is for questions that name none."""
    assert (await facts(tmp_path, city="上海", words="周六在北京搬家好吗"))["weather"]["data"]["condition"] == "大雪"
    told = await facts(tmp_path, words="周六在上海搬家好吗")
    assert (told["weather"]["data"], "上海" in told["weather"]["message"]) == ({"known": False}, True)


@pytest.mark.parametrize(("words", "city"), [("周日搬家好吗", "北京"), ("周六搬家好吗", None)])
async def test_weather_that_is_not_known_is_a_fact_as_well(tmp_path: Path, words: str, city: str | None) -> None:
    told = await facts(tmp_path, words=words, city=city)
    assert told["weather"]["data"] == {"known": False}
    assert told["weather"]["message"]
