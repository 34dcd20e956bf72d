"""Making a task: the create rows of seed table 6.2.3, both languages (A08, A12, A40-A42, P3, P5, P15, P16)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import (
    NOW,
    SATURDAY,
    TODAY,
    TOMORROW,
    at,
    call,
    completed,
    counts,
    opened,
    picked,
    stored,
    task,
    tasks_of,
    use,
)
from tools.core.errors import ToolArgumentError
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.calendar import CalendarService
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.store.tables import GroupRow
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit

Tools = Sequence[BaseTool]


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(tmp_path) as database:
        yield database


@pytest.fixture
def tools(database: Database) -> Tools:
    return task_tools(TaskService(database), "zh")


def speaks_plainly(result: ToolResult) -> None:
    """No ISO date and no row number in a message (P21)."""
    assert not re.search(r"\d{4}-\d{2}-\d{2}|task:\d|None|\{", result.message), result.message


CREATED: dict[str, tuple[Language, dict[str, Any], str, dict[str, Any]]] = {
    "6.2.3 all parameters, zh": (
        "zh",
        {
            "title": "项目评审",
            "due_date": "2026-02-13",
            "start_time": "14:00",
            "end_time": "15:30",
            "priority": "high",
            "description": "带上图纸",
        },
        "已创建高优先级任务「项目评审」：周五（2月13日）14:00-15:30。",
        {"date": "2026-02-13", "start_time": "14:00", "end_time": "15:30", "time_segment": "afternoon"},
    ),
    "6.2.3 all parameters, en": (
        "en",
        {
            "title": "design review",
            "due_date": "2026-02-13",
            "start_time": "14:00",
            "end_time": "15:30",
            "priority": "high",
            "description": "bring the drawings",
        },
        "Created the high-priority task “design review”: Friday (13 February), 14:00-15:30.",
        {"date": "2026-02-13", "start_time": "14:00", "end_time": "15:30", "time_segment": "afternoon"},
    ),
    "6.2.3 no time, a later day, zh": (
        "zh",
        {"title": "买菜", "due_date": "明天"},
        "已创建任务「买菜」：明天周四（2月12日）。",
        {"date": "2026-02-12", "time_segment": "all_day"},
    ),
    "6.2.3 no time, a later day, en": (
        "en",
        {"title": "buy milk", "due_date": "tomorrow"},
        "Created the task “buy milk”: tomorrow, Thursday (12 February).",
        {"date": "2026-02-12", "time_segment": "all_day"},
    ),
    "P16 no date is today, and is said, zh": (
        "zh",
        {"title": "买菜"},
        "已创建任务「买菜」：今天周三（2月11日）。没说日期，按今天算。",
        {"date": "2026-02-11", "time_segment": "all_day"},
    ),
    "P16 no date is today, and is said, en": (
        "en",
        {"title": "buy milk", "start_time": "15:00"},
        "Created the task “buy milk”: today, Wednesday (11 February), 15:00. You named no date, so I took today.",
        {"date": "2026-02-11", "start_time": "15:00", "time_segment": "afternoon"},
    ),
    "words for all: the weekend, early": (
        "zh",
        {"title": "去机场接人", "due_date": "周末早上"},
        "已创建任务「去机场接人」：周六（2月14日）早上。",
        {"date": "2026-02-14", "time_segment": "morning"},
    ),
    "words for all: a range": (
        "en",
        {"title": "lunch with Ann", "due_date": "next Friday 12 to 1:30pm"},
        "Created the task “lunch with Ann”: Friday (20 February), 12:00-13:30.",
        {"date": "2026-02-20", "start_time": "12:00", "end_time": "13:30", "time_segment": "noon"},
    ),
    "across midnight": (
        "zh",
        {"title": "值班", "due_date": "2026-02-13", "start_time": "22:00", "end_time": "02:00"},
        "已创建任务「值班」：周五（2月13日）22:00-次日02:00。",
        {"date": "2026-02-13", "start_time": "22:00", "end_time": "02:00", "time_segment": "evening"},
    ),
}


@pytest.mark.parametrize(("language", "arguments", "message", "expected"), CREATED.values(), ids=CREATED)
async def test_create(
    database: Database, language: Language, arguments: dict[str, Any], message: str, expected: dict[str, Any]
) -> None:
    tools = task_tools(TaskService(database), language)
    result = await use(tools, "create_task", call(language), **arguments)
    (row,) = await tasks_of(database)
    assert (result.status, result.rows) == ("success", [f"task:{row.id}"])
    assert result.task is not None
    told = result.task.model_dump(exclude_none=True)
    assert told == expected | {
        "id": row.id,
        "title": arguments["title"],
        "priority": arguments.get("priority", "medium"),
        "status": "pending",
    } | ({"description": arguments["description"]} if "description" in arguments else {})
    assert row.date.isoformat() == expected["date"]
    speaks_plainly(result)
    assert result.message == message


async def test_evening_is_the_default_of_an_evening(tools: Tools) -> None:
    result = await use(tools, "create_task", call(now=at("20:00")), title="洗衣服")
    assert (result.status, result.task and result.task.time_segment) == ("success", "evening")


async def test_a_group_by_name_or_number(database: Database, tools: Tools) -> None:
    async with database.writing() as session:
        session.add_all([GroupRow(id=1, user_id=1, name="工作"), GroupRow(id=2, user_id=2, name="秘密")])
    by_name = await use(tools, "create_task", call(), title="写周报", group_id="工作")
    by_number = await use(tools, "create_task", call(), title="浇花", group_id=1)
    assert [result.task and result.task.group_id for result in (by_name, by_number)] == [1, 1]
    for foreign in ("秘密", 2, "没有"):
        with pytest.raises(ToolArgumentError) as refused:
            await use(tools, "create_task", call(), title="看书", group_id=foreign)
        assert "工作" in refused.value.message("zh")
        assert refused.value.message("zh").count("秘密") == (foreign == "秘密")


async def test_same_title_conflicts(database: Database, tools: Tools) -> None:
    (other,) = await stored(database, task("取快递", "15:00-15:30", day=TOMORROW))
    arguments = {"title": "拿快递", "due_date": "明天"}
    result = await use(tools, "create_task", call(), **arguments)
    assert result.status == "conflict"
    assert [each.id for each in result.conflicting_tasks] == [other.id]
    assert "「取快递」" in result.message
    assert result.message.endswith("还要创建「拿快递」吗？")
    assert [choice.id for choice in result.choices] == ["yes", "no"]
    await use(tools, "create_task", call(permitted=True), **completed(arguments, picked(result, "yes")))
    assert {row.title for row in await tasks_of(database)} == {"取快递", "拿快递"}


TIME_CONFLICT: dict[Language, list[str]] = {
    "zh": ["「写周报」（明天周四（2月12日）14:30-15:30）", "「开会」（", "时间冲突", "09:00-10:30", "还要创建吗？"],
    "en": ["“写周报” (tomorrow, Thursday (12 February), 14:30-15:30)", "“开会” (", "09:00-10:30", "anyway?"],
}


@pytest.mark.parametrize(("language", "said"), TIME_CONFLICT.items())
async def test_time_conflict_names_the_other_and_offers_slots(
    database: Database, tools: Tools, language: Language, said: list[str]
) -> None:
    await stored(database, task("开会", "14:00-15:00", day=TOMORROW), task("看牙医", "10:30-13:30", day=TOMORROW))
    arguments = {"title": "写周报", "due_date": "2026-02-12", "start_time": "14:30", "end_time": "15:30"}
    result = await use(tools, "create_task", call(language), **arguments)
    assert result.status == "conflict"
    assert [each.title for each in result.conflicting_tasks] == ["开会"]
    assert [part for part in said if part not in result.message] == []
    assert [choice.id for choice in result.choices] == ["yes", "09:00-10:00", "15:00-16:00", "no"]
    speaks_plainly(result)
    later = call(language, now=NOW + timedelta(hours=15))
    made = await use(tools, "create_task", later, **completed(arguments, picked(result, "15:00-16:00")))
    assert made.task is not None
    assert (made.task.date, made.task.start_time, made.task.end_time) == ("2026-02-12", "15:00", "16:00")


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_start_within_another_task_is_asked_about(database: Database, tools: Tools, language: Language) -> None:
    """P5: a task without an end begins while the other is going on; a slot that is picked gives it no end."""
    await stored(database, task("客户拜访", "15:00-16:00", day=TOMORROW))
    arguments = {"title": "去验房", "due_date": "2026-02-12", "start_time": "15:30"}
    asked = await use(tools, "create_task", call(language), **arguments)
    assert (asked.status, [each.title for each in asked.conflicting_tasks]) == ("conflict", ["客户拜访"])
    assert [choice.id for choice in asked.choices] == ["yes", "09:00", "16:00", "no"]
    made = await use(tools, "create_task", call(language), **completed(arguments, picked(asked, "16:00")))
    assert made.task is not None
    assert (made.task.start_time, made.task.end_time) == ("16:00", None)


async def test_a_yes_given_on_a_later_day_still_means_the_same_date(database: Database, tools: Tools) -> None:
    await stored(database, task("开会", "14:00-15:00", day=SATURDAY))
    arguments = {"title": "写周报", "due_date": "周六下午两点到三点"}
    asked = await use(tools, "create_task", call(), **arguments)
    later = call(now=NOW + timedelta(days=2), permitted=True)
    made = await use(tools, "create_task", later, **completed(arguments, picked(asked, "yes")))
    assert made.task is not None
    assert (made.task.date, made.task.start_time, made.task.end_time) == ("2026-02-14", "14:00", "15:00")


async def test_a_slot_that_was_picked_decides_the_part_of_the_day(database: Database, tools: Tools) -> None:
    await stored(database, task("开会", "09:00-12:00", day=TOMORROW))
    arguments = {"title": "写周报", "due_date": "明天", "start_time": "9:00", "end_time": "10:00"}
    asked = await use(tools, "create_task", call(), **arguments, time_segment="forenoon")
    choice = picked(asked, "12:00-13:00")
    made = await use(tools, "create_task", call(), **completed({**arguments, "time_segment": "forenoon"}, choice))
    assert made.task is not None
    assert (made.task.start_time, made.task.time_segment) == ("12:00", "noon")


async def test_a_yes_does_not_make_an_untimed_task_block_its_day(database: Database, tools: Tools) -> None:
    await stored(database, task("买菜", day=TOMORROW))
    arguments = {"title": "去买菜", "due_date": "明天"}
    asked = await use(tools, "create_task", call(), **arguments)
    await use(tools, "create_task", call(permitted=True), **completed(arguments, picked(asked, "yes")))
    assert [row.blocks_day for row in await tasks_of(database)] == [False, False]
    free = await CalendarService(database).free_slots(call(), "明天")
    assert free.data["free_slots"] == ["09:00-18:00"]


async def test_conflicts_reach_across_midnight(database: Database, tools: Tools) -> None:
    await stored(database, task("值班", "22:00-02:00", day=TODAY))
    arguments = {"title": "看球", "due_date": "2026-02-12", "start_time": "01:00", "end_time": "03:00"}
    result = await use(tools, "create_task", call(), **arguments)
    assert (result.status, [each.title for each in result.conflicting_tasks]) == ("conflict", ["值班"])


async def test_an_assumed_end_only_mentions_the_neighbour(database: Database, tools: Tools) -> None:
    await stored(database, task("开会", "14:00-15:00", day=TOMORROW))
    result = await use(tools, "create_task", call(), title="写周报", due_date="明天", start_time="13:30")
    assert result.status == "success"
    assert result.message.endswith("同一时间前后还有「开会」（14:00-15:00），留意一下。")


OTHERS = [(2, "pending", TOMORROW), (1, "completed", TOMORROW), (1, "pending", SATURDAY)]


@pytest.mark.parametrize(("user", "status", "day"), OTHERS)
async def test_what_is_no_conflict(database: Database, tools: Tools, user: int, status: str, day: Any) -> None:
    await stored(database, task("写周报", "14:00-15:00", day=day, user_id=user, status=status))
    arguments = {"title": "写周报", "due_date": "明天", "start_time": "14:00", "end_time": "15:00"}
    assert (await use(tools, "create_task", call(), **arguments)).status == "success"


TITLES = {
    "NUL": ("买\0菜", "买菜"),
    "a lone surrogate": ("买\ud83d菜", "买菜"),
    "blanks": ("  买   菜\n", "买 菜"),
    "the longest": ("事" * 300, "事" * 300),
    "quotes and holes": ("'; DROP TABLE tasks; -- {title} %s", "'; DROP TABLE tasks; -- {title} %s"),
}


@pytest.mark.parametrize(("title", "kept"), TITLES.values(), ids=TITLES)
async def test_titles_are_data(database: Database, tools: Tools, title: str, kept: str) -> None:
    result = await use(tools, "create_task", call(), title=title, due_date="明天")
    assert [row.title for row in await tasks_of(database)] == [kept]
    assert f"「{kept}」" in result.message


@pytest.mark.parametrize("description", ["图\0纸", "图\ud800纸"])
async def test_descriptions_are_cleaned_like_titles(database: Database, tools: Tools, description: str) -> None:
    await use(tools, "create_task", call(), title="评审", due_date="明天", description=description)
    assert [row.description for row in await tasks_of(database)] == ["图纸"]


REFUSED = {
    "an empty title": ({"title": ""}, "blank_title"),
    "a title too long": ({"title": "事" * 301}, "long_title"),
    "30 February": ({"title": "开会", "due_date": "2026-02-30"}, "bad_time"),
    "no date at all": ({"title": "开会", "due_date": "蓝色"}, "bad_time"),
}


@pytest.mark.parametrize(("arguments", "key"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_a_task_is_told_to_the_model(
    database: Database, tools: Tools, arguments: dict[str, Any], key: str
) -> None:
    with pytest.raises(ToolArgumentError) as refused:
        await use(tools, "create_task", call(), **arguments)
    assert refused.value.key == key
    assert refused.value.message("zh") != refused.value.message("en")
    assert not any((await counts(database)).values())


@pytest.mark.parametrize("name", ["工作", "工作组", "工作分组", " 工作 ", "5", "工作清单"])
async def test_a_group_is_known_by_its_name_whatever_it_is_called(database: Database, tools: Tools, name: str) -> None:
    async with database.writing() as session:
        session.add(GroupRow(id=5, user_id=1, name="工作"))
    result = await use(tools, "create_task", call(), title="写周报", group_id=name)
    assert result.task is not None
    assert result.task.group_id == 5
