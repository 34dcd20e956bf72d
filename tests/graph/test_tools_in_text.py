"""Models without tool calling: calls in plain text, and the parser for arguments that they get wrong (seed 001)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deep_planner.app import open_planner
from deep_planner.settings import Settings
from tests.graph.world import NOW
from tests.support.builders import tasks_of
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said
from tools.core.clock import FrozenClock

pytestmark = pytest.mark.graph


def calling(name: str, arguments: Any) -> Said:
    return Said(json.dumps({"tool_calls": [{"name": name, "arguments": arguments}]}, ensure_ascii=False))


class Plain:
    """A vendor that knows nothing of tools: who speaks is told by the tools in the system prompt."""

    def __init__(self) -> None:
        self.task: list[Said] = []
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request.body)
        system = request.messages[0]["content"]
        last = request.messages[-1]["content"]
        if '"classify_intent"' in system:
            return calling("classify_intent", {"intent": "complex_workflow", "confidence": 0.9})
        if '"write_note"' in system:
            return Said(
                '```json\n{"tool_calls": [{"name": "write_note", "arguments": {"note": "好", "summary": "好了"}}]}\n```'
            )
        if '"write_todo"' in system:
            if "items" in last:
                return Said("都好了。")
            return calling("write_todo", {"todos": [{"id": "a", "content": "明天买菜", "subagent": "task"}]})
        if '"query_tasks"' in system:
            return self.task.pop(0)
        return Said('{"title": "买菜", "due_date": "明天"}')


@pytest.fixture
def plain() -> Plain:
    return Plain()


@pytest.fixture
async def ran(tmp_path: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_API_KEY", "-")

    async def run(*steps: Said) -> tuple[Any, list[str]]:
        plain.task = list(steps)
        with ModelServer(plain) as server:
            settings = Settings.load(
                database=str(tmp_path / "planner.db"),
                model="openai:plain",
                base_url=server.url,
                tool_calling="text",
                timezone="Asia/Shanghai",
            )
            async with open_planner(settings, clock=FrozenClock(NOW)) as planner:
                result = await planner.run("明天买菜，还有别的", thread="t")
                return result, [task.title for task in await tasks_of(planner.database)]

    return run


async def test_a_whole_run_without_a_single_tool_on_the_wire(ran: Any, plain: Plain) -> None:
    result, titles = await ran(calling("create_task", {"title": "买菜", "due_date": "明天"}))
    assert (result.status, titles) == ("completed", ["买菜"])
    assert all("tools" not in body and "tool_choice" not in body for body in plain.requests)
    roles = {message["role"] for body in plain.requests for message in body["messages"]}
    assert roles <= {"system", "user", "assistant"}


@pytest.mark.parametrize("arguments", [{}, None, "买菜", {"name": "买菜"}])
async def test_model_names_the_tool_and_the_parser_makes_the_arguments(ran: Any, arguments: Any) -> None:
    result, titles = await ran(calling("create_task", arguments))
    assert (result.status, titles) == ("completed", ["买菜"])


async def test_words_are_no_call(ran: Any) -> None:
    result, titles = await ran(
        Said("好的，已经建好了。"), calling("create_task", {"title": "买菜", "due_date": "明天"})
    )
    assert (result.status, titles) == ("completed", ["买菜"])
