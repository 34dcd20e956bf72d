"""The database: opening, migrating, and one transaction at a time.

One SQLite file holds the rows and the threads. The order of its write-ahead log is what makes effects exact: a tool
call is in the log before the effect that follows from it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.pool import NullPool

from tools.core.errors import StoreError
from tools.store.tables import UserRow

#: The newest revision of ``migrations/versions``; a test holds it level with the folder. Knowing it here spares each
#: start the import of Alembic (a third of a second) when there is nothing to migrate.
HEAD = "0004"
#: Number of the lock that the writers of a PostgreSQL database take in turn.
WRITE_LOCK = 0x706C616E
#: How long a writer waits for another one, in milliseconds.
BUSY_TIMEOUT = 10_000


def sqlite_url(path: str | Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite+aiosqlite:///{Path(path)}"


class Database:
    """Sessions on one database; see ``open``."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._read = async_sessionmaker(engine, expire_on_commit=False)
        # SQLite turns a reader into a writer at its first write, and fails at once if another writer came between.
        # Transactions that will write therefore take the write lock first, and wait for it.
        self._write = async_sessionmaker(engine.execution_options(immediate=True), expire_on_commit=False)

    @classmethod
    async def open(cls, url: str, *, now: datetime) -> Database:
        """Open a database, bring its tables up to date and make sure of the local user (id 1).

        Args:
            url: An SQLAlchemy URL with an async driver, for example ``sqlite+aiosqlite:////home/me/planner.db``.
            now: The present moment, for ``created_at``.

        Raises:
            StoreError: The file cannot be created or opened, is no database, or is newer than this program.
        """
        place = _place(url)
        try:
            await asyncio.to_thread(_make_folder, url)
            database = cls(_engine(url))
        except (OSError, ImportError, SQLAlchemyError) as error:
            raise StoreError("database_unwritable", place=place, reason=_reason(error)) from error
        try:
            async with database.engine.connect() as connection:
                revision = await connection.run_sync(_revision)
            await _migrate(database.engine, revision, place)
            await database._ensure_user(now)
        except (OSError, SQLAlchemyError) as error:
            await database.aclose()
            raise StoreError("database_unwritable", place=place, reason=_reason(error)) from error
        except StoreError:
            await database.aclose()
            raise
        return database

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """A session that only reads."""
        async with self._read() as session:
            yield session

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """A transaction that commits at its end, or leaves nothing behind."""
        async with self._write.begin() as session:
            yield session

    async def aclose(self) -> None:
        """Close every connection."""
        await self.engine.dispose()

    async def _ensure_user(self, now: datetime) -> None:
        async with self.reading() as session:
            if await session.get(UserRow, 1) is not None:
                return
        async with self.writing() as session:
            if await session.get(UserRow, 1) is None:
                session.add(UserRow(id=1, name="local", created_at=now))


def _place(url: str) -> str:
    """What to call the database before the user: the file, or the URL without its password."""
    try:
        target = make_url(url)
    except SQLAlchemyError:
        return url
    is_file = target.get_backend_name() == "sqlite" and target.database
    return str(target.database) if is_file else target.render_as_string(hide_password=True)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error.orig if isinstance(error, DBAPIError) else error)


def _make_folder(url: str) -> None:
    path = make_url(url).database
    if path and path != ":memory:" and make_url(url).get_backend_name() == "sqlite":
        Path(path).parent.mkdir(parents=True, exist_ok=True)


def _engine(url: str) -> AsyncEngine:
    engine = create_async_engine(url, json_serializer=partial(json.dumps, ensure_ascii=False))
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _configure_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    if engine.dialect.name == "postgresql":
        event.listen(engine.sync_engine, "begin", _begin_postgresql)
    return engine


def _configure_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late; ours is in _begin_sqlite
    cursor = connection.cursor()
    for pragma in ("foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT}", "journal_mode=WAL", "synchronous=FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    """Writers take turns, as on SQLite: a conflict check must see what the other one wrote."""
    if connection.get_execution_options().get("immediate", False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


async def _migrate(engine: AsyncEngine, revision: str | None, place: str) -> None:
    if revision == HEAD:
        return
    from tools.store.migrations import upgrade  # noqa: PLC0415 - Alembic is slow to import and seldom needed

    if revision is not None and not await asyncio.to_thread(upgrade.is_known, revision):
        raise StoreError("database_newer", place=place, revision=revision, known=HEAD)
    if engine.dialect.name == "sqlite" and engine.url.database not in (None, "", ":memory:"):
        # Alembic reads its files as it goes, which a server's event loop must not wait for.
        await asyncio.to_thread(_migrate_file, engine.url)
        return
    async with engine.execution_options(immediate=True).begin() as connection:
        await connection.run_sync(upgrade.to_head)


def _migrate_file(url: URL) -> None:
    from tools.store.migrations import upgrade  # noqa: PLC0415 - as above

    engine = create_engine(url.set(drivername="sqlite"), poolclass=NullPool)
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    with engine.execution_options(immediate=True).begin() as connection:
        upgrade.to_head(connection)
