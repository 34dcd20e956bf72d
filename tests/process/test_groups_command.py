"""``deep-planner groups``: make, list, rename, remove; asked first, and nobody's tasks are lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command_line import Line

pytestmark = pytest.mark.graph

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def database(line: Line) -> Path:
    return line.database


@pytest.fixture
def run(line: Line) -> Run:
    return line.run


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return list(connection.execute(query))


def test_groups_are_made_listed_and_renamed(run: Run, database: Path) -> None:
    assert run("groups") == (0, "还没有分组。用 deep-planner groups add 名字 建一个。\n", "")
    assert run("groups", "add", "工作") == (0, "已建分组「工作」。\n", "")
    assert run("groups", "add", "Home", "--lang", "en")[1] == "Made the group “Home”.\n"
    assert run("groups", "rename", "home", "家里")[1] == "分组「Home」已改名为「家里」。\n"
    assert {"工作", "家里"} <= set(run("groups", "list")[1].replace("│", " ").split())
    assert json.loads(run("groups", "--json")[1]) == [
        {"id": 2, "name": "家里", "open_tasks": 0},
        {"id": 1, "name": "工作", "open_tasks": 0},
    ]
    assert rows(database, "SELECT table_name, tool FROM journal ORDER BY id") == [
        ("groups", "group_add"),
        ("groups", "group_add"),
        ("groups", "group_rename"),
    ]


def test_json_of_a_change(run: Run) -> None:
    assert json.loads(run("groups", "add", "工作", "--json")[1]) == {"status": "completed", "id": 1, "name": "工作"}


def test_a_removal_is_asked_about_first(run: Run, database: Path) -> None:
    run("groups", "add", "工作 组")
    run("明天下午三点开会")
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE tasks SET group_id = 1")
    code, out, err = run("groups", "remove", "工作 组")
    assert (code, out) == (3, "要去掉分组「工作 组」吗？待做任务 1 项，任务都会留着。\n")
    assert "groups remove '工作 组' --yes" in err
    code, out, _ = run("groups", "remove", "工作 组", "--json")
    told = json.loads(out)
    assert (code, told["status"], told["name"]) == (3, "waiting", "工作 组")
    assert rows(database, "SELECT group_id FROM tasks") == [(1,)]
    assert run("groups", "remove", "工作 组", "--yes")[0] == 0
    assert rows(database, "SELECT title, group_id FROM tasks") == [("开会", None)]
    assert rows(database, "SELECT count(*) FROM groups") == [(0,)]


@pytest.mark.parametrize(("answer", "left"), [("y", 0), ("好", 0), ("n", 1), ("", 1)])
def test_at_a_terminal_the_answer_counts(line: Line, answer: str, left: int) -> None:
    line.run("groups", "add", "工作")
    code, out, err = line.run("groups", "remove", "工作", given=f"{answer}\n", terminal=True)
    assert ("去掉吗" in err, ("没有去掉" if left else "已去掉") in out + err) == (True, True)
    assert (code, line.rows("SELECT count(*) FROM groups")) == (0, [(left,)])


BAD: dict[str, tuple[list[str], str]] = {
    "blank": (["add", "  "], "名字是空的"),
    "too long": (["add", "x" * 101], "101"),
    "taken": (["add", "工作"], "已经有叫「工作」的分组"),
    "taken by another": (["rename", "工作", "HOME"], "已经有叫「Home」的分组"),
    "unknown": (["rename", "没有的", "x"], "没有叫「没有的」的分组。现有分组：Home, 工作"),
    "unknown, to remove": (["remove", "没有的"], "没有的"),
    "control characters": (["add", "a\x1b[31mb"], "显示不出来"),
    "no name": (["add"], "NAME"),
    "one name": (["rename", "工作"], "NEW"),
    "no names": (["rename"], "OLD NEW"),
    "a name too many": (["add", "甲", "乙"], "乙"),
    "a name for the list": (["list", "甲"], "甲"),
    "an unknown action": (["drop", "工作"], "drop"),
}


@pytest.mark.parametrize(("words", "named"), [pytest.param(*case, id=name) for name, case in BAD.items()])
def test_bad_usage_is_told_in_a_sentence(run: Run, database: Path, words: list[str], named: str) -> None:
    run("groups", "add", "工作")
    run("groups", "add", "Home")
    code, out, err = run("groups", *words)
    assert (code, out, named in err) == (2, "", True)
    assert rows(database, "SELECT name FROM groups ORDER BY id") == [("工作",), ("Home",)]
