"""Tasks and reminders as calendar entries: what another program reads there."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from icalendar import Alarms, Calendar, Component, Event, Todo

from tests.support.builders import NOW, SHANGHAI, TODAY, at, context, task
from tests.support.calendars import components
from tools.core.text import Language
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.reminders import ReminderRule
from tools.domain.tasks import Task
from tools.services.ics.writing import Line, calendar_of

pytestmark = pytest.mark.unit

BERLIN = ZoneInfo("Europe/Berlin")


def written(
    mine: Task, *reminders: Reminder, language: Language = "zh", zone: ZoneInfo = SHANGHAI, **line: Any
) -> bytes:
    user = replace(context(language), zone=zone)
    return calendar_of([Line(mine, line.pop("uid", "u1"), NOW, NOW, reminders=reminders, **line)], user)


def exported(mine: Task, *reminders: Reminder, **options: Any) -> tuple[Todo, Event | None]:
    found = list(components(written(mine, *reminders, **options)))
    assert isinstance(found[0], Todo)
    event = found[1] if len(found) > 1 else None
    assert event is None or isinstance(event, Event)
    return found[0], event


def reminder(moment: datetime, reason: str = "explicit", status: str = "pending", day: date | None = None) -> Reminder:
    return Reminder(1, 1, 1, moment.astimezone(UTC), "明天开会", reason, ReminderStatus(status), "console", day)


def line(component: Component, name: str) -> str | None:
    """The line of a property as it is written."""
    text = component.to_ical().decode().replace("\r\n ", "")
    return next((one for one in text.split("\r\n") if one.startswith((f"{name}:", f"{name};"))), None)


def test_a_task_with_a_date_is_a_todo_due_that_day() -> None:
    todo, event = exported(task("写周报"))
    assert event is None
    assert line(todo, "DUE") == "DUE;VALUE=DATE:20260211"
    assert line(todo, "DTSTART") is None
    assert line(todo, "CATEGORIES") is None


@pytest.mark.parametrize(("language", "word"), [("zh", "晚上"), ("en", "evening")])
def test_the_part_of_the_day_is_a_category(language: Language, word: str) -> None:
    todo, _ = exported(task("写周报", "evening"), language=language, group="工作, 大")
    assert line(todo, "X-DP-SEGMENT") == "X-DP-SEGMENT:evening"
    assert line(todo, "CATEGORIES") == f"CATEGORIES:工作\\, 大,{word}"


def test_a_task_with_a_length_has_an_event_beside_it() -> None:
    todo, event = exported(task("开会", "23:00-01:00"))
    assert line(todo, "DTSTART") == "DTSTART;TZID=Asia/Shanghai:20260211T230000"
    assert line(todo, "DUE") == "DUE;TZID=Asia/Shanghai:20260212T010000"
    assert line(todo, "UID") == "UID:u1"
    assert event is not None
    assert line(event, "UID") == "UID:u1-dp-event"
    assert line(event, "RELATED-TO") == "RELATED-TO:u1"
    assert line(event, "TRANSP") == "TRANSP:OPAQUE"
    assert (event.start, event.end) == (at("23:00"), at("02-12 01:00"))


def test_a_whole_day_is_a_whole_day_event() -> None:
    todo, event = exported(task("搬家", blocks_day=True))
    assert line(todo, "DUE") == "DUE;VALUE=DATE:20260211"
    assert event is not None
    assert (event.start, event.end) == (TODAY, TODAY + timedelta(days=1))


@pytest.mark.parametrize(("when", "moment"), [("09:00", False), ("09:00-09:00", True)])
def test_a_point_in_time_is_due_then(when: str, moment: bool) -> None:
    todo, event = exported(task("吃药", when))
    assert (line(todo, "DTSTART"), line(todo, "DUE")) == (None, "DUE;TZID=Asia/Shanghai:20260211T090000")
    assert (line(todo, "X-DP-MOMENT") is not None) is moment
    assert event is not None
    assert line(event, "DTEND") is None


@pytest.mark.parametrize("when", ["09:00", "09:00-09:00", "09:00-10:00", None])
def test_due_comes_after_dtstart_and_never_with_a_duration(when: str | None) -> None:
    for rule in (None, "FREQ=DAILY"):
        todo, _ = exported(task("x", when, rrule=rule))
        start, due = todo.get("DTSTART"), todo.get("DUE")
        assert rule is None or start is not None
        assert start is None or due is None or due.dt > start.dt or when is None
        assert "DURATION" not in todo


@pytest.mark.parametrize(
    ("status", "lines"),
    [
        ("pending", ("STATUS:NEEDS-ACTION", None, None)),
        ("completed", ("STATUS:COMPLETED", "COMPLETED:20260211T020000Z", "PERCENT-COMPLETE:100")),
        ("cancelled", ("STATUS:CANCELLED", None, None)),
    ],
)
def test_status(status: str, lines: tuple[str | None, ...]) -> None:
    todo, event = exported(task("x", "09:00-10:00", status=status))
    assert tuple(line(todo, name) for name in ("STATUS", "COMPLETED", "PERCENT-COMPLETE")) == lines
    assert event is not None
    assert line(event, "STATUS") == ("STATUS:CANCELLED" if status == "cancelled" else "STATUS:CONFIRMED")


@pytest.mark.parametrize(("priority", "number"), [("high", 1), ("medium", 5), ("low", 9)])
def test_priority_and_sequence(priority: str, number: int) -> None:
    todo, _ = exported(task("x", priority=priority, version=4))
    assert (line(todo, "PRIORITY"), line(todo, "SEQUENCE")) == (f"PRIORITY:{number}", "SEQUENCE:3")


@pytest.mark.parametrize(
    ("when", "rule", "until"),
    [
        (None, "FREQ=DAILY;UNTIL=20260310", "20260310"),
        ("09:00", "FREQ=DAILY;UNTIL=20260310", "20260310T010000Z"),
        ("01:00", "FREQ=DAILY;UNTIL=20260310", "20260309T170000Z"),
    ],
)
def test_until_is_of_the_kind_of_the_start(when: str | None, rule: str, until: str) -> None:
    todo, _ = exported(task("x", when, rrule=rule))
    assert line(todo, "RRULE") == f"RRULE:FREQ=DAILY;UNTIL={until}"
    assert line(todo, "DTSTART") is not None


def test_exceptions_are_of_the_kind_of_the_start() -> None:
    days = (date(2026, 2, 12), date(2026, 2, 13))
    todo, event = exported(task("x", "09:00-10:00", rrule="FREQ=DAILY", exdates=days))
    assert event is not None
    for one in (todo, event):
        shown = [value.dt for entry in one["EXDATE"] for value in entry.dts]
        assert shown == [datetime.combine(day, time(9), SHANGHAI) for day in days]
    todo, _ = exported(task("x", rrule="FREQ=DAILY", exdates=days[:1]))
    assert line(todo, "EXDATE") == "EXDATE;VALUE=DATE:20260212"


def test_a_date_that_another_calendar_moved_stays_a_date_of_its_series() -> None:
    series = task("例会", "09:00-10:00", rrule="FREQ=DAILY", exdates=(date(2026, 2, 12), date(2026, 2, 13)))
    moved = task("例会", "15:00-16:00", day=date(2026, 2, 12))
    lines = [
        Line(series, "s@x", NOW, NOW),
        Line(moved, "s@x#20260212", NOW, NOW, series="s@x"),
        Line(moved, "own", NOW, NOW, series="s@x"),
    ]
    first, _, second, _, third, _ = components(calendar_of(lines, context()))
    assert line(first, "EXDATE") == "EXDATE;TZID=Asia/Shanghai:20260213T090000"
    assert line(second, "UID") == "UID:s@x"
    assert line(second, "RECURRENCE-ID") == "RECURRENCE-ID;TZID=Asia/Shanghai:20260212T090000"
    assert (line(third, "UID"), line(third, "X-DP-SERIES")) == ("UID:own", "X-DP-SERIES:s@x")
    alone, _ = components(calendar_of(lines[1:2], context()))
    assert (line(alone, "UID"), line(alone, "RECURRENCE-ID")) == ("UID:s@x#20260212", None)


def times(component: Todo | Event) -> list[datetime]:
    """When the alarms ring, as icalendar works it out; it wants a start, so DUE stands in for a missing one."""
    alarms = Alarms()
    alarms.set_start(component.get("DTSTART", component.get("DUE")).dt)
    alarms.set_end(component.end if "DTSTART" in component else component["DUE"].dt)
    for one in component.walk("VALARM"):
        alarms.add_alarm(one)
    return [found.trigger for found in alarms.times]


@pytest.mark.parametrize(
    ("when", "related"), [("14:00-16:30", "START"), ("14:00", "END"), ("14:00-14:00", "END"), ("23:00-01:00", "START")]
)
def test_two_hours_before_is_before_the_start_wherever_that_stands(when: str, related: str) -> None:
    mine = task("开会", when)
    assert mine.start_time is not None
    start = datetime.combine(TODAY, mine.start_time, SHANGHAI)
    todo, event = exported(mine, reminder(start - timedelta(hours=2), ReminderRule.TWO_HOURS))
    assert event is not None
    for component, anchor in ((todo, related), (event, "START")):
        [alarm] = component.walk("VALARM")
        assert line(alarm, "TRIGGER") == f"TRIGGER;RELATED={anchor}:-PT2H"
        assert times(component) == [start - timedelta(hours=2)]
    if "DTSTART" in todo:
        assert [found.trigger for found in todo.alarms.times] == times(todo)


def test_other_reminders_are_instants() -> None:
    todo, _ = exported(task("开会", "14:00"), reminder(at("02-10 20:00"), "day_before"))
    [alarm] = todo.walk("VALARM")
    assert line(alarm, "TRIGGER") == "TRIGGER;VALUE=DATE-TIME:20260210T120000Z"
    assert line(alarm, "ACTION") == "ACTION:DISPLAY"
    assert line(alarm, "DESCRIPTION") == "DESCRIPTION:明天开会"
    assert line(alarm, "ACKNOWLEDGED") is None
    moved = exported(task("开会", "14:00"), reminder(at("11:00"), ReminderRule.TWO_HOURS))[0]
    assert times(moved) == [at("11:00")]


def test_sent_reminders_are_acknowledged_and_cancelled_ones_dropped() -> None:
    sent = reminder(at("02-10 20:00"), "day_before", "sent")
    off = reminder(at("12:00"), "two_hours", "cancelled")
    todo, _ = exported(task("开会", "14:00"), sent, off)
    [alarm] = todo.walk("VALARM")
    assert line(alarm, "ACKNOWLEDGED") == "ACKNOWLEDGED:20260210T120000Z"


def test_a_reminder_of_every_date_is_relative_to_each() -> None:
    day = date(2026, 2, 16)
    todo, _ = exported(
        task("例会", "09:00-10:00", rrule="FREQ=DAILY"), reminder(at("02-15 20:00"), "day_before", day=day)
    )
    [alarm] = todo.walk("VALARM")
    assert line(alarm, "TRIGGER") == "TRIGGER;RELATED=START:-PT13H"
    assert times(todo) == [at("02-10 20:00")]


@pytest.mark.parametrize(
    "title",
    [
        "准备下周的季度汇报并把所有部门的数据重新核对一遍，然后发给每一位经理确认，不要忘记附上说明文件" * 3,
        "x" * 300,
        "😀" * 80,
    ],
)
def test_long_lines_are_folded_and_whole_again(title: str) -> None:
    data = written(task(title, description=f"{title}\n{title}"))
    assert max(len(line) for line in data.split(b"\r\n")) <= 75
    data.decode()
    todo = next(components(data))
    assert str(todo["SUMMARY"]) == title
    assert str(todo["DESCRIPTION"]) == f"{title}\n{title}"


@pytest.mark.parametrize("title", ["C:\\New\\next", "a,b;c:d", "\\n", "BEGIN:VEVENT", 'say "hi"', "a\\,b"])
def test_text_is_escaped(title: str) -> None:
    wanted = "SUMMARY:" + title.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    assert wanted.encode() in written(task(title)).split(b"\r\n")


def test_no_line_can_be_smuggled_in() -> None:
    data = written(task("a\r\nX-EVIL:1\x0bX-EVIL:2\x07", description="b\r\nEND:VTODO\nc"))
    assert b"\nX-EVIL" not in data
    assert data.count(b"END:VTODO") == 2  # one of them inside the description's line
    assert b"DESCRIPTION:b\\nEND:VTODO\\nc\r\n" in data
    assert b"\x07" not in data


def test_the_zone_is_explained_with_its_clock_changes() -> None:
    data = written(task("x", "09:00-10:00", day=date(2026, 7, 1)), zone=BERLIN)
    calendar = Calendar.from_ical(data)
    [zone] = calendar.walk("VTIMEZONE")
    assert zone["TZID"] == "Europe/Berlin"
    explained = zone.to_tz(lookup_tzid=False)
    for moment in (datetime(2026, 1, 15, 12), datetime(2026, 7, 1, 9)):  # noqa: DTZ001 - wall times
        assert moment.replace(tzinfo=explained).utcoffset() == moment.replace(tzinfo=BERLIN).utcoffset()
    assert calendar.get_missing_tzids() == set()


def test_an_export_of_nothing_is_a_calendar() -> None:
    data = calendar_of([], context())
    assert data.startswith(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Deep Planner//")
    assert list(components(data)) == []
