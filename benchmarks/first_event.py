"""From a request to its first event: ``python benchmarks/first_event.py [REQUESTS]``.

Prints milliseconds from ``planner.stream(...)`` to the first event, and to the first one that tells of a todo item, on
the offline model with threads and rows in an SQLite file, as a chat has them. Goal: 50 ms to the first event.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from deep_planner import Settings, open_planner
from deep_planner.app import Planner
from deep_planner.events import TodoChanged
from tools.core.clock import FrozenClock

NOW = datetime(2026, 2, 12, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
REQUESTS = ("明天下午三点开会", "周六上午买菜", "明天有什么安排", "tea with Lisa on Friday at 4pm")


async def times_of(planner: Planner, request: str, thread: str) -> tuple[float, float]:
    """Milliseconds to the first event, and to the first item."""
    began = time.perf_counter()
    first = item = 0.0
    async for event in planner.stream(request, thread=thread):
        since = (time.perf_counter() - began) * 1000
        first = first or since
        if isinstance(event, TodoChanged):
            item = item or since
    return first, item


async def measured(count: int) -> list[tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(database=str(Path(folder) / "planner.db"), timezone="Asia/Shanghai")
        async with open_planner(settings, clock=FrozenClock(NOW)) as planner:
            await times_of(planner, REQUESTS[0], "warm")
            return [await times_of(planner, f"{REQUESTS[n % len(REQUESTS)]}", f"thread-{n % 5}") for n in range(count)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    found = asyncio.run(measured(count))
    for name, figures in zip(("first event", "first item"), zip(*found, strict=True), strict=True):
        ranked = sorted(figures)
        low, middle, high = ranked[0], statistics.median(ranked), ranked[int(len(ranked) * 0.95)]
        print(f"{name}: {low:.1f} / {middle:.1f} / {high:.1f} ms (min / median / p95 of {count})")


if __name__ == "__main__":
    main()
