"""Each of the four sub-agents alone: its tool runs, rows change, the reply says so (A44, seed 000 section 6.3)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import time

import pytest

from tests.graph.world import SATURDAY, TODAY, World, single
from tests.support.scripted_model import Said, call
from tools.domain.records import ReminderStatus
from tools.domain.tasks import TaskStatus

pytestmark = pytest.mark.graph


async def done(world: World, agent: str, *steps: Said) -> str:
    """Run one item of an agent to its end; its tools' own words come back as the reply."""
    world.script(triage=single(agent), **{agent: list(steps)})
    result = await world.run("照做")
    assert (result.status, [item["status"] for item in result.todos]) == ("completed", ["completed"])
    assert result.reply == result.todos[0]["outcome"]["summary"]
    return result.reply


async def test_task_agent_creates(world: World) -> None:
    reply = await done(world, "task", call("create_task", title="开会", due_date="明天", start_time="15:00"))
    [task] = await world.tasks()
    assert (task.title, task.date.isoformat(), task.start_time) == ("开会", "2026-02-13", time(15))
    assert reply == "已创建任务「开会」：明天周五（2月13日）15:00。"


async def test_task_agent_lists(world: World) -> None:
    await world.has("买菜")
    assert "「买菜」" in await done(world, "task", call("query_tasks", due_date="明天"))


async def test_task_agent_moves(world: World) -> None:
    await world.has("买菜")
    await done(world, "task", call("modify_task", title="买菜", due_date="周六"))
    assert [task.date.isoformat() for task in await world.tasks()] == ["2026-02-14"]


@pytest.mark.parametrize(
    ("tool", "status"), [("finish_task", TaskStatus.COMPLETED), ("remove_task", TaskStatus.CANCELLED)]
)
async def test_task_agent_ends(world: World, tool: str, status: TaskStatus) -> None:
    await world.has("写周报", day=TODAY)
    assert "写周报" in await done(world, "task", call(tool, title="写周报"))
    assert [task.status for task in await world.tasks()] == [status]


async def test_calendar_agent_shows_the_day(world: World) -> None:
    await world.has("开会", "09:30-10:00")
    assert "开会" in await done(world, "calendar", call("get_day_schedule", date="明天"))


async def test_calendar_agent_finds_gaps(world: World) -> None:
    await world.has("开会", "15:30-16:00")
    reply = await done(world, "calendar", call("find_free_slots", date="明天下午"))
    assert all(gap in reply for gap in ("14:00-15:30", "16:00-18:00"))


async def test_weather_agent_reads_the_forecast(world: World) -> None:
    reply = await done(world, "weather", call("get_weather", date="周六"))
    assert all(word in reply for word in ("北京", "小雨", "2-8°C"))


async def test_notification_agent_arranges_lists_and_cancels(world: World) -> None:
    await world.has("接人", day=SATURDAY)
    assert "20:00" in await done(world, "notification", call("schedule_reminder", task_id=1))
    assert "接人" in await done(world, "notification", call("list_reminders"))
    await done(world, "notification", call("cancel_reminder", reminder_id=1))
    assert [reminder.status for reminder in await world.reminders()] == [ReminderStatus.CANCELLED]


@pytest.mark.parametrize(
    ("agent", "own"),
    [
        ("task", ["create_task", "query_tasks", "modify_task", "finish_task", "remove_task"]),
        ("calendar", ["get_day_schedule", "find_free_slots"]),
        ("weather", ["get_weather"]),
        ("notification", ["schedule_reminder", "list_reminders", "cancel_reminder"]),
    ],
)
async def test_agent_holds_its_own_tools_query_note_and_ask_user(world: World, agent: str, own: Sequence[str]) -> None:
    world.script(triage=single(agent), **{agent: [call("ask_user", question="哪天？")]})
    await world.run("照做")
    [prompt] = world.model.of(agent)
    assert prompt.tools == [*own, "query_note", "ask_user"]


async def test_item_with_steps_goes_on_until_they_are_done(world: World) -> None:
    steps = [call("create_task", title="买菜", due_date="明天"), call("create_task", title="做饭", due_date="周六")]
    item = {"id": "a", "content": "买菜做饭", "subagent": "task", "steps": ["买菜", "做饭"]}
    world.script(triage=single("nobody"), planner=[call("write_todo", todos=[item])], task=steps)
    result = await world.run("明天买菜，周六做饭")
    assert await world.titles() == ["买菜", "做饭"]
    assert result.todos[0]["outcome"]["rows"] == ["task:1", "task:2"]
