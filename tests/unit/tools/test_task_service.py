"""Making a task: the create rows of seed table 6.2.3, both languages (A08, A12, A40-A42, P3, P5, P15, P16)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import (
    at,
    call,
    counts,
    speaks_plainly,
    tasks_of,
    use,
)
from tools.core.errors import ToolArgumentError
from tools.core.text import Language
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.store.tables import GroupRow
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit

Tools = Sequence[BaseTool]


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
