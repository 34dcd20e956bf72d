"""Seeing the plan first at the command line, across processes, and in Python: what is left out is not done."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from deep_planner import Settings, resume, run
from deep_planner.cli import main

pytestmark = pytest.mark.graph

NOW = "2026-02-11T10:00:00+08:00"
#: A task, the weather, a reminder.
AIRPORT = "周末早上去机场接人"
Told = tuple[int, str]
Ask = Callable[..., Told]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weather.json").write_text("[]", encoding="utf-8")

    def told(*words: str) -> Told:
        place = ["--db", "planner.db", "--weather", "weather.json", "--now", NOW, "--timezone", "Asia/Shanghai"]
        return main([*words, "--thread", "t", *place]), capsys.readouterr().out

    return told


def rows(table: str) -> int:
    with closing(sqlite3.connect("planner.db")) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_nothing_is_done_before_a_yes_and_only_what_is_left(ask: Ask) -> None:
    code, out = ask(AIRPORT, "--plan-first")
    assert (code, rows("tasks")) == (3, 0)
    assert "3. t3 提醒我去机场接人 [notification]  ← t1, t2" in out
    code, out = ask("--resume", "删掉 2 3")
    assert (code, rows("tasks"), "机场" in out, "天气" in out) == (3, 0, True, False)
    code, _ = ask("--resume", "照做")
    assert (code, rows("tasks"), rows("reminders")) == (0, 1, 0)


@pytest.mark.parametrize("words", ["1 给 nobody", "删掉 1 2 3", "加"])
def test_a_bad_change_is_told_and_the_plan_shown_again(ask: Ask, words: str) -> None:
    before = ask(AIRPORT, "--plan-first")
    code, out = ask("--resume", words)
    assert (code, rows("tasks")) == (3, 0)
    complaint, *plan = out.splitlines()
    assert complaint
    assert plan == before[1].splitlines()


def test_no_does_nothing_in_english_too(ask: Ask) -> None:
    code, out = ask("book a table for Friday 7pm and remind me", "--plan-first")
    assert (code, out.splitlines()[1]) == (3, "1. t1 book a table for Friday 7pm [task]")
    code, out = ask("--resume", "leave it")
    assert (code, out.strip(), rows("tasks")) == (0, "All right, the plan was not carried out.", 0)


@pytest.mark.parametrize(("number", "made"), [("1", 1), ("2", 0)])
def test_the_number_of_a_choice_is_an_answer(ask: Ask, number: str, made: int) -> None:
    ask("明天下午三点开会", "--plan-first")
    code, _ = ask("--resume", number)
    assert (code, rows("tasks")) == (0, made)


def test_in_python(ask: Ask, tmp_path: Path) -> None:
    weather = tmp_path / "weather.json"
    settings = Settings.load(database="planner.db", weather_file=weather, timezone="Asia/Shanghai")
    moment = datetime.fromisoformat(NOW)
    result = run(AIRPORT, now=moment, settings=settings, plan_first=True)
    assert result.question is not None
    assert (result.status, result.question.type) == ("waiting", "plan")
    for words, status in (("drop 2", "waiting"), ("1: 周六九点去接小李", "waiting"), ("yes", "completed")):
        result = resume(result.thread_id, words, now=moment, settings=settings)
        assert result.status == status
    assert [(todo["content"], todo["status"]) for todo in result.todos] == [
        ("周六九点去接小李", "completed"),
        ("提醒我去机场接人", "completed"),
    ]
    assert rows("tasks") == 1
