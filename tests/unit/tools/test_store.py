"""The database: tables and migration, opening, refusing, and what its columns and keys guarantee (A28)."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, text, update
from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.orm.exc import StaleDataError

from tests.support.builders import NOW, SATURDAY, TODAY, TOMORROW, at, counts, opened, reminded, stored, task, tasks_of
from tools.core.errors import StoreError
from tools.domain.records import ReminderStatus
from tools.domain.tasks import TaskStatus
from tools.store.database import HEAD, Database, sqlite_url
from tools.store.migrations.upgrade import config
from tools.store.repositories import Reminders, Tasks
from tools.store.tables import Base, GroupRow, ReminderRow, TaskRow, UserRow

pytestmark = pytest.mark.unit


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Database]:
    """A file that this very opening has migrated."""
    database = await Database.open(sqlite_url(tmp_path / "fresh.db"), now=NOW)
    yield database
    await database.aclose()


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    return list(compare_metadata(context, Base.metadata))


async def test_the_migrations_make_the_tables(fresh: Database) -> None:
    async with fresh.engine.connect() as connection:
        assert await connection.run_sync(differences) == []
        await connection.execute(text("CREATE TABLE intruder (id INTEGER)"))
        assert len(await connection.run_sync(differences)) == 1, "the comparison sees differences"


def test_head_is_the_newest_script() -> None:
    assert ScriptDirectory.from_config(config()).get_heads() == [HEAD]


@pytest.mark.parametrize(
    ("pragma", "value"), [("foreign_keys", 1), ("journal_mode", "wal"), ("synchronous", 2), ("busy_timeout", 10_000)]
)
async def test_pragmas_of_every_session(database: Database, pragma: str, value: object) -> None:
    async with database.reading() as one, database.reading() as other:
        found = [(await session.execute(text(f"PRAGMA {pragma}"))).scalar() for session in (one, other)]
    assert found == [value, value]


async def test_opening_again_keeps_what_is_there(tmp_path: Path) -> None:
    async with opened(tmp_path) as database:
        await stored(database, task("写周报"))
    async with opened(tmp_path) as database:
        assert [row.title for row in await tasks_of(database)] == ["写周报"]
        async with database.reading() as session:
            user = await session.get(UserRow, 1)
    assert user is not None
    assert (user.name, user.created_at) == ("local", NOW)


async def test_rows_go_with_what_they_hang_on(database: Database) -> None:
    mine, foreign = await stored(database, task("开会", "15:00"), task("开会", "15:00", user_id=2))
    await reminded(database, mine, at("13:00"))
    await reminded(database, foreign, at("13:00"))
    async with database.writing() as session:
        await Tasks(session, 2).remove(foreign.id)
        assert await Reminders(session, 2).find(status=None) == []
        assert len(await Reminders(session, 1).find(status=None)) == 1
        await session.delete(await session.get(UserRow, 1))
    assert set((await counts(database)).values()) == {0}


async def test_a_group_that_goes_leaves_its_tasks(database: Database) -> None:
    async with database.writing() as session:
        session.add(group := GroupRow(id=5, user_id=1, name="工作"))
        await session.flush()
        await Tasks(session, 1).add(task("写周报", group_id=5), NOW)
        await session.delete(group)
    assert [row.group_id for row in await tasks_of(database)] == [None]


async def test_nothing_hangs_on_what_is_not_there(database: Database) -> None:
    with pytest.raises(IntegrityError):
        await stored(database, task("写周报", user_id=99))
    with pytest.raises(IntegrityError):
        await reminded(database, task("写周报", id=99), at("13:00"))
    assert set((await counts(database)).values()) == {0}


async def test_one_pending_reminder_at_an_instant(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00"))
    first = await reminded(database, row, at("13:00"))
    with pytest.raises(IntegrityError):
        await reminded(database, row, at("13:00"))
    async with database.writing() as session:
        await Reminders(session, 1).save(replace(first, status=ReminderStatus.CANCELLED))
    await reminded(database, row, at("13:00"))
    assert (await counts(database))["reminders"] == 2


async def test_instants_are_kept_in_utc_and_come_back_aware(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00"))
    made = await reminded(database, row, at("13:00"))
    async with database.reading() as session:
        raw = (await session.execute(text("SELECT remind_at FROM reminders"))).scalar_one()
        read = await Reminders(session, 1).get(made.id)
    assert str(raw).startswith("2026-02-11 05:00:00")
    assert read is not None
    assert (read.remind_at, read.remind_at.tzinfo) == (at("13:00"), UTC)


async def test_a_naive_instant_is_refused(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00"))
    with pytest.raises(StatementError, match="naive datetime"):
        await reminded(database, row, datetime(2026, 2, 11, 13))  # noqa: DTZ001 - what must be refused


async def test_no_update_is_lost(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00"))
    async with database.writing() as session:
        await Tasks(session, 1).save(replace(row, date=TOMORROW), NOW)
    with pytest.raises(LookupError):
        async with database.writing() as session:
            await Tasks(session, 1).save(replace(row, date=SATURDAY), NOW)
    assert [(each.date, each.version) for each in await tasks_of(database)] == [(TOMORROW, 2)]


async def test_the_version_column_itself_stands_guard(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00"))
    async with database.writing() as session:
        mine = await session.get(TaskRow, row.id)
        assert mine is not None
        await session.execute(update(TaskRow).values(version=7).execution_options(synchronize_session=False))
        mine.title = "变了"
        with pytest.raises(StaleDataError):
            await session.flush()
        await session.rollback()


@pytest.mark.parametrize("write", ["save", "remove", "get"])
async def test_another_users_row_is_not_found(database: Database, write: str) -> None:
    (foreign,) = await stored(database, task("秘密", "15:00", user_id=2))
    async with database.writing() as session:
        mine = Tasks(session, 1)
        if write == "save":
            with pytest.raises(LookupError):
                await mine.save(replace(foreign, title="偷改"), NOW)
        elif write == "remove":
            await mine.remove(foreign.id)
        else:
            assert await mine.get(foreign.id) is None
    assert [row.title for row in await tasks_of(database, 2)] == ["秘密"]


async def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    async def fails() -> None:
        async with database.writing() as session:
            await Tasks(session, 1).add(task("写周报"), NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fails()
    assert await tasks_of(database) == []


async def refusal(url: str) -> StoreError:
    """Why a database is refused. A connection left open by it is found here: its warning is an error."""
    try:
        await Database.open(url, now=NOW)
    except StoreError as error:
        error.__cause__ = error.__context__ = None
        refused = error.with_traceback(None)
    gc.collect()
    return refused


async def test_a_newer_programs_database_is_left_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as database, database.writing() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    refused = await refusal(sqlite_url(tmp_path / "planner.db"))
    assert refused.key == "database_newer"
    for language in ("zh", "en"):
        assert all(part in refused.message(language) for part in ("9999", HEAD, "planner.db"))  # type: ignore[arg-type]


def _folder(place: Path) -> str:
    place.mkdir()
    return sqlite_url(place)


def _below_a_file(place: Path) -> str:
    place.write_text("x")
    return sqlite_url(place / "planner.db")


def _no_database(place: Path) -> str:
    place.write_bytes(b"this is no database, only text " * 40)
    return sqlite_url(place)


def _truncated(place: Path) -> str:
    place.write_bytes(b"SQLite format 3\0" + b"\x10\x00" + b"\xff" * 50)
    return sqlite_url(place)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


PLACES = {
    "a folder": _folder,
    "below a file": _below_a_file,
    "not a database": _no_database,
    "a broken database": _truncated,
    "no such driver": lambda place: f"mysql+asyncmy://me:secret@localhost/{place.name}",
    "no such dialect": lambda place: f"nonsense://me:secret@localhost/{place.name}",
    "no URL": lambda place: "://",
}


@pytest.mark.parametrize("make", PLACES.values(), ids=PLACES)
async def test_a_database_that_cannot_be_used_is_told_clearly(tmp_path: Path, make: Any) -> None:
    url = make(tmp_path / "place")
    before = contents(tmp_path)
    refused = await refusal(url)
    assert contents(tmp_path) == before
    assert (refused.key, refused.retryable) == ("database_unwritable", False)
    zh, en = refused.message("zh"), refused.message("en")
    assert ("--db" in zh, "--db" in en) == (True, True)
    assert "secret" not in zh + en + str(refused)


OPEN = """
import asyncio, sys
from datetime import UTC, datetime
from tools.core.errors import StoreError
from tools.store.database import Database

async def main():
    sys.stdin.readline()
    database = await Database.open(sys.argv[1], now=datetime.now(UTC))
    await database.aclose()

try:
    asyncio.run(main())
except StoreError as error:
    print(error.key)
"""


def test_a_process_that_is_refused_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPEN, _no_database(tmp_path / "planner.db")]
    done = subprocess.run(command, input="go\n", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "database_unwritable\n", "")


def test_all_columns_of_reminders() -> None:
    columns = {column.name: column.nullable for column in ReminderRow.__table__.columns}
    assert {"user_id", "remind_at", "content", "status", "channel", "created_at"} <= set(columns)
    of_the_delivery = ["claimed_until", "claimed_by", "next_attempt_at", "failed_at"]
    assert [name for name, nullable in columns.items() if nullable] == ["task_id", *of_the_delivery, "occurs_on"]


async def test_a_look_at_a_date_reads_no_more_than_that_date(database: Database) -> None:
    """Each statement goes by an index that knows the date or the series: among a hundred thousand tasks that counts."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        seen.append((statement, parameters))

    event.listen(database.engine.sync_engine, "before_cursor_execute", note)
    async with database.reading() as session:
        await Tasks(session, 1).between(TODAY, TODAY, status=TaskStatus.PENDING)
    event.remove(database.engine.sync_engine, "before_cursor_execute", note)
    looks = [(statement, parameters) for statement, parameters in seen if "FROM tasks" in statement]
    assert len(looks) == 2
    async with database.engine.connect() as connection:
        plans = [
            (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)).fetchall()[0][3]
            for statement, parameters in looks
        ]
    assert ["ix_tasks_user_status_date" in plans[0], "ix_tasks_series" in plans[1]] == [True, True], plans
