"""Imports into rows: once, whole, for one user, and never a second row for one name."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, time
from typing import Any

import pytest
from sqlalchemy import event as events

from tests.support.builders import (
    NOW,
    at,
    context,
    counts,
    reminded,
    reminders_of,
    rows,
    stored,
    task,
    tasks_of,
)
from tests.support.calendars import alarm, event, todo, wrapped
from tests.support.imports import MEETING, imported, only, plan_of
from tools.core.result import ResultStatus
from tools.domain.records import ReminderStatus
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.exporting import export_calendar
from tools.services.ics.importing import ImportService
from tools.services.ics.planning import Action
from tools.store.database import Database
from tools.store.effects import Work
from tools.store.repositories import Reminders, Tasks

pytestmark = pytest.mark.unit


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
