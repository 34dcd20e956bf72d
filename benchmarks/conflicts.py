"""What a conflict check costs among many tasks: ``python benchmarks/conflicts.py [CALLS]``.

For 1 000, 10 000 and 100 000 pending tasks of one user in a SQLite file: p50 and p95 of ``create_task`` from the call
to the commit (WAL, synchronous FULL). Half of the calls collide and are refused, half write a row. Tasks are spread
evenly, 5 a day, so that a day holds the same number whatever the total. Goal: p95 of 20 ms at most, and flat.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import insert

from tools.core.context import Call, Operation, RunContext
from tools.core.result import ResultStatus
from tools.services.tasks import NewTask, TaskService
from tools.store.database import Database, sqlite_url
from tools.store.tables import TaskRow

SIZES = (1_000, 10_000, 100_000)
A_DAY = 5
BATCH = 10_000
ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)
FIRST = date(2026, 2, 12)
WORDS = ("周会", "客户拜访", "体检", "写周报", "代码评审", "健身", "买菜", "读书", "面试", "复盘")


def task_rows() -> Iterator[dict[str, Any]]:
    """Rows of tasks from 9:00 on, an hour and a half each, five a day."""
    number = 0
    while True:
        start = datetime.combine(FIRST, datetime.min.time()) + timedelta(days=number // A_DAY)
        start += timedelta(minutes=9 * 60 + number % A_DAY * 90)
        yield {
            "user_id": 1,
            "title": f"{WORDS[number % len(WORDS)]}{number}",
            "date": start.date(),
            "start_time": start.time(),
            "end_time": (start + timedelta(hours=1)).time(),
            "time_segment": "morning",
            "priority": "medium",
            "status": "pending",
            "blocks_day": False,
            "version": 1,
            "created_at": NOW,
            "updated_at": NOW,
        }
        number += 1


async def fill(database: Database, size: int) -> None:
    rows = task_rows()
    for _ in range(0, size, BATCH):
        async with database.writing() as session:
            await session.execute(insert(TaskRow), list(islice(rows, min(BATCH, size))))


async def timed(service: TaskService, size: int, number: int) -> float:
    """Milliseconds of one call, on a day of its own: even numbers collide with the first task, odd ones fit in."""
    day = FIRST + timedelta(days=number * (size // A_DAY) // 1000 % (size // A_DAY))
    collides = number % 2 == 0
    # 90 minutes from start to start, an hour long: half past is free.
    start, end = ("09:15", "09:45") if collides else ("22:00", "22:30")
    new = NewTask(f"新的事{number}", day.isoformat(), start, end)
    call = Call(RunContext(1, NOW, ZONE, "zh"), Operation("bench", 1, "t1", "create_task", f"d{number}", 0))
    begun = time.perf_counter()
    result = await service.create(call, new)
    taken = (time.perf_counter() - begun) * 1000
    expected = (ResultStatus.CONFLICT,) if collides else (ResultStatus.SUCCESS, ResultStatus.CONFLICT)
    if result.status not in expected:
        raise SystemExit(f"{day} {start}: {result.message}")
    return taken


async def measure(folder: Path, size: int, calls: int) -> None:
    database = await Database.open(sqlite_url(folder / f"{size}.db"), now=NOW)
    await fill(database, size)
    service = TaskService(database)
    for number in range(20):  # so that nothing is measured that happens once in a process
        await timed(service, size, -number - 1)
    refused = [await timed(service, size, number) for number in range(0, 2 * calls, 2)]
    written = [await timed(service, size, number) for number in range(1, 2 * calls, 2)]
    await database.aclose()
    for name, figures in (("refused", refused), ("written", written)):
        p50, p95 = statistics.median(figures), statistics.quantiles(figures, n=20)[-1]
        print(f"{size:>7} tasks, {name}: p50 {p50:5.2f} ms, p95 {p95:5.2f} ms, most {max(figures):5.2f} ms of {calls}")


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            asyncio.run(measure(Path(folder), size, calls))


if __name__ == "__main__":
    main()
