"""``deep-planner plan``: the plan wave by wave, as JSON and as a picture, and nothing is carried out."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from deep_planner.cli import main

pytestmark = pytest.mark.graph

AIRPORT = "周末早上去机场接人"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    database = tmp_path / "planner.db"

    def run(*words: str) -> tuple[int, str, str]:
        options = ["--db", str(database), "--now", "2026-02-11T10:00:00+08:00", "--timezone", "Asia/Shanghai"]
        code = main(["plan", *words, *options])
        out, err = capsys.readouterr()
        connection = sqlite3.connect(database)
        assert connection.execute("SELECT count(*) FROM tasks").fetchone() == (0,)
        connection.close()
        return code, out, err

    return run


def test_waves_and_what_each_item_waits_for(plan) -> None:
    code, out, _ = plan(AIRPORT)
    assert (code, out.splitlines()) == (
        0,
        [
            AIRPORT,
            "├── 第 1 波",
            "│   ├── t1 周末早上去机场接人 [任务]",
            "│   └── t2 查2026-02-14的天气 [天气]",
            "└── 第 2 波",
            "    └── t3 提醒我去机场接人 [提醒]  ← t1, t2",
        ],
    )


def test_json_is_the_seeds_shape(plan) -> None:
    code, out, _ = plan("book a table for Friday 7pm and remind me", "--json")
    workflow = json.loads(out)
    assert code == 0
    assert [node["type"] for node in workflow["agentGraph"]] == ["task", "notification"]
    assert [step["stepNumber"] for node in workflow["agentGraph"] for step in node["steps"]] == [1, 2]


@pytest.mark.parametrize(("request_", "wish"), [(AIRPORT, "要带伞"), ("meet Ann on Friday at 3pm", "bring the papers")])
def test_what_it_has_to_keep_to_goes_into_the_task_that_every_agent_is_told(plan, request_: str, wish: str) -> None:
    """Rules make no other plan for it, but do not lose it."""
    workflow = json.loads(plan(request_, "--require", wish, "--json")[1])
    assert request_ in workflow["description"]
    assert wish in workflow["description"]


def test_picture_in_a_file_and_on_standard_output(plan, tmp_path: Path) -> None:
    code, out, _ = plan(AIRPORT, "--mermaid", "plan.mmd")
    assert (code, "第 1 波" in out) == (0, True)
    picture = (tmp_path / "plan.mmd").read_text(encoding="utf-8")
    assert picture.splitlines()[0] == "flowchart TD"
    assert picture.count("-->") == 2
    assert plan(AIRPORT, "--mermaid", "-")[1] == picture


def test_labels_cannot_break_the_picture() -> None:
    from deep_planner.workflow.drawing import mermaid
    from deep_planner.workflow.schema import AgentNode, Workflow

    node = AgentNode(id='a"]', type="task", desc='买"菜" --> <b>`x`</b>\n#1')
    [_, line] = mermaid(Workflow(id="workflow-1", name="x", description="x", agent_graph=[node])).splitlines()
    assert line.startswith('    n1["')
    assert line.count('"') == 2


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("讲个笑话", "没有做出计划"),
        ("tell me a joke", "No plan came of it"),
        ("。".join(f"3月{day}日上午九点开会" for day in range(2, 14)), "最多 10 项"),
        (". ".join(f"Meeting on March {day} at 9am" for day in range(2, 14)), "at most 10 items"),
    ],
)
def test_what_makes_no_plan_is_said_in_the_users_language(plan, request_: str, told: str) -> None:
    code, out, err = plan(request_)
    assert (code, out, told in err) == (1, "", True)


@pytest.mark.parametrize("words", [["讲个笑话"], [AIRPORT, "--mermaid", "/no/such/folder/x"], [" "]])
def test_what_cannot_be_planned_is_said_without_a_traceback(plan, words: list[str]) -> None:
    code, _, err = plan(*words)
    assert code in (1, 2)
    assert err
    assert "Traceback" not in err
