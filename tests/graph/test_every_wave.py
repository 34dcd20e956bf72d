"""Supervision ``every_wave``, the rhythm of seed 004 (E03, E05, E06, X4): the planner marks what is next."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage

from deep_planner.models.rules import OfflineRules
from tests.graph.world import World, by_item, opened, plan, several, statuses, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph

ITEMS = [todo("a", "task", "甲"), todo("b", "task", "乙"), todo("c", "task", "丙")]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path, supervision="every_wave") as world:
        world.script(triage=several, task=creating)
        yield world


def creating(prompt: Prompt) -> Said:
    return call("create_task", title=prompt.told["item"], due_date="明天")


def marks(**status: str) -> Said:
    return call("update_todo", changes=[{"id": name, "status": value} for name, value in status.items()])


async def test_first_item_is_in_progress_and_the_rest_pending(world: World) -> None:
    world.script(planner=[plan(*ITEMS), marks(a="done", b="in_progress"), marks(b="done", c="in_progress")])
    await world.run("都做")
    lists = [[t["status"] for t in s.values["todos"]] for s in await world.history() if s.values.get("todos")]
    assert lists[0] == ["in_progress", "pending", "pending"]


async def test_planner_marks_each_next_item(world: World) -> None:
    world.script(planner=[plan(*ITEMS), marks(a="done", b="in_progress"), marks(b="done", c="in_progress")])
    result = await world.run("都做")
    assert world.model.roles == ["triage", *["planner", "task", "note"] * 3, "reply"]
    assert (result.status, await world.titles()) == ("completed", ["甲", "乙", "丙"])


async def test_several_items_may_be_started_together(world: World) -> None:
    world.script(planner=[plan(*ITEMS), marks(a="done", b="in_progress", c="in_progress")])
    result = await world.run("都做")
    assert world.model.roles.count("planner") == 2
    assert statuses(result) == dict.fromkeys("abc", "completed")


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"b": "in_progress"}, id="no done"),
        pytest.param({"a": "done"}, id="no in_progress"),
        pytest.param({"b": "done"}, id="done that is not"),
        pytest.param({"a": "done", "b": "finished"}, id="unknown status"),
    ],
)
async def test_call_without_both_is_refused(world: World, bad: dict[str, str]) -> None:
    good = [marks(a="done", b="in_progress"), marks(b="done", c="in_progress")]
    world.script(planner=[plan(*ITEMS), marks(**bad), *good])
    result = await world.run("都做")
    refused = world.model.of("planner")[2].messages[-1]
    assert isinstance(refused, ToolMessage)
    assert refused.status == "error"
    assert statuses(result) == dict.fromkeys("abc", "completed")


async def test_item_whose_parent_is_open_may_not_be_started(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("b", "task", "乙"), todo("c", "task", "丙", ["b"])]
    bad = marks(a="done", c="in_progress")
    world.script(planner=[plan(*items), bad, marks(a="done", b="in_progress"), marks(b="done", c="in_progress")])
    result = await world.run("都做")
    assert world.model.of("planner")[2].messages[-1].text == "项目 c 还要等 b，不能开始。"
    assert [prompt.told["item"] for prompt in world.model.of("task")] == ["甲", "乙", "丙"]
    assert result.status == "completed"


async def test_planner_that_stops_early_has_not_succeeded(world: World) -> None:
    world.script(planner=[plan(*ITEMS), "差不多了。"])
    result = await world.run("都做")
    assert await world.titles() == ["甲"]
    assert result.status == "failed"


async def test_failure_of_the_last_item_wakes_the_planner(world: World) -> None:
    world.script(
        planner=[plan(todo("a", "task", "甲"), todo("b", "task", "坏")), marks(a="done", b="in_progress"), ""],
        task=by_item(甲=creating, 坏=call("finish_task", title="不存在")),
    )
    result = await world.run("都做")
    assert world.model.roles.count("planner") == 3
    assert (result.status, statuses(result)) == ("failed", {"a": "completed", "b": "failed"})


async def test_offline_model_keeps_the_rhythm(tmp_path: Path) -> None:
    async with opened(tmp_path / "other", OfflineRules(), supervision="every_wave") as offline:
        result = await offline.run("周末早上去机场接人")
        assert [(t["subagent"], t["status"]) for t in result.todos] == [
            ("task", "completed"),
            ("weather", "completed"),
            ("notification", "completed"),
        ]
        assert (len(await offline.tasks()), len(await offline.reminders())) == (1, 1)


async def test_first_item_that_must_wait_is_not_the_first_to_start(world: World) -> None:
    items = [todo("b", "task", "乙", ["a"]), todo("a", "task", "甲")]
    world.script(planner=[plan(*items), marks(a="in_progress"), marks(a="done", b="in_progress")])
    result = await world.run("都做")
    assert [prompt.told["item"] for prompt in world.model.of("task")] == ["甲", "乙"]
    assert (result.status, statuses(result)) == ("completed", {"b": "completed", "a": "completed"})
