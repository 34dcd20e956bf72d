"""Waves (A49, D10, E19): what is free runs together, what waits waits, what is lost is skipped with its reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from tests.graph.world import World, by_item, plan, several, single, statuses, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph

WRONG = call("finish_task", title="不存在")


def creating(prompt: Prompt) -> Said:
    return call("create_task", title=prompt.told["item"], due_date="明天")


def meeting(size: int) -> Callable[[Prompt], object]:
    """A task agent that answers only when this many of its calls are under way at once."""
    barrier = asyncio.Barrier(size)

    async def speak(prompt: Prompt) -> Said:
        # The time limit ends a run in which they never meet; a run in which they do does not wait at all.
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return creating(prompt)

    return speak


@pytest.mark.parametrize("size", [2, 5])
async def test_independent_items_are_at_work_at_once(world: World, size: int) -> None:
    names = ["金", "木", "水", "火", "土"][:size]
    world.script(triage=several, planner=[plan(*(todo(n, "task", n) for n in names))], task=meeting(size))
    result = await world.run("都做")
    assert statuses(result) == dict.fromkeys(names, "completed")
    assert sorted(await world.titles()) == sorted(names)


async def test_items_of_different_agents_are_at_work_at_once(world: World) -> None:
    barrier = asyncio.Barrier(2)

    async def weather(prompt: Prompt) -> Said:
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return call("get_weather", date="周六")

    async def task(prompt: Prompt) -> Said:
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return creating(prompt)

    world.script(
        triage=several, planner=[plan(todo("w", "weather"), todo("a", "task", "甲"))], weather=weather, task=task
    )
    assert statuses(await world.run("都做")) == {"w": "completed", "a": "completed"}


async def test_notes_are_written_at_once_in_each_branch(world: World) -> None:
    barrier = asyncio.Barrier(2)

    async def note(prompt: Prompt) -> Said:
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return call("write_note", note="笔记", summary="摘要")

    world.script(
        triage=several, planner=[plan(todo("a", "task", "甲"), todo("b", "task", "乙"))], task=creating, note=note
    )
    assert statuses(await world.run("都做")) == {"a": "completed", "b": "completed"}


async def test_diamond_runs_in_four_waves(world: World) -> None:
    items = [
        todo("end", "task", "终", ["left", "right"]),
        todo("left", "task", "左", ["fork"]),
        todo("right", "task", "右", ["fork"]),
        todo("fork", "task", "叉", ["start"]),
        todo("start", "task", "始"),
    ]
    world.script(triage=several, planner=[plan(*items)], task=creating)
    result = await world.run("都做")
    order = [prompt.told["item"] for prompt in world.model.of("task")]
    assert (order[:2], set(order[2:4]), order[4:]) == (["始", "叉"], {"左", "右"}, ["终"])
    assert [item["id"] for item in result.todos] == ["end", "left", "right", "fork", "start"]
    waves = [state.values["plan"].get("wave") for state in await world.history() if state.values.get("plan")]
    seen = [wave for n, wave in enumerate(waves) if wave and wave != waves[n - 1]]
    assert seen == [["start"], ["fork"], ["left", "right"], ["end"]]


async def test_dependant_waits_until_its_parent_has_ended(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("b", "task", "乙", ["a"]), todo("a", "task", "甲"))], task=creating)
    await world.run("都做")
    assert world.model.roles[2:] == ["task", "note", "task", "note", "reply"]
    assert [prompt.told["item"] for prompt in world.model.of("task")] == ["甲", "乙"]


async def test_dependants_of_a_failure_are_skipped_with_the_reason(world: World) -> None:
    items = [
        todo("a", "task", "坏"),
        todo("b", "task", "乙", ["a"]),
        todo("c", "task", "丙", ["b"]),
        todo("d", "task", "丁"),
    ]
    world.script(triage=several, planner=[plan(*items), ""], task=by_item(坏=WRONG, 丁=creating))
    result = await world.run("都做")
    assert statuses(result) == {"a": "failed", "b": "skipped", "c": "skipped", "d": "completed"}
    assert (result.status, await world.titles()) == ("failed", ["丁"])
    summaries = [item["outcome"]["summary"] for item in result.todos]
    assert summaries[1:3] == [
        "「乙」没有做，因为它依赖的 a 没有完成。",
        "「丙」没有做，因为它依赖的 b 没有完成。",
    ]
    lines = [message.text for message in world.model.of("planner")[1].messages]
    assert '[engine] {"id": "b", "status": "skipped", "because": "a"}' in lines


async def test_item_whose_condition_fails_is_left_undone_with_the_reason_and_what_follows_it_too(world: World) -> None:
    """P23: the sub-agent reads the note of the item it depends on; words after that end its item without an effect."""
    items = [
        todo("w", "weather", "查周六的天气"),
        todo("a", "task", "不下雨的话去爬山", ["w"]),
        todo("r", "notification", "提醒我爬山", ["a"]),
    ]
    world.script(
        triage=several,
        planner=[plan(*items)],
        weather=[call("get_weather", city="北京", date="周六")],
        task=[call("query_note", name="r1/w"), "周六有小雨。"],
    )
    result = await world.run("周六不下雨的话去爬山")
    assert statuses(result) == {"w": "completed", "a": "skipped", "r": "skipped"}
    assert (result.status, await world.titles()) == ("completed", [])
    assert [item["outcome"]["summary"] for item in result.todos[1:]] == ["「不下雨的话去爬山」没有做：周六有小雨。", ""]


async def test_words_without_a_look_at_the_note_are_no_decision(world: World) -> None:
    items = [todo("w", "weather", "查周六的天气"), todo("a", "task", "不下雨的话去爬山", ["w"])]
    world.script(
        triage=several,
        planner=[plan(*items), ""],
        weather=[call("get_weather", city="北京", date="周六")],
        task=["会下雨。", creating],
    )
    result = await world.run("周六不下雨的话去爬山")
    assert statuses(result) == {"w": "completed", "a": "completed"}


async def test_failed_weather_does_not_hold_up_its_dependants(world: World) -> None:
    items = [todo("w", "weather", "查天气"), todo("a", "task", "甲", ["w"])]
    world.script(
        triage=several,
        planner=[plan(*items)],
        weather=[call("get_weather", city="哪儿也不是", date="周六")],
        task=creating,
    )
    result = await world.run("都做")
    assert statuses(result) == {"w": "failed", "a": "completed"}
    assert world.model.roles.count("planner") == 1
    assert result.status == "completed"


async def test_planner_is_not_woken_while_all_goes_well(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("b", "task", "乙", ["a"]), todo("c", "task", "丙", ["b"])]
    world.script(triage=several, planner=[plan(*items)], task=creating)
    await world.run("都做")
    assert world.model.roles.count("planner") == 1


async def test_planner_is_woken_by_a_failure_and_repairs_the_plan(world: World) -> None:
    repair = call(
        "update_todo",
        changes=[{"id": "a", "drop": True}, {"id": "b", "status": "pending", "depends_on": []}],
        add=[{"id": "c", "content": "丙", "subagent": "task"}],
    )
    repair.calls[0].args["changes"].reverse()
    world.script(
        triage=several,
        planner=[plan(todo("a", "task", "坏"), todo("b", "task", "乙", ["a"])), repair],
        task=by_item(坏=WRONG, 乙=creating, 丙=creating),
    )
    result = await world.run("都做")
    assert statuses(result) == {"b": "completed", "c": "completed"}
    assert (result.status, await world.titles()) == ("completed", ["乙", "丙"])


async def test_each_dispatch_is_one_task_call_with_one_outcome(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather", "查天气"), todo("b", "task", "乙", ["a"])]
    world.script(triage=several, planner=[plan(*items)], task=creating, weather=[call("get_weather", date="周六")])
    await world.run("都做")
    messages = (await world.state())["messages"]
    calls = {c["id"]: c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls if c["name"] == "task"}
    outcomes = {m.tool_call_id: json.loads(m.text) for m in messages if isinstance(m, ToolMessage) and m.name == "task"}
    assert [made["args"] for made in calls.values()] == [
        {"description": "甲", "subagent_type": "task"},
        {"description": "查天气", "subagent_type": "weather"},
        {"description": "乙", "subagent_type": "task"},
    ]
    assert list(outcomes.values())[-1] == {
        "id": "b",
        "status": "completed",
        "note": "r1/b",
        "result": "success",
        "rows": ["task:2"],
    }
    assert set(outcomes) == set(calls)


async def test_triage_alone_makes_a_plan_of_one(world: World) -> None:
    world.script(triage=single("task"), task=creating)
    result = await world.run("买菜")
    assert (statuses(result), world.model.roles) == ({"t1": "completed"}, ["triage", "task", "note"])


async def test_planner_that_asks_beside_its_plan_still_has_it_carried_out(world: World) -> None:
    both = Said(calls=(*plan(todo("a", "task", "甲")).calls, *call("ask_user", question="要提醒吗？").calls))
    world.script(triage=several, planner=[both, ""], task=creating, answer=[call("take_answer", kind="answer")])
    first = await world.run("都做")
    assert first.question is not None
    assert (first.question.type, first.question.todo_id, first.question.question) == ("ask_user", None, "要提醒吗？")
    result = await world.answer("不用")
    assert (statuses(result), result.status) == ({"a": "completed"}, "completed")
    assert await world.titles() == ["甲"]
