"""The chat at a real terminal, and threads among real processes."""

from __future__ import annotations

import io
import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deep_planner.cli import main
from tests.graph.world import classification
from tests.process.test_cli import AIRPORT, RAIN, Line, line
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said, call
from tests.support.terminal import Terminal

pytestmark = pytest.mark.graph

__all__ = ["line"]
FROZEN = ["--db", "planner.db", "--now", "2026-02-11T10:00:00+08:00", "--timezone", "Asia/Shanghai"]
OFFLINE = [*FROZEN, "--city", "北京", "--weather", "weather.json"]


@pytest.fixture(autouse=True)
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weather.json").write_text(json.dumps([RAIN]), encoding="utf-8")
    return tmp_path


def test_a_talk_at_a_terminal(folder: Path) -> None:
    """A request, the same again with its question, Ctrl-C on a line, a number, a paste, the end; then the next day."""
    with Terminal(["chat", *OFFLINE, "--thread", "trip"], folder, size=(60, 40)) as chat:
        chat.wait_until_ready()
        chat.enter(AIRPORT)
        chat.wait_until_ready()
        first = chat.lines
        chat.enter(AIRPORT)
        chat.wait_until_ready()
        chat.type("算了，不对\x03")
        chat.wait_until_ready()
        chat.enter("1")
        chat.wait_until_ready()
        chat.type("\x1b[200~明天九点\n开会\x1b[201~\r")
        chat.wait_for("已创建任务「开会」")
        chat.wait_until_ready()
        chat.type("\x1b[A\x1b[A\x1b[B\x03\x04")
        assert chat.ended() == 0
        lines = chat.lines
    # The tree stands once, with what was called; the reply below it, wrapped at the terminal's edge.
    assert first.count("计划") == 1
    assert "├── ● t1 周末早上去机场接人 [任务] 完成" in first
    assert "│   ├── ✓ create_task title=去机场接人, due_date=周末早上" in first
    at = next(number for number, row in enumerate(first) if row.startswith("已创建任务"))
    assert "".join(first[at:]).startswith("已创建任务「去机场接人」：周六（2月14日）早上。北京 周六（2月14日）天气")
    # A question is answered in place, and what waited is shown whole again.
    assert "  1. 还是要建" in lines
    assert "回答> 算了，不对" in lines
    assert "回答> 1" in lines
    assert sum("✓ create_task" in row for row in lines) == 3
    assert lines[-1] == "再见。要接着这个会话：deep-planner chat --thread trip"
    history = (folder / "data" / "deep-planner" / "chat_history").read_text("utf-8")
    typed = [row.removeprefix("+") for row in history.splitlines() if row.startswith("+")]
    assert typed == [AIRPORT, "1", "明天九点", "开会"]


class Desk:
    """A model whose task agent waits with every task until it is let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Answer:
        match request.role:
            case "triage":
                return classification("single_task", "task")
            case "task":
                self.asked.set()
                self.go.wait(60)
                return call("create_task", title=request.told()["item"], due_date="明天")
            case "note":
                summary = f"{request.told()['item']}，记下了。"
                return call("write_note", note="好", summary=summary)
        return Said("好了。")


@pytest.fixture
def desk() -> Iterator[tuple[Desk, str]]:
    desk = Desk()
    with ModelServer(desk) as server:
        yield desk, server.url
        desk.go.set()


def test_a_busy_thread_ctrl_c_and_a_kill(
    folder: Path, desk: tuple[Desk, str], line: Line, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second process is refused; Ctrl-C stops the run alone; a killed process leaves nothing locked."""
    model, url = desk
    served = ["--model", "openai:test", "--base-url", url]

    def here(*words: str) -> tuple[int, str, str]:
        done = line.here(*words, capsys=capsys)
        return done.returncode, done.stdout, done.stderr

    with Terminal(["chat", *FROZEN, *served, "--thread", "trip"], folder) as chat:
        chat.wait_until_ready()
        chat.enter("买菜")
        assert model.asked.wait(60)
        code, out, err = here("看牙", "--thread", "trip", *served)
        assert (code, out, "会话「trip」正在执行另一个请求" in err) == (2, "", True)
        chat.type("\x03")
        chat.wait_for("正在停下")
        chat.type("\x03")
        chat.wait_for("/resume 继续")
        chat.wait_until_ready()
        model.go.set()
        chat.enter("/resume")
        chat.wait_for("买菜，记下了。")
        chat.wait_until_ready()
        model.go.clear()
        model.asked.clear()
        chat.enter("看牙")
        assert model.asked.wait(60)
        [row] = json.loads(here("threads", "--json")[1])
        assert (row["thread"], row["requests"], row["status"]) == ("trip", 2, "running")
        chat.child.kill(signal.SIGKILL)
        assert chat.ended() == -signal.SIGKILL
    assert "中断" in here("threads")[1]
    model.go.set()
    code, out, _ = here("--thread", "trip", "--resume", *served)
    assert (code, out) == (0, "看牙，记下了。\n")
    assert line.rows("SELECT title FROM tasks ORDER BY id") == [("买菜",), ("看牙",)]
    assert here("threads", "remove", "trip")[1] == "已删除会话「trip」（2 个请求，第一个：买菜）。任务和提醒都还在。\n"
    assert here("threads") == (0, "没有会话。\n", "")
    assert here("threads", "remove", "trip")[0] == 2


def test_a_talk_through_a_pipe(line: Line, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One request a line; what cannot be decoded does no harm; the code is that of the last run."""
    given = f"{AIRPORT}\n\n{AIRPORT}\n".encode() + b"\xff\xfe"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    words = ["chat", "--city", "北京", "--weather", str(line.weather), "--events"]
    done = line.here(*words, capsys=capsys)
    events = [json.loads(row) for row in done.stdout.splitlines()]
    finished = [event["result"]["status"] for event in events if event["type"] == "finished"]
    assert finished[:2] == ["completed", "waiting"]
    assert done.returncode == {"completed": 0, "failed": 1, "waiting": 3}[finished[-1]]
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]


def test_events_are_lines(line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    done = line.here("周六上午和\x9b2J\u202e王总开会", "--events", capsys=capsys)
    events: list[dict[str, Any]] = [json.loads(row) for row in done.stdout.splitlines()]
    assert [event["type"] for event in events][:2] == ["intent:recognition-start", "intent:recognized"]
    result = events[-1]["result"]
    assert (events[-1]["type"], result["status"], done.returncode) == ("finished", "completed", 0)
    assert "".join(event["text"] for event in events if event["type"] == "token") == result["reply"]
    assert not {"\x9b", "\u202e"} & set(done.stdout)
    assert main(["明天开会", "--events", "--json"]) == 2


def test_a_thread_of_somebody_else_is_not_found(
    line: Line, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line.here("明天九点开会", "--thread", "mine", capsys=capsys)
    monkeypatch.setenv("DEEP_PLANNER_USER_ID", "2")
    for words in (["--thread", "mine", "--resume"], ["threads", "remove", "mine"]):
        done = line.here(*words, "--lang", "zh", capsys=capsys)
        assert (done.returncode, "没有名为「mine」的会话" in done.stderr) == (2, True)
    assert line.here("threads", "--json", capsys=capsys).stdout == "[]\n"


def test_the_recorded_session_is_that_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is not, and should be: ``python assets/record_session.py`` records it anew."""
    assets = Path(__file__).parents[2] / "assets"
    monkeypatch.syspath_prepend(str(assets))
    import record_session

    picture = record_session.drawn(record_session.rows_of(record_session.recorded("en")), "en")
    assert picture == (assets / "session.en.svg").read_text("utf-8")
