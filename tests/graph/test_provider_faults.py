"""Every fault of a provider ends in a repair or in a clear failure (N9, B09): never in a success that did nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

import pytest

from deep_planner.models.factory import make_model
from subagents.patience import Patience
from tests.graph.wires import KEY
from tests.graph.world import World, opened, statuses
from tests.support.model_server import FAULTS, Answer, ModelServer, Request, spoiled
from tests.support.model_server.faults import SENT
from tests.support.scripted_model import Said, call

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

WHOLE = {"title": "买菜", "due_date": "明天", "description": "两斤西红柿"}
#: Where an answer that is whole must be waited for, also on a busy machine.
PATIENT = Patience(attempts=3, first_wait=0.01, silence=2.0)
#: Where none will come.
QUICK = Patience(attempts=2, first_wait=0.01, silence=0.1)


def script(request: Request) -> Answer:
    match request.role:
        case "triage":
            return call("classify_intent", intent="single_task", confidence=0.9, subagent="task")
        case "task":
            return call("create_task", **WHOLE)
        case "note":
            return call("write_note", note="买菜，周五", summary="记下了：买菜。")
    return Said("null")


#: Streamed, as LangGraph asks; one JSON answer is tried in ``test_model_faults``.
WIRES = {
    "openai, events": ("openai:test-model", True),
    "dashscope, events": ("dashscope:test-model", True),
}


#: What the same request asked again would meet again.
HOPELESS = ("context_length", "key_echoed")


@asynccontextmanager
async def world_of(
    folder: Path, server: ModelServer, wire: tuple[str, bool], patience: Patience = PATIENT
) -> AsyncIterator[World]:
    name, streamed = wire
    address = server.url if name.startswith("openai") else server.dashscope_url
    model, closers = make_model(name, address)
    if not streamed:
        model = model.model_copy(update={"disable_streaming": True})
    try:
        async with opened(folder, model, patience=patience) as world:
            yield world
    finally:
        for close in closers:
            await close()


@pytest.fixture
def clean_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert KEY not in caplog.text


class Spoiler:
    """The script with a fault that can be changed while the server runs."""

    def __init__(self) -> None:
        self.now: Callable[[Request], Answer] = script

    def __call__(self, request: Request) -> Answer:
        return self.now(request)


def emptied(world: World) -> None:
    """The next fault begins without rows."""
    connection = sqlite3.connect(world.file)
    with connection:
        connection.execute("DELETE FROM tasks")
    connection.close()


@pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
async def test_fault_that_stays(
    tmp_path: Path, wire: tuple[str, bool], clean_log: None, subtests: pytest.Subtests
) -> None:
    spoiler = Spoiler()
    with ModelServer(spoiler) as server:
        async with world_of(tmp_path, server, wire, QUICK) as world:
            for kind in FAULTS:
                spoiler.now = spoiled(script, kind, role="task")
                before = server.roles.count("task")
                with subtests.test(kind=kind):
                    await never_a_silent_success(world, kind)
                    assert server.roles.count("task") - before <= 3 * QUICK.attempts
                emptied(world)


async def never_a_silent_success(world: World, thread: str) -> None:
    result = await world.planner.run("明天买菜，两斤西红柿", thread=thread)
    state = str((await world.planner.graph.aget_state({"configurable": {"thread_id": f"1:{thread}"}})).values)
    done = [(task.title, task.date, task.description) for task in await world.tasks()]
    assert done in ([], [("买菜", date(2026, 2, 13), "两斤西红柿")])
    assert (result.status, statuses(result)["t1"]) == (("completed",) * 2 if done else ("failed",) * 2)
    assert result.reply
    assert "Traceback" not in result.reply
    assert KEY not in state + result.model_dump_json()


PASSING = (*SENT, "empty_choices", "null_message", "cut_arguments", "duplicate_ids", "refusal")


async def test_fault_that_passes(tmp_path: Path, clean_log: None, subtests: pytest.Subtests) -> None:
    """Once is no reason to fail, unless asking the same again is of no use."""
    spoiler = Spoiler()
    with ModelServer(spoiler) as server:
        async with world_of(tmp_path, server, WIRES["openai, events"]) as world:
            for kind in PASSING:
                spoiler.now = spoiled(script, kind, role="task", times=1)
                with subtests.test(kind=kind):
                    result = await world.planner.run("明天买菜，两斤西红柿", thread=kind)
                    expected = ("failed", []) if kind in HOPELESS else ("completed", ["买菜"])
                    assert (result.status, await world.titles()) == expected
                emptied(world)


@pytest.mark.parametrize("role", ["triage", "note"])
@pytest.mark.parametrize("kind", ["cut_arguments", "broken_json", "empty_choices", "finish_length", "ended_early"])
async def test_fault_of_the_light_model(tmp_path: Path, role: str, kind: str) -> None:
    with ModelServer(spoiled(script, kind, role=role)) as server:
        async with world_of(tmp_path, server, WIRES["openai, events"]) as world:
            result = await world.run("明天买菜，两斤西红柿")
            titles = await world.titles()
    assert (result.status, titles) == (("failed", []) if role == "triage" else ("completed", ["买菜"]))
    assert result.reply
