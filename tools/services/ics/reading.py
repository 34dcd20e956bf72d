"""Events and to-dos of a calendar file as tasks that might be (RFC 5545, 3.6.1 and 3.6.2).

What a task cannot hold is not taken over, and says why; nothing is guessed. A place, attendees and links have no
counterpart and stay behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.domain.segments import TimeSegment, segment_at
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.ics.alarms import rings_of
from tools.services.ics.items import Item, Reading, Skipped
from tools.services.ics.lines import Block, calendars_of
from tools.services.ics.moments import EntryError, moment_of
from tools.services.ics.names import EVENT_ENDING, LONGEST_UID, PRODUCT, SERIES, uid_of_content, uid_of_date
from tools.services.ics.places import Place, event_place, todo_place
from tools.services.ics.properties import (
    blocks_day,
    categories_of,
    modified_at,
    number_of,
    priority_of,
    segment_of,
    status_of,
    text_of,
)
from tools.services.ics.rules import recurrence_of
from tools.services.ics.texts import one_line, without_controls
from tools.services.ics.zones import Zones
from tools.services.proposals import checked_description, checked_title

#: Characters of a title or name in a list of what was left behind.
LONGEST_NAMED = 60
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A block on its way: its name in the file, and the date of the series that it stands for."""

    block: Block
    zones: Zones
    ours: bool
    uid: str
    title: str
    instead_of: str | None


def read_calendar(data: bytes, context: RunContext) -> Reading:
    """What a file holds for a person at a moment.

    Args:
        data: The file as it is.
        context: Whose zone floating times are in, and which alarms are past.

    Raises:
        CalendarFileError: The file as a whole cannot be read.
    """
    entries = [entry for calendar in calendars_of(data) for entry in _entries(calendar)]
    todos = {(entry.uid, entry.instead_of) for entry in entries if entry.block.name == "VTODO"}
    items: list[Item] = []
    skipped: list[Skipped] = []
    beside: list[tuple[_Entry, Item]] = []
    for entry in entries:
        uid = entry.uid.removesuffix(EVENT_ENDING) if entry.block.name == "VEVENT" else entry.uid
        try:
            item = _item(entry, uid, context)
        except EntryError as error:
            skipped.append(_skipped(entry, error.reason, error.facts))
        except ToolArgumentError as error:
            skipped.append(_skipped(entry, error.key, error.facts))
        except (ValueError, OverflowError):
            skipped.append(_skipped(entry, "broken", {}))
        else:
            if uid != entry.uid and (uid, entry.instead_of) in todos:
                beside.append((entry, item))
            else:
                items.append(item)
    known = {item.uid: item for item in items}
    skipped += [_skipped(entry, "beside", {}) for entry, item in beside if not _same_place(item, known.get(item.uid))]
    return _settled(items, skipped)


def _entries(calendar: Block) -> Iterator[_Entry]:
    zones = Zones(calendar.inside("VTIMEZONE"))
    ours = text_of(calendar, "PRODID") == PRODUCT
    for block in calendar.blocks:
        if block.name != "VTIMEZONE":
            uid = one_line(text_of(block, "UID")) or uid_of_content(_content(block))
            title = one_line(text_of(block, "SUMMARY"))[:LONGEST_NAMED]
            yield _Entry(block, zones, ours, uid, title, text_of(block, "RECURRENCE-ID") or None)


def _content(block: Block) -> str:
    """What makes two entries without names the same: what it is and when, not when the file was written."""
    telling = ("SUMMARY", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RECURRENCE-ID", "DESCRIPTION")
    return "\n".join([block.name, *sorted(line for name, line in block.lines if name in telling)])


def _item(entry: _Entry, uid: str, context: RunContext) -> Item:
    """The entry as an item.

    Raises:
        EntryError: It has no counterpart here.
        ToolArgumentError: Its title or description cannot be ours.
        ValueError: Something in it is not written as it must be.
    """
    block = entry.block
    if block.name not in ("VEVENT", "VTODO"):
        raise EntryError("kind", kind=block.name[:LONGEST_NAMED])
    title = checked_title(one_line(text_of(block, "SUMMARY") if block.first("SUMMARY") else ""))
    place = (event_place if block.name == "VEVENT" else todo_place)(block, entry.zones, context.zone)
    task = _task(entry, Task(0, context.user_id, title, place.day), place, context)
    excepted = _excepted(entry, task.rrule is not None, context)
    name = uid_of_date(uid, excepted) if excepted else uid
    if len(name) > LONGEST_UID:
        raise EntryError("long_uid", length=len(name), limit=LONGEST_UID)
    return Item(
        uid=name,
        kind=block.name,
        task=replace(task, uid=name),
        priority=priority_of(block),
        status=status_of(block),
        segment=segment_of(block, place, entry.ours),
        description=task.description,
        categories=categories_of(block),
        series=uid if excepted else one_line(text_of(block, SERIES)) or None,
        excepted=excepted,
        rings=tuple({ring.at: ring for ring in rings_of(block, task, place, entry.zones, context)}.values()),
        sequence=number_of(block, "SEQUENCE"),
        modified=modified_at(block, entry.zones, context),
        ours=entry.ours and block.name == "VTODO",
    )


def _task(entry: _Entry, task: Task, place: Place, context: RunContext) -> Task:
    """The task with all that the entry says; what it does not say is as for a new task."""
    block = entry.block
    recurrence = recurrence_of(block, place, entry.zones, context.zone, context.now.date())
    description = (said := block.first("DESCRIPTION")) and checked_description(without_controls(said.text))
    segment = segment_of(block, place, entry.ours)
    return replace(
        task,
        start_time=place.start,
        end_time=place.end,
        time_segment=segment or (segment_at(place.start) if place.start else TimeSegment.ALL_DAY),
        priority=priority_of(block) or Priority.MEDIUM,
        status=status_of(block) or TaskStatus.PENDING,
        description=description or None,
        blocks_day=blocks_day(block, place),
        rrule=recurrence.rule if recurrence else None,
        exdates=recurrence.exdates if recurrence else (),
    )


def _excepted(entry: _Entry, recurring: bool, context: RunContext) -> date | None:
    found = entry.block.first("RECURRENCE-ID")
    if found is None:
        return None
    if recurring or found.parameters.get("RANGE"):
        raise EntryError("this_and_future")
    return moment_of(found, entry.zones).wall(context.zone).date()


def _same_place(event: Item, todo: Item | None) -> bool:
    """Whether the event beside a to-do still says the same; a to-do that was left behind has said why itself."""
    if todo is None:
        return True
    one, other = event.task, todo.task
    return (one.date, one.start_time) == (other.date, other.start_time) and (
        other.end_time is None or one.end_time == other.end_time
    )


def _settled(items: list[Item], skipped: list[Skipped]) -> Reading:
    """One item a name, the newest; single dates of a series only beside a series that they can be taken out of."""
    cut = {lost.uid for lost in skipped if lost.reason == "this_and_future"}
    newest: dict[str, Item] = {}
    for item in sorted(items, key=lambda item: (item.sequence, item.modified or _LONG_AGO)):
        newest[item.uid] = item
    lost = {entry.uid for entry in skipped if not entry.instead_of}
    kept: list[Item] = []
    for item in items:
        reason = _left_behind(item, newest, cut, lost)
        if reason:
            skipped.append(Skipped(item.kind, item.uid, item.task.title[:LONGEST_NAMED], reason, {}))
        else:
            kept.append(item)
    return Reading(tuple(kept), tuple(skipped))


def _left_behind(item: Item, newest: dict[str, Item], cut: set[str], lost: set[str]) -> str | None:
    if newest[item.uid] is not item:
        return "duplicate"
    if item.uid in cut or item.series in cut:
        return "this_and_future"
    if item.excepted is None or item.series is None:
        return None
    if item.series in newest:
        return None if newest[item.series].task.rrule else "no_series"
    return "series_skipped" if item.series in lost else None


def _skipped(entry: _Entry, reason: str, facts: dict[str, object]) -> Skipped:
    return Skipped(entry.block.name, entry.uid, entry.title, reason, facts, entry.instead_of is not None)
