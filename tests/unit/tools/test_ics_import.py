"""Imports into rows: once, whole, for one user, and never a second row for one name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event as events

from tests.support.builders import (
    NOW,
    at,
    context,
    counts,
    opened,
    reminded,
    reminders_of,
    rows,
    stored,
    task,
    tasks_of,
)
from tests.support.calendars import alarm, event, todo, wrapped
from tools.core.context import RunContext
from tools.core.result import ResultStatus, ToolResult
from tools.domain.records import ReminderStatus
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.exporting import export_calendar
from tools.services.ics.importing import ImportService
from tools.services.ics.planning import Action, Plan
from tools.store.database import Database
from tools.store.effects import Work
from tools.store.repositories import Reminders, Tasks
from tools.store.tables import GroupRow

pytestmark = pytest.mark.unit

MEETING = event("m@example.com", "SEQUENCE:0", alarm("TRIGGER:-PT15M"))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(tmp_path) as database:
        yield database


async def plan_of(database: Database, *entries: str, user: RunContext | None = None) -> Plan:
    return (await ImportService(database).preview(wrapped(*entries), user or context())).plan


async def imported(
    database: Database, *entries: str, user: RunContext | None = None, data: bytes | None = None
) -> ToolResult:
    service = ImportService(database)
    return await service.carry_out(await service.preview(data or wrapped(*entries), user or context()))


async def only(database: Database) -> Task:
    [found] = await tasks_of(database)
    return found


async def saved(database: Database, before: Task, now: datetime = NOW, **changes: Any) -> Task:
    async with database.writing() as session:
        return await Tasks(session, before.user_id).save(replace(before, **changes), now)


async def test_an_import_is_rows_reminders_journal_and_a_receipt(database: Database) -> None:
    result = await imported(database, MEETING, todo("t", "DUE;VALUE=DATE:20260303", "PRIORITY:1"))
    assert result.data == {"create": 2, "change": 0, "unchanged": 0, "skip": 0}
    assert result.rows == ["task:1", "task:2"]
    meeting, homework = await tasks_of(database)
    assert (meeting.uid, meeting.date, meeting.start_time) == ("m@example.com", date(2026, 3, 2), time(9))
    assert (homework.uid, homework.priority, homework.start_time) == ("t", Priority.HIGH, None)
    [reminder] = await reminders_of(database)
    assert (reminder.task_id, reminder.remind_at, reminder.reason) == (1, at("03-02 08:45"), "explicit")
    assert reminder.content == "今天 09:00-10:00 m@example.com"
    assert [(row.table_name, row.row_id, row.tool, row.before) for row in await rows(database, "journal")] == [
        ("tasks", 1, "import_ics", None),
        ("reminders", 1, "import_ics", None),
        ("tasks", 2, "import_ics", None),
    ]
    [receipt] = await rows(database, "effects")
    assert receipt.key.startswith("import-ics/r1/file/import_ics/")


async def test_the_preview_writes_nothing(database: Database) -> None:
    before = await counts(database)
    assert (await plan_of(database, MEETING)).writes
    assert await counts(database) == before


async def test_a_second_time_writes_nothing(database: Database) -> None:
    await imported(database, MEETING)
    before = await counts(database)
    again = await imported(database, MEETING)
    assert again.data == {"create": 0, "change": 0, "unchanged": 1, "skip": 0}
    assert await counts(database) == before


async def test_the_same_work_again_finds_its_receipt(database: Database) -> None:
    service = ImportService(database)
    preview = await service.preview(wrapped(MEETING), context())
    first = await service.carry_out(preview)
    before = await counts(database)
    assert await service.carry_out(preview) == first
    assert await counts(database) == before


async def test_what_was_removed_can_be_imported_again(database: Database) -> None:
    await imported(database, MEETING)
    async with database.writing() as session:
        await Tasks(session, 1).remove(1)
    assert (await imported(database, MEETING)).data["create"] == 1
    assert (await only(database)).uid == "m@example.com"


async def test_nothing_is_left_of_an_import_that_fails_half_way(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await counts(database)
    add = Work.add_task

    async def failing(work: Work, new: Task) -> Task:
        if new.uid == "second":
            raise RuntimeError("power cut")
        return await add(work, new)

    monkeypatch.setattr(Work, "add_task", failing)
    with pytest.raises(RuntimeError):
        await imported(database, event("first"), event("second"))
    assert await counts(database) == before
    monkeypatch.undo()
    assert (await imported(database, event("first"), event("second"))).data["create"] == 2


async def test_an_import_is_one_transaction(database: Database) -> None:
    begun: list[str] = []
    events.listen(database.engine.sync_engine, "commit", lambda _connection: begun.append("commit"))
    service = ImportService(database)
    preview = await service.preview(wrapped(*(event(f"e{number}") for number in range(5))), context())
    begun.clear()
    await service.carry_out(preview)
    assert begun == ["commit"]


async def test_rows_of_others_are_not_touched(database: Database) -> None:
    await imported(database, MEETING, user=context(user=2))
    [theirs] = await tasks_of(database, 2)
    moved = MEETING.replace("T090000", "T110000").replace("T100000", "T120000")
    assert (await imported(database, moved)).data["create"] == 1
    assert await tasks_of(database, 2) == [theirs]
    assert len(await reminders_of(database, 2)) == 1


async def test_a_change_that_comes_in_between_stops_the_import(database: Database) -> None:
    service = ImportService(database)
    preview = await service.preview(wrapped(MEETING), context())
    await stored(database, task("又一件", uid="m@example.com"))
    before = await counts(database)
    result = await service.carry_out(preview)
    assert result.status is ResultStatus.ERROR
    assert "没有导入" in result.message
    assert await counts(database) == before


async def test_a_newer_version_changes_the_row_and_its_reminder(database: Database) -> None:
    await imported(database, MEETING)
    moved = MEETING.replace("T090000", "T110000").replace("T100000", "T120000").replace("SEQUENCE:0", "SEQUENCE:1")
    [entry] = (await plan_of(database, moved)).entries
    assert (entry.action, entry.changed) == (Action.CHANGE, ("start_time", "end_time", "reminders"))
    await imported(database, moved)
    found = await only(database)
    assert (found.start_time, found.end_time, found.version) == (time(11), time(12), 2)
    pending = [one for one in await reminders_of(database) if one.status is ReminderStatus.PENDING]
    assert [one.remind_at for one in pending] == [at("03-02 10:45")]
    assert not (await plan_of(database, moved)).writes


async def test_what_a_stranger_does_not_say_stays(database: Database) -> None:
    async with database.writing() as session:
        session.add(GroupRow(id=5, user_id=1, name="工作"))
    await imported(database, MEETING)
    before = await saved(
        database, await only(database), priority=Priority.HIGH, group_id=5, description="我的笔记", blocks_day=True
    )
    await saved(database, before, status=TaskStatus.COMPLETED)
    assert not (await plan_of(database, MEETING)).writes
    await imported(database, MEETING.replace("SUMMARY:m@example.com", "SUMMARY:新标题"))
    after = await only(database)
    assert (after.title, after.priority, after.group_id, after.description, after.status) == (
        "新标题",
        Priority.HIGH,
        5,
        "我的笔记",
        TaskStatus.COMPLETED,
    )


async def test_an_older_version_does_not_undo_what_was_changed_here(database: Database) -> None:
    old = event("m", "LAST-MODIFIED:20260101T000000Z")
    await imported(database, old)
    await saved(database, await only(database), title="改过的")
    [entry] = (await plan_of(database, old)).entries
    assert (entry.action, entry.reason) == (Action.SKIP, "older")
    newer = old.replace("20260101", "20270101")
    assert [one.action for one in (await plan_of(database, newer)).entries] == [Action.CHANGE]
    higher = event("m", "SEQUENCE:1", "LAST-MODIFIED:20260101T000000Z")
    assert [one.action for one in (await plan_of(database, higher)).entries] == [Action.CHANGE]


async def test_our_own_export_says_all_it_knows(database: Database) -> None:
    [mine] = await stored(database, task("写周报", "14:00-15:00", description="旧的"))
    await reminded(database, mine, at("02-11 12:00"), reason="two_hours")
    data = (await export_calendar(database, context())).data
    assert not (await ImportService(database).preview(data, context())).plan.writes
    await saved(database, mine, description="新的", priority=Priority.LOW)
    await reminded(database, mine, at("02-11 13:30"), reason="explicit")
    ours = data.replace(b"SEQUENCE:0", b"SEQUENCE:9")
    await imported(database, data=ours)
    after = await only(database)
    assert (after.description, after.priority) == ("旧的", Priority.MEDIUM)
    found = await reminders_of(database)
    assert [one.remind_at for one in found] == [at("12:00"), at("13:30")]
    assert [one.status for one in found] == [ReminderStatus.PENDING, ReminderStatus.CANCELLED]


async def test_a_task_without_a_name_keeps_its_row(database: Database) -> None:
    [mine] = await stored(database, task("开会", "14:00-15:00"))
    data = (await export_calendar(database, context())).data.replace("SUMMARY:开会".encode(), "SUMMARY:开大会".encode())
    assert (await imported(database, data=data)).data["change"] == 1
    after = await only(database)
    assert (after.id, after.title) == (mine.id, "开大会")
    assert after.uid is not None
    assert after.uid.endswith("@deep-planner")
    again = (await export_calendar(database, context())).data
    assert f"UID:{after.uid}\r\n".encode() in again


async def test_two_databases_never_give_the_same_name(tmp_path: Path) -> None:
    names = []
    for name in ("one.db", "two.db"):
        async with opened(tmp_path, name) as database:
            async with database.writing() as session:
                await Tasks(session, 1).add(task("开会"), NOW + timedelta(seconds=len(names)))
            data = (await export_calendar(database, context())).data
            names.append(next(line for line in data.splitlines() if line.startswith(b"UID")))
    assert names[0] != names[1]


async def test_the_event_alone_is_still_the_same_task(database: Database) -> None:
    """A calendar that keeps no to-dos gives the event back alone, with its own ending and without our properties."""
    [mine] = await stored(database, task("散步", "19:00", time_segment=TimeSegment.AFTERNOON))
    lines = (await export_calendar(database, context())).data.decode().split("BEGIN:VEVENT")[1].split("END:VEVENT")[0]
    kept = [line for line in lines.split("\r\n") if line and not line.startswith(("X-", "RELATED"))]
    [entry] = (await plan_of(database, "|".join(["VEVENT", *kept]))).entries
    assert (entry.action, entry.before) == (Action.UNCHANGED, mine)
    moved = [line.replace("T190000", "T200000") for line in kept]
    await imported(database, "|".join(["VEVENT", *moved]))
    after = await only(database)
    assert (after.start_time, after.id) == (time(20), mine.id)


async def test_groups_are_those_that_there_are(database: Database) -> None:
    async with database.writing() as session:
        session.add(GroupRow(id=5, user_id=1, name="家里"))
        session.add(GroupRow(id=6, user_id=2, name="工作"))
    plan = await plan_of(database, event("x", "CATEGORIES:工作,家里"))
    assert plan.entries[0].task is not None
    assert plan.entries[0].task.group_id == 5
    assert plan.strange == ("工作",)


async def test_a_date_of_a_stored_series_is_taken_out_of_it(database: Database) -> None:
    await imported(database, event("s", "RRULE:FREQ=DAILY;COUNT=5"))
    moved = event("s", "RECURRENCE-ID:20260304T090000", start="20260304T110000", end="20260304T120000")
    assert (await imported(database, moved)).data == {"create": 1, "change": 1, "unchanged": 0, "skip": 0}
    series, single = await tasks_of(database)
    assert series.exdates == (date(2026, 3, 4),)
    assert (single.series_id, single.start_time) == (series.id, time(11))
    both = event("s", "RRULE:FREQ=DAILY;COUNT=5"), moved
    assert not (await plan_of(database, *both)).writes


async def test_dates_that_went_their_own_way_here_stay_out_of_the_series(database: Database) -> None:
    series = event("s", "RRULE:FREQ=DAILY;COUNT=5", "EXDATE:20260303T090000")
    await imported(database, series)
    before = await only(database)
    await saved(database, before, exdates=(*before.exdates, date(2026, 3, 5)))
    assert not (await plan_of(database, series)).writes
    await imported(database, series.replace("EXDATE:20260303", "EXDATE:20260304"))
    assert (await only(database)).exdates == tuple(date(2026, 3, day) for day in (3, 4, 5))


async def test_reminders_end_with_the_task(database: Database) -> None:
    homework = todo("t", "DUE:20260302T090000", alarm("TRIGGER:-PT1H"))
    await imported(database, homework)
    await imported(database, homework.replace("DUE:", "STATUS:COMPLETED|DUE:"))
    assert (await only(database)).status is TaskStatus.COMPLETED
    assert [one.status for one in await reminders_of(database)] == [ReminderStatus.CANCELLED]


async def test_a_cancelled_reminder_does_not_come_back(database: Database) -> None:
    await imported(database, MEETING)
    [reminder] = await reminders_of(database)
    async with database.writing() as session:
        await Reminders(session, 1).save(replace(reminder, status=ReminderStatus.CANCELLED))
    assert not (await plan_of(database, MEETING)).writes


async def test_an_old_alarm_rings_no_more(database: Database) -> None:
    await imported(database, event("old", alarm("TRIGGER:-PT15M"), start="20250302T090000", end="20250302T100000"))
    assert [one.status for one in await reminders_of(database)] == [ReminderStatus.SENT]


async def test_the_range_of_an_export(database: Database) -> None:
    days = [date(2026, 2, day) for day in (11, 12, 13)]
    await stored(database, *(task(f"t{day.day}", day=day) for day in days))
    await stored(database, task("每天", day=date(2026, 1, 1), rrule="FREQ=DAILY;UNTIL=20260212"))
    await stored(database, task("别人的", day=days[1], user_id=2), task("完了", day=days[1], status="completed"))

    async def titles(*given: Any, **options: Any) -> set[str]:
        data = (await export_calendar(database, context(), *given, **options)).data.decode()
        return {line.removeprefix("SUMMARY:") for line in data.splitlines() if line.startswith("SUMMARY:")}

    assert await titles() == {"t11", "t12", "t13", "每天", "完了"}
    assert await titles(days[1], days[1]) == {"t12", "每天", "完了"}
    assert await titles(days[2], days[2]) == {"t13"}
    assert await titles(days[1], days[1], TaskStatus.COMPLETED) == {"完了"}


async def test_reminders_that_belong_to_no_task_are_counted(database: Database) -> None:
    [mine] = await stored(database, task())
    await reminded(database, mine, at("02-11 12:00"))
    async with database.writing() as session:
        reminders = Reminders(session, 1)
        await reminders.add(
            task_id=None, remind_at=NOW.astimezone(UTC), content="x", reason="explicit", channel="console", now=NOW
        )
    made = await export_calendar(database, context())
    assert (made.tasks, made.reminders, made.alone) == (1, 1, 1)
