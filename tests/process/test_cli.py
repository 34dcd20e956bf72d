"""The command line as people and programs use it: requests, questions, lists, bad usage."""

from __future__ import annotations

import gc
import json
import sqlite3

import pexpect
import pytest

from tests.support.command_line import AIRPORT, Line

pytestmark = pytest.mark.graph


def test_the_main_job(line: Line) -> None:
    done = line.process(*line.asking(AIRPORT, "--json"))
    result = json.loads(done.out)
    assert (done.code, result["status"]) == (0, "completed")
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
    assert "⏰" in done.err


def test_the_same_again_conflicts_and_a_yes_on_the_thread_creates_it(line: Line) -> None:
    line.ask(AIRPORT)
    again = line.ask(AIRPORT, "--thread", "trip")
    assert again.code == 3
    assert "「去机场接人」" in again.out
    assert "--thread trip --resume" in again.err
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]
    yes = line.ask("还是要建", "--thread", "trip")
    assert (yes.code, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])


def test_an_answer_by_resume_in_another_process(line: Line) -> None:
    line.ask(AIRPORT)
    line.ask(AIRPORT, "--thread", "trip")
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]
    # The number of a choice; and the words are those of the thread's language, whatever the answer is in.
    answered = line.process(*line.asking("1", "--thread", "trip", "--resume"))
    assert (answered.code, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])
    assert "模型：offline:rules" in answered.err
    nothing = line.run("--thread", "trip", "--resume", "x")
    assert (nothing.code, "没有等待回答的问题" in nothing.err) == (2, True)


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
def test_seed_sentences(line: Line, request_: str, code: int, words: str) -> None:
    done = line.run(request_)
    assert (done.code, words in done.out) == (code, True)


def test_rows_are_listed(line: Line) -> None:
    line.ask(AIRPORT)
    table = line.run("tasks", "--lang", "zh")
    assert "去机场接人" in table.out
    assert "周六（2月14日）" in table.out
    [task] = json.loads(line.run("tasks", "--date", "周末", "--json").out)
    assert (task["title"], task["date"]) == ("去机场接人", "2026-02-14")
    assert json.loads(line.run("tasks", "--date", "明天", "--json").out) == []
    [reminder] = json.loads(line.run("reminders", "--json").out)
    assert (reminder["remind_at"], reminder["reason"]) == ("2026-02-13T20:00+08:00", "day_before")
    assert "前一天 20:00" in line.run("reminders", "--lang", "zh").out


def test_when_tells_how_a_phrase_is_understood(line: Line) -> None:
    told = json.loads(line.run("when", "下周五下午三点", "--json").out)
    assert (told["kind"], told["start"], told["date"]) == ("datetime", "2026-02-20T15:00", "2026-02-20")
    assert "周五（2月20日）15:00" in line.run("when", "下周五下午三点").out
    nothing = line.run("when", "机场")
    assert (nothing.code, "没看懂" in nothing.out) == (1, True)


def test_the_request_may_come_from_standard_input(line: Line) -> None:
    done = line.run("-", "--json", given="明天九点开会\n")
    assert json.loads(done.out)["status"] == "completed"


def test_help_names_the_database(line: Line) -> None:
    done = line.run("--help", frozen=False)
    assert done.code == 0
    assert str(line.folder / "data" / "deep-planner" / "planner.db") in done.out.replace("\n", "").replace(" ", "")


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
def test_bad_usage_is_told_in_a_sentence(line: Line, words: list[str], named: str) -> None:
    done = line.run(*words, *([] if "--db" in words else ["--db", str(line.database)]), frozen=False)
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    if line.database.exists():
        assert line.rows("SELECT count(*) FROM tasks") == [(0,)]


def test_a_megabyte_is_refused(line: Line) -> None:
    done = line.run("-", given="明天开会" * 250_000)
    assert (done.code, "1000000" in done.err) == (2, True)


def test_broken_utf8_does_not_break_the_program(line: Line) -> None:
    done = line.process("-", given=b"\xff\xfe \xe6\x98\x8e\xe5\xa4\xa9\xe5\xbc\x80\xe4\xbc\x9a")
    assert done.code in (0, 1, 3)


def test_a_newer_database_is_left_alone(line: Line) -> None:
    line.ask("明天九点开会")
    with sqlite3.connect(line.database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    done = line.ask("明天十点看牙")
    assert (done.code, "9999" in done.err) == (2, True)
    assert line.rows("SELECT title FROM tasks") == [("开会",)]


def at_a_terminal(line: Line) -> pexpect.spawn[str]:
    line.ask(AIRPORT)
    words = line.command(*line.asking(AIRPORT))
    return pexpect.spawn(words[0], words[1:], cwd=str(line.folder), env=line.env, encoding="utf-8", timeout=60)


def test_at_a_terminal_the_question_is_asked_and_answered(line: Line) -> None:
    child = at_a_terminal(line)
    child.expect("去机场接人")
    child.expect("1. 还是要建")
    child.expect("你的回答")
    child.sendline("1")
    child.expect("已创建任务「去机场接人」")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, line.rows("SELECT count(*) FROM tasks")) == (0, [(2,)])


def test_ctrl_c_at_the_question_ends_at_once(line: Line) -> None:
    child = at_a_terminal(line)
    child.expect("你的回答")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, line.rows("SELECT count(*) FROM tasks")) == (130, [(1,)])


def test_the_screen_shows_what_people_wrote_harmlessly(line: Line) -> None:
    hostile = "\x1b[31m红色\x1b[0m\u202e"
    done = line.run(f"后天下午三点和{hostile}开会，提前一小时提醒我")
    assert "红色" in done.out + done.err
    assert not {"\x1b", "\u202e"} & set(done.out + done.err)


def test_a_task_that_comes_back_and_the_week(line: Line) -> None:
    made = line.run("每周一9点到9点半站会")
    assert made.out == "已创建任务「站会」：每周一09:00-09:30。第一次是周一（2月16日）。\n"
    for week, seen in (("这周", False), ("下周", True), ("下下周", True)):
        shown = line.run("tasks", "--week", week)
        assert ("09:00-09:30  站会 ↻" in shown.out) is seen
    assert "每周一" in line.run("tasks", "--lang", "zh").out


def test_a_caller_that_runs_it_often_does_not_grow(line: Line) -> None:
    """What is there when a command begins is kept from the collector once, not each time."""
    line.run("when", "明天")
    kept = gc.get_freeze_count()
    line.run("when", "明天")
    assert 0 < gc.get_freeze_count() <= kept
