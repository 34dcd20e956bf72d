"""The parser at work (B05, B07): the light model reads a call again that cannot be used, and it runs if it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.graph.world import World, noted, opened, single
from tests.support.scripted_model import Said, ScriptedModel, call, raw_call, together

pytestmark = pytest.mark.graph

GOOD = '{"title": "买菜", "due_date": "明天"}'
BAD = {
    "not JSON": lambda: raw_call("create_task", "title=买菜"),
    "a list": lambda: raw_call("create_task", '["买菜"]'),
    "a wrong type": lambda: call("create_task", title=["买菜"], due_date="明天"),
    "a name that the tool does not know": lambda: call("create_task", name="买菜"),
}


@pytest.mark.parametrize("bad", [pytest.param(make, id=name) for name, make in BAD.items()])
async def test_call_that_cannot_be_used_is_mended_without_the_strong_model(world: World, bad: Any) -> None:
    world.script(triage=single("task"), task=[bad()], parser=[GOOD])
    result = await world.run("明天买菜")
    assert (result.status, await world.titles()) == ("completed", ["买菜"])
    assert (len(world.model.of("task")), len(world.model.of("parser"))) == (1, 1)


async def test_parser_reads_the_users_words_with_the_light_model(tmp_path: Path) -> None:
    light = ScriptedModel()
    light.script(triage=single("task"), note=noted, parser=[GOOD])
    async with opened(tmp_path, light=light) as world:
        world.script(task=[raw_call("create_task", "title=买菜")])
        result = await world.run("明天买菜")
        [prompt] = world.light.of("parser")
    assert result.status == "completed"
    assert prompt.told["words"].splitlines() == ["明天买菜", "明天买菜"]
    assert prompt.told["raw"] == "title=买菜"


async def test_nothing_is_made_up(world: World) -> None:
    """What the words do not say stays the model's business."""
    world.script(triage=single("task"), task=[raw_call("create_task", "{"), call("create_task", title="买菜")])
    world.script(parser=["null"])
    await world.run("买菜")
    assert len(world.model.of("task")) == 2
    assert await world.titles() == ["买菜"]


async def test_call_that_was_cut_off_is_not_given_to_the_parser(world: World) -> None:
    """Others may have been to come after it; only its model knows."""
    world.script(triage=single("task"), parser=[])
    world.script(task=[raw_call("create_task", GOOD, finish="length"), call("create_task", title="买菜")])
    await world.run("明天买菜")
    assert world.model.of("parser") == []
    assert await world.titles() == ["买菜"]


async def test_whole_call_beside_a_mended_one(world: World) -> None:
    both = together(call("create_task", title="做饭", due_date="周六"), call("create_task", title=["买菜"]))
    world.script(triage=single("task"), task=[Said(calls=both.calls)], parser=[GOOD])
    result = await world.run("明天买菜，周六做饭")
    assert (result.status, await world.titles()) == ("completed", ["买菜", "做饭"])
    assert len(world.model.of("task")) == 1


async def test_mended_call_that_clashes_asks_like_any_other(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    words = '{"title": "面试", "due_date": "明天", "start_time": "15:30", "end_time": "16:30"}'
    world.script(triage=single("task"), task=[raw_call("create_task", "?")], parser=[words])
    result = await world.run("明天下午三点半面试")
    assert result.question is not None
    assert result.question.type == "conflict"
    await world.reopen()
    result = await world.answer("还是要建")
    assert (result.status, await world.titles()) == ("completed", ["开会", "面试"])
    assert len(world.model.of("task")) == 1


async def test_parser_that_is_down_costs_nothing_but_the_repair(world: World) -> None:
    world.script(triage=single("task"), task=[raw_call("create_task", "?"), call("create_task", title="买菜")])
    world.script(parser=[ConnectionError("down")])
    result = await world.run("买菜")
    assert (result.status, await world.titles()) == ("completed", ["买菜"])
