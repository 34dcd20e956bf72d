"""The directory of threads, and one run at a time on each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from deep_planner.app import open_planner
from deep_planner.asked import LONGEST_THREAD
from deep_planner.cli.one_shot import shown
from deep_planner.cli.view import View
from deep_planner.events import Event, TodoChanged
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from subagents.thinking import Models
from tests.graph.world import NOW, World, noted, single
from tests.support.scripted_model import Prompt, Said, ScriptedModel, call
from tools.core.clock import FrozenClock
from tools.core.errors import ThreadError, UsageError
from tools.domain.records import ThreadRecord, ThreadStatus
from tools.services.weather import SampleWeather
from tools.store.threads import LONGEST_WORDS

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")


@dataclass
class Halt:
    """An answer that does not come until it is let go."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, prompt: Prompt) -> Said:
        self.reached.set()
        await self.go_on.wait()
        return BUY


async def only(planner: Planner) -> ThreadRecord:
    [record] = await planner.threads()
    return record


async def cut_off(world: World) -> None:
    """A request whose run ends in mid-work."""
    halt = Halt()
    world.script(triage=single("task"), task=[halt], note=noted)
    running = asyncio.create_task(world.run("明天买菜"))
    await asyncio.wait_for(halt.reached.wait(), timeout=10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_thread_is_written_down_from_its_first_request_on(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    await world.run("明天买菜")
    first = await only(world.planner)
    assert (first.name, first.first_request, first.requests, first.status) == ("t", "明天买菜", 1, "completed")
    assert (first.started_at, first.updated_at) == (NOW, NOW)
    await world.reopen(NOW + timedelta(hours=1))
    world.script(task=[call("ask_user", question="哪天？")])
    await world.run("再约  一次\n看牙")
    second = await only(world.planner)
    assert (second.first_request, second.last_request, second.requests) == ("明天买菜", "再约 一次 看牙", 2)
    assert (second.status, second.started_at, second.updated_at) == ("waiting", NOW, NOW + timedelta(hours=1))


async def test_a_long_request_is_cut_in_the_directory_alone(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    await world.run("明天买菜\x00" + "和" * 1000)
    record = await only(world.planner)
    assert (len(record.first_request), record.first_request[-1], "\x00" in record.first_request) == (
        LONGEST_WORDS,
        "…",
        False,
    )


async def test_a_run_that_is_cut_off_is_interrupted_and_goes_on(world: World) -> None:
    await cut_off(world)
    assert (await only(world.planner)).status is ThreadStatus.INTERRUPTED
    world.script(task=[BUY])
    assert (await world.planner.resume("t")).status == "completed"
    record = await only(world.planner)
    assert (record.status, record.requests, await world.titles()) == ("completed", 1, ["买菜"])


async def test_a_row_left_running_by_a_kill_is_interrupted_unless_somebody_holds_the_thread(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    await world.run("明天买菜")
    directory = world.planner.directory
    await directory.settle("t", ThreadStatus.RUNNING)
    assert (await only(world.planner)).status is ThreadStatus.INTERRUPTED
    async with directory.busy("t"):
        assert (await only(world.planner)).status is ThreadStatus.RUNNING


async def test_a_run_that_was_killed_after_its_last_step_tells_its_reply_again(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    told = await world.run("明天买菜")
    await world.planner.directory.settle("t", ThreadStatus.RUNNING)
    again = await world.planner.resume("t")
    assert (again.reply, again.status) == (told.reply, "completed")
    assert ((await only(world.planner)).status, await world.titles()) == ("completed", ["买菜"])


async def test_a_request_of_which_nothing_was_stored_must_be_said_again(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    await world.run("明天买菜")
    state = await world.snapshot()
    directory, stored = world.planner.directory, state.config["configurable"]["checkpoint_id"]
    async with directory.written("t", "后天看牙", stored):
        """Killed here."""
    with pytest.raises(ThreadError) as refused:
        await world.planner.resume("t")
    assert (refused.value.key, "后天看牙" in refused.value.message("zh")) == ("never_started", True)


async def test_a_busy_thread_refuses_at_once_and_loses_nothing(world: World) -> None:
    halt = Halt()
    world.script(triage=single("task"), task=[halt], note=noted)
    running = asyncio.create_task(world.run("明天买菜"))
    await asyncio.wait_for(halt.reached.wait(), timeout=10)
    with pytest.raises(ThreadError, match="at work on the thread"):
        await world.run("后天看牙")
    for attempt in (world.planner.resume("t"), world.planner.resume("t", "好"), world.planner.remove_thread("t")):
        with pytest.raises(ThreadError, match="at work on the thread"):
            await attempt
    halt.go_on.set()
    assert (await running).status == "completed"
    said = [message.text for message in (await world.state())["messages"] if message.type == "human"]
    assert (said, await world.titles(), (await only(world.planner)).requests) == (["明天买菜"], ["买菜"], 1)


async def test_who_stops_listening_frees_the_thread(world: World) -> None:
    world.script(triage=single("task"), task=[BUY, BUY], note=noted)
    stream = world.planner.stream("明天买菜", thread="t")
    await anext(stream)
    await stream.aclose()
    assert (await only(world.planner)).status is ThreadStatus.INTERRUPTED
    assert (await world.planner.resume("t")).status == "completed"
    assert list(world.file.parent.glob("*-locks/*")) == [], "a lock was left"


async def test_a_view_that_fails_frees_the_thread(world: World) -> None:
    class Broken(View):
        def event(self, event: Event) -> None:
            if isinstance(event, TodoChanged):
                raise ValueError("the view is broken")

    world.script(triage=single("task"), task=[BUY], note=noted)
    with pytest.raises(ValueError, match="the view is broken"):
        await shown(world.planner.stream("明天买菜", thread="t"), Broken("zh"))
    assert (await only(world.planner)).status is ThreadStatus.INTERRUPTED
    assert (await world.planner.resume("t")).status == "completed"


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Planner, Planner, ScriptedModel]]:
    """Two users on one database and one model."""
    model = ScriptedModel()
    async with AsyncExitStack() as stack:
        planners = []
        for user in (1, 2):
            settings = Settings(
                database=str(tmp_path / "planner.db"), user_id=user, timezone="Asia/Shanghai", language="zh"
            )
            opened = open_planner(
                settings,
                clock=FrozenClock(NOW),
                models=Models(model, model),
                weather=SampleWeather([]),
                console=lambda line: None,
            )
            planners.append(await stack.enter_async_context(opened))
        yield planners[0], planners[1], model


async def test_a_thread_is_its_users_alone(two: tuple[Planner, Planner, ScriptedModel]) -> None:
    mine, theirs, model = two
    model.script(triage=single("task"), task=[call("ask_user", question="哪天？")], note=noted)
    assert (await mine.run("买菜", thread="t")).status == "waiting"
    assert await theirs.threads() == []
    assert await theirs.standing("t") is None
    for attempt in (theirs.resume("t", "明天"), theirs.resume("t"), theirs.remove_thread("t")):
        with pytest.raises(ThreadError) as refused:
            await attempt
        assert refused.value.key == "unknown_thread"
    assert (await only(mine)).status is ThreadStatus.WAITING


async def test_the_same_name_is_another_thread_for_another_user(two: tuple[Planner, Planner, ScriptedModel]) -> None:
    mine, theirs, model = two
    model.script(triage=single("task"), task=[call("ask_user", question="哪天？"), BUY, BUY], note=noted)
    model.script(answer=[call("take_answer", kind="answer")])
    await mine.run("买菜", thread="t")
    assert (await theirs.run("明天买菜", thread="t")).status == "completed"
    assert [(await only(each)).first_request for each in (mine, theirs)] == ["买菜", "明天买菜"]
    removed = await theirs.remove_thread("t")
    assert removed is not None
    assert (await only(mine)).status is ThreadStatus.WAITING
    assert (await mine.resume("t", "明天")).status == "completed"


async def test_a_thread_that_is_removed_is_gone_and_its_tasks_stay(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    await world.run("明天买菜")
    removed = await world.planner.remove_thread("t")
    assert removed is not None
    assert (removed.first_request, removed.requests) == ("明天买菜", 1)
    assert (await world.state(), await world.planner.threads(), await world.titles()) == ({}, [], ["买菜"])
    with pytest.raises(ThreadError, match="no thread"):
        await world.planner.remove_thread("t")


@pytest.mark.parametrize("name", ["长" * (LONGEST_THREAD + 1), "a\x00b", "a\x1b[2J", "\ud800"])
async def test_what_cannot_be_a_name_is_refused(world: World, name: str) -> None:
    with pytest.raises(UsageError):
        await world.planner.run("明天买菜", thread=name)
    assert await world.planner.threads() == []
