"""Tools as models see them: names, arguments, four-part descriptions, results (A08-A11, A16-A18, A20, A23, A34)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from tests.support.builders import SATURDAY, at, call, counts, opened, reminded, stored, task, use
from tools.core.errors import ToolArgumentError
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import LANGUAGES, Language, catalogue
from tools.services.calendar import CalendarService
from tools.services.forecasts import WeatherService
from tools.services.notifications import NotificationService
from tools.services.tasks import TaskService
from tools.services.weather import SampleWeather
from tools.store.database import Database
from tools.toolkits.ask_user import ask_user_tool
from tools.toolkits.calendar import calendar_tools
from tools.toolkits.making import PARTS
from tools.toolkits.notes import list_notes, ls_tool, query_note_tool, read_note
from tools.toolkits.notification import notification_tools
from tools.toolkits.task import task_tools
from tools.toolkits.todos import todo_tools
from tools.toolkits.variables import value_tools
from tools.toolkits.weather import weather_tools

pytestmark = pytest.mark.unit


def domain_tools(database: Database | None, language: Language) -> list[BaseTool]:
    """All tools with code; without a database only to be looked at."""
    place: Any = database
    return [
        *task_tools(TaskService(place), language),
        *calendar_tools(CalendarService(place), language),
        *weather_tools(WeatherService(SampleWeather([])), language),
        *notification_tools(NotificationService(place, lambda line: None), language),
    ]


def state_tools(language: Language) -> list[dict[str, Any]]:
    return [
        *todo_tools(language),
        ls_tool(language),
        query_note_tool(language),
        ask_user_tool(language),
        *value_tools(language),
    ]


@cache
def schemas(language: Language = "zh") -> dict[str, dict[str, Any]]:
    """What goes to a model, by name."""
    tools = [convert_to_openai_tool(tool) for tool in [*domain_tools(None, language), *state_tools(language)]]
    return {tool["function"]["name"]: tool["function"] for tool in tools}


TIMES = {"due_date", "start_time", "end_time", "time_segment", "priority", "group_id", "description"}
REFERENCE = {"task_id", "title", "on_date"}
#: Names of all arguments, and of those that must be given.
ARGUMENTS: dict[str, tuple[set[str], set[str]]] = {
    "create_task": ({"title", "repeat", *TIMES}, {"title"}),
    "query_tasks": ({"status", "due_date", "priority"}, set()),
    "modify_task": ({*REFERENCE, "everything", "whole_series", "new_title", "repeat", *TIMES}, set()),
    "finish_task": (REFERENCE | {"everything", "whole_series"}, set()),
    "remove_task": (REFERENCE | {"everything", "whole_series"}, set()),
    "get_day_schedule": ({"date"}, set()),
    "find_free_slots": ({"date", "start_hour", "end_hour"}, set()),
    "get_weather": ({"city", "date"}, set()),
    "schedule_reminder": ({"task_id", "task_title", "task_date", "task_time", "weather_info", "remind_at"}, set()),
    "list_reminders": ({"date"}, set()),
    "cancel_reminder": ({"reminder_id", "task_title"}, set()),
    "write_todo": ({"todos"}, {"todos"}),
    "update_todo": ({"changes", "add"}, set()),
    "ls": (set(), set()),
    "query_note": ({"name"}, {"name"}),
    "ask_user": ({"question", "choices"}, {"question"}),
    "val_set": ({"key", "value"}, {"key", "value"}),
    "val_get": ({"key"}, {"key"}),
    "val_list": (set(), set()),
}


def test_there_are_these_tools_and_no_others() -> None:
    assert set(schemas("zh")) == set(schemas("en")) == set(ARGUMENTS)
    assert all(set(catalogue(language, "tools")) == set(ARGUMENTS) for language in LANGUAGES)


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_arguments(name: str, language: Language) -> None:
    shape = schemas(language)[name]["parameters"]
    names, required = ARGUMENTS[name]
    assert set(shape.get("properties", {})) == names
    assert set(shape.get("required", ())) == required


def test_no_model_may_name_the_user_force_a_rule_or_see_the_call() -> None:
    for name, shape in schemas().items():
        for hidden in ("force", "user", "permit", "override", "operation"):
            assert hidden not in str(shape["parameters"].get("properties", {})).lower(), name
        assert "call" not in shape["parameters"].get("properties", {}), name


OPENINGS: dict[Language, tuple[str, ...]] = {
    "zh": ("适用：", "会自动：", "不适用：", "参数："),
    "en": ("Fits:", "Does by itself:", "Not for:", "Arguments:"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_description_has_four_parts(name: str, language: Language) -> None:
    lines = schemas(language)[name]["description"].splitlines()
    assert len(lines) == len(PARTS) == 4
    for line, opening in zip(lines, OPENINGS[language], strict=True):
        assert line.startswith(opening)
        assert len(line) > len(opening)
    told = [argument for argument in ARGUMENTS[name][0] if argument in lines[3]]
    assert told or name in ("ls", "val_list")
    assert ARGUMENTS[name][1] <= set(told)


USES: dict[str, dict[str, Any]] = {
    "create_task": {"title": "写周报", "due_date": "明天"},
    "query_tasks": {},
    "modify_task": {"task_id": 1, "due_date": "周日"},
    "finish_task": {"task_id": 1},
    "remove_task": {"task_id": 1},
    "get_day_schedule": {},
    "find_free_slots": {"date": "明天"},
    "get_weather": {"city": "北京"},
    "schedule_reminder": {"task_id": 1},
    "list_reminders": {},
    "cancel_reminder": {"reminder_id": 1},
}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(tmp_path) as database:
        (row,) = await stored(database, task("去机场接人", "morning", day=SATURDAY))
        await reminded(database, row, at("02-12 20:00"))
        yield database


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_tool_answers_with_a_tool_result(database: Database, name: str, language: Language) -> None:
    result = await use(domain_tools(database, language), name, call(language), **USES[name])
    assert result.status == ("error" if name == "get_weather" else "success")
    assert result.message
    assert "{" not in result.message
    assert ToolResult.model_validate_json(result.model_dump_json()) == result


@pytest.mark.parametrize("name", sorted(USES.keys() - {"create_task"}))
async def test_nothing_of_another_user_is_found(database: Database, name: str) -> None:
    """The same answer as for a number and a title that nobody has (P15)."""
    tools, before = domain_tools(database, "zh"), await counts(database)
    nobodys = {key: 999 for key in ("task_id", "reminder_id") if key in USES[name]}
    foreign = await use(tools, name, call(user=2), **USES[name])
    assert foreign == await use(tools, name, call(user=2), **{**USES[name], **nobodys})
    assert "接人" not in foreign.model_dump_json()
    if {"title", "task_id"} <= ARGUMENTS[name][0]:
        rest = {key: value for key, value in USES[name].items() if key != "task_id"}
        titled = await use(tools, name, call(user=2), **rest, title="去机场接人")
        assert (titled.status, titled.message) == ("error", "未找到匹配任务「去机场接人」。")
    assert await counts(database) == before


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_task", {}),
        ("create_task", {"title": "x", "force": True}),
        ("create_task", {"title": "x", "user_id": 2}),
        ("create_task", {"title": "x", "time_segment": "teatime"}),
        ("create_task", {"title": "x", "priority": "urgent"}),
        ("create_task", {"title": ["x"]}),
        ("query_tasks", {"status": "done"}),
        ("find_free_slots", {"start_hour": 25}),
        ("find_free_slots", {"end_hour": 0}),
        ("cancel_reminder", {}),
        ("cancel_reminder", {"reminder_id": "the first"}),
        ("get_weather", {"place": "北京"}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(database: Database, name: str, arguments: dict[str, Any]) -> None:
    before = await counts(database)
    with pytest.raises((ValidationError, ToolArgumentError)):
        await use(domain_tools(database, "zh"), name, call(), **arguments)
    assert await counts(database) == before


def test_a_result_for_a_model_leaves_out_what_is_empty_and_shows_choices_by_label() -> None:
    choice = Choice(id="yes", label="还是要建", arguments={"due_date": "2026-02-14"}, permit=True)
    result = ToolResult(status=ResultStatus.CONFLICT, message="冲突", choices=[choice])
    assert result.for_model() == '{"status": "conflict", "message": "冲突", "choices": ["还是要建"]}'
    assert "permit" not in result.for_model()
    assert result.asks
    assert not ToolResult(status=ResultStatus.ERROR, message="x").asks


@pytest.mark.parametrize(("language", "missing"), [("zh", "未找到笔记名称"), ("en", "No note of that name")])
def test_notes_are_listed_and_read(language: Language, missing: str) -> None:
    notes = {"r1/t1": "明天有雨", "r1/t2": "b"}
    assert list_notes(notes) == '["r1/t1", "r1/t2"]'
    assert read_note(notes, "r1/t1", language) == "明天有雨"
    assert read_note(notes, "r9/t9", language) == missing
