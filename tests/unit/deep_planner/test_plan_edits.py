"""What a person may say to a plan before it runs, in words and as data: nothing unreadable is ever carried out."""

from __future__ import annotations

from typing import Any

import pytest

from deep_planner.graph.plan_edits import Verdict, from_data, from_words
from tools.core.text import LANGUAGES, text
from tools.domain.plan_writing import PlanError
from tools.domain.todos import Todo, merge_todos

pytestmark = pytest.mark.unit

PLAN: list[Todo] = [
    {"id": "a", "content": "买菜", "subagent": "task", "status": "pending"},
    {"id": "b", "content": "做饭", "subagent": "task", "status": "pending", "depends_on": ["a"]},
    {"id": "w", "content": "天气", "subagent": "weather", "status": "pending"},
]

BAD_DATA: dict[str, tuple[dict[str, Any], str, str]] = {
    "no list": ({"todos": None}, "bad_edit", "todos"),
    "words for a list": ({"todos": "abc"}, "bad_edit", "todos"),
    "numbers for items": ({"todos": [1, 2]}, "bad_edit", "todos.0"),
    "an object for a list": ({"todos": {"a": 1}}, "bad_edit", "todos"),
    "dependencies in words": ({"todos": [{"id": "a", "depends_on": "b"}]}, "bad_edit", "todos.0.depends_on"),
    "a number of steps": ({"todos": [{"id": "a", "steps": 5}]}, "bad_edit", "todos.0.steps"),
    "an id that is a list": ({"todos": [{"id": ["x"], "content": "x"}]}, "bad_edit", "todos.0.id"),
    "content that is a list": ({"todos": [{"id": "a", "content": ["x"]}]}, "bad_edit", "todos.0.content"),
    "changes in words": ({"changes": "删掉 a"}, "bad_edit", "changes"),
    "a change in words": ({"changes": ["a"]}, "bad_edit", "changes.0"),
    "a change of what is nothing": ({"changes": [{"id": "a", "colour": "red"}]}, "bad_edit", "changes.0.colour"),
    "a number to add": ({"add": [5]}, "bad_edit", "add.0"),
    "words to add": ({"add": "买水"}, "bad_edit", "add"),
    "nothing left": ({"todos": []}, "nothing_left", ""),
    "all dropped": ({"changes": [{"id": name, "drop": True} for name in "bwa"]}, "nothing_left", ""),
    "an item twice": ({"todos": [{"id": "a"}, {"id": "a"}]}, "duplicate_id", "a"),
    "a new item twice": ({"todos": [{"id": n, "content": "x"} for n in "xx"]}, "duplicate_id", "x"),
    "a dependency that never was": ({"todos": [{"id": "a", "depends_on": ["nope"]}]}, "unknown_dependency", "nope"),
    "a circle": ({"todos": [{"id": "a", "depends_on": ["b"]}, {"id": "b"}]}, "circle", "a -> b -> a"),
    "no content": ({"todos": [{"id": "new"}]}, "no_content", "new"),
    "no such item": ({"changes": [{"id": "z", "content": "x"}]}, "unknown", "z"),
}


@pytest.mark.parametrize(("given", "key", "named"), BAD_DATA.values(), ids=BAD_DATA)
def test_data_that_is_no_edit_is_refused_by_name(given: dict[str, Any], key: str, named: str) -> None:
    with pytest.raises(PlanError) as refused:
        from_data(PLAN, given)
    assert refused.value.key == key
    for language in LANGUAGES:
        assert named in text(language, f"plan.{key}", **refused.value.facts)


def plan_after(verdict: Verdict) -> list[tuple[Any, ...]]:
    todos = merge_todos(list(PLAN), [verdict.writes])
    return [(todo["id"], todo["content"], *todo.get("depends_on", ())) for todo in todos]


def test_a_whole_list_keeps_drops_and_adds() -> None:
    """What a client sends back holds more than it may change; a dependency on what was dropped goes with it."""
    shown = {"id": "b", "content": "做一桌饭", "depends_on": ["a"], "status": "pending", "colour": "red"}
    verdict = from_data(PLAN, {"todos": [shown, "洗碗", {"content": "散步", "depends_on": ["b"]}]})
    assert verdict.kind == "approve"
    assert plan_after(verdict) == [("b", "做一桌饭"), ("t2", "洗碗"), ("t3", "散步", "b")]


def test_changes_and_additions() -> None:
    verdict = from_data(PLAN, {"changes": [{"id": "a", "content": "买肉"}, {"id": "w", "drop": True}], "add": ["洗碗"]})
    assert plan_after(verdict) == [("a", "买肉"), ("b", "做饭", "a"), ("t4", "洗碗")]
    assert from_data(PLAN, {"changes": [], "add": []}) == Verdict("approve")


@pytest.mark.parametrize("words", ["删掉", "删除 ", "去掉", "加上", "再加", "顺序", "1 改成 ", "; ;", "；", "2:"])
def test_half_an_edit_is_none(words: str) -> None:
    assert from_words(PLAN, words.strip()) == Verdict("unclear")


@pytest.mark.parametrize("words", ["不要了", "加班到九点", "address the issue", "orders first", "不要去爬山了"])
def test_words_that_only_begin_like_an_edit(words: str) -> None:
    assert from_words(PLAN, words) == Verdict("unclear")


@pytest.mark.parametrize(
    "words",
    [
        "不要 2",
        "不要第2项",
        "不要b",
        "删2",
        "drop b",
        "Remove 2",
        "去掉第二项",
        "把第二项去掉",
        "第2项不要了",
        "取消第二项",
        "cancel 2",
        "把 b 删了",
    ],
)
def test_words_that_drop_one(words: str) -> None:
    assert plan_after(from_words(PLAN, words)) == [("a", "买菜"), ("w", "天气")]


@pytest.mark.parametrize("words", ["加 洗碗", "加：洗碗", "加上洗碗", "再加洗碗", "add: 洗碗", "Add 洗碗"])
def test_words_that_add_one(words: str) -> None:
    assert plan_after(from_words(PLAN, words))[-1] == ("t4", "洗碗")


@pytest.mark.parametrize("words", ["把第1项改成买肉", "第一项换成买肉", "1：买肉", "a = 买肉"])
def test_words_that_change_one(words: str) -> None:
    assert plan_after(from_words(PLAN, words))[0] == ("a", "买肉")


def test_words_that_leave_nothing() -> None:
    with pytest.raises(PlanError, match="nothing_left"):
        from_words(PLAN, "删掉 1 2 3")
