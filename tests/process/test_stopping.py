"""Ctrl-C and SIGTERM in mid-run (B15): the step ends, the program too, and the rest can be resumed exactly."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.graph.world import plan, todo
from tests.support.command_line import Ended, Line
from tests.support.model_server import Answer, ModelServer, Request
from tests.support.scripted_model import Said, call

pytestmark = pytest.mark.graph

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
    """``deep-planner`` against a slow model: a process to be stopped, and this one to resume what it left."""

    def __init__(self, line: Line, server: ModelServer) -> None:
        self._line = line
        self._options = ["--thread", "t", "--model", "openai:test", "--base-url", server.url]

    def start(self, *words: str, program: str | None = None) -> subprocess.Popen[str]:
        how = ["-c", program] if program else ["-m", "deep_planner"]
        return subprocess.Popen(
            [sys.executable, *how, *self._line.words(*words, *self._options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._line.folder,
            env=self._line.env,
        )

    def resume(self) -> Ended:
        return self._line.run("--resume", *self._options)

    def titles(self) -> list[object]:
        return [title for (title,) in self._line.rows("SELECT title FROM tasks ORDER BY id")]


@pytest.fixture
def model() -> SlowModel:
    return SlowModel()


@pytest.fixture
def program(line: Line, model: SlowModel) -> Iterator[Program]:
    with ModelServer(model) as server:
        yield Program(line, server)
        model.go.set()


def told_to_stop(running: subprocess.Popen[str]) -> None:
    """The program has heard the first signal."""
    assert running.stderr is not None
    for line in running.stderr:
        if "再按一次" in line:
            return


def goes_on_exactly(program: Program, model: SlowModel) -> None:
    model.go.set()
    resumed = program.resume()
    assert (resumed.code, resumed.out.strip()) == (0, "都好了。"), resumed.err
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
