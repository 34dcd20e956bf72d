"""The plan is shown before anything acts: approved, changed in words or as data, or turned down (``plan_first``)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.graph.world import World, by_item, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import Prompt, call

pytestmark = pytest.mark.graph

ITEMS = [todo("a", "task", "买菜"), todo("b", "task", "做饭", ["a"]), todo("w", "weather", "周六天气")]
WORK = {
    "买菜": call("create_task", title="买菜", due_date="明天"),
    "做饭": call("create_task", title="做饭", due_date="周六"),
    "洗碗": call("create_task", title="洗碗", due_date="周日"),
}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path, plan_first=True) as world:
        world.script(triage=several, planner=[plan(*ITEMS)], weather=[call("get_weather", date="周六")])
        world.script(task=by_item(**WORK))
        yield world


async def value(world: World) -> dict[str, Any]:
    [pause] = (await world.snapshot()).interrupts
    return dict(pause.value)


def shown(value: dict[str, Any]) -> list[tuple[str, ...]]:
    return [(item["id"], item["content"], item["subagent"], *item.get("depends_on", ())) for item in value["todos"]]


async def test_plan_is_shown_and_nothing_has_acted(world: World) -> None:
    result = await world.run("买菜做饭看天气")
    asked = await value(world)
    assert (result.status, result.question and result.question.type) == ("waiting", "plan")
    assert set(statuses(result).values()) == {"pending"}
    assert [choice["id"] for choice in asked["choices"]] == ["approve", "reject"]
    assert "2. b 做饭 [task]  ← a" in asked["question"]
    assert shown(asked) == [("a", "买菜", "task"), ("b", "做饭", "task", "a"), ("w", "周六天气", "weather")]
    assert asked["action_requests"][0]["name"] == (await world.state())["messages"][-1].tool_calls[0]["name"]
    assert (await world.tasks(), world.model.of("task")) == ([], [])


@pytest.mark.parametrize("words", ["approve", "照做", "是", {"decisions": [{"type": "approve"}]}])
async def test_yes_carries_it_out_in_another_process(world: World, words: Any) -> None:
    await world.run("买菜做饭看天气")
    await world.reopen()
    result = await world.answer(words)
    assert (result.status, await world.titles()) == ("completed", ["买菜", "做饭"])


@pytest.mark.parametrize("words", ["reject", "不做了", "否", {"decisions": [{"type": "reject"}]}])
async def test_no_does_nothing_and_is_no_failure(world: World, words: Any) -> None:
    await world.run("买菜做饭看天气")
    result = await world.answer(words)
    assert (result.status, result.reply, await world.tasks()) == ("completed", "好的，计划没有执行。", [])
    assert set(statuses(result).values()) == {"skipped"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("删掉 1", [("b", "做饭", "task"), ("w", "周六天气", "weather")]),
        ("drop a, w", [("b", "做饭", "task")]),
        ("2 改成 做一桌饭", [("a", "买菜", "task"), ("b", "做一桌饭", "task", "a"), ("w", "周六天气", "weather")]),
        ("w: 周日天气", [("a", "买菜", "task"), ("b", "做饭", "task", "a"), ("w", "周日天气", "weather")]),
        ("第2项交给 calendar", [("a", "买菜", "task"), ("b", "做饭", "calendar", "a"), ("w", "周六天气", "weather")]),
        ("顺序 3 1", [("w", "周六天气", "weather"), ("a", "买菜", "task"), ("b", "做饭", "task", "a")]),
        ("删掉 2；1 改成 买菜和米", [("a", "买菜和米", "task"), ("w", "周六天气", "weather")]),
    ],
)
async def test_words_change_the_plan_and_it_is_shown_again(
    world: World, words: str, expected: list[tuple[str, ...]]
) -> None:
    await world.run("买菜做饭看天气")
    result = await world.answer(words)
    assert (result.status, shown(await value(world))) == ("waiting", expected)
    assert await world.tasks() == []
    assert world.model.of("answer") == []


async def test_changed_plan_is_what_runs(world: World) -> None:
    world.script(triage=lambda prompt: classify(prompt))
    await world.run("买菜做饭看天气")
    await world.answer("删掉 1")
    await world.answer("加上 洗碗")
    result = await world.answer("照做")
    assert (result.status, await world.titles()) == ("completed", ["做饭", "洗碗"])


def classify(prompt: Prompt):
    one = "洗碗" in prompt.told["request"]
    return call("classify_intent", intent="single_task" if one else "complex_workflow", confidence=0.9, subagent="task")


async def test_edit_as_data_approves_what_it_holds(world: World) -> None:
    await world.run("买菜做饭看天气")
    edited = [{"id": "b", "content": "做饭"}, {"content": "洗碗", "subagent": "task"}]
    decision = {"type": "edit", "edited_action": {"name": "approve_plan", "args": {"todos": edited}}}
    result = await world.answer({"decisions": [decision]})  # type: ignore[arg-type]
    assert (result.status, await world.titles()) == ("completed", ["做饭", "洗碗"])
    assert len(result.todos) == 2


@pytest.mark.parametrize(
    "words",
    ["删掉 9", "2 给 nobody", "删掉 a b w", {"todos": "abc"}, {"changes": [{"id": "b", "depends_on": ["b"]}]}],
    ids=str,
)
async def test_change_that_cannot_be_says_why_and_shows_the_plan_again(world: World, words: Any) -> None:
    await world.run("买菜做饭看天气")
    before = await value(world)
    await world.answer(words)
    after = await value(world)
    assert after["todos"] == before["todos"]
    assert after["question"].endswith(before["question"])
    assert len(after["question"]) > len(before["question"])


async def test_other_words_are_read_by_the_light_model(world: World) -> None:
    world.script(answer=[call("take_answer", kind="choice", choice="approve")])
    await world.run("买菜做饭看天气")
    assert (await world.answer("看起来不错，就这样办")).status == "completed"


@pytest.mark.parametrize("resumed", [True, False])
async def test_a_new_request_leaves_the_plan(world: World, resumed: bool) -> None:
    world.script(answer=[call("take_answer", kind="new_request")])
    await world.run("买菜做饭看天气")
    world.script(triage=single("weather"))
    result = await (world.answer if resumed else world.run)("周六天气怎么样")
    assert (result.question and result.question.type, list(statuses(result))) == ("plan", ["t1"])
    result = await world.answer("照做")
    assert (result.status, await world.tasks()) == ("completed", [])


async def test_one_item_is_shown_too(world: World) -> None:
    world.script(triage=single("task"), task=[WORK["买菜"]])
    result = await world.run("明天买菜")
    assert (result.status, await world.tasks()) == ("waiting", [])
    assert (await world.run("照做")).status == "completed", "also as a message, not only as an answer"
    assert await world.titles() == ["买菜"]
