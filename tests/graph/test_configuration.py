"""Settings of a run that change what agents are told and when the planner is woken (D20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graph.world import classified, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import call
from tools.core.run_settings import PlannerContext

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


@pytest.mark.parametrize(("threshold", "status"), [("0.39", "completed"), ("0.4", "completed"), ("0.41", "waiting")])
async def test_threshold_of_the_environment_decides_whether_it_asks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threshold: str, status: str
) -> None:
    """D02: for requests and for ``analyze_intent`` alone."""
    monkeypatch.setenv("DEEP_PLANNER_INTENT_THRESHOLD", threshold)
    async with opened(tmp_path) as world:
        world.script(triage=classified("single_task", "task", confidence=0.4), task=[BUY])
        result = await world.run("那个")
        assert (result.status, result.question and result.question.type) == (
            status,
            "clarify" if status == "waiting" else None,
        )
        alone = (await world.planner.analyze_intent("那个")).intent
        assert alone == ("uncertain" if status == "waiting" else "single_task")


async def test_threshold_of_the_form_beats_that_of_the_settings(tmp_path: Path) -> None:
    """Studio sends what its form holds as the run's context."""
    async with opened(tmp_path, intent_threshold=0.1) as world:
        world.script(triage=classified("single_task", "task", confidence=0.4))
        form = PlannerContext(intent_threshold=0.5, timezone="Asia/Shanghai")
        given = {"messages": [{"role": "user", "content": "那个"}]}
        await world.planner.graph.ainvoke(given, {**world.config}, context=form)
        [pause] = (await world.snapshot()).interrupts
        assert pause.value["type"] == "clarify"


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
