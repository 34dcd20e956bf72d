"""What a stream tells, and in which order (B01, B13): items, calls, notes, tokens, and the end."""

from __future__ import annotations

import asyncio
import json

import pytest

from deep_planner.events import (
    Asked,
    Event,
    Finished,
    IntentRecognized,
    NoteWritten,
    Reasoning,
    TodoChanged,
    Token,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    WorkflowGenerated,
    WorkflowStarted,
)
from deep_planner.workflow.schema import Workflow
from tests.graph.world import World, by_item, classified, plan, several, single, todo
from tests.support.scripted_model import Prompt, Said, call, together

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")


def kinds(events: list[Event]) -> list[str]:
    """The order of the kinds, repeats of a kind as one."""
    names = [type(event).__name__ for event in events]
    return [name for n, name in enumerate(names) if n == 0 or name != names[n - 1]]


async def test_one_item_is_told_from_beginning_to_end(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    events = await world.events("明天买菜")
    changes = [event for event in events if isinstance(event, TodoChanged)]
    assert [(e.todo_id, e.agent, e.todo["status"]) for e in changes] == [
        ("t1", "task", "pending"),
        ("t1", "task", "in_progress"),
        ("t1", "task", "completed"),
    ]
    assert kinds(events) == [
        "IntentStarted",
        "IntentRecognized",
        "WorkflowStarted",
        "WorkflowGenerated",
        "TodoChanged",
        "ToolCallStarted",
        "ToolCallArguments",
        "ToolCallFinished",
        "TodoChanged",
        "NoteWritten",
        "Token",
        "Finished",
    ]


async def test_call_is_told_as_it_arrives_and_when_it_is_done(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    events = await world.events("明天买菜")
    [begun] = [event for event in events if isinstance(event, ToolCallStarted)]
    pieces = [event for event in events if isinstance(event, ToolCallArguments)]
    [done] = [event for event in events if isinstance(event, ToolCallFinished)]
    assert (begun.todo_id, begun.agent, begun.name) == ("t1", "task", "create_task")
    assert json.loads("".join(piece.piece for piece in pieces)) == {"title": "买菜", "due_date": "明天"}
    assert {(e.call_id, e.todo_id, e.agent) for e in (*pieces, done)} == {(begun.call_id, "t1", "task")}
    assert (done.args, done.status) == ({"title": "买菜", "due_date": "明天"}, "success")
    assert "「买菜」" in done.message
    assert events.index(begun) < events.index(pieces[0]) < events.index(done)


async def test_refused_call_is_told_as_refused(world: World) -> None:
    world.script(triage=single("task"), task=[call("create_task", title=["买菜"]), BUY])
    events = await world.events("明天买菜")
    ends = [(e.status, e.args) for e in events if isinstance(e, ToolCallFinished)]
    assert ends == [("refused", {}), ("success", {"title": "买菜", "due_date": "明天"})]


async def test_call_that_the_engine_makes_is_told_from_its_beginning(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    clash = call("create_task", title="面试", due_date="明天", start_time="15:30", end_time="16:30")
    world.script(triage=single("task"), task=[clash])
    await world.events("面试")
    events = [event async for event in world.planner.stream_resume("t", "还是要建")]
    [begun] = [event for event in events if isinstance(event, ToolCallStarted)]
    [done] = [event for event in events if isinstance(event, ToolCallFinished)]
    assert (begun.call_id, done.status) == (done.call_id, "success")


async def test_intent_and_plan_are_told_in_order(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather")]
    world.script(triage=several, planner=[plan(*items)], task=[BUY], weather=[call("get_weather", date="周六")])
    events = await world.events("两件事")
    told = [event.type for event in events if ":" in event.type]
    assert told == [
        "intent:recognition-start",
        "intent:recognized",
        "workflow:generation-start",
        "workflow:generated",
    ]
    [recognized] = [event for event in events if isinstance(event, IntentRecognized)]
    [generated] = [event for event in events if isinstance(event, WorkflowGenerated)]
    [started] = [event for event in events if isinstance(event, WorkflowStarted)]
    assert (recognized.intent, recognized.confidence, recognized.needs_multi_agent) == ("complex_workflow", 0.95, True)
    assert started.request == "两件事"
    assert [(item["id"], item["content"], item["subagent"]) for item in generated.todos] == [
        ("a", "甲", "task"),
        ("w", "做 w", "weather"),
    ]
    workflow = Workflow.model_validate(generated.workflow)
    assert (workflow.id, workflow.description) == ("workflow-1", "两件事")
    assert [(node.id, node.desc, node.type) for node in workflow.agent_graph] == [
        ("a", "甲", "task"),
        ("w", "做 w", "weather"),
    ]


async def test_reasoning_is_told_apart_from_words(world: World) -> None:
    world.script(triage=classified("simple_chat"), reply=[Said("你好。", reasoning="用户在打招呼")])
    events = await world.events("你好")
    thoughts = [event for event in events if isinstance(event, Reasoning)]
    assert len(thoughts) > 1
    assert "".join(thought.text for thought in thoughts) == "用户在打招呼"
    assert events[-1].result.reply == "你好。"


async def test_calls_of_parallel_items_are_told_to_their_own(world: World) -> None:
    barrier = asyncio.Barrier(3)

    async def task(prompt: Prompt) -> Said:
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return call("create_task", title=prompt.told["item"], due_date="明天")

    async def weather(prompt: Prompt) -> Said:
        await asyncio.wait_for(barrier.wait(), timeout=10)
        return call("get_weather", date="周六")

    items = [todo("a", "task", "甲"), todo("b", "task", "乙"), todo("w", "weather")]
    world.script(triage=several, planner=[plan(*items)], task=task, weather=weather)
    events = await world.events("三件事")
    ends = [e for e in events if isinstance(e, ToolCallFinished) and e.todo_id]
    told = {(e.todo_id, e.agent, e.name, e.args.get("title")) for e in ends}
    assert told == {
        ("a", "task", "create_task", "甲"),
        ("b", "task", "create_task", "乙"),
        ("w", "weather", "get_weather", None),
    }


async def test_notes_are_told_with_item_and_agent(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather")]
    world.script(triage=several, planner=[plan(*items)], task=[BUY], weather=[call("get_weather", date="周六")])
    events = await world.events("两件事")
    notes = {(e.todo_id, e.agent, e.key) for e in events if isinstance(e, NoteWritten)}
    assert notes == {("a", "task", "r1/a"), ("w", "weather", "r1/w")}


@pytest.mark.parametrize("reply", ["买好了菜，也查了天气。", "\n\n买好了。 "])
async def test_tokens_join_to_the_reply(world: World, reply: str) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather")]
    world.script(triage=several, planner=[plan(*items)], task=[BUY], weather=[call("get_weather", date="周六")])
    world.script(reply=[reply])
    events = await world.events("两件事")
    tokens = [event.text for event in events if isinstance(event, Token)]
    [finished] = [event for event in events if isinstance(event, Finished)]
    assert len(tokens) > 1
    assert "".join(tokens) == finished.result.reply


async def test_reply_without_a_model_call_is_a_token_too(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    events = await world.events("明天买菜")
    [finished] = [event for event in events if isinstance(event, Finished)]
    assert "".join(event.text for event in events if isinstance(event, Token)) == finished.result.reply


async def test_words_of_planner_and_agents_are_told_as_theirs(world: World) -> None:
    """They can be hidden: the reply is what has no agent."""
    world.script(
        triage=several,
        planner=["我先想想。", plan(todo("a", "task", "甲"), todo("b", "task", "乙"))],
        task=by_item(甲=["马上。", BUY], 乙=[call("create_task", title="散步", due_date="周六")]),
        reply=["好了。"],
    )
    said: dict[tuple[str | None, str | None], str] = {}
    for event in await world.events("两件事"):
        if isinstance(event, Token):
            said[event.agent, event.todo_id] = said.get((event.agent, event.todo_id), "") + event.text
    assert said == {("planner", None): "我先想想。", ("task", "a"): "马上。", (None, None): "好了。"}


async def test_stream_that_stops_at_a_question_says_so_last_but_one(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    clash = call("create_task", title="面试", due_date="明天", start_time="15:30", end_time="16:30")
    world.script(triage=single("task"), task=[clash])
    *before, asked, finished = await world.events("面试")
    assert isinstance(asked, Asked)
    assert isinstance(finished, Finished)
    assert (asked.todo_id, asked.question.type) == ("t1", "conflict")
    assert asked.question == finished.result.question
    assert not any(isinstance(event, Token | Finished | Asked) for event in before)


async def test_resumed_stream_tells_the_rest(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    clash = call("create_task", title="面试", due_date="明天", start_time="15:30", end_time="16:30")
    world.script(triage=single("task"), task=[clash])
    await world.events("面试")
    await world.reopen()
    events = [event async for event in world.planner.stream_resume("t", "还是要建")]
    changes = [event.todo["status"] for event in events if isinstance(event, TodoChanged)]
    assert (changes[-1], isinstance(events[-1], Finished)) == ("completed", True)
    assert all(event.agent == "task" for event in events if isinstance(event, TodoChanged))
    assert [event.key for event in events if isinstance(event, NoteWritten)] == ["r1/t1"]


async def test_finished_is_the_same_result_as_run_gives(world: World) -> None:
    world.script(triage=several, planner=[together(plan(todo("a", "task", "甲"), todo("b", "task", "乙")))])
    world.script(task=by_item(甲=BUY, 乙=call("create_task", title="散步", due_date="周六")))
    events = await world.events("两件事")
    assert isinstance(events[-1], Finished)
    assert sum(isinstance(event, Finished) for event in events) == 1
    state = await world.state()
    assert events[-1].result.todos == state["todos"]
    assert events[-1].result.notes == state["notes"]
    assert events[-1].result.status == "completed"
    assert events[-1].result.thread_id == "t"
