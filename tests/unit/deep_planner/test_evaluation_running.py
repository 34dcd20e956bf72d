"""Cases run in worlds of their own, and what is seen there (the offline brain at work)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deep_planner.cli import main
from deep_planner.evaluation.cases import Case
from deep_planner.evaluation.grading import Verdict
from deep_planner.evaluation.running import CaseRun, run_cases, status_of
from deep_planner.events import OpenQuestion, RunResult, TodoChanged
from deep_planner.settings import Settings
from tests.support.model_server import Failure, ModelServer
from tools.domain.todos import Todo

pytestmark = pytest.mark.graph

VISIT = {"id": 7, "title": "客户拜访", "date": "2026-02-12", "start_time": "15:00", "end_time": "16:00"}
VISIT |= {"time_segment": "afternoon"}


def case_of(*texts: str, id: str = "c", lang: str = "zh", **fixtures: Any) -> Case:
    return Case.model_validate(
        {
            "id": id,
            "lang": lang,
            "now": "2026-02-11T10:00:00+08:00",
            "user": {"id": 3, "city": "上海", "timezone": "Asia/Shanghai"},
            "fixtures": fixtures,
            "turns": [{"user": text, "gold": {"kind": ["done"]}} for text in texts],
        }
    )


async def ran(*cases: Case, model: str = "offline:rules") -> list[CaseRun]:
    found = {case.id: run async for case, run in run_cases(cases, Settings.load(model=model), 2)}
    return [found[case.id] for case in cases]


async def test_a_world_holds_only_what_the_case_names() -> None:
    ring = {"id": 4, "user_id": 3, "task_id": 7, "remind_at": "2026-02-11T12:00:00+00:00", "content": "拜访"}
    mine = case_of("明天下午有什么安排", tasks=[VISIT | {"user_id": 3}], reminders=[ring])
    theirs = case_of("明天下午有什么安排", id="d", tasks=[VISIT | {"user_id": 9}])
    first, second = await ran(mine, theirs)
    assert "客户拜访" in first.turns[0].reply
    assert "客户拜访" not in second.turns[0].reply
    [row] = first.turns[0].tasks
    assert row == VISIT | {"user_id": 3, "status": "pending", "priority": "medium", "description": None}
    assert [row["user_id"] for row in second.turns[0].tasks] == [9]
    [told] = first.turns[0].reminders
    assert told["remind_at"] == "2026-02-11T20:00:00+08:00"
    assert set(told) == {"id", "user_id", "task_id", "remind_at", "content", "status", "channel"}
    assert Verdict(mine, first).passed


async def test_a_question_is_answered_by_the_next_text() -> None:
    [run] = await ran(case_of("明天下午3点半到4点半做面谈", "还是要建", tasks=[VISIT | {"user_id": 3}]))
    first, second = run.turns
    assert (first.status, first.asked, len(first.tasks)) == ("conflict", True, 1)
    assert "客户拜访" in first.reply
    assert "还是要建" in first.reply
    assert (second.status, second.asked, second.agents) == ("success", False, ["task"])
    assert [row["start_time"] for row in second.tasks] == ["15:00", "15:30"]


async def test_weather_is_that_of_the_case() -> None:
    sunny = {"city": "上海", "date": "2026-02-12", "condition": "晴", "temp_min": 1, "temp_max": 9}
    asked = "明天天气怎么样"
    runs = await ran(
        case_of(asked, weather=[sunny]),
        case_of(asked, id="none"),
        case_of(asked, id="late", weather=[sunny], weather_error="timeout"),
        case_of(asked, id="broken", weather=[sunny], faults=[{"agent": "weather", "mode": "raise"}]),
    )
    assert [run.turns[0].status for run in runs] == ["success", "error", "error", "error"]
    assert all(run.turns[0].agents == ["weather"] for run in runs)
    assert "晴" in runs[0].turns[0].reply
    assert "晴" not in runs[3].turns[0].reply


async def test_refusals_small_talk_and_questions_of_triage() -> None:
    texts = ("讲个笑话", "你好", "那个什么")
    runs = await ran(*(case_of(text, id=text) for text in texts))
    assert [run.turns[0].status for run in runs] == ["refused", "chat", "need_confirmation"]
    assert [run.turns[0].asked for run in runs] == [False, False, True]
    assert all(run.turns[0].agents == [] for run in runs)


async def test_a_case_that_crashes_leaves_the_others_alone() -> None:
    bad, good = await ran(case_of("你好", " "), case_of("你好", id="good"))
    assert (len(bad.turns), good.crash) == (1, None)
    assert "UsageError" in str(bad.crash)
    assert json.loads(bad.line())["crash"]
    assert "crash" not in json.loads(good.line())


async def test_models_are_those_that_the_product_would_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings' thinking, attempts and stand-ins hold for a case too."""
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-test")
    with ModelServer(lambda _request: Failure(503)) as server:
        given: dict[str, Any] = {"model": "deepseek:m", "base_url": server.url, "thinking": False}
        settings = Settings.load(**given, fallback_models=["deepseek:n"], offline_fallback=True, model_attempts=1)
        [run] = [run async for _, run in run_cases([case_of("明天下午3点买菜")], settings, 1)]
    assert [(row["title"], row["start_time"]) for row in run.turns[0].tasks] == [("买菜", "15:00")]
    assert {request.body["model"] for request in server.requests} == {"m", "n"}
    assert all(request.body["thinking"] == {"type": "disabled"} for request in server.requests)


async def test_titles_are_compared_by_meaning_where_the_product_would(monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("见老板完成了", tasks=[VISIT | {"user_id": 3, "title": "和老板开会"}])
    monkeypatch.setenv("DASHSCOPE_API_KEY", "sk-test")
    with ModelServer([], embed=lambda _words: [1.0, 0.0]) as server:
        monkeypatch.setenv("DASHSCOPE_BASE_URL", server.dashscope_url)
        settings = Settings.load(model="offline:rules", title_embeddings="dashscope:text-embedding-v4")
        [run] = [run async for _, run in run_cases([case], settings, 1)]
    assert (run.turns[0].asked, "和老板开会" in run.turns[0].reply) == (True, True)


def result(status: str = "completed", *todos: Todo, question: str | None = None, intent: str = "x") -> RunResult:
    asks = OpenQuestion(type=question, todo_id=None, question="?") if question else None
    return RunResult.model_validate(
        {"status": status, "reply": "r", "question": asks, "todos": todos, "thread_id": "t", "intent": intent}
    )


def item(id: str, outcome: str) -> Todo:
    return {"id": id, "status": "completed", "outcome": {"status": outcome, "rows": [], "summary": ""}}


def test_the_weightiest_status_counts() -> None:
    good, bad = item("t1", "success"), item("t2", "error")
    both = [TodoChanged(todo_id=todo["id"], todo=dict(todo)) for todo in (good, bad)]
    assert status_of(result("completed", good, bad), both) == "error"
    assert status_of(result("completed", good, bad), both[:1]) == "success"
    assert status_of(result("completed", good), both) == "success"
    assert status_of(result("failed"), []) == "error"
    assert status_of(result("refused"), []) == "refused"
    assert status_of(result("waiting", good, question="conflict"), both) == "conflict"
    assert status_of(result("waiting", good, question="clarify"), both) == "need_confirmation"
    assert status_of(result("waiting", good, bad, question="conflict"), both) == "error"
    assert status_of(result("completed", intent="simple_chat"), []) == "chat"
    assert status_of(result("completed", good, intent="simple_chat"), both) == "success"


def written(folder: Path) -> Path:
    path = folder / "some.jsonl"
    cases = [case_of("你好", id="right"), case_of("讲个笑话", id="wrong")]
    golds = [["chat"], ["chat"]]
    lines = []
    for case, kind in zip(cases, golds, strict=True):
        told = case.model_dump(mode="json", exclude={"source"})
        told["turns"][0]["gold"] = {"kind": kind}
        lines.append(json.dumps(told, ensure_ascii=False))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path), tmp_path / "run.jsonl"
    line = ["eval", str(path), "--lang", "en", "--out", str(out), "--failures"]
    assert main(line) == 0
    shown = capsys.readouterr().out
    assert "All: 1/2 50.0%" in shown
    assert "some/wrong" in shown
    assert "some/right" not in shown
    assert [json.loads(told)["id"] for told in out.read_text(encoding="utf-8").splitlines()] == ["right", "wrong"]
    assert main([*line, "--at-least", "0.5"]) == 0
    assert main([*line, "--at-least", "0.51"]) == 1


@pytest.mark.parametrize(
    "line",
    [
        ["gone.jsonl"],
        [],
        [".", "--jobs", "0"],
        [".", "--at-least", "80"],
        [".", "--at-least", "much"],
        [".", "--now", "2026-02-11T10:00:00+08:00"],
    ],
)
def test_bad_lines(line: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", *line, "--lang", "en"]) == 2
    assert capsys.readouterr().err
    assert main(["eval", str(written(tmp_path)), "--model", "nobody:x"]) == 2
    assert main(["eval", str(written(tmp_path)), "--out", str(tmp_path)]) == 2
