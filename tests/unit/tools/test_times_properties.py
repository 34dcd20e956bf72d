"""What holds for any text: no crash, no inverted range, spans inside the text, little time."""

import re
import time
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.domain.times import Kind, find_whens, occurrences, parse_when, remove_spans
from tools.domain.times.lexicon import LANGUAGES, grammar, tables
from tools.domain.times.normal import normalise
from tools.domain.times.scan import _maker

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)
WORDS = re.findall(
    r"\S+",
    """明天 后天 下周 周三 周末 每 每周 到 - ~ 前 后 之前 半 三点 3 12 15:30 2月 14号 上午 晚上 凌晨 半小时
    两天 国庆 除夕 农历 正月 三十 年 月 日 点 分 一 个 第 最后 号 每月 31 29 2026 9999 0 tomorrow
    next friday at 3pm to from in two weeks every day by noon half past may 13 feb 30th last month of
    until , ， 。""",
)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(ZONE))  # noqa: DTZ001
ANY_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(codec=None, categories=None), max_size=60),
    st.lists(st.sampled_from([*WORDS, " "]), max_size=12).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join),
)


@settings(max_examples=600, deadline=None)
@given(text=ANY_TEXT, now=MOMENTS, query=st.booleans())
def test_any_text(text, now, query):
    found = find_whens(text, now, ZONE, purpose="query" if query else "create")
    taken = []
    for when in found:
        taken += when.spans
        assert all(0 <= start < end <= len(text) for start, end in when.spans)
        assert when.start is None or when.start.tzinfo == ZONE
        assert when.end is None or when.start < when.end
        assert (when.kind is Kind.DURATION) == (when.start is None)
        assert (when.kind is Kind.RECURRENCE) == (when.rrule is not None)
        assert when.date is None or when.kind is Kind.RECURRENCE or when.date == when.start.date()
        if when.rrule:
            assert (occurrences(when, 1) or [when.start]) == [when.start]
    assert all(first[1] <= second[0] for first, second in pairwise(sorted(taken)))
    assert len(remove_spans(text, found)) <= len(text)


@settings(max_examples=200, deadline=None)
@given(text=ANY_TEXT)
def test_offsets_survive_normalising(text):
    assert len(normalise(text)) == len(text)


@settings(max_examples=100, deadline=None)
@given(days=st.integers(2, 300), now=MOMENTS)
def test_a_date_written_out_is_that_date(days, now):
    day = now.date() + timedelta(days=days)
    for text in (f"{day.year}年{day.month}月{day.day}日", f"{day:%Y-%m-%d}", f"{day:%B} {day.day}, {day.year}"):
        assert parse_when(text, now, ZONE).date == day


@settings(max_examples=100, deadline=None)
@given(hour=st.integers(0, 23), minute=st.integers(0, 59), now=MOMENTS)
def test_a_clock_time_written_out_is_that_time(hour, minute, now):
    half = "am" if hour < 12 else "pm"
    for text in (f"明天{hour:02}:{minute:02}", f"tomorrow at {hour % 12 or 12}:{minute:02}{half}"):
        start = parse_when(text, now, ZONE).start
        assert (start.date(), start.hour, start.minute) == (now.date() + timedelta(days=1), hour, minute)


@pytest.mark.parametrize(
    "unit",
    ["a", "1", "1 ", "的", "一", "12:", " ", "and a ", "明天", "1小时", "next friday ", "\x00", "\ud800", "twenty "],
)
def test_a_megabyte_takes_little_time(unit):
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    begun = time.process_time()
    find_whens(text, NOW, ZONE)
    assert time.process_time() - begun < 8


def test_a_phrase_after_much_prose_is_found():
    assert parse_when("x" * 1_000_000 + " 明天", NOW, ZONE).kind is Kind.DATE


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_its_maker(language):
    for rule in grammar(language).rules:
        assert callable(_maker(rule.make))
        assert rule.regex.groups >= 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_festival_has_a_day(language):
    for name in tables(language)["words"]["festival"]:
        when = parse_when(name, NOW, ZONE)
        assert when is not None, name
        assert when.date >= NOW.date(), name
