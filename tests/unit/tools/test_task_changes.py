"""Finding a task and changing, finishing or dropping it: seed table 6.2.3 (A10, A11, A13-A15, P5-P10, P15, P24)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time, timedelta
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
    picked,
    stored,
    task,
    tasks_of,
    use,
)
from tools.core.errors import ToolArgumentError
from tools.core.text import Language
from tools.domain.tasks import Task
from tools.store.database import Database

pytestmark = pytest.mark.unit

Tools = Sequence[BaseTool]
FRIDAY = date(2026, 2, 13)


async def only(database: Database) -> Task:
    (row,) = await tasks_of(database)
    return row


async def test_nothing_but_pending_tasks_is_changed(database: Database, tools: Tools) -> None:
    await stored(database, task("写周报", status="completed"), task("写周报", status="cancelled"))
    for tool in ("modify_task", "remove_task", "finish_task"):
        result = await use(tools, tool, call(), title="写周报")
        assert result.status in ("success", "error"), tool
        assert (await counts(database))["journal"] == 0


ENDED: dict[str, tuple[str, Language, date, str, str]] = {
    "6.2.3 finish, one match, zh": ("finish_task", "zh", TODAY, "completed", "任务「写周报」已标记为完成。"),
    "6.2.3 finish, one match, en": ("finish_task", "en", TODAY, "completed", "The task “写周报” is marked as done."),
    "finish, another date is said": (
        "finish_task",
        "zh",
        SATURDAY,
        "completed",
        "任务「写周报」（周六（2月14日）15:00）已标记为完成。",
    ),
    "remove, zh": ("remove_task", "zh", TODAY, "cancelled", "已取消任务「写周报」（今天周三（2月11日）15:00）。"),
    "remove, en": (
        "remove_task",
        "en",
        TOMORROW,
        "cancelled",
        "Cancelled the task “写周报” (tomorrow, Thursday (12 February), 15:00).",
    ),
}


@pytest.mark.parametrize(("tool", "language", "day", "status", "message"), ENDED.values(), ids=ENDED)
async def test_ending(
    database: Database, tools: Tools, tool: str, language: Language, day: date, status: str, message: str
) -> None:
    (made,) = await stored(database, task("写周报", "15:00", day=day))
    result = await use(tools, tool, call(language), title="写周报")
    assert (result.status, result.message, result.rows) == ("success", message, [f"task:{made.id}"])
    assert (await only(database)).status == status
    assert result.task is not None
    assert result.task.status == status


NOT_FOUND: dict[str, tuple[str, Language, dict[str, Any], str]] = {
    "6.2.3 finish, no match, zh": ("finish_task", "zh", {"title": "写周报"}, "未找到匹配任务「写周报」。"),
    "6.2.3 finish, no match, en": ("finish_task", "en", {"title": "x"}, "No matching task found for “x”."),
    "6.2.3 remove, neither id nor title": ("remove_task", "zh", {}, "要操作哪个任务？请说出任务的名字。"),
    "A15 a blank title": ("remove_task", "en", {"title": "  "}, "Which task do you mean? Please name it."),
    "no such number": ("modify_task", "zh", {"task_id": 99, "priority": "low"}, "未找到匹配任务。"),
    "P15 another user's number": ("remove_task", "zh", {"task_id": 1}, "未找到匹配任务。"),
    "P15 another user's title": ("finish_task", "zh", {"title": "秘密"}, "未找到匹配任务「秘密」。"),
    "P6 only the named date is looked at": (
        "finish_task",
        "zh",
        {"title": "开会", "on_date": "后天"},
        "未找到匹配任务「开会」。",
    ),
}


@pytest.mark.parametrize(("tool", "language", "arguments", "message"), NOT_FOUND.values(), ids=NOT_FOUND)
async def test_not_found(
    database: Database, tools: Tools, tool: str, language: Language, arguments: dict[str, Any], message: str
) -> None:
    await stored(database, task("秘密", "15:00", user_id=2), task("开会", "15:00"))
    result = await use(tools, tool, call(language), **arguments)
    assert (result.status, result.message, result.rows) == ("error", message, [])
    assert (await counts(database))["journal"] == 0


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_several_candidates_are_offered_in_order(database: Database, tools: Tools, language: Language) -> None:
    late, early, twin = await stored(database, *(task("开会", clock) for clock in ("16:00", "09:00", "16:00")))
    result = await use(tools, "finish_task", call(language), title="开会")
    assert result.status == "need_confirmation"
    assert result.message.startswith({"zh": "找到多个候选任务：", "en": "Several tasks match: "}[language])
    order = [f"task:{each.id}" for each in (early, late, twin)]
    assert result.rows == order
    assert [choice.id for choice in result.choices] == [*order, "no"]
    assert [each["id"] for each in result.data["candidates"]] == [early.id, late.id, twin.id]
    assert all(choice.arguments for choice in result.choices[:-1])
    await use(tools, "finish_task", call(language), **completed({"title": "开会"}, result.choices[2]))
    assert [each.id for each in await tasks_of(database) if each.status == "completed"] == [twin.id]


async def test_today_comes_first_then_all_other_dates(database: Database, tools: Tools) -> None:
    today, *_ = await stored(database, task("开会", "15:00"), task("开会", "15:00", day=TOMORROW))
    assert (await use(tools, "finish_task", call(), title="开会")).rows == [f"task:{today.id}"]
    asked = await use(tools, "finish_task", call(), title="开会")
    assert asked.status == "need_confirmation", "today's is done: whether tomorrow's is meant is for the user to say"


async def test_what_is_done_already_is_said(database: Database, tools: Tools) -> None:
    (made,) = await stored(database, task("写周报", status="completed"))
    for arguments in ({"title": "写周报"}, {"task_id": made.id}):
        result = await use(tools, "finish_task", call(), **arguments)
        assert (result.status, result.message) == ("success", "任务「写周报」之前已经完成了。")
    assert (await counts(database))["effects"] == 0


async def test_a_title_that_only_resembles_is_offered_not_taken(database: Database, tools: Tools) -> None:
    await stored(database, task("quarterly report", "15:00"))
    result = await use(tools, "remove_task", call("en"), title="quartely report")
    assert (result.status, (await only(database)).status) == ("need_confirmation", "pending")


Start = tuple[str | None, str | None]
MOVES: dict[str, tuple[str, dict[str, Any], tuple[date, str | None, str | None, str]]] = {
    "6.2.3 another date": ("14:00-15:00", {"due_date": "2026-02-13"}, (FRIDAY, "14:00", "15:00", "afternoon")),
    "a date in words": ("14:00-15:00", {"due_date": "后天"}, (FRIDAY, "14:00", "15:00", "afternoon")),
    "a start keeps the length": ("14:00-15:30", {"start_time": "16:00"}, (SATURDAY, "16:00", "17:30", "afternoon")),
    "a start keeps the length past midnight": (
        "14:00-16:00",
        {"start_time": "23:00"},
        (SATURDAY, "23:00", "01:00", "evening"),
    ),
    "a start without a length": ("14:00", {"start_time": "09:00"}, (SATURDAY, "09:00", None, "forenoon")),
    "an end alone": ("14:00-15:00", {"end_time": "16:00"}, (SATURDAY, "14:00", "16:00", "afternoon")),
    "a part of the day takes the clock away": (
        "14:00-15:00",
        {"time_segment": "evening"},
        (SATURDAY, None, None, "evening"),
    ),
    "a clock in words keeps the date": ("14:00", {"start_time": "下午四点"}, (SATURDAY, "16:00", None, "afternoon")),
    "a clock in the date's place keeps the date": (
        "14:00",
        {"due_date": "下午四点"},
        (SATURDAY, "16:00", None, "afternoon"),
    ),
    "a part of the day in the date's place keeps the date": (
        "14:00",
        {"due_date": "晚上"},
        (SATURDAY, None, None, "evening"),
    ),
    "P24 a bare hour keeps the part of the day": ("19:00", {"due_date": "八点"}, (SATURDAY, "20:00", None, "evening")),
    "a date and a clock in words": ("14:00", {"due_date": "周五上午九点"}, (FRIDAY, "09:00", None, "forenoon")),
}


@pytest.mark.parametrize(("when", "arguments", "expected"), MOVES.values(), ids=MOVES)
async def test_moving(
    database: Database,
    tools: Tools,
    when: str,
    arguments: dict[str, Any],
    expected: tuple[date, str | None, str | None, str],
) -> None:
    await stored(database, task("开会", when, day=SATURDAY))
    result = await use(tools, "modify_task", call(), title="开会", **arguments)
    assert result.status == "success", result.message
    row = await only(database)
    start, end = (each and f"{each:%H:%M}" for each in (row.start_time, row.end_time))
    assert (row.date, start, end, row.time_segment) == expected
    assert row.version == 2
    assert result.message.startswith("任务「开会」已改为：")


async def test_other_fields_change_alone(database: Database, tools: Tools) -> None:
    (before,) = await stored(database, task("开会", "14:00-15:00", day=SATURDAY))
    result = await use(
        tools, "modify_task", call("en"), title="开会", new_title="评审", priority="high", description="带图纸"
    )
    row = await only(database)
    assert (row.title, row.priority, row.description) == ("评审", "high", "带图纸")
    assert (row.date, row.start_time, row.end_time) == (before.date, before.start_time, before.end_time)
    assert result.message == "The task “开会” is now called “评审”: Saturday (14 February), 14:00-15:00."
    again = await use(tools, "modify_task", call(), task_id=row.id, priority="high")
    assert (again.message, (await counts(database))["journal"]) == (
        "任务「评审」没有变化：周六（2月14日）14:00-15:00。",
        1,
    )
    with pytest.raises(ToolArgumentError):
        await use(tools, "modify_task", call(), task_id=row.id, new_title=" \0 ")


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_move_is_checked_like_a_new_task(database: Database, tools: Tools, language: Language) -> None:
    moving, _, _ = await stored(
        database,
        task("写周报", "09:00-10:00", day=TOMORROW),
        task("开会", "14:00-15:00", day=SATURDAY),
        task("秘密", "09:00-18:00", day=SATURDAY, user_id=2),
    )
    arguments = {"title": "写周报", "due_date": "2026-02-14", "start_time": "14:30"}
    asked = await use(tools, "modify_task", call(language), **arguments)
    assert (asked.status, [each.title for each in asked.conflicting_tasks]) == ("conflict", ["开会"])
    assert [choice.id for choice in asked.choices] == ["yes", "09:00-10:00", "15:00-16:00", "no"]
    assert (await counts(database))["journal"] == 0
    await use(tools, "modify_task", call(permitted=True), **completed(arguments, picked(asked, "yes")))
    row = next(each for each in await tasks_of(database) if each.id == moving.id)
    assert (row.date, str(row.start_time), str(row.end_time)) == (SATURDAY, "14:30:00", "15:30:00")


async def test_a_move_does_not_collide_with_itself(database: Database, tools: Tools) -> None:
    await stored(database, task("开会", "14:00-15:00", day=SATURDAY))
    result = await use(tools, "modify_task", call(), title="开会", start_time="14:30")
    assert result.status == "success"


async def test_a_move_into_the_past_is_asked_about(database: Database, tools: Tools) -> None:
    await stored(database, task("开会", "14:00", day=SATURDAY))
    asked = await use(tools, "modify_task", call(), title="开会", due_date="2026-02-09")
    assert (asked.status, (await only(database)).date) == ("need_confirmation", SATURDAY)
    assert asked.message == "周一（2月9日）14:00已经过去了，还要把「开会」改到那时吗？"


async def test_a_yes_to_a_move_on_a_later_day_still_means_the_same_task(database: Database, tools: Tools) -> None:
    meant, _, other = await stored(
        database,
        task("写周报", "09:00-10:00", day=TOMORROW),
        task("开会", "14:00-15:00", day=SATURDAY),
        task("写周报", "09:00-10:00", day=FRIDAY),
    )
    arguments = {"title": "写周报", "on_date": "明天", "due_date": "周六下午两点"}
    asked = await use(tools, "modify_task", call(), **arguments)
    assert asked.status == "conflict"
    later = call(now=NOW + timedelta(days=1), permitted=True)
    await use(tools, "modify_task", later, **completed(arguments, picked(asked, "yes")))
    found = {each.id: each.date for each in await tasks_of(database)}
    assert (found[meant.id], found[other.id]) == (SATURDAY, FRIDAY)


async def test_a_candidate_picked_on_a_later_day_moves_to_the_date_first_meant(
    database: Database, tools: Tools
) -> None:
    first, _ = await stored(database, task("开会", "09:00", day=TOMORROW), task("开会", "16:00", day=TOMORROW))
    arguments = {"title": "开会", "on_date": "明天", "due_date": "后天"}
    asked = await use(tools, "modify_task", call(), **arguments)
    later = call(now=at("02-12 08:00"))
    await use(tools, "modify_task", later, **completed(arguments, picked(asked, f"task:{first.id}")))
    assert next(each.date for each in await tasks_of(database) if each.id == first.id) == FRIDAY


@pytest.mark.parametrize("named", ["周报和体检", "写周报、体检", "周报还有体检"])
async def test_several_tasks_named_as_done_are_done_at_once(database: Database, tools: Tools, named: str) -> None:
    await stored(database, task("写周报"), task("体检"), task("买菜"))
    result = await use(tools, "finish_task", call(), title=named)
    assert result.status == "success"
    assert [each.status for each in await tasks_of(database)] == ["completed", "completed", "pending"]


async def test_several_tasks_named_to_be_dropped_are_asked_about_first(database: Database, tools: Tools) -> None:
    await stored(database, task("写周报"), task("体检"), task("买菜"))
    asked = await use(tools, "remove_task", call(), title="周报和体检")
    assert (asked.status, {each.status for each in await tasks_of(database)}) == ("need_confirmation", {"pending"})
    made = completed({"title": "周报和体检"}, picked(asked, "yes"))
    await use(tools, "remove_task", call(permitted=True), **made)
    assert [each.status for each in await tasks_of(database)] == ["cancelled", "cancelled", "pending"]


async def test_a_title_with_an_and_in_it_is_one_task(database: Database, tools: Tools) -> None:
    await stored(database, task("买牛奶和面包"), task("买牛奶"), task("买面包"))
    assert (await use(tools, "finish_task", call(), title="买牛奶和面包")).rows == ["task:1"]


async def test_two_parts_that_mean_the_same_task_are_no_list(database: Database, tools: Tools) -> None:
    await stored(database, task("和小王开会"), task("买菜"))
    result = await use(tools, "finish_task", call(), title="和小王开会")
    assert result.rows == ["task:1"]


async def test_all_tasks_of_a_date_move_together(database: Database, tools: Tools) -> None:
    await stored(database, task("写周报", day=TOMORROW), task("体检", "15:00-16:00", day=TOMORROW), task("买菜"))
    result = await use(tools, "modify_task", call(), everything=True, on_date="明天", due_date="周六")
    assert (result.status, result.rows) == ("success", ["task:1", "task:2"])
    assert {each.title: each.date for each in await tasks_of(database)} == {
        "写周报": SATURDAY,
        "体检": SATURDAY,
        "买菜": TODAY,
    }
    assert all(each.start_time is None or f"{each.start_time:%H:%M}" == "15:00" for each in await tasks_of(database))


async def test_moving_several_asks_once_when_one_collides_and_the_yes_holds_later(
    database: Database, tools: Tools
) -> None:
    await stored(
        database,
        task("写周报", day=TOMORROW),
        task("体检", "15:00-16:00", day=TOMORROW),
        task("开会", "15:30-16:30", day=SATURDAY),
    )
    arguments = {"everything": True, "on_date": "明天", "due_date": "大后天"}
    asked = await use(tools, "modify_task", call(), **arguments)
    assert asked.status == "need_confirmation"
    assert "体检" in asked.message
    later = call(now=NOW + timedelta(days=1), permitted=True)
    await use(tools, "modify_task", later, **completed(arguments, picked(asked, "yes")))
    assert [each.date for each in await tasks_of(database)] == [SATURDAY] * 3


async def test_a_move_to_the_same_part_of_another_day_keeps_the_clock_time(database: Database, tools: Tools) -> None:
    await stored(database, task("健身", "19:00-20:00"))
    await use(tools, "modify_task", call(), title="健身", due_date="明晚")
    moved = await only(database)
    assert (moved.date, f"{moved.start_time:%H:%M}", f"{moved.end_time:%H:%M}") == (TOMORROW, "19:00", "20:00")


async def test_only_a_new_end_in_words(database: Database, tools: Tools) -> None:
    await stored(database, task("培训", "14:00-16:30"))
    result = await use(tools, "modify_task", call(), title="培训", end_time="五点半")
    assert result.status == "success", result.message
    assert [(t.start_time, t.end_time) for t in await tasks_of(database)] == [(time(14), time(17, 30))]
