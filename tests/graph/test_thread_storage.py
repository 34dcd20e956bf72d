"""How a thread is stored: the delta channels fold as plain reducers do, and finished items leave no inner steps."""

from __future__ import annotations

import asyncio
import copy
import operator
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from deep_planner.graph.state import PlannerState
from deep_planner.threads import ThreadSaver, open_threads
from subagents.state import merge_messages, merge_windows
from tests.graph.world import World, by_item, noted, plan, several, single, todo
from tests.support.scripted_model import Prompt, Said, call
from tools.domain.notes import merge_notes
from tools.domain.todos import merge_todos

pytestmark = pytest.mark.graph

REDUCERS = {
    "messages": merge_messages,
    "todos": merge_todos,
    "notes": merge_notes,
    "task_messages": merge_windows,
    "write_note_messages": merge_windows,
}
CHANNELS = list(REDUCERS)
EMPTY: dict[str, Any] = {"messages": [], "todos": [], "notes": {}, "task_messages": {}, "write_note_messages": {}}

names = st.sampled_from(["a", "b", "c"])
messages = st.builds(lambda name, words: AIMessage(words, id=name), names, st.text("xyz", max_size=2))
removals = st.builds(lambda name: RemoveMessage(id=name), names)
todos = st.builds(
    lambda name, fields: {"id": name, **fields},
    names,
    st.fixed_dictionaries(
        {},
        optional={"status": st.sampled_from(["pending", "failed"]), "note": st.none() | names, "drop": st.just(True)},
    ),
)
windows = st.dictionaries(names, st.lists(messages, max_size=1), min_size=1, max_size=2)
updates = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(messages | removals, max_size=2),
        "todos": st.lists(todos, max_size=2),
        "notes": st.dictionaries(names, st.text("xyz", max_size=2), max_size=2),
        "task_messages": windows,
        "write_note_messages": windows,
    },
)


def fold(state: dict[str, Any], writes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The oracle: each reducer over the writes of a step, nothing else."""
    folded = dict(state)
    for channel, reducer in REDUCERS.items():
        given_ = [write[channel] for write in writes if channel in write]
        if given_:
            folded[channel] = reducer(state[channel], given_)
    return folded


class Given(TypedDict, total=False):
    writes: list[dict[str, Any]]


class Stored(PlannerState, Given, total=False):
    """The planner's own state, and the writes that a test hands in."""


async def left(state: Stored) -> dict[str, Any]:
    return state["writes"][0]


async def right(state: Stored) -> dict[str, Any]:
    return state["writes"][1]


def graph_of(saver: Any) -> Any:
    """Two nodes side by side write in one step, as parallel sub-agents do."""
    graph = StateGraph(Stored, input_schema=Given)
    for name, node in (("left", left), ("right", right)):
        graph.add_node(name, node)
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return graph.compile(checkpointer=saver)


@dataclass
class Branch:
    """A stored moment of the thread, and what must be read there."""

    config: dict[str, Any]
    expected: dict[str, Any]


@dataclass
class Play:
    """Runs and forks on one thread."""

    graph: Any
    branches: list[Branch] = field(default_factory=list)

    async def go(self, at: int, left: dict[str, Any], right: dict[str, Any], edit: dict[str, Any] | None) -> None:
        """From a stored moment, edit the state or not, then let both nodes write."""
        config: dict[str, Any] = {"configurable": {"thread_id": "t"}}
        expected = EMPTY
        if self.branches:
            branch = self.branches[at % len(self.branches)]
            config, expected = branch.config, branch.expected
            if edit:
                config = await self.graph.aupdate_state(config, edit, as_node="left")
                expected = fold(expected, [edit])
                self.branches.append(Branch(config, expected))
        await self.graph.ainvoke({"writes": [left, right]}, config, durability="sync")
        state = await self.graph.aget_state({"configurable": {"thread_id": "t"}})
        self.branches.append(Branch(state.config, fold(expected, [left, right])))


def read(values: dict[str, Any]) -> dict[str, Any]:
    return {channel: values.get(channel) or EMPTY[channel] for channel in CHANNELS}


moves = st.lists(st.tuples(st.integers(0, 5), updates, updates, st.none() | updates), min_size=1, max_size=5)


@given(moves=moves)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@pytest.mark.parametrize("kept_in", ["file", "memory"])
def test_forks_and_continuations_equal_a_plain_fold(moves: list[Any], kept_in: str) -> None:
    async def play() -> None:
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite+aiosqlite:///{folder}/t.db" if kept_in == "file" else "sqlite+aiosqlite://"
            async with open_threads(url) as saver:
                played = Play(graph_of(saver))
                for move in moves:
                    await played.go(*move)
                for branch in played.branches:
                    state = await played.graph.aget_state(branch.config)
                    assert read(state.values) == branch.expected

    asyncio.run(play())


@given(state=updates, writes=st.lists(updates, max_size=3))
@settings(max_examples=60, deadline=None)
def test_reducers_leave_state_and_writes_as_they_were(state: dict[str, Any], writes: list[dict[str, Any]]) -> None:
    start = fold(EMPTY, [state])
    before = copy.deepcopy((start, writes))
    fold(start, writes)
    assert (start, writes) == before


@given(state=updates, writes=st.lists(updates, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_reducers_fold_one_write_after_the_other_as_all_at_once(state: dict[str, Any], writes: list[Any]) -> None:
    at_once = fold(fold(EMPTY, [state]), writes)
    step_by_step = fold(EMPTY, [state])
    for write in writes:
        step_by_step = fold(step_by_step, [write])
    assert at_once == step_by_step


def test_reducers_mint_no_ids() -> None:
    nameless = HumanMessage("你好")
    assert [merge_messages([], [[nameless]])[0].id for _ in range(2)] == [None, None]


def test_lists_of_the_state_are_delta_channels() -> None:
    hints = PlannerState.__annotations__ | {
        name: hint
        for base in PlannerState.__orig_bases__
        for name, hint in getattr(base, "__annotations__", {}).items()
    }
    stored = {name for name, hint in hints.items() if "DeltaChannel" in str(hint)}
    assert stored == set(CHANNELS)
    assert DeltaChannel is not None


# --- inner steps ----------------------------------------------------------------------------------------------------


def inner_steps(file: Path) -> list[str]:
    """Namespaces of sub-agents that still have checkpoints."""
    with sqlite3.connect(file) as connection:
        rows = connection.execute("SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE checkpoint_ns > ''").fetchall()
    connection.close()
    return sorted(row[0].partition(":")[0] for row in rows)


async def test_finished_items_leave_no_inner_steps(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather"), todo("b", "task", "乙", ["a"])]
    world.script(triage=several, planner=[plan(*items)], weather=[call("get_weather", date="周六")])
    world.script(task=by_item(甲=BUY, 乙=call("create_task", title="散步", due_date="周六")))
    assert (await world.run("三件事")).status == "completed"
    assert inner_steps(world.file) == []


BUY = call("create_task", title="买菜", due_date="明天")


@dataclass
class Halt:
    """A weather agent that stops in the middle of its item."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, prompt: Prompt) -> Said:
        self.reached.set()
        await asyncio.Event().wait()
        raise AssertionError("never")


async def test_write_that_is_cancelled_leaves_no_transaction_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_threads(f"sqlite+aiosqlite:///{world.file}") as saver:
        assert isinstance(saver, ThreadSaver)
        await saver.setup()
        commit, reached, go_on = saver.conn.commit, asyncio.Event(), asyncio.Event()

        async def slow_commit() -> None:
            reached.set()
            await go_on.wait()
            await commit()

        monkeypatch.setattr(saver.conn, "commit", slow_commit)
        config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}
        writing = asyncio.create_task(saver.aput_writes(config, [("messages", "x")], "task"))
        await reached.wait()
        writing.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await writing
        await saver.settled()
        assert not saver.conn.in_transaction


async def test_cut_off_item_keeps_its_inner_steps_and_finished_siblings_do_not(world: World) -> None:
    halt = Halt()
    read_first = call("query_note", name="r9/none")
    world.script(triage=several, planner=[plan(todo("a", "task", "甲"), todo("w", "weather"))], task=[BUY])
    world.script(weather=[read_first, halt])
    running = asyncio.create_task(world.run("两件事"))
    await asyncio.wait_for(halt.reached.wait(), timeout=10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert "weather" in inner_steps(world.file)
    await world.reopen()
    world.script(weather=[call("get_weather", date="周六")])
    result = await world.planner.resume("t")
    assert {item["id"]: item["status"] for item in result.todos} == {"a": "completed", "w": "completed"}
    asked = [
        (prompt.role, len(prompt.messages)) for prompt in world.model.prompts if prompt.role in ("task", "weather")
    ]
    assert asked.count(("task", 2)) == 1, "the finished sibling ran again"
    assert operator.countOf(asked, ("weather", 2)) == 1, "the item began anew instead of going on"
    assert await world.titles() == ["买菜"]
    assert inner_steps(world.file) == []


async def test_item_that_broke_keeps_its_inner_steps(world: World) -> None:
    world.script(triage=single("task"), task=[BUY], note=[AssertionError("a fault of the program")])
    with pytest.raises(AssertionError):
        await world.run("明天买菜")
    assert inner_steps(world.file) == ["task"]
    await world.reopen()
    world.script(note=noted)
    result = await world.planner.resume("t")
    assert (result.status, await world.titles(), len(world.model.of("task"))) == ("completed", ["买菜"], 1)
    assert inner_steps(world.file) == []


async def test_open_question_keeps_its_window_in_the_state(world: World) -> None:
    world.script(triage=single("task"), task=[call("ask_user", question="哪天？")])
    await world.run("买菜")
    await world.reopen()
    window = (await world.state())["task_messages"]["t1"]
    assert [made["name"] for message in window for made in message.tool_calls] == ["ask_user"]
    assert inner_steps(world.file) == []


async def test_thread_is_read_the_same_after_reopening(world: World) -> None:
    items = [todo("a", "task", "甲"), todo("w", "weather"), todo("b", "task", "乙", ["a"])]
    world.script(triage=several, planner=[plan(*items)], weather=[call("get_weather", date="周六")])
    world.script(task=by_item(甲=BUY, 乙=call("create_task", title="散步", due_date="周六")))
    await world.run("三件事")
    before = await world.state()
    await world.reopen()
    assert await world.state() == before
    assert len([state for state in await world.history() if state.next == ()]) == 1


async def test_fork_before_dispatch_runs_the_items_again_without_doubling_rows(world: World) -> None:
    world.script(triage=single("task"), task=lambda prompt: BUY)
    await world.run("明天买菜")
    fork = next(state for state in await world.history() if state.next == ("dispatch",))
    await world.planner.graph.ainvoke(None, fork.config, durability="sync")
    state = await world.state()
    assert ([item["status"] for item in state["todos"]], await world.titles()) == (["completed"], ["买菜"])
