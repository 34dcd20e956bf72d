"""What is seen while a request runs: the board, and the tree with the typed reply on an emulated terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

import pyte
import pytest
from rich.cells import cell_len
from rich.console import Console

from deep_planner.cli.board import Board, Murmur, call_line, murmur_line, retrying_line
from deep_planner.cli.tree_view import TreeView
from deep_planner.cli.typewriter import Typewriter
from deep_planner.cli.view import EventsView, PlainView, picked
from deep_planner.events import (
    Event,
    Finished,
    IntentStarted,
    OpenQuestion,
    Reasoning,
    Retrying,
    RunResult,
    TodoChanged,
    Token,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
)
from tests.support.screens import lines_of

pytestmark = pytest.mark.unit

BOTH = frozenset(("agents", "reasoning"))
#: Colours, cursor, another direction, an 8-bit control: nothing of it may reach a terminal.
HOSTILE = "\x1b[31mred\x1b[2J\u202e\x9b1m\x07"


def item(id: str = "t1", status: str = "in_progress", content: str = "买菜", **more: Any) -> TodoChanged:
    todo = {"id": id, "content": content, "status": status, "subagent": "task", **more}
    return TodoChanged(todo_id=id, agent="task", todo=todo)


def agent(words: str, id: str = "t1") -> Token:
    return Token(text=words, agent="task", todo_id=id)


def call_events(name: str = "create_task", id: str = "c", message: str = "好", **args: Any) -> list[Event]:
    about: dict[str, Any] = {"call_id": id, "agent": "task", "todo_id": "t1"}
    return [
        ToolCallStarted(name=name, **about),
        ToolCallArguments(piece='{"title": "买', **about),
        ToolCallArguments(piece='菜"}', **about),
        ToolCallFinished(name=name, args=args, status="success", message=message, **about),
    ]


def result(reply: str) -> RunResult:
    return RunResult(status="completed", reply=reply, thread_id="t")


# --- the board


def test_a_call_grows_as_its_arguments_arrive() -> None:
    board, seen = Board(), []
    for event in call_events(title="买菜", due_date="明天"):
        board.take(event)
        seen.append(call_line(board.calls["t1"][0], "zh"))
    assert seen == [
        "… create_task",
        '… create_task {"title": "买',
        '… create_task {"title": "买菜"}',
        "✓ create_task title=买菜, due_date=明天",
    ]


@pytest.mark.parametrize(
    ("status", "line"), [("conflict", "? x (有冲突)"), ("refused", "✗ x (没有执行)"), ("error", "✗ x (没成)")]
)
def test_what_came_of_a_call_stands_first(status: Any, line: str) -> None:
    board = Board()
    board.take(ToolCallFinished(call_id="c", name="x", args={}, status=status, message="", todo_id="t1"))
    assert call_line(board.calls["t1"][0], "zh") == line


def test_what_agents_say_is_kept_only_when_it_is_wanted() -> None:
    quiet, loud = Board(), Board(BOTH)
    words = agent("甲\n乙")
    assert quiet.take(words) == quiet.take(item()) == []
    assert loud.take(words) == [Murmur("agents", "t1", "task", "甲")]
    assert loud.take(Reasoning(text="想", agent="task", todo_id="t1")) == []
    ended = loud.take(ToolCallStarted(call_id="c", name="x", agent="task", todo_id="t1"))
    assert [murmur_line(each, "zh") for each in ended] == ["t1 task: 乙", "t1 task 在想: 想"]
    assert loud.take(Finished(result=result(""))) == []


def test_agents_side_by_side_keep_their_lines_apart() -> None:
    board = Board(BOTH)
    for piece in (agent("甲", "a"), agent("乙", "b"), agent("一", "a"), agent("二", "b")):
        board.take(piece)
    assert [each.words for each in board.take(Finished(result=result("")))] == ["甲一", "乙二"]


def test_a_call_that_starts_over_forgets_what_it_had_begun() -> None:
    board = Board(BOTH)
    for event in call_events()[:2]:
        board.take(event)
    board.take(Retrying(model="m", reason="503", seconds=2.0, agent="task", todo_id="t1"))
    assert board.calls["t1"] == []


def test_a_new_request_starts_with_an_empty_board() -> None:
    board = Board()
    board.take(item())
    board.take(IntentStarted(request="x"))
    assert (board.todos, board.stage) == ({}, "sorting")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Retrying(model="a", reason="503", seconds=2.0), "a 没有回答（503），2 秒后再试"),
        (Retrying(model="a", reason="503", seconds=0, instead="b"), "a 没有回答（503），改问 b"),
    ],
)
def test_a_model_that_does_not_answer_is_one_line(event: Retrying, line: str) -> None:
    assert retrying_line(event, "zh") == line


# --- the typewriter


@pytest.mark.parametrize("live", [True, False])
def test_the_reply_is_written_once(capsys: pytest.CaptureFixture[str], live: bool) -> None:
    typewriter = Typewriter(live=live)
    for piece in ("好的，", "记下了。"):
        typewriter.piece(piece)
    assert capsys.readouterr().out == ("好的，记下了。" if live else "")
    typewriter.end("好的，记下了。")
    assert capsys.readouterr().out == ("\n" if live else "好的，记下了。\n")


@pytest.mark.parametrize("void", [True, False])
def test_a_reply_that_starts_over_is_written_whole(capsys: pytest.CaptureFixture[str], void: bool) -> None:
    typewriter = Typewriter(live=True)
    typewriter.piece("好的，")
    if void:
        typewriter.void()
    typewriter.end("记下了。")
    assert capsys.readouterr().out == "好的，…\n记下了。\n"


# --- on a terminal


class Emulated:
    """A view's terminal: what it writes to both streams, as it is seen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, columns: int, lines: int, shown: frozenset[str]) -> None:
        self.screen = pyte.HistoryScreen(columns, lines, history=1000, ratio=0.5)
        stream = pyte.Stream(self.screen)
        self.pictures: list[list[str]] = []
        emulated = self

        class Wire(StringIO):
            def write(self, words: str) -> int:
                stream.feed(words.replace("\n", "\r\n"))
                emulated.pictures.append(emulated.lines)
                return len(words)

            def isatty(self) -> bool:
                return True

        monkeypatch.setattr(sys, "stdout", Wire())
        console = Console(
            file=Wire(), force_terminal=True, width=columns, height=lines, highlight=False, markup=False, emoji=False
        )
        self.view = TreeView("zh", shown, console, seconds=iter(range(10_000)).__next__)

    @property
    def lines(self) -> list[str]:
        return lines_of(self.screen)

    def show(self, *events: Event, reply: str = "") -> list[str]:
        with self.view:
            for event in events:
                self.view.event(event)
        self.view.reply(result(reply))
        return self.lines


Emulate = Callable[..., Emulated]


@pytest.fixture
def emulate(monkeypatch: pytest.MonkeyPatch) -> Emulate:
    def emulated(columns: int = 60, lines: int = 12, shown: frozenset[str] = frozenset()) -> Emulated:
        return Emulated(monkeypatch, columns, lines, shown)

    return emulated


def typed(reply: str) -> list[Event]:
    return [Token(text=reply[at : at + 5]) for at in range(0, len(reply), 5)]


def test_the_tree_changes_in_place_and_the_reply_is_typed_below(emulate: Emulate) -> None:
    terminal = emulate()
    done = item(status="completed", note="r1/t1")
    lines = terminal.show(
        item(), *call_events(title="买菜"), done, *typed("记下了，明天买菜。"), reply="记下了，明天买菜。"
    )
    assert lines == [
        "计划",
        "└── ● t1 买菜 [任务] 完成",
        "    ├── ✓ create_task title=买菜",
        "    └── 笔记 r1/t1",
        "记下了，明天买菜。",
    ]
    assert max(picture.count("计划") for picture in terminal.pictures) == 1
    seen = {row for picture in terminal.pictures for row in picture}
    assert {"└── ◐ t1 买菜 [任务] 进行中", '    └── … create_task {"title": "买', "记下了，明"} <= seen


def test_a_reply_longer_than_the_screen_is_whole(emulate: Emulate) -> None:
    reply = "。".join(f"第{number}件事已经安排好了" for number in range(10, 70))
    lines = emulate(20, 8).show(item(status="completed"), *typed(reply), reply=reply)
    at = next(number for number, row in enumerate(lines) if row.startswith("第10件"))
    assert "".join(lines[at:]) == reply
    assert {cell_len(row) for row in lines[at:-1]} == {20}, "rows are full"


def test_a_plan_longer_than_the_screen_shows_what_is_at_work(emulate: Emulate) -> None:
    terminal = emulate(60, 12)
    todos = [item(f"t{n}", "completed" if n < 20 else "in_progress" if n == 20 else "pending") for n in range(40)]
    lines = terminal.show(*todos, reply="好了。")
    crowded = next(picture for picture in terminal.pictures if any("19 项等待" in row for row in picture))
    assert [row for row in crowded if "t20" in row] == ["├── ◐ t20 买菜 [任务] 进行中"]
    assert any("20 项完成" in row for row in crowded)
    assert [sum(f"t{n} " in row for row in lines) for n in range(40)] == [1] * 40, "at the end all of it stands"
    assert lines[-1] == "好了。"


@pytest.mark.parametrize("columns", [10, 20, 33])
def test_a_narrow_terminal_keeps_the_tree_in_order(emulate: Emulate, columns: int) -> None:
    terminal = emulate(columns, 30)
    first, last = item("t1", content="买很多很多很多很多很多菜"), item("t2", "completed", content="a" * 50)
    lines = terminal.show(first, last, *call_events(title="菜" * 50), reply="好")
    assert max(picture.count("计划") for picture in terminal.pictures) == 1
    assert (lines[0], lines[-1]) == ("计划", "好")


def test_nothing_of_what_people_wrote_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    events: list[Event] = [
        item(content=HOSTILE, note=HOSTILE),
        *call_events(HOSTILE, title=HOSTILE, message=HOSTILE),
        ToolCallArguments(call_id="d", piece=HOSTILE, todo_id="t1", agent="task"),
        agent(HOSTILE),
        Reasoning(text=HOSTILE, agent="task", todo_id="t1"),
        Retrying(model=HOSTILE, reason=HOSTILE, seconds=1, agent="task", todo_id="t1"),
        Token(text=HOSTILE),
        Finished(result=result(HOSTILE)),
    ]
    wire = StringIO()
    plain = Console(file=wire, force_terminal=True, color_system=None, width=200, highlight=False, markup=False)
    for view in (
        PlainView("zh", BOTH),
        EventsView("zh"),
        TreeView("en", BOTH, plain, seconds=iter(range(100)).__next__),
    ):
        with view:
            for event in events:
                view.event(event)
        view.reply(result(HOSTILE))
    out, err = capsys.readouterr()
    written = out + err + wire.getvalue()
    assert "␛[31mred" in written
    assert not {"\u202e", "\x9b", "\x07"} & set(written)
    assert "\x1b[31m" not in written
    assert "\x1b[2J" not in written


@pytest.mark.parametrize(
    ("words", "answer"), [("1", "yes"), (" 2 ", "no"), ("3", "3"), ("第一个", "第一个"), ("²", "²")]
)
def test_a_number_picks(words: str, answer: str) -> None:
    question = OpenQuestion(
        type="x", todo_id=None, question="?", choices=[{"id": "yes", "label": "好"}, {"id": "no", "label": "不"}]
    )
    assert picked(question, words) == answer


def test_a_reader_that_has_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, gone)
        for view in (EventsView("zh"), PlainView("zh")):
            view.event(item())
            view.event(item(status="completed"))
            view.reply(result("好。"))
        monkeypatch.undo()


def test_what_comes_between_does_not_break_into_the_reply(capsys: pytest.CaptureFixture[str]) -> None:
    typewriter = Typewriter(live=True)
    typewriter.piece("好的，")
    typewriter.step_aside()
    typewriter.step_aside()
    typewriter.piece("记下了。")
    typewriter.end("好的，记下了。")
    assert capsys.readouterr().out == "好的，\n记下了。\n"
