"""``deep-planner reminders deliver``: its lines, its signals, and what is left after ``kill -9`` (A29, X10)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from deep_planner.cli.arguments import BadUsageError, parse
from deep_planner.cli.deliver import deliver
from tests.support.builders import NOW, at, opened, reminded, stored, task
from tests.support.command_line import Line
from tools.core.errors import UsageError
from tools.services.delivery import LEASE, TRIES

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
LATER = (NOW + LEASE).isoformat()
#: Waits for the word to go, so that processes begin together, and may die at a chosen point.
PROGRAM = """
import os, signal, sys
from deep_planner.cli import main
from deep_planner.cli.deliver import ConsoleChannel
from tools.store.outbox import Outbox

async def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

point, *line = sys.argv[1:]
if point == "before the print":
    ConsoleChannel.send = die
elif point == "before the mark":
    Outbox.mark_sent = die
sys.stdin.readline()
sys.exit(main(["reminders", "deliver", *line]))
"""


@dataclass
class HandClock:
    """Shows what it was set to."""

    moment: datetime = NOW

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "planner.db"


async def due(folder: Path, *moments: datetime) -> list[int]:
    """The numbers of new reminders at these moments, of a task each."""
    async with opened(folder) as database:
        tasks = await stored(database, *(task() for _ in moments))
        return [(await reminded(database, *pair)).id for pair in zip(tasks, moments, strict=True)]


def statuses(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [status for (status,) in connection.execute("SELECT status FROM reminders ORDER BY id")]


def started(path: Path, *options: str, point: str = "", now: str = NOW.isoformat()) -> subprocess.Popen[str]:
    """A process that delivers at the word of command."""
    line = [sys.executable, "-c", PROGRAM, point, "--db", str(path), "--now", now, "--json", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def printed(process: subprocess.Popen[str]) -> list[int]:
    """The numbers of what it printed until its end."""
    out, errors = process.communicate(timeout=120)
    assert errors == ""
    return [json.loads(line)["id"] for line in out.splitlines()]


def delivered(line: Line, now: str = NOW.isoformat()) -> tuple[int, list[int]]:
    """How this process ended that delivered what the others have left, and what it printed."""
    ended = line.run("reminders", "deliver", "--json", "--db", str(line.database), "--now", now, frozen=False)
    assert ended.err == ""
    return ended.code, [json.loads(row)["id"] for row in ended.out.splitlines()]


def test_two_processes_never_deliver_one_twice(tmp_path: Path, path: Path) -> None:
    made = asyncio.run(due(tmp_path, *[NOW] * 50))
    both = [started(path) for _ in range(2)]
    for process in both:
        begin(process)
    said = [printed(process) for process in both]
    assert sorted(said[0] + said[1]) == made
    assert [process.returncode for process in both] == [0, 0]
    assert statuses(path) == ["sent"] * 50


@pytest.mark.parametrize(("point", "times"), [("before the print", 0), ("before the mark", 1)])
def test_killed_in_mid_delivery(tmp_path: Path, path: Path, line: Line, point: str, times: int) -> None:
    """Between claim and print nothing is lost; between print and mark it comes a second time, under its number."""
    (number,) = asyncio.run(due(tmp_path, NOW))
    process = started(path, point=point)
    begin(process)
    assert (printed(process), process.returncode) == ([number] * times, -signal.SIGKILL)
    assert statuses(path) == ["pending"]
    assert delivered(line) == (0, []), "the dead one's lease still holds"
    assert delivered(line, LATER) == (0, [number])
    assert delivered(line, LATER) == (0, [])
    assert statuses(path) == ["sent"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_watching_ends_cleanly(tmp_path: Path, path: Path, number: signal.Signals) -> None:
    made = asyncio.run(due(tmp_path, NOW))
    process = started(path, "--watch", "--every", "3600")
    begin(process)
    assert process.stdout is not None
    assert [json.loads(process.stdout.readline())["id"]] == made
    process.send_signal(number)
    assert (printed(process), process.returncode) == ([], 0)
    assert statuses(path) == ["sent"]


def test_a_reader_that_goes_away_costs_no_reminder(tmp_path: Path, path: Path, line: Line) -> None:
    made = asyncio.run(due(tmp_path, NOW, NOW))
    process = started(path)
    assert process.stdout is not None
    process.stdout.close()
    begin(process)
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait(timeout=120)) == ("", 0)
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()
    assert delivered(line) == (0, made)


async def run(path: Path, clock: HandClock, *options: str, language: str = "zh", sleep: object = None) -> int:
    """``deep-planner reminders deliver`` in this process."""
    line = ["reminders", "deliver", "--db", str(path), "--timezone", "Asia/Shanghai", "--lang", language, *options]
    return await deliver(parse(line, "zh"), clock, "zh", sleep)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("zh", ["⏰ 迟到：原定周二（2月10日）20:00的提醒：明天早上去机场接人", "⏰ 10:00 提醒：今天 10:30 开会"]),
        (
            "en",
            [
                "⏰ Late: reminder of Tuesday (10 February), 20:00: 明天早上去机场接人",
                "⏰ 10:00 reminder: 今天 10:30 开会",
            ],
        ),
    ],
)
async def test_the_lines(
    tmp_path: Path, path: Path, clock: HandClock, capsys: pytest.CaptureFixture[str], language: str, lines: list[str]
) -> None:
    async with opened(tmp_path) as database:
        (row,) = await stored(database, task(day=date(2026, 2, 11)))
        await reminded(database, row, at("02-10 20:00"), content="明天早上去机场接人")
        await reminded(database, row, NOW, content="今天 10:30 开会")
    for expected in (lines, []):
        assert await run(path, clock, language=language) == 0
        said = capsys.readouterr()
        assert (said.out.splitlines(), said.err) == (expected, "")


async def test_lines_for_programs(
    tmp_path: Path, path: Path, clock: HandClock, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = await due(tmp_path, at("02-10 20:00"), NOW)
    assert await run(path, clock, "--json") == 0
    late, on_time = map(json.loads, capsys.readouterr().out.splitlines())
    assert late == {
        "id": first,
        "task_id": 1,
        "remind_at": "2026-02-10T20:00+08:00",
        "delivered_at": "2026-02-11T10:00+08:00",
        "late": True,
        "attempt": 1,
        "content": "提醒",
        "reason": "day_before",
        "channel": "console",
    }
    assert (on_time["id"], on_time["late"]) == (second, False)


@pytest.mark.parametrize("options", [(), ("--every", "7.5")])
async def test_watching_ends_at_a_signal(
    tmp_path: Path, path: Path, clock: HandClock, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    await due(tmp_path, NOW, NOW + timedelta(minutes=1))
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        clock.moment += timedelta(minutes=1)
        pauses.append(seconds)
        if len(pauses) == 2:
            signal.raise_signal(signal.SIGTERM)

    assert await run(path, clock, "--watch", *options, sleep=sleep) == 0
    assert pauses[:2] == [7.5 if options else 30.0] * 2
    assert len(capsys.readouterr().out.splitlines()) == 2


async def test_a_console_that_refuses(
    tmp_path: Path, path: Path, clock: HandClock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await due(tmp_path, NOW)

    def full(_words: str) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout.write", full)
        for _ in range(TRIES):
            assert await run(path, clock) == 1
            clock.moment += timedelta(hours=1)
    said = capsys.readouterr()
    first, *_, last = said.err.splitlines()
    assert (said.out, len(said.err.splitlines())) == ("", TRIES)
    assert ("No space left" in first, "10:01再试" in first) == (True, True)
    assert "试了 5 次" in last
    assert await run(path, clock) == 0


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e9", "soon"])
async def test_seconds_that_are_none(path: Path, clock: HandClock, given: str) -> None:
    with pytest.raises(UsageError, match="--every"):
        await run(path, clock, "--watch", f"--every={given}")


@pytest.mark.parametrize(
    "line", ["foo", "--watch", "deliver --every 3", "deliver --date 明天", "deliver --watch --every"]
)
def test_lines_that_are_none(line: str) -> None:
    with pytest.raises(BadUsageError):
        parse(["reminders", *line.split()], "zh")


@pytest.mark.parametrize("line", ["deliver --json --watch --every 3", "--every 3 --watch --json deliver"])
def test_options_stand_anywhere(line: str) -> None:
    found = parse(["reminders", *line.split()], "zh")
    assert (found.action, found.watch, found.every, found.json) == ("deliver", True, "3", True)
