"""Tasks that come back: made, seen, met, ended and moved by the services; reminders roll on (requirements, issue 2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import (
    NOW,
    SHANGHAI,
    at,
    call,
    completed,
    opened,
    picked,
    reminders_of,
    stored,
    task,
    tasks_of,
    use,
)
from tools.core.clock import FrozenClock
from tools.core.errors import ToolArgumentError
from tools.core.result import ToolResult
from tools.domain.tasks import Task
from tools.services.calendar import CalendarService
from tools.services.delivery import Delivery, DeliveryService
from tools.services.notifications import NotificationService
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.toolkits.calendar import calendar_tools
from tools.toolkits.notification import notification_tools
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit

#: The Mondays to come; NOW is Wednesday 2026-02-11, 10:00.
MONDAY, NEXT_MONDAY = date(2026, 2, 16), date(2026, 2, 23)
STANDUP = {"title": "站会", "due_date": "每周一9点到9点半"}


class World:
    """A database and all tools on it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.tools: list[BaseTool] = [
            *task_tools(TaskService(database), "zh"),
            *calendar_tools(CalendarService(database), "zh"),
            *notification_tools(NotificationService(database, lambda line: None), "zh"),
        ]

    async def use(self, name: str, *, now: datetime = NOW, permitted: bool = False, **arguments: Any) -> ToolResult:
        return await use(self.tools, name, call(now=now, permitted=permitted), **arguments)

    async def answer(self, name: str, result: ToolResult, choice: str, **arguments: Any) -> ToolResult:
        """The call that picking a choice makes."""
        chosen = picked(result, choice)
        return await self.use(name, permitted=chosen.permit, **completed(arguments, chosen))

    async def series(self) -> Task:
        return next(task for task in await tasks_of(self.database) if task.rrule)

    async def singles(self) -> list[Task]:
        return [task for task in await tasks_of(self.database) if not task.rrule]

    async def rings(self) -> list[str]:
        """The pending reminders, in Shanghai."""
        found = await reminders_of(self.database)
        return [f"{r.remind_at.astimezone(SHANGHAI):%m-%d %H:%M}" for r in found if r.status == "pending"]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as database:
        yield World(database)


MADE = {
    "每周一9点到9点半": ("FREQ=WEEKLY;BYDAY=MO", date(2026, 2, 16), time(9), time(9, 30)),
    "每天早上8点": ("FREQ=DAILY", date(2026, 2, 12), time(8), None),
    "每天晚上8点": ("FREQ=DAILY", date(2026, 2, 11), time(20), None),
    "每个工作日上午": ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", date(2026, 2, 11), None, None),
    "每月15号": ("FREQ=MONTHLY;BYMONTHDAY=15", date(2026, 2, 15), None, None),
    "every other Tuesday at 3pm": ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", date(2026, 2, 17), time(15), None),
    "每周五上午10点直到6月": ("FREQ=WEEKLY;BYDAY=FR;UNTIL=20260630", date(2026, 2, 13), time(10), None),
}


@pytest.mark.parametrize("words", MADE)
async def test_words_of_a_recurrence_make_a_series(world: World, words: str) -> None:
    result = await world.use("create_task", title="练琴", due_date=words)
    assert result.status == "success", result.message
    made = await world.series()
    assert (made.rrule, made.date, made.start_time, made.end_time) == MADE[words]


async def test_words_and_clock_may_come_apart_and_as_a_rule(world: World) -> None:
    await world.use("create_task", title="甲", repeat="每周一", start_time="9点")
    await world.use("create_task", title="乙", repeat="FREQ=WEEKLY;BYDAY=MO", start_time="11:00", end_time="12:00")
    await world.use("create_task", title="丙", due_date="2026-02-16", repeat="每周", start_time="14:00")
    assert [(t.rrule, t.date, t.start_time) for t in await tasks_of(world.database)] == [
        ("FREQ=WEEKLY;BYDAY=MO", MONDAY, time(9)),
        ("FREQ=WEEKLY;BYDAY=MO", MONDAY, time(11)),
        ("FREQ=WEEKLY", MONDAY, time(14)),
    ]


@pytest.mark.parametrize(
    "words",
    ["每小时", "每天早上8点和晚上8点", "FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=8", "FREQ=WEEKLY;BYDAY=XX", "RRULE:FREQ="],
)
async def test_what_no_task_can_do_is_refused(world: World, words: str) -> None:
    with pytest.raises(ToolArgumentError):
        await world.use("create_task", title="喝水", repeat=words)
    assert await tasks_of(world.database) == []


async def test_a_rule_that_never_comes_is_refused(world: World) -> None:
    with pytest.raises(ToolArgumentError):
        await world.use("create_task", title="没有的日子", repeat="FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")


async def test_the_reply_names_rhythm_and_first_date(world: World) -> None:
    result = await world.use("create_task", **STANDUP)
    assert result.message == "已创建任务「站会」：每周一09:00-09:30。第一次是周一（2月16日）。"


async def test_the_calendar_sees_each_date(world: World) -> None:
    await world.use("create_task", **STANDUP)
    for day in (MONDAY, NEXT_MONDAY, MONDAY + timedelta(weeks=30)):
        found = await world.use("get_day_schedule", date=day.isoformat())
        assert [entry["start_time"] for entry in found.data["timeline"]] == ["09:00"]
        free = await world.use("find_free_slots", date=day.isoformat(), start_hour=9, end_hour=12)
        assert free.data["free_slots"] == ["09:30-12:00"]
    assert (await world.use("get_day_schedule", date="2026-02-17")).data["timeline"] == []


async def test_a_new_task_collides_with_a_date_of_the_series(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("create_task", title="面试", due_date="2026-03-02", start_time="9:15", end_time="10:00")
    assert result.status == "conflict"
    assert "站会" in result.message


async def test_a_new_series_collides_with_a_task_weeks_ahead(world: World) -> None:
    await stored(world.database, task("面试", "09:15-10:00", day=date(2026, 3, 2)))
    result = await world.use("create_task", **STANDUP)
    assert result.status == "conflict"
    assert "周一（3月2日）" in result.message
    made = await world.answer("create_task", result, "yes", **STANDUP)
    assert made.status == "success"
    assert (await world.series()).date == MONDAY


async def test_a_series_does_not_collide_with_itself_when_it_moves(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("modify_task", title="站会", whole_series=True, start_time="9:10")
    assert result.status == "success", result.message
    assert ((await world.series()).start_time, (await world.series()).end_time) == (time(9, 10), time(9, 40))


@pytest.mark.parametrize("tool", ["modify_task", "remove_task", "finish_task"])
async def test_one_or_all_is_asked_when_it_is_unclear(world: World, tool: str) -> None:
    await world.use("create_task", **STANDUP)
    change = {"new_title": "晨会"} if tool == "modify_task" else {}
    result = await world.use(tool, title="站会", **change)
    assert (result.status, [choice.id for choice in result.choices]) == ("need_confirmation", ["one", "all", "no"])
    assert (await world.series()).status == "pending"
    assert await world.singles() == []


async def test_to_finish_it_means_todays(world: World) -> None:
    await world.use("create_task", title="背单词", due_date="每天晚上8点")
    result = await world.use("finish_task", title="背单词")
    assert result.status == "success"
    series = await world.series()
    assert (series.status, series.exdates) == ("pending", (NOW.date(),))
    assert [(t.date, t.status, t.series_id) for t in await world.singles()] == [(NOW.date(), "completed", series.id)]


async def test_a_date_means_that_one(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("remove_task", title="站会", on_date="下下周一")
    assert result.status == "success"
    assert (await world.series()).exdates == (NEXT_MONDAY,)
    assert (await world.use("get_day_schedule", date="2026-02-23")).data["timeline"] == []
    assert (await world.use("get_day_schedule", date="2026-02-16")).data["timeline"] != []


async def test_a_date_on_which_it_does_not_come_is_not_found(world: World) -> None:
    await world.use("create_task", **STANDUP)
    assert (await world.use("remove_task", title="站会", on_date="周四")).status == "error"


async def test_a_recurrence_means_all(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("remove_task", title="站会", on_date="每周一")
    assert (result.status, (await world.series()).status) == ("success", "cancelled")
    assert (await world.use("get_day_schedule", date="2026-02-16")).data["timeline"] == []


async def test_all_of_it_is_the_series_also_beside_a_single_date_of_today(world: World) -> None:
    await world.use("create_task", title="背单词", due_date="每天晚上8点")
    await world.use("modify_task", title="背单词", on_date="今天", start_time="晚上9点")
    assert [t.date for t in await world.singles()] == [NOW.date()]
    await world.use("remove_task", title="背单词", whole_series=True)
    assert ((await world.series()).status, (await world.singles())[0].status) == ("cancelled", "pending")


async def test_the_answer_all_and_the_answer_one(world: World) -> None:
    await world.use("create_task", **STANDUP)
    moved = {"title": "站会", "start_time": "10点", "end_time": "10点半"}
    asked = await world.use("modify_task", **moved)
    await world.answer("modify_task", asked, "one", **moved)
    single = (await world.singles())[0]
    assert (single.date, single.start_time, single.end_time) == (MONDAY, time(10), time(10, 30))
    by_number = {"task_id": (await world.series()).id, "start_time": "11点", "end_time": "11点半"}
    asked = await world.use("modify_task", **by_number)
    await world.answer("modify_task", asked, "all", **by_number)
    series = await world.series()
    assert (series.start_time, series.exdates) == (time(11), (MONDAY,))


async def test_one_date_moves_to_another_day_and_past_a_conflict(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await stored(world.database, task("面试", "09:15-10:00", day=date(2026, 2, 17)))
    move = {"title": "站会", "on_date": "下周一", "due_date": "下周二"}
    refused = await world.use("modify_task", **move)
    assert refused.status == "conflict"
    result = await world.answer("modify_task", refused, "yes", **move)
    assert result.status == "success", result.message
    assert [(t.title, t.date) for t in await world.singles()] == [
        ("站会", date(2026, 2, 17)),
        ("面试", date(2026, 2, 17)),
    ]
    assert (await world.series()).exdates == (MONDAY,)


async def test_all_dates_move_to_another_weekday_or_rhythm(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await world.use("modify_task", title="站会", whole_series=True, due_date="下周二")
    assert ((await world.series()).rrule, (await world.series()).date) == ("FREQ=WEEKLY;BYDAY=TU", date(2026, 2, 17))
    await world.use("modify_task", title="站会", due_date="每个工作日")
    series = await world.series()
    assert (series.rrule, series.start_time) == ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", time(9))
    with pytest.raises(ToolArgumentError):
        await world.use("modify_task", title="站会", whole_series=True, due_date="下周二")


async def test_a_single_task_becomes_a_series(world: World) -> None:
    await stored(world.database, task("跑步", "07:00", day=date(2026, 2, 12)))
    await world.use("modify_task", title="跑步", due_date="每天")
    assert ((await world.series()).rrule, (await world.series()).start_time) == ("FREQ=DAILY", time(7))


async def test_everything_of_a_day_takes_one_date_of_the_series(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await stored(world.database, task("面试", "14:00", day=MONDAY))
    asked = await world.use("remove_task", everything=True, on_date="下周一")
    assert asked.status == "need_confirmation"
    await world.answer("remove_task", asked, "yes", everything=True, on_date="下周一")
    assert ((await world.series()).status, (await world.series()).exdates) == ("pending", (MONDAY,))
    assert {t.status for t in await world.singles()} == {"cancelled"}


async def test_a_reminder_rings_for_the_next_date_and_rolls_on(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("schedule_reminder", task_title="站会")
    assert result.message.endswith("以后每次都会提醒。")
    assert await world.rings() == ["02-15 20:00"]
    said = await deliver(world, at("02-15 20:00"))
    assert (said, await world.rings()) == (["明天 09:00-09:30 站会"], ["02-22 20:00"])


async def test_after_a_long_pause_one_late_reminder_and_the_next_to_come(world: World) -> None:
    await world.use("create_task", title="吃药", due_date="每天早上8点")
    await world.use("schedule_reminder", task_title="吃药", remind_at="8点")
    assert await world.rings() == ["02-12 08:00"]
    said = await deliver(world, at("02-20 12:00"))
    assert (len(said), await world.rings()) == (1, ["02-21 08:00"])


@pytest.mark.parametrize(("wish", "rings"), [("每天早上8点", 2), ("8点", 2), ("明天早上8点", 0)])
async def test_a_time_with_a_date_of_its_own_rings_once(world: World, wish: str, rings: int) -> None:
    await world.use("create_task", title="吃药", due_date="每天早上8点")
    await world.use("schedule_reminder", task_title="吃药", remind_at=wish)
    for day in ("02-12", "02-13"):
        await deliver(world, at(f"{day} 09:00"))
    assert await world.rings() == (["02-14 08:00"] if rings else [])


async def test_a_reminder_of_a_finished_date_goes_on_to_the_next(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await world.use("schedule_reminder", task_title="站会")
    await world.use("finish_task", title="站会", on_date="下周一")
    assert await world.rings() == ["02-22 20:00"]


async def test_a_moved_date_takes_its_reminder_along(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await world.use("schedule_reminder", task_title="站会")
    await world.use("modify_task", title="站会", on_date="下周一", due_date="下周三")
    assert await world.rings() == ["02-17 20:00", "02-22 20:00"]


async def test_a_moved_series_takes_its_reminder_along(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await world.use("schedule_reminder", task_title="站会", remind_at="提前10分钟")
    assert await world.rings() == ["02-16 08:50"]
    await world.use("modify_task", title="站会", due_date="每周四", whole_series=True, start_time="10点")
    assert await world.rings() == ["02-12 09:50"]


async def test_a_removed_series_rings_no_more(world: World) -> None:
    await world.use("create_task", **STANDUP)
    await world.use("schedule_reminder", task_title="站会")
    await world.use("remove_task", title="站会", whole_series=True)
    assert await world.rings() == []


async def test_a_series_that_has_ended_rings_no_more(world: World) -> None:
    await world.use("create_task", title="体检", repeat="FREQ=WEEKLY;COUNT=1", start_time="9点")
    await world.use("schedule_reminder", task_title="体检")
    first = (await world.rings())[0]
    assert len(await deliver(world, at(first))) == 1
    assert await world.rings() == []


async def test_lists_name_a_series_once_and_by_its_rhythm(world: World) -> None:
    await world.use("create_task", **STANDUP)
    result = await world.use("query_tasks")
    assert "每周一09:00-09:30「站会」" in result.message
    assert result.data["tasks"][0]["repeats"] == "FREQ=WEEKLY;BYDAY=MO"


async def deliver(world: World, now: datetime) -> list[str]:
    """What the console would print at a moment."""
    said: list[str] = []

    class Console:
        name = "console"

        async def send(self, delivery: Delivery) -> None:
            said.append(delivery.reminder.content)

    service = DeliveryService(world.database, FrozenClock(now), Console(), user_id=1, zone=SHANGHAI, claimer="test")
    async for _ in service.deliver_due(lambda: False):
        pass
    return said
