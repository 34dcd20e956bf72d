"""Conflicts between tasks: seed table 6.2.2 (A38, A39, A42, P3, P5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.conflicts import (
    Conflict,
    ConflictReason,
    Span,
    assumed_span_of,
    by_start,
    find_conflicts,
    neighbours,
    overlaps,
    span_of,
)
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Task, TaskStatus

pytestmark = pytest.mark.unit

DAY = date(2026, 2, 11)
TITLES = ["写周报", "开会", "取快递", "跑步", "看牙医"]
spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 3000), st.integers(0, 300))


def task(hours: str | None = None, title: str = "写周报", id: int = 1, day: date = DAY, **fields: Any) -> Task:
    """A pending task; ``hours`` is "14:00-15:00", "14:00" for a start alone, or None."""
    start, _, end = (hours or "").partition("-")
    return Task(
        id=id,
        user_id=1,
        title=title,
        date=day,
        start_time=time.fromisoformat(start) if start else None,
        end_time=time.fromisoformat(end) if end else None,
        **fields,
    )


tasks = st.builds(
    lambda start, length, has_end, title, id, day: task(
        f"{start // 60:02d}:{start % 60:02d}"
        + (f"-{(start + length) // 60 % 24:02d}:{(start + length) % 60:02d}" if has_end else ""),
        title,
        id,
        date(2026, 2, day),
    ),
    st.integers(0, 1439),
    st.integers(1, 600),
    st.booleans(),
    st.sampled_from(TITLES),
    st.integers(1, 99),
    st.integers(10, 12),
)


@pytest.mark.parametrize(
    ("hours", "other", "collide"),
    [
        pytest.param("14:00-15:00", "14:30-15:30", True, id="6.2.2 14-15 vs 14:30-15:30"),
        pytest.param("14:00-15:00", "15:00-16:00", False, id="6.2.2 14-15 vs 15-16"),
        pytest.param("14:00-17:00", "15:00-16:00", True, id="one within the other"),
        pytest.param("14:00-15:00", "14:00-15:00", True, id="the same hours"),
        pytest.param("14:00-15:00", None, False, id="an untimed task has no time conflict"),
        pytest.param("14:00-15:00", "13:30", False, id="P3 an assumed end makes no conflict"),
        pytest.param("13:30", "14:00-15:00", False, id="P3 nor does that of the candidate"),
        pytest.param("14:30", "14:00-15:00", True, id="P5 a start within the other's time, whatever the end"),
        pytest.param("14:00-15:00", "14:30", True, id="P5 or the other's start within its own"),
        pytest.param("14:00", "14:00-15:00", True, id="P5 the same start"),
        pytest.param("15:00", "14:00-15:00", False, id="P5 it begins as the other ends"),
        pytest.param("14:00", "14:00", False, id="P3 of two without an end neither states a stretch"),
        pytest.param("14:00-15:00", "14:30-14:30", False, id="P18 a moment never conflicts"),
    ],
)
def test_time_conflict(hours: str, other: str | None, collide: bool) -> None:
    pending = task(other, "开会", id=2)
    expected = [Conflict(pending, ConflictReason.TIME)] if collide else []
    assert find_conflicts(task(hours), [pending]) == expected


@pytest.mark.parametrize(
    ("late", "early", "collide"),
    [
        ("23:00-01:00", "00:30-02:00", True),
        ("23:00-01:00", "01:00-02:00", False),
        ("22:00-23:00", "00:30-02:00", False),
        ("23:00-01:00", "00:30", True),
    ],
)
def test_a_task_past_midnight_meets_the_next_date(late: str, early: str, collide: bool) -> None:
    night, morning = task(late, id=1), task(early, "开会", id=2, day=date(2026, 2, 12))
    assert bool(find_conflicts(night, [morning])) is collide
    assert bool(find_conflicts(morning, [night])) is collide


@pytest.mark.parametrize(
    ("candidate", "pending", "collide"),
    [
        pytest.param(task(None, "取快递"), task(None, "拿快递", id=2), True, id="6.2.2 取快递 vs 拿快递"),
        pytest.param(task(None, "取快递"), task(None, "开会", id=2), False, id="6.2.2 取快递 vs 开会"),
        pytest.param(task(None, ""), task(None, "", id=2), False, id="6.2.2 empty title"),
        pytest.param(task(None, "取"), task(None, "取", id=2), True, id="6.2.2 one character, equal"),
        pytest.param(task(None, "取"), task(None, "寄", id=2), False, id="6.2.2 one character, different"),
        pytest.param(task("09:00-10:00"), task("16:00-17:00", id=2), True, id="whatever the times"),
        pytest.param(task(), task(id=2, day=date(2026, 2, 12)), False, id="another date"),
        pytest.param(task("08:00-08:00"), task("20:00-20:00", id=2), False, id="P18 the pill twice a day"),
        pytest.param(task("08:00-08:00"), task(id=2), False, id="P18 a moment never conflicts"),
        pytest.param(task(), task("08:00-08:00", id=2), False, id="P18 nor with an ordinary task"),
    ],
)
def test_title_conflict(candidate: Task, pending: Task, collide: bool) -> None:
    expected = [Conflict(pending, ConflictReason.TITLE)] if collide else []
    assert find_conflicts(candidate, [pending]) == expected


def test_no_tasks_no_conflict() -> None:
    assert find_conflicts(task("14:00-15:00"), []) == []


@pytest.mark.parametrize("status", [TaskStatus.COMPLETED, TaskStatus.CANCELLED])
def test_only_pending_tasks_conflict(status: TaskStatus) -> None:
    other = task("14:00-15:00", id=2, status=status)
    assert find_conflicts(task("14:00-15:00"), [other]) == []
    assert neighbours(task("14:00"), [other]) == []


def test_a_changed_task_does_not_collide_with_its_own_row() -> None:
    row = task("14:00-15:00", id=7)
    moved = replace(row, start_time=time(14, 30))
    assert find_conflicts(moved, [row], exclude_id=7) == []
    assert neighbours(replace(moved, end_time=None), [row], exclude_id=7) == []
    assert find_conflicts(moved, [row]) != []


def test_conflicts_come_by_start_then_id_and_each_task_once() -> None:
    twin = task("14:00-15:00", id=9)
    later, first, second = (
        task("14:40-15:00", "开会", id=1),
        task("14:10-15:00", "跑步", id=3),
        task("14:10-15:00", "看牙医", id=2),
    )
    found = find_conflicts(task("14:00-16:00"), [later, first, second, twin])
    assert [(conflict.task.id, conflict.reason.value) for conflict in found] == [
        (9, "title"),
        (2, "time"),
        (3, "time"),
        (1, "time"),
    ]


@pytest.mark.parametrize(
    ("hours", "other", "mentioned"),
    [
        ("14:00", "14:30-15:30", True),
        ("14:00", "15:00-16:00", False),
        ("14:00-15:00", "13:30", True),
        ("14:00-15:00", "13:00", False),
        ("14:00", "14:30", True),
        ("14:00", "14:00", True),
        ("14:30", "14:00-15:00", False),
        ("14:00-15:00", "14:30-15:30", False),
        ("14:00", None, False),
        (None, "14:00", False),
        ("14:00", "14:30-14:30", False),
    ],
)
def test_neighbours(hours: str | None, other: str | None, mentioned: bool) -> None:
    pending = task(other, "开会", id=2)
    assert neighbours(task(hours), [pending]) == ([pending] if mentioned else [])


def test_an_assumed_hour_runs_past_midnight() -> None:
    morning = task("00:15-01:00", "开会", id=2, day=date(2026, 2, 12))
    assert neighbours(task("23:30"), [morning]) == [morning]


def test_spans() -> None:
    midnight = DAY.toordinal() * 1440
    assert span_of(task("14:00-15:30")) == Span(midnight + 840, midnight + 930)
    assert span_of(task("23:00-01:00")) == Span(midnight + 1380, midnight + 1500)
    assert span_of(task("14:00")) is None
    assert assumed_span_of(task("14:00")) == Span(midnight + 840, midnight + 900)
    assert assumed_span_of(task()) is None


def test_an_untimed_task_stands_where_its_segment_begins() -> None:
    listed = [
        task(id=1, time_segment=TimeSegment.AFTERNOON),
        task("13:00", id=2),
        task(id=3),
        task("09:00", id=4, day=date(2026, 2, 12)),
    ]
    assert [entry.id for entry in sorted(listed, key=by_start)] == [3, 2, 1, 4]


@given(spans, spans)
def test_overlap_is_symmetric_and_means_a_shared_minute(first: Span, second: Span) -> None:
    shared = set(range(first.start, first.end)) & set(range(second.start, second.end))
    assert overlaps(first, second) is overlaps(second, first) is bool(shared)


@given(spans)
def test_spans_that_touch_do_not_overlap(span: Span) -> None:
    assert not overlaps(span, Span(span.end, span.end + 60))
    assert not overlaps(span, Span(span.start - 60, span.start))


@given(tasks, tasks)
def test_conflicts_are_mutual(first: Task, second: Task) -> None:
    one, other = find_conflicts(first, [second]), find_conflicts(second, [first])
    assert [conflict.reason for conflict in one] == [conflict.reason for conflict in other]
    assert bool(neighbours(first, [second])) is bool(neighbours(second, [first]))


@given(tasks, st.lists(tasks, max_size=6))
def test_a_time_conflict_is_never_a_neighbour(candidate: Task, pending: list[Task]) -> None:
    conflicts = find_conflicts(candidate, pending)
    mentioned = neighbours(candidate, pending)
    assert not [
        conflict for conflict in conflicts if conflict.reason is ConflictReason.TIME and conflict.task in mentioned
    ]
    assert [conflict.task for conflict in conflicts] == sorted((conflict.task for conflict in conflicts), key=by_start)
