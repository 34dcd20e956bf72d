"""``kill -9`` in mid-run: another process goes on, and everything has happened exactly once (N1)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.process.crashing import POINTS, work

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("crashing.py")
WEATHER = [{"city": "北京", "date": "2026-02-14", "condition": "小雨", "temp_min": 2, "temp_max": 8}]
Told = dict[str, Any]


def ran(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The program in an interpreter of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


def read(database: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(database)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def happened_once(database: Path, result: Told) -> None:
    """One task, one reminder, a receipt and a journal entry for each, and a reply that tells of all three."""
    assert read(database, "SELECT title, date, time_segment, status FROM tasks") == [
        ("去机场接人", "2026-02-14", "morning", "pending")
    ]
    ((task_id, rings, content),) = read(database, "SELECT task_id, remind_at, content FROM reminders")
    assert (task_id, rings[:16]) == (1, "2026-02-13 12:00")
    assert "伞" in content
    assert [len(read(database, f"SELECT 1 FROM {table}")) for table in ("effects", "journal")] == [2, 2]
    assert read(database, "PRAGMA integrity_check") == [("ok",)]
    assert result["status"] == "completed"
    assert [todo["status"] for todo in result["todos"]] == ["completed"] * 3
    assert all(part in result["reply"] for part in ("去机场接人", "周六（2月14日）", "小雨", "周五（2月13日）", "伞"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kill")
    (made / "weather.json").write_text(json.dumps(WEATHER), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Told]:
    """What came of each point."""
    done = ran(folder, folder / "weather.json", "all")
    assert done.returncode == 0, done.stderr
    return {line["point"]: line for line in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("point", [point for point in POINTS if point != "aput 1"])
def test_killed_and_resumed(folder: Path, told: dict[str, Told], point: str) -> None:
    assert told[point]["killed"] == -signal.SIGKILL, "the run went past the point without meeting it"
    happened_once(folder / f"{point}.db", told[point]["resumed"])


def test_killed_before_anything_was_stored(folder: Path, told: dict[str, Told]) -> None:
    assert (told["aput 1"]["killed"], told["aput 1"]["resumed"]) == (-signal.SIGKILL, None)
    assert read(folder / "aput 1.db", "SELECT 1 FROM tasks") == []


def test_two_interpreters(folder: Path) -> None:
    """As above, with nothing in common but the file: this interpreter goes on with what another one has begun."""
    database = folder / "interpreters.db"
    killed = ran(database, folder / "weather.json", "trip", "create_task after")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert [len(read(database, f"SELECT 1 FROM {table}")) for table in ("tasks", "effects", "reminders")] == [1, 1, 0]
    resumed = asyncio.run(work(str(database), str(folder / "weather.json"), "trip", resume=True))
    happened_once(database, resumed)
