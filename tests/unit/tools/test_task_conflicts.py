"""Making or moving a task where another stands: what is asked, and what the answers do (A42, P3, P4, P5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import (
    NOW,
    SATURDAY,
    TODAY,
    TOMORROW,
    call,
    completed,
    picked,
    speaks_plainly,
    stored,
    task,
    tasks_of,
    use,
)
from tools.core.text import Language
from tools.services.calendar import CalendarService
from tools.store.database import Database

pytestmark = pytest.mark.unit

Tools = Sequence[BaseTool]


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


SAME_TITLE: dict[tuple[Language, str | None], str] = {
    ("zh", None): "明天周四（2月12日）已有相似的任务「取快递」。还要创建「拿快递」吗？",
    ("zh", "15:00-15:30"): "明天周四（2月12日）已有相似的任务「取快递」（15:00-15:30）。还要创建「拿快递」吗？",
    ("zh", "afternoon"): "明天周四（2月12日）已有相似的任务「取快递」（下午）。还要创建「拿快递」吗？",
    ("en", None): (
        "There is already a similar task on tomorrow, Thursday (12 February): “取快递”. Create “拿快递” all the same?"
    ),
    ("en", "15:00"): (
        "There is already a similar task on tomorrow, Thursday (12 February): “取快递” (15:00). "
        "Create “拿快递” all the same?"
    ),
}


@pytest.mark.parametrize(("language", "when"), SAME_TITLE)
async def test_same_title_says_when_the_other_is_if_that_was_ever_said(
    database: Database, tools: Tools, language: Language, when: str | None
) -> None:
    await stored(database, task("取快递", when, day=TOMORROW))
    result = await use(tools, "create_task", call(language), title="拿快递", due_date="2026-02-12")
    assert result.message == SAME_TITLE[language, when]


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_task_without_a_time_leaves_no_gap_in_a_list(
    database: Database, tools: Tools, language: Language
) -> None:
    await stored(database, task("买菜", day=TOMORROW))
    listed = await use(tools, "query_tasks", call(language), due_date="2026-02-12")
    free = await CalendarService(database).free_slots(call(language), "2026-02-12")
    assert [text for text in (listed.message, free.message) if "  " in text] == []


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


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("zh", "周六（2月14日）已有相似的任务「取快递」。还要改过去吗？"),
        ("en", "There is already a similar task on Saturday (14 February): “取快递”. Move it all the same?"),
    ],
)
async def test_a_move_beside_the_same_title_without_a_time(
    database: Database, tools: Tools, language: Language, said: str
) -> None:
    await stored(database, task("取快递", day=SATURDAY), task("拿快递", "15:00", day=TOMORROW))
    asked = await use(tools, "modify_task", call(language), title="拿快递", on_date="明天", due_date="2026-02-14")
    assert asked.message == said


async def test_a_slot_that_is_picked_beats_the_time_that_collided(database: Database, tools: Tools) -> None:
    await stored(database, task("写周报", "17:00-18:00"), task("客户拜访", "15:00-16:00", day=TOMORROW))
    arguments = {"title": "写周报", "due_date": "明天下午3点到4点"}
    asked = await use(tools, "modify_task", call(), **arguments)
    later = call(now=NOW + timedelta(hours=15))
    made = await use(tools, "modify_task", later, **completed(arguments, picked(asked, "16:00-17:00")))
    assert made.task is not None
    assert (made.task.date, made.task.start_time, made.task.end_time) == ("2026-02-12", "16:00", "17:00")
