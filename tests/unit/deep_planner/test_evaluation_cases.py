from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deep_planner.evaluation.cases import Case, CaseError, load_cases
from tools.core.text import LANGUAGES

pytestmark = pytest.mark.unit


def told(**changes: Any) -> dict[str, Any]:
    return {
        "id": "one",
        "lang": "zh",
        "now": "2026-02-11T10:00:00+08:00",
        "turns": [{"user": "明天开会", "gold": {"kind": ["done"]}}],
    } | changes


def written(folder: Path, *cases: Any, name: str = "some.jsonl") -> Path:
    path = folder / name
    lines = [case if isinstance(case, str) else json.dumps(case, ensure_ascii=False) for case in cases]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_case_is_read_with_what_it_leaves_out(tmp_path: Path) -> None:
    path = written(tmp_path, told(stranger=1), "", told(id="two", lang="en"))
    first, second = load_cases([path])
    assert (first.id, first.source, first.user.id, first.fixtures.tasks) == ("one", "some", 1, [])
    assert first.turns[0].gold.end.created == []
    assert (second.id, second.lang) == ("two", "en")


def test_a_folder_gives_its_files_by_name(tmp_path: Path) -> None:
    written(tmp_path, told(id="b"), name="b.jsonl")
    written(tmp_path, told(id="a"), name="a.jsonl")
    (tmp_path / "README.md").write_text("no case", encoding="utf-8")
    assert [case.source for case in load_cases([tmp_path])] == ["a", "b"]


def test_words_and_lists_of_words_are_the_same() -> None:
    gold = {"kind": "done", "intent": "single_task", "answer": {"mentions": "会"}, "any_of": [{"kind": "ask"}]}
    read = Case.model_validate(told(turns=[{"user": "x", "gold": gold}])).turns[0].gold
    assert (read.kind, read.intent, read.answer.mentions) == (["done"], ["single_task"], ["会"])
    assert read.any_of[0].kind == ["ask"]


def bad_turn(**gold: Any) -> dict[str, Any]:
    return told(turns=[{"user": "x", "gold": gold}])


@pytest.mark.parametrize(
    ("line", "fault", "says"),
    [
        ("{broken", "not_json", ":2"),
        ("[1]", "no_case", ":2"),
        (told(lang="fr"), "no_case", "lang"),
        (told(now="2026-02-11T10:00:00"), "no_case", "now"),
        (told(turns=[]), "no_case", "turns"),
        (bad_turn(), "no_case", "turns.0.gold.kind"),
        (bad_turn(kind=["perhaps"]), "no_case", "turns.0.gold.kind.0"),
        (bad_turn(kind=[]), "no_case", "turns.0.gold.kind"),
        (told(user={"timezone": "Mars/Olympus"}), "no_case", "user.timezone"),
        (told(fixtures={"tasks": [{"id": 1, "title": "x", "date": "soon"}]}), "no_case", "fixtures.tasks.0.date"),
        (told(fixtures={"weather_error": "rain"}), "no_case", "fixtures.weather_error"),
        (told(id="first"), "twice", ":1"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: Any, fault: str, says: str) -> None:
    path = written(tmp_path, told(id="first"), line)
    with pytest.raises(CaseError) as caught:
        load_cases([path])
    assert caught.value.fault == fault
    for language in LANGUAGES:
        message = caught.value.message(language)
        assert says in message
        assert str(path) in message


def test_nothing_there(tmp_path: Path) -> None:
    for place, fault in ((tmp_path, "none"), (tmp_path / "gone.jsonl", "missing")):
        with pytest.raises(CaseError) as caught:
            load_cases([place])
        assert caught.value.fault == fault
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9\xff")
    with pytest.raises(CaseError) as caught:
        load_cases([tmp_path])
    assert caught.value.fault == "unreadable"
