"""Parts of the day: seed table 6.2.1."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.segments import (
    SEGMENT_HOURS,
    TimeSegment,
    default_segment,
    is_segment_open,
    is_today,
    minutes_of,
    segment_at,
)

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("Asia/Shanghai")
TODAY = date(2026, 2, 11)
NAMED = [segment for segment in TimeSegment if segment is not TimeSegment.ALL_DAY]


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 2, 11, hour, minute, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        pytest.param("14:30", 870, id="6.2.1 parseTimeToMinutes 14:30"),
        pytest.param("25:00", None, id="6.2.1 parseTimeToMinutes 25:00"),
        pytest.param(None, None, id="6.2.1 parseTimeToMinutes null"),
        ("00:00", 0),
        ("23:59", 1439),
        ("24:00", None),
        ("9:05", 545),
        ("14:60", None),
        ("14:3", None),
        ("14", None),
        ("-1:30", None),
        ("下午", None),
        ("", None),
        (" 14:30 ", 870),
    ],
)
def test_minutes_of(text: str | None, minutes: int | None) -> None:
    assert minutes_of(text) == minutes


@given(st.times())
def test_minutes_of_reads_every_time_of_day(moment: time) -> None:
    assert minutes_of(moment.strftime("%H:%M")) == moment.hour * 60 + moment.minute


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        pytest.param(TODAY, True, id="6.2.1 isTodayDate today"),
        pytest.param(None, False, id="6.2.1 isTodayDate null"),
        (date(2026, 2, 10), False),
        (date(2026, 2, 12), False),
    ],
)
def test_is_today(day: date | None, expected: bool) -> None:
    assert is_today(day, at(23, 59)) is expected


@pytest.mark.parametrize(
    ("hour", "segment"),
    [
        pytest.param(14, TimeSegment.AFTERNOON, id="6.2.1 getCurrentTimeSegment at 14:00"),
        (0, TimeSegment.EARLY_MORNING),
        (5, TimeSegment.EARLY_MORNING),
        (6, TimeSegment.MORNING),
        (9, TimeSegment.FORENOON),
        (12, TimeSegment.NOON),
        (17, TimeSegment.AFTERNOON),
        (18, TimeSegment.EVENING),
        (23, TimeSegment.EVENING),
    ],
)
def test_segment_at(hour: int, segment: TimeSegment) -> None:
    assert segment_at(at(hour)) is segment
    assert segment_at(time(hour, 59)) is segment


@given(st.times())
def test_exactly_one_named_segment_holds_a_time(moment: time) -> None:
    holding = [name for name in NAMED if SEGMENT_HOURS[name][0] <= moment.hour < SEGMENT_HOURS[name][1]]
    assert holding == [segment_at(moment)]


@pytest.mark.parametrize(
    ("day", "hour", "segment"),
    [
        pytest.param(TODAY, 19, TimeSegment.EVENING, id="6.2.1 getDefaultTimeSegmentForDate today, evening"),
        (TODAY, 17, TimeSegment.ALL_DAY),
        (date(2026, 2, 12), 19, TimeSegment.ALL_DAY),
    ],
)
def test_default_segment(day: date, hour: int, segment: TimeSegment) -> None:
    assert default_segment(day, at(hour)) is segment


@pytest.mark.parametrize(
    ("day", "segment", "now", "is_open"),
    [
        pytest.param(
            TODAY, TimeSegment.MORNING, at(20), False, id="6.2.1 isSegmentAllowedForToday morning, said in the evening"
        ),
        (TODAY, TimeSegment.AFTERNOON, at(17, 59), True),
        (TODAY, TimeSegment.AFTERNOON, at(18), False),
        (TODAY, TimeSegment.EVENING, at(23, 59), True),
        (TODAY, TimeSegment.ALL_DAY, at(17, 59), True),
        (TODAY, TimeSegment.ALL_DAY, at(18), False),
        (date(2026, 2, 12), TimeSegment.MORNING, at(20), True),
        (date(2026, 2, 10), TimeSegment.EVENING, at(9), False),
    ],
)
def test_is_segment_open(day: date, segment: TimeSegment, now: datetime, is_open: bool) -> None:
    assert is_segment_open(day, segment, now) is is_open


@given(st.times())
def test_the_default_segment_is_always_open(moment: time) -> None:
    now = datetime.combine(TODAY, moment, tzinfo=ZONE)
    assert is_segment_open(TODAY, default_segment(TODAY, now), now)
