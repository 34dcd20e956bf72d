"""offline:rules in a deliberation: it argues from what can be computed, and says what it cannot."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from deep_planner.models.rules import OfflineRules
from subagents.deliberation.schemas import DeliberationResult, Stop
from tests.graph.deliberating import QUESTION, asked
from tests.graph.world import opened
from tests.support import builders
from tests.support.builders import SATURDAY
from tools.domain.tasks import Task

pytestmark = pytest.mark.graph

SUNDAY = "周日（2月15日）"


async def weighed(folder: Path, question: str, *tasks: Task, city: str | None = "北京") -> DeliberationResult:
    async with asked(folder, OfflineRules()) as deliberation:
        await builders.stored(deliberation.database, *tasks)
        return await deliberation.run(question)


async def test_rain_speaks_against_a_move_and_the_critic_asks_for_another_day(tmp_path: Path) -> None:
    """Two rounds: the second adds the day after, looked up with tools, and changes nothing else."""
    result = await weighed(tmp_path, QUESTION)
    assert (result.rounds, result.stopped) == (2, Stop.PASSED)
    assert "不太适合" in result.answer.conclusion
    assert f"{SUNDAY}更好" in result.answer.conclusion
    points = result.answer.key_points
    assert [point[:2] for point in points] == ["利：", "弊：", "备选"]
    assert "小雨" in points[1]
    assert "晴" in points[2]
    assert result.answer.change_log == [f"i1：补充了{SUNDAY}作备选。"]
    assert any("接入模型" in limit for limit in result.answer.limits)


async def test_the_same_in_english(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "Should I move house this Saturday?")
    assert "not very suitable" in result.answer.conclusion
    assert "Sunday (15 February) is better" in result.answer.conclusion
    assert any("need a model" in limit for limit in result.answer.limits)


@pytest.mark.parametrize(
    ("question", "mild", "city"),
    [("周六在上海适不适合搬家", "晴", "上海"), ("Should I move house in Shanghai this Saturday?", "clear", "Shanghai")],
)
async def test_a_city_that_the_question_names_is_the_one_that_is_weighed(
    tmp_path: Path, question: str, mild: str, city: str
) -> None:
    """It rains at home, and not there."""
    result = await weighed(tmp_path, question)
    [point] = [point for point in result.answer.key_points if mild in point]
    assert city in point
    assert result.stopped is Stop.PASSED


async def test_another_day_is_looked_up_in_the_same_city(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "周日在上海适不适合搬家")
    assert "上海周一（2月16日）的天气没有妨碍（晴）" in result.answer.key_points[-1]


async def test_rain_is_no_argument_about_what_happens_indoors(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "周六要不要在家整理衣柜")
    assert result.answer.conclusion == "从算得出的情况看，周六（2月14日）适合。"
    assert not any("雨" in point for point in result.answer.key_points)


async def test_a_full_day_and_its_conflicts_speak_against(tmp_path: Path) -> None:
    tasks = [
        builders.task("体检", "09:00-13:00", day=SATURDAY),
        builders.task("看房", "12:00-17:00", day=SATURDAY, priority="high"),
    ]
    result = await weighed(tmp_path, "周六要不要在家整理衣柜", *tasks)
    told = "\n".join(result.answer.key_points)
    assert all(word in told for word in ("体检", "看房", "8 小时", "最长的连续空闲只有 1 小时"))
    assert "不太适合" in result.answer.conclusion


async def test_days_are_compared(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "周六还是周日去爬山好")
    assert result.answer.conclusion.endswith(f"几天里{SUNDAY}更合适。")
    assert result.rounds == 1, "another day is there already"


async def test_weather_that_is_not_known_is_a_limit_and_no_argument(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "下下周六适不适合爬山")
    assert "不知道" in result.answer.limits[0]
    assert result.answer.confidence < 0.5
    assert result.answer.conclusion.endswith("没有妨碍，但天气还不知道。")


async def test_another_day_whose_weather_is_not_known_is_only_perhaps_better(tmp_path: Path) -> None:
    tasks = [builders.task("培训", "all_day", day=date(2026, 2, 15), blocks_day=True)]
    result = await weighed(tmp_path, "周日适不适合搬家", *tasks)
    assert result.answer.conclusion.endswith("周一（2月16日）可能更好，但天气还不知道。")


async def test_what_cannot_be_computed_gets_no_conclusion(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "该不该换工作")
    assert "给不出结论" in result.answer.conclusion
    assert (result.answer.confidence, result.stopped) == (0.1, Stop.UNFOUNDED)


async def test_a_question_that_only_asks_is_answered_at_once(tmp_path: Path) -> None:
    result = await weighed(tmp_path, "周六天气怎么样")
    assert (result.stopped, result.rounds) == (Stop.SIMPLE, 0)
    assert "小雨" in result.answer.conclusion


@pytest.mark.parametrize(
    "wish",
    [
        "帮我分析一下这周六适不适合搬家",
        "这周六该不该去爬山，帮我讨论一下",
        "请你权衡一下周末搬家的利弊",
        "Should I move house this Saturday? Weigh the pros and cons.",
        "can you discuss whether I should go hiking on Sunday",
    ],
)
async def test_an_explicit_wish_enters_it(tmp_path: Path, wish: str) -> None:
    """X16."""
    async with opened(tmp_path, OfflineRules()) as world:
        result = await world.run(wish)
    assert [(todo["subagent"], todo["status"]) for todo in result.todos] == [("deliberation", "completed")]
    assert result.reply


@pytest.mark.parametrize(
    ("request_", "agents"),
    [
        ("周六适合跑步吗", ["weather"]),
        ("明天下午三点和老王讨论一下利润", ["task"]),
        ("明天上午十点开会讨论要不要换供应商", ["task"]),
        ("discuss whether to hire Ann with Bob tomorrow at 3pm", ["task"]),
        ("帮我分析一下这周六搬家的利弊。再加一个任务：明天下午三点买菜", ["deliberation", "task"]),
    ],
)
async def test_nothing_less_enters_it(tmp_path: Path, request_: str, agents: list[str]) -> None:
    """X16: cheap requests stay cheap, and who meets others to discuss a thing wants a task."""
    async with opened(tmp_path, OfflineRules()) as world:
        result = await world.run(request_)
    assert [todo["subagent"] for todo in result.todos] == agents
