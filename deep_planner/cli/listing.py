"""``deep-planner reminders``: the rows as a table."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime, time, timedelta

from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.shown import console, fitted, print_whole, write_json
from deep_planner.settings import Settings
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.harmless import harmless
from tools.core.text import Language, text
from tools.services.resolving import resolve_days
from tools.services.wording import instant_words, reminder_info
from tools.store.database import Database
from tools.store.repositories import Reminders

#: Columns of a few words; the others are broken where the terminal is narrow.
ONE_LINE = frozenset(("id", "date", "time", "at", "priority", "status", "thread", "requests", "state", "changed"))
#: The least width of what people wrote, and how much of it a terminal shows, in cells.
LEAST, MOST = 14, 120
#: The columns of such words.
WRITTEN = frozenset(("title", "content", "request", "last"))
#: Below this many cells a terminal has no room for lines between the columns.
NARROW = 100


async def show_reminders(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """List the reminders to come."""
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    database = await Database.open(settings.url, now=clock.now())
    try:
        await _reminders(database, arguments, settings, context)
    finally:
        await database.aclose()
    return Exit.DONE


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
        write_json([reminder_info(reminder, context) for reminder in found])
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
    print_table("reminders", ["id", "at", "content", "reason"], rows, context.language)


def print_table(name: str, columns: list[str], rows: list[list[str]], language: Language) -> None:
    """Print rows under their title, or say that there are none.

    Args:
        name: What the rows are: ``tasks``, ``reminders``.
        columns: The names of the columns.
        rows: Their cells, as the user wrote them.
        language: The language of title and heads.
    """
    if not rows:
        sys.stdout.write(text(language, f"cli.no_{name}") + "\n")
        return
    out = console()
    narrow = out.is_terminal and out.width < NARROW
    style = SIMPLE_HEAD if narrow else HEAVY_HEAD
    table = Table(title=text(language, f"cli.{name}_title"), title_justify="left", box=style, pad_edge=not narrow)
    for column in columns:
        head = text(language, f"cli.column_{column}")
        one_line, least = column in ONE_LINE, LEAST if column in WRITTEN else None
        table.add_column(head, no_wrap=one_line, overflow="ellipsis" if one_line else "fold", min_width=least)
    cells = MOST if out.is_terminal else None
    for row in rows:
        table.add_row(*(Text(fitted(harmless(cell), cells)) for cell in row))
    print_whole(table, out)
