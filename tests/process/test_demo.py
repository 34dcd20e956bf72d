"""``deep-planner demo``: the three scenarios of seed 000 on samples; rows in real tables, nothing left behind."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from deep_planner.cli import main
from deep_planner.demo.world import read_script

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home, a folder of settings and a folder for temporary files that the test can look into."""
    for name in ("here", "data", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    yield tmp_path
    assert list((tmp_path / "data").iterdir()) == []


def demo(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, Any], str]:
    assert main(["demo", "--json", *words]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.execute(query))


@pytest.mark.parametrize(
    ("language", "titles", "said"),
    [
        (
            "zh",
            ("去机场接人", "写周报"),
            (("周六（2月14日）", "小雨", "示例数据", "20:00"), ("14:00-15:30", "16:00-18:00"), ("写周报", "完成")),
        ),
        (
            "en",
            ("pick up a friend at the airport", "write the weekly report"),
            (("Saturday (14 February)", "light rain", "sample"), ("14:00-15:30", "16:00-18:00"), ("weekly", "done")),
        ),
    ],
)
def test_the_scenarios(
    capsys: pytest.CaptureFixture[str],
    elsewhere: Path,
    language: str,
    titles: tuple[str, str],
    said: tuple[tuple[str, ...], ...],
) -> None:
    told, err = demo(capsys, "--lang", language)
    assert (err, told["database"], told["language"]) == ("", None, language)
    assert (told["clock"], told["weather"]["sample"]) == ({"now": "2026-02-11T10:00:00+08:00", "sample": True}, True)
    airport, free, finish = told["scenarios"]
    assert [(scene["section"], scene["status"]) for scene in told["scenarios"]] == [
        ("4.1", "completed"),
        ("4.2", "completed"),
        ("4.3", "completed"),
    ]
    for scene, words in zip(told["scenarios"], said, strict=True):
        assert [word for word in words if word not in scene["reply"]] == []
    assert [todo["subagent"] for todo in airport["todos"]] == ["task", "weather", "notification"]
    assert len(airport["notes"]) == 3
    [new] = [task for task in airport["tasks"] if task["title"] == titles[0]]
    assert (new["date"], new["time_segment"], new["status"]) == ("2026-02-14", "morning", "pending")
    [reminder] = airport["reminders"]
    assert (reminder["task_id"], reminder["remind_at"]) == (new["id"], "2026-02-13T20:00+08:00")
    assert free["tasks"] == airport["tasks"]
    assert {task["title"]: task["status"] for task in finish["tasks"]}[titles[1]] == "completed"
    assert {task["title"]: task["status"] for task in free["tasks"]}[titles[1]] == "pending"
    assert list((elsewhere / "tmp").iterdir()) == []


def test_what_is_seen(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> None:
    assert main(["demo", "--lang", "zh"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "时间是样例",
        "天气是样例",
        "请求：周末早上去机场接人",
        "○ t1",
        "● t3",
        "r1/t2: 北京 2026-02-14 天气：小雨",
        "回复：已创建任务「去机场接人」",
        "+ tasks #3: title=去机场接人",
        "+ reminders #1: task_id=3",
        "~ tasks #2: title=写周报",
        "演示用的数据库已经删掉",
    ):
        assert words in out
    assert list((elsewhere / "tmp").iterdir()) == []


def test_the_database_may_be_kept(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> None:
    told, err = demo(capsys, "--lang", "zh", "--keep")
    path = Path(told["database"])
    assert path.is_relative_to(elsewhere / "tmp")
    assert str(path) in err
    assert rows(path, "SELECT title, status FROM tasks ORDER BY id") == [
        ("项目评审", "pending"),
        ("写周报", "completed"),
        ("去机场接人", "pending"),
    ]
    assert rows(path, "SELECT task_id, remind_at, status FROM reminders") == [
        (3, "2026-02-13 12:00:00.000000", "pending")
    ]
    stored = [{name: row[name] for name in ("id", "title", "status")} for row in told["scenarios"][-1]["tasks"]]
    assert stored == [
        {"id": number, "title": title, "status": status}
        for number, title, status in rows(path, "SELECT id, title, status FROM tasks ORDER BY id")
    ]


def test_nothing_of_the_users_settings_counts(
    capsys: pytest.CaptureFixture[str], elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, _ = demo(capsys)
    (elsewhere / "here" / "deep_planner.toml").write_text("this is = no [toml", encoding="utf-8")
    mine = elsewhere / "mine.db"
    for name, value in {
        "DATABASE": str(mine),
        "MODEL": "openai:gpt-x",
        "LANGUAGE": "en",
        "CITY": "Nowhere",
        "TIMEZONE": "Mars/X",
        "USER_ID": "7",
        "WEATHER_FILE": "/nope.json",
        "SUPERVISION": "nonsense",
    }.items():
        monkeypatch.setenv(f"DEEP_PLANNER_{name}", value)
    monkeypatch.setenv("TZ", "America/New_York")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert demo(capsys)[0] == expected
    assert not mine.exists()


def test_replies_are_the_planners_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another world, other answers: without the tasks that are there before, the same requests end otherwise."""
    bare = read_script().model_copy(update={"tasks": []})
    monkeypatch.setattr("deep_planner.cli.demo.read_script", lambda: bare)
    assert main(["demo", "--json", "--lang", "zh"]) == 1
    _, free, finish = json.loads(capsys.readouterr().out)["scenarios"]
    assert "14:00-18:00" in free["reply"]
    assert (finish["status"], "未找到匹配任务" in finish["reply"]) == ("failed", True)


@pytest.mark.parametrize("words", [["--db", "x.db"], ["--lang", "fr"], ["周末"], ["--weather", "x"]])
def test_bad_usage(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["demo", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, words[0] in err) == ("", True)


def test_no_place_for_the_database_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere / "nowhere"))
    assert main(["demo"]) == 1
    assert "nowhere" in capsys.readouterr().err


def test_in_a_process_of_its_own(elsewhere: Path) -> None:
    """No terminal, no Chinese in the encoding: still no traceback and nothing left behind."""
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "ascii",
        "TMPDIR": str(elsewhere / "tmp"),
    }
    words = [sys.executable, "-m", "deep_planner", "demo", "--lang", "zh"]
    done = subprocess.run(words, cwd=elsewhere / "here", env=env, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"2026-02-14" in done.stdout
    assert list((elsewhere / "tmp").iterdir()) == []


def test_a_reader_that_goes_away_is_no_fault(elsewhere: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "TMPDIR": str(elsewhere / "tmp")}
    words = [sys.executable, "-m", "deep_planner", "demo"]
    with subprocess.Popen(
        words, cwd=elsewhere / "here", env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        err = child.stderr.read()
    assert (child.returncode, err) == (0, b"")
    assert list((elsewhere / "tmp").iterdir()) == []
