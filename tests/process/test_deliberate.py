"""``deep-planner deliberate`` and ``deliberate()``: on sample data, in both languages, without a model."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path

import pytest

from deep_planner import Settings, deliberate
from deep_planner.cli import main

pytestmark = pytest.mark.graph

QUESTION = "这周六适不适合搬家"
NOW = "2026-02-11T10:00:00+08:00"


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A frozen world in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    days = [("2026-02-14", "小雨"), ("2026-02-15", "晴")]
    rows = [{"city": "北京", "date": day, "condition": sky, "temp_min": 2, "temp_max": 8} for day, sky in days]
    (tmp_path / "weather.json").write_text(json.dumps(rows), encoding="utf-8")
    place = ["--db", str(tmp_path / "planner.db"), "--weather", "weather.json", "--city", "北京"]
    return [*place, "--now", NOW, "--timezone", "Asia/Shanghai"]


def test_the_rounds_are_seen_and_the_answer_is_printed(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliberate", QUESTION, *options]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("从算得出的情况看，周六（2月14日）不太适合。周日（2月15日）更好")
    assert "（讨论 2 轮，评审通过；把握 60%）" in out
    assert [words in err for words in ("第 1 轮 专家", "第 1 轮 批判者：70 分", "第 2 轮 批判者：90 分")] == [True] * 3


def test_json_holds_the_structured_result(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliberate", "Should I move house this Saturday?", "--json", *options]) == 0
    out, err = capsys.readouterr()
    result = json.loads(out)
    assert (result["rounds"], result["stopped"], result["dropped_quotes"]) == (2, "passed", 0)
    assert result["answer"]["version"] == 2
    assert result["reviews"][0]["review"]["issues"][0]["quote"] in result["answer"]["conclusion"]
    assert err == ""


def test_events_are_lines_of_json(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliberate", QUESTION, "--events", *options]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["agent"] for event in events if event["type"] == "deliberation:step"][:3] == [
        *("moderator", "expert", "critic")
    ]
    assert events[-1]["type"] == "deliberation:finished"
    assert events[-1]["usage"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["", "--lang", "en"], "blank"),
        ([QUESTION, "--events", "--json"], "--events"),
        ([QUESTION, "--rounds"], "--rounds"),
    ],
)
def test_bad_usage(words: list[str], told: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deliberate", *words, *options]) == 2
    assert told in capsys.readouterr().err


def test_a_run_that_may_spend_nothing_fails(
    options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEP_PLANNER_MAX_MODEL_CALLS", "1")
    assert main(["deliberate", QUESTION, *options]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_plan_shows_the_rounds_of_its_deliberation(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"帮我分析一下{QUESTION}", *options]) == 0
    out, err = capsys.readouterr()
    assert "第 2 轮 专家" in err
    assert "[讨论]" in err
    assert "周日（2月15日）更好" in out


def test_it_reads_standard_input(
    options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(QUESTION.encode())))
    assert main(["deliberate", "-", *options]) == 0
    assert "不太适合" in capsys.readouterr().out


def test_in_python(options: list[str]) -> None:
    settings = Settings.load(
        database=options[1], weather_file=Path("weather.json"), city="北京", timezone="Asia/Shanghai"
    )
    result = deliberate(QUESTION, now=datetime.fromisoformat(NOW), settings=settings)
    assert (result.rounds, result.stopped) == (2, "passed")
