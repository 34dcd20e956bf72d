"""The command line as people and programs use it: real processes, a real file, a frozen clock."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from deep_planner.cli import main

pytestmark = pytest.mark.graph

RAIN = {"city": "北京", "date": "2026-02-14", "condition": "小雨", "temp_min": 2, "temp_max": 8}
AIRPORT = "周末早上去机场接人"


class Line:
    """Runs ``deep-planner`` in a folder of its own, on one database, at one moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "planner.db"
        self.weather = folder / "weather.json"
        self.weather.write_text(json.dumps([RAIN]), encoding="utf-8")
        kept = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV", "HOME")
        self.env = {name: os.environ[name] for name in kept if name in os.environ}
        self.env |= {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8", "XDG_DATA_HOME": str(folder / "data")}

    def command(self, *words: str, frozen: bool = True) -> list[str]:
        line = [sys.executable, "-m", "deep_planner", *words]
        if frozen:
            line += ["--db", str(self.database), "--now", "2026-02-11T10:00:00+08:00", "--timezone", "Asia/Shanghai"]
        return line

    def run(self, *words: str, given: str | bytes = b"", frozen: bool = True) -> subprocess.CompletedProcess[str]:
        given = given.encode() if isinstance(given, str) else given
        done = subprocess.run(
            self.command(*words, frozen=frozen), input=given, capture_output=True, cwd=self.folder, env=self.env
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def here(self, *words: str, capsys: pytest.CaptureFixture[str]) -> subprocess.CompletedProcess[str]:
        """The same in this process, which is quicker."""
        code = main(self.command(*words)[3:])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return subprocess.CompletedProcess(words, code, out, err)

    def ask(self, request: str, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run(request, "--city", "北京", "--weather", str(self.weather), *words)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.database) as connection:
            return list(connection.execute(query))


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def test_the_main_job(line: Line) -> None:
    done = line.ask(AIRPORT, "--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"]) == (0, "completed")
    assert [(t["subagent"], t["status"]) for t in result["todos"]] == [
        ("task", "completed"),
        ("weather", "completed"),
        ("notification", "completed"),
    ]
    assert len(result["notes"]) == 3
    for words in ("去机场接人", "周六（2月14日）早上", "小雨", "示例数据", "周五（2月13日）20:00"):
        assert words in result["reply"]
    assert line.rows("SELECT title, date, time_segment, status FROM tasks") == [
        ("去机场接人", "2026-02-14", "morning", "pending")
    ]
    [(at, content)] = line.rows("SELECT remind_at, content FROM reminders")
    assert str(at).startswith("2026-02-13 12:00")  # 20:00 in Shanghai, kept in UTC
    assert "带伞" in str(content)
    assert "⏰" in done.stderr


def test_the_same_again_conflicts_and_a_yes_on_the_thread_creates_it(line: Line) -> None:
    line.ask(AIRPORT)
    again = line.ask(AIRPORT, "--thread", "trip")
    assert again.returncode == 3
    assert "「去机场接人」" in again.stdout
    assert "--thread trip --resume" in again.stderr
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]
    yes = line.ask("还是要建", "--thread", "trip")
    assert (yes.returncode, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])


def test_an_answer_by_resume_in_another_process(line: Line) -> None:
    line.ask(AIRPORT)
    line.ask(AIRPORT, "--thread", "trip")
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]
    # The number of a choice; and the words are those of the thread's language, whatever the answer is in.
    answered = line.ask("1", "--thread", "trip", "--resume")
    assert (answered.returncode, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])
    assert "模型：offline:rules" in answered.stderr
    nothing = line.run("--thread", "trip", "--resume", "x")
    assert (nothing.returncode, "没有等待回答的问题" in nothing.stderr) == (2, True)


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        ("明天下午有空吗", 0, "14:00-18:00"),
        ("完成写周报", 1, "未找到匹配任务"),
        ("讲个笑话", 0, "只能帮忙处理任务"),
        ("Am I free tomorrow afternoon?", 0, "14:00-18:00"),
        ("tell me a joke", 0, "only help with tasks"),
    ],
)
def test_seed_sentences(line: Line, capsys: pytest.CaptureFixture[str], request_: str, code: int, words: str) -> None:
    done = line.here(request_, capsys=capsys)
    assert (done.returncode, words in done.stdout) == (code, True)


def test_rows_are_listed(line: Line) -> None:
    line.ask(AIRPORT)
    table = line.run("tasks", "--lang", "zh")
    assert "去机场接人" in table.stdout
    assert "周六（2月14日）" in table.stdout
    [task] = json.loads(line.run("tasks", "--date", "周末", "--json").stdout)
    assert (task["title"], task["date"]) == ("去机场接人", "2026-02-14")
    assert json.loads(line.run("tasks", "--date", "明天", "--json").stdout) == []
    [reminder] = json.loads(line.run("reminders", "--json").stdout)
    assert (reminder["remind_at"], reminder["reason"]) == ("2026-02-13T20:00+08:00", "day_before")
    assert "前一天 20:00" in line.run("reminders", "--lang", "zh").stdout


def test_when_tells_how_a_phrase_is_understood(line: Line) -> None:
    told = json.loads(line.run("when", "下周五下午三点", "--json").stdout)
    assert (told["kind"], told["start"], told["date"]) == ("datetime", "2026-02-20T15:00", "2026-02-20")
    assert "周五（2月20日）15:00" in line.run("when", "下周五下午三点").stdout
    nothing = line.run("when", "机场")
    assert (nothing.returncode, "没看懂" in nothing.stdout) == (1, True)


def test_the_request_may_come_from_standard_input(line: Line) -> None:
    done = line.run("-", "--json", given="明天九点开会\n")
    assert json.loads(done.stdout)["status"] == "completed"


def test_help_names_the_database(line: Line) -> None:
    done = line.run("--help", frozen=False)
    assert done.returncode == 0
    assert str(line.folder / "data" / "deep-planner" / "planner.db") in done.stdout.replace("\n", "").replace(" ", "")


BAD: dict[str, tuple[list[str], str]] = {
    "blank": ([" "], "请求是空的"),
    "nothing": (["--lang", "zh"], "请求是空的"),
    "unknown option": (["明天开会", "--nope"], "--nope"),
    "missing value": (["明天开会", "--thread"], "--thread"),
    "wrong choice": (["明天开会", "--lang", "fr"], "fr"),
    "unknown model": (["明天开会", "--model", "foo:bar"], "foo:bar"),
    "missing key": (["明天开会", "--model", "openai:gpt-x"], "OPENAI_API_KEY"),
    "unknown zone": (["明天开会", "--timezone", "Mars/X"], "Mars/X"),
    "missing weather file": (["明天开会", "--weather", "/nope.json"], "/nope.json"),
    "database is a folder": (["明天开会", "--db", "/"], "/"),
    "unknown thread": (["--thread", "nosuch", "--resume", "好"], "nosuch"),
    "naive now": (["明天开会", "--now", "2026-02-11T10:00"], "2026-02-11T10:00"),
    "no date": (["tasks", "--date", "2月30号"], "2月30号"),
}


@pytest.mark.parametrize(("words", "named"), [pytest.param(*case, id=name) for name, case in BAD.items()])
def test_bad_usage_is_told_in_a_sentence(
    line: Line, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], named: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    words = words if "--db" in words else [*words, "--db", str(line.database)]
    code = main(words)
    out, err = capsys.readouterr()
    done = subprocess.CompletedProcess(words, code, out, err)
    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    if line.database.exists():
        assert line.rows("SELECT count(*) FROM tasks") == [(0,)]


def test_a_megabyte_is_refused(line: Line) -> None:
    done = line.run("-", given="明天开会" * 250_000)
    assert (done.returncode, "1000000" in done.stderr) == (2, True)


def test_broken_utf8_does_not_break_the_program(line: Line) -> None:
    done = line.run("-", given=b"\xff\xfe \xe6\x98\x8e\xe5\xa4\xa9\xe5\xbc\x80\xe4\xbc\x9a")
    assert done.returncode in (0, 1, 3)


def test_a_newer_database_is_left_alone(line: Line) -> None:
    line.ask("明天九点开会")
    with sqlite3.connect(line.database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    done = line.ask("明天十点看牙")
    assert (done.returncode, "9999" in done.stderr) == (2, True)
    assert line.rows("SELECT title FROM tasks") == [("开会",)]


def test_at_a_terminal_the_question_is_asked_and_answered(line: Line) -> None:
    line.ask(AIRPORT)
    words = line.command(AIRPORT, "--city", "北京", "--weather", str(line.weather))
    env = {**line.env, "TERM": "xterm", "COLUMNS": "120"}
    child = pexpect.spawn(words[0], words[1:], cwd=str(line.folder), env=env, encoding="utf-8", timeout=60)
    child.expect("去机场接人")
    child.expect("1. 还是要建")
    child.expect("你的回答")
    child.sendline("1")
    child.expect("已创建任务「去机场接人」")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])


def test_ctrl_c_at_the_question_ends_at_once(line: Line) -> None:
    line.ask(AIRPORT)
    words = line.command(AIRPORT, "--city", "北京", "--weather", str(line.weather))
    env = {**line.env, "TERM": "xterm", "COLUMNS": "120"}
    child = pexpect.spawn(words[0], words[1:], cwd=str(line.folder), env=env, encoding="utf-8", timeout=60)
    child.expect("你的回答")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, line.rows("SELECT count(*) FROM tasks")) == (130, [(1,)])


def test_the_screen_shows_what_people_wrote_harmlessly(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b[31m红色\x1b[0m\u202e"
    done = line.here(f"后天下午三点和{hostile}开会，提前一小时提醒我", capsys=capsys)
    assert "红色" in done.stdout + done.stderr
    assert not {"\x1b", "\u202e"} & set(done.stdout + done.stderr)


def test_a_task_that_comes_back_and_the_week(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    made = line.here("每周一9点到9点半站会", capsys=capsys)
    assert made.stdout == "已创建任务「站会」：每周一09:00-09:30。第一次是周一（2月16日）。\n"
    for week, seen in (("这周", False), ("下周", True), ("下下周", True)):
        shown = line.here("tasks", "--week", week, capsys=capsys)
        assert ("09:00-09:30  站会 ↻" in shown.stdout) is seen
    assert "每周一" in line.here("tasks", "--lang", "zh", capsys=capsys).stdout
