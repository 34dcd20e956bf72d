"""The main prompt only ever grows (E13), and holds no tool output and no note (E11, E14)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from tests.graph.world import DRY, World, by_item, classified, opened, plan, several, todo
from tests.support.scripted_model import Prompt, Said, call, together
from tools.services.weather import SampleWeather
from tools.services.weather.sample_rows import SampleRow

pytestmark = pytest.mark.graph

TITLE, SKY, NOTE, TOLD = "金丝雀标题", "金丝雀天气", "金丝雀笔记", "金丝雀描述"
BUY = call("create_task", title="买菜", due_date="明天")
WRONG = call("finish_task", title="不存在")


def broken_at(prompts: list[Prompt]) -> list[str]:
    """Where a prompt is not a prefix of the next one; the reply's own last message is not stored."""
    faults = []
    for before, after in pairwise(prompts):
        stored = before.plain[:-1] if before.role == "reply" else before.plain
        if after.plain[: len(stored)] != stored:
            place = next((n for n, pair in enumerate(zip(stored, after.plain, strict=False)) if pair[0] != pair[1]), -1)
            faults.append(f"{before.role} -> {after.role}: message {place} of {len(stored)}")
        if after.schemas != before.schemas:
            faults.append(f"{before.role} -> {after.role}: tools")
    return faults


def main_prompts(world: World) -> list[Prompt]:
    return [prompt for prompt in world.model.prompts if prompt.role in ("planner", "reply")]


def dangling(prompt: Prompt) -> list[str]:
    """Calls that nothing answers right after them, and answers without a call."""
    faults: list[str] = []
    waiting: list[str] = []
    for message in prompt.messages:
        if message.type == "tool":
            faults += [] if message.tool_call_id in waiting else [f"answer to nothing: {message.tool_call_id}"]
            waiting = [name for name in waiting if name != message.tool_call_id]
            continue
        faults += [f"no answer to {name}" for name in waiting]
        waiting = [made["id"] for made in message.tool_calls] if isinstance(message, AIMessage) else []
    return faults + [f"no answer to {name}" for name in waiting]


async def test_prompts_of_two_requests_with_a_failure_each_grow(world: World) -> None:
    world.script(
        triage=several,
        planner=[
            plan(todo("a", "task", "坏"), todo("b", "task", "买菜")),
            call("update_todo", changes=[{"id": "a", "drop": True}], add=[todo("c", "task", "散步")]),
            plan(todo("d", "task", "开会"), todo("e", "task", "又坏")),
            "没有办法了。",
        ],
        task=by_item(坏=WRONG, 买菜=BUY, 散步=walk, 开会=call("create_task", title="开会", due_date="周日")),
    )
    await world.run("第一件事")
    await world.reopen()
    await world.run("第二件事")
    prompts = main_prompts(world)
    assert [prompt.role for prompt in prompts] == ["planner", "planner", "reply", "planner", "planner", "reply"]
    assert broken_at(prompts) == []
    assert [dangling(prompt) for prompt in prompts] == [[]] * 6


async def test_prompts_grow_when_an_item_is_tried_again(world: World) -> None:
    again = call("update_todo", changes=[{"id": "a", "status": "pending"}])
    steps = [plan(todo("a", "task", "甲"), todo("b", "task", "乙")), again]
    world.script(triage=several, planner=steps, task=by_item(甲=[WRONG, walk], 乙=BUY))
    result = await world.run("两件事")
    prompts = main_prompts(world)
    assert [prompt.role for prompt in prompts] == ["planner", "planner", "reply"]
    assert [item["status"] for item in result.todos] == ["completed", "completed"]
    assert broken_at(prompts) == []
    assert [line for line in prompts[2].plain if '"id": "a"' in line[1] and '"status": "failed"' in line[1]] != []


async def test_planner_hears_of_every_failure_of_an_item(world: World) -> None:
    steps = [
        plan(todo("a", "task", "甲"), todo("b", "task", "乙")),
        call("update_todo", changes=[{"id": "a", "status": "pending"}]),
        call("update_todo", changes=[{"id": "a", "drop": True}]),
    ]
    world.script(triage=several, planner=steps, task=by_item(甲=lambda prompt: WRONG, 乙=BUY))
    result = await world.run("两件事")
    assert world.model.roles.count("planner") == 3
    assert [item["id"] for item in result.todos] == ["b"]


async def test_prefix_holds_when_the_language_changes(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "task", "买菜")), plan(todo("a", "task", "shopping"))])
    world.script(task=[BUY, call("create_task", title="walk", due_date="tomorrow")])
    await world.run("买菜，然后呢")
    await world.run("buy food, and then?")
    assert broken_at(main_prompts(world)) == []


async def test_prefix_holds_over_questions(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    world.script(
        triage=several,
        planner=[plan(todo("a", "task", "面试"), todo("b", "task", "坏")), "", plan(todo("a", "task", "买菜")), ""],
        task=by_item(
            面试=call("create_task", title="面试", due_date="明天", start_time="15:30", end_time="16:30"),
            坏=WRONG,
            买菜=BUY,
        ),
    )
    await world.run("两件事")
    await world.answer("还是要建")
    await world.run("第三件事")
    prompts = main_prompts(world)
    assert [prompt.role for prompt in prompts] == ["planner", "planner", "reply", "planner"]
    assert broken_at(prompts) == []
    assert [dangling(prompt) for prompt in prompts] == [[]] * 4


async def test_first_message_tells_nothing_of_the_day(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "task", "买菜"))], task=[BUY])
    await world.run("买菜等等")
    [prompt] = world.model.of("planner")
    assert "2026" not in prompt.system
    assert "2026-02-12 10:00 周四" in prompt.messages[2].text


async def canary_run(world: World) -> None:
    """A request whose tools bring back foreign text by every way there is."""
    await world.has(TITLE, "15:00-16:00", description=TOLD)
    world.script(
        triage=several,
        note=lambda prompt: call("write_note", note=NOTE, summary=f"{NOTE}摘要"),
        planner=[
            plan(todo("a", "task", "面试"), todo("w", "weather"), todo("c", "calendar"), todo("b", "task", "坏")),
            "",
        ],
        task=by_item(
            面试=call("create_task", title="面试", due_date="明天", start_time="15:30", end_time="16:30"), 坏=WRONG
        ),
        weather=[call("get_weather", date="周六")],
        calendar=[call("get_day_schedule", date="明天")],
    )
    await world.run("四件事")
    await world.answer("还是要建")


@pytest.fixture
def foreign() -> SampleWeather:
    row = SampleRow(city="北京", date=DRY.date.replace(day=14), condition=SKY, temp_min=1, temp_max=2)
    return SampleWeather([row])


async def test_foreign_text_reaches_the_planner_only_in_the_reply(tmp_path: Path, foreign: SampleWeather) -> None:
    async with opened(tmp_path, weather=foreign) as world:
        await canary_run(world)
        for prompt in world.model.of("planner"):
            assert [canary for canary in (TITLE, SKY, NOTE, TOLD) if canary in prompt.text] == []
        [reply] = world.model.of("reply")
        assert [canary in reply.last for canary in (NOTE, TITLE)] == [True, False]
        assert NOTE not in str(reply.plain[:-1])
        assert any(SKY in prompt.text for prompt in world.model.of("note")), "the canary never flew"
        assert len(world.model.of("planner")) == 2


async def test_notes_are_not_stored_in_the_dialogue(tmp_path: Path, foreign: SampleWeather) -> None:
    async with opened(tmp_path, weather=foreign) as world:
        world.script(reply=["好了。"])
        await canary_run(world)
        stored = str([(m.content, getattr(m, "tool_calls", None)) for m in (await world.state())["messages"]])
        # The question to the user stands there, as the call that clients draw; models are not shown it.
        asked = [m for m in (await world.state())["messages"] if "ask_user" in str(getattr(m, "tool_calls", ""))]
        assert [canary for canary in (SKY, NOTE, TOLD) if canary in stored] == []
        assert len(asked) == 1


async def test_planner_that_reads_a_note_must_have_new_items_approved(world: World) -> None:
    steps = [
        plan(todo("a", "task", "坏"), todo("b", "task", "买菜")),
        call("query_note", name="r1/b"),
        call("update_todo", add=[todo("x", "task", "散步"), todo("y", "task", "歇息", ["x"])]),
        "",
    ]
    world.script(triage=several, planner=steps, task=by_item(坏=WRONG, 买菜=BUY, 散步=walk, 歇息=rest))
    result = await world.run("两件事")
    assert result.question is not None
    assert (result.question.type, result.question.todo_id) == ("approve", "x")
    assert await world.titles() == ["买菜"]
    await world.answer("是")
    result = await world.answer("是")
    assert sorted(await world.titles()) == ["买菜", "散步", "歇息"]
    told = [prompt.told.get("parents") for prompt in world.model.of("task") if prompt.told["item"] == "歇息"]
    assert [[parent["id"] for parent in parents or ()] for parents in told] == [["x"]], "y did not wait for x"


async def test_declined_item_is_not_done_and_its_dependants_neither(world: World) -> None:
    steps = [
        together(call("query_note", name="r1/x"), plan(todo("x", "task", "散步"), todo("y", "task", "歇息", ["x"]))),
    ]
    world.script(triage=several, planner=steps, task=by_item(散步=walk, 歇息=rest))
    first = await world.run("两件事")
    assert first.question is not None
    await world.answer("否")
    result = await world.answer("是")
    assert (await world.titles(), {t["id"]: t["status"] for t in result.todos}) == (
        [],
        {"x": "skipped", "y": "skipped"},
    )


def walk(prompt: Prompt) -> Said:
    return call("create_task", title="散步", due_date="周六")


def rest(prompt: Prompt) -> Said:
    return call("create_task", title="歇息", due_date="2026-02-16")


async def test_approved_item_is_recorded_as_a_task_call(world: World) -> None:
    steps = [together(call("query_note", name="r1/x"), plan(todo("x", "task", "散步")))]
    world.script(triage=classified("complex_workflow"), planner=steps, task=[walk])
    await world.run("一件事")
    await world.answer("是")
    messages = (await world.state())["messages"]
    calls = [
        made["id"] for m in messages if isinstance(m, AIMessage) for made in m.tool_calls if made["name"] == "task"
    ]
    answers = [m.tool_call_id for m in messages if m.type == "tool" and m.name == "task"]
    assert len(calls) == 1
    assert calls == answers
