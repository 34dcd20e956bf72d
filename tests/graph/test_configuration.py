"""Settings of a run that change what agents are told and when the planner is woken (D20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.world import opened, plan, several, single, statuses, todo
from tests.support.scripted_model import call

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")
LOST = call("finish_task", title="不存在")
WISH = "回答要简短，称呼用户为老王。"


async def test_instructions_reach_planner_and_agents_at_the_end_of_their_prompts(tmp_path: Path) -> None:
    async with opened(tmp_path, instructions=WISH) as world:
        world.script(triage=several, planner=[plan(todo("a", "task", "买菜"), todo("b", "task", "散步"))])
        world.script(task=[BUY, call("create_task", title="散步", due_date="周六")])
        await world.run("两件事")
        prompts = [prompt for role in ("planner", "task", "reply") for prompt in world.model.of(role)]
        assert len(prompts) == 4
        assert all(prompt.system.endswith(WISH) for prompt in prompts)


@pytest.mark.parametrize("reflection", [True, False])
async def test_planner_is_woken_by_a_failure_only_with_reflection(tmp_path: Path, reflection: bool) -> None:
    async with opened(tmp_path, reflection=reflection) as world:
        world.script(triage=several, planner=[plan(todo("a", "task", "完成不存在")), ""], task=[LOST])
        result = await world.run("完成不存在，还有")
        assert (len(world.model.of("planner")), statuses(result)) == (1 + reflection, {"a": "failed"})
        assert result.status == "failed"


@pytest.mark.parametrize("memory", [True, False])
async def test_turn_before_is_told_only_with_memory(tmp_path: Path, memory: bool) -> None:
    async with opened(tmp_path, context_memory=memory) as world:
        world.script(triage=single("task"), task=[BUY])
        await world.run("明天买菜")
        world.script(task=[call("modify_task", title="买菜", due_date="周六")])
        await world.run("改到周六")
        assert ("last_turn" in world.model.of("task")[1].told) is memory
