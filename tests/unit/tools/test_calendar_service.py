"""Looking at tasks and days: the calendar and the list: seed tables 6.2.3, 6.2.4 (A09, A17-A19, P8, P11, P21)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.builders import (
    SATURDAY,
    TOMORROW,
    at,
    call,
    counts,
    stored,
    task,
    use,
)
from tools.core.errors import ToolArgumentError
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.domain.tasks import Task
from tools.services.calendar import CalendarService
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.toolkits.calendar import calendar_tools
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit


async def look(
    database: Database, name: str, language: Language = "zh", now: str = "10:00", **arguments: Any
) -> ToolResult:
    tools = [*calendar_tools(CalendarService(database), language), *task_tools(TaskService(database), language)]
    result = await use(tools, name, call(language, now=at(now)), **arguments)
    assert not re.search(r"\d{4}-\d{2}-\d{2}|task:\d|None|\{", result.message), result.message
    assert result.status == "success"
    assert (await counts(database))["effects"] == 0
    return result


async def test_a_day_of_three_is_a_sorted_timeline(database: Database) -> None:
    made = await stored(
        database,
        task("健身", "19:00-20:00", day=TOMORROW),
        task("早会", "09:00-09:30", day=TOMORROW),
        task("看牙医", "14:00", day=TOMORROW),
        task("别的日子", "09:00", day=SATURDAY),
        task("秘密", "09:00", day=TOMORROW, user_id=2),
        task("做完了", "09:00", day=TOMORROW, status="completed"),
    )
    result = await look(database, "get_day_schedule", date="2026-02-12")
    assert result.message == (
        "明天周四（2月12日）有 3 项安排：09:00-09:30「早会」；14:00「看牙医」；19:00-20:00「健身」。"
    )
    assert [(each["title"], each["start_time"]) for each in result.data["timeline"]] == [
        ("早会", "09:00"),
        ("看牙医", "14:00"),
        ("健身", "19:00"),
    ]
    assert result.rows == [f"task:{made[n].id}" for n in (1, 2, 0)]
    english = await look(database, "get_day_schedule", "en", date="tomorrow")
    assert english.message == (
        "tomorrow, Thursday (12 February) holds 3: 09:00-09:30 “早会”; 14:00 “看牙医”; 19:00-20:00 “健身”."
    )


async def test_an_untimed_task_stands_where_its_part_of_the_day_begins(database: Database) -> None:
    await stored(database, task("看牙医", "14:00"), task("跑步", "forenoon"), task("买菜", "evening"))
    result = await look(database, "get_day_schedule", now="05:00", date="今天")
    assert [each["title"] for each in result.data["timeline"]] == ["跑步", "看牙医", "买菜"]


EMPTY: dict[str, tuple[Language, dict[str, Any], str]] = {
    "6.2.4 a day without tasks, zh": ("zh", {"date": "明天"}, "明天周四（2月12日）当天没有安排。"),
    "6.2.4 a day without tasks, en": (
        "en",
        {"date": "tomorrow"},
        "Nothing is planned on tomorrow, Thursday (12 February).",
    ),
    "P16 no date is today": ("zh", {}, "今天周三（2月11日）当天没有安排。"),
}


@pytest.mark.parametrize(("language", "arguments", "message"), EMPTY.values(), ids=EMPTY)
async def test_an_empty_day(database: Database, language: Language, arguments: dict[str, Any], message: str) -> None:
    result = await look(database, "get_day_schedule", language, **arguments)
    assert (result.message, result.data["timeline"], result.rows) == (message, [], [])


def tomorrow(*spans: str, **fields: Any) -> list[Task]:
    return [task(f"事{n}", span, day=TOMORROW, **fields) for n, span in enumerate(spans)]


FREE: dict[str, tuple[list[Task], Language, dict[str, Any], list[str], str]] = {
    "6.2.4 two tasks leave three gaps, zh": (
        tomorrow("10:00-11:00", "14:00-15:30"),
        "zh",
        {"date": "明天"},
        ["09:00-10:00", "11:00-14:00", "15:30-18:00"],
        "明天周四（2月12日）有 3 段空闲时间：09:00-10:00、11:00-14:00、15:30-18:00。",
    ),
    "6.2.4 two tasks leave three gaps, en": (
        tomorrow("10:00-11:00", "14:00-15:30"),
        "en",
        {"date": "tomorrow"},
        ["09:00-10:00", "11:00-14:00", "15:30-18:00"],
        "tomorrow, Thursday (12 February): 3 free slots, 09:00-10:00, 11:00-14:00, 15:30-18:00.",
    ),
    "4.2 the afternoon is 14 to 18": (
        tomorrow("15:30-16:00"),
        "zh",
        {"date": "明天下午"},
        ["14:00-15:30", "16:00-18:00"],
        "明天周四（2月12日）下午有 2 段空闲时间：14:00-15:30、16:00-18:00。",
    ),
    "4.2 as the sample calls it": (
        tomorrow("15:30-16:00"),
        "zh",
        {"date": "2026-02-12", "start_hour": 14, "end_hour": 18},
        ["14:00-15:30", "16:00-18:00"],
        "明天周四（2月12日）有 2 段空闲时间：14:00-15:30、16:00-18:00。",
    ),
    "6.2.4 a full day, zh": (tomorrow("08:00-19:00"), "zh", {"date": "明天"}, [], "当天没有空闲时间。"),
    "6.2.4 a full day, en": (
        tomorrow("08:00-13:00", "13:00-18:00"),
        "en",
        {"date": "tomorrow"},
        [],
        "tomorrow, Thursday (12 February): no free time.",
    ),
    "an assumed hour blocks": (tomorrow("10:00"), "zh", {"date": "明天"}, ["09:00-10:00", "11:00-18:00"], ""),
    "yesterday's night reaches in": (
        [task("值班", "22:00-10:00")],
        "zh",
        {"date": "明天"},
        ["10:00-18:00"],
        "明天周四（2月12日）有 1 段空闲时间：10:00-18:00。",
    ),
    "P11 untimed does not block, but is mentioned": (
        tomorrow("all_day"),
        "zh",
        {"date": "明天"},
        ["09:00-18:00"],
        "明天周四（2月12日）都有空：09:00-18:00。另有未定时间的：「事0」。",
    ),
    "P11 what the user called all day blocks": (tomorrow("all_day", blocks_day=True), "zh", {"date": "明天"}, [], ""),
    "done and foreign tasks do not block": (
        [*tomorrow("10:00-11:00", status="completed"), *tomorrow("12:00-13:00", user_id=2)],
        "zh",
        {"date": "明天"},
        ["09:00-18:00"],
        "",
    ),
    "P11 today starts now": ([], "zh", {"date": "今天"}, ["10:00-18:00"], ""),
}


@pytest.mark.parametrize(("tasks", "language", "arguments", "slots", "message"), FREE.values(), ids=FREE)
async def test_free_slots(
    database: Database, tasks: list[Task], language: Language, arguments: dict[str, Any], slots: list[str], message: str
) -> None:
    await stored(database, *tasks)
    result = await look(database, "find_free_slots", language, **arguments)
    assert result.data["free_slots"] == slots
    assert message in result.message


async def test_a_time_that_is_over_is_said_so(database: Database) -> None:
    for date in ("昨天", "今天早上"):
        result = await look(database, "find_free_slots", date=date)
        assert (result.data["free_slots"], result.message[-10:]) == ([], "这段时间已经过去了。")


async def test_both_days_of_a_weekend(database: Database) -> None:
    await stored(database, task("爬山", "09:00-12:00", day=SATURDAY))
    result = await look(database, "find_free_slots", date="周末")
    assert result.data == {"free_slots_by_date": {"2026-02-14": ["12:00-18:00"], "2026-02-15": ["09:00-18:00"]}}
    assert "周六（2月14日）" in result.message
    assert "周日（2月15日）" in result.message
    schedule = await look(database, "get_day_schedule", date="周末")
    assert schedule.message.endswith("有 1 项安排：周六（2月14日）09:00-12:00「爬山」。")


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "6.2.4 no such date": ("get_day_schedule", {"date": "2026-02-30"}, "bad_time"),
    "6.2.4 words that are no date": ("find_free_slots", {"date": "蓝色"}, "bad_time"),
    "a day is enough": ("get_day_schedule", {"date": "2月"}, "too_many_days"),
    "hours the wrong way round": ("find_free_slots", {"date": "明天", "start_hour": 18, "end_hour": 9}, "bad_hours"),
}


@pytest.mark.parametrize(("tool", "arguments", "key"), BAD.values(), ids=BAD)
async def test_what_is_no_day(database: Database, tool: str, arguments: dict[str, Any], key: str) -> None:
    with pytest.raises(ToolArgumentError) as refused:
        await look(database, tool, **arguments)
    assert refused.value.key == key
    assert refused.value.message("zh") != refused.value.message("en")


LISTS: dict[str, tuple[Language, dict[str, Any], list[str], str]] = {
    "6.2.3 of a date, zh": (
        "zh",
        {"due_date": "2026-02-11"},
        ["早会", "午饭", "写信"],
        "今天周三（2月11日）有 3 项安排：11:00「早会」；12:30「午饭」；下午「写信」（已完成）。",
    ),
    "6.2.3 of a date, en": (
        "en",
        {"due_date": "today"},
        ["早会", "午饭", "写信"],
        "today, Wednesday (11 February) holds 3: 11:00 “早会”; 12:30 “午饭”; afternoon “写信” (done).",
    ),
    "all open ones": (
        "zh",
        {},
        ["早会", "午饭", "爬山"],
        "找到 3 项任务：今天周三（2月11日）11:00「早会」；今天周三（2月11日）12:30「午饭」；周六（2月14日）「爬山」。",
    ),
    "completed": (
        "zh",
        {"status": "completed"},
        ["写信"],
        "找到 1 项任务：今天周三（2月11日）下午「写信」（已完成）。",
    ),
    "cancelled": (
        "zh",
        {"status": "cancelled"},
        ["旧事"],
        "找到 1 项任务：今天周三（2月11日）晚上「旧事」（已取消）。",
    ),
    "by priority": ("zh", {"priority": "high"}, ["爬山"], "找到 1 项任务：周六（2月14日）「爬山」。"),
    "both days of the weekend": (
        "zh",
        {"due_date": "周末"},
        ["爬山"],
        "周六（2月14日）到周日（2月15日）有 1 项安排：周六（2月14日）「爬山」。",
    ),
    "none, zh": ("zh", {"due_date": "明天"}, [], "明天周四（2月12日）没有任务。"),
    "none, en": ("en", {"due_date": "tomorrow"}, [], "There are no tasks on tomorrow, Thursday (12 February)."),
    "nothing of the kind": ("en", {"status": "completed", "priority": "low"}, [], "No tasks found."),
}


@pytest.mark.parametrize(("language", "arguments", "titles", "message"), LISTS.values(), ids=LISTS)
async def test_query(
    database: Database, language: Language, arguments: dict[str, Any], titles: list[str], message: str
) -> None:
    made = await stored(
        database,
        task("爬山", day=SATURDAY, priority="high"),
        task("午饭", "12:30"),
        task("写信", "afternoon", status="completed"),
        task("旧事", "evening", status="cancelled"),
        task("早会", "11:00"),
        task("别人的事", "11:00", user_id=2, priority="high"),
    )
    ids = {each.title: each.id for each in made}
    result = await look(database, "query_tasks", language, **arguments)
    assert [each["title"] for each in result.data["tasks"]] == titles
    assert result.rows == [f"task:{ids[title]}" for title in titles]
    assert result.message == message


async def test_a_long_list_is_cut_and_counted(database: Database) -> None:
    await stored(database, *(task(f"事{n}", "15:00") for n in range(14)))
    result = await look(database, "query_tasks", due_date="今天")
    assert result.message.endswith("等 14 项。")
    assert result.message.count("「") == 12
    assert len(result.data["tasks"]) == 14
