"""``deep-planner tasks``: the rows as a list, a day as a timeline, a week as columns."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from rich.console import Console

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.day_view import day_lines
from deep_planner.cli.entry import Exit
from deep_planner.cli.listing import print_table
from deep_planner.cli.marks import Names, legend, rule_of, tags
from deep_planner.cli.shown import console, write_json
from deep_planner.cli.week_view import NARROWEST, week_lists, week_table, week_title
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.errors import ToolArgumentError
from tools.core.text import Language, text
from tools.domain.agenda import Agenda, agenda_of, key_of, week_of
from tools.domain.conflicts import by_start
from tools.domain.records import Group
from tools.domain.recurrence import is_occurrence
from tools.domain.tasks import Priority, Task, TaskStatus
from tools.services.calendar import MOST_DAYS
from tools.services.groups import group_named, plain
from tools.services.resolving import resolve_days
from tools.services.wording import day_words, info, span_words
from tools.store.database import Database
from tools.store.repositories import People, Tasks

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options ask for.

    Attributes:
        status: The only status; ``None`` for all.
        priority: The only priority.
        group: Id of the only group.
        words: What title or description must hold, as ``plain`` makes it.
        hides_cancelled: Whether cancelled tasks show only when asked for: they are no part of a day.
    """

    status: TaskStatus | None = None
    priority: Priority | None = None
    group: int | None = None
    words: str = ""
    hides_cancelled: bool = False

    def takes(self, task: Task) -> bool:
        """Whether the task is asked for."""
        if self.hides_cancelled and self.status is None and task.status is TaskStatus.CANCELLED:
            return False
        return (
            self.status in (None, task.status)
            and self.priority in (None, task.priority)
            and self.group in (None, task.group_id)
            and self.words in plain(f"{task.title}\n{task.description or ''}")
        )


@dataclass(frozen=True, slots=True)
class Period:
    """The dates asked for; both ``None`` for all there are."""

    first: date | None = None
    last: date | None = None


async def show_tasks(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Print what the options ask for.

    Raises:
        UsageError: An unknown group, or dates that cannot be shown.
    """
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    as_view = arguments.day is not None or arguments.week is not None
    period = period_of(arguments, context)
    database = await Database.open(settings.url, now=clock.now())
    try:
        async with database.reading() as session:
            groups = await People(session).groups(settings.user_id)
            wanted = wanted_of(arguments, groups, hides_cancelled=as_view)
            tasks = await _read(Tasks(session, settings.user_id), period, around=as_view)
            rules = await _rules(Tasks(session, settings.user_id), tasks)
    finally:
        await database.aclose()
    names = Names(context, rules, {group.id: group.name for group in groups})
    if as_view:
        agendas = [agenda_of(tasks, day, now=context.now, shown=wanted.takes) for day in _days(period)]
        _show_view(agendas, arguments, names)
        return Exit.DONE
    found = [task for task in tasks if wanted.takes(task)]
    if arguments.json:
        write_json([told(task, names) for task in found])
    else:
        _show_list(found, names)
    return Exit.DONE


def period_of(arguments: argparse.Namespace, context: RunContext) -> Period:
    """The dates that the options name.

    Raises:
        ToolArgumentError: Words that name no date, too many days, or dates at the end of the calendar.
    """
    if arguments.date:
        return Period(*resolve_days(context, arguments.date))
    words = arguments.day if arguments.week is None else arguments.week
    if words is None:
        return Period()
    first, last = resolve_days(context, words or None)
    try:
        if arguments.week is not None:
            first, last = week_of(first)
        if (last - first).days >= MOST_DAYS:
            raise ToolArgumentError("too_many_days", value=words, limit=MOST_DAYS)
        _ = first - ONE_DAY, last + ONE_DAY  # the dates beside them must be there to be looked at
    except OverflowError as error:
        raise ToolArgumentError("bad_time", value=words) from error
    return Period(first, last)


def wanted_of(arguments: argparse.Namespace, groups: Sequence[Group], *, hides_cancelled: bool) -> Wanted:
    """What the options ask for.

    Raises:
        UsageError: The user has no such group.
    """
    return Wanted(
        status=TaskStatus(arguments.status) if arguments.status else None,
        priority=Priority(arguments.priority) if arguments.priority else None,
        group=None if arguments.group is None else group_named(groups, arguments.group).id,
        words=plain(arguments.search or ""),
        hides_cancelled=hides_cancelled,
    )


def told(task: Task, names: Names) -> dict[str, Any]:
    """The task for a program: an occurrence has its own date and the id of its series, ``repeats`` is the rule."""
    extra = {"group": names.groups.get(task.group_id or 0), "repeats": rule_of(task, names)}
    return info(task).model_dump() | extra | {"occurrence": is_occurrence(task)}


async def _read(tasks: Tasks, period: Period, *, around: bool) -> list[Task]:
    """The tasks of the dates, and for timelines those of the dates beside them, which may reach over midnight."""
    if period.first is None or period.last is None:
        return await tasks.between()
    edge = ONE_DAY if around else timedelta()
    return await tasks.between(period.first - edge, period.last + edge)


async def _rules(tasks: Tasks, found: Sequence[Task]) -> dict[int, str]:
    """The rules of the series whose occurrences were found."""
    series = [await tasks.get(number) for number in {task.id for task in found if is_occurrence(task)}]
    return {task.id: task.rrule for task in series if task and task.rrule}


def _days(period: Period) -> list[date]:
    if period.first is None or period.last is None:
        raise AssertionError("a timeline has dates")
    return [period.first + timedelta(days=offset) for offset in range((period.last - period.first).days + 1)]


def _show_view(agendas: Sequence[Agenda], arguments: argparse.Namespace, names: Names) -> None:
    if arguments.json:
        shown = {key_of(task): task for agenda in agendas for task in agenda.tasks}
        write_json([told(task, names) for task in sorted(shown.values(), key=by_start)])
        return
    out = console()
    if arguments.week is not None:
        print_week(agendas, names, out)
    else:
        print_days(agendas, names, out)


def print_days(agendas: Sequence[Agenda], names: Names, out: Console) -> None:
    """Each day as a timeline. Off a terminal lines keep their length."""
    width = out.width if out.is_terminal else None
    for number, agenda in enumerate(agendas):
        if number:
            out.print()
        for line in day_lines(agenda, names, width):
            out.print(line, soft_wrap=True)
    _print_legend(agendas, names, out)


def print_week(week: Sequence[Agenda], names: Names, out: Console) -> None:
    """The week as columns on a terminal that has room for them, else as lists."""
    out.print(week_title(week, names), soft_wrap=True)
    if out.is_terminal and out.width >= NARROWEST:
        out.print(week_table(week, names))
    else:
        for line in week_lists(week, names, out.width if out.is_terminal else None):
            out.print(line, soft_wrap=True)
    _print_legend(week, names, out)


def _print_legend(agendas: Sequence[Agenda], names: Names, out: Console) -> None:
    if words := legend(agendas, names):
        out.print(words, style="dim", soft_wrap=True)


def _show_list(tasks: Sequence[Task], names: Names) -> None:
    """The table; columns that would tell nothing are left out."""
    language = names.context.language
    telling = {
        "priority": any(task.priority is not Priority.MEDIUM for task in tasks),
        "status": any(task.status is not TaskStatus.PENDING for task in tasks),
    }
    rows = [_row(task, names) for task in tasks]
    columns = [name for name in rows[0] if telling.get(name, True)] if rows else []
    print_table("tasks", columns, [[row[name] for name in columns] for row in rows], language)


def _row(task: Task, names: Names) -> dict[str, str]:
    language = names.context.language
    return {
        "id": str(task.id),
        "date": day_words(task.date, names.context),
        "time": span_words(task, names.context),
        "title": " ".join([task.title, *tags(task, names)]),
        "priority": text(language, f"cli.priority_{task.priority.value}"),
        "status": text(language, f"cli.task_{task.status.value}"),
    }
