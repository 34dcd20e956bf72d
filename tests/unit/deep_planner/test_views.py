"""The timelines as they are seen: lines of a day, lists and columns of a week, in cells of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from deep_planner.cli.day_view import day_lines
from deep_planner.cli.marks import Names
from deep_planner.cli.shown import fitted, padded
from deep_planner.cli.tasks import print_days, print_week
from tests.support.builders import NOW, TODAY, TOMORROW, context, task
from tools.core.text import Language
from tools.domain.agenda import Agenda, agenda_of
from tools.domain.recurrence import occurrences
from tools.domain.tasks import Task

pytestmark = pytest.mark.unit
MONDAY = date(2026, 2, 9)
#: Everything that a title must not do: colours, cursor, markup, another direction, a new line, great length.
HOSTILE = "\x1b[31mred\x1b[2J [red]x[/red] \u202etxt\r\n\x9b1m" + "长" * 260


def names(language: Language = "zh", **more: Any) -> Names:
    return Names(context(language), **more)


def of(tasks: Sequence[Task], day: date) -> Agenda:
    return agenda_of(tasks, day, now=NOW)


def day(tasks: Sequence[Task], on: date = TOMORROW, known: Names | None = None, width: int | None = None) -> list[str]:
    return [line.plain for line in day_lines(of(tasks, on), known or names(), width)]


def week(tasks: Sequence[Task], known: Names | None = None, *, width: int = 120, terminal: bool = True) -> list[str]:
    out = Console(
        file=StringIO(), width=width, force_terminal=terminal, color_system=None, highlight=False, markup=False
    )
    dates = [MONDAY + timedelta(days=number) for number in range(7)]
    print_week([of(tasks, on) for on in dates], known or names(), out)
    written = out.file
    assert isinstance(written, StringIO)
    return written.getvalue().splitlines()


def test_a_day_as_hours_with_bars_and_free_time() -> None:
    lines = day([task("开会", "09:30-11:00", day=TOMORROW, id=1), task("看牙", "15:00-16:00", day=TOMORROW, id=2)])
    assert lines[:9] == [
        "明天周四（2月12日）",
        "  09:00  ░ 空闲 09:00-09:30（30 分钟）",
        "  09:30  ┃ 09:30-11:00 开会",
        "  10:00  ┃",
        "  11:00  ░ 空闲 11:00-15:00（4 小时）",
        "  12:00  ░",
        "  13:00  ░",
        "  14:00  ░",
        "  15:00  ┃ 15:00-16:00 看牙",
    ]
    assert lines[-1] == "  18:00"


def test_overlapping_tasks_stand_side_by_side_and_name_each_other() -> None:
    lines = day([task("开会", "10:00-12:00", day=TOMORROW, id=1), task("看牙", "11:00-13:00", day=TOMORROW, id=2)])
    assert "  10:00  ┃   10:00-12:00 开会  ⚠ 和「看牙」时间重叠" in lines
    assert "  11:00  ┃ ┃ 11:00-13:00 看牙  ⚠ 和「开会」时间重叠" in lines
    assert "  12:00    ┃" in lines


def test_many_overlaps_are_counted() -> None:
    lines = day([task(f"事{n}", "10:00-12:00", day=TOMORROW, id=n) for n in range(1, 5)])
    assert "  10:00  ┃ ┃ ┃ ┃ 10:00-12:00 事1  ⚠ 和「事2」、「事3」等 3 项时间重叠" in lines


def test_bars_do_not_fill_the_screen() -> None:
    lines = day([task(f"事{n}", "10:00-12:00", day=TOMORROW, id=n) for n in range(1, 51)])
    assert max(line.count("┃") for line in lines) == 8


def test_what_has_no_time_stands_on_top_with_its_part_of_the_day() -> None:
    tasks = [
        task("搬家", "all_day", day=TOMORROW, id=1, blocks_day=True),
        task("买菜", "all_day", day=TOMORROW, id=2),
        task("跑步", "morning", day=TOMORROW, id=3),
    ]
    assert day(tasks)[1:4] == ["  全天    ■ 搬家", "  不限时  · 买菜", "  早上    · 跑步"]
    assert not [line for line in day(tasks) if "空闲" in line]
    english = day(tasks, known=names("en"))
    assert english[:4] == [
        "Tomorrow, Thursday (12 February)",
        "  all day   ■ 搬家",
        "  any time  · 买菜",
        "  morning   · 跑步",
    ]


def test_a_task_past_midnight_is_told_on_both_days() -> None:
    night = task("夜班", "22:00-06:00", id=1)
    assert "  22:00  ┃ 22:00-次日06:00 夜班" in day([night], TODAY)
    assert day([night], TOMORROW)[1:3] == ["  00:00  ┃ 前一天22:00-06:00 夜班", "  01:00  ┃"]
    assert "  00:00  ┃ day before 22:00-06:00 夜班" in day([night], TOMORROW, names("en"))


def test_an_assumed_end_past_midnight_is_told_too() -> None:
    assert "  00:00  ┃ 前一天23:30-00:30 看球" in day([task("看球", "23:30", id=1)], TOMORROW)


def test_today_is_marked_and_knows_the_time() -> None:
    lines = day([task("开会", "09:00-11:00", id=1)], TODAY)
    assert lines[0] == "▶ 今天周三（2月11日）"
    assert "  10:00  ┃ ← 现在" in lines


def test_series_groups_and_ends_are_marked_and_explained() -> None:
    series = task("例会", "10:00-11:00", day=MONDAY, id=4, rrule="FREQ=DAILY", group_id=2)
    tasks = [*occurrences([series], TODAY, TOMORROW), task("写周报", "09:00", day=TOMORROW, id=5, status="completed")]
    known = names(rules={4: "FREQ=DAILY"}, groups={2: "工作"})
    assert "  10:00  ┃ 10:00-11:00 例会 ↻ #工作" in day(tasks, known=known)
    assert "  09:00  ░ 09:00 ✓ 写周报" in day(tasks, known=known)
    out = Console(file=StringIO(), width=80)
    print_days([of(tasks, TOMORROW)], known, out)
    assert isinstance(out.file, StringIO)
    assert out.file.getvalue().splitlines()[-1] == "↻ 会重复  ✓ 已完成"


def test_an_empty_day_says_so_and_a_day_that_is_over_has_no_hours() -> None:
    assert day([])[:3] == ["明天周四（2月12日）", "  没有安排", "  09:00  ░ 空闲 09:00-18:00（9 小时）"]
    assert day([], MONDAY) == ["周一（2月9日）", "  没有安排"]


def test_hours_with_nothing_in_them_are_not_all_told() -> None:
    lines = day([task("夜班", "01:00-03:00", day=MONDAY), task("看戏", "20:00-22:00", day=MONDAY, id=1)], MONDAY)
    clocks = [line.split()[0] for line in lines[1:]]
    assert clocks == ["01:00", "02:00", "03:00", "20:00", "21:00", "22:00"]


def test_a_narrow_week_is_seven_short_lists() -> None:
    tasks = [task("开会", "10:00-11:00", id=1), task("看牙", "10:30-12:00", id=2), task("跑步", "morning", id=3)]
    for lines in (week(tasks, width=80), week(tasks, width=200, terminal=False)):
        assert lines[:2] == ["一周：周一（2月9日）到周日（2月15日）", "周一（2月9日）"]
        assert [line for line in lines if line[0] != " "][1:-1] == [
            "周一（2月9日）",
            "周二（2月10日）",
            "▶ 今天周三（2月11日）",
            "明天周四（2月12日）",
            "周五（2月13日）",
            "周六（2月14日）",
            "周日（2月15日）",
        ]
        at = lines.index("▶ 今天周三（2月11日）")
        assert lines[at + 1 : at + 4] == ["  早上         跑步", "  10:00-11:00  ⚠ 开会", "  10:30-12:00  ⚠ 看牙"]
        assert lines.count("  没有安排") == 6
        assert lines[-1] == "⚠ 时间重叠"


@pytest.mark.parametrize("width", [100, 131, 200])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_columns_of_a_wide_week_stand_in_line(width: int, language: Language) -> None:
    tasks = [
        task("和客户一起的项目评审会议", "10:00-11:30", id=1),
        task("看牙 dentist", "11:00-12:00", id=2),
        task("夜班", "22:00-06:00", day=date(2026, 2, 15), id=3),
        task("搬家🚚", "all_day", day=MONDAY, id=4, blocks_day=True),
        task(HOSTILE, "15:00-16:00", day=date(2026, 2, 13), id=5),
    ]
    lines = week(tasks, names(language), width=width)
    table = [line for line in lines if line[:1] in "┏┃┡│└"]
    assert {cell_len(line) for line in table} == {width}
    assert {line.count("│") for line in table if line[0] == "│"} == {8}
    head = [line for line in table if line[0] == "┃"]
    assert ("▶ 周三" if language == "zh" else "▶ Wednesday") in head[0]
    assert [head[1].count(f"02-{number:02}") for number in range(9, 16)] == [1] * 7


def test_a_hostile_title_does_nothing_to_the_screen() -> None:
    tasks = [task(HOSTILE, "10:00-11:00", day=TOMORROW, id=1), task(HOSTILE, "10:30-12:00", day=TOMORROW, id=2)]
    told = [*day(tasks), *day(tasks, width=90), *week(tasks), *week(tasks, width=60)]
    assert not [letter for line in told for letter in line if ord(letter) < 32 or letter in "\x9b\u202e"]
    assert any("␛[31mred␛[2J [red]x[/red] \ufffdtxt" in line for line in told)
    assert all(cell_len(line) <= 90 for line in day(tasks, width=90))
    assert all(cell_len(line) <= 60 for line in week(tasks, width=60))


@pytest.mark.parametrize(
    ("words", "cells", "shown"),
    [
        ("开会", 4, "开会"),
        ("项目评审", 5, "项目…"),
        ("项目评审", 6, "项目…"),
        ("abcdef", 4, "abc…"),
        ("开会", None, "开会"),
    ],
)
def test_titles_are_cut_by_cells(words: str, cells: int | None, shown: str) -> None:
    assert fitted(words, cells) == shown
    assert cells is None or cell_len(fitted(words, cells)) <= cells
    assert cell_len(padded(shown, 10)) == 10
