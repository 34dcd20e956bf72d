"""Whole runs on real models over both wires: no vendor would refuse a prompt, every token counts, lines are closed."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from deep_planner.api import run
from deep_planner.app import open_planner
from deep_planner.settings import Settings
from tests.graph.wires import KEY, NAMES, connected, each_way, each_wire, thinking
from tests.graph.world import opened, plan, todo
from tests.support.model_server import Answer, ModelServer, Request, counted
from tests.support.scripted_model import Said, call, raw_call

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

CLASH = {"title": "面试", "due_date": "明天", "start_time": "15:30", "end_time": "16:30"}
EVERYTHING = "明天下午三点半面试，周六买菜，周日散步"


class Brain:
    """A plan of three items, one of which clashes and one of which is called wrongly at first; then a follow-up."""

    def __init__(self) -> None:
        self._together = threading.Barrier(3)
        self._wrong = True

    def __call__(self, request: Request) -> Answer:
        return thinking(getattr(self, request.role)(request), request)

    def triage(self, request: Request) -> Said:
        if request.told()["request"] == EVERYTHING:
            return call("classify_intent", intent="complex_workflow", confidence=0.9)
        return call("classify_intent", intent="single_task", confidence=0.9, subagent="task")

    def planner(self, request: Request) -> Said:
        return plan(todo("a", "task", "面试"), todo("b", "task", "买菜"), todo("c", "task", "散步"))

    def task(self, request: Request) -> Said:
        item = request.told()["item"]
        if len(request.messages) == 2 and item in ("面试", "买菜", "散步"):
            self._together.wait(20)
        if item == "买菜" and self._wrong:
            self._wrong = False
            return raw_call("create_task", '{"title": "买')
        made = {
            "面试": CLASH,
            "买菜": {"title": "买菜", "due_date": "周六"},
            "散步": {"title": "散步", "due_date": "周日"},
        }
        return call("create_task", **made[item]) if item in made else call("query_tasks")

    def answer(self, request: Request) -> Said:
        return call("take_answer", kind="choice", choice="yes")

    def note(self, request: Request) -> Said:
        return call("write_note", note="记下了", summary="记下了。")

    def reply(self, request: Request) -> Said:
        return Said("都安排好了。")


@each_way
@each_wire
async def test_no_vendor_refuses_a_prompt_of_a_long_thread(tmp_path: Path, wire: str, streamed: bool) -> None:
    echo = "required" if wire == "openai" else "forbidden"
    with ModelServer(Brain(), strict=True, echo=echo, tokens=counted) as server:
        async with connected(server, wire, streamed=streamed) as model, opened(tmp_path, model) as world:
            await world.has("开会", "15:00-16:00")
            results = [await world.run(EVERYTHING), await world.answer("没事，建吧"), await world.run("有什么任务")]
            assert [result.status for result in results] == ["waiting", "completed", "completed"]
            assert sorted(await world.titles()) == sorted(["开会", "面试", "买菜", "散步"])
    assert server.refusals == []
    assert server.peak == 3
    used = [usage for result in results for usage in result.usage.values()]
    assert sum(usage.calls for usage in used) == len(server.requests)
    assert sum(usage.input for usage in used) == server.totals.input
    assert sum(usage.output for usage in used) == server.totals.output
    planner = [request for request in server.requests if request.role in ("planner", "reply")]
    assert [request.extends for request in planner] == [False, True]
    assert {request.streamed for request in server.requests} == {streamed}


@each_wire
def test_each_event_loop_has_lines_of_its_own(tmp_path: Path, wire: str) -> None:
    """A pool that outlives its event loop fails with "Event loop is closed" in the second ``asyncio.run``."""

    async def go(server: ModelServer, settings: Settings) -> str:
        async with open_planner(settings) as planner:
            return (await planner.run("有什么任务")).status

    with ModelServer(Brain(), keep_alive=True) as server:
        settings = _settings(server, wire, tmp_path)
        assert [asyncio.run(go(server, settings)) for _ in range(2)] == ["completed"] * 2
        assert len(server.requests) == 6
        assert server.connections == 2


@each_wire
def test_run_twice_in_one_process(tmp_path: Path, wire: str) -> None:
    with ModelServer(Brain(), keep_alive=True) as server:
        settings = _settings(server, wire, tmp_path)
        assert [run("有什么任务", settings=settings).status for _ in range(2)] == ["completed"] * 2


def _settings(server: ModelServer, wire: str, folder: Path) -> Settings:
    (folder / "weather.json").write_text("[]", encoding="utf-8")
    address = server.url if wire == "openai" else server.dashscope_url
    return Settings(
        model=NAMES[wire],
        base_url=address,
        database=str(folder / "p.db"),
        weather_file=folder / "weather.json",
        timezone="Asia/Shanghai",
    )


async def test_reasoning_is_stored_and_never_shown_as_the_reply(tmp_path: Path) -> None:
    with ModelServer(Brain()) as server:
        async with connected(server, "openai") as model, opened(tmp_path, model) as world:
            result = await world.run(EVERYTHING)
            state = await world.state()
    assert "想一想" not in result.reply
    assert "想一想 planner" in str(state["messages"])
    assert KEY not in json.dumps(result.model_dump(mode="json")) + str(state)
