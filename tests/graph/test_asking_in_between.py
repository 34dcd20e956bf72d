"""Items of several calls that ask in between (X14, E19): nothing done is forgotten, nothing asked is dropped."""

from __future__ import annotations

import pytest

from tests.graph.world import World, plan, several, single, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph

CLASH = {"title": "面试", "due_date": "明天", "start_time": "15:30", "end_time": "16:30"}


async def test_what_was_done_before_the_question_is_not_lost(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    item = todo("a", "task", "散步，面试", steps=["散步", "面试"])
    steps = [call("create_task", title="散步", due_date="周六"), call("create_task", **CLASH)]
    world.script(triage=several, planner=[plan(item)], task=steps)
    await world.run("散步和面试")
    result = await world.answer("还是要建")
    assert await world.titles() == ["开会", "面试", "散步"]
    assert result.todos[0]["outcome"]["rows"] == ["task:2", "task:3"]
    assert all(title in result.reply for title in ("散步", "面试"))


async def test_two_calls_of_one_message_that_both_ask_are_both_answered(world: World) -> None:
    await world.has("开会", "15:00-16:00")

    def both(prompt: Prompt) -> Said:
        made = [call("create_task", **CLASH | {"title": title}).calls[0] for title in ("面试", "体检")]
        return Said(calls=tuple(made))

    world.script(triage=single("task"), task=[both])
    result = await world.run("面试和体检")
    for _ in range(3):
        if result.status == "waiting":
            result = await world.answer("还是要建")
    assert sorted(await world.titles()) == ["体检", "开会", "面试"]
