"""Notes (E01, E10, E16, E20): one light call an item, keyed by request and item; its dialogue is gone with the item."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from tests.graph.world import World, by_item, noted, opened, plan, several, single, todo
from tests.support.scripted_model import Prompt, Said, ScriptedModel, call

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")


def creating(prompt: Prompt) -> Said:
    return call("create_task", title=prompt.told["item"], due_date="明天")


async def test_one_light_call_writes_note_and_summary(world: World) -> None:
    world.script(
        triage=single("task"), task=[BUY], note=[call("write_note", note="任务 1：买菜，周五全天", summary="记下了。")]
    )
    result = await world.run("明天买菜")
    [prompt] = world.model.of("note")
    assert (prompt.tools, prompt.told["item"]) == (["write_note"], "明天买菜")
    assert [(r["status"], r["rows"]) for r in prompt.told["results"]] == [("success", ["task:1"])]
    assert result.notes == {"r1/t1": "任务 1：买菜，周五全天"}
    assert (result.reply, result.todos[0]["note"]) == ("记下了。", "r1/t1")


async def test_light_and_strong_model_each_have_their_roles(tmp_path: Path) -> None:
    async with opened(tmp_path, light=ScriptedModel()) as world:
        world.light.script(triage=several, note=noted)
        world.script(note=[], planner=[plan(todo("a", "task", "买菜"), todo("b", "task", "开会"))], task=creating)
        result = await world.run("两件事")
        assert world.light.roles == ["triage", "note", "note"]
        assert world.model.roles == ["planner", "task", "task", "reply"]
        assert {name.split()[0]: usage.calls for name, usage in result.usage.items()} == {"light": 3, "strong": 4}


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param("这是一条笔记。", id="words"),
        pytest.param(call("write_note", note="只有笔记"), id="half"),
        pytest.param(call("write_note", note="", summary=""), id="blank"),
    ],
)
async def test_answer_without_the_shape_is_asked_for_once_more(world: World, bad: object) -> None:
    good = call("write_note", note="笔记", summary="摘要")
    world.script(triage=single("task"), task=[BUY], note=[bad, good])
    result = await world.run("明天买菜")
    assert (result.reply, result.notes) == ("摘要", {"r1/t1": "笔记"})
    assert "write_note" in world.model.of("note")[1].last


@pytest.mark.parametrize(
    "bad", [pytest.param(["没有", "没有"], id="nonsense"), pytest.param([ConnectionError("down")], id="down")]
)
async def test_light_model_that_fails_leaves_the_tools_own_words(world: World, bad: list) -> None:
    world.script(triage=single("task"), task=[BUY], note=bad)
    result = await world.run("明天买菜")
    assert result.status == "completed"
    assert "「买菜」" in result.reply
    assert result.notes == {"r1/t1": result.reply}


async def test_failed_item_has_a_note_too(world: World) -> None:
    world.script(triage=single("task"), task=[call("finish_task", title="不存在")])
    result = await world.run("完成不存在")
    assert list(result.notes) == ["r1/t1"]


async def test_note_dialogue_lasts_until_the_next_dispatch(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("b", "task", "乙"), todo("c", "task", "丙", ["a"])]
    world.script(triage=several, planner=[plan(*items)], task=creating)
    await world.run("三件事")
    history = await world.history()
    kept = [sorted(s.values.get("write_note_messages", {})) for s in history if s.next == ("dispatch",)]
    assert kept == [[], ["a", "b"], ["c"]]
    dialogue = next(s for s in history if s.values.get("write_note_messages")).values["write_note_messages"]["a"]
    assert isinstance(dialogue[-1], AIMessage)
    assert [made["name"] for made in dialogue[-1].tool_calls] == ["write_note"]
    assert (await world.state())["write_note_messages"] == {}
    assert (await world.state())["task_messages"] == {}


async def test_second_run_of_an_item_writes_its_note_anew(world: World) -> None:
    again = call("update_todo", changes=[{"id": "a", "status": "pending"}])
    world.script(
        triage=several,
        planner=[plan(todo("a", "task", "甲"), todo("b", "task", "乙")), again],
        task=by_item(甲=[call("finish_task", title="不存在"), creating], 乙=creating),
    )
    result = await world.run("两件事")
    assert sorted(result.notes) == ["r1/a", "r1/b"]
    assert "已创建" in result.notes["r1/a"]


async def test_notes_are_no_files(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    await world.run("明天买菜")
    assert set(os.listdir(world.file.parent)) <= {"planner.db", "planner.db-wal", "planner.db-shm", "planner.db-locks"}


async def test_notes_stay_on_their_thread(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    await world.run("明天买菜")
    world.script(task=[call("create_task", title="开会", due_date="明天")])
    other = await world.planner.run("明天开会", thread="another")
    assert list(other.notes) == ["r1/t1"]
    assert "开会" in other.notes["r1/t1"]
