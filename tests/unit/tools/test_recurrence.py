"""The dates of a series: the rule alone, without rows (requirements, issue 2; RFC 5545 section 3.3.10)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from tests.support.builders import SHANGHAI, task
from tools.core.text import LANGUAGES, Language
from tools.domain.recurrence import (
    begun,
    checked_rule,
    days_of,
    is_occurrence,
    next_occurrence,
    occurrence_on,
    occurrences,
    on_weekday,
    without,
)
from tools.domain.tasks import Task
from tools.services.rule_words import rule_words

pytestmark = pytest.mark.unit

MONDAY = date(2026, 2, 16)
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
DATES = st.dates(date(2020, 1, 1), date(2030, 12, 31))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Rules that come back at least once a year."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY"]))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 4))}"]
    if frequency == "WEEKLY":
        days = draw(st.lists(st.sampled_from(WEEKDAYS), unique=True, max_size=4))
        parts += [f"BYDAY={','.join(sorted(days, key=WEEKDAYS.index))}"] if days else []
    if frequency == "MONTHLY":
        days = draw(st.lists(st.integers(1, 28), unique=True, min_size=1, max_size=3))
        parts.append(f"BYMONTHDAY={','.join(map(str, sorted(days)))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 30))}")
    return ";".join(parts)


def series(rule: str, first: date, **fields: object) -> Task:
    made = begun(task("站会", "09:00-09:30", id=7), rule, first)
    assert made is not None
    return made


@given(rules(), DATES, DATES, st.integers(0, 60))
def test_dates_between_are_those_of_the_rule(rule: str, first: date, start: date, length: int) -> None:
    made, last = series(rule, first), start + timedelta(days=length)
    all_of_it = rrulestr(rule, dtstart=datetime.combine(made.date, time(), UTC))
    begin, end = (datetime.combine(day, time(), UTC) for day in (start, last))
    assert list(days_of(made, start, last)) == [moment.date() for moment in all_of_it.between(begin, end, inc=True)]


@given(rules(), DATES)
def test_a_series_begins_on_its_first_date_and_never_before(rule: str, first: date) -> None:
    made = series(rule, first)
    assert next(days_of(made, date(2000, 1, 1))) == made.date >= first


@given(rules(), DATES, st.sets(st.integers(0, 9), max_size=5))
def test_a_date_taken_out_is_missed_and_no_other(rule: str, first: date, places: set[int]) -> None:
    made = series(rule, first)
    days = list(islice(days_of(made, first), 10))
    out = [days[place] for place in places if place < len(days)]
    for day in out:
        made = without(made, day)
    left = [day for day in days if day not in out]
    assert list(islice(days_of(made, first, days[-1]), 10)) == left
    assert all(occurrence_on(made, day) is None for day in out)


@given(rules(), DATES)
def test_an_occurrence_is_the_task_on_its_own_date(rule: str, first: date) -> None:
    made = series(rule, first)
    for met in occurrences([made], made.date, made.date + timedelta(days=100)):
        assert is_occurrence(met)
        assert (met.id, met.title, met.start_time, met.rrule) == (made.id, made.title, made.start_time, None)
    assert next_occurrence(made, made.date) == occurrence_on(made, made.date)


@given(rules())
def test_a_checked_rule_stays_as_it_is(rule: str) -> None:
    once = checked_rule(rule, SHANGHAI)
    assert checked_rule(once, SHANGHAI) == once == checked_rule(f"RRULE:{rule.lower()}", SHANGHAI)


@pytest.mark.parametrize(
    ("until", "local"),
    [("20260630T155959Z", "20260630"), ("20260630T160000Z", "20260701"), ("20260630", "20260630")],
)
def test_the_end_of_a_rule_is_a_local_date(until: str, local: str) -> None:
    assert checked_rule(f"FREQ=DAILY;UNTIL={until}", SHANGHAI) == f"FREQ=DAILY;UNTIL={local}"
    assert checked_rule("FREQ=DAILY;UNTIL=20260701T035959Z", ZoneInfo("America/New_York")).endswith("=20260630")


def test_the_last_date_belongs_to_the_series() -> None:
    made = series("FREQ=DAILY;UNTIL=20260218", MONDAY)
    assert list(days_of(made, MONDAY)) == [MONDAY, date(2026, 2, 17), date(2026, 2, 18)]


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "daily",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYHOUR=8",
        "FREQ=DAILY;X=1",
        "FREQ=WEEKLY;BYDAY=YY",
        "FREQ=DAILY\nRDATE=1",
    ],
)
def test_what_is_no_rule_of_whole_days_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        checked_rule(rule, SHANGHAI)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;INTERVAL=1001",
        "FREQ=DAILY;INTERVAL=x",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=MONTHLY;BYMONTHDAY=32",
    ],
)
def test_a_rule_that_stands_still_or_never_comes_is_refused(rule: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        checked_rule(rule, SHANGHAI)


def test_a_leap_day_is_a_date() -> None:
    assert checked_rule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", SHANGHAI)


def test_a_rule_of_one_weekday_moves_to_another() -> None:
    assert on_weekday("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", date(2026, 2, 19)) == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH"
    assert on_weekday("FREQ=WEEKLY", date(2026, 2, 19)) == "FREQ=WEEKLY;BYDAY=TH"
    assert on_weekday("FREQ=WEEKLY;BYDAY=MO,WE", date(2026, 2, 19)) is None
    assert on_weekday("FREQ=DAILY", date(2026, 2, 19)) is None


WORDS = {
    "FREQ=DAILY": ("每天", "every day"),
    "FREQ=DAILY;INTERVAL=3": ("每3天", "every 3 days"),
    "FREQ=WEEKLY": ("每周一", "every Monday"),
    "FREQ=WEEKLY;BYDAY=MO,WE,FR": ("每周一、周三、周五", "every Monday, Wednesday, Friday"),
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": ("每个工作日", "every weekday"),
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU": ("每2周的周二", "every 2 weeks on Tuesday"),
    "FREQ=MONTHLY;BYMONTHDAY=15": ("每月15日", "every month on the 15th"),
    "FREQ=MONTHLY;BYMONTHDAY=1,22,-1": ("每月1日、22日、最后一天", "every month on the 1st, the 22nd, the last day"),
    "FREQ=MONTHLY;BYDAY=1MO": ("每月第一个周一", "every month on the first Monday"),
    "FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR": ("每3个月的最后一个周五", "every 3 months on the last Friday"),
    "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8": ("每年3月8日", "every year on the 8th of March"),
    "FREQ=YEARLY": ("每年2月16日", "every year on the 16th of February"),
    "FREQ=DAILY;UNTIL=20260630": ("每天（到2026年6月30日为止）", "every day (until 30 June 2026)"),
    "FREQ=WEEKLY;BYDAY=MO;COUNT=5": ("每周一（共5次）", "every Monday (5 times)"),
    "FREQ=YEARLY;BYYEARDAY=100": ("按规则重复（FREQ=YEARLY;BYYEARDAY=100）", "by the rule FREQ=YEARLY;BYYEARDAY=100"),
    "FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=13": (
        "按规则重复（FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=13）",
        "by the rule FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=13",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", WORDS)
def test_a_rule_is_said_as_people_say_it(rule: str, language: Language) -> None:
    assert rule_words(rule, MONDAY, language) == WORDS[rule][LANGUAGES.index(language)]


@given(rules(), DATES, st.sampled_from(LANGUAGES))
def test_every_rule_can_be_said(rule: str, first: date, language: Language) -> None:
    assert rule_words(checked_rule(rule, SHANGHAI), first, language)
