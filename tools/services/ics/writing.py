"""Tasks as a calendar file.

A task is a VTODO. One that takes up time has a VEVENT beside it, because many calendars show no to-dos; the event's
name is the to-do's with an ending, so that the two come back as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from icalendar import Alarm, Calendar, Event, Todo
from icalendar.prop import vDuration, vInline

from tools.core.context import RunContext
from tools.core.text import text
from tools.domain.records import Reminder
from tools.domain.segments import TimeSegment, segment_at
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.alarms import alarm_of
from tools.services.ics.names import (
    BLOCKS_DAY,
    EVENT_ENDING,
    MOMENT,
    PRODUCT,
    SEGMENT,
    SERIES,
    date_of_uid,
)
from tools.services.ics.places import ONE_DAY
from tools.services.ics.rules import calendar_rule
from tools.services.ics.texts import escaped

PRIORITIES = {Priority.HIGH: 1, Priority.MEDIUM: 5, Priority.LOW: 9}
STATUSES = {
    TaskStatus.PENDING: "NEEDS-ACTION",
    TaskStatus.COMPLETED: "COMPLETED",
    TaskStatus.CANCELLED: "CANCELLED",
}
#: The last year whose clock changes are spelled out for a series without end.
LAST_YEAR = 2038


@dataclass(frozen=True, slots=True)
class Line:
    """A task on its way out: its name, its times in the store (UTC), its group, its reminders, its series' name."""

    task: Task
    uid: str
    created_at: datetime
    updated_at: datetime
    group: str | None = None
    series: str | None = None
    reminders: Sequence[Reminder] = ()


def calendar_of(lines: Sequence[Line], context: RunContext) -> bytes:
    """The file: UTF-8, lines of at most 75 octets, with the definition of the user's zone.

    Args:
        lines: The tasks in the order in which they shall stand.
        context: Whose zone and language, and the moment that stands on each entry.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar["X-WR-TIMEZONE"] = vInline(context.zone.key)
    series = {line.uid: line.task for line in lines if line.task.rrule}
    replaced = _replaced(lines, series)
    for line in lines:
        for component in _components(line, series, replaced, context):
            calendar.add_component(component)
    years = [line.task.date.year for line in lines if line.task.start_time is not None]
    if years:
        last = LAST_YEAR if series else max(years) + 2
        calendar.add_missing_timezones(date(min(years) - 1, 1, 1), date(max(last, max(years) + 2), 1, 1))
    return bytes(calendar.to_ical())


def _replaced(lines: Iterable[Line], series: Mapping[str, Task]) -> dict[str, set[date]]:
    """The dates of each series that another calendar let go their own way, and that stand in the file themselves."""
    found: dict[str, set[date]] = {}
    for line in lines:
        if day := _stands_for(line, series):
            found.setdefault(line.series or "", set()).add(day)
    return found


def _stands_for(line: Line, series: Mapping[str, Task]) -> date | None:
    """The date that the task stands for, when its name says so and the series is in the file."""
    if line.series is None or line.series not in series:
        return None
    day = date_of_uid(line.uid, line.series)
    return day if day in series[line.series].exdates else None


def _components(
    line: Line, series: Mapping[str, Task], replaced: Mapping[str, set[date]], context: RunContext
) -> Iterable[Todo | Event]:
    task = line.task
    left_out = [day for day in task.exdates if day not in replaced.get(line.uid, set())]
    day = _stands_for(line, series)
    uid = line.series if day and line.series else line.uid
    kinds: list[type[Todo] | type[Event]] = [Todo, Event] if task.start_time or task.blocks_day else [Todo]
    for kind in kinds:
        component = kind()
        component["UID"] = vInline(escaped(uid if kind is Todo else uid + EVENT_ENDING))
        if kind is Event:
            component["RELATED-TO"] = vInline(escaped(uid))
        if day and line.series:
            original = replace(task, date=day, start_time=series[line.series].start_time)
            _add_time(component, "recurrence-id", _begin(original, context))
        elif line.series:
            component[SERIES] = vInline(escaped(line.series))
        _describe(component, line, context)
        _place(component, task, context)
        if rule := calendar_rule(task, context.zone):
            component["RRULE"] = vInline(rule)
            for out in left_out:
                _add_time(component, "exdate", _begin(replace(task, date=out), context))
        for reminder in line.reminders:
            if alarm := alarm_of(reminder, task, context.zone):
                _relate(alarm, component)
                component.add_component(alarm)
        yield component


def _describe(component: Todo | Event, line: Line, context: RunContext) -> None:
    task = line.task
    component["SUMMARY"] = vInline(escaped(task.title))
    component.add("dtstamp", context.now.astimezone(UTC))
    component.add("created", line.created_at.astimezone(UTC))
    component.add("last-modified", line.updated_at.astimezone(UTC))
    component.add("sequence", task.version - 1)
    component.add("priority", PRIORITIES[task.priority])
    if task.description:
        component["DESCRIPTION"] = vInline(escaped(task.description))
    if isinstance(component, Event):
        component.add("status", "CANCELLED" if task.status is TaskStatus.CANCELLED else "CONFIRMED")
        component.add("transp", "OPAQUE")
    else:
        component.add("status", STATUSES[task.status])
    if isinstance(component, Todo) and task.status is TaskStatus.COMPLETED:
        component.add("completed", line.updated_at.astimezone(UTC))
        component.add("percent-complete", 100)
    words = [line.group] if line.group else []
    if task.time_segment is not (segment_at(task.start_time) if task.start_time else TimeSegment.ALL_DAY):
        component[SEGMENT] = vInline(task.time_segment.value)
        words.append(text(context.language, f"when.segment_{task.time_segment.value}"))
    if words:
        component["CATEGORIES"] = vInline(",".join(escaped(word) for word in words))
    if task.blocks_day:
        component[BLOCKS_DAY] = vInline("TRUE")


def _place(component: Todo | Event, task: Task, context: RunContext) -> None:
    """When it is. A to-do with one point in time has a DUE alone, or, in a series, a DTSTART alone.

    DTSTART and DUE may not be equal (RFC 5545, 3.8.2.3) but for whole days, where readers take DUE for the day itself.
    """
    begin, end = _begin(task, context), _end(task, context)
    if task.start_time is not None and task.start_time == task.end_time:
        component[MOMENT] = vInline("TRUE")
    if isinstance(component, Event):
        component.add("dtstart", begin)
        if task.start_time is None:
            component.add("dtend", task.date + ONE_DAY)
        elif end is not None:
            component.add("dtend", end)
        return
    if task.start_time is None or end is None:
        if task.rrule:
            component.add("dtstart", begin)
        if task.start_time is None or not task.rrule:
            component.add("due", begin)
        return
    component.add("dtstart", begin)
    component.add("due", end)


def _begin(task: Task, context: RunContext) -> date | datetime:
    return datetime.combine(task.date, task.start_time, context.zone) if task.start_time else task.date


def _end(task: Task, context: RunContext) -> datetime | None:
    """The end of a task that has a length."""
    if task.start_time is None or task.end_time is None or task.end_time == task.start_time:
        return None
    day = task.date + ONE_DAY if task.end_time < task.start_time else task.date
    return datetime.combine(day, task.end_time, context.zone)


def _add_time(component: Todo | Event, name: str, moment: date | datetime) -> None:
    whole_day = not isinstance(moment, datetime)
    component.add(name, moment, parameters={"VALUE": "DATE"} if whole_day else {})


def _relate(alarm: Alarm, component: Todo | Event) -> None:
    """Say which property the start is: a to-do without DTSTART starts when it is due."""
    trigger = alarm["TRIGGER"]
    if isinstance(trigger, vDuration):
        trigger.params["RELATED"] = "START" if "DTSTART" in component else "END"
