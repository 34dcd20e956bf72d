"""What an import would do: the file's items beside the stored tasks.

The same function plans the preview and, inside the transaction, the work itself. An entry whose name is known is the
same task again, never a second one. What the file does not say stays as it is stored, unless the file is an export of
ours, which says all it knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from enum import StrEnum

from tools.domain.records import Group, Reminder, ReminderStatus
from tools.domain.tasks import Task, TaskStatus
from tools.services.ics.alarms import Ring
from tools.services.ics.items import Item, Reading, Skipped
from tools.services.ics.names import uid_of
from tools.services.ics.texts import one_line, without_controls

#: What of a task is not compared: how it is found, and what the store counts.
_APART = frozenset({"id", "user_id", "uid", "version", "series_id"})


class Action(StrEnum):
    """What becomes of an entry."""

    CREATE = "create"
    CHANGE = "change"
    UNCHANGED = "unchanged"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored task, when it was made and last changed (UTC), and its reminders of any status."""

    task: Task
    created_at: datetime
    updated_at: datetime
    reminders: tuple[Reminder, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """What becomes of one entry of the file.

    Attributes:
        action: What is done.
        kind: VEVENT or VTODO.
        uid: Its name.
        title: Its title.
        task: As it will be stored; ``None`` when skipped.
        before: As it is stored.
        changed: Names of the task's fields that change, ``reminders`` and ``series`` among them.
        series: The name of the series that the task was taken out of.
        rings: Reminders that it has not got yet.
        ended: Pending reminders that it must not have any longer.
        reason: Why it is skipped (``ics.skipped``).
        facts: The values in the reason.
    """

    action: Action
    kind: str
    uid: str
    title: str
    task: Task | None = None
    before: Task | None = None
    changed: tuple[str, ...] = ()
    series: str | None = None
    rings: tuple[Ring, ...] = ()
    ended: tuple[Reminder, ...] = ()
    reason: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole import: entries, series before the dates taken out of them, and categories that are no groups."""

    entries: tuple[Entry, ...]
    strange: tuple[str, ...]

    def of(self, action: Action) -> list[Entry]:
        """The entries with which that is done."""
        return [entry for entry in self.entries if entry.action is action]

    @property
    def writes(self) -> bool:
        """Whether there is anything to do."""
        return any(entry.action in (Action.CREATE, Action.CHANGE) for entry in self.entries)


def planned(reading: Reading, stored: Sequence[Stored], groups: Sequence[Group]) -> Plan:
    """The plan for a file.

    Args:
        reading: What the file holds.
        stored: All of the user's tasks.
        groups: The user's groups.
    """
    known = {uid_of(one.task, one.created_at): one for one in stored}
    names = {one.task.id: uid for uid, one in known.items()}
    ids = {group.name: group.id for group in groups}
    excepted: dict[str, set[date]] = {}
    for item in reading.items:
        if item.excepted and item.series:
            excepted.setdefault(item.series, set()).add(item.excepted)
    told = {item.uid for item in reading.items}
    entries = []
    for item in reading.items:
        series = item.series if item.series in told or item.series in known else None
        complete = replace(_with_exceptions(item, excepted), series=series)
        entries.append(_entry(complete, known.get(item.uid), ids, names))
    entries += _excepted_only(excepted, known, told)
    entries += [_skip(lost) for lost in reading.skipped]
    words = {word for item in reading.items for word in item.categories}
    return Plan(tuple(sorted(entries, key=_taken_out)), tuple(sorted(words - set(ids))))


def _taken_out(entry: Entry) -> bool:
    return entry.series is not None


def _with_exceptions(item: Item, excepted: Mapping[str, set[date]]) -> Item:
    dates = excepted.get(item.uid)
    if not dates or item.task.rrule is None:
        return item
    return replace(item, task=replace(item.task, exdates=tuple(sorted(dates.union(item.task.exdates)))))


def _entry(item: Item, stored: Stored | None, groups: Mapping[str, int], names: Mapping[int, str]) -> Entry:
    wanted = _wanted(item, stored.task if stored else None, groups)
    rings = tuple(ring for ring in item.rings if ring.done or wanted.status is TaskStatus.PENDING)
    if stored is None:
        return Entry(Action.CREATE, item.kind, item.uid, wanted.title, wanted, series=item.series, rings=rings)
    before = stored.task
    new, ended = _reminder_changes(item, rings, stored, wanted)
    changed = [one.name for one in fields(Task) if one.name not in _APART and _differs(one.name, before, wanted)]
    if item.series is not None and names.get(before.series_id or 0) != item.series:
        changed.append("series")
    if new or ended:
        changed.append("reminders")
    made = Entry(
        Action.CHANGE, item.kind, item.uid, wanted.title, wanted, before, tuple(changed), item.series, new, ended
    )
    if not changed:
        return replace(made, action=Action.UNCHANGED)
    changed_here = stored.updated_at.replace(microsecond=0)
    if item.sequence < before.version - 1 and item.modified and item.modified < changed_here:
        return Entry(Action.SKIP, item.kind, item.uid, wanted.title, reason="older")
    return made


def _wanted(item: Item, before: Task | None, groups: Mapping[str, int]) -> Task:
    """The task as it would be stored."""
    task = replace(item.task, group_id=_group(item, groups))
    if before is None:
        return task
    wanted = replace(
        task,
        id=before.id,
        uid=before.uid or task.uid,
        version=before.version,
        series_id=before.series_id,
        # Dates that went their own way here stay away from the series.
        exdates=tuple(sorted({*task.exdates, *before.exdates})) if task.rrule else (),
    )
    if one_line(before.title) == task.title:
        wanted = replace(wanted, title=before.title)
    if item.ours:
        same = without_controls(before.description or "") == (task.description or "")
        return replace(wanted, description=before.description) if same else wanted
    return _kept(item, before, wanted)


def _kept(item: Item, before: Task, wanted: Task) -> Task:
    """With the stored value of all that a stranger's entry does not say."""
    same_time = (before.date, before.start_time) == (wanted.date, wanted.start_time)
    # An event has no way to say "from three on": without an end it is a moment.
    open_end = item.kind == "VEVENT" and same_time and before.end_time is None and wanted.end_time == wanted.start_time
    return replace(
        wanted,
        priority=item.priority or before.priority,
        status=item.status or before.status,
        description=item.description or before.description,
        group_id=wanted.group_id or before.group_id,
        time_segment=before.time_segment if item.segment is None and same_time else wanted.time_segment,
        end_time=None if open_end else wanted.end_time,
        blocks_day=before.blocks_day if item.kind == "VTODO" or wanted.start_time else wanted.blocks_day,
    )


def _group(item: Item, groups: Mapping[str, int]) -> int | None:
    """The first category that is a group."""
    return next((groups[word] for word in item.categories if word in groups), None)


def _differs(name: str, before: Task, wanted: Task) -> bool:
    old, new = getattr(before, name), getattr(wanted, name)
    return (old or None) != (new or None) if name == "description" else bool(old != new)


def _reminder_changes(
    item: Item, rings: Sequence[Ring], stored: Stored, wanted: Task
) -> tuple[tuple[Ring, ...], tuple[Reminder, ...]]:
    """Reminders to add, and pending ones to end: those of a task that ends, or that our export no longer has."""
    there = {reminder.remind_at for reminder in stored.reminders}
    new = tuple(ring for ring in rings if ring.at not in there)
    pending = [one for one in stored.reminders if one.status is ReminderStatus.PENDING]
    if wanted.status is not TaskStatus.PENDING and stored.task.status is TaskStatus.PENDING:
        return new, tuple(pending)
    told = {ring.at for ring in rings}
    return new, tuple(one for one in pending if item.ours and one.remind_at not in told)


def _excepted_only(excepted: Mapping[str, set[date]], known: Mapping[str, Stored], told: set[str]) -> list[Entry]:
    """Stored series that the file does not repeat, though it takes dates out of them."""
    entries = []
    for uid, dates in excepted.items():
        stored = known.get(uid)
        if stored is None or uid in told or stored.task.rrule is None or dates <= set(stored.task.exdates):
            continue
        after = replace(stored.task, exdates=tuple(sorted(dates.union(stored.task.exdates))))
        entries.append(Entry(Action.CHANGE, "VEVENT", uid, after.title, after, stored.task, ("exdates",)))
    return entries


def _skip(lost: Skipped) -> Entry:
    return Entry(Action.SKIP, lost.kind, lost.uid, lost.title, reason=lost.reason, facts=lost.facts)
