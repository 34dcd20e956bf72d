"""Whole runs against vendors on loopback: the ledger is the server's own, another model stands in, no key is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deep_planner.app import Planner, open_planner
from deep_planner.events import Event, Finished, Retrying, Token
from deep_planner.settings import Settings
from tests.graph.wires import KEY
from tests.graph.world import NOW, plan, todo
from tests.support.builders import tasks_of
from tests.support.model_server import Answer, Failure, ModelServer, Request, counted, spoiled
from tests.support.scripted_model import Said, call
from tools.core.clock import FrozenClock

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

REQUEST = "明天下午三点到四点开会，周六上午十点到十一点买菜"
WHAT = {"开会": ("明天", "15:00", "16:00"), "买菜": ("周六", "10:00", "11:00")}


def planned(request: Request) -> bool:
    return any(message["role"] == "tool" for message in request.messages)


def script(request: Request) -> Answer:
    match request.role:
        case "triage":
            return call("classify_intent", intent="complex_workflow", confidence=0.9)
        case "planner":
            items = (("a", "明天下午三点到四点开会"), ("b", "周六上午十点到十一点买菜"))
            return plan(*(todo(name, "task", content) for name, content in items)) if not planned(request) else Said()
        case "task":
            title = next(title for title in WHAT if title in request.told()["item"])
            day, start, end = WHAT[title]
            return call("create_task", title=title, due_date=day, start_time=start, end_time=end)
        case "note":
            return call("write_note", note="好", summary="好了。")
    return Said("都安排好了。", reasoning="两件事都做完了")


@dataclass
class Run:
    """A planner that the settings alone have made, and what it told."""

    planner: Planner
    events: list[Event]

    @property
    def finished(self) -> Finished:
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last


@asynccontextmanager
async def ran(folder: Path, model: str, address: str, **settings: Any) -> AsyncIterator[Run]:
    chosen = Settings.load(
        database=str(folder / "planner.db"),
        model=model,
        base_url=address,
        timezone="Asia/Shanghai",
        model_attempts=1,
        **settings,
    )
    async with open_planner(chosen, clock=FrozenClock(NOW)) as planner:
        yield Run(planner, [event async for event in planner.stream(REQUEST, thread="t")])


@pytest.mark.parametrize("vendor", ["openai", "deepseek", "dashscope"])
async def test_ledger_is_the_servers_own(tmp_path: Path, vendor: str) -> None:
    with ModelServer(script, tokens=counted, strict=True) as server:
        address = server.dashscope_url if vendor == "dashscope" else server.url
        async with ran(tmp_path, f"{vendor}:test-model", address) as run:
            result = run.finished.result
    assert (result.status, result.reply, server.refusals) == ("completed", "都安排好了。", [])
    rows = result.usage.values()
    assert sum(row.calls for row in rows) == len(server.requests)
    assert (sum(row.input for row in rows), sum(row.output for row in rows)) == (
        server.totals.input,
        server.totals.output,
    )
    assert (sum(row.cached for row in rows), sum(row.reasoning for row in rows)) == (
        server.totals.cached,
        server.totals.reasoning,
    )
    assert min(server.totals.cached, server.totals.reasoning) > 0
    assert set(result.usage) == {"strong test-model", "light test-model"}


async def test_offline_rules_stand_in_when_the_service_breaks_down_in_mid_run(tmp_path: Path) -> None:
    """The plan was made by the vendor's model; from then on nobody answers there (N9)."""
    with ModelServer(spoiled(script, "server_error", role="task")) as server:
        async with ran(tmp_path, "openai:test-model", server.url, offline_fallback=True) as run:
            tasks = await tasks_of(run.planner.database)
    assert run.finished.result.status == "completed"
    assert [(task.title, f"{task.start_time:%H:%M}") for task in tasks] == [("开会", "15:00"), ("买菜", "10:00")]
    waits = [event for event in run.events if isinstance(event, Retrying)]
    assert {(event.model, event.instead, event.agent) for event in waits} >= {("test-model", "offline:rules", "task")}
    assert set(run.finished.result.usage) >= {"strong test-model", "strong offline:rules"}


async def test_without_leave_nobody_stands_in(tmp_path: Path) -> None:
    with ModelServer(spoiled(script, "server_error", role="task")) as server:
        async with ran(tmp_path, "openai:test-model", server.url) as run:
            assert await tasks_of(run.planner.database) == []
    assert run.finished.result.status == "failed"
    assert run.finished.result.reply.startswith("都安排好了。\n没有做成的：明天下午三点到四点开会、周六")
    said = "".join(event.text for event in run.events if isinstance(event, Token) and event.agent is None)
    assert said == run.finished.result.reply


async def test_another_model_is_asked_before(tmp_path: Path) -> None:
    def one_is_down(request: Request) -> Answer:
        return Failure(503) if request.body["model"] == "first" else script(request)

    with ModelServer(one_is_down) as server:
        async with ran(tmp_path, "openai:first", server.url, fallback_models=["openai:second"]) as run:
            pass
    assert run.finished.result.status == "completed"
    assert [request.body["model"] for request in server.requests][:2] == ["first", "second"]
    assert [request.body["model"] for request in server.requests].count("first") == 1


async def test_key_is_kept_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Neither in the context, nor in state, checkpoints, rows, events, replies or the log; the provider echoes it."""
    caplog.set_level("DEBUG", logger="deep_planner")
    caplog.set_level("DEBUG", logger="subagents")
    with ModelServer(spoiled(script, "key_echoed", role="task", times=1)) as server:
        async with ran(tmp_path, "openai:test-model", server.url) as run:
            state = await run.planner.graph.aget_state({"configurable": {"thread_id": "1:t"}})
            context = run.planner.settings.context().model_dump_json()
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    told = "".join(event.model_dump_json() for event in run.events)
    for place in (str(state), context, told, caplog.text, repr(run.planner.settings)):
        assert KEY not in place
    for file in [file for file in tmp_path.rglob("*") if file.is_file()]:  # noqa: ASYNC240 - a handful of small files
        assert KEY.encode() not in file.read_bytes()
