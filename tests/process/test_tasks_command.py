"""``deep-planner tasks``: filters, a day, a week, JSON, bad options; on a real file, a frozen clock."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pexpect
import pytest
from rich.cells import cell_len

from tests.support.builders import TODAY, TOMORROW, opened, stored, task
from tests.support.command_line import Line
from tools.store.groups import Groups

pytestmark = pytest.mark.graph

Run = Callable[..., tuple[int, str, str]]
HOSTILE = "\x1b[31mred [bold]x[/bold] \u202etxt\x9b"


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    """A working day with a series, an overlap, a night shift, a group, something done and something dropped."""
    async with opened(tmp_path) as database:
        async with database.writing() as session:
            work, home = await Groups(session, 1).add("工作"), await Groups(session, 1).add("Home")
            await Groups(session, 2).add("别人的")
        await stored(
            database,
            task("例会", "09:30-10:30", day=date(2026, 2, 2), rrule="FREQ=WEEKLY;BYDAY=MO,WE", group_id=work.id),
            task("看牙", "11:00-12:00", priority="high"),
            task("项目评审", "11:30-13:00", group_id=work.id, description="带上 Ｒeport"),
            task("夜班", "22:00-06:00"),
            task("搬家", "all_day", day=TOMORROW, blocks_day=True, group_id=home.id),
            task("写周报", "14:00-15:00", status="completed"),
            task("取消的", "15:00-16:00", status="cancelled"),
            task(HOSTILE, "16:00-17:00", day=date(2026, 2, 13)),
            task("别人的任务", "10:00-11:00", user_id=2),
        )
    return tmp_path / "planner.db"


@pytest.fixture
def run(database: Path, line: Line) -> Run:
    assert database == line.database
    return lambda *words: line.run("tasks", *words)


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    code, out, _ = run(*words, "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(out)
    return found


def titles(run: Run, *words: str) -> list[str]:
    return [row["title"] for row in rows(run, *words)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--date", "今天"], ["例会", "看牙", "项目评审", "写周报", "取消的", "夜班"]),
        (["--date", "today", "--lang", "en"], ["例会", "看牙", "项目评审", "写周报", "取消的", "夜班"]),
        (["--date", "今天", "--status", "pending"], ["例会", "看牙", "项目评审", "夜班"]),
        (["--status", "completed"], ["写周报"]),
        (["--priority", "high"], ["看牙"]),
        (["--group", "工作"], ["例会", "项目评审"]),
        (["--group", "home"], ["搬家"]),
        (["--group", "1"], ["例会", "项目评审"]),
        (["--search", "评审"], ["项目评审"]),
        (["--search", "REPORT"], ["项目评审"]),
        (["--search", "nowhere"], []),
        (["--group", "工作", "--date", "今天", "--search", "会"], ["例会"]),
        (["--day"], ["例会", "看牙", "项目评审", "写周报", "夜班"]),
        (["--day", "明天"], ["夜班", "搬家"]),
        (["--day", "--status", "cancelled"], ["取消的"]),
        (["--week", "下周"], ["例会", "例会"]),
    ],
)
def test_filters(run: Run, words: list[str], expected: list[str]) -> None:
    assert sorted(titles(run, *words)) == sorted(expected)


def test_occurrences_are_rows_with_dates_and_the_rule(run: Run) -> None:
    found = rows(run, "--week", "--search", "例会")
    assert [(row["date"], row["repeats"], row["occurrence"], row["group"]) for row in found] == [
        ("2026-02-09", "FREQ=WEEKLY;BYDAY=MO,WE", True, "工作"),
        ("2026-02-11", "FREQ=WEEKLY;BYDAY=MO,WE", True, "工作"),
    ]
    [series] = rows(run, "--search", "例会")
    assert (series["date"], series["repeats"], series["occurrence"]) == (
        "2026-02-02",
        "FREQ=WEEKLY;BYDAY=MO,WE",
        False,
    )
    [single] = rows(run, "--search", "看牙")
    assert (single["repeats"], single["occurrence"]) == (None, False)


def test_the_list(run: Run) -> None:
    code, out, _ = run("--date", "今天")
    assert code == 0
    assert "例会 ↻ #工作" in out
    assert "22:00-次日06:00" in out
    assert len({cell_len(row) for row in out.splitlines() if row[:1] in ("│", "┃")}) == 1
    everything = run()[1]
    assert "例会 ↻ 每周一、周三 #工作" in everything
    assert "没有任务" in run("--search", "nowhere")[1]


def test_a_day(run: Run) -> None:
    code, out, _ = run("--day")
    told = out.splitlines()
    assert (code, told[0]) == (0, "▶ 今天周三（2月11日）")
    for said in (
        "  09:30  ┃   09:30-10:30 例会 ↻ #工作",
        "  11:00  ┃   11:00-12:00 看牙  ⚠ 和「项目评审」时间重叠",
        "  13:00  ░   空闲 13:00-22:00（9 小时）",
        "  22:00  ┃   22:00-次日06:00 夜班",
    ):
        assert said in told
    assert "取消的" not in out
    assert "▶ Today, Wednesday (11 February)" in run("--day", "today", "--lang", "en")[1]


def test_two_days(run: Run) -> None:
    told = run("--day", "周末")[1].splitlines()
    assert [row for row in told if row[:1] == "周"] == ["周六（2月14日）", "周日（2月15日）"]


@pytest.mark.parametrize(("words", "first"), [([], 9), (["周日"], 9), (["下周三"], 16), (["2026-02-08"], 2)])
def test_a_week_is_that_of_the_date(run: Run, words: list[str], first: int) -> None:
    told = run("--week", *words)[1].splitlines()
    assert told[0] == f"一周：周一（2月{first}日）到周日（2月{first + 6}日）"
    assert ("▶ 今天周三（2月11日）" in told) == (first == 9)


def test_hostile_titles_are_harmless_everywhere(run: Run) -> None:
    for words in (["--week"], ["--day", "周五"], [], ["--week", "--json"]):
        out = run(*words)[1]
        assert "[bold]x[/bold]" in out
        assert not [letter for letter in out if letter in "\x1b\x9b\u202e"]
    assert HOSTILE in titles(run, "--week")


BAD: dict[str, tuple[list[str], str]] = {
    "two views": (["--day", "--week"], "--day, --week"),
    "a date and a view": (["--date", "明天", "--week"], "--date, --week"),
    "an unknown group": (["--group", "没有的"], "Home, 工作"),
    "somebody else's group": (["--group", "别人的"], "别人的"),
    "an unknown priority": (["--priority", "urgent"], "urgent"),
    "an unknown status": (["--status", "done"], "done"),
    "no time": (["--day", "机场"], "机场"),
    "a date that is not": (["--week", "2月30号"], "2月30号"),
    "the end of the calendar": (["--day", "9999-12-31"], "9999-12-31"),
    "its last week": (["--week", "9999-12-31"], "9999-12-31"),
    "its first day": (["--day", "0001-01-01"], "0001-01-01"),
    "too many days": (["--day", "今年"], "14"),
    "words too many": (["明天"], "明天"),
    "no value": (["--search"], "--search"),
}


@pytest.mark.parametrize(("words", "named"), [pytest.param(*case, id=name) for name, case in BAD.items()])
def test_bad_usage_is_told_in_a_sentence(run: Run, words: list[str], named: str) -> None:
    code, out, err = run(*words)
    assert (code, out, named in err) == (2, "", True)


def holds_a_week(shown: str, *, columns: bool) -> None:
    assert ("┃ ▶ 周三" in shown.replace("\x1b[0m", "").replace("\x1b[1;7m", "")) == columns
    assert ("▶ 今天周三（2月11日）" in shown) != columns
    assert TODAY.strftime("%m-%d") in shown or not columns


def test_a_week_at_a_terminal(database: Path, line: Line) -> None:
    words, env = line.command("tasks", "--week"), {**line.env, "NO_COLOR": "1"}
    del env["COLUMNS"]
    child = pexpect.spawn(
        words[0], words[1:], cwd=str(line.folder), env=env, encoding="utf-8", timeout=60, dimensions=(60, 120)
    )
    shown = str(child.read())
    child.close()
    assert child.exitstatus == 0
    holds_a_week(shown, columns=True)


@pytest.mark.parametrize(("width", "columns"), [(120, True), (80, False)])
def test_a_week_goes_by_the_width(
    database: Path, line: Line, monkeypatch: pytest.MonkeyPatch, width: int, columns: bool
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    ended = line.run("tasks", "--week", terminal=True)
    assert ended.code == 0
    holds_a_week(ended.out, columns=columns)
