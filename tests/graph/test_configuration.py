"""Settings of a run that change what agents are told and when the planner is woken (D20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from deep_planner.models.rules import OfflineRules
from tests.graph.deliberating import QUESTION, answered, asked, final, framed, issue, judged, reviewed
from tests.graph.deliberating import opened as weighing
from tests.graph.world import classified, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import call
from tools.core.errors import ModelError
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


async def test_instructions_reach_whoever_writes_a_plan_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, instructions=WISH) as world:
        world.script(unknown=["好的", "好的"])
        with pytest.raises(ModelError):
            await world.planner.create_workflow("两件事")
        assert all(prompt.system.endswith(WISH) for prompt in world.model.prompts)


@pytest.mark.parametrize("reviews", [1, 2])
async def test_instructions_reach_whoever_words_a_deliberation(tmp_path: Path, reviews: int) -> None:
    """And not the critic, who sees question and answer alone (C04), nor the judge of a round, whom nobody reads."""
    answers, marks = [answered(), answered(2, "改到周三")], [reviewed(50, issue()), reviewed(90, status="pass")]
    async with weighing(tmp_path, instructions=WISH) as (deliberation, model):
        model.script(moderator=[framed()], judge=lambda _: judged(), final=final)
        model.script(expert=answers[:reviews], critic=marks[-reviews:])
        await deliberation.run(QUESTION)
    told = {prompt.role for prompt in model.prompts if prompt.system.endswith(WISH)}
    assert told == {"moderator", "expert", *(["final"] if reviews == 2 else [])}


async def test_instructions_in_another_language_change_no_language(tmp_path: Path) -> None:
    async with asked(tmp_path, OfflineRules(), instructions=WISH) as deliberation:
        result = await deliberation.run("Should I move house this Saturday?")
    assert result.answer.conclusion.startswith("As far as can be computed")


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
