"""What a conflict check costs among many tasks: ``python benchmarks/conflicts.py [CALLS]``.

For 1 000, 10 000 and 100 000 pending tasks of one user in a SQLite file: p50 and p95 of ``create_task`` from the call
to the commit (WAL, synchronous FULL), for calls that collide and are refused, and for calls that write a row. Tasks
are spread evenly, 5 a day, so that a day holds about the same number whatever the total. Goal: p95 of 20 ms at
most, and flat.
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
#: Days from call to call, so that calls do not stay in one corner of the index; shares no factor with the sizes.
STRIDE = 37
ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)
FIRST = date(2026, 2, 12)
WORDS = ("周会", "客户拜访", "体检", "写周报", "代码评审", "健身", "买菜", "读书", "面试", "复盘")
TITLES = (
    "接孩子",
    "看牙医",
    "遛狗",
    "取快递",
    "给车做保养",
    "练琴",
    "订机票",
    "交水电费",
    "约装修师傅",
    "打疫苗",
    "修电脑",
)


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


async def timed(service: TaskService, size: int, number: int, *, collides: bool) -> float:
    """Milliseconds of one call: into the first task of a day, or into a half hour of the evening that nobody has."""
    days = size // A_DAY
    round_, place = divmod(number, days)
    begin = datetime.combine(FIRST, datetime.min.time()) + timedelta(days=place * STRIDE % days)
    begin += timedelta(hours=9, minutes=15) if collides else timedelta(hours=17, minutes=30 * round_)
    end = begin + timedelta(minutes=30)
    new = NewTask(TITLES[number % len(TITLES)], f"{begin:%Y-%m-%d}", f"{begin:%H:%M}", f"{end:%H:%M}")
    call = Call(RunContext(1, NOW, ZONE, "zh"), Operation("bench", 1, "t1", "create_task", f"{number}{collides}", 0))
    started = time.perf_counter()
    result = await service.create(call, new)
    taken = (time.perf_counter() - started) * 1000
    if result.status is not (ResultStatus.CONFLICT if collides else ResultStatus.SUCCESS):
        raise SystemExit(f"{begin}: {result.message}")
    return taken


async def measure(folder: Path, size: int, calls: int) -> None:
    database = await Database.open(sqlite_url(folder / f"{size}.db"), now=NOW)
    await fill(database, size)
    service = TaskService(database)
    for name, collides in (("refused", True), ("written", False)):
        for number in range(-20, 0):  # so that nothing is measured that happens once in a process
            await timed(service, size, number, collides=collides)
        figures = [await timed(service, size, number, collides=collides) for number in range(calls)]
        p50, p95 = statistics.median(figures), statistics.quantiles(figures, n=20)[-1]
        print(f"{size:>7} tasks, {name}: p50 {p50:5.2f} ms, p95 {p95:5.2f} ms, most {max(figures):5.2f} ms of {calls}")
    await database.aclose()


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            asyncio.run(measure(Path(folder), size, calls))


if __name__ == "__main__":
    main()
