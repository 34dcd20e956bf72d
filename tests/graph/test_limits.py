"""Limits of a run and of an item (A46): whoever loops is stopped in time, with a friendly sentence and nothing lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.graph.world import World, by_item, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph

BUY = {"title": "买菜", "due_date": "明天"}


def looking(prompt: Prompt) -> Said:
    return call("query_tasks")


async def hanging(prompt: Prompt) -> Said:
    await asyncio.Event().wait()
    raise AssertionError("never")


async def ran(folder: Path, request: str, settings: dict[str, Any], **script: Any) -> tuple[World, Any]:
    async with opened(folder, **settings) as world:
        world.script(**script)
        result = await world.run(request)
        world.rows = await world.titles()  # type: ignore[attr-defined]
        return world, result


@pytest.mark.parametrize("limit", [2, 3, 7])
async def test_planner_that_loops_is_stopped_by_the_runs_limit(tmp_path: Path, limit: int) -> None:
    script = {"triage": several, "planner": lambda prompt: call("ls")}
    world, result = await ran(tmp_path, "开会，买菜", {"max_model_calls": limit}, **script)
    assert len(world.model.prompts) == limit
    assert (result.status, result.reply) == (
        "failed",
        f"这次请求已经调用了 {limit} 次模型，先停在这里。做完的都保存了；请把请求拆小一点，或调高 max_model_calls。",
    )


@pytest.mark.parametrize("limit", [4, 5, 9])
async def test_limit_reaches_every_subagent_and_keeps_what_is_done(tmp_path: Path, limit: int) -> None:
    items = [todo("a", "task", "买菜"), todo("b", "task", "开会", ["a"]), todo("c", "task", "散步", ["a"])]
    never_done = by_item(买菜=call("create_task", **BUY), 开会=lambda p: call("query_note", name="x"), 散步=looking)
    script = {"triage": several, "planner": plan_once(*items), "task": never_done}
    world, result = await ran(tmp_path, "三件事", {"max_model_calls": limit}, **script)
    assert len(world.model.prompts) <= limit
    assert result.status == "failed"
    assert statuses(result)["a"] == "completed"
    assert world.rows == ["买菜"]  # type: ignore[attr-defined]
    assert "「买菜」" in result.reply
    assert f"{limit} 次模型" in result.reply


def plan_once(*items: Any) -> Any:
    """The plan, and no second thought about it."""
    return lambda prompt: plan(*items) if len(prompt.messages) < 4 else ""


async def test_tool_calls_of_a_run(tmp_path: Path) -> None:
    item = todo("a", "task", "看任务", steps=["看"] * 9)
    script = {"triage": several, "planner": plan_once(item), "task": looking}
    world, result = await ran(tmp_path, "看看，再看看", {"max_tool_calls": 3}, **script)
    assert len(world.model.of("task")) == 4
    assert result.status == "failed"
    assert "3 次工具" in result.reply


async def test_tool_calls_of_an_item(tmp_path: Path) -> None:
    item = todo("a", "task", "看任务", steps=["看"] * 9)
    script = {"triage": several, "planner": plan_once(item), "task": looking}
    world, result = await ran(tmp_path, "看看，再看看", {"max_item_tool_calls": 2}, **script)
    assert len(world.model.of("task")) == 3
    assert "2 次工具" in result.reply


async def test_seconds_of_an_item_leave_its_siblings_alone(tmp_path: Path) -> None:
    items = [todo("a", "task", "买菜"), todo("b", "task", "开会")]
    script = {
        "triage": several,
        "planner": plan_once(*items),
        "task": by_item(买菜=call("create_task", **BUY), 开会=hanging),
    }
    world, result = await ran(tmp_path, "两件事", {"max_item_seconds": 0.3}, **script)
    assert statuses(result) == {"a": "completed", "b": "failed"}
    assert world.rows == ["买菜"]  # type: ignore[attr-defined]
    assert "这一项已经用了 0.3 秒" in result.reply


async def test_seconds_of_a_run(tmp_path: Path) -> None:
    script = {"triage": single("task"), "task": hanging}
    _, result = await ran(tmp_path, "买菜", {"max_seconds": 0.3}, **script)
    assert result.status == "failed"
    assert "这次请求已经用了 0.3 秒" in result.reply


async def test_subagent_may_ask_so_often_and_no_more(tmp_path: Path) -> None:
    questions = [call("ask_user", question=f"第 {n} 问") for n in range(1, 4)]
    async with opened(tmp_path, max_item_questions=2) as world:
        world.script(triage=single("task"), task=[*questions, call("create_task", **BUY)])
        world.script(answer=lambda prompt: call("take_answer", kind="answer"))
        await world.run("买菜")
        await world.reopen()
        assert (await world.answer("一")).status == "waiting"
        result = await world.answer("二")
        assert (result.status, await world.titles()) == ("completed", ["买菜"])
        assert "ask_user" in world.model.of("task")[3].last


async def test_an_answer_begins_a_new_budget(tmp_path: Path) -> None:
    """A person may take their time, and what was spent before the question does not count again."""
    async with opened(tmp_path, max_model_calls=3) as world:
        world.script(triage=single("task"), task=[call("ask_user", question="哪天？"), call("create_task", **BUY)])
        world.script(answer=lambda prompt: call("take_answer", kind="answer"))
        await world.run("买菜")
        assert (await world.answer("明天")).status == "completed"
