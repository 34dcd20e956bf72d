"""Deliberation and plan-as-data on real models over both wires: roles, look-ups, forced calls, retries (C01, D09)."""

from __future__ import annotations

from pathlib import Path

import pytest

from subagents.deliberation.schemas import Stop
from tests.graph import deliberating as lines
from tests.graph.wires import connected, each_way, each_wire, thinking
from tests.graph.world import opened
from tests.support.model_server import Answer, ModelServer, Request, counted
from tests.support.scripted_model import Said, call

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

WORKFLOW = {
    "id": "workflow-7",
    "name": "周末爬山",
    "description": "周六去爬山，先看天气再安排",
    "agentGraph": [
        {"id": "a", "type": "weather", "desc": "周六天气", "steps": [{"stepNumber": 1, "desc": "查天气"}]},
        {"id": "b", "type": "task", "desc": "周六爬山", "steps": [], "dependencies": ["a"]},
    ],
}


class Brain:
    """An expert that looks things up first, a critic with one true and one false quote, a second round that passes."""

    def __call__(self, request: Request) -> Answer:
        return thinking(getattr(self, request.role)(request), request)

    def moderator(self, _: Request) -> Said:
        return lines.framed()

    def expert(self, request: Request) -> Said:
        version = request.told()["version"]
        if len(request.messages) == 2:
            return call("find_free_slots", date="周日") if version == 1 else lines.answered(2, "改到周日")
        return lines.answered(version)

    def critic(self, request: Request) -> Said:
        if request.told()["answer"]["version"] == 1:
            return lines.reviewed(50, lines.issue(), lines.issue("周六有暴雪"))
        return lines.reviewed(90, status="pass")

    def judge(self, _: Request) -> Said:
        return lines.judged()

    def final(self, request: Request) -> Said:
        answer = {**request.told()["answer"], "conclusion": "改到周日。", "change_log": []}
        return call("submit_final", **answer)


@each_way
@each_wire
async def test_a_deliberation_speaks_so_that_no_vendor_refuses_it(tmp_path: Path, wire: str, streamed: bool) -> None:
    """Two rounds; thinking models are never forced to a tool, and a look-up's reasoning is sent back where it must."""
    echo = "required" if wire == "openai" else "forbidden"
    with ModelServer(Brain(), strict=True, echo=echo, tokens=counted) as server:
        async with (
            connected(server, wire, streamed=streamed) as model,
            lines.asked(tmp_path, model) as deliberation,
        ):
            result = await deliberation.run(lines.QUESTION)
    assert server.refusals == []
    assert server.roles == [
        *("moderator", "expert", "expert", "critic", "judge"),
        *("expert", "critic", "judge", "final"),
    ]
    assert (result.stopped, result.rounds, result.dropped_quotes) == (Stop.PASSED, 2, 1)
    assert (result.answer.conclusion, result.answer.change_log) == ("改到周日。", ["改到周日"])
    assert {request.streamed for request in server.requests} == {streamed}


@pytest.mark.parametrize(
    ("wire", "name", "choice"),
    [("openai", "openai:m", "required"), ("openai", "deepseek:m", None), ("dashscope", "dashscope:m", None)],
)
async def test_a_plan_is_forced_where_it_can_be_and_else_checked_and_asked_for_once_more(
    tmp_path: Path, wire: str, name: str, choice: str | None
) -> None:
    """D09: words, then a whole call; whoever cannot be forced is asked all the same."""
    script = [Said("好的，先看天气。"), call("generate_workflow", **WORKFLOW)]
    with ModelServer(script) as server:
        async with connected(server, wire, name=name) as model, opened(tmp_path, model) as world:
            workflow = await world.planner.create_workflow("周六爬山，先看天气")
    assert [node.id for node in workflow.agent_graph] == ["a", "b"]
    assert [request.tool_choice for request in server.requests] == [choice, choice]
    assert all([tool["function"]["name"] for tool in r.tools] == ["generate_workflow"] for r in server.requests)
    assert "generate_workflow" in server.requests[1].messages[-1]["content"]


@each_wire
async def test_a_deliberation_outlives_a_critic_without_a_review(tmp_path: Path, wire: str) -> None:
    """The answer that there is comes out, unreviewed."""

    class Down(Brain):
        def critic(self, request: Request) -> Said:
            return Said("说不上来")

    with ModelServer(Down()) as server:
        async with connected(server, wire) as model, lines.asked(tmp_path, model) as deliberation:
            result = await deliberation.run(lines.QUESTION)
    assert (result.stopped, result.rounds) == (Stop.MODEL, 1)
    assert server.roles.count("critic") == 2, "asked once more for the form"
