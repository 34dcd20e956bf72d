"""Where requests go (A03, A04, A05, A44): seed 000's table, with a scripted and with the offline model."""

from __future__ import annotations

from pathlib import Path

import pytest

from deep_planner.models.rules import OfflineRules
from tests.graph.world import World, classification, classified, opened, plan, several, single, todo
from tests.support.scripted_model import AGENTS, Speaker, call

pytestmark = pytest.mark.graph

AIRPORT = plan(
    todo("t1", "task", "周末早上去机场接人"),
    todo("t2", "weather", "查周六的天气"),
    todo("t3", "notification", "提醒去机场接人", ["t1", "t2"]),
)
TABLE = [
    ("帮我创建一个任务，明天去买菜", single("task"), ["task"]),
    ("明天下午有空吗", classified("information_query", "calendar"), ["calendar"]),
    ("明天天气怎么样", classified("information_query", "weather"), ["weather"]),
    ("讲个笑话", classified("out_of_domain"), []),
    ("周末早上去机场接人", several, ["notification", "task", "weather"]),
]
REQUESTS = [pytest.param(*row, id=row[0]) for row in TABLE]
WORK = {
    "task": lambda prompt: call("create_task", title="去机场接人", due_date="周末早上"),
    "calendar": lambda prompt: call("find_free_slots", date="明天下午"),
    "weather": lambda prompt: call("get_weather", date="2026-02-14"),
    "notification": lambda prompt: call("schedule_reminder", task_id=1),
}


@pytest.mark.parametrize(("request_", "triage", "agents"), REQUESTS)
async def test_scripted_model_routes(world: World, request_: str, triage: Speaker, agents: list[str]) -> None:
    world.script(triage=triage, planner=[AIRPORT], **WORK)
    result = await world.run(request_)
    assert sorted(role for role in world.model.roles if role in AGENTS) == agents
    assert sorted(item["subagent"] for item in result.todos) == agents
    assert result.status == ("completed" if agents else "refused")
    assert result.reply


@pytest.mark.parametrize(("request_", "triage", "agents"), REQUESTS)
async def test_offline_model_routes(tmp_path: Path, request_: str, triage: Speaker, agents: list[str]) -> None:
    async with opened(tmp_path, OfflineRules()) as world:
        result = await world.run(request_)
        assert sorted(item["subagent"] for item in result.todos) == agents
        assert result.status == ("completed" if agents else "refused")
        assert result.reply


async def test_joke_runs_no_agent_and_no_tool(world: World) -> None:
    world.script(triage=classified("out_of_domain"), reply=["我只能处理日程。"])
    result = await world.run("讲个笑话")
    state = await world.state()
    assert world.model.roles == ["triage", "reply"]
    assert [message for message in state["messages"] if getattr(message, "tool_calls", None)] == []
    assert (result.reply, result.todos, result.notes, await world.tasks()) == ("我只能处理日程。", [], {}, [])


async def test_greeting_is_answered_without_agents(world: World) -> None:
    world.script(triage=classified("simple_chat"), reply=["你好！"])
    result = await world.run("你好")
    assert (result.status, result.reply, world.model.roles) == ("completed", "你好！", ["triage", "reply"])


async def test_airport_request_leaves_task_weather_and_reminder(world: World) -> None:
    world.script(triage=several, planner=[AIRPORT], **WORK)
    result = await world.run("周末早上去机场接人")
    [task], [reminder] = await world.tasks(), await world.reminders()
    assert (task.title, task.date.isoformat(), task.time_segment) == ("去机场接人", "2026-02-14", "morning")
    assert (reminder.task_id, reminder.remind_at.isoformat()) == (task.id, "2026-02-13T12:00:00+00:00")
    assert all(word in result.reply for word in ("去机场接人", "小雨", "20:00"))
    assert len(world.console) == 1


@pytest.mark.parametrize("confidence", [0.69, 0.7])
async def test_threshold_decides_whether_to_ask_first(world: World, confidence: float) -> None:
    world.script(triage=classified("single_task", "task", confidence), task=[call("create_task", title="买菜")])
    result = await world.run("买菜")
    asked = confidence < 0.7
    assert result.status == ("waiting" if asked else "completed")
    assert len(await world.tasks()) == (0 if asked else 1)
    if asked:
        assert result.question is not None
        assert (result.question.type, result.question.todo_id) == ("clarify", None)


async def test_clarified_request_starts_over(world: World) -> None:
    answers = [classification("uncertain"), classification("single_task", "task")]
    world.script(triage=answers, task=[call("create_task", title="买菜", due_date="明天")])
    assert (await world.run("那个")).status == "waiting"
    result = await world.answer("明天买菜")
    assert (result.status, await world.titles()) == ("completed", ["买菜"])
    assert [prompt.told["request"] for prompt in world.model.of("triage")] == ["那个", "明天买菜"]


async def test_agent_that_does_not_exist_needs_a_plan(world: World) -> None:
    world.script(
        triage=single("cook"), planner=[plan(todo("a", "task", "买菜"))], task=[call("create_task", title="买菜")]
    )
    result = await world.run("买菜")
    assert (result.status, world.model.roles) == ("completed", ["triage", "planner", "task", "note"])
