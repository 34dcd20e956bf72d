"""Where threads are kept: LangGraph's checkpoints, in the SQLite file of the rows.

One file and one write-ahead log keep the order: the checkpoint that holds a tool call is in the log before the effect
of that call, and the effect's commit (``synchronous=FULL``) makes everything before it durable too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from sqlalchemy.engine import make_url

from tools.store.database import BUSY_TIMEOUT

#: Writes that say the task has not ended well: its inner steps are still needed.
UNFINISHED = frozenset({"__interrupt__", "__error__", "__resume__"})


class ThreadSaver(AsyncSqliteSaver):
    """SQLite checkpoints that forget the inner steps of a sub-agent once its result is stored.

    Each finished sub-agent leaves half a dozen checkpoints that nobody reads again; without them a thread's size grows
    with what it says, not with how it was worked out. Forks still work; an older checkpoint re-runs the item.
    """

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Plain counters; the default's random version strings are half of a checkpoint's size."""
        return (current or 0) + 1

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a task; if it is a sub-agent that has ended, drop its inner steps."""
        await super().aput_writes(config, writes, task_id, task_path)  # the result is stored first
        inner = config["configurable"].get("checkpoint_ns")
        if inner or any(channel in UNFINISHED for channel, _ in writes):
            return
        thread = str(config["configurable"]["thread_id"])
        async with self.lock:
            for table in ("checkpoints", "writes"):
                await self.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns > '' AND instr(checkpoint_ns, ?) > 0",
                    (thread, f":{task_id}"),
                )
            await self.conn.commit()


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
        yield saver
