"""Workflows (seed 003): intent and plan alone, the graph carried out wave by wave, values shared under keys."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from itertools import pairwise
from typing import Any

import pytest

from deep_planner.events import Event, TodoChanged, WorkflowGenerated, WorkflowStarted
from deep_planner.workflow.schema import AgentNode, Workflow
from deep_planner.workflow.validate import WorkflowError
from tests.graph.world import NOW, World, by_item, classified, several
from tests.support.scripted_model import Prompt, Said, call
from tools.core.errors import ModelError

pytestmark = pytest.mark.graph

GOOD = {
    "id": "workflow-7",
    "name": "周末爬山",
    "description": "周六去爬山，先看天气再安排",
    "agentGraph": [
        {"id": "agent-1", "type": "weather", "desc": "周六天气", "steps": [{"stepNumber": 1, "desc": "查天气"}]},
        {
            "id": "agent-2",
            "type": "task",
            "desc": "周六爬山",
            "steps": [{"stepNumber": 2, "desc": "建任务"}],
            "dependencies": ["agent-1"],
        },
    ],
}


def circle() -> dict[str, Any]:
    first, second = GOOD["agentGraph"]  # type: ignore[misc]
    root = {"id": "agent-0", "type": "task", "desc": "先做这个", "steps": []}
    return {**GOOD, "agentGraph": [root, {**first, "dependencies": ["agent-2"]}, second]}  # type: ignore[dict-item]


def node(name: str, *after: str, agent: str = "task") -> AgentNode:
    return AgentNode(id=name, type=agent, desc=f"做 {name}", dependencies=list(after))


def flow(*nodes: AgentNode) -> Workflow:
    return Workflow(id="workflow-1", name="几件事", description="按次序做几件事", agent_graph=list(nodes))


async def test_intent_alone_with_its_events(world: World) -> None:
    told: list[Event] = []
    world.script(triage=classified("complex_workflow", confidence=0.9))
    result = await world.planner.analyze_intent("周六爬山，先看天气", told.append)
    assert (result.intent, result.confidence, result.needs_multi_agent) == ("complex_workflow", 0.9, True)
    assert [event.type for event in told] == ["intent:recognition-start", "intent:recognized"]
    assert told[0].model_dump()["request"] == "周六爬山，先看天气"
    names = ("intent", "confidence", "explanation", "needs_multi_agent")
    assert [told[1].model_dump()[name] for name in names] == [result.model_dump()[name] for name in names]


async def test_intent_below_the_threshold_is_uncertain(world: World) -> None:
    world.script(triage=classified("single_task", "task", confidence=0.4))
    result = await world.planner.analyze_intent("那个")
    assert (result.intent, result.needs_multi_agent) == ("uncertain", False)


async def test_plan_alone_is_forced_and_not_run(world: World) -> None:
    told: list[Event] = []
    world.script(unknown=[call("generate_workflow", **GOOD)])
    wishes = ["下雨就不去"]
    workflow = await world.planner.create_workflow("周六爬山，先看天气", wishes, told.append)
    [prompt] = world.model.prompts
    assert (prompt.tool_choice, prompt.tools) == ("required", ["generate_workflow"])
    assert all(f"- {name}: " in prompt.system for name in ("task", "calendar", "weather", "notification"))
    assert "下雨就不去" in prompt.last
    assert [each.id for each in workflow.agent_graph] == ["agent-1", "agent-2"]
    assert await world.tasks() == []
    started, generated = told
    assert isinstance(started, WorkflowStarted)
    assert isinstance(generated, WorkflowGenerated)
    assert (started.request, generated.workflow) == ("周六爬山，先看天气", workflow.as_json())
    assert [(item["id"], item["subagent"]) for item in generated.todos] == [("agent-1", "weather"), ("agent-2", "task")]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        pytest.param(lambda: call("generate_workflow", **circle()), "circular dependencies", id="a circle"),
        pytest.param(lambda: call("generate_workflow", **GOOD | {"id": "7"}), "workflow-", id="out of bounds"),
        pytest.param(lambda: "好的，计划如下", "no whole call", id="words"),
    ],
)
async def test_invalid_plan_goes_back_once(world: World, bad: Any, reason: str) -> None:
    world.script(unknown=[bad(), call("generate_workflow", **GOOD)])
    assert (await world.planner.create_workflow("周六爬山")).id == "workflow-7"
    assert reason in world.model.prompts[1].last


async def test_plan_that_stays_invalid_is_an_error_in_the_seeds_words(world: World) -> None:
    world.script(unknown=[call("generate_workflow", **circle())] * 2)
    with pytest.raises(WorkflowError) as caught:
        await world.planner.create_workflow("周六爬山")
    first, detail = str(caught.value).splitlines()
    assert first == "Invalid workflow DAG: Workflow contains circular dependencies"
    assert detail in ("agent-1 -> agent-2 -> agent-1", "agent-2 -> agent-1 -> agent-2")


async def test_no_plan_at_all_is_a_models_fault(world: World) -> None:
    world.script(unknown=["好的", "好的"])
    with pytest.raises(ModelError):
        await world.planner.create_workflow("周六爬山")


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node("1"), node("2"), node("3"), node("4", "1", "2", "3")], [{"1", "2", "3"}, {"4"}]),
        (
            [node("1"), node("2", "1"), node("3", "1"), node("4", "3"), node("5", "2"), node("6", "4", "5")],
            [{"1"}, {"2", "3"}, {"4", "5"}, {"6"}],
        ),
    ],
    ids=["3-1", "1-2-2-1"],
)
async def test_levels_run_one_after_the_other_and_each_at_once(
    world: World, nodes: list[AgentNode], expected: list[set[str]]
) -> None:
    """Each level waits at a barrier that only opens when all of it is at work; the log shows who overlaps whom."""
    barriers = {name: asyncio.Barrier(len(level)) for level in expected for name in level}
    shared = {name: barriers[min(level)] for level in expected for name in level}

    async def task(prompt: Prompt) -> Said:
        name = prompt.told["item"].removeprefix("做 ")
        await asyncio.wait_for(shared[name].wait(), timeout=20)
        return call("create_task", title=f"第{name}件", due_date=f"2026-03-0{name}")

    world.script(task=task)
    events = [event async for event in world.planner.stream_workflow(flow(*nodes), thread="w")]
    log = [(e.todo_id, e.todo["status"]) for e in events if isinstance(e, TodoChanged)]
    begun = [{name for name, status in log if status == "in_progress" and name in level} for level in expected]
    assert begun == expected
    for before, after in pairwise(expected):
        ended = max(log.index((name, "completed")) for name in before)
        assert ended < min(log.index((name, "in_progress")) for name in after)
    assert len(await world.tasks()) == len(nodes)
    assert world.model.of("triage") == world.model.of("planner") == []


async def test_run_has_the_seeds_shape(world: World) -> None:
    workflow = Workflow.model_validate(GOOD)
    world.script(weather=[call("get_weather", date="周六")], task=[call("create_task", title="爬山", due_date="周六")])
    run = await world.planner.execute_workflow(workflow)
    assert (run.workflow_task, run.status, run.error, run.start_time) == (workflow.description, "completed", None, NOW)
    assert list(run.outputs) == ["agent-1", "agent-2"]
    output = run.outputs["agent-2"]
    assert (output.agent_id, output.status, output.error, output.data["rows"]) == (
        "agent-2",
        "success",
        None,
        ["task:1"],
    )
    assert "「爬山」" in output.summary
    assert set(run.vals) == {"agent-1", "agent-2"}


async def test_parents_are_told_by_summary_and_key_never_by_payload(world: World) -> None:
    secret = "金丝雀数据"
    world.script(
        note=lambda prompt: call("write_note", note="笔记", summary="摘要"),
        task=by_item(
            甲=[call("val_set", key="表", value={"行": [secret]}), call("create_task", title="甲", due_date="周六")],
            乙=[
                call("val_list"),
                call("val_get", key="表"),
                call("val_get", key="a"),
                call("val_get", key="没有"),
                call("create_task", title="乙", due_date="周日"),
            ],
        ),
    )
    first = AgentNode(id="a", type="task", desc="做甲")
    second = AgentNode(id="b", type="task", desc="做乙", dependencies=["a"])
    run = await world.planner.execute_workflow(flow(first, second))
    prompts = [prompt for prompt in world.model.of("task") if prompt.told["item"] == "做乙"]
    [parent] = prompts[0].told["parents"]
    assert (parent["id"], parent["task"], parent["summary"], parent["value"]) == ("a", "做甲", "摘要", "a")
    assert prompts[0].told["request"] == "按次序做几件事"
    assert secret not in prompts[0].text
    assert json.loads(prompts[1].last) == {"keys": ["a", "表"], "count": 2}
    assert json.loads(prompts[2].last) == {"行": [secret]}
    assert json.loads(prompts[3].last)[0]["task"]["title"] == "甲"
    assert "没有名为「没有」的值" in prompts[4].last
    assert run.vals["表"] == {"行": [secret]}
    assert run.status == "completed"


async def test_steps_are_hints_for_the_agent(world: World) -> None:
    workflow = Workflow.model_validate(GOOD)
    world.script(weather=[call("get_weather", date="周六")], task=[call("create_task", title="爬山", due_date="周六")])
    await world.planner.execute_workflow(workflow)
    assert world.model.of("task")[0].told["steps"] == ["建任务"]


async def test_value_tools_are_there_in_a_workflow_only(world: World) -> None:
    world.script(triage=several, planner=[call("write_todo", todos=[{"id": "a", "content": "甲", "subagent": "task"}])])
    world.script(task=[call("create_task", title="甲", due_date="周六")])
    await world.run("做甲，还有")
    assert "val_set" not in world.model.of("task")[0].tools
    world.script(task=[call("create_task", title="乙", due_date="周日")])
    await world.planner.execute_workflow(flow(node("b")))
    assert {"val_set", "val_get", "val_list"} <= set(world.model.of("task")[1].tools)


async def test_failure_of_a_node_is_reported_with_detail(world: World) -> None:
    world.script(task=by_item(**{"1": call("finish_task", title="不存在"), "3": call("create_task", title="三")}))
    run = await world.planner.execute_workflow(flow(node("1"), node("2", "1"), node("3")))
    assert run.status == "failed"
    assert {name: output.status for name, output in run.outputs.items()} == {
        "1": "failed",
        "2": "failed",
        "3": "success",
    }
    assert "未找到匹配任务" in str(run.outputs["1"].error)
    assert run.error
    assert [task.date for task in await world.tasks()] == [date(2026, 2, 12)]


async def test_workflow_that_cannot_be_run_is_refused_before_anything_happens(world: World) -> None:
    with pytest.raises(WorkflowError, match="unregistered type browser"):
        await world.planner.execute_workflow(flow(node("1", agent="browser")))
    assert world.model.prompts == []


async def test_workflow_on_a_thread_with_an_open_question_begins_anew(world: World) -> None:
    world.script(task=[call("ask_user", question="哪天？")], triage=classified("single_task", "task"))
    await world.run("买菜")
    world.script(task=[call("create_task", title="散步", due_date="周六")])
    run = await world.planner.execute_workflow(flow(node("w")), thread="t")
    assert (run.status, list(run.outputs)) == ("completed", ["w"])
    assert await world.titles() == ["散步"]
