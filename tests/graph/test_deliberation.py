"""Seed 002: moderator, expert and critic in rounds, with a scripted model (C01-C17)."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from deep_planner.events import Deliberated, DeliberationStep, Event, Reasoning, ToolCallFinished, ToolCallStarted
from subagents.deliberation.schemas import DeliberationResult, Dimension, Stop
from tests.graph.deliberating import QUESTION, answered, asked, final, framed, issue, judged, opened, reviewed
from tests.support import builders
from tests.support.scripted_model import Prompt, Said, ScriptedModel, call
from tools.core.errors import LimitError, ModelError

pytestmark = pytest.mark.graph

PASSED = [reviewed(90, status="pass")]
#: Things to add that are unlike each other, for rounds that must not end by themselves.
ADDED = (
    "改到下周三更稳妥",
    "找物业借电梯要提前两天预约",
    "贵重物品自己带走",
    "请三位朋友来帮忙会快很多",
    "租一辆厢式货车",
)


async def ended(
    folder: Path, settings: dict[str, Any] | None = None, **lines: Any
) -> tuple[DeliberationResult, ScriptedModel]:
    """One question to its end."""
    async with opened(folder, **(settings or {})) as (deliberation, model):
        model.script(**{"moderator": [framed()], "judge": lambda _: judged(), "final": final, **lines})
        return await deliberation.run(QUESTION), model


def never_satisfied(_: Prompt, numbers: Any = itertools.count()) -> Said:  # noqa: B008 - one count for all calls
    """A critic with three new faults in each round."""
    faults = [issue(problem=f"{next(numbers):04b}" * 8, dimension=each.value) for each in list(Dimension)[:3]]
    return reviewed(40, *faults)


def ever_longer(prompt: Prompt) -> Said:
    """An expert that changes something in each round."""
    version = prompt.told["version"]
    return answered(version, ADDED[version - 1] if version > 1 else "")


async def test_the_steps_are_those_of_the_seed(tmp_path: Path) -> None:
    """C01."""
    async with opened(tmp_path) as (deliberation, _):
        drawn = deliberation.graph.get_graph()
    assert set(drawn.nodes) - {"__start__", "__end__"} == {
        "moderator_init",
        "expert_generate",
        "critic_review",
        "moderator_synthesize",
    }
    ways = {(edge.source, edge.target) for edge in drawn.edges if edge.conditional}
    assert {("moderator_synthesize", "expert_generate"), ("moderator_synthesize", "__end__")} <= ways


async def test_a_simple_question_skips_the_loop(tmp_path: Path) -> None:
    """C02: one call in all, and no critic."""
    simple = framed("simple", answer="周六有小雨。")
    result, model = await ended(tmp_path, moderator=[simple])
    assert model.roles == ["moderator"]
    assert (result.stopped, result.rounds, result.answer.conclusion) == (Stop.SIMPLE, 0, "周六有小雨。")
    assert result.answer.limits == []


async def test_the_expert_gets_a_structured_instruction(tmp_path: Path) -> None:
    """C03: what the moderator found in the question, and what is known, reach the expert."""
    _, model = await ended(tmp_path, expert=[answered()], critic=PASSED)
    told = model.of("expert")[0].told
    assert told["instruction"] == {
        "understanding": "要不要在周六搬家",
        "constraints": ["这周六"],
        "aspects": ["天气", "时间"],
    }
    assert {fact["kind"] for fact in told["facts"]} == {"load", "free", "weather"}


async def test_the_critic_sees_question_and_answer_alone(tmp_path: Path) -> None:
    """C04: no facts, no instruction, no change log, no tool but its own."""
    _, model = await ended(tmp_path, expert=[answered()], critic=PASSED)
    [prompt] = model.of("critic")
    assert set(prompt.told) == {"question", "answer"}
    assert "change_log" not in prompt.told["answer"]
    assert prompt.tools == ["submit_review"]
    assert len(prompt.messages) == 2


async def test_answer_and_review_have_the_parts_that_the_seed_lists(tmp_path: Path) -> None:
    """C05, C06, C07."""
    result, model = await ended(tmp_path, expert=[answered()], critic=PASSED)
    answer = {"version", "understanding", "key_points", "detail", "conclusion", "confidence", "limits", "change_log"}
    review = {"version", "score", "scores", "status", "issues", "strengths", "suggestions", "confidence"}
    assert set(result.answer.model_dump()) == answer
    assert set(result.reviews[0].review.model_dump()) == review
    [schema] = [s for s in model.of("critic")[0].schemas if s["function"]["name"] == "submit_review"]
    shape = json.dumps(schema)
    assert all(name in shape for name in ("logic", "facts", "completeness", "relevance", "quote", "suggestion"))


@pytest.mark.parametrize("lacking", ["suggestion", "quote", "dimension"])
async def test_a_criticism_without_its_parts_is_asked_for_again(tmp_path: Path, lacking: str) -> None:
    """C07, C08: a suggestion, a quote and one of the four dimensions are demanded."""
    broken = {name: value for name, value in issue().items() if name != lacking}
    result, model = await ended(tmp_path, expert=[answered()], critic=[reviewed(50, broken), *PASSED])
    assert model.roles.count("critic") == 2
    assert lacking in model.of("critic")[1].last
    assert result.stopped is Stop.PASSED


async def test_a_quote_that_is_not_in_the_answer_is_dropped_and_counted(tmp_path: Path) -> None:
    """C08, N11: the expert never hears of it."""
    result, model = await ended(
        tmp_path,
        expert=[answered(), answered(2, "改到下周三更稳妥")],
        critic=[reviewed(50, issue(), issue("周六有暴雪", "说了暴雪")), *PASSED],
    )
    assert result.dropped_quotes == 1
    assert [each["problem"] for each in model.of("expert")[1].told["criticism"]] == ["没有说换哪天"]


async def test_many_false_quotes_do_not_hide_a_true_one(tmp_path: Path) -> None:
    """C08, N11: all are looked at and counted; only of the true ones there may be too many."""
    result, model = await ended(
        tmp_path,
        expert=[answered(), answered(2, "改到下周三更稳妥")],
        critic=[reviewed(50, *[issue("周六有暴雪")] * 15, *[issue()] * 14), *PASSED],
    )
    assert result.dropped_quotes == 15
    assert len(model.of("expert")[1].told["criticism"]) == 12


async def test_an_invented_fault_is_dropped_by_the_moderator(tmp_path: Path) -> None:
    """C09: its quote is real, its claim is not."""
    result, model = await ended(
        tmp_path,
        expert=[answered(), answered(2, "改到下周三更稳妥")],
        critic=[reviewed(50, issue(), issue("全天有空", "周六其实没有空")), *PASSED],
        judge=[judged("i2"), judged()],
    )
    assert [each["id"] for each in model.of("expert")[1].told["criticism"]] == ["i1"]
    assert result.reviews[0].rejected == ["周六其实没有空: 答案里没有这个毛病"]


async def test_when_no_criticism_stands_it_is_over(tmp_path: Path) -> None:
    """C09: there is nothing to mend."""
    result, _ = await ended(tmp_path, expert=[answered()], critic=[reviewed(50, issue())], judge=[judged("i1")])
    assert (result.stopped, result.rounds) == (Stop.UNFOUNDED, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        answered(2),
        answered(2, "全改了", understanding="x", key_points=["y"], detail="z" * 90, conclusion="好", limits=[]),
    ],
    ids=["no change log", "rewritten"],
)
async def test_a_round_is_a_targeted_change(tmp_path: Path, wrong: Said) -> None:
    """C10: what is no change is asked for again."""
    right = answered(2, "改到下周三更稳妥")
    result, model = await ended(tmp_path, expert=[answered(), wrong, right], critic=[reviewed(50, issue()), *PASSED])
    assert "change_log" in model.of("expert")[2].last
    assert result.answer.change_log == ["改到下周三更稳妥"]


async def test_after_a_second_rewrite_the_version_before_stands(tmp_path: Path) -> None:
    """C10: and since nothing changes any more, that is the end."""
    wrong = answered(2)
    result, _ = await ended(tmp_path, expert=[answered(), wrong, wrong], critic=[reviewed(50, issue())] * 2)
    assert (result.stopped, result.rounds, result.reviews[1].likeness) == (Stop.SIMILAR, 2, 1.0)
    assert "第 2 版" in result.answer.change_log[0]


@pytest.mark.parametrize("rounds", [3, 5])
async def test_the_hard_stop(tmp_path: Path, rounds: int) -> None:
    """C11: a critic that is never satisfied; the version at hand comes out, with what is still open."""
    result, model = await ended(tmp_path, {"deliberation_rounds": rounds}, expert=ever_longer, critic=never_satisfied)
    assert (result.stopped, result.rounds) == (Stop.ROUNDS, rounds)
    assert model.roles.count("expert") == rounds
    assert result.answer.version == rounds
    assert sum(limit.startswith("评审中还没有解决") for limit in result.answer.limits) == 3


async def test_it_stops_when_the_score_is_high_enough(tmp_path: Path) -> None:
    """C12; the threshold is a setting."""
    lines = {"expert": [answered()], "critic": [reviewed(70, issue())]}
    result, _ = await ended(tmp_path, {"deliberation_score": 70}, **lines)
    assert (result.stopped, result.rounds) == (Stop.SCORE, 1)


async def test_it_stops_when_two_answers_are_alike(tmp_path: Path) -> None:
    """C12: the change log says a change, the text hardly does."""
    again = answered(2, conclusion="不太适合，除非能备好防雨的措施。", change_log=["改了措辞"])
    result, _ = await ended(tmp_path, expert=[answered(), again], critic=[reviewed(50, issue())] * 2)
    assert result.stopped is Stop.SIMILAR
    assert 0.95 < result.reviews[1].likeness < 1


async def test_it_stops_when_two_rounds_in_a_row_bring_the_same(tmp_path: Path) -> None:
    """C12: each mends the first answer, which is the best one, and both come to the same."""
    scores = iter((70, 30, 30))
    result, _ = await ended(
        tmp_path,
        {"deliberation_rounds": 5},
        expert=lambda prompt: answered(prompt.told["version"], ADDED[1] if prompt.told["version"] > 1 else ""),
        critic=lambda prompt: reviewed(next(scores), *never_satisfied_issues(prompt)),
    )
    assert [record.likeness < 0.95 for record in result.reviews] == [True, True, False]
    assert (result.stopped, result.rounds, result.answer.version) == (Stop.SIMILAR, 3, 1)


async def test_it_stops_when_new_issues_get_fewer_and_only_minor_ones_stand(tmp_path: Path) -> None:
    """C12."""
    three = [issue(), issue("全天有空", "没有说几点"), issue("小雨", "没有说几点下雨", dimension="facts")]
    result, _ = await ended(
        tmp_path,
        expert=ever_longer,
        critic=[reviewed(50, *three), reviewed(60, issue("备好", "措辞含糊", severity="minor", dimension="logic"))],
    )
    assert [record.new_issues for record in result.reviews] == [3, 1]
    assert (result.stopped, result.rounds) == (Stop.SETTLING, 2)


async def test_every_prompt_restates_the_question_and_each_round_checks_relevance(tmp_path: Path) -> None:
    """C13."""
    _, model = await ended(tmp_path, expert=ever_longer, critic=never_satisfied)
    assert all(prompt.told["question"] == QUESTION for prompt in model.prompts)
    assert model.roles.count("judge") == model.roles.count("expert") == 3
    assert "仅针对 question" in model.of("expert")[0].system


async def test_an_answer_off_the_topic_does_not_pass(tmp_path: Path) -> None:
    """C13: the moderator leads it back, and may have it rewritten."""
    other = answered(1, understanding="搬家公司比较", key_points=["甲公司便宜"], detail="价格表", conclusion="选甲公司")
    result, model = await ended(
        tmp_path,
        expert=[other, answered(2, "回到问题：周六能不能搬")],
        critic=PASSED * 2,
        judge=[judged(on_topic=False), judged()],
    )
    assert (result.stopped, result.rounds) == (Stop.PASSED, 2)
    assert model.of("expert")[1].told["advice"] == "补上备选日期"
    assert "不太适合" in result.answer.conclusion


async def test_prompts_stay_flat_over_five_rounds(tmp_path: Path) -> None:
    """C14: the best answer, the latest criticism, the question; within ten per cent from the second round on."""

    def grown(prompt: Prompt) -> Said:
        version = prompt.told["version"]
        return answered(version, ADDED[version - 1][:7]) if version > 1 else answered()

    _, model = await ended(tmp_path, {"deliberation_rounds": 5}, expert=grown, critic=never_satisfied)
    for role in ("expert", "critic", "judge"):
        sizes = [len(prompt.text) for prompt in model.of(role)[1:]]
        assert len(sizes) == 4
        assert max(sizes) <= 1.1 * min(sizes), (role, sizes)


async def test_prompts_stay_flat_when_each_round_looks_things_up(tmp_path: Path) -> None:
    """C14, C17: full days, another one in each round; the prompts hold those of the last round that looked any up."""

    def looks_first(prompt: Prompt) -> Said:
        version = prompt.told["version"]
        if len(prompt.messages) > 2:
            return answered(version, ADDED[version - 1][:7]) if version > 1 else answered()
        return call("get_day_schedule", date=f"2026-02-{14 + version}")

    async with opened(tmp_path, deliberation_rounds=5) as (deliberation, model):
        days = [builders.SATURDAY + timedelta(days=n) for n in range(6)]
        for day, number in itertools.product(days, range(30)):
            hours = f"{8 + number % 10:02d}:00-{9 + number % 10:02d}:00"
            await builders.stored(deliberation.database, builders.task(f"第{number}件要做的事情", hours, day=day))
        model.script(
            moderator=[framed()], judge=lambda _: judged(), final=final, expert=looks_first, critic=never_satisfied
        )
        result = await deliberation.run(QUESTION)
    for role in ("expert", "judge"):
        prompts = [prompt for prompt in model.of(role) if len(prompt.messages) == 2]
        sizes = [len(prompt.text) for prompt in prompts[1:]]
        assert len(sizes) == 4
        assert max(sizes) <= 1.1 * min(sizes), (role, sizes)
        looked_up = [fact["round"] for fact in prompts[-1].told["facts"] if "round" in fact]
        assert looked_up == [4 if role == "expert" else 5]
    assert [fact["round"] for fact in result.facts if "round" in fact] == [1, 2, 3, 4, 5], "the result has them all"


async def test_a_long_summary_is_cut(tmp_path: Path) -> None:
    """C14: a chatty moderator does not swell the prompts."""
    _, model = await ended(
        tmp_path, expert=ever_longer, critic=never_satisfied, judge=lambda _: judged(summary="长" * 5_000)
    )
    assert len(model.of("expert")[2].told["summary"]) == 400


async def test_the_final_answer_merges_the_rounds(tmp_path: Path) -> None:
    """C15: the moderator's words, the change log of all rounds, what is still open as a limit."""
    result, model = await ended(
        tmp_path,
        expert=ever_longer,
        critic=[reviewed(50, issue()), reviewed(60, issue("全天有空", "没有说几点", dimension="logic")), *PASSED],
    )
    assert model.roles[-1] == "final"
    assert model.of("final")[0].told["strengths"] == ["利弊都说到了"]
    assert result.answer.conclusion == "综合：不太适合，除非能备好防雨措施。"
    assert result.answer.change_log == list(ADDED[1:3])
    assert (result.answer.version, result.stopped) == (3, Stop.PASSED)


async def test_the_best_version_comes_out_when_a_round_makes_it_worse(tmp_path: Path) -> None:
    """C14: and the third round mends the best one, not the last one."""
    scores = iter((70, 30, 40))
    result, model = await ended(
        tmp_path,
        expert=ever_longer,
        critic=lambda prompt: reviewed(next(scores), *never_satisfied_issues(prompt)),
    )
    assert model.of("expert")[2].told["answer"]["version"] == 1
    assert (result.stopped, result.answer.version) == (Stop.ROUNDS, 1)


def never_satisfied_issues(prompt: Prompt) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = json.loads(json.dumps(never_satisfied(prompt).calls[0].args))["issues"]
    return made


async def test_the_state_holds_question_answers_reviews_and_round(tmp_path: Path) -> None:
    """C16."""
    async with opened(tmp_path) as (deliberation, model):
        model.script(
            moderator=[framed()],
            expert=ever_longer,
            critic=[reviewed(50, issue()), *PASSED],
            judge=lambda _: judged(),
            final=final,
        )
        values: dict[str, Any] = {}
        async for values in deliberation.graph.astream(
            {"question": QUESTION}, context=deliberation.settings.context(), stream_mode="debug"
        ):
            if values["type"] == "task" and values["payload"]["name"] == "moderator_synthesize":
                state = values["payload"]["input"]
    assert (state["question"], state["round"], len(state["answers"]), len(state["reviews"])) == (QUESTION, 2, 2, 2)


async def test_the_expert_looks_things_up(tmp_path: Path) -> None:
    """C17: with tools that only read; what it found is known in the next round."""
    result, model = await ended(
        tmp_path,
        expert=[call("find_free_slots", date="周日"), answered(), answered(2, "改到周日")],
        critic=[reviewed(50, issue()), *PASSED],
    )
    assert model.of("expert")[0].tools == ["submit_answer", "get_day_schedule", "find_free_slots", "get_weather"]
    assert "2026-02-15" in model.of("expert")[1].last
    assert [fact["name"] for fact in model.of("expert")[2].told["facts"] if fact["kind"] == "lookup"] == [
        "find_free_slots"
    ]
    assert result.rounds == 2


async def test_an_expert_that_only_looks_things_up_is_made_to_answer(tmp_path: Path) -> None:
    look = call("find_free_slots", date="周日")
    _, model = await ended(tmp_path, expert=[look, look, look, answered()], critic=PASSED)
    assert model.of("expert")[3].tools == ["submit_answer"]


async def test_the_day_is_known_before_anyone_thinks(tmp_path: Path) -> None:
    """Load, conflicts, free time and weather of the day that the question names."""
    async with opened(tmp_path) as (deliberation, model):
        for title, when in (("体检", "09:00-11:00"), ("看房", "10:30-12:00")):
            await builders.stored(deliberation.database, builders.task(title, when, day=builders.SATURDAY))
        model.script(moderator=[framed("simple", answer="不行")])
        result = await deliberation.run(QUESTION)
    facts = {fact["kind"]: fact for fact in result.facts}
    assert facts["load"]["data"] == {"tasks": 2, "busy_minutes": 180, "high": 0, "whole_day": False}
    assert facts["free"]["data"] == {"minutes": 360, "longest": 360, "slots": ["12:00-18:00"]}
    assert "体检" in facts["conflict"]["message"]
    assert "看房" in facts["conflict"]["message"]
    assert facts["weather"]["data"] == {
        "known": True,
        "city": "北京",
        "condition": "小雨",
        "wet": True,
        "snow": False,
        "hot": False,
        "cold": False,
    }


async def test_the_critic_alone_is_the_light_model(tmp_path: Path) -> None:
    strong, light = ScriptedModel(), ScriptedModel()
    strong.script(moderator=[framed()], expert=ever_longer, judge=lambda _: judged(), final=final)
    light.script(critic=[reviewed(50, issue()), *PASSED])
    async with asked(tmp_path, strong, light) as deliberation:
        assert (await deliberation.run(QUESTION)).rounds == 2
    assert set(light.roles) == {"critic"}


async def test_a_model_that_falls_silent_costs_no_answer(tmp_path: Path) -> None:
    """The critic cannot be asked: the answer comes out, and says that nobody reviewed it."""
    result, _ = await ended(tmp_path, expert=[answered()], critic=[ConnectionError("gone")])
    assert (result.stopped, result.rounds) == (Stop.MODEL, 1)
    assert "这一版没有经过评审。" in result.answer.limits


async def test_without_any_answer_the_error_is_raised(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        await ended(tmp_path, moderator=[ConnectionError("gone")])


async def test_a_run_that_may_spend_no_more_gives_its_best_answer(tmp_path: Path) -> None:
    """Framing, answer, review, judgement, and no call for a second round."""
    result, _ = await ended(tmp_path, {"max_model_calls": 4}, expert=[answered()], critic=[reviewed(50, issue())])
    assert (result.stopped, result.answer.version) == (Stop.LIMIT, 1)
    with pytest.raises(LimitError):
        await ended(tmp_path, {"max_model_calls": 1}, expert=[answered()])


async def test_each_step_is_told(tmp_path: Path) -> None:
    """Rounds as they happen, with what a thinking expert thinks and looks up; no raw arguments."""
    look = call("get_weather", date="周日")
    thinking = Said(calls=answered().calls, reasoning="先看天气")
    async with opened(tmp_path) as (deliberation, model):
        model.script(moderator=[framed()], expert=[look, thinking], critic=PASSED, judge=[judged()])
        events: list[Event] = [event async for event in deliberation.stream(QUESTION)]
    steps = [(event.agent, event.step, event.round) for event in events if isinstance(event, DeliberationStep)]
    assert steps == [
        ("moderator", "framed", 0),
        ("expert", "answered", 1),
        ("critic", "reviewed", 1),
        ("moderator", "judged", 1),
        ("moderator", "concluded", 1),
    ]
    assert [event.score for event in events if isinstance(event, DeliberationStep) and event.agent == "critic"] == [90]
    assert "".join(event.text for event in events if isinstance(event, Reasoning)) == "先看天气"
    assert [event.name for event in events if isinstance(event, ToolCallStarted)] == ["get_weather"]
    assert [event.name for event in events if isinstance(event, ToolCallFinished)] == ["get_weather"]
    assert isinstance(events[-1], Deliberated)
    assert events[-1].usage


async def test_an_expert_that_answers_in_words_is_asked_for_the_form(tmp_path: Path) -> None:
    """And the prompt does not end with an answer, which some providers refuse."""
    result, model = await ended(tmp_path, expert=["周六不行", answered()], critic=PASSED)
    assert [message.type for message in model.of("expert")[1].messages] == ["system", "human"]
    assert result.stopped is Stop.PASSED
