"""Small builders: a database in a folder, a call on its way to a service, rows of tasks, a picked choice."""

from __future__ import annotations

import asyncio
import itertools
import re
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool
from sqlalchemy import select

from tools.core.context import Call, Operation, RunContext
from tools.core.result import Choice, ToolResult
from tools.core.text import Language
from tools.domain.records import Reminder
from tools.domain.segments import TimeSegment, default_segment, segment_at
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.store.database import Database, sqlite_url
from tools.store.repositories import People, Reminders, Tasks
from tools.store.tables import Base, EffectRow, JournalRow, ReminderRow, TaskRow

SHANGHAI = ZoneInfo("Asia/Shanghai")
#: A Wednesday morning.
NOW = datetime(2026, 2, 11, 10, 0, tzinfo=SHANGHAI)
TODAY, TOMORROW, SATURDAY = date(2026, 2, 11), date(2026, 2, 12), date(2026, 2, 14)
ROWS: dict[str, type[Base]] = {"tasks": TaskRow, "reminders": ReminderRow, "effects": EffectRow, "journal": JournalRow}

_numbers = itertools.count(1)


def at(words: str) -> datetime:
    """A moment in Shanghai: "02-11 21:30" of 2026, or "21:30" of the Wednesday."""
    day, _, clock = words.rpartition(" ")
    return datetime.fromisoformat(f"2026-{day or '02-11'}T{clock}").replace(tzinfo=SHANGHAI)


def context(language: Language = "zh", *, now: datetime = NOW, user: int = 1, city: str | None = None) -> RunContext:
    """Person and moment."""
    return RunContext(user, now, SHANGHAI, language, city)


def operation(tool: str = "tool", *, number: int | None = None, occurrence: int = 0) -> Operation:
    """A key that no other call has, unless a number is given."""
    return Operation("thread", 1, "t1", tool, f"d{next(_numbers) if number is None else -number}", occurrence)


def call(
    language: Language = "zh",
    *,
    now: datetime = NOW,
    user: int = 1,
    city: str | None = None,
    permitted: bool = False,
    key: Operation | None = None,
) -> Call:
    """A call with a key of its own."""
    return Call(context(language, now=now, user=user, city=city), key or operation(), permitted)


def task(title: str = "开会", when: str | None = None, *, day: date = TODAY, id: int = 0, **fields: Any) -> Task:
    """A task; ``when`` is "14:00-15:00", "14:00", the name of a part of the day, or ``None`` for the default."""
    start, _, end = (when or "").partition("-") if ":" in (when or "") else ("", "", "")
    if start:
        segment = segment_at(time.fromisoformat(start))
    else:
        segment = TimeSegment(when) if when else default_segment(day, NOW)
    return Task(
        id=id,
        user_id=fields.pop("user_id", 1),
        title=title,
        date=day,
        start_time=time.fromisoformat(start) if start else None,
        end_time=time.fromisoformat(end) if end else None,
        time_segment=fields.pop("time_segment", segment),
        priority=Priority(fields.pop("priority", "medium")),
        status=TaskStatus(fields.pop("status", "pending")),
        **fields,
    )


def put_file(path: Path) -> None:
    """A new database file, migrated and empty but for the users 1 and 2."""
    path.write_bytes(_empty_file())


@cache
def _empty_file() -> bytes:
    """Its bytes: making one anew for each test is most of a test's time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"

        async def make() -> None:
            database = await Database.open(sqlite_url(path), now=NOW)
            async with database.writing() as session:
                await People(session).ensure_user(2, NOW)
            await database.aclose()

        maker = threading.Thread(target=lambda: asyncio.run(make()))  # a loop may already run in this thread
        maker.start()
        maker.join()
        return path.read_bytes()


@asynccontextmanager
async def opened(folder: Path, name: str = "planner.db") -> AsyncIterator[Database]:
    """A real SQLite file in a folder, with the users 1 and 2."""
    path = folder / name
    if not path.exists():
        put_file(path)
    database = await Database.open(sqlite_url(path), now=NOW)
    try:
        yield database
    finally:
        await database.aclose()


async def stored(database: Database, *tasks: Task) -> list[Task]:
    """Put tasks into the database, for the user that each names; ids are given by the database."""
    async with database.writing() as session:
        return [await Tasks(session, each.user_id).add(each, NOW) for each in tasks]


async def reminded(
    database: Database, task: Task, remind_at: datetime, *, reason: str = "day_before", content: str = "提醒"
) -> Reminder:
    """Put a pending reminder of a task into the database."""
    async with database.writing() as session:
        return await Reminders(session, task.user_id).add(
            task_id=task.id, remind_at=remind_at, content=content, reason=reason, channel="console", now=NOW
        )


async def tasks_of(database: Database, user: int = 1) -> list[Task]:
    """All tasks of a user."""
    async with database.reading() as session:
        return await Tasks(session, user).between()


async def reminders_of(database: Database, user: int = 1) -> list[Reminder]:
    """All reminders of a user, of any status."""
    async with database.reading() as session:
        return await Reminders(session, user).find(status=None)


async def rows(database: Database, table: str) -> list[Any]:
    """All rows of a table, in the order of their keys."""
    row = ROWS[table]
    async with database.reading() as session:
        return list(await session.scalars(select(row).order_by(*row.__table__.primary_key)))


async def counts(database: Database) -> dict[str, int]:
    """How many rows each table holds."""
    return {table: len(await rows(database, table)) for table in ROWS}


def named(tools: Sequence[BaseTool], name: str) -> BaseTool:
    """The tool of that name."""
    return next(tool for tool in tools if tool.name == name)


async def use(tools: Sequence[BaseTool], name: str, made: Call, **arguments: Any) -> ToolResult:
    """Call a tool as the runner does."""
    result = await named(tools, name).ainvoke({**arguments, "call": made})
    assert isinstance(result, ToolResult)
    return result


def completed(arguments: Mapping[str, Any], choice: Choice) -> dict[str, Any]:
    """The arguments of the call that a picked choice makes: its own laid over the old, ``None`` taken out."""
    return {name: value for name, value in {**arguments, **choice.arguments}.items() if value is not None}


def picked(result: ToolResult, choice_id: str) -> Choice:
    """The choice of that id."""
    return next(choice for choice in result.choices if choice.id == choice_id)


def speaks_plainly(result: ToolResult) -> None:
    """No ISO date and no row number in a message (P21)."""
    assert not re.search(r"\d{4}-\d{2}-\d{2}|task:\d|None|\{", result.message), result.message
