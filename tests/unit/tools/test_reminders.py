"""When a reminder rings and what the weather adds: the pure part of seed table 6.2.6 (A25-A27, P2)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.reminders import Advice, ReminderRule, explicit_remind_at, remind_at, weather_advice
from tools.domain.segments import SEGMENT_HOURS, TimeSegment

pytestmark = pytest.mark.unit

SHANGHAI, BERLIN, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
TODAY, TOMORROW, SATURDAY = date(2026, 2, 11), date(2026, 2, 12), date(2026, 2, 14)
ALL_DAY, SMALL_HOURS, MORNING = TimeSegment.ALL_DAY, TimeSegment.EARLY_MORNING, TimeSegment.MORNING
FORENOON, AFTERNOON = TimeSegment.FORENOON, TimeSegment.AFTERNOON
HALF_HOUR, SEGMENT_START = ReminderRule.HALF_HOUR, ReminderRule.SEGMENT_START


def at(text: str, zone: ZoneInfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


#: What is tested: the task's day, start and segment, the present moment, the ring that is expected, and its rule.
RULES = {
    "6.2.6 a later day": (SATURDAY, None, MORNING, "02-11 10:00", "02-13 20:00", ReminderRule.DAY_BEFORE),
    "6.2.6 today with a time": (TODAY, time(15), ALL_DAY, "02-11 10:00", "02-11 13:00", ReminderRule.TWO_HOURS),
    "6.2.6 today without": (TODAY, None, ALL_DAY, "02-11 07:00", "02-11 08:00", ReminderRule.MORNING_OF),
    "P2 evening past, timed": (TOMORROW, time(9), ALL_DAY, "02-11 21:00", "02-12 07:00", ReminderRule.TWO_HOURS),
    "P2 evening past, small hours": (TOMORROW, time(0, 30), ALL_DAY, "02-11 23:00", "02-12 00:00", HALF_HOUR),
    "P2 evening past, untimed": (TOMORROW, None, FORENOON, "02-11 21:00", "02-12 08:00", ReminderRule.MORNING_OF),
    "08:00 is after the small hours": (TOMORROW, None, SMALL_HOURS, "02-11 21:00", "02-12 00:00", SEGMENT_START),
    "P2 two hours before is now": (TODAY, time(15), ALL_DAY, "02-11 13:00", "02-11 14:30", HALF_HOUR),
    "P2 half an hour is past": (TODAY, time(15), ALL_DAY, "02-11 14:45", "02-11 15:00", ReminderRule.AT_START),
    "P2 08:00 is past": (TODAY, None, AFTERNOON, "02-11 10:00", "02-11 14:00", SEGMENT_START),
    "P2 the segment runs": (TODAY, None, AFTERNOON, "02-11 15:20", "02-11 16:00", ReminderRule.NEXT_HOUR),
    "P2 20:00 at the latest": (TODAY, None, ALL_DAY, "02-11 19:59", "02-11 20:00", ReminderRule.NEXT_HOUR),
}


@pytest.mark.parametrize(("day", "start", "segment", "now", "rings", "rule"), RULES.values(), ids=RULES)
def test_remind_at(
    day: date, start: time | None, segment: TimeSegment, now: str, rings: str, rule: ReminderRule
) -> None:
    reminder = remind_at(day, start, segment, at(f"2026-{now}"), SHANGHAI)
    assert reminder is not None
    assert (reminder.at.isoformat(), reminder.rule) == (at(f"2026-{rings}").isoformat(), rule)


PAST = {
    "6.2.6 a past day, timed": (date(2026, 2, 10), time(9), ALL_DAY, "02-11 08:00"),
    "6.2.6 a past day, untimed": (date(2026, 2, 10), None, ALL_DAY, "02-11 08:00"),
    "6.2.6 the start is now": (TODAY, time(9), ALL_DAY, "02-11 09:00"),
    "nothing is left after 20:00": (TODAY, None, ALL_DAY, "02-11 20:00"),
    "the segment is over": (TODAY, None, MORNING, "02-11 10:00"),
}


@pytest.mark.parametrize(("day", "start", "segment", "now"), PAST.values(), ids=PAST)
def test_a_past_task_gets_no_reminder(day: date, start: time | None, segment: TimeSegment, now: str) -> None:
    assert remind_at(day, start, segment, at(f"2026-{now}"), SHANGHAI) is None


CLOCK_CHANGES = {
    "two elapsed hours, spring": (BERLIN, "2026-03-29 03:30", "03-29 00:10+01:00", "03-29 00:30:00+01:00"),
    "two elapsed hours, autumn": (BERLIN, "2026-10-25 03:30", "10-25 00:10+02:00", "10-25 02:30:00+02:00"),
    "20:00 before the short day": (BERLIN, "2026-03-29 09:00", "03-27 12:00+01:00", "03-28 20:00:00+01:00"),
    "20:00 on the short day": (BERLIN, "2026-03-30 09:00", "03-27 12:00+01:00", "03-29 20:00:00+02:00"),
    "a skipped start is 03:30": (NEW_YORK, "2026-03-08 02:30", "03-08 00:10-05:00", "03-08 00:30:00-05:00"),
    "of two starts the first": (NEW_YORK, "2026-11-01 01:30", "11-01 00:45-04:00", "11-01 01:00:00-04:00"),
    "20:00 before the long day": (NEW_YORK, "2026-11-01 09:00", "10-30 12:00-04:00", "10-31 20:00:00-04:00"),
}


@pytest.mark.parametrize(("zone", "start", "now", "rings"), CLOCK_CHANGES.values(), ids=CLOCK_CHANGES)
def test_days_when_the_clocks_change(zone: ZoneInfo, start: str, now: str, rings: str) -> None:
    starts = datetime.fromisoformat(start)
    reminder = remind_at(starts.date(), starts.time(), ALL_DAY, datetime.fromisoformat(f"2026-{now}"), zone)
    assert reminder is not None
    assert reminder.at.isoformat(" ") == f"2026-{rings}"
    assert reminder.at.tzinfo is zone


@pytest.mark.parametrize(
    ("start", "segment", "before", "rings"),
    [
        (time(15), ALL_DAY, timedelta(hours=1), "2026-02-14 14:00"),
        (time(15), ALL_DAY, timedelta(0), "2026-02-14 15:00"),
        (time(15), ALL_DAY, timedelta(days=1), "2026-02-13 15:00"),
        (time(0, 10), ALL_DAY, timedelta(minutes=30), "2026-02-13 23:40"),
        (None, AFTERNOON, timedelta(hours=1), "2026-02-14 13:00"),
        (None, ALL_DAY, timedelta(days=1), "2026-02-13 08:00"),
        (time(0), ALL_DAY, timedelta(days=1), "2026-02-13 00:00"),
    ],
)
def test_explicit_remind_at(start: time | None, segment: TimeSegment, before: timedelta, rings: str) -> None:
    reminder = explicit_remind_at(SATURDAY, start, segment, before, at("2026-02-11 10:00"), SHANGHAI)
    assert reminder is not None
    assert (reminder.at, reminder.rule) == (at(rings), ReminderRule.EXPLICIT)


def test_whole_days_keep_the_wall_time_and_hours_are_elapsed() -> None:
    now, day = at("2026-03-20 10:00", BERLIN), date(2026, 3, 29)
    a_day = explicit_remind_at(day, time(9), ALL_DAY, timedelta(days=1), now, BERLIN)
    seven_hours = explicit_remind_at(day, time(9), ALL_DAY, timedelta(hours=7), now, BERLIN)
    assert a_day is not None
    assert a_day.at.isoformat() == "2026-03-28T09:00:00+01:00"
    assert seven_hours is not None
    assert seven_hours.at.isoformat() == "2026-03-29T01:00:00+01:00"


def test_an_offset_that_leads_into_the_past_gives_nothing() -> None:
    assert explicit_remind_at(TODAY, time(11), ALL_DAY, timedelta(hours=2), at("2026-02-11 10:00"), SHANGHAI) is None


def test_a_reminder_after_the_start_is_refused() -> None:
    with pytest.raises(ValueError, match="after the start"):
        explicit_remind_at(TODAY, time(11), ALL_DAY, timedelta(hours=-1), at("2026-02-11 10:00"), SHANGHAI)


zones = st.sampled_from([SHANGHAI, BERLIN, NEW_YORK])
instants = st.timedeltas(timedelta(0), timedelta(days=365)).map(
    lambda passed: datetime(2026, 1, 1, tzinfo=UTC) + passed
)
days = st.dates(date(2025, 12, 30), date(2027, 1, 3))
near = st.sampled_from([(3, 28), (3, 29), (3, 8), (10, 25), (11, 1), (2, 11)]).map(lambda day: date(2026, *day))


@given(days | near, st.none() | st.times(), st.sampled_from(TimeSegment), instants, zones)
def test_a_reminder_is_to_come_and_never_after_the_task(
    day: date, start: time | None, segment: TimeSegment, now: datetime, zone: ZoneInfo
) -> None:
    reminder = remind_at(day, start, segment, now, zone)
    latest = (
        datetime.combine(day, start, tzinfo=zone)
        if start
        else datetime.combine(day, time(), tzinfo=zone) + timedelta(hours=SEGMENT_HOURS[segment][1])
    )
    if reminder is not None:
        assert now < reminder.at.astimezone(UTC) <= latest.astimezone(UTC)
    elif start is not None:
        assert latest.astimezone(UTC) <= now


@given(
    days,
    st.none() | st.times(),
    st.sampled_from(TimeSegment),
    st.timedeltas(timedelta(0), timedelta(days=30)),
    instants,
    zones,
)
def test_an_explicit_reminder_is_to_come_and_never_after_the_start(
    day: date, start: time | None, segment: TimeSegment, before: timedelta, now: datetime, zone: ZoneInfo
) -> None:
    reminder = explicit_remind_at(day, start, segment, before, now, zone)
    if reminder is not None:
        at_start = explicit_remind_at(day, start, segment, timedelta(0), now, zone)
        assert at_start is not None
        assert now < reminder.at.astimezone(UTC) <= at_start.at.astimezone(UTC)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        pytest.param("小雨，建议携带雨具", Advice.RAIN, id="6.2.6 rain"),
        pytest.param(None, None, id="6.2.6 no weather, no advice"),
        ("", None),
        ("Light rain, 2-8°C", Advice.RAIN),
        ("Thunderstorms in the afternoon", Advice.RAIN),
        ("雷阵雨，28~36℃", Advice.RAIN),
        ("雨夹雪", Advice.RAIN),
        ("heavy snow, then rain", Advice.RAIN),
        ("降水概率 80%", Advice.RAIN),
        ("not cold, light showers", Advice.RAIN),
        ("无持续风向，小雨", Advice.RAIN),
        ("大雪，-5~-1°C", Advice.SNOW),
        ("no rain but snow", Advice.SNOW),
        ("无雨，有雪", Advice.SNOW),
        ("最高 38°C", Advice.HOT),
        ("晴，28-36℃", Advice.HOT),
        ("Sunny, high of 95°F", Advice.HOT),
        ("高温预警", Advice.HOT),
        ("-12°C", Advice.COLD),
        ("晴 -15~-3°C", Advice.COLD),
        ("晴 -15--3℃", Advice.COLD),
        ("最低零下12度", Advice.COLD),
        ("Clear, 14°F", Advice.COLD),
        ("寒潮来袭", Advice.COLD),
        ("晴，无雨", None),
        ("no rain", None),
        ("No rain or snow, 20°C", None),
        ("rain unlikely", None),
        ("10% chance of rain", None),
        ("降水概率20%，多云", None),
        ("不会下雨，也不下雪", None),
        ("不用带伞", None),
        ("雨停，转晴", None),
        ("长沙雨花区 晴 5-10°C", None),
        ("Rainbow festival, sunny", None),
        ("多云，2-8°C", None),
        ("2026-02-14 晴，湿度 80%，风速 40km/h", None),
        ("50°F, dry", None),
    ],
)
def test_weather_advice(text: str | None, advice: Advice | None) -> None:
    assert weather_advice(text) is advice


@given(st.integers(-60, 60))
def test_only_extreme_temperatures_are_worth_a_word(degrees: int) -> None:
    expected = Advice.HOT if degrees >= 35 else Advice.COLD if degrees <= -10 else None
    assert weather_advice(f"晴，{degrees}°C") is expected
    assert weather_advice(f"clear, {degrees}°C") is expected


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert weather_advice(text) in (None, *Advice)
    assert weather_advice(text + "。有雨") is Advice.RAIN
