"""Where threads are kept: LangGraph's checkpoints, in the SQLite file of the rows.

One file and one write-ahead log keep the order: the checkpoint that holds a tool call is in the log before the effect
of that call, and the effect's commit (``synchronous=FULL``) makes everything before it durable too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from sqlalchemy.engine import make_url

from tools.store.database import BUSY_TIMEOUT

#: Writes that say the task has not ended well: its inner steps are still needed.
UNFINISHED = frozenset({"__interrupt__", "__error__", "__resume__"})

Value = TypeVar("Value")


class ThreadSaver(AsyncSqliteSaver):
    """SQLite checkpoints that forget the inner steps of a sub-agent once its result is stored.

    Each finished sub-agent leaves half a dozen checkpoints that nobody reads again; without them a thread's size grows
    with what it says, not with how it was worked out. Forks still work; an older checkpoint re-runs the item.

    A write goes through its commit also when its run is cancelled meanwhile, and LangGraph no longer waits for it: all
    writes share one connection, and one that stopped half-way would leave the whole file locked for everybody else.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        super().__init__(connection)
        self._writes: set[asyncio.Task[Any]] = set()

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Plain counters; the default's random version strings are half of a checkpoint's size."""
        return (current or 0) + 1

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        return await self._to_its_end(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a task; if it is a sub-agent that has ended, drop its inner steps."""
        await self._to_its_end(super().aput_writes(config, writes, task_id, task_path))  # the result is stored first
        inner = config["configurable"].get("checkpoint_ns")
        if inner or any(channel in UNFINISHED for channel, _ in writes):
            return
        await self._to_its_end(self._forget_inner_steps(str(config["configurable"]["thread_id"]), task_id))

    async def _forget_inner_steps(self, thread: str, task_id: str) -> None:
        async with self.lock:
            for table in ("checkpoints", "writes"):
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns > '' AND instr(checkpoint_ns, ?) > 0",
                    (thread, f":{task_id}"),
                )
            await self.conn.commit()

    async def _to_its_end(self, write: Coroutine[Any, Any, Value]) -> Value:
        task = asyncio.create_task(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)

    async def settled(self) -> None:
        """Wait for writes that are still on their way; to be called before the connection is closed."""
        while self._writes:
            await asyncio.wait(self._writes)


@asynccontextmanager
async def open_threads(url: str) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The saver beside a database: in its file for SQLite, in memory for others (A48)."""
    target = make_url(url)
    if target.get_backend_name() != "sqlite" or target.database in (None, "", ":memory:"):
        yield InMemorySaver()
        return
    async with aiosqlite.connect(str(target.database)) as connection:
        for pragma in (f"busy_timeout={BUSY_TIMEOUT}", "journal_mode=WAL", "synchronous=NORMAL"):
            await connection.execute(f"PRAGMA {pragma}")
        saver = ThreadSaver(connection)
        await saver.setup()
        try:
            yield saver
        finally:
            await saver.settled()
