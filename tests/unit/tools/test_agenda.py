"""A day laid out: lanes, midnight, overlaps, what has no time, and what is free (A17-A19, P3, P5, P11)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from tests.support.builders import NOW, TODAY, TOMORROW, task
from tools.domain.agenda import Agenda, agenda_of, clashes_of, key_of, week_of
from tools.domain.recurrence import occurrences
from tools.domain.tasks import Task, TaskStatus

pytestmark = pytest.mark.unit
YESTERDAY = TODAY - timedelta(days=1)


def laid_out(tasks: Sequence[Task], day: date = TOMORROW) -> Agenda:
    return agenda_of(tasks, day, now=NOW)


def told(agenda: Agenda) -> list[tuple[str, int, int, int]]:
    return [(block.task.title, block.start, block.end, block.lane) for block in agenda.blocks]


def free(agenda: Agenda) -> list[str]:
    return [slot.text for slot in agenda.free]


def test_an_empty_day_is_free_in_working_hours() -> None:
    agenda = laid_out([])
    assert (agenda.tasks, agenda.hours, free(agenda)) == ([], (9, 18), ["09:00-18:00"])


def test_blocks_stand_by_start_and_the_gaps_between_them_are_free() -> None:
    agenda = laid_out([task("看牙", "15:30-16:00", day=TOMORROW, id=1), task("开会", "10:00", day=TOMORROW, id=2)])
    assert told(agenda) == [("开会", 600, 660, 0), ("看牙", 930, 960, 0)]  # an hour is assumed (P3)
    assert free(agenda) == ["09:00-10:00", "11:00-15:30", "16:00-18:00"]


def test_todays_free_time_begins_now_and_a_day_that_is_over_has_none() -> None:
    assert free(laid_out([], TODAY)) == ["10:00-18:00"]
    assert free(laid_out([], YESTERDAY)) == []


def test_the_hours_widen_to_hold_what_is_on() -> None:
    agenda = laid_out([task("跑步", "06:30-07:10", day=TOMORROW), task("看戏", "21:00-22:30", day=TOMORROW, id=1)])
    assert agenda.hours == (6, 23)


def test_a_task_past_midnight_is_on_both_days() -> None:
    night = task("夜班", "22:00-06:00", day=TOMORROW, id=1)
    next_day = TOMORROW + timedelta(days=1)
    assert told(laid_out([night])) == [("夜班", 1320, 1440, 0)]
    assert told(laid_out([night], next_day)) == [("夜班", 0, 360, 0)]
    assert told(laid_out([night], next_day + timedelta(days=1))) == []


def test_a_task_that_ends_at_midnight_is_on_one_day() -> None:
    late = task("守岁", "22:00-00:00", day=TOMORROW, id=1)
    assert told(laid_out([late])) == [("守岁", 1320, 1440, 0)]
    assert told(laid_out([late], TOMORROW + timedelta(days=1))) == []


def test_overlapping_tasks_take_lanes_of_their_own_and_name_each_other() -> None:
    agenda = laid_out(
        [
            task("甲", "10:00-12:00", day=TOMORROW, id=1),
            task("乙", "11:00-13:00", day=TOMORROW, id=2),
            task("丙", "12:00-14:00", day=TOMORROW, id=3),
        ]
    )
    assert [(block.task.title, block.lane) for block in agenda.blocks] == [("甲", 0), ("乙", 1), ("丙", 0)]
    assert [[other.title for other in block.clashes] for block in agenda.blocks] == [["乙"], ["甲", "丙"], ["乙"]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (task("甲", "10:00-11:00", id=1), task("乙", "11:00-12:00", id=2)),  # they only touch
        (task("甲", "10:00", id=1), task("乙", "10:30-12:00", id=2)),  # an assumed end is no conflict
        (task("甲", "10:00", id=1), task("乙", "10:00", id=2)),  # nor are two of them
        (task("甲", "10:00-11:00", id=1), task("乙", "10:30-10:30", id=2)),  # a moment takes no time
        (task("甲", "10:00-11:00", id=1), task("乙", "10:00-11:00", id=2, status="completed")),
    ],
)
def test_what_is_no_overlap(first: Task, second: Task) -> None:
    assert clashes_of([first, second]) == {}


def test_a_start_without_an_end_overlaps_what_is_going_on_then() -> None:
    long, call = task("评审", "10:00-12:00", id=1), task("电话", "11:00", id=2)
    assert clashes_of([call, long]) == {key_of(long): (call,), key_of(call): (long,)}


def test_overlaps_are_found_across_midnight() -> None:
    night, early = task("夜班", "22:00-06:00", id=1), task("赶飞机", "05:00-07:00", day=TOMORROW, id=2)
    assert clashes_of([early, night]) == {key_of(night): (early,), key_of(early): (night,)}
    [block] = laid_out([night, early], TODAY).blocks
    assert block.clashes == (early,)


def test_what_has_no_time_stands_apart_and_only_a_whole_day_takes_time() -> None:
    errand = task("买菜", "morning", day=TOMORROW, id=1)
    assert laid_out([errand]).untimed == (errand,)
    assert free(laid_out([errand])) == ["09:00-18:00"]
    move = task("搬家", "all_day", day=TOMORROW, id=2, blocks_day=True)
    assert free(laid_out([errand, move])) == []
    assert [t.title for t in laid_out([move, errand]).tasks] == ["搬家", "买菜"]


def test_what_is_done_or_a_moment_takes_no_time() -> None:
    agenda = laid_out(
        [
            task("写周报", "10:00-12:00", day=TOMORROW, status="completed"),
            task("吃药", "20:00-20:00", day=TOMORROW, id=1),
        ]
    )
    assert [block.takes_time for block in agenda.blocks] == [False, False]
    assert free(agenda) == ["09:00-20:00"]


def test_a_filter_hides_tasks_but_makes_nobody_free() -> None:
    tasks = [task("甲", "10:00-12:00", day=TOMORROW, id=1), task("乙", "11:00-13:00", day=TOMORROW, id=2)]
    agenda = agenda_of(tasks, TOMORROW, now=NOW, shown=lambda found: found.title == "乙")
    assert [block.task.title for block in agenda.blocks] == ["乙"]
    assert [other.title for other in agenda.blocks[0].clashes] == ["甲"]
    assert free(agenda) == ["09:00-10:00", "13:00-18:00"]


def test_occurrences_of_one_series_are_told_apart() -> None:
    series = task("夜班", "22:00-06:00", id=7, rrule="FREQ=DAILY")
    nights = occurrences([series], TODAY, TOMORROW + timedelta(days=1))
    agenda = agenda_of(nights, TOMORROW, now=NOW)
    assert told(agenda) == [("夜班", 0, 360, 0), ("夜班", 1320, 1440, 0)]
    assert clashes_of(nights) == {}
    assert all(night.status is TaskStatus.PENDING for night in nights)


@pytest.mark.parametrize("day", [date(2026, 2, 9), TODAY, date(2026, 2, 15)])
def test_a_week_is_monday_to_sunday(day: date) -> None:
    assert week_of(day) == (date(2026, 2, 9), date(2026, 2, 15))


def test_a_week_at_the_end_of_the_calendar_cannot_be() -> None:
    with pytest.raises(OverflowError):
        week_of(date.max)
