"""Reminders: seed table 6.2.6 on real rows, and how they follow their tasks (A23-A29, P2, P9, P10, P15, P18, P24)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support.builders import (
    SATURDAY,
    at,
    call,
    completed,
    counts,
    opened,
    operation,
    reminded,
    reminders_of,
    stored,
    task,
    use,
)
from tools.core.context import Call
from tools.core.errors import ToolArgumentError
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.domain.records import Reminder
from tools.domain.tasks import Task
from tools.services.notifications import NotificationService
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.toolkits.notification import notification_tools
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit

AIRPORT = task("去机场接人", "morning", day=SATURDAY)
MEETING = task("开会", "15:00", day=SATURDAY)
AIR = "明天早上去机场接人"
RAIN = "北京 2026-02-14 天气：小雨，气温 2-8°C，建议携带雨具"


@dataclass
class Desk:
    """Both agents' tools on one database, and what the console showed."""

    database: Database
    shown: list[str] = field(default_factory=list)

    async def use(self, name: str, made: Call | None = None, **arguments: Any) -> ToolResult:
        service = NotificationService(self.database, self.shown.append)
        tools = [*notification_tools(service, "zh"), *task_tools(TaskService(self.database), "zh")]
        return await use(tools, name, made or call(), **arguments)

    async def pending(self) -> list[Reminder]:
        return [each for each in await reminders_of(self.database) if each.status == "pending"]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with opened(tmp_path) as database:
        yield Desk(database)


Row = tuple[Task, str, Language, dict[str, Any], str, str, str]
EN_RAIN: dict[str, Any] = {"weather_info": "Light rain, 2 to 8°C"}
EN_TEXT = "pick up Ann, tomorrow morning; rain is forecast, take an umbrella"
ANN = task("pick up Ann", "morning", day=SATURDAY)
AT_SIX, AT_NOON = {"remind_at": "早上六点"}, {"remind_at": "周五中午12点"}
ROWS: dict[str, Row] = {
    "6.2.6 a later day, zh": (AIRPORT, "10:00", "zh", {"weather_info": RAIN}, "02-13 20:00", "day_before", AIR),
    "6.2.6 a later day, en": (ANN, "10:00", "en", EN_RAIN, "02-13 20:00", "day_before", EN_TEXT),
    "6.2.6 today with a time": (task("开会", "15:00"), "10:00", "zh", {}, "13:00", "two_hours", "今天 15:00 开会"),
    "6.2.6 today without a time": (task("买菜"), "07:00", "zh", {}, "08:00", "morning_of", "今天买菜"),
    "6.2.6 no weather, no advice": (AIRPORT, "10:00", "zh", {}, "02-13 20:00", "day_before", AIR),
    "P2 the rule's time is past": (task("开会", "11:00"), "10:00", "zh", {}, "10:30", "half_hour", "今天 11:00 开会"),
    "P2 an offset": (MEETING, "10:00", "zh", {"remind_at": "提前一小时"}, "02-14 14:00", "explicit", "今天 15:00 开会"),
    "P2 a time": (AIRPORT, "10:00", "zh", AT_NOON, "02-13 12:00", "explicit", AIR),
    "P2 a bare time is on the task's day": (
        AIRPORT,
        "10:00",
        "zh",
        AT_SIX,
        "02-14 06:00",
        "explicit",
        "今天早上去机场",
    ),
    "P18 a moment": (task("吃药", "20:00-20:00"), "10:00", "zh", {"remind_at": "20:00"}, "20:00", "explicit", "今天"),
}


@pytest.mark.parametrize("given", ROWS.values(), ids=ROWS)
async def test_schedule(desk: Desk, given: Row) -> None:
    made, now, language, arguments, rings, reason, content = given
    (row,) = await stored(desk.database, made)
    result = await desk.use("schedule_reminder", call(language, now=at(now)), task_id=row.id, **arguments)
    (reminder,) = await desk.pending()
    assert (reminder.remind_at, reminder.reason, reminder.channel) == (at(rings), reason, "console")
    assert reminder.content.startswith(content)
    assert ("伞" in reminder.content or "umbrella" in reminder.content) == ("weather_info" in arguments)
    assert (result.status, result.rows) == ("success", [f"reminder:{reminder.id}"])
    assert f"{at(rings):%Y-%m-%d %H:%M}" in result.message
    assert result.data["reminder"]["remind_at"] == at(rings).isoformat(timespec="minutes")
    why = ("按规则的时间已过" in result.message) or ("the usual time had passed" in result.message)
    assert why == (reason == "half_hour")
    assert len(desk.shown) == 1
    assert reminder.content in desk.shown[0]


ADVICE = {
    "大雪": "有雪",
    "晴，气温 36-39°C": "防暑",
    "晴，-15 到 -11°C": "保暖",
    "多云，10-20°C": None,
    "无雨": None,
}


@pytest.mark.parametrize(("weather", "advice"), ADVICE.items())
async def test_advice_only_when_the_weather_calls_for_it(desk: Desk, weather: str, advice: str | None) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    await desk.use("schedule_reminder", task_id=row.id, weather_info=weather)
    (reminder,) = await desk.pending()
    assert reminder.content.startswith("明天早上去机场接人")
    assert (advice or "，") in reminder.content or (advice is None and reminder.content == "明天早上去机场接人")


NOT_MADE: dict[str, tuple[Task, dict[str, Any], Language, str]] = {
    "6.2.6 a past task, zh": (task("开会", "09:00"), {}, "zh", "「开会」已经过去，不安排提醒了。"),
    "6.2.6 a past task, en": (task("sync", day=date(2026, 2, 10)), {}, "en", "“sync” is over, so no reminder was set."),
}


@pytest.mark.parametrize(("made", "arguments", "language", "message"), NOT_MADE.values(), ids=NOT_MADE)
async def test_no_reminder_of_the_past(
    desk: Desk, made: Task, arguments: dict[str, Any], language: Language, message: str
) -> None:
    (row,) = await stored(desk.database, made)
    result = await desk.use("schedule_reminder", call(language), task_id=row.id, **arguments)
    assert (result.message, await reminders_of(desk.database), desk.shown) == (message, [], [])


@pytest.mark.parametrize("wish", ["今天早上八点", "提前两小时"])
async def test_a_wish_that_is_past_is_not_told_as_a_task_that_is_past(desk: Desk, wish: str) -> None:
    (row,) = await stored(desk.database, task("开会", "11:00"))
    result = await desk.use("schedule_reminder", task_id=row.id, remind_at=wish)
    assert await reminders_of(desk.database) == []
    assert result.status == "error"
    assert "「开会」已经过去" not in result.message
    assert "已经过去了，没有安排提醒" in result.message


async def test_a_wish_that_names_no_time_goes_back_to_the_model(desk: Desk) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    with pytest.raises(ToolArgumentError):
        await desk.use("schedule_reminder", task_id=row.id, remind_at="好")
    assert set((await counts(desk.database)).values()) == {0, 1}


@pytest.mark.parametrize("user", [1, 2])
async def test_another_users_task_and_reminder_are_unknown(desk: Desk, user: int) -> None:
    (foreign,) = await stored(desk.database, task("秘密", "15:00", day=SATURDAY, user_id=2))
    reminder = await reminded(desk.database, foreign, at("02-13 20:00"))
    asked = call(user=user)
    scheduled = await desk.use("schedule_reminder", asked, task_id=foreign.id)
    cancelled = await desk.use("cancel_reminder", call(user=user), reminder_id=reminder.id)
    listed = await desk.use("list_reminders", call(user=user))
    if user == 2:
        assert (scheduled.status, cancelled.status) == ("success", "success")
        return
    unknown = await desk.use("schedule_reminder", task_id=99), await desk.use("cancel_reminder", reminder_id=99)
    assert (scheduled.message, cancelled.message) == tuple(each.message for each in unknown)
    assert (listed.data, listed.rows, desk.shown) == ({"reminders": []}, [], [])
    assert [each.status for each in await reminders_of(desk.database, 2)] == ["pending"]


async def test_the_console_line_is_printed_once_and_not_on_a_replay(desk: Desk) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    key = operation("schedule_reminder")
    first = await desk.use("schedule_reminder", call(key=key), task_id=row.id)
    again = await desk.use("schedule_reminder", call(key=key), task_id=row.id)
    assert first == again
    assert len(desk.shown) == 1
    assert len(await reminders_of(desk.database)) == 1


async def test_one_reminder_at_an_instant_and_a_wish_replaces_the_rule(desk: Desk) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    await desk.use("schedule_reminder", task_id=row.id)
    same = await desk.use("schedule_reminder", task_id=row.id, weather_info=RAIN)
    assert [each.content[-4:] for each in await desk.pending()] == ["记得带伞"]
    assert "已经有了" in same.message
    assert len(desk.shown) == 1
    await desk.use("schedule_reminder", task_id=row.id, remind_at="周五中午12点")
    await desk.use("schedule_reminder", task_id=row.id, remind_at="提前一小时")
    assert [(each.remind_at, each.reason) for each in await desk.pending()] == [
        (at("02-13 12:00"), "explicit"),
        (at("02-14 05:00"), "explicit"),
    ]
    assert [each.status for each in await reminders_of(desk.database)].count("cancelled") == 1


async def test_by_title_several_ask_and_none_may_stand_alone(desk: Desk) -> None:
    await stored(desk.database, task("开会", "14:00", day=SATURDAY), task("开会", "16:00", day=SATURDAY))
    wish = {"task_title": "开会", "task_date": "周六"}
    asked = await desk.use("schedule_reminder", **wish)
    assert (asked.status, len(asked.choices), desk.shown) == ("need_confirmation", 3, [])
    done = await desk.use("schedule_reminder", **completed(wish, asked.choices[1]))
    assert (done.status, [each.task_id for each in await desk.pending()]) == ("success", [2])
    alone = await desk.use("schedule_reminder", task_title="看流星", task_date="周五晚上九点")
    assert (alone.status, alone.data["reminder"]["task_id"]) == ("success", None)
    missing = await desk.use("schedule_reminder", task_title="看流星雨")
    assert (missing.status, missing.message) == ("error", "未找到匹配任务「看流星雨」。")


@pytest.mark.parametrize(
    ("language", "date", "message"),
    [
        ("zh", None, "有 2 条提醒："),
        ("zh", "明天", "有 1 条提醒：明天周四（2月12日） 09:00 提醒。"),
        ("en", "tomorrow", "1 to come: tomorrow, Thursday (12 February), 09:00 提醒."),
        ("zh", "周六", "周六（2月14日）没有待发的提醒。"),
        ("en", "Saturday", "There are no reminders on Saturday (14 February)."),
    ],
)
async def test_list_shows_what_is_pending(desk: Desk, language: Language, date: str | None, message: str) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    for moment in ("02-13 20:00", "02-12 09:00"):
        await reminded(desk.database, row, at(moment))
    gone = await reminded(desk.database, row, at("02-12 10:00"))
    cancelled = await desk.use("cancel_reminder", reminder_id=gone.id)
    assert (cancelled.status, cancelled.rows) == ("success", [f"reminder:{gone.id}"])
    assert (await desk.use("cancel_reminder", reminder_id=gone.id)).message == "未找到这条提醒。"
    result = await desk.use("list_reminders", call(language), **({"date": date} if date else {}))
    assert result.message.replace(" 09:00", "09:00").startswith(message.replace(" 09:00", "09:00"))
    times = [each["remind_at"] for each in result.data["reminders"]]
    assert times == sorted(times)


Follow = tuple[Task, str, str, dict[str, Any], str | None, str]
TO_NOON = {"due_date": "今天", "start_time": "12:00"}
SUNDAY_10 = {"due_date": "周日", "start_time": "10:00"}
FOLLOW: dict[str, Follow] = {
    "P9 follows the rule": (AIRPORT, "02-13 20:00", "day_before", {"due_date": "周日"}, "02-14 20:00", AIR),
    "P9 moved to today": (MEETING, "02-13 20:00", "day_before", {"due_date": "今天"}, "02-11 13:00", "今天 15:00 开会"),
    "P24 a wish keeps its distance": (MEETING, "02-14 14:00", "explicit", SUNDAY_10, "02-15 09:00", "今天 10:00 开会"),
    "P24 an instant that stays": (AIRPORT, "02-13 20:00", "day_before", {"time_segment": "noon"}, "02-13 20:00", ""),
    "P24 a wish that would be past is dropped": (MEETING, "02-14 10:00", "explicit", TO_NOON, None, ""),
    "P10 finishing cancels": (AIRPORT, "02-13 20:00", "day_before", {"tool": "finish_task"}, None, ""),
    "P10 removing cancels": (AIRPORT, "02-13 20:00", "explicit", {"tool": "remove_task"}, None, ""),
}


@pytest.mark.parametrize(("made", "rings", "reason", "change", "then", "content"), FOLLOW.values(), ids=FOLLOW)
async def test_reminders_follow_their_task(
    desk: Desk, made: Task, rings: str, reason: str, change: dict[str, Any], then: str | None, content: str
) -> None:
    (row,) = await stored(desk.database, made)
    before = await reminded(desk.database, row, at(rings), reason=reason, content="提醒，天气预报有雨，记得带伞")
    change = dict(change)
    result = await desk.use(change.pop("tool", "modify_task"), task_id=row.id, **change)
    assert result.status == "success"
    (after,) = await reminders_of(desk.database)
    if then is None:
        assert (after.id, after.status, after.remind_at) == (before.id, "cancelled", before.remind_at)
        assert "取消" in result.message
        return
    assert (after.id, after.status, after.remind_at) == (before.id, "pending", at(then))
    assert after.content.startswith(content)
    assert ("提醒也改到了" in result.message) == (then != rings)


async def test_a_renamed_task_renames_its_reminder(desk: Desk) -> None:
    (row,) = await stored(desk.database, AIRPORT)
    await desk.use("schedule_reminder", task_id=row.id, weather_info=RAIN)
    await desk.use("modify_task", task_id=row.id, new_title="去车站接人")
    (reminder,) = await desk.pending()
    assert reminder.content == "明天早上去车站接人，天气预报有雨，记得带伞"
