"""``deep-planner tasks`` and ``deep-planner reminders``: the rows as tables."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime, time, timedelta
from typing import Any

from rich.console import Console
from rich.table import Table

from deep_planner.cli.entry import Exit
from deep_planner.cli.one_shot import settings_of
from deep_planner.settings import Settings
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.text import Language, text
from tools.domain.tasks import Task, TaskStatus
from tools.services.resolving import resolve_days
from tools.services.wording import day_words, info, instant_words, reminder_info, span_words
from tools.store.database import Database
from tools.store.repositories import Reminders, Tasks


async def show_rows(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """List the user's tasks, or the reminders to come."""
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    database = await Database.open(settings.url, now=clock.now())
    try:
        if arguments.command == "tasks":
            await _tasks(database, arguments, settings, context)
        else:
            await _reminders(database, arguments, settings, context)
    finally:
        await database.aclose()
    return Exit.DONE


async def _tasks(database: Database, arguments: argparse.Namespace, settings: Settings, context: RunContext) -> None:
    first, last = resolve_days(context, arguments.date) if arguments.date else (None, None)
    status = TaskStatus(arguments.status) if arguments.status else None
    async with database.reading() as session:
        tasks = await Tasks(session, settings.user_id).between(first, last, status=status)
    if arguments.json:
        _json([info(task).model_dump() for task in tasks])
        return
    rows = [_task_row(task, context) for task in tasks]
    _table("tasks", ["id", "date", "time", "title", "priority", "status"], rows, context.language)


def _task_row(task: Task, context: RunContext) -> list[str]:
    language = context.language
    return [
        str(task.id),
        day_words(task.date, context),
        span_words(task, context),
        task.title,
        text(language, f"cli.priority_{task.priority.value}"),
        text(language, f"cli.task_{task.status.value}"),
    ]


async def _reminders(
    database: Database, arguments: argparse.Namespace, settings: Settings, context: RunContext
) -> None:
    first = end = None
    if arguments.date:
        days = resolve_days(context, arguments.date)
        first = datetime.combine(days[0], time(), context.zone).astimezone(UTC)
        end = datetime.combine(days[1] + timedelta(days=1), time(), context.zone).astimezone(UTC)
    async with database.reading() as session:
        found = await Reminders(session, settings.user_id).find(first=first, end=end)
    if arguments.json:
        _json([reminder_info(reminder, context) for reminder in found])
        return
    rows = [
        [
            str(reminder.id),
            instant_words(reminder.remind_at, context),
            reminder.content,
            text(context.language, f"cli.reason_{reminder.reason}"),
        ]
        for reminder in found
    ]
    _table("reminders", ["id", "at", "content", "reason"], rows, context.language)


def _table(name: str, columns: list[str], rows: list[list[str]], language: Language) -> None:
    if not rows:
        sys.stdout.write(text(language, f"cli.no_{name}") + "\n")
        return
    table = Table(title=text(language, f"cli.{name}_title"), title_justify="left")
    for column in columns:
        table.add_column(text(language, f"cli.column_{column}"))
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)


def _json(rows: list[dict[str, Any]]) -> None:
    sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
