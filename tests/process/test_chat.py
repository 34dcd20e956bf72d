"""The chat at a real terminal, and threads among real processes."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.graph.world import classification
from tests.support.command_line import AIRPORT, NOW, Line
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said, call
from tests.support.terminal import Terminal

pytestmark = pytest.mark.graph

FROZEN = ["--db", "planner.db", "--now", NOW, "--timezone", "Asia/Shanghai"]
OFFLINE = [*FROZEN, "--city", "北京", "--weather", "weather.json"]


def test_a_talk_at_a_terminal(line: Line) -> None:
    """A request, the same again with its question, Ctrl-C on a line, a number, a paste, the end; then the next day."""
    with Terminal(["chat", *OFFLINE, "--thread", "trip"], line.folder, size=(60, 40)) as chat:
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
    history = (line.folder / "data" / "deep-planner" / "chat_history").read_text("utf-8")
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


def test_a_busy_thread_ctrl_c_and_a_kill(desk: tuple[Desk, str], line: Line) -> None:
    """A second process is refused; Ctrl-C stops the run alone; a killed process leaves nothing locked."""
    model, url = desk
    served = ["--model", "openai:test", "--base-url", url]

    def here(*words: str) -> tuple[int, str, str]:
        done = line.run(*words)
        return done.code, done.out, done.err

    with Terminal(["chat", *FROZEN, *served, "--thread", "trip"], line.folder) as chat:
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


def test_a_talk_through_a_pipe(line: Line) -> None:
    """One request a line; what cannot be decoded does no harm; the code is that of the last run."""
    given = f"{AIRPORT}\n\n{AIRPORT}\n".encode() + b"\xff\xfe"
    done = line.ask("chat", "--events", given=given)
    events = [json.loads(row) for row in done.out.splitlines()]
    finished = [event["result"]["status"] for event in events if event["type"] == "finished"]
    assert finished[:2] == ["completed", "waiting"]
    assert done.code == {"completed": 0, "failed": 1, "waiting": 3}[finished[-1]]
    assert line.rows("SELECT count(*) FROM tasks") == [(1,)]


def test_events_are_lines(line: Line) -> None:
    done = line.run("周六上午和\x9b2J\u202e王总开会", "--events")
    events: list[dict[str, Any]] = [json.loads(row) for row in done.out.splitlines()]
    assert [event["type"] for event in events][:2] == ["intent:recognition-start", "intent:recognized"]
    result = events[-1]["result"]
    assert (events[-1]["type"], result["status"], done.code) == ("finished", "completed", 0)
    assert "".join(event["text"] for event in events if event["type"] == "token") == result["reply"]
    assert not {"\x9b", "\u202e"} & set(done.out)
    assert line.run("明天开会", "--events", "--json").code == 2


def test_a_thread_of_somebody_else_is_not_found(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    line.run("明天九点开会", "--thread", "mine")
    monkeypatch.setenv("DEEP_PLANNER_USER_ID", "2")
    for words in (["--thread", "mine", "--resume"], ["threads", "remove", "mine"]):
        done = line.run(*words, "--lang", "zh")
        assert (done.code, "没有名为「mine」的会话" in done.err) == (2, True)
    assert line.run("threads", "--json").out == "[]\n"


def test_the_recorded_session_is_that_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is not, and should be: ``python assets/record_session.py`` records it anew."""
    assets = Path(__file__).parents[2] / "assets"
    monkeypatch.syspath_prepend(str(assets))
    import record_session

    picture = record_session.drawn(record_session.rows_of(record_session.recorded("en")), "en")
    assert picture == (assets / "session.en.svg").read_text("utf-8")
