"""Journeys of several days (X19): which requests are one, which days are taken, and what goes into the luggage."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep_planner.models.rules.journeys import FEWEST_DAYS, MOST_DAYS, Journey, leg_of
from deep_planner.models.rules.travelling import days_of
from tests.unit.deep_planner.brain import carried_out, cpu_seconds, planned, sorted_as, worked
from tools.core.text import LANGUAGES, Language

pytestmark = pytest.mark.unit

#: The calendar's item of each journey, and the requests that come to it.
JOURNEYS = {
    "看看下周的安排，找3天去杭州": "下周去杭州玩三天，帮我安排 | 下周去杭州玩3天 | 帮我规划一下下周的杭州三日游 | "
    "我想下周去杭州旅游三天 | 安排下周杭州三日游 | 下周去杭州旅游，三天 | 规划一次3天的杭州之旅，下周",
    "看看周末的安排，找2天去上海": "周末带爸妈去上海玩两天，帮我规划一下行程 | 我们打算周末一起去上海玩两天",
    "看看2月18日到20日的安排，找3天去杭州": "2月18日到20日去杭州旅游 | 2月18日到20日我要去杭州玩，帮我安排一下",
    "找2天去外婆家": "去外婆家玩两天 | 我想去外婆家玩两天",
    "see what is on next week, to find 3 days for Hangzhou": "plan a 3-day trip to Hangzhou next week | "
    "I'd like to spend three days in Hangzhou next week | plan a trip to Hangzhou for 3 days next week, please",
    "see what is on from Wednesday to Friday, to find 3 days for Kyoto": "a trip to Kyoto from Wednesday to Friday",
    "find 2 days for London": "arrange a two-day holiday in London for me",
}
#: Near to one, and none: the plan has no journey in it.
OTHERS = (
    "取消下周去杭州玩三天的计划 | 上周去杭州玩了三天 | 下周去杭州玩三天要花多少钱 | 下周去杭州玩 | "
    "下周去杭州出差三天 | 提醒我下周去杭州玩三天 | 明天去玩具店 | 国庆去成都玩十天",
    "cancel my trip to Hangzhou next week | plan a three-day conference in Berlin next week | "
    "how was your 3-day trip to Rome",
)


@pytest.mark.parametrize(
    ("words", "first"), [(words, first) for first, said in JOURNEYS.items() for words in said.split(" | ")]
)
def test_a_journey_is_read(words: str, first: str) -> None:
    assert sorted_as(words)["intent"] == "complex_workflow"
    items = planned(words)
    assert (items[0]["subagent"], items[0]["content"]) == ("calendar", first)
    assert (
        len([item for item in items if item["subagent"] == "task"])
        == int(next(letter for letter in first.rpartition("找" if "找" in first else "find")[2] if letter.isdigit()))
        + 1
    )


@pytest.mark.parametrize(
    "words",
    ["下周去杭州玩三天" + "计划好的一下" * 40 + "了", "a 3-day trip to Rome next week, " + "the my a " * 25 + "x"],
)
def test_long_words_around_a_journey_are_read_in_little_time(words: str) -> None:
    with cpu_seconds(2):
        assert sorted_as(words)["intent"]


@pytest.mark.parametrize("words", [words for said in OTHERS for words in said.split(" | ")])
def test_what_is_none_is_not_read_as_one(words: str) -> None:
    assert [item for item in planned(words) if leg_of(item["content"])] == []


def test_the_plan_follows_the_days() -> None:
    """Each item waits for what it needs and for no more; the rest of the request stands beside it."""
    items = planned("下周去杭州玩三天，明天9点提醒我订酒店")
    told = {item["content"]: item.get("depends_on", []) for item in items}
    assert told == {
        "看看下周的安排，找3天去杭州": [],
        "安排杭州第1天（共3天）": ["t1"],
        "安排杭州第2天（共3天）": ["t2"],
        "安排杭州第3天（共3天）": ["t2"],
        "查杭州第1天的天气（共3天）": ["t2"],
        "查杭州第2天的天气（共3天）": ["t2"],
        "查杭州第3天的天气（共3天）": ["t2"],
        "收拾去杭州3天的行李": ["t2", "t5", "t6", "t7"],
        "提醒我杭州第1天": ["t2", "t5"],
        "提醒我收拾去杭州的行李": ["t8"],
        "明天9点订酒店": [],
        "明天9点提醒我订酒店": ["t11"],
    }


@pytest.mark.parametrize(
    ("words", "item"),
    [
        ("下周去杭州玩三天，第二天上午去灵隐寺", "安排杭州第2天（共3天）：上午去灵隐寺"),
        ("下周去杭州玩三天，第3天逛西湖，帮我安排", "安排杭州第3天（共3天）：逛西湖"),
        ("a 3-day trip to Rome next week, on day 2 visit the Colosseum", "day 2 of 3 in Rome: visit the Colosseum"),
    ],
)
def test_what_is_wanted_on_a_day_goes_with_it(words: str, item: str) -> None:
    """It is no task of its own: 第二天 would be tomorrow."""
    items = planned(words)
    assert item in [each["content"] for each in items]
    assert len(items) == 10


@pytest.mark.parametrize("days", range(FEWEST_DAYS, MOST_DAYS + 1))
@pytest.mark.parametrize("place", ["杭州", "外婆家"])
def test_a_plan_of_any_length_goes_into_a_workflow(days: int, place: str) -> None:
    """D05: a workflow has at most ten nodes. A place without a forecast gets no items for one."""
    items = planned(f"下周去{place}玩{days}天")
    assert days + 3 <= len(items) <= 10
    assert ("weather" in {item["subagent"] for item in items}) == (place == "杭州")


@pytest.mark.parametrize("language", LANGUAGES)
@given(
    days=st.integers(FEWEST_DAYS, MOST_DAYS), day=st.integers(1, MOST_DAYS), place=st.sampled_from(["杭州", "New York"])
)
def test_an_item_is_read_back_as_it_was_written(language: Language, days: int, day: int, place: str) -> None:
    journey = Journey(place, days, "下周" if language == "zh" else "next week")
    for part in ("days", "days_any", "day", "day_with", "weather", "weathers", "pack"):
        leg = leg_of(journey.words(part, language, day, "see the lake"))
        assert leg is not None
        assert (leg.part, leg.journey.place, leg.journey.days) == (part, place, days)
        assert leg.day == (day if part in ("day", "day_with", "weather") else 1)
        assert leg.wanted == ("see the lake" if part == "day_with" else "")


def task(day: date, **fields: Any) -> dict[str, Any]:
    return {"title": "评审", "date": day.isoformat(), "time_segment": "all_day"} | fields


MONDAY = date(2026, 2, 16)
TIMED = {"start_time": "15:00", "time_segment": "afternoon"}
PILL = {"start_time": "08:00", "end_time": "08:00", "time_segment": "morning"}


def schedule(*tasks: tuple[int, dict[str, Any]], days: int = 7) -> dict[str, Any]:
    until = MONDAY + timedelta(days=days - 1)
    timeline = [task(MONDAY + timedelta(days=offset), **fields) for offset, fields in tasks]
    return {"date": MONDAY.isoformat(), "until": until.isoformat(), "timeline": timeline}


@pytest.mark.parametrize(
    ("found", "first"),
    [
        (schedule(), 0),
        (schedule((1, TIMED)), 2),
        (schedule((1, TIMED), (3, {})), 4),
        # Without three days that are all empty, what has no time may stand beside the journey (P11).
        (schedule((1, TIMED), (3, {}), (5, TIMED)), 2),
        (schedule((1, TIMED), (3, {"all_day": True}), (5, TIMED)), None),
        (schedule((1, TIMED), (3, {"time_segment": "evening"}), (5, TIMED)), None),
        (schedule(*((n, PILL) for n in range(7))), 0),
        # Exactly the days that were named are taken as they are.
        (schedule((1, TIMED), days=3), 0),
    ],
)
def test_the_first_free_days_in_a_row_are_taken(found: dict[str, Any], first: int | None) -> None:
    begins = days_of(Journey("杭州", 3), found).first
    assert begins == (None if first is None else MONDAY + timedelta(days=first))


@given(busy=st.sets(st.integers(0, 13)), days=st.integers(FEWEST_DAYS, MOST_DAYS))
def test_no_busy_day_is_ever_taken(busy: set[int], days: int) -> None:
    found = days_of(Journey("杭州", days), schedule(*((n, TIMED) for n in busy), days=14))
    rows = [start for start in range(15 - days) if not busy & set(range(start, start + days))]
    assert found.first == (MONDAY + timedelta(days=rows[0]) if rows else None)
    longest = max(len(row) for row in "".join("x" if n in busy else "-" for n in range(14)).split("x"))
    assert found.most == min(longest, days)


@pytest.mark.parametrize(
    ("when", "date_"),
    [
        ("下周", "2026-02-16到2026-02-22"),
        ("下个月", "2026-03-01到2026-03-14"),
        ("2月18日", "2026-02-18到2026-02-20"),
        ("周末", "2026-02-14到2026-02-16"),
        # Of this week only what is ahead.
        ("这周", "2026-02-12到2026-02-15"),
    ],
)
def test_where_days_are_looked_for(when: str, date_: str) -> None:
    said = worked("calendar", f"看看{when}的安排，找3天去杭州", "去杭州玩三天")
    assert [(made["name"], made["args"]) for made in said.tool_calls] == [("get_day_schedule", {"date": date_})]


def test_without_a_time_the_user_is_asked() -> None:
    (asked,) = worked("calendar", "找3天去杭州", "去杭州玩三天").tool_calls
    assert (asked["name"], asked["args"]) == ("ask_user", {"question": "想什么时候去杭州（3天）？"})


def test_a_longer_journey_is_one_trip() -> None:
    """Its name is free of the length (P22), which would be taken for a time of the reminder."""
    assert carried_out("国庆去成都玩十天")[1] == ["create 成都玩 @10-01", "weather @10-01 成都", "remind #1 weather"]
