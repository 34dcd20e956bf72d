"""Whether the tables changed as they should, and in nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from deep_planner.evaluation.cases import Case, End, Matcher, ReminderFixture, TaskFixture, instant
from deep_planner.evaluation.reasons import Reason, faults_of, fits, pairings
from deep_planner.evaluation.world import Row, task_told

#: Ways of pairing that are tried before it is taken that none will do.
MOST_PAIRINGS = 5_000


@dataclass(frozen=True, slots=True)
class Found:
    """What is graded: the case, its tables after a turn, and how long the texts so far were.

    Attributes:
        case: What was there before.
        tasks: All tasks.
        reminders: All reminders.
        longest: Characters of the longest text so far: a title is shorter than what it was taken from.
    """

    case: Case
    tasks: list[Row]
    reminders: list[Row]
    longest: int


def end_faults(found: Found, end: End) -> list[Reason]:
    """Everything in which the tables differ from what ``end`` says."""
    tasks, reminders = found.case.fixtures.tasks, found.case.fixtures.reminders
    old_tasks, old_reminders = {task.id for task in tasks}, {reminder.id for reminder in reminders}
    task_rows = {row["id"]: row for row in found.tasks}
    reminder_rows = {row["id"]: row for row in found.reminders}
    faults = [fault for task in tasks for fault in _task_faults(task, task_rows.get(task.id), end)]
    faults += [fault for one in reminders for fault in _reminder_faults(one, reminder_rows.get(one.id), end)]
    moved = [one.id for one in reminders if _moved(one, reminder_rows.get(one.id))]
    made = [row for row in found.tasks if row["id"] not in old_tasks and row["status"] != "cancelled"]
    rung = [row for row in found.reminders if row["id"] not in old_reminders or row["id"] in moved]
    return faults + _new_faults(found, end, made, rung)


def _task_faults(task: TaskFixture, row: Row | None, end: End) -> list[Reason]:
    if task.id in end.removed:
        gone = row is None or row["status"] == "cancelled"
        return [] if gone else [Reason("not_removed", {"id": task.id, "title": task.title})]
    if row is None:
        return [Reason("gone", {"id": task.id, "title": task.title})]
    before, wanted = task_told(task), end.changed.get(str(task.id), {})
    wrong = faults_of(wanted, row, others=[row])
    named = {key.removesuffix("_has") for key in wanted}
    faults = [
        Reason("not_changed", {"id": task.id, "key": key, "want": wanted[key], "got": row.get(key)}) for key in wrong
    ]
    for key, value in before.items():
        if key not in named and (row.get(key) or None) != (value or None):
            faults.append(Reason("changed", {"id": task.id, "key": key, "want": value, "got": row.get(key)}))
    return faults


def _moved(reminder: ReminderFixture, row: Row | None) -> bool:
    """A row set to another time counts as the old one off and one created."""
    pending = row is not None and row["status"] == "pending"
    return pending and row is not None and instant(row["remind_at"]) != reminder.remind_at


def _reminder_faults(reminder: ReminderFixture, row: Row | None, end: End) -> list[Reason]:
    """A reminder that stays may be worded anew: its words follow its task."""
    facts: dict[str, Any] = {"id": reminder.id, "at": reminder.remind_at.isoformat()}
    off = row is None or row["status"] == "cancelled" or _moved(reminder, row)
    if reminder.id in end.reminders_off:
        return [] if off else [Reason("reminder_not_off", facts)]
    if row is None or (off and reminder.status != "cancelled"):
        return [Reason("reminder_off", facts)]
    before = {"user_id": reminder.user_id, "task_id": reminder.task_id, "status": reminder.status.value}
    before["channel"] = reminder.channel
    return [
        Reason("reminder_changed", {"id": reminder.id, "key": key, "want": value, "got": row[key]})
        for key, value in before.items()
        if row[key] != value
    ]


def _new_faults(found: Found, end: End, made: list[Row], rung: list[Row]) -> list[Reason]:
    """The faults of new rows under the pairing that explains them best."""
    single = [matcher for matcher in end.created if not _is_count(matcher)]
    faults_of_rows = [[_new_task_faults(found, matcher, row) for row in made] for matcher in single]
    best: list[Reason] | None = None
    for pairing in islice(pairings(len(single), len(made), lambda m, r: not faults_of_rows[m][r]), MOST_PAIRINGS):
        rest = [row for index, row in enumerate(made) if index not in pairing]
        faults, counted = _counted(found, end, rest)
        ids = iter(made[index]["id"] for index in pairing)
        new_ids = [counted.get(number) if _is_count(m) else next(ids) for number, m in enumerate(end.created)]
        faults += _new_reminder_faults(found, end, rung, new_ids)
        if not faults:
            return []
        best = faults if best is None or len(faults) < len(best) else best
    return _unpaired(found, single, made) if best is None else best


def _is_count(matcher: Matcher) -> bool:
    """``at_least: n`` stands for n rows or more."""
    return "at_least" in matcher and not isinstance(matcher["at_least"], bool)


def _counted(found: Found, end: End, rows: list[Row]) -> tuple[list[Reason], dict[int, int]]:
    """Rows that no single matcher took belong to those that count; and the first row of each of these."""
    faults: list[Reason] = []
    first: dict[int, int] = {}
    for number, matcher in enumerate(end.created):
        if _is_count(matcher):
            mine = [row for row in rows if not _new_task_faults(found, matcher, row)]
            rows = [row for row in rows if row not in mine]
            first |= {number: mine[0]["id"]} if mine else {}
            if len(mine) < matcher["at_least"]:
                faults.append(Reason("too_few", {"want": matcher, "got": len(mine)}))
    faults += [Reason("created", {"row": _short(row)}) for row in rows]
    return faults, first


def _new_task_faults(found: Found, matcher: Matcher, row: Row) -> list[str]:
    wrong = faults_of(matcher, row, others=found.tasks)
    if row["user_id"] != found.case.user.id:
        wrong.append("user_id")
    if "status" not in matcher and row["status"] != "pending":
        wrong.append("status")
    if "title" not in matcher and len(row["title"]) >= found.longest:
        wrong.append("title")
    return wrong


def _unpaired(found: Found, matchers: Sequence[Matcher], made: list[Row]) -> list[Reason]:
    """Each matcher beside the row that comes nearest to it."""
    faults: list[Reason] = []
    left = list(made)
    for matcher in matchers:
        if not left:
            faults.append(Reason("not_created", {"want": matcher}))
            continue
        row = min(left, key=lambda one: len(_new_task_faults(found, matcher, one)))
        left.remove(row)
        for key in _new_task_faults(found, matcher, row):
            plain = key.removesuffix("_has")
            facts = {"title": row["title"], "key": key, "want": matcher.get(key, "-"), "got": row.get(plain)}
            faults.append(Reason("wrong", facts))
    return faults + [Reason("created", {"row": _short(row)}) for row in left]


def _new_reminder_faults(found: Found, end: End, rung: list[Row], new_ids: list[int | None]) -> list[Reason]:
    def possible(matcher: Matcher, row: Row, status: str) -> bool:
        right = row["user_id"] == found.case.user.id and not faults_of({"status": status} | matcher, row)
        return right and _is_about(matcher.get("task", "*"), row["task_id"], new_ids)

    wanted, may = end.reminders_created, end.reminders_may
    ways = pairings(len(wanted), len(rung), lambda m, r: possible(wanted[m], rung[r], "pending"))
    best: list[Reason] | None = None
    for way in islice(ways, MOST_PAIRINGS):
        rest = [row for index, row in enumerate(rung) if index not in way]
        for matcher in may:
            allowed = next((row for row in rest if possible(matcher, row, "*")), None)
            rest = [row for row in rest if row is not allowed]
        faults = [Reason("reminder_created", {"row": _short(row)}) for row in rest]
        best = faults if best is None or len(faults) < len(best) else best
    if best is not None:
        return best
    return [Reason("reminders_wrong", {"want": wanted, "got": [_short(row) for row in rung]})]


def _is_about(want: Any, task_id: int | None, new_ids: list[int | None]) -> bool:
    if isinstance(want, list):
        return any(_is_about(one, task_id, new_ids) for one in want)
    if isinstance(want, str) and want.startswith("new:"):
        number = int(want.removeprefix("new:"))
        return number < len(new_ids) and task_id is not None and task_id == new_ids[number]
    return fits(want, task_id)


def _short(row: Row) -> Row:
    dull = {"user_id", "channel", "priority", "description"}
    return {key: value for key, value in row.items() if key not in dull and value is not None}
