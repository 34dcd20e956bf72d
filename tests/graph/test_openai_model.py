"""A model behind the OpenAI wire, on loopback: whole requests, streamed and not, and what happens when it fails."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from deep_planner.events import Finished, Token
from deep_planner.models.factory import make_models
from tests.graph.wires import KEY
from tests.graph.world import World, opened, plan, todo
from tests.support.model_server import USAGE, Answer, Failure, ModelServer, Request
from tests.support.scripted_model import Said, call, raw_call

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

REQUEST = "明天买菜"


class Script:
    """What each role answers; a test changes what it is about."""

    def __init__(self) -> None:
        self.lines: dict[str, Any] = {
            "triage": lambda: call("classify_intent", intent="single_task", confidence=0.9, subagent="task"),
            "task": lambda: call("create_task", title="买菜", due_date="明天"),
            "note": lambda: call("write_note", note="买菜，周五", summary="记下了：买菜。"),
            "planner": lambda: plan(todo("a", "task", "买菜"), todo("b", "task", "散步")),
            "reply": lambda: Said("都安排好了，周五买菜。"),
        }

    def __call__(self, request: Request) -> Answer:
        line = self.lines[request.role]
        if isinstance(line, list):
            return line.pop(0)
        return line()


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def server(script: Script) -> AsyncIterator[ModelServer]:
    with ModelServer(script) as running:
        yield running


#: Tests that go over both wires: server-sent events, and one JSON answer.
both_wires = pytest.mark.parametrize("streamed", [True, False], ids=["events", "json"])


@pytest.fixture
def streamed() -> bool:
    return True


@pytest.fixture
async def world(tmp_path: Path, server: ModelServer, streamed: bool) -> AsyncIterator[World]:
    model = make_models("openai:test-model", None, server.url).strong
    if not streamed:
        model = model.model_copy(update={"disable_streaming": True})
    async with opened(tmp_path, model) as world:
        yield world
    assert {asked.streamed for asked in server.requests} == {streamed}


@both_wires
async def test_run_of_a_single_task(world: World, server: ModelServer) -> None:
    result = await world.run(REQUEST)
    assert (result.status, result.reply) == ("completed", "记下了：买菜。")
    assert await world.titles() == ["买菜"]
    assert server.roles == ["triage", "task", "note"]
    assert {(r.path, r.body["model"]) for r in server.requests} == {("/v1/chat/completions", "test-model")}
    assert {r.headers["authorization"] for r in server.requests} == {f"Bearer {KEY}"}


@both_wires
async def test_stream_of_a_plan(world: World, script: Script, server: ModelServer) -> None:
    script.lines["triage"] = lambda: call("classify_intent", intent="complex_workflow", confidence=0.9)
    script.lines["task"] = [call("create_task", title=t, due_date=d) for t, d in (("买菜", "明天"), ("散步", "周六"))]
    events = await world.events("明天买菜，周六散步")
    tokens = [event.text for event in events if isinstance(event, Token)]
    assert isinstance(events[-1], Finished)
    assert ("".join(tokens), len(tokens) > 1) == ("都安排好了，周五买菜。", server.requests[0].streamed)
    assert events[-1].result.status == "completed"
    assert await world.titles() == ["买菜", "散步"]
    [reply] = [request for request in server.requests if request.role == "reply"]
    assert reply.body["tool_choice"] == "none"
    assert reply.body["tools"][0]["function"]["name"] == "write_todo"


@both_wires
async def test_tokens_that_the_provider_reports_are_counted(world: World) -> None:
    result = await world.run(REQUEST)
    counted = {name: (usage.calls, usage.input, usage.output) for name, usage in result.usage.items()}
    per_call = USAGE["prompt_tokens"], USAGE["completion_tokens"]
    assert counted == {
        "light test-model": (2, 2 * per_call[0], 2 * per_call[1]),
        "strong test-model": (1, *per_call),
    }


@pytest.mark.parametrize(("role", "status"), [("triage", 401), ("planner", 500), ("task", 401), ("task", 500)])
async def test_error_is_a_failed_result_with_a_clear_message(
    world: World, script: Script, role: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    if role == "planner":
        script.lines["triage"] = lambda: call("classify_intent", intent="complex_workflow", confidence=0.9)
    script.lines[role] = lambda: Failure(status, f"Incorrect API key provided: {KEY}")
    # The note agent shares the model, and a service that refuses one call refuses the next.
    script.lines["note"] = lambda: Failure(status, f"Incorrect API key provided: {KEY}")
    result = await world.run(REQUEST)
    assert (result.status, await world.titles()) == ("failed", [])
    assert "test-model" in result.reply
    assert str(status) in result.reply
    assert KEY not in result.model_dump_json()
    assert KEY not in str(await world.state())
    assert KEY not in caplog.text
    assert "Traceback" not in result.reply


async def test_note_agent_that_is_refused_costs_the_summary_alone(world: World, script: Script) -> None:
    script.lines["note"] = lambda: Failure(500)
    result = await world.run(REQUEST)
    assert result.status == "completed"
    assert "「买菜」" in result.reply


@both_wires
@pytest.mark.parametrize("finish", ["tool_calls", "length"])
async def test_arguments_that_break_off_are_never_guessed(world: World, script: Script, finish: str) -> None:
    """A streamed call whose JSON ends in the middle: completing it would book what nobody asked for."""
    cut = raw_call("create_task", '{"title": "买菜", "due_date": "明天", "description": "两', finish=finish)
    whole = call("create_task", title="买菜", due_date="周六")
    script.lines["task"] = [cut, whole]
    result = await world.run(REQUEST)
    assert result.status == "completed"
    assert [task.date.day for task in await world.tasks()] == [14]


@both_wires
async def test_history_of_a_repair_can_be_sent_again(world: World, script: Script, server: ModelServer) -> None:
    """Vendors refuse histories with broken JSON in them, and calls without an answer."""
    script.lines["task"] = [raw_call("create_task", "title=买菜"), call("create_task", title="买菜", due_date="明天")]
    await world.run(REQUEST)
    second = [request for request in server.requests if request.role == "task"][1]
    [asking] = [message for message in second.body["messages"] if message["role"] == "assistant"]
    answers = [message["tool_call_id"] for message in second.body["messages"] if message["role"] == "tool"]
    assert [json.loads(made["function"]["arguments"]) for made in asking["tool_calls"]] == [{}]
    assert [made["id"] for made in asking["tool_calls"]] == answers
