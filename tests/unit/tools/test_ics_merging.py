"""A known entry again: what changes, what stays, and whose version counts."""

from __future__ import annotations

from datetime import date, time, timedelta
from pathlib import Path

import pytest

from tests.support.builders import (
    NOW,
    at,
    context,
    opened,
    reminded,
    reminders_of,
    stored,
    task,
    tasks_of,
)
from tests.support.calendars import event
from tests.support.imports import MEETING, imported, only, plan_of, saved
from tools.domain.records import ReminderStatus
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, TaskStatus
from tools.services.ics.exporting import export_calendar
from tools.services.ics.importing import ImportService
from tools.services.ics.planning import Action
from tools.store.database import Database
from tools.store.repositories import Tasks
from tools.store.tables import GroupRow

pytestmark = pytest.mark.unit


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
