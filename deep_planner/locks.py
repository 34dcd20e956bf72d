"""One run at a time on a thread, across processes: locks that end with whoever holds them.

Two runs on one thread would each read the same state and write over the other's: a message would be lost and rows
doubled. A lock belongs to an open file or to a session of the server, so the kernel or the server takes it back when a
process is killed, and nothing has to be cleared up.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from tools.core.errors import StoreError
from tools.store.database import Database

if TYPE_CHECKING:
    from filelock import FileLock

#: Somebody who only looks whether a thread is busy has its lock for a moment: tries, and seconds between them.
TRIES, APART = 4, 0.02

Sleep = Callable[[float], Awaitable[None]]


class ThreadLocks:
    """The base: locks among the runs of this object, for a database in memory, which nobody else can see."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    async def take(self, key: str) -> bool:
        """Take a lock if it is free.

        Args:
            key: User and thread.

        Returns:
            Whether it is ours now; it is never waited for.
        """
        if key in self._taken:
            return False
        self._taken.add(key)
        return True

    async def give_back(self, key: str) -> None:
        """Free a lock that ``take`` got."""
        self._taken.discard(key)

    async def is_taken(self, key: str) -> bool:
        """Whether a run holds the lock, here or in another process."""
        return key in self._taken

    async def aclose(self) -> None:
        """Free everything."""


class FileLocks(ThreadLocks):
    """One locked file a busy thread, in a folder beside the SQLite file.

    Args:
        folder: Where the files are; made when first needed.
        sleep: Waits for some seconds.
    """

    def __init__(self, folder: Path, sleep: Sleep = asyncio.sleep) -> None:
        super().__init__()
        self._folder = folder
        self._sleep = sleep
        self._files: dict[str, FileLock] = {}

    async def take(self, key: str) -> bool:
        """See ``ThreadLocks``.

        Raises:
            StoreError: The folder cannot be written, or its file system has no locks.
        """
        for attempt in range(TRIES):
            if attempt:
                await self._sleep(APART)
            if self._try(key):
                return True
        return False

    async def give_back(self, key: str) -> None:
        """See ``ThreadLocks``; the file goes too."""
        self._free(self._files.pop(key))

    async def is_taken(self, key: str) -> bool:
        """See ``ThreadLocks``; looking means to take the lock for a moment."""
        if not self._path(key).exists():
            return False
        if not self._try(key):
            return True
        await self.give_back(key)
        return False

    def _try(self, key: str) -> bool:
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only runs need it, not the lists of rows

        lock = FileLock(self._path(key), timeout=0, thread_local=False, fallback_to_soft=False)
        try:
            self._folder.mkdir(exist_ok=True)
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError("database_unwritable", place=self._folder, reason=reason) from error
        self._files[key] = lock
        return True

    def _free(self, lock: FileLock) -> None:
        # While it is still locked: whoever opened it meanwhile sees that it has no name any more, and opens anew.
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:32]}.lock"


class ServerLocks(ThreadLocks):
    """Advisory locks of a PostgreSQL session; all of ours share one connection, which is opened when first needed."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._turn = asyncio.Lock()  # a connection carries one statement at a time
        self._connection: AsyncConnection | None = None

    async def take(self, key: str) -> bool:
        """See ``ThreadLocks``."""
        # The server would give a session its own lock twice.
        if not await super().take(key):
            return False
        try:
            got = await self._ask("SELECT pg_try_advisory_lock(:number)", key)
        except BaseException:
            await super().give_back(key)
            raise
        if not got:
            await super().give_back(key)
        return got

    async def give_back(self, key: str) -> None:
        """See ``ThreadLocks``."""
        try:
            with suppress(StoreError):  # a session that has ended has freed its locks itself
                await self._ask("SELECT pg_advisory_unlock(:number)", key)
        finally:
            await super().give_back(key)

    async def is_taken(self, key: str) -> bool:
        """See ``ThreadLocks``."""
        return await self._ask(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND (classid::bigint << 32) | objid::bigint = :number)",
            key,
        )

    async def aclose(self) -> None:
        """Give the session up, and all its locks with it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.invalidate()  # back in the pool it would keep them
            await connection.close()

    async def _ask(self, query: str, key: str) -> bool:
        async with self._turn:
            try:
                if self._connection is None:
                    engine = self._database.engine.execution_options(isolation_level="AUTOCOMMIT")
                    self._connection = await engine.connect()
                return bool((await self._connection.execute(text(query), {"number": number_of(key)})).scalar_one())
            except (OSError, SQLAlchemyError) as error:
                await self.aclose()
                place = self._database.engine.url.render_as_string(hide_password=True)
                raise StoreError("database_unwritable", place=place, reason=str(error)) from error


def number_of(key: str) -> int:
    """A lock's number: signed 64 bits, the same in every process."""
    return int.from_bytes(hashlib.sha256(key.encode("utf-8", "replace")).digest()[:8], "big", signed=True)


def locks_of(url: str, database: Database) -> ThreadLocks:
    """The locks that fit a database."""
    target = make_url(url)
    if target.get_backend_name() == "postgresql":
        return ServerLocks(database)
    if target.get_backend_name() == "sqlite" and target.database not in (None, "", ":memory:"):
        return FileLocks(Path(f"{target.database}-locks"))
    return ThreadLocks()
