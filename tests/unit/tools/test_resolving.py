"""From words to dates: what they mean, what is past, and what only the user can tell (A41, P1, P3, P16, P19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from tests.support.builders import (
    SATURDAY,
    TODAY,
    TOMORROW,
    at,
    call,
    completed,
    context,
    counts,
    picked,
    tasks_of,
    use,
)
from tools.core.errors import ToolArgumentError
from tools.core.text import Language
from tools.domain.segments import TimeSegment
from tools.services.resolving import Timing, resolve, resolve_days, resolve_instant, resolve_offset
from tools.services.tasks import TaskService
from tools.store.database import Database
from tools.toolkits.task import task_tools

pytestmark = pytest.mark.unit

Tools = Sequence[BaseTool]


def span(day: date, start: str, end: str | None = None) -> Timing:
    return Timing(day, day, time.fromisoformat(start), time.fromisoformat(end) if end else None, None, dated=True)


PAST: dict[str, tuple[Language, str, dict[str, Any], str]] = {
    "6.2.3 today, the segment is over, zh": (
        "zh",
        "10:00",
        {"due_date": "今天", "time_segment": "morning"},
        "今天周三（2月11日）早上已经过了，还要创建「跑步」吗？",
    ),
    "6.2.3 today, the segment is over, en": (
        "en",
        "10:00",
        {"due_date": "today", "time_segment": "morning"},
        "today, Wednesday (11 February), morning is already over. Create “跑步” all the same?",
    ),
    "P3 a past date": ("zh", "10:00", {"due_date": "昨天"}, "周二（2月10日）已经过去了，还要创建「跑步」吗？"),
    "P3 the start has passed, no end": (
        "zh",
        "16:00",
        {"due_date": "2026-02-11", "start_time": "15:00"},
        "今天周三（2月11日）15:00已经过了，还要创建「跑步」吗？",
    ),
    "P3 the end has passed": (
        "zh",
        "16:00",
        {"due_date": "2026-02-11", "start_time": "14:00", "end_time": "15:00"},
        "今天周三（2月11日）14:00-15:00已经过了，还要创建「跑步」吗？",
    ),
    "P1 all day, said in the evening": (
        "zh",
        "19:00",
        {"due_date": "2026-02-11", "time_segment": "all_day"},
        "今天周三（2月11日）全天已经过了，还要创建「跑步」吗？",
    ),
}


@pytest.mark.parametrize(("language", "clock", "arguments", "message"), PAST.values(), ids=PAST)
async def test_the_past_is_asked_about(
    database: Database, tools: Tools, language: Language, clock: str, arguments: dict[str, Any], message: str
) -> None:
    result = await use(tools, "create_task", call(language, now=at(clock)), title="跑步", **arguments)
    assert (result.status, result.message) == ("need_confirmation", message)
    assert await counts(database) == {"tasks": 0, "reminders": 0, "effects": 0, "journal": 0}
    anyway = completed({"title": "跑步", **arguments}, picked(result, "yes"))
    made = await use(tools, "create_task", call(language, now=at(clock), permitted=True), **anyway)
    assert made.status == "success"
    assert picked(result, "no").decline


async def test_past_today_offers_tomorrow(database: Database, tools: Tools) -> None:
    arguments = {"title": "跑步", "due_date": "今天早上七点"}
    asked = await use(tools, "create_task", call(now=at("21:00")), **arguments)
    choice = picked(asked, "tomorrow")
    assert (choice.label, choice.permit) == ("改到明天周四（2月12日）07:00", False)
    later = call(now=at("02-12 06:00"))
    await use(tools, "create_task", later, **completed(arguments, choice))
    (row,) = await tasks_of(database)
    assert (row.date, str(row.start_time)) == (TOMORROW, "07:00:00")


RUNNING = {"due_date": "2026-02-11", "start_time": "09:30", "end_time": "11:00"}


async def test_a_range_still_running_is_created_and_said_so(database: Database, tools: Tools) -> None:
    result = await use(tools, "create_task", call(), title="开会", **RUNNING)
    assert result.status == "success"
    assert "这段时间已经开始了" in result.message


WHICH_DATE = {
    "zh": "现在还是凌晨，「开会」是指今天周四（2月12日）；明天周五（2月13日）？",
    "en": "It is still the middle of the night: is “开会” for today, Thursday (12 February); "
    "tomorrow, Friday (13 February)?",
}


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_which_date_after_midnight(database: Database, language: Language) -> None:
    tools = task_tools(TaskService(database), language)
    arguments = {"title": "开会", "due_date": {"zh": "明天", "en": "tomorrow"}[language], "start_time": "15:00"}
    asked = await use(tools, "create_task", call(language, now=at("02-12 01:30")), **arguments)
    assert (asked.status, asked.message) == ("need_confirmation", WHICH_DATE[language])
    assert await tasks_of(database) == []
    later = call(language, now=at("02-12 12:00"))
    await use(tools, "create_task", later, **completed(arguments, asked.choices[0]))
    (row,) = await tasks_of(database)
    assert (row.date, str(row.start_time)) == (TOMORROW, "15:00:00")


@pytest.mark.parametrize(
    ("words", "end"), [("明天下午三点", None), ("明天下午三点到四点", "16:00")], ids=["a start", "a span"]
)
async def test_which_date_keeps_the_clock_that_was_said_with_it(
    database: Database, tools: Tools, words: str, end: str | None
) -> None:
    arguments = {"title": "开会", "due_date": words}
    asked = await use(tools, "create_task", call(now=at("02-12 01:30")), **arguments)
    assert asked.status == "need_confirmation"
    made = await use(tools, "create_task", call(now=at("02-12 01:30")), **completed(arguments, asked.choices[1]))
    assert made.task is not None
    assert (made.task.date, made.task.start_time, made.task.end_time) == ("2026-02-13", "15:00", end)


def part(day: date, segment: TimeSegment | None = None) -> Timing:
    return Timing(day, day, None, None, segment, dated=True)


MEANT: dict[str, tuple[dict[str, str], Timing]] = {
    "nothing was said": ({}, Timing(None, None, None, None, None)),
    "ISO": ({"day": "2026-02-14"}, part(SATURDAY)),
    "ISO with clock": ({"day": "2026-02-14", "start": "09:30", "end": "10:00"}, span(SATURDAY, "09:30", "10:00")),
    "a clock alone leaves the date open": ({"start": "15:00"}, Timing(None, None, time(15), None, None)),
    "words with a clock in its own argument": ({"day": "后天", "start": "15:00"}, span(date(2026, 2, 13), "15:00")),
    "words in all arguments": (
        {"day": "后天", "start": "下午三点", "end": "四点"},
        span(date(2026, 2, 13), "15:00", "16:00"),
    ),
    "English words in all": ({"day": "tomorrow", "start": "3pm", "end": "4:30pm"}, span(TOMORROW, "15:00", "16:30")),
    "a part of the day": (
        {"day": "明天下午"},
        Timing(TOMORROW, TOMORROW, None, None, TimeSegment.AFTERNOON, dated=True),
    ),
    "a part of the day by its name": ({"day": "2026-02-12", "segment": "noon"}, part(TOMORROW, TimeSegment.NOON)),
    "a weekend is Saturday to a new task": ({"day": "周末"}, part(SATURDAY)),
    "P19 one to six are in the afternoon": ({"day": "明天三点"}, span(TOMORROW, "15:00")),
    "P19 seven to twelve are as written": ({"day": "明天九点"}, span(TOMORROW, "09:00")),
    "P19 today, twelve hours later": ({"day": "今天八点"}, span(TODAY, "20:00")),
    "P19 tonight at twelve is the next date": ({"day": "今晚12点"}, span(TOMORROW, "00:00")),
}


@pytest.mark.parametrize(("arguments", "expected"), MEANT.values(), ids=MEANT)
def test_what_the_arguments_mean(arguments: dict[str, str], expected: Timing) -> None:
    language: Language = "en" if "tomorrow" in arguments.values() else "zh"
    found = resolve(context(language), **arguments)
    if expected.start is not None:  # a clock time may also name its part of the day
        found = replace(found, segment=None)
    assert found == expected


def test_a_clock_alone_does_not_name_its_day() -> None:
    found = resolve(context(), "下午四点")
    assert (found.day, found.start, found.dated) == (TODAY, time(16), False)
    assert found.arguments() == {"due_date": None, "start_time": "16:00", "end_time": None, "time_segment": None}


def test_a_weekend_asked_about_is_both_days() -> None:
    assert resolve_days(context(), "周末") == (SATURDAY, SATURDAY + timedelta(days=1))
    assert resolve_days(context(), None) == (TODAY, TODAY)


@pytest.mark.parametrize("words", ["2026-13-01", "2026-02-30", "蓝色", "someday maybe", "明" * 201, " "])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_words_that_name_no_time_are_refused_with_the_accepted_forms(words: str, language: Language) -> None:
    with pytest.raises(ToolArgumentError) as refused:
        resolve(context(language), words)
    assert refused.value.key == "bad_time"
    assert "2026-02-14" in refused.value.message(language)
    assert len(str(refused.value.facts["value"])) <= 200


def test_a_clock_that_is_none_is_not_dropped_in_silence() -> None:
    with pytest.raises(ToolArgumentError):
        resolve(context(), "2026-02-12", "25:61")


OFFSETS = {"半小时": 30, "提前两小时": 120, "2 hours": 120, "an hour before": 60, "一天": 1440}


@pytest.mark.parametrize(("words", "minutes"), OFFSETS.items())
def test_offsets(words: str, minutes: int) -> None:
    assert resolve_offset(context(), words) == timedelta(minutes=minutes)


def test_instants_fall_on_the_day_of_the_task_unless_they_name_one() -> None:
    assert resolve_instant(context(), "早上八点", SATURDAY) == at("02-14 08:00")
    assert resolve_instant(context(), "明天晚上八点", SATURDAY) == at("02-12 20:00")
    assert resolve_instant(context(), "明天", SATURDAY) is None
    assert resolve_offset(context(), "明天晚上八点") is None
