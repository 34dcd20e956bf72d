"""The directory of threads: one run at a time on each, what was asked there, how it stands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError

from deep_planner.locks import ThreadLocks
from tools.core.clock import Clock
from tools.core.errors import ThreadError
from tools.domain.records import ThreadRecord, ThreadStatus
from tools.store.database import Database
from tools.store.threads import Threads

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


@dataclass
class Ending:
    """How a run ends; who leaves it at ``INTERRUPTED`` was cut off."""

    status: ThreadStatus = ThreadStatus.INTERRUPTED


class Directory:
    """The threads of one user.

    Args:
        database: Where the rows are.
        locks: One lock a thread.
        user_id: Whose threads; a thread of the same name of somebody else is another thread.
        clock: Tells the moments in the rows.
    """

    def __init__(self, database: Database, locks: ThreadLocks, user_id: int, clock: Clock) -> None:
        self._database = database
        self._locks = locks
        self._user_id = user_id
        self._clock = clock

    def key(self, thread: str) -> str:
        """The thread's name among those of all users: its id in LangGraph, and the key of its lock."""
        return f"{self._user_id}:{thread}"

    @asynccontextmanager
    async def busy(self, thread: str) -> AsyncIterator[ThreadRecord | None]:
        """Hold a thread, so that nobody else runs on it; gives what is stored of it.

        Raises:
            ThreadError: Somebody does already.
        """
        if not await self._locks.take(self.key(thread)):
            raise ThreadError("busy_thread", thread=thread)
        try:
            yield await self.get(thread)
        finally:
            await self._locks.give_back(self.key(thread))

    @asynccontextmanager
    async def written(self, thread: str, request: str | None, checkpoint: str) -> AsyncIterator[Ending]:
        """Write down that a run begins and, at its end, how it ended; the thread is held.

        Args:
            thread: Its name.
            request: What was said; ``None`` when the run goes on with what was said before.
            checkpoint: The newest checkpoint of the thread.
        """
        async with self._database.writing() as session:
            await Threads(session, self._user_id).begin(thread, request, checkpoint, self._clock.now())
        ending = Ending()
        try:
            yield ending
        finally:
            # What was done is done: a line that cannot be written must not make it look failed. The row is then left
            # at ``running`` and its lock free, as after a kill.
            with suppress(OSError, SQLAlchemyError):
                await self.settle(thread, ending.status)

    async def settle(self, thread: str, status: ThreadStatus) -> None:
        """Write down how a thread stands."""
        async with self._database.writing() as session:
            await Threads(session, self._user_id).end(thread, status, self._clock.now())

    async def get(self, thread: str) -> ThreadRecord | None:
        """What is stored of a thread, or ``None``."""
        async with self._database.reading() as session:
            return await Threads(session, self._user_id).get(thread)

    async def all(self) -> list[ThreadRecord]:
        """Every thread, the newest first; a run that no process works on any more counts as interrupted."""
        async with self._database.reading() as session:
            records = await Threads(session, self._user_id).all()
        return [await self._seen(record) for record in records]

    async def _seen(self, record: ThreadRecord) -> ThreadRecord:
        if record.status is not ThreadStatus.RUNNING or await self._locks.is_taken(self.key(record.name)):
            return record
        return replace(record, status=ThreadStatus.INTERRUPTED)

    async def remove(self, thread: str, saver: BaseCheckpointSaver[Any]) -> ThreadRecord | None:
        """Delete a thread's checkpoints and its row; tasks and reminders stay.

        Returns:
            What the directory knew of it; ``None`` of a thread from before there was a directory.

        Raises:
            ThreadError: There is no such thread, or a run is busy on it.
        """
        async with self.busy(thread) as before:
            stored = await saver.aget_tuple({"configurable": {"thread_id": self.key(thread), "checkpoint_ns": ""}})
            if stored is None and before is None:
                raise ThreadError("unknown_thread", thread=thread)
            await saver.adelete_thread(self.key(thread))
            async with self._database.writing() as session:
                await Threads(session, self._user_id).remove(thread)
            return before
