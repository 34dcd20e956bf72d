"""Reminders as alarms (VALARM), out and in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from icalendar import Alarm
from icalendar.prop import vDuration, vInline

from tools.core.context import RunContext
from tools.domain.records import Reminder, ReminderStatus
from tools.domain.recurrence import days_of
from tools.domain.reminders import ReminderRule
from tools.domain.tasks import Task, TaskStatus
from tools.services.ics.lines import Block
from tools.services.ics.moments import EntryError, Moment, duration_of, moment_of
from tools.services.ics.names import OCCURS_ON, REASON
from tools.services.ics.places import Place
from tools.services.ics.texts import escaped, one_line
from tools.services.ics.zones import Zones

#: What rings; a reminder is a reminder, however the other calendar would have made itself heard.
RINGING = frozenset({"DISPLAY", "AUDIO", "EMAIL"})
MOST_REPEATS = 10
TWO_HOURS = timedelta(hours=2)
#: Dates of a series that are looked at for one whose alarm is still to come.
TRIED = 400


@dataclass(frozen=True, slots=True)
class Ring:
    """A reminder as a file has it.

    Attributes:
        at: The instant, UTC.
        done: It has rung.
        content: Its words, when it was ours; else they are made anew.
        reason: The rule that chose its time.
        occurs_on: The date of the series.
    """

    at: datetime
    done: bool
    content: str | None = None
    reason: str = ReminderRule.EXPLICIT.value
    occurs_on: date | None = None


def alarm_of(reminder: Reminder, task: Task, zone: ZoneInfo) -> Alarm | None:
    """The alarm of a reminder, for an entry that has a DTSTART or whose DUE is its start; ``None`` for a cancelled one.

    Absolute, in UTC, but for "two hours before" and what rings for every date of a series: those are relative to the
    start, and RELATED says which property is the start.
    """
    if reminder.status is ReminderStatus.CANCELLED:
        return None
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm["DESCRIPTION"] = vInline(escaped(reminder.content))
    before = _before_start(reminder, task, zone)
    if before is None:
        alarm.add("trigger", reminder.remind_at.astimezone(UTC), parameters={"VALUE": "DATE-TIME"})
    else:
        alarm.add("trigger", vDuration(before))
    if reminder.status is ReminderStatus.SENT:
        alarm.add("acknowledged", reminder.remind_at.astimezone(UTC))
    alarm[REASON] = vInline(escaped(reminder.reason))
    if reminder.occurs_on is not None:
        alarm[OCCURS_ON] = vInline(f"{reminder.occurs_on:%Y%m%d}")
    return alarm


def _before_start(reminder: Reminder, task: Task, zone: ZoneInfo) -> timedelta | None:
    """The trigger relative to the start; ``None`` for one that is better told absolutely."""
    if (reminder.occurs_on is None) != (task.rrule is None) or not (task.start_time or task.rrule):
        return None
    start = Moment(reminder.occurs_on or task.date, task.start_time or time(), zone)
    elapsed = reminder.remind_at - start.instant(zone)
    if task.rrule is None and (reminder.reason != ReminderRule.TWO_HOURS or elapsed != -TWO_HOURS):
        return None
    wall = reminder.remind_at.astimezone(zone).replace(tzinfo=UTC) - start.wall(zone)
    fits = [td for td in (elapsed, wall) if not td.microseconds and start.later(td).instant(zone) == reminder.remind_at]
    return fits[0] if fits else None


def rings_of(block: Block, task: Task, place: Place, zones: Zones, context: RunContext) -> Iterator[Ring]:
    """The reminders of an entry.

    What rang long ago is past and not made up for; of a series the next date counts. A task that is over has none but
    those that rang.

    Args:
        block: The entry.
        task: What became of it.
        place: Its moments.
        zones: The file's zones.
        context: Person and moment.
    """
    for alarm in block.inside("VALARM"):
        try:
            found = list(_rings(alarm, task, place, zones, context))
        except (EntryError, ValueError, OverflowError):
            continue
        yield from (ring for ring in found if ring.done or task.status is TaskStatus.PENDING)


def _rings(alarm: Block, task: Task, place: Place, zones: Zones, context: RunContext) -> Iterator[Ring]:
    action, trigger = alarm.first("ACTION"), alarm.first("TRIGGER")
    if trigger is None or (action and action.value.strip().upper() not in RINGING):
        return
    reason = _known_reason(alarm)
    content = (said := alarm.first("DESCRIPTION")) and reason and one_line(said.text)
    heard = alarm.first("ACKNOWLEDGED")
    acknowledged = moment_of(heard, zones).instant(context.zone) if heard else None
    for at, day in _instants(alarm, task, place, zones, context):
        rung = acknowledged is not None and acknowledged >= at
        # Our own reminder may be late and still wanted; a stranger's old alarm is history.
        done = rung or (reason is None and at <= context.now)
        yield Ring(at, done, content or None, reason or ReminderRule.EXPLICIT.value, day)


def _known_reason(alarm: Block) -> str | None:
    found = alarm.first(REASON)
    return found.value if found and found.value in set(ReminderRule) else None


def _instants(
    alarm: Block, task: Task, place: Place, zones: Zones, context: RunContext
) -> Iterator[tuple[datetime, date | None]]:
    """When it rings, with the repetitions, and for which date of a series."""
    stated, trigger = alarm.first(OCCURS_ON), alarm.first("TRIGGER")
    day = moment_of(stated, zones).day if stated else None
    if trigger is None:
        return
    if trigger.value.strip().upper().lstrip("+-").startswith("P"):
        by_end = trigger.parameters.get("RELATED", "").upper() == "END"
        anchor = (place.ends if by_end else place.begins) or place.first
        found = _relative(duration_of(trigger), anchor, task, day, context)
        if found is None:
            return
        first, day = found
    else:
        first = moment_of(trigger, zones).instant(context.zone)
    repeat, pause = alarm.first("REPEAT"), alarm.first("DURATION")
    times = min(int(repeat.value), MOST_REPEATS) if repeat and pause else 0
    gap = duration_of(pause) if pause else timedelta()
    for number in range(times + 1):
        yield first + number * gap, day if task.rrule else None


def _relative(
    by: timedelta, anchor: Moment, task: Task, day: date | None, context: RunContext
) -> tuple[datetime, date | None] | None:
    """The instant for a single task, or for that date of a series, or for its next date; ``None`` when all are past."""

    def rings(on: date) -> datetime:
        moved = Moment(anchor.day + (on - task.date), anchor.clock or time(), anchor.zone or context.zone)
        return moved.later(by).instant(context.zone)

    if task.rrule is None or day is not None:
        return rings(day or task.date), day
    coming = islice(days_of(task, context.now.date() - timedelta(days=1)), TRIED)
    return next(((rings(on), on) for on in coming if rings(on) > context.now), None)
