"""A plan with a way out (P23): both hang on the weather of the plan's day, and never both are done."""

from __future__ import annotations

import pytest

from tests.unit.deep_planner.brain import planned

pytestmark = pytest.mark.unit

SATURDAY = "查2026-02-14的天气"


def tasks(words: str) -> list[tuple[str, list[str]]]:
    """The tasks of a plan, each with what it waits for, in words."""
    items = {item["id"]: item for item in planned(words)}
    return [
        (item["content"], [items[name]["content"] for name in item.get("depends_on", ())])
        for item in items.values()
        if item["subagent"] == "task"
    ]


@pytest.mark.parametrize(
    "words", ["周六洗车，下雨就改到周日", "周六洗车，如果下雨的话就改到周日", "周六洗车，要是下雨那就推到周日"]
)
def test_it_is_moved_when_it_rains(words: str) -> None:
    assert tasks(words) == [("不下雨的话，周六洗车", [SATURDAY]), ("下雨的话，周日洗车", [SATURDAY])]


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        ("周六去爬山，下雨的话就去看电影", "下雨的话，周六去看电影"),
        ("周六不下雨就去爬山，下雨就去看电影", "下雨的话，周六去看电影"),
        ("周六早上8点去爬山，下雨就改到下午3点", "下雨的话，2026-02-14 下午3点去爬山"),
        ("周六去爬山，下雪就改到下周六", "下雪的话，下周六去爬山"),
        ("周六去爬山，天气不好就改到周日", "天气不好的话，周日去爬山"),
        ("hike on Saturday, if it rains move it to Sunday", "if it is raining, hike Sunday"),
        ("hike on Saturday, or if it rains go to the cinema", "if it is raining, go to the cinema on Saturday"),
    ],
)
def test_something_else_is_done_instead(words: str, instead: str) -> None:
    first, second = tasks(words)
    assert (second[0], second[1]) == (instead, first[1])
    assert first[0] != second[0]
    assert len(first[1]) == 1


@pytest.mark.parametrize("words", ["周六洗车，下雨就算了", "周六洗车，下雨的话就取消", "周六洗车，要是下雨就不去了"])
def test_it_is_given_up_when_it_rains(words: str) -> None:
    assert tasks(words) == [("不下雨的话，周六洗车", [SATURDAY])]


def test_words_that_only_add_leave_the_plan_as_it_is() -> None:
    assert tasks("周六去爬山，下雨记得带伞")[0] == ("周六去爬山", [])


def test_the_reminder_of_the_other_day_has_not_this_days_weather() -> None:
    items = planned("周六去爬山，下雨就改到周日")
    assert [(i["content"], i["depends_on"]) for i in items if i["subagent"] == "notification"] == [
        ("提醒我去爬山", ["t2", "t1"]),
        ("提醒我去爬山", ["t4"]),
    ]
