"""A program that plans the airport request and kills itself at a chosen point; run by the tests beside it.

``python crashing.py DATABASE WEATHER THREAD POINT`` carries out the request; with the point ``resume`` it goes on
with the thread instead and prints the result as JSON. ``python crashing.py FOLDER WEATHER all`` does both for every
point, each in a process of its own (``fork``: the imports are paid for once), and prints one line of JSON a point.
What a kill has left is copied for the point that is the same but ``afresh``.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from deep_planner.app import open_planner
from deep_planner.settings import Settings
from deep_planner.threads import ThreadSaver
from tools.core.clock import FrozenClock
from tools.store.database import Database
from tools.store.tables import EffectRow

REQUEST = "周末早上去机场接人"
NOW = datetime.fromisoformat("2026-02-11T10:00:00+08:00")
#: Tool and side of its commit.
COMMITS = [f"{tool} {side}" for tool in ("create_task", "schedule_reminder") for side in ("before", "after")]
#: The put of a checkpoint or of a task's writes, counted from 1; the first finds the thread's file still empty.
PUTS = ["aput 1", "aput 2", "aput 5", "aput 8", "aput 12", *(f"aput_writes {number}" for number in (2, 4, 7, 10, 14))]
#: What a sub-agent had stored of its own steps is lost as well, so that its item is dispatched anew.
AFRESH = ", afresh"
POINTS = [*COMMITS, *PUTS, *(f"{point}{AFRESH}" for point in COMMITS)]


def die() -> None:
    """At once, without a word, as when the power goes."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_commit(tool: str, side: str) -> None:
    """Around the commit of the transaction that holds the tool's receipt."""
    open_transaction: Callable[[Database], Any] = Database.writing

    @asynccontextmanager
    async def writing(self: Database) -> AsyncIterator[AsyncSession]:
        meant = False
        async with open_transaction(self) as session:
            yield session
            meant = any(isinstance(row, EffectRow) and f"/{tool}/" in row.key for row in session.new)
            await session.flush()
            if meant and side == "before":
                die()
        if meant:
            die()

    Database.writing = writing  # type: ignore[method-assign]


def die_at_put(method: str, number: int) -> None:
    """Before something is stored of the thread for the ``number``-th time."""
    put, count = getattr(ThreadSaver, method), iter(range(1, number))

    async def putting(self: ThreadSaver, *args: Any, **kwargs: Any) -> Any:
        if next(count, None) is None:
            die()
        return await put(self, *args, **kwargs)

    setattr(ThreadSaver, method, putting)


async def work(database: str, weather: str, thread: str, *, resume: bool) -> dict[str, Any]:
    """Carry out the request, or go on with it some minutes later."""
    settings = Settings.load(
        database=database, weather_file=weather, city="北京", timezone="Asia/Shanghai", model="offline:rules"
    )
    clock = FrozenClock(NOW + timedelta(minutes=7 * resume))
    async with open_planner(settings, clock=clock, console=lambda line: None) as planner:
        result = await (planner.resume(thread) if resume else planner.run(REQUEST, thread=thread))
        return result.model_dump(mode="json", include={"status", "reply", "todos"})


def main(database: str, weather: str, thread: str, point: str) -> None:
    """One process."""
    if point.startswith("aput"):
        method, number = point.split()
        die_at_put(method, int(number))
    elif point != "resume":
        die_at_commit(*point.split())
    print(json.dumps(asyncio.run(work(database, weather, thread, resume=point == "resume"))))


def forked(*arguments: str) -> tuple[int, str]:
    """``main`` in a process of its own; how it ended, and what it printed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 1)
        try:
            main(*arguments)
            sys.stdout.flush()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def forget_inner_steps(database: str) -> None:
    """Take out of the thread what sub-agents have stored."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for table in ("checkpoints", "writes"):
            connection.execute(f"DELETE FROM {table} WHERE checkpoint_ns > ''")


def copied(folder: Path, point: str, other: str) -> None:
    """The file of a point and its log, in which all may still be."""
    for path in (folder / f"{point}.db", folder / f"{point}.db-wal"):
        shutil.copyfile(path, folder / path.name.replace(point, other, 1))


def every_point(folder: str, weather: str) -> None:
    """Kill and resume at each point, on a database each; before, one run to the end, so that forks find all loaded."""
    asyncio.run(work(str(Path(folder) / "whole.db"), weather, "trip", resume=False))
    gc.collect()
    gc.freeze()  # what forks share stays shared: the collector does not walk it in each of them
    killed = {}
    for point in (point for point in POINTS if not point.endswith(AFRESH)):
        killed[point], _ = forked(str(Path(folder) / f"{point}.db"), weather, "trip", point)
        if (afresh := point + AFRESH) in POINTS:
            copied(Path(folder), point, afresh)
            killed[afresh] = killed[point]
            forget_inner_steps(str(Path(folder) / f"{afresh}.db"))
    for point, code in killed.items():
        _, said = forked(str(Path(folder) / f"{point}.db"), weather, "trip", "resume")
        print(json.dumps({"point": point, "killed": code, "resumed": json.loads(said or "null")}), flush=True)


if __name__ == "__main__":
    if sys.argv[3] == "all":
        every_point(*sys.argv[1:3])
    else:
        main(*sys.argv[1:5])
