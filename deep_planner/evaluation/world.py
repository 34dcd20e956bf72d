"""A world for one case: a database, a frozen clock, only the forecasts and faults that the case names."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool
from sqlalchemy import select

from deep_planner.app import parts_of
from deep_planner.asked import new_thread_id
from deep_planner.directory import Directory
from deep_planner.evaluation.cases import Case, Fault, ReminderFixture, TaskFixture
from deep_planner.locks import ThreadLocks
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from deep_planner.threads import open_threads
from subagents.registry import Registry
from subagents.thinking import Models
from tools.core.clock import FrozenClock, zone_named
from tools.core.text import Language
from tools.domain.reminders import ReminderRule, remind_at
from tools.services.meaning import TitleMeaning
from tools.services.weather import SampleRow, SampleWeather
from tools.store.database import Database, sqlite_url
from tools.store.repositories import People
from tools.store.tables import ReminderRow, TaskRow

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ground:
    """What all worlds of a run share.

    Attributes:
        settings: Model strings and thresholds; person, place and database come from each case.
        models: The models, opened once.
        titles: What compares titles by meaning, if anything does; opened once.
        folder: Where the databases of the run live.
    """

    settings: Settings
    models: Models
    titles: TitleMeaning | None
    folder: Path

    @property
    def empty(self) -> Path:
        """A migrated database without rows, to be copied: migrating anew would take most of a case's time."""
        return self.folder / "empty.db"

    async def prepare(self, now: datetime) -> None:
        """Make the empty database."""
        database = await Database.open(sqlite_url(self.empty), now=now)
        await database.aclose()


@dataclass(frozen=True, slots=True)
class World:
    """A planner in the world of a case."""

    planner: Planner
    zone: ZoneInfo

    async def tables(self) -> tuple[list[Row], list[Row]]:
        """All tasks and all reminders, everybody's, by id, in the words of the fixtures."""
        async with self.planner.database.reading() as session:
            tasks = (await session.scalars(select(TaskRow).order_by(TaskRow.id))).all()
            reminders = (await session.scalars(select(ReminderRow).order_by(ReminderRow.id))).all()
        return [task_told(row) for row in tasks], [_reminder_told(row, self.zone) for row in reminders]


@asynccontextmanager
async def world_of(case: Case, ground: Ground, number: int) -> AsyncIterator[World]:
    """The world of a case, with a planner in it; nothing is left of it afterwards.

    Args:
        case: What is there.
        ground: What all worlds share.
        number: Names the database; different for each world that is open.
    """
    path = ground.folder / f"{number}.db"
    await asyncio.to_thread(shutil.copyfile, ground.empty, path)
    settings = ground.settings.model_copy(
        update={
            "database": str(path),
            "user_id": case.user.id,
            "city": case.user.city,
            "timezone": case.user.timezone,
            "language": None,
        }
    )
    database = await Database.open(settings.url, now=case.now)
    try:
        await _furnish(database, case)
        parts = parts_of(
            settings,
            database,
            ground.models,
            _weather(case),
            FrozenClock(case.now),
            lambda _line: None,
            new_thread_id,
            titles=ground.titles,
        )
        parts = replace(parts, registry=faulty(parts.registry, case.fixtures.faults))
        directory = Directory(database, ThreadLocks(), settings.user_id, parts.clock)
        async with open_threads(settings.url) as saver:
            planner = Planner(settings, database, parts, directory, saver, new_thread_id)
            yield World(planner, zone_named(settings.zone))
    finally:
        await database.aclose()
        for leftover in ground.folder.glob(f"{number}.db*"):
            leftover.unlink(missing_ok=True)


def faulty(registry: Registry, faults: Sequence[Fault]) -> Registry:
    """The same sub-agents, of which those named raise as soon as they set to work."""
    broken = {fault.agent for fault in faults}
    return Registry([replace(spec, tools=_broken_tools) if spec.name in broken else spec for spec in registry])


def _broken_tools(_language: Language) -> Sequence[BaseTool]:
    raise RuntimeError("fault of the case")


def _weather(case: Case) -> SampleWeather:
    rows = [SampleRow(**forecast.model_dump()) for forecast in case.fixtures.weather]
    return SampleWeather(rows, always_unavailable=case.fixtures.weather_error == "timeout")


async def _furnish(database: Database, case: Case) -> None:
    tasks, reminders = case.fixtures.tasks, case.fixtures.reminders
    by_id = {task.id: task for task in tasks}
    zone = zone_named(case.user.timezone)
    async with database.writing() as session:
        people = People(session)
        for user_id in sorted({case.user.id, *(row.user_id for row in tasks), *(row.user_id for row in reminders)}):
            await people.ensure_user(user_id, case.now)
        session.add_all(_task_row(task, case.now) for task in tasks)
        await session.flush()
        for reminder in reminders:
            task = by_id.get(reminder.task_id) if reminder.task_id is not None else None
            fields = reminder.model_dump(mode="python", exclude={"explicit", "status"})
            reason = _rule(reminder, task, zone)
            status = reminder.status.value
            session.add(ReminderRow(**fields, status=status, reason=reason.value, created_at=case.now))


def _task_row(task: TaskFixture, now: datetime) -> TaskRow:
    fields = task.model_dump()
    fields |= {name: fields[name].value for name in ("time_segment", "status", "priority")}
    return TaskRow(**fields, group_id=None, created_at=now, updated_at=now)


def _rule(reminder: ReminderFixture, task: TaskFixture | None, zone: ZoneInfo) -> ReminderRule:
    """The rule that would have set this time; a time that no rule sets is one that the user chose."""
    if reminder.explicit or task is None:
        return ReminderRule.EXPLICIT
    just_before = reminder.remind_at.astimezone(UTC) - timedelta(seconds=1)
    found = remind_at(task.date, task.start_time, task.time_segment, just_before, zone)
    by_rule = found is not None and found.at == reminder.remind_at
    return found.rule if found is not None and by_rule else ReminderRule.EXPLICIT


def task_told(row: TaskRow | TaskFixture) -> Row:
    """A task in the words of the fixtures: ISO date, ``HH:MM`` or null."""
    return {
        "id": row.id,
        "user_id": row.user_id,
        "title": row.title,
        "date": row.date.isoformat(),
        "start_time": f"{row.start_time:%H:%M}" if row.start_time else None,
        "end_time": f"{row.end_time:%H:%M}" if row.end_time else None,
        "time_segment": str(row.time_segment),
        "status": str(row.status),
        "priority": str(row.priority),
        "description": row.description,
    }


def _reminder_told(row: ReminderRow, zone: ZoneInfo) -> Row:
    return {
        "id": row.id,
        "user_id": row.user_id,
        "task_id": row.task_id,
        "remind_at": row.remind_at.astimezone(zone).isoformat(),
        "content": row.content,
        "status": row.status,
        "channel": row.channel,
    }
