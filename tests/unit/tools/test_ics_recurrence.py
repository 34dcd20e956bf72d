"""Rules, exceptions and alarms of calendar entries in the user's zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from tests.support.calendars import alarm, event, todo
from tests.support.imports import one, read, refused

pytestmark = pytest.mark.unit

MARCH_2 = date(2026, 3, 2)  # a Monday
NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("rule", "stored"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=WEEKLY;BYDAY=MO,FR"),
        ("interval=2;freq=daily;", "FREQ=DAILY;INTERVAL=2"),
        ("FREQ=DAILY;UNTIL=20260310", "FREQ=DAILY;UNTIL=20260310"),
        # 09:00 in Shanghai is 01:00 UTC: an UNTIL before that leaves the day out.
        ("FREQ=DAILY;UNTIL=20260310T010000Z", "FREQ=DAILY;UNTIL=20260310"),
        ("FREQ=DAILY;UNTIL=20260310T005959Z", "FREQ=DAILY;UNTIL=20260309"),
        ("FREQ=DAILY;UNTIL=20260310T155959Z", "FREQ=DAILY;UNTIL=20260310"),
        ("FREQ=DAILY;UNTIL=20260310T160000Z", "FREQ=DAILY;UNTIL=20260310"),
        ("FREQ=DAILY;UNTIL=20260310T085959", "FREQ=DAILY;UNTIL=20260309"),
        ("FREQ=DAILY;COUNT=1000000000", "FREQ=DAILY;COUNT=1000000000"),
    ],
)
def test_rules_in_the_users_zone(rule: str, stored: str) -> None:
    assert one(event("x", f"RRULE:{rule}")).task.rrule == stored


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("20260310", "20260310"),
        ("20260310T000000Z", "20260310"),
        ("20260310T235959Z", "20260310"),
        ("20260309T160000Z", "20260310"),
        ("20260309T155959Z", "20260309"),
    ],
)
def test_until_of_whole_days(until: str, last: str) -> None:
    item = one(event("x", f"RRULE:FREQ=DAILY;UNTIL={until}", start="DTSTART;VALUE=DATE:20260302", end=""))
    assert item.task.rrule == f"FREQ=DAILY;UNTIL={last}"


def test_a_series_of_another_zone_with_the_same_clock_is_converted() -> None:
    lines = ("RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330T010000Z", "EXDATE;TZID=Asia/Tokyo:20260309T100000")
    task = one(event("x", *lines, start="DTSTART;TZID=Asia/Tokyo:20260302T100000", end="DURATION:PT1H")).task
    assert (task.date, task.start_time, task.rrule) == (MARCH_2, time(9), "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330")
    assert task.exdates == (date(2026, 3, 9),)


def test_a_series_moves_to_the_next_weekday_with_its_weeks() -> None:
    lines = ("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;UNTIL=20260401T000000Z", "EXDATE:20260308T200000Z")
    task = one(event("x", *lines, start="20260302T200000Z", end="20260302T210000Z")).task
    assert (task.date, task.start_time) == (date(2026, 3, 3), time(4))
    assert task.rrule == "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,MO;UNTIL=20260401;WKST=TU"
    assert task.exdates == (date(2026, 3, 9),)


def test_a_series_that_cannot_move_is_refused() -> None:
    monthly = event("x", "RRULE:FREQ=MONTHLY", start="20260302T200000Z", end="20260302T210000Z")
    assert refused(monthly) == ["other_day"]
    weekly = event("x", "RRULE:FREQ=WEEKLY", start="DTSTART;TZID=America/New_York:20260302T090000", end="DURATION:PT1H")
    assert refused(weekly) == ["other_zone"]
    # Within one winter the difference is the same.
    winter = weekly.replace("FREQ=WEEKLY", "FREQ=DAILY;COUNT=5")
    assert one(winter).task.start_time == time(22)


def test_exceptions() -> None:
    lines = ("RRULE:FREQ=DAILY", "EXDATE:20260304T090000,20260305T090000", "EXDATE;VALUE=DATE:20260306")
    item = one(event("x", *lines, "EXDATE:20260307T110000", "EXDATE:20260308T010000Z"))
    assert item.task.exdates == tuple(date(2026, 3, day) for day in (4, 5, 6, 8))


def test_dates_that_went_their_own_way() -> None:
    series = event("s", "RRULE:FREQ=DAILY;COUNT=5")
    moved = event("s", "RECURRENCE-ID:20260304T090000", start="20260304T110000", end="20260304T120000")
    alone = event("t", "RECURRENCE-ID;VALUE=DATE:20260304")
    found = {item.uid: item for item in read(series, moved, alone)}
    assert found["s#20260304"].excepted == date(2026, 3, 4)
    assert found["s#20260304"].series == "s"
    assert found["t#20260304"].task.start_time == time(9)
    assert refused(series, moved.replace("RECURRENCE-ID:", "RECURRENCE-ID;RANGE=THISANDFUTURE:")) == [
        "this_and_future",
        "this_and_future",
    ]
    assert refused(event("s"), moved) == ["no_series"]
    assert refused(series.replace("DAILY", "HOURLY"), moved) == ["sub_daily", "series_skipped"]


def rings(entry: str, **options: str) -> list[str]:
    return [f"{ring.at.astimezone(UTC):%m-%d %H:%M}" for ring in one(entry, **options).rings]


@pytest.mark.parametrize(
    ("entry", "at"),
    [
        (event("x", alarm("TRIGGER:-PT15M")), ["03-02 00:45"]),
        (event("x", alarm("TRIGGER;RELATED=END:-PT15M")), ["03-02 01:45"]),
        (event("x", alarm("TRIGGER;VALUE=DATE-TIME:20260301T120000Z")), ["03-01 12:00"]),
        (event("x", alarm("TRIGGER:-P1D")), ["03-01 01:00"]),
        (event("x", alarm("TRIGGER:PT0S", "REPEAT:2", "DURATION:PT5M")), ["03-02 01:00", "03-02 01:05", "03-02 01:10"]),
        (event("x", alarm("TRIGGER:PT0S"), alarm("TRIGGER;RELATED=START:-PT0M")), ["03-02 01:00"]),
        (event("x", alarm("TRIGGER:PT0S").replace("DISPLAY", "AUDIO")), ["03-02 01:00"]),
        (event("x", alarm("TRIGGER:PT0S").replace("DISPLAY", "NONE")), []),
        (event("x", alarm("TRIGGER:soon")), []),
        (event("x", alarm("X-NO-TRIGGER:1")), []),
        (todo("x", "DUE:20260302T090000", alarm("TRIGGER;RELATED=END:-PT2H")), ["03-01 23:00"]),
        (todo("x", "DUE:20260302T090000", alarm("TRIGGER:-PT2H")), ["03-01 23:00"]),
        (todo("x", "DTSTART:20260302T080000", "DUE:20260302T090000", alarm("TRIGGER:-PT2H")), ["03-01 22:00"]),
        (todo("x", "DUE;VALUE=DATE:20260302", alarm("TRIGGER:PT8H")), ["03-02 00:00"]),
        (todo("x", "DUE;VALUE=DATE:20260302", "STATUS:COMPLETED", alarm("TRIGGER:PT8H")), []),
    ],
)
def test_when_alarms_ring(entry: str, at: list[str]) -> None:
    assert rings(entry) == at


def test_an_alarm_two_hours_before_counts_elapsed_time_and_one_a_day_before_the_wall() -> None:
    berlin = {"start": "DTSTART;TZID=Europe/Berlin:20260329T030000", "end": "DURATION:PT1H"}
    assert rings(event("x", alarm("TRIGGER:-PT2H"), **berlin), zone="Europe/Berlin") == ["03-28 23:00"]
    assert rings(event("x", alarm("TRIGGER:-P1D"), **berlin), zone="Europe/Berlin") == ["03-28 02:00"]


def test_old_alarms_are_history_and_heard_ones_are_done() -> None:
    old = event("x", alarm("TRIGGER:-PT15M"), start="20250302T090000", end="20250302T100000")
    assert [ring.done for ring in one(old).rings] == [True]
    heard = event("x", alarm("TRIGGER:-PT15M", "ACKNOWLEDGED:20260302T004500Z"))
    assert [ring.done for ring in one(heard).rings] == [True]
    before = event("x", alarm("TRIGGER:-PT15M", "ACKNOWLEDGED:20260302T004400Z"))
    assert [ring.done for ring in one(before).rings] == [False]


def test_of_a_series_the_next_date_rings() -> None:
    series = event("x", "RRULE:FREQ=DAILY", alarm("TRIGGER:-PT2H"), start="20260101T110000", end="20260101T120000")
    [ring] = one(series).rings
    assert (ring.occurs_on, ring.at) == (date(2026, 2, 12), datetime(2026, 2, 12, 1, tzinfo=UTC))
    ended = series.replace("FREQ=DAILY", "FREQ=DAILY;COUNT=3")
    assert one(ended).rings == ()
