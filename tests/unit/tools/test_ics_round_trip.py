"""Whatever is stored comes back from a calendar file as it was, in another database as in the same one."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.builders import context, opened, reminders_of, tasks_of
from tools.core.context import RunContext
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import begun, days_of
from tools.domain.reminders import ReminderRule
from tools.domain.segments import TimeSegment, segment_at
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.exporting import export_calendar
from tools.services.ics.importing import ImportService
from tools.services.ics.planning import Action, Plan
from tools.services.ics.texts import one_line
from tools.store.database import Database
from tools.store.repositories import People, Reminders, Tasks
from tools.store.tables import GroupRow

pytestmark = pytest.mark.unit

ZONES = [ZoneInfo(name) for name in ("Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")]
NOW = datetime(2026, 2, 11, 2, 0, tzinfo=UTC)
GROUPS = ("工作", "a, b; c", "早上")
RULES = (
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;COUNT=10",
    "FREQ=DAILY;UNTIL=20301231",
    "FREQ=WEEKLY;BYDAY=MO,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;UNTIL=20281105",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYDAY=2WE;COUNT=7",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
)
LETTERS = st.characters(exclude_categories=("Cs", "Cc"))
TITLES = st.text(LETTERS, min_size=1, max_size=60).map(one_line).filter(bool)
TEXTS = st.text(LETTERS | st.sampled_from("\n\t,;\\N\"':"), max_size=200).map(str.strip)
DAYS = st.dates(date(2024, 1, 1), date(2027, 12, 31))
CLOCKS = st.times().map(lambda moment: moment.replace(microsecond=0))
FIRST_RING = datetime(2024, 1, 1, tzinfo=UTC)
RINGS = st.integers(0, 4 * 365 * 86_400).map(
    lambda second: datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
)


@dataclass(frozen=True)
class World:
    """Tasks with their reminders; a series number is a position in ``tasks``."""

    zone: ZoneInfo
    tasks: list[Task]
    reminders: list[list[Reminder]]


@st.composite
def task_strategy(draw: st.DrawFn) -> Task:
    start = draw(st.none() | CLOCKS)
    ends = [None, start, draw(CLOCKS)] if start else [None]
    segment = segment_at(start) if start and draw(st.booleans()) else draw(st.sampled_from(TimeSegment))
    task = Task(
        id=0,
        user_id=1,
        title=draw(TITLES),
        date=draw(DAYS),
        start_time=start,
        end_time=draw(st.sampled_from(ends)),
        time_segment=segment,
        priority=draw(st.sampled_from(Priority)),
        status=draw(st.sampled_from(TaskStatus)),
        group_id=draw(st.none() | st.integers(1, len(GROUPS))),
        description=draw(TEXTS) or None,
        blocks_day=draw(st.booleans()),
    )
    if draw(st.booleans()):
        task = begun(task, draw(st.sampled_from(RULES)), task.date) or task
    if task.rrule:
        out = draw(st.lists(st.integers(0, 300), max_size=4, unique=True))
        task = replace(task, exdates=tuple(sorted(task.date + timedelta(days=days) for days in out)))
    return task


@st.composite
def reminder_strategy(draw: st.DrawFn, task: Task, zone: ZoneInfo) -> Reminder:
    statuses = [ReminderStatus.SENT, ReminderStatus.CANCELLED]
    if task.status is TaskStatus.PENDING:
        statuses.append(ReminderStatus.PENDING)
    at, reason, day = draw(RINGS), draw(st.sampled_from(ReminderRule)), None
    if task.rrule and draw(st.booleans()):
        day = next(days_of(task, task.date), None)
    if task.start_time and draw(st.booleans()):
        at = datetime.combine(day or task.date, task.start_time, zone).astimezone(UTC) - timedelta(hours=2)
        reason = ReminderRule.TWO_HOURS
    elif day:
        at = datetime.combine(day - timedelta(days=1), time(20), zone).astimezone(UTC)
    content = draw(TITLES)
    return Reminder(0, 1, 0, at, content, reason.value, draw(st.sampled_from(statuses)), "console", day)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    zone = draw(st.sampled_from(ZONES))
    tasks = draw(st.lists(task_strategy(), min_size=1, max_size=5))
    series = next((number for number, task in enumerate(tasks) if task.rrule), None)
    if series is not None:
        tasks = [task if task.rrule else replace(task, series_id=series) for task in tasks]
    reminders = [
        draw(st.lists(reminder_strategy(task, zone), max_size=3, unique_by=lambda one: one.remind_at)) for task in tasks
    ]
    return World(zone, tasks, reminders)


async def put(database: Database, world: World) -> None:
    ids: dict[int, int] = {}
    async with database.writing() as session:
        tasks, reminders = Tasks(session, 1), Reminders(session, 1)
        order = sorted(range(len(world.tasks)), key=lambda number: world.tasks[number].rrule is None)
        for number in order:
            task = world.tasks[number]
            series = None if task.series_id is None else ids[task.series_id]
            stored = await tasks.add(replace(task, series_id=series), NOW + timedelta(microseconds=number))
            ids[number] = stored.id
            for one in world.reminders[number]:
                added = await reminders.add(
                    task_id=stored.id,
                    remind_at=one.remind_at,
                    content=one.content,
                    reason=one.reason,
                    channel=one.channel,
                    now=NOW,
                    occurs_on=one.occurs_on,
                )
                await reminders.save(replace(added, status=one.status))


async def groups(database: Database, names: tuple[str, ...]) -> None:
    async with database.writing() as session:
        for name in names:
            session.add(GroupRow(user_id=1, name=name))
            await session.flush()


async def rows(database: Database) -> list[tuple[object, ...]]:
    """All that must be the same: tasks with the names of their groups and series, reminders but cancelled ones."""
    async with database.reading() as session:
        named = {group.id: group.name for group in await People(session).groups(1)}
    tasks = {task.id: task for task in await tasks_of(database)}
    found: list[tuple[object, ...]] = []
    for task in tasks.values():
        series = tasks[task.series_id] if task.series_id else None
        same = replace(task, id=0, uid=None, version=0, group_id=None, series_id=None)
        rings = sorted(
            (one.remind_at, one.content, one.reason, one.status, one.occurs_on)
            for one in await reminders_of(database)
            if one.task_id == task.id and one.status is not ReminderStatus.CANCELLED
        )
        found.append((same, named.get(task.group_id or 0), series and (series.title, series.rrule), rings))
    return sorted(found, key=repr)


async def taken_over(database: Database, data: bytes, user: RunContext) -> Plan:
    service = ImportService(database)
    preview = await service.preview(data, user)
    if preview.plan.writes:
        assert (await service.carry_out(preview)).status == "success"
    return preview.plan


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
async def test_rows_come_back_as_they_were(world: World) -> None:
    user = replace(context(), zone=world.zone, now=NOW.astimezone(world.zone))
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder), "one.db") as one, opened(Path(folder), "other.db") as other:
            await groups(one, GROUPS)
            await groups(other, GROUPS[::-1])
            await put(one, world)
            data = (await export_calendar(one, user)).data
            assert all(len(line) <= 75 for line in data.split(b"\r\n"))
            made = await taken_over(other, data, user)
            assert {entry.action for entry in made.entries} == {Action.CREATE}, made.entries
            assert await rows(other) == await rows(one)
            for database in (other, one):
                again = await taken_over(database, data, user)
                assert {entry.action for entry in again.entries} == {Action.UNCHANGED}, again.entries
            back = await taken_over(one, (await export_calendar(other, user)).data, user)
            assert {entry.action for entry in back.entries} == {Action.UNCHANGED}, back.entries
