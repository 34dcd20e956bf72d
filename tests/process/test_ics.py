"""``export --ics`` and ``import --ics`` as people and programs use them."""

from __future__ import annotations

import json
import os
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.support import command_line
from tests.support.calendars import DATA, event, todo, wrapped
from tests.support.command_line import Ended

pytestmark = pytest.mark.graph


class Line(command_line.Line):
    """A line with a calendar file beside the database."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, capsys, monkeypatch)
        self.file = folder / "calendar.ics"
        self.file.write_bytes(wrapped(event("开会"), todo("写周报", "DUE;VALUE=DATE:20260303"), todo("没有日期")))

    def run(self, *words: str, lang: str = "zh", **how: Any) -> Ended:
        return super().run(*words, "--lang", lang, **how)

    def tasks(self) -> list[tuple[object, ...]]:
        return self.rows("SELECT uid, title FROM tasks ORDER BY id") if self.database.exists() else []


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(tmp_path, capsys, monkeypatch)


def test_without_yes_and_without_a_person_nothing_is_written(line: Line) -> None:
    code, out, err = line.run("import", "--ics", str(line.file))
    assert code == 3
    assert "将新建 2，改动 0，未变 0，跳过 1" in out
    assert "  开会　周一（3月2日）09:00-10:00\n" in out
    assert "  没有日期：没有日期\n" in out
    assert err == "要导入，请再加上 --yes。\n"
    assert line.tasks() == []


def test_yes_imports_and_a_second_time_nothing_is_left_to_do(line: Line) -> None:
    code, out, _ = line.run("import", "--ics", str(line.file), "--yes", lang="en")
    assert code == 0
    assert out.endswith("Imported: 2 created, 0 changed, 0 unchanged, 1 skipped.\n")
    assert line.tasks() == [("开会", "开会"), ("写周报", "写周报")]
    code, out, err = line.run("import", "--ics", str(line.file), lang="en")
    assert (code, err) == (0, "")
    assert out.endswith("There is nothing to write; the database stays as it is.\n")
    assert "0 to create, 0 to change, 2 unchanged, 1 skipped" in out


def test_changes_are_named(line: Line) -> None:
    line.run("import", "--ics", str(line.file), "--yes")
    line.file.write_bytes(wrapped(event("开会", start="20260302T110000", end="20260302T113000")))
    _, out, _ = line.run("import", "--ics", str(line.file))
    assert "  开会　周一（3月2日）11:00-11:30（开始时间、结束时间）\n" in out


def test_the_preview_and_the_result_as_json(line: Line) -> None:
    code, out, err = line.run("import", "--ics", str(line.file), "--json")
    preview = json.loads(out)
    assert (code, err, preview["written"]) == (3, "", False)
    assert preview["counts"] == {"create": 2, "change": 0, "unchanged": 0, "skip": 1}
    code, out, _ = line.run("import", "--ics", str(line.file), "--json", "--yes", lang="en")
    result = json.loads(out)
    assert (code, result["written"]) == (0, True)
    created, due, skipped = result["entries"]
    assert (created["action"], created["task_id"], created["task"]["start_time"]) == ("create", 1, "09:00")
    assert (due["kind"], due["task_id"], due["task"]["date"]) == ("VTODO", 2, "2026-03-03")
    assert (skipped["action"], skipped["reason"], skipped["message"]) == ("skip", "no_date", "it has no date")


@pytest.mark.parametrize(("answer", "ending", "rows"), [("n", "没有导入", 0), ("y", "已导入：新建 2", 2)])
def test_at_a_terminal_the_person_is_asked(line: Line, answer: str, ending: str, rows: int) -> None:
    code, out, err = line.run("import", "--ics", str(line.file), given=f"{answer}\n", terminal=True)
    assert ("将新建 2" in out, "要导入吗" in err, ending in out + err) == (True, True, True)
    assert (code, len(line.tasks())) == (0, rows)


def test_an_export_comes_back_from_standard_input(line: Line) -> None:
    """Its bytes go through real pipes one way, where a wrong line end would show."""
    line.run("import", "--ics", str(line.file), "--yes")
    made = line.process("export", "--ics")
    assert made.code == 0
    assert made.out.startswith("BEGIN:VCALENDAR\r\n")
    line.database = line.folder / "other.db"
    taken = line.run("import", "--ics", "-", "--yes", given=made.out)
    assert taken.code == 0, taken.err
    assert line.tasks() == [("开会", "开会"), ("写周报", "写周报")]


def test_an_export_to_a_file(line: Line) -> None:
    line.run("import", "--ics", str(line.file), "--yes")
    target = line.folder / "out.ics"
    code, out, _ = line.run("export", "--ics", str(target), "--date", "2026-03-03")
    assert (code, out) == (0, f"已导出 1 个任务、0 个提醒到 {target}。\n")
    assert target.read_bytes().count(b"BEGIN:VTODO") == 1
    code, out, _ = line.run("export", "--ics", str(target), "--json", lang="en")
    assert json.loads(out) == {"file": str(target), "tasks": 2, "reminders": 0, "left_out": 0}
    code, out, _ = line.run("export", "--ics", "--json")
    assert json.loads(out)["ics"].startswith("BEGIN:VCALENDAR\r\n")
    assert sorted(path.name for path in line.folder.glob("*.ics")) == ["calendar.ics", "out.ics"]
    assert list(line.folder.glob(".out*")) == []


def test_all_foreign_files_are_told_without_a_fault(line: Line) -> None:
    for path, lang in zip(sorted(DATA.glob("*/*.ics")), cycle(("zh", "en")), strict=False):
        code, out, _ = line.run("import", "--ics", str(path), lang=lang)
        assert code in (0, 1, 3)
        assert "{" not in out


def test_nothing_but_skipped_entries_is_not_done(line: Line) -> None:
    line.file.write_bytes(wrapped(todo("没有日期")))
    assert line.run("import", "--ics", str(line.file), "--yes")[0] == 1


def test_an_empty_calendar_is_no_fault(line: Line) -> None:
    line.file.write_bytes(wrapped())
    code, out, _ = line.run("import", "--ics", str(line.file))
    assert code == 0
    assert "没有日程，也没有待办" in out


@pytest.mark.parametrize(
    ("content", "zh", "en"),
    [
        (b"", "文件是空的", "it is empty"),
        (b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n", "缺少 END", "an END is missing"),
        ("会议".encode("gb18030"), "不是 UTF-8", "not UTF-8"),
        (os.urandom(4_000_000), "不是文本", "no text"),
        (b"%PDF-1.7 hello", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR"),
        (b"BEGIN:VCALENDAR\n" * 200_000, "嵌套太深", "too deep"),
        (b"x" * 50_000_000, "超过 10 MB", "larger than 10 MB"),
        (wrapped(event("a\0b")), "空字符", "NUL"),
    ],
    ids=["empty", "cut", "gb18030", "random", "pdf", "deep", "large", "nul"],
)
def test_a_file_that_is_no_calendar(line: Line, content: bytes, zh: str, en: str) -> None:
    line.file.write_bytes(content)
    for lang, words in (("zh", zh), ("en", en)):
        code, out, err = line.run("import", "--ics", str(line.file), "--yes", lang=lang)
        assert (code, out) == (2, "")
        assert words in err
        assert str(line.file) in err
    assert line.tasks() == []


def test_places_that_are_no_files(line: Line) -> None:
    for command in ("import", "export"):
        code, _, err = line.run(command, "--ics", str(line.folder))
        assert (code, "这是一个文件夹" in err) == (2, True)
    assert line.run("import", "--ics", str(line.folder / "none.ics"))[::2] == (
        2,
        f"日历文件不能用：{line.folder / 'none.ics'}：没有这个文件。\n",
    )
    code, _, err = line.run("export", "--ics", str(line.folder / "none" / "x.ics"), lang="en")
    assert (code, "it cannot be written" in err) == (2, True)
    code, _, err = line.run("import", "--ics", "a\0b", lang="en")
    assert (code, "it cannot be read" in err) == (2, True)


def test_what_must_stand_on_the_line(line: Line) -> None:
    for words in (("import",), ("export",), ("import", "--ics")):
        code, _, err = line.run(*words)
        assert code == 2
        assert "--ics" in err
    code, _, err = line.run("import", "--ics", str(line.file), "--date", "明天")
    assert (code, "--date" in err) == (2, True)
    code, out, _ = line.run("import", "--help")
    assert (code, "--yes" in out) == (0, True)
