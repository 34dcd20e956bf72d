"""Ctrl-C and SIGTERM in mid-run (B15): the step ends, the program too, and the rest can be resumed exactly."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.graph.world import plan, todo
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said, call

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
#: The program with another patience than people are given.
IMPATIENT = "import sys; from deep_planner.cli import main, stopping; stopping.GRACE = 0.1; sys.exit(main())"
BUY = {"title": "买菜", "due_date": "明天"}


class SlowModel:
    """Answers at once, but keeps the first question of the task agent waiting until it is let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Answer:
        match request.role:
            case "triage":
                return call("classify_intent", intent="complex_workflow", confidence=0.9)
            case "planner":
                return plan(todo("a", "task", "买菜"), todo("b", "task", "散步", ["a"]))
            case "task":
                self.asked.set()
                self.go.wait(60)
                walk = request.told()["item"] == "散步"
                return call("create_task", **(BUY | {"title": "散步", "due_date": "周六"} if walk else BUY))
            case "note":
                return call("write_note", note="好", summary="好了。")
        return Said("都好了。")


class Program:
    """``deep-planner`` against a slow model, in a folder of its own."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.database = folder / "planner.db"
        self._folder = folder
        self._options = ["--db", str(self.database), "--now", "2026-02-11T10:00:00+08:00", "--thread", "t"]
        self._options += ["--timezone", "Asia/Shanghai", "--model", "openai:test", "--base-url", server.url]
        kept = ("PATH", "LD_LIBRARY_PATH", "HOME")
        self._env = {name: os.environ[name] for name in kept if name in os.environ}
        self._env |= {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)}

    def start(self, *words: str, program: str | None = None) -> subprocess.Popen[str]:
        how = ["-c", program] if program else ["-m", "deep_planner"]
        return subprocess.Popen(
            [sys.executable, *how, *words, *self._options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._folder,
            env=self._env,
        )

    def titles(self) -> list[str]:
        connection = sqlite3.connect(self.database)
        try:
            return [title for (title,) in connection.execute("SELECT title FROM tasks ORDER BY id")]
        finally:
            connection.close()


@pytest.fixture
def model() -> SlowModel:
    return SlowModel()


@pytest.fixture
def program(tmp_path: Path, model: SlowModel) -> Iterator[Program]:
    with ModelServer(model) as server:
        yield Program(tmp_path, server)
        model.go.set()


def told_to_stop(running: subprocess.Popen[str]) -> None:
    """The program has heard the first signal."""
    assert running.stderr is not None
    for line in running.stderr:
        if "再按一次" in line:
            return


def goes_on_exactly(program: Program, model: SlowModel) -> None:
    model.go.set()
    out, err = (resumed := program.start("--resume")).communicate(timeout=60)
    assert (resumed.returncode, out.strip()) == (0, "都好了。"), err
    assert program.titles() == ["买菜", "散步"]


def test_ctrl_c_lets_the_step_end(program: Program, model: SlowModel) -> None:
    running = program.start("明天买菜，周六散步")
    assert model.asked.wait(60)
    running.send_signal(signal.SIGINT)
    told_to_stop(running)
    model.go.set()
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out.strip()) == (130, "已经停下，做完的都保存了，剩下的可以继续。")
    assert "--thread t --resume" in err
    assert "Traceback" not in err
    assert program.titles() == []
    goes_on_exactly(program, model)


def test_step_that_does_not_end_is_cut_off(program: Program, model: SlowModel) -> None:
    running = program.start("明天买菜，周六散步", program=IMPATIENT)
    assert model.asked.wait(60)
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "--thread t --resume" in err
    assert "Traceback" not in err
    goes_on_exactly(program, model)


def test_second_signal_ends_at_once(program: Program, model: SlowModel) -> None:
    running = program.start("明天买菜，周六散步")
    assert model.asked.wait(60)
    running.send_signal(signal.SIGINT)
    told_to_stop(running)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    goes_on_exactly(program, model)
