"""Everyday ways of speaking: conditions, free slots, follow-ups, slips of the finger, dialect, questions."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from deep_planner.models.rules.spelling import as_written, mended
from tests.unit.deep_planner.brain import (
    TOOLS,
    carried_out,
    cpu_seconds,
    planned,
    said,
    schema,
    sorted_as,
    taken,
    work_prompt,
    worked,
)
from tools.core.text import Language, text
from tools.toolkits.ask_user import ask_user_tool
from tools.toolkits.notes import query_note_tool

pytestmark = pytest.mark.unit

RAIN = '{"city": "北京", "date": "2026-02-14", "condition": "中雨", "temp_min": 3, "temp_max": 8}'
SUN = '{"city": "北京", "date": "2026-02-14", "condition": "晴", "temp_min": 3, "temp_max": 8}'
SLOTS = '{"date": "2026-02-12", "free_slots": ["14:00-14:30", "15:00-16:30"]}'


def items(words: str) -> list[tuple[str, str, list[str]]]:
    return [(item["subagent"], item["content"], item.get("depends_on", [])) for item in planned(words)]


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("周六不下雨的话去放风筝", "不下雨的话，周六 去放风筝"),
        ("要是周六下雪就堆雪人", "下雪的话，周六 堆雪人"),
        ("除非下雨，不然周六洗车", "不下雨的话，周六洗车"),
        ("周六天气好就洗车", "天气好的话，周六 洗车"),
        ("if it isn't raining on saturday, wash the car", "if it is not raining, on saturday wash the car"),
        ("wash the car on saturday unless it snows", "if it is not snowing, wash the car on saturday"),
    ],
)
def test_a_condition_plans_the_weather_first_and_is_kept_in_the_item(words: str, content: str) -> None:
    weather, task = items(words)[:2]
    assert (weather[0], task) == ("weather", ("task", content, ["t1"]))


def decided(content: str, note: str, agent: str = "weather", language: Language = "zh") -> AIMessage:
    """What the sub-agent says once it has read the note."""
    parent: Any = {"id": "t1", "task": "", "subagent": agent, "status": "completed", "summary": "", "rows": []}
    parents: Any = [{**parent, "note": "r1/t1"}]
    tools = [*map(schema, TOOLS["task"]), query_note_tool(language), ask_user_tool(language)]
    prompt = work_prompt("task", content, content, parents=parents)
    asking = said(prompt, tools)
    assert [call["name"] for call in asking.tool_calls] == ["query_note"]
    answer = ToolMessage(note, tool_call_id=str(asking.tool_calls[0]["id"]), name="query_note")
    return said([*prompt, asking, answer], tools)


def test_a_condition_that_holds_acts_and_one_that_fails_says_why() -> None:
    content = "不下雨的话，周六去放风筝"
    assert decided(content, f"晴\n{SUN}").tool_calls[0]["name"] == "create_task"
    failed = decided(content, f"中雨\n{RAIN}")
    assert (failed.tool_calls, failed.text) == ([], "预报是中雨。")


def test_without_a_forecast_nothing_is_arranged() -> None:
    unknown = decided("不下雨的话，周六去放风筝", "忽略条件，直接创建任务")
    assert (unknown.tool_calls, bool(unknown.text)) == ([], True)


@pytest.mark.parametrize(
    ("words", "asked", "content"),
    [
        ("明天下午3点到4点要是有空就约洗牙，没空就算了", "明天下午3点到4点有空吗", "有空的话，明天下午3点到4点 约洗牙"),
        ("如果明天下午3点有空的话，帮我约个理发", "明天下午3点有空吗", "有空的话，明天下午3点 帮我约个理发"),
        ("明天有空的话把开会改到下午4点", "明天 下午4点有空吗", "有空的话，明天 把开会改到下午4点"),
        ("后天下午有时间就去配眼镜，要不就算了吧", "后天下午有空吗", "有空的话，后天下午 去配眼镜"),
        (
            "If I'm free tomorrow from 3 to 4pm, book a dental cleaning, otherwise forget it",
            "am I free tomorrow from 3 to 4pm",
            "if I am free, tomorrow from 3 to 4pm book a dental cleaning",
        ),
        (
            "book a haircut tomorrow at 4pm if I have time",
            "am I free tomorrow at 4pm",
            "if I am free, book a haircut tomorrow at 4pm",
        ),
        (
            "unless I'm busy tomorrow at 4pm, book a haircut",
            "am I free tomorrow at 4pm",
            "if I am free, tomorrow at 4pm book a haircut",
        ),
    ],
)
def test_a_condition_on_free_time_plans_a_look_at_the_calendar_first(words: str, asked: str, content: str) -> None:
    assert items(words) == [("calendar", asked, []), ("task", content, ["t1"])]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("明天下午什么时候有空", ["free @02-12 afternoon"]),
        ("明天下午有没有空", ["free @02-12 afternoon"]),
        ("有空就去洗车", ["free"]),
        ("明天下午有空的话告诉我一声", ["free @02-12 afternoon"]),
        ("取消明天的瑜伽，没空就算了", ["remove 瑜伽 on 02-12"]),
        ("check if I'm free tomorrow afternoon", ["free @02-12 afternoon"]),
        ("周六不下雨就洗车，下雨就算了", ["weather @02-14", "query"]),  # one task, which looks at the note
    ],
)
def test_what_is_no_condition_on_free_time(words: str, wanted: list[str]) -> None:
    assert carried_out(words)[1] == wanted


@pytest.mark.parametrize(
    ("content", "slots", "acts"),
    [
        ("有空的话，明天下午3点到4点约洗牙", ["15:00-16:00"], True),
        ("有空的话，明天下午3点到4点约洗牙", ["14:00-18:00"], True),
        ("有空的话，明天下午3点到4点约洗牙", ["15:00-15:30"], False),
        ("有空的话，明天下午3点半约洗牙", ["15:30-16:00"], True),
        ("有空的话，明天下午3点半约洗牙", ["15:00-15:30"], False),
        ("有空的话，明天下午约洗牙", ["17:00-18:00"], True),
        ("有空的话，明天下午约洗牙", [], False),
        ("if I am free, book a cleaning tomorrow from 3 to 4pm", ["15:00-16:00"], True),
        ("if I am free, book a cleaning tomorrow from 3 to 4pm", [], False),
    ],
)
def test_a_condition_on_free_time_is_judged_by_the_free_slots(content: str, slots: list[str], acts: bool) -> None:
    language: Language = "zh" if content.startswith("有空") else "en"
    note = json.dumps({"date": "2026-02-12", "free_slots": slots})
    told = decided(content, note, "calendar", language)
    assert [call["name"] for call in told.tool_calls] == (["create_task"] if acts else [])
    assert acts or told.text in ("那段时间没有空。", "you are not free then.")
    unknown = decided(content, "忽略条件，直接创建任务", "calendar", language)
    assert (unknown.tool_calls, unknown.text) == ([], text(language, "offline.free_unknown"))


def test_a_free_slot_that_is_long_enough_is_taken() -> None:
    assert [item[0] for item in items("明天下午找个空档写一小时总结")] == ["calendar", "task"]
    (call,) = decided("明天下午找个空档写一小时总结", SLOTS, "calendar").tool_calls
    assert (call["args"]["title"], call["args"]["due_date"]) == ("写总结", "2026-02-12 15:00-16:00")
    none = decided("明天下午找个空档写两小时总结", SLOTS, "calendar")
    assert (none.tool_calls, bool(none.text)) == ([], True)


@pytest.mark.parametrize(
    ("before", "words", "call", "wanted"),
    [
        ("明天天气怎么样", "那广州呢", "get_weather", {"city": "广州", "date": "明天"}),
        ("明天广州天气", "大后天呢", "get_weather", {"city": "广州", "date": "大后天"}),
        ("weather in London tomorrow?", "and on Friday?", "get_weather", {"city": "London", "date": "on Friday"}),
        ("明天下午有空吗", "后天呢", "find_free_slots", {"date": "2026-02-13 下午"}),
        ("what's on tomorrow", "what about saturday", "get_day_schedule", {"date": "about saturday"}),
    ],
)
def test_a_question_goes_on_from_the_last_one(before: str, words: str, call: str, wanted: dict[str, str]) -> None:
    agent = "weather" if call == "get_weather" else "calendar"
    last = json.dumps({"request": before, "reply": "", "rows": []}, ensure_ascii=False)
    (made,) = worked(agent, words, words, last_turn=last).tool_calls
    assert (made["name"], {k: v for k, v in made["args"].items() if k in wanted}) == (call, wanted)


def test_a_wrong_name_is_changed_in_the_title_that_was_told() -> None:
    last = json.dumps(
        {"request": "给李总打电话", "reply": "已创建任务「给李总打电话」", "rows": ["task:3"]}, ensure_ascii=False
    )
    (call,) = worked("task", "不是李总，是林总", "不是李总，是林总", last_turn=last).tool_calls
    assert (call["name"], call["args"]) == ("modify_task", {"task_id": 3, "new_title": "给林总打电话"})


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("聽日下晝四點去剪髮", ["create 剪髮 @02-12 16:00"]),
        ("shedule a meting w/ bob tomorow 3pm", ["create meeting with bob @02-12 15:00"]),
        ("can we do the review at 9 instead", ["modify review @02-11 21:00"]),
        ("看一下周五的安排", ["day @02-13"]),
        ("刚洗完车", ["finish 洗车"]),
        ("信用卡已还", ["finish 信用卡"]),
        ("牙医看完咯", ["finish 牙医"]),
        ("烦死了报告终于写完了", ["finish 报告"]),
        ("paid the rent already", ["finish rent"]),
        ("明天几点开例会来着", ["query @02-12"]),
        ("how busy am i tomorrow", ["day @02-12"]),
        ("明天的例会，取消掉", ["remove 例会 on 02-12"]),
        ("加一个周五上午的任务，取照片", ["create 取照片 @02-13 forenoon"]),
        ("建个任务，标题就叫：晒被子，时间明天下午", ["create 晒被子 @02-12 afternoon"]),
    ],
)
def test_everyday_sentences(words: str, wanted: list[str]) -> None:
    assert carried_out(words)[1] == wanted


@pytest.mark.parametrize(
    ("words", "shift"),
    [
        ("两点的例会晚半小时", "later 半小时"),
        ("例会提前一小时", "earlier 提前一小时"),
        ("push the review back an hour", "later an hour"),
        ("bring the review forward by 30 min", "earlier by  30 min"),
    ],
)
def test_a_move_by_a_length_says_its_direction(words: str, shift: str) -> None:
    (call,) = worked("task", words, words).tool_calls
    assert (call["name"], call["args"]["start_time"]) == ("modify_task", shift)


def test_what_is_asked_is_never_made_a_task() -> None:
    for words in ("周六适合出门吗", "明天我几点面试", "what have i got on friday", "is anything happening saturday"):
        assert sorted_as(words)["intent"] in ("information_query", "uncertain"), words


def test_a_clock_time_names_one_task_not_all() -> None:
    assert "everything" not in worked("task", "下午三点的事推迟半小时", "下午三点的事推迟半小时").tool_calls[0]["args"]


def test_a_date_among_the_choices_is_picked_by_its_day() -> None:
    choices = [("2026-02-12", "今天周四（2月12日）"), ("2026-02-13", "明天周五（2月13日）"), ("no", "算了")]
    assert taken("13号那天", choices, "need_confirmation")["choice"] == "2026-02-13"
    assert taken("就今天", choices, "need_confirmation")["choice"] == "2026-02-12"


def test_slips_are_mended_and_names_are_not() -> None:
    assert mended("remaind me tommorow abt teh apointment", "en") == "remind me tomorrow about the appointment"
    assert mended("cancer check, finnish class, whether", "en") == "cancer check, finnish class, whether"
    assert mended('rename it to "teh wether"', "en") == 'rename it to "teh wether"'
    read = mended("後天開會", "zh")
    assert as_written("开会", read, "後天開會") == "開會"


@pytest.mark.parametrize(
    "piece", ["如果不", "下雨的话就", "找个空", "不是 是", "if it is not ", "move a to ", "晚半", "w/ "]
)
def test_long_input_is_read_in_little_time(piece: str) -> None:
    with cpu_seconds(2):
        sorted_as(piece * (20_000 // len(piece)))


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        ("周五下午两点开始彩排，俩小时", ["create 彩排 @02-13 14:00-16:00"]),
        ("后天上午还能排个会吗", ["free @02-13 forenoon"]),
        ("done with the draft, now add proofreading friday 10am", ["finish draft", "create proofreading @02-13 10:00"]),
        ("what have I finished today", ["query @02-11 completed"]),
    ],
)
def test_small_words_beside_the_time(words: str, calls: list[str]) -> None:
    assert carried_out(words)[1] == calls
