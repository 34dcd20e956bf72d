"""A journey of several days (X19) on the offline model, a real database and sample weather: 下周去杭州玩三天."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from deep_planner.models.rules import OfflineRules
from tests.graph.world import ZONE, World, opened, statuses
from tools.services.weather import SampleWeather
from tools.services.weather.sample_rows import SampleRow

pytestmark = pytest.mark.graph

#: The Monday after the world's Thursday.
MONDAY = date(2026, 2, 16)
SKIES = ("晴", "晴", "多云", "小雨", "晴", "阴", "晴")
REQUEST = "下周去杭州玩三天，帮我安排"


def weather() -> SampleWeather:
    days = [MONDAY + timedelta(days=n) for n in range(len(SKIES))]
    return SampleWeather(
        [
            SampleRow(city="杭州", date=day, condition=sky, temp_min=6, temp_max=14)
            for day, sky in zip(days, SKIES, strict=True)
        ]
    )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path, OfflineRules(), weather()) as world:
        yield world


async def journey_of(world: World) -> dict[str, date]:
    return {task.title: task.date for task in await world.tasks()}


async def test_free_days_are_found_and_everything_hangs_on_them(world: World) -> None:
    await world.has("评审", "15:00", day=date(2026, 2, 17))
    result = await world.run(REQUEST)
    assert (result.status, set(statuses(result).values())) == ("completed", {"completed"})
    assert await journey_of(world) == {
        "评审": date(2026, 2, 17),
        "杭州第1天": date(2026, 2, 18),
        "杭州第2天": date(2026, 2, 19),
        "杭州第3天": date(2026, 2, 20),
        "收拾去杭州的行李": date(2026, 2, 17),
    }
    tasks = {task.title: task for task in await world.tasks()}
    assert all(tasks[f"杭州第{n}天"].blocks_day for n in (1, 2, 3))
    # One of the three days is wet, and no day is warm.
    assert tasks["收拾去杭州的行李"].description == "雨伞、厚外套"
    reminders = {reminder.content: reminder.remind_at.astimezone(ZONE) for reminder in await world.reminders()}
    assert {content: f"{at:%m-%d %H:%M}" for content, at in reminders.items()} == {
        "明天全天杭州第1天": "02-17 20:00",
        "明天收拾去杭州的行李": "02-16 20:00",
    }
    assert all(f"杭州 {day}天气" in result.reply for day in ("周三（2月18日）", "周四（2月19日）", "周五（2月20日）"))


async def test_without_enough_free_days_nothing_is_arranged_and_the_reply_says_why(world: World) -> None:
    for day in (16, 18, 20, 22):
        await world.has(f"评审{day}", "15:00", day=date(2026, 2, day))
    result = await world.run(REQUEST)
    assert (result.status, statuses(result)["t1"]) == ("completed", "completed")
    assert set(list(statuses(result).values())[1:]) == {"skipped"}
    assert (len(await world.tasks()), await world.reminders()) == (4, [])
    assert result.reply.count("没有做") == 1
    assert "那段时间最多连着1天有空，不够3天" in result.reply


async def test_a_longer_one_asks_for_the_weather_of_all_days_at_once(world: World) -> None:
    result = await world.run("下周去杭州玩五天")
    assert [item["subagent"] for item in result.todos] == ["calendar", *["task"] * 5, "weather", "task", "notification"]
    assert all(f"周{day}（2月{n}日）天气" in result.reply for day, n in zip("一二三四五", range(16, 21), strict=True))
    assert {task.title: task.description for task in await world.tasks()}["收拾去杭州的行李"] == "雨伞、厚外套"


async def test_what_is_wanted_on_a_day_is_kept_with_it(world: World) -> None:
    await world.run("下周去杭州玩三天，第二天上午去灵隐寺")
    kept = {task.title: task.description for task in await world.tasks()}
    assert (kept["杭州第2天"], kept["杭州第3天"]) == ("上午去灵隐寺", None)


async def test_days_that_were_named_are_kept_and_what_is_on_is_told(world: World) -> None:
    await world.has("评审", "15:00", day=date(2026, 2, 19))
    result = await world.run("2月18日去杭州玩两天")
    assert (await journey_of(world))["杭州第2天"] == date(2026, 2, 19)
    assert "周四（2月19日）15:00「评审」" in result.reply


async def test_when_to_go_is_asked_for_and_the_answer_may_come_later(world: World) -> None:
    asked = await world.run("我想去杭州玩两天")
    assert asked.question is not None
    assert (asked.status, asked.question.question) == ("waiting", "想什么时候去杭州（2天）？")
    await world.reopen()
    result = await world.answer("下周")
    assert result.status == "completed"
    assert (await journey_of(world))["杭州第1天"] == MONDAY


async def test_weather_that_fails_holds_nothing_up(tmp_path: Path) -> None:
    async with opened(tmp_path, OfflineRules(), SampleWeather([], always_unavailable=True)) as world:
        result = await world.run("plan a 3-day trip to Hangzhou next week")
        assert result.status == "completed"
        assert len(await world.tasks()) == 4
        assert (await journey_of(world))["Hangzhou, day 1"] == MONDAY
        assert sorted(reminder.content for reminder in await world.reminders()) == [
            "Hangzhou, day 1, tomorrow all day",
            "pack for Hangzhou, tomorrow",
        ]
