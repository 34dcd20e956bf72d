"""Free time of a day: the pure part of seed table 6.2.4 (A18, A19, P11)."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.conflicts import assumed_span_of
from tools.domain.slots import Slot, free_slots
from tools.domain.tasks import Task, TaskStatus

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("Asia/Shanghai")
DAY = date(2026, 2, 12)
DAY_BEFORE_NOON = datetime(2026, 2, 11, 12, tzinfo=ZONE)


def task(hours: str | None, day: date = DAY, **fields: Any) -> Task:
    """A pending task; ``hours`` is "14:00-15:00", "14:00" for a start alone, or None."""
    start, _, end = (hours or "").partition("-")
    return Task(
        id=1,
        user_id=1,
        title="开会",
        date=day,
        start_time=time.fromisoformat(start) if start else None,
        end_time=time.fromisoformat(end) if end else None,
        **fields,
    )


def texts(tasks: list[Task], now: datetime = DAY_BEFORE_NOON, **hours: int) -> list[str]:
    return [slot.text for slot in free_slots(tasks, DAY, now=now, **hours)]


@pytest.mark.parametrize(
    ("hours", "free"),
    [
        pytest.param(
            ["10:00-11:00", "14:00-15:30"],
            ["09:00-10:00", "11:00-14:00", "15:30-18:00"],
            id="6.2.4 two tasks from 9 to 18: three gaps",
        ),
        pytest.param(["09:00-12:00", "12:00-18:00"], [], id="6.2.4 a full day has none"),
        pytest.param([], ["09:00-18:00"], id="6.2.4 a day without tasks"),
        pytest.param(["08:00-20:00"], [], id="one task over the whole window"),
        pytest.param(["10:00-12:00", "11:00-13:00"], ["09:00-10:00", "13:00-18:00"], id="overlapping tasks"),
        pytest.param(["10:00-14:00", "11:00-12:00"], ["09:00-10:00", "14:00-18:00"], id="a task within another"),
        pytest.param(["08:00-10:00", "17:00-19:00"], ["10:00-17:00"], id="tasks across the edges"),
        pytest.param(["07:00-09:00", "18:00-19:00"], ["09:00-18:00"], id="tasks that touch the edges"),
        pytest.param(["10:00"], ["09:00-10:00", "11:00-18:00"], id="P3 an hour is assumed"),
        pytest.param([None], ["09:00-18:00"], id="P11 an untimed task does not block"),
        pytest.param(["10:00-10:00"], ["09:00-18:00"], id="P18 a moment takes no time"),
    ],
)
def test_free_slots(hours: list[str | None], free: list[str]) -> None:
    assert texts([task(each) for each in reversed(hours)]) == free


def test_an_afternoon_as_in_the_seed() -> None:
    """Section 4.2: 明天下午有空吗 is a question about 14 to 18."""
    assert texts([task("15:30-16:00")], start_hour=14, end_hour=18) == ["14:00-15:30", "16:00-18:00"]


def test_a_task_that_the_user_called_all_day_blocks() -> None:
    assert texts([task(None, blocks_day=True)]) == []
    assert texts([task("10:00-11:00", blocks_day=True)]) == ["09:00-10:00", "11:00-18:00"]
    assert texts([task(None, day=date(2026, 2, 11), blocks_day=True)]) == ["09:00-18:00"]


@pytest.mark.parametrize("status", [TaskStatus.COMPLETED, TaskStatus.CANCELLED])
def test_only_pending_tasks_block(status: TaskStatus) -> None:
    assert texts([task("10:00-11:00", status=status), task(None, blocks_day=True, status=status)]) == ["09:00-18:00"]


@pytest.mark.parametrize(
    ("hours", "free"),
    [("22:00-02:00", ["02:00-24:00"]), ("23:30", ["00:30-24:00"]), ("22:00-23:00", ["00:00-24:00"])],
)
def test_a_task_of_the_day_before_blocks_past_midnight(hours: str, free: list[str]) -> None:
    assert texts([task(hours, day=date(2026, 2, 11))], start_hour=0, end_hour=24) == free


def test_a_task_past_midnight_blocks_to_the_end_of_the_day() -> None:
    assert texts([task("22:00-02:00")], start_hour=20, end_hour=24) == ["20:00-22:00"]


@pytest.mark.parametrize(
    ("clock", "free"),
    [
        (time(8), ["09:00-18:00"]),
        (time(10), ["10:00-18:00"]),
        (time(10, 0, 1), ["10:05-18:00"]),
        (time(10, 1), ["10:05-18:00"]),
        (time(10, 5), ["10:05-18:00"]),
        (time(17, 56), []),
        (time(19), []),
        (time(23, 59), []),
    ],
)
def test_free_time_of_today_starts_now(clock: time, free: list[str]) -> None:
    assert texts([], now=datetime.combine(DAY, clock, tzinfo=ZONE)) == free


def test_a_day_that_is_over_has_no_free_time() -> None:
    assert texts([], now=datetime(2026, 2, 13, 8, tzinfo=ZONE)) == []


@pytest.mark.parametrize(("start_hour", "end_hour"), [(18, 9), (9, 9), (-1, 9), (9, 25)])
def test_hours_that_make_no_window_are_refused(start_hour: int, end_hour: int) -> None:
    with pytest.raises(ValueError, match="no window"):
        free_slots([], DAY, start_hour=start_hour, end_hour=end_hour, now=DAY_BEFORE_NOON)


def test_the_text_of_a_slot() -> None:
    assert Slot(840, 930).text == "14:00-15:30"
    assert Slot(1380, 1440).text == "23:00-24:00"


windows = st.tuples(st.integers(0, 23), st.integers(1, 24)).filter(lambda hours: hours[0] < hours[1])
moments = st.timedeltas(timedelta(0), timedelta(days=2)).map(lambda passed: DAY_BEFORE_NOON + passed)
clocks = st.times().map(lambda clock: clock.replace(second=0, microsecond=0))
timed = st.builds(
    lambda start, end, days: Task(1, 1, "开会", DAY - timedelta(days=days), start, end),
    clocks,
    st.none() | clocks,
    st.integers(-1, 1),
)


@given(st.lists(timed, max_size=8), windows, moments)
def test_slots_and_tasks_share_the_window(tasks: list[Task], window: tuple[int, int], now: datetime) -> None:
    """A minute of the window is past, or taken by a task, or in exactly one slot."""
    start_hour, end_hour = window
    slots = free_slots(tasks, DAY, start_hour=start_hour, end_hour=end_hour, now=now)
    midnight = DAY.toordinal() * 1440
    taken: set[int] = set()
    for span in filter(None, map(assumed_span_of, tasks)):
        taken.update(range(span.start - midnight, span.end - midnight))
    begins = (now - datetime.combine(DAY, time(), tzinfo=ZONE)) / timedelta(minutes=1)
    first = next((minute for minute in range(0, 1440, 5) if minute >= begins), 1440)
    expected = [minute for minute in range(start_hour * 60, end_hour * 60) if minute >= first and minute not in taken]
    assert [minute for slot in slots for minute in range(slot.start, slot.end)] == expected


@given(st.lists(timed, max_size=8), windows, moments)
def test_slots_are_sorted_and_apart(tasks: list[Task], window: tuple[int, int], now: datetime) -> None:
    slots = free_slots(tasks, DAY, start_hour=window[0], end_hour=window[1], now=now)
    edges = [edge for slot in slots for edge in (slot.start, slot.end)]
    assert edges == sorted(set(edges))
